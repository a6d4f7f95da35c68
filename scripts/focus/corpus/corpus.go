// Package corpus reads a stored corpus of pages with links between them, for experiments with
// focused crawling: pages.tar.zst, pages.jsonl.zst, links.tsv.zst, topics-dev.json and, if there
// are any, far-seeds.json.
package corpus

import (
	"archive/tar"
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// Corpus is a set of pages, in memory.
type Corpus struct {
	Name   string // of its folder
	Pages  []Page
	Links  [][]int32 // of each page, to pages. To draw seeds and to score alone: a crawl must not see them
	Topics []Topic
	Far    []string // seeds where nothing is relevant
	byKey  map[string]int32
}

// Page is a page as crawled.
type Page struct {
	ID    int32          `json:"id"`
	URL   string         `json:"url"`
	Type  string         `json:"ctype"` // Content-Type
	File  string         `json:"file"`
	Truth map[string]any `json:"truth"` // by topic; see Grade. For scoring alone: a crawl must not see it
	Text  int            `json:"text"`
	Body  []byte         `json:"-"`
}

// Topic is the topic of a crawl.
type Topic struct {
	ID   string   `json:"id"`
	Text string   `json:"text"`
	Near []string `json:"near_seeds"`
}

// Grades of pages.
const (
	Unjudged   = -1
	Irrelevant = 0
	Relevant   = 1
	Strong     = 2
)

// Grade returns how relevant a page is to a topic.
func (p *Page) Grade(topic string) int {
	switch g := p.Truth[topic].(type) {
	case float64:
		return int(g)
	case string:
		return Unjudged
	case []any, bool:
		return Relevant
	}
	return Irrelevant
}

// Load reads a corpus from its folder.
func Load(dir string) (*Corpus, error) {
	c := &Corpus{Name: filepath.Base(dir), byKey: map[string]int32{}}
	if err := c.loadPages(filepath.Join(dir, "pages.jsonl.zst")); err != nil {
		return nil, err
	}
	if err := c.loadBodies(filepath.Join(dir, "pages.tar.zst")); err != nil {
		return nil, err
	}
	if err := c.loadLinks(filepath.Join(dir, "links.tsv.zst")); err != nil {
		return nil, err
	}
	if err := readJSON(filepath.Join(dir, "topics-dev.json"), &c.Topics); err != nil {
		return nil, err
	}
	var far struct {
		Seeds []string `json:"far_seeds"`
	}
	if err := readJSON(filepath.Join(dir, "far-seeds.json"), &far); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	c.Far = far.Seeds
	return c, nil
}

func readJSON(path string, to any) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, to)
}

func open(path string) (io.Reader, func(), error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	z, err := zstd.NewReader(f, zstd.WithDecoderMaxWindow(1<<28))
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return z, func() { z.Close(); f.Close() }, nil
}

func (c *Corpus) loadPages(path string) error {
	r, done, err := open(path)
	if err != nil {
		return err
	}
	defer done()
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var p Page
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if int(p.ID) != len(c.Pages) {
			return fmt.Errorf("%s: page %d at place %d", path, p.ID, len(c.Pages))
		}
		if key, ok := Key(p.URL); ok { // URLs of FTP and the like cannot be requested
			c.byKey[key] = p.ID
		}
		c.Pages = append(c.Pages, p)
	}
	return lines.Err()
}

func (c *Corpus) loadLinks(path string) error {
	r, done, err := open(path)
	if err != nil {
		return err
	}
	defer done()
	c.Links = make([][]int32, len(c.Pages))
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		a, b, _ := strings.Cut(lines.Text(), "\t")
		from, err1 := strconv.Atoi(a)
		to, err2 := strconv.Atoi(b)
		if err1 != nil || err2 != nil || min(from, to) < 0 || max(from, to) >= len(c.Pages) {
			return fmt.Errorf("%s: line %q", path, lines.Text())
		}
		c.Links[from] = append(c.Links[from], int32(to))
	}
	return lines.Err()
}

// Reach returns which pages can be reached from some, those included.
func (c *Corpus) Reach(from []int32) []bool {
	seen := make([]bool, len(c.Pages))
	from = append([]int32(nil), from...)
	for len(from) > 0 {
		id := from[len(from)-1]
		from = from[:len(from)-1]
		if !seen[id] {
			seen[id] = true
			from = append(from, c.Links[id]...)
		}
	}
	return seen
}

func (c *Corpus) loadBodies(path string) error {
	r, done, err := open(path)
	if err != nil {
		return err
	}
	defer done()
	byFile := map[string]int{}
	for i := range c.Pages {
		byFile[c.Pages[i].File] = i
	}
	t := tar.NewReader(r)
	for {
		h, err := t.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		i, ok := byFile[strings.TrimPrefix(h.Name, "./")]
		if !ok {
			continue
		}
		if c.Pages[i].Body, err = io.ReadAll(t); err != nil {
			return err
		}
	}
}

// Find returns the page of a URL; -1 if absent.
func (c *Corpus) Find(u string) int32 {
	key, ok := Key(u)
	if !ok {
		return -1
	}
	for _, k := range variants(key) {
		if i, ok := c.byKey[k]; ok {
			return i
		}
	}
	return -1
}

// Key returns the URL without scheme, default port and fragment, its path
// normalised: URLs with the same key are one page.
func Key(u string) (string, bool) {
	p, err := url.Parse(u)
	if err != nil || p.Host == "" || p.Scheme != "http" && p.Scheme != "https" {
		return "", false
	}
	host := strings.ToLower(p.Host)
	host = strings.TrimSuffix(strings.TrimSuffix(host, ":80"), ":443")
	path := (&url.URL{Path: p.Path}).EscapedPath()
	if path == "" {
		path = "/"
	}
	trail := strings.HasSuffix(path, "/..") || strings.HasSuffix(path, "/.")
	var kept []string
	for _, s := range strings.Split(path, "/")[1:] {
		switch s {
		case ".":
		case "..":
			kept = kept[:max(0, len(kept)-1)]
		default:
			kept = append(kept, s)
		}
	}
	if trail {
		kept = append(kept, "")
	}
	key := host + "/" + strings.Join(kept, "/")
	if p.RawQuery != "" {
		key += "?" + p.RawQuery
	}
	return key, true
}

var indexes = []string{"index.html", "index.htm", "index.php", "index.shtml", "home.html", "Index.html", "default.htm"}

// variants are the keys under which a server may have the same page.
func variants(key string) []string {
	all := []string{key}
	if strings.Contains(key, "?") {
		return all
	}
	if dir, ok := strings.CutSuffix(key, "/"); ok {
		all = append(all, dir)
		for _, i := range indexes {
			all = append(all, key+i)
		}
		return all
	}
	all = append(all, key+"/")
	at := strings.LastIndexByte(key, '/')
	switch strings.ToLower(key[at+1:]) {
	case "index.html", "index.htm", "index.php", "index.shtml", "default.htm":
		all = append(all, key[:at+1])
	}
	return all
}
