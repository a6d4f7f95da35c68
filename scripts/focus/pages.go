package main

import (
	"strings"
	"sync"

	"plat/focus"
	"plat/label"
	"plat/links"
	"plat/scripts/focus/corpus"
	"plat/static"
)

// pages reads each page of the corpus once, without a browser, and keeps what was read.
type pages struct {
	corpus    *corpus.Corpus
	describer *label.Describer
	entries   []entry
}

type entry struct {
	once sync.Once
	page *focus.Page
	err  error
}

func (p *pages) open(c *corpus.Corpus, d *label.Describer, direct bool) error {
	p.corpus, p.describer, p.entries = c, d, make([]entry, len(c.Pages))
	return nil
}

func (p *pages) close() {}

// get returns a page by its URL; nil if there is none.
func (p *pages) get(u string) (int32, *focus.Page, error) {
	id := p.corpus.Find(u)
	if id < 0 {
		return id, nil, nil
	}
	e := &p.entries[id]
	e.once.Do(func() { e.page, e.err = p.read(&p.corpus.Pages[id]) })
	return id, e.page, e.err
}

var escape = strings.NewReplacer("&", "&amp;", "<", "&lt;")

func (p *pages) read(x *corpus.Page) (*focus.Page, error) {
	body := string(x.Body)
	if !strings.HasPrefix(x.Type, "text/html") {
		body = "<pre>" + escape.Replace(body)
	}
	s, err := static.Snapshot(x.URL, body)
	if err != nil {
		return nil, err
	}
	l := &links.Page{Snapshot: s, Frames: true}
	out := focus.Read(l, l.Links(nil, 5000), p.describer)
	out.URL = canonical(x.URL)
	return out, nil
}
