package main

import (
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/sync/errgroup"

	"plat/export/atomicfile"
	"plat/fixtures/content"
	"plat/fixtures/documents"
	"plat/fixtures/landmarks"
	"plat/plat"
	"plat/segment"
	"plat/segment/label"
	"plat/watch"
)

// subject is a page of the data whose list is edited.
type subject struct {
	kind, name, host string
	load             func() (*plat.Snapshot, func(nr int32) (main, all float64), error)
}

// half is the half of the pages to which a subject belongs: all pages of a host are in one.
func (s *subject) half() string {
	h := fnv.New32a()
	h.Write([]byte(s.host))
	return string(rune('A' + h.Sum32()>>7&1))
}

// editedPage is a page in all versions, as they are kept in a file.
type editedPage struct {
	Kind, Name string
	First      []string // titles of the entries
	Versions   []editedVersion
}

// editedVersion is a version of a page.
type editedVersion struct {
	Edit   string
	Added  []string // titles of the entries that were added to it, in small letters
	Layout plat.Layout
	Blocks []plat.Block
}

// pageEdits are the versions of each page after the first: each is made of the one before.
var pageEdits = []struct {
	name string
	edit func(p *pageEditor)
}{
	{"insert first", func(p *pageEditor) { p.insert(0) }},
	{"insert beside", func(p *pageEditor) { p.beside() }},
	{"insert in the middle", func(p *pageEditor) { p.insert(len(p.list.entries) / 2) }},
	{"remove two", func(p *pageEditor) { p.list.remove(len(p.list.entries) - 2); p.list.remove(2) }},
	{"reorder", func(p *pageEditor) { p.list.swap(0, len(p.list.entries)-1); p.list.swap(1, 2) }},
	{"rename one", func(p *pageEditor) { p.list.rename(3, " "+revised) }},
	{"insert two", func(p *pageEditor) { p.insert(0); p.insert(len(p.list.entries)) }},
}

// revised is added to the title of the entry that is renamed.
const revised = "(revised)"

// pageEditor edits a page.
type pageEditor struct {
	list *repeated
	side *repeated     // outside of the main text; nil: the page has none
	text []*editedNode // paragraphs of the main text apart from the list
	now  *editedVersion
}

func (p *pageEditor) insert(i int) {
	title := news[p.list.used%len(news)]
	p.list.insert(i, title)
	p.now.Added = append(p.now.Added, strings.ToLower(title))
}

// beside adds an entry to a list outside of the main text, and a paragraph to the main text: both are no news.
func (p *pageEditor) beside() {
	if p.side != nil {
		p.side.insert(len(p.side.entries)/2, "Opening hours of the customs office")
	}
	if len(p.text) > 0 {
		r := &repeated{root: p.list.root, parent: p.text[0].parent}
		for _, n := range p.text {
			r.entries = append(r.entries, []*editedNode{n})
		}
		r.measure()
		r.insert(len(p.text)/2, "A gale from the north had closed the harbour on the evening before, and the pilots waited ashore.")
	}
}

// paragraphs returns siblings that are the most text in paragraphs of a page, apart from a list.
func paragraphs(root *editedNode, list *repeated) (best []*editedNode) {
	most := 0
	root.all(func(n *editedNode) {
		var all []*editedNode
		chars := 0
		for _, k := range n.kids {
			if c := utf8.RuneCountInString(k.text()); k.is("p") && c > 100 {
				all, chars = append(all, k), chars+c
			}
		}
		if len(all) >= 3 && chars > most && n != list.parent {
			best, most = all, chars
		}
	})
	for _, n := range best {
		for up := n; up != nil; up = up.parent {
			if up == list.parent {
				return nil
			}
		}
	}
	return best
}

// edited returns the versions of a page, or nil if it has no list in its main text.
func (s *subject) edited(d *label.Describer) (*editedPage, error) {
	snap, words, err := s.load()
	if err != nil || snap == nil {
		return nil, err
	}
	root := nodesOf(snap)
	p := &pageEditor{}
	for _, r := range structures(root, words) {
		if r.main >= .5 && p.list == nil {
			p.list = r
		}
		if r.main < .1 && p.side == nil {
			p.side = r
		}
	}
	if p.list == nil {
		return nil, nil
	}
	p.text = paragraphs(root, p.list)
	out := &editedPage{Kind: s.kind, Name: s.name}
	for _, run := range p.list.entries {
		out.First = append(out.First, strings.ToLower(strings.Join(strings.Fields(titleOfRun(run).Value), " ")))
	}
	for round := range len(pageEdits) + 1 {
		v := editedVersion{}
		if p.now = &v; round > 0 {
			v.Edit = pageEdits[round-1].name
			pageEdits[round-1].edit(p)
		}
		cut, err := d.Divide(flat(root, snap), segment.Params{}, nil)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		v.Layout, v.Blocks = cut.Layout, cut.Blocks
		out.Versions = append(out.Versions, v)
	}
	return out, nil
}

// kept reads the versions of a page from a file, or makes the file.
func (s *subject) kept(dir string, d *label.Describer) (*editedPage, error) {
	name := filepath.Join(dir, s.kind, strings.ReplaceAll(s.name, "/", "_")+".gob.zst")
	p := &editedPage{}
	f, err := os.Open(name)
	if err == nil {
		defer f.Close()
		z, err := zstd.NewReader(f, zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, err
		}
		defer z.Close()
		return p, gob.NewDecoder(z).Decode(p)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if p, err = s.edited(d); err != nil {
		return nil, err
	}
	if p == nil {
		p = &editedPage{}
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return nil, err
	}
	return p, atomicfile.Write(name, func(w io.Writer) error {
		z, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
		if err != nil {
			return err
		}
		return errors.Join(gob.NewEncoder(z).Encode(p), z.Close())
	})
}

// editPages measures package watch on lists of the data's pages, as editLists does on those of packages.
func editPages(ctx context.Context, o *options) error {
	subjects, err := o.subjects()
	if err != nil {
		return err
	}
	d, err := label.New(label.Options{})
	if err != nil {
		return err
	}
	subjects = slices.DeleteFunc(subjects, func(s *subject) bool { return o.half != "" && s.half() != o.half })
	kept := filepath.Join(filepath.Dir(o.archives), "pages")
	if st, err := os.Stat(kept); err == nil {
		fmt.Fprintf(os.Stderr, "pages in %s were divided and labelled by the code of %s; remove the folder to do it anew\n", kept, st.ModTime().Format(time.DateTime))
	}
	scores := make([]*judged, len(subjects))
	var g errgroup.Group
	g.SetLimit(2)
	for i, s := range subjects {
		g.Go(func() error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			p, err := s.kept(kept, d)
			if err != nil || len(p.Versions) == 0 {
				return err
			}
			scores[i], err = p.judge()
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return printPages(o, subjects, scores)
}

// judge examines the versions of a page.
func (p *editedPage) judge() (*judged, error) {
	j := &judged{first: p.First, renamed: revised}
	j.score.Page, j.score.Entries = p.Name, len(p.First)
	var memory watcher
	was := ""
	for i := range p.Versions {
		v := &p.Versions[i]
		page := &watch.Page{URL: "http://" + strings.NewReplacer("/", "-", "_", "-").Replace(p.Name) + ".test/list.html", Layout: &v.Layout, Blocks: v.Blocks}
		if before := was; i > 0 {
			page.Before = func() (string, error) { return before, nil }
		}
		was = watch.Text(v.Blocks)
		r, err := memory.look(page)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.Name, err)
		}
		if i == 0 {
			j.finds(r)
			continue
		}
		j.added = v.Added
		j.score.Inserted += len(v.Added)
		j.tells(r, v.Edit)
	}
	return j, nil
}

// printPages prints the sums of each kind of page.
func printPages(o *options, subjects []*subject, scores []*judged) error {
	type line struct {
		Kind                         string
		Pages, Found, Inserted, Told int
		Parts, False, FalsePages     int
	}
	sums := map[string]*line{}
	var kinds []string
	all := []listScore{}
	for i, j := range scores {
		if j == nil {
			continue
		}
		all = append(all, j.score)
		for _, kind := range []string{subjects[i].kind, "~all"} {
			s := sums[kind]
			if s == nil {
				s = &line{Kind: kind}
				sums[kind] = s
				kinds = append(kinds, kind)
			}
			s.Pages, s.Inserted, s.Told, s.False = s.Pages+1, s.Inserted+j.score.Inserted, s.Told+j.score.Told, s.False+j.score.False
			s.Parts += j.score.Parts
			if j.score.Found {
				s.Found++
			}
			if j.score.False > 0 {
				s.FalsePages++
			}
		}
	}
	if o.json {
		return printJSON(all)
	}
	slices.Sort(kinds)
	fmt.Printf("%-20s %6s %6s %6s %9s %6s %6s %6s %6s %9s\n", "kind", "pages", "found", "share", "inserted", "told", "share", "parts", "false", "on pages")
	for _, k := range kinds {
		s := sums[k]
		fmt.Printf("%-20s %6d %6d %6.3f %9d %6d %6.3f %6d %6d %9d\n", strings.TrimPrefix(s.Kind, "~"), s.Pages, s.Found, float64(s.Found)/float64(s.Pages),
			s.Inserted, s.Told, float64(s.Told)/float64(max(1, s.Inserted)), s.Parts, s.False, s.FalsePages)
	}
	return nil
}

// subjects returns the pages of the data.
func (o *options) subjects() (out []*subject, err error) {
	kept := filepath.Join(".work", "eval", o.split)
	marked, err := content.Read(filepath.Join(o.data, "content"))
	if err != nil {
		return nil, err
	}
	for _, p := range marked {
		if p.Text == nil {
			continue
		}
		kind := p.Kind
		if kind == "" {
			kind = p.Source
		}
		out = append(out, &subject{kind, p.ID, p.Site, func() (*plat.Snapshot, func(int32) (float64, float64), error) {
			s, err := p.Snapshot(filepath.Join(kept, "content"))
			if errors.Is(err, fs.ErrNotExist) {
				return nil, nil, nil // it does not render without its host
			}
			if err != nil {
				return nil, nil, err
			}
			return s, markedWords(p, s), nil
		}})
	}
	regions, err := landmarks.Read(filepath.Join(o.data, "landmarks"))
	if err != nil {
		return nil, err
	}
	for _, p := range regions {
		out = append(out, &subject{"landmarks", p.ID, p.Design, func() (*plat.Snapshot, func(int32) (float64, float64), error) {
			s, err := p.Snapshot(filepath.Join(kept, "landmarks"), landmarks.Variants[0])
			if err != nil {
				return nil, nil, err
			}
			_, outer, err := p.On(s)
			return s, wordsIn(s, func(nr int32) bool { return outer[nr] >= 0 && p.Regions[outer[nr]].Type == "main" }), err
		}})
	}
	docs, err := documents.Read()
	if err != nil {
		return nil, err
	}
	for _, p := range docs {
		out = append(out, &subject{"documents", p.File, p.Package, func() (*plat.Snapshot, func(int32) (float64, float64), error) {
			s, err := p.Snapshot(filepath.Join(kept, "documents"))
			if err != nil {
				return nil, nil, err
			}
			in, _ := p.Main(s)
			return s, wordsIn(s, func(nr int32) bool { return in.First <= nr && nr < in.End }), nil
		}})
	}
	return out, nil
}

// wordsIn counts the words of text nodes; in reports whether they are main text.
func wordsIn(s *plat.Snapshot, in func(nr int32) bool) func(nr int32) (main, all float64) {
	return func(nr int32) (main, all float64) {
		if nr < 0 || s.Nodes[nr].Kind != plat.TextNode {
			return 0, 0
		}
		if all = float64(len(strings.Fields(s.Nodes[nr].Value))); in(nr) {
			main = all
		}
		return main, all
	}
}

// markedWords counts the words of text nodes by the marks of a page.
func markedWords(p *content.Page, s *plat.Snapshot) func(nr int32) (main, all float64) {
	shown := make([]bool, len(s.Nodes))
	for i := range s.Lines {
		shown[s.Lines[i].Node] = true
	}
	of, _ := p.On(s, func(nr int32) bool { return shown[nr] })
	return func(nr int32) (main, all float64) {
		if nr < 0 || int(nr) >= len(of) {
			return 0, 0
		}
		for class, n := range of[nr] {
			all += float64(n)
			if class == content.Main || class == content.Title || class == content.Inside {
				main += float64(n)
			}
		}
		return main, all
	}
}
