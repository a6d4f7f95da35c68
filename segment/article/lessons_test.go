package article

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	contents "plat/fixtures/content"
	"plat/fixtures/documents"
	"plat/fixtures/landmarks"
	truths "plat/fixtures/truth"
	"plat/plat"
	"plat/segment/classifier/fit"
)

// lesson is a page with marks.
type lesson struct {
	set, source, site, name string

	page  *contents.Page // of the set content
	gold  []string       // words of its text
	found *finding
	units []unit
}

// unit is a passage of a page with marks.
type unit struct {
	fit.Example
	main, rest  int // words
	said        []string
	seen        bool
	first, last int32
	p           float64 // what a model says that has not seen the page
}

// markOf returns the words of a text node that are main text, and the others that are known to be none.
type markOf func(node int32) (main, rest int)

// learn reads a page.
func (l *lesson) learn(s *plat.Snapshot, of func(used func(int32) bool) (markOf, error)) error {
	l.found = find(s)
	v := l.found.view()
	m, err := of(func(n int32) bool { return v.at[n].text && v.at[n].seen })
	if err != nil {
		return err
	}
	total := 0
	for i := range v.all {
		q := &v.all[i]
		u := unit{seen: q.seen, first: q.first, last: q.last}
		if q.seen {
			u.X = make([]float32, len(observations))
			v.observe(i, u.X)
			for n := q.first; n <= q.last; n++ {
				if s.Nodes[n].Kind == plat.TextNode {
					main, rest := m(n)
					u.main, u.rest = u.main+main, u.rest+rest
				}
			}
			total += u.main + u.rest
			if l.page != nil {
				u.said = contents.Split(q.text)
			}
		}
		l.units = append(l.units, u)
	}
	for i := range l.units {
		u := &l.units[i]
		weight := func(words int) float32 {
			return float32(40 * weightOfSet[l.set] * math.Pow(float64(words)/float64(max(1, total)), textPower))
		}
		u.Y, u.NotFirst = []float32{weight(u.main)}, weight(u.rest)
	}
	return nil
}

// contentLessons are pages of many sites, whose text is marked.
func contentLessons(t *testing.T, do func(func() (*lesson, error))) {
	all, err := contents.Read(filepath.Join(*fitData, "content"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		if p.Text == nil {
			continue
		}
		do(func() (*lesson, error) {
			s, err := p.Snapshot(filepath.Join(*fitSnaps, "content"))
			if err != nil {
				return nil, nil // it does not render without its host
			}
			l := &lesson{set: "content", source: p.Source, site: cmp.Or(p.Site, p.ID), name: p.ID, page: p, gold: contents.Split(*p.Text)}
			return l, l.learn(s, func(used func(int32) bool) (markOf, error) {
				of, aligned := p.On(s, used)
				if aligned < .5 {
					return nil, fmt.Errorf("%s: %.2f of its words are on the page", p.ID, aligned)
				}
				return func(n int32) (int, int) {
					w := of[n]
					return w[contents.Main], w[contents.Noise] + w[contents.Copy] + w[contents.Title] + w[contents.Inside] + w[contents.Comment]
				}, nil
			})
		})
	}
}

// articleLessons are pages of articles, whose texts are marked. All other words are none of them.
func articleLessons(t *testing.T, do func(func() (*lesson, error))) {
	raw, err := os.ReadFile(filepath.Join(*fitData, "maincontent", "dev", "truth.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all struct{ Pages map[string]truth }
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	for name, p := range all.Pages {
		if p.Text == nil {
			continue
		}
		do(func() (*lesson, error) {
			s, err := truths.ReadSnapshot(filepath.Join(*fitSnaps, "maincontent"), name)
			if err != nil {
				return nil, err
			}
			page := &contents.Page{ID: name, Source: "maincontent", Blocks: []contents.Marked{{Class: contents.Main, Text: *p.Text}}}
			l := &lesson{set: "maincontent", source: "maincontent", site: name, name: name, page: page, gold: contents.Split(*p.Text)}
			return l, l.learn(s, func(used func(int32) bool) (markOf, error) {
				of, _ := page.On(s, used)
				return func(n int32) (int, int) {
					main := of[n][contents.Main]
					return main, len(contents.Split(s.Nodes[n].Value)) - main
				}, nil
			})
		})
	}
}

// landmarkLessons are pages of many designs, whose regions are marked.
func landmarkLessons(t *testing.T, do func(func() (*lesson, error))) {
	all, err := landmarks.Read(filepath.Join(*fitData, "landmarks"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		for _, variant := range landmarks.Variants {
			do(func() (*lesson, error) {
				s, err := p.Snapshot(filepath.Join(*fitSnaps, "landmarks"), variant)
				if err != nil {
					return nil, err
				}
				inner, _, err := p.On(s)
				if err != nil {
					return nil, err
				}
				l := &lesson{set: "landmarks", source: "landmarks", site: p.Design, name: variant + "/" + p.ID}
				return l, l.learn(s, func(func(int32) bool) (markOf, error) {
					return func(n int32) (main, rest int) {
						for r := int(inner[n]); r >= 0; r = p.Regions[r].Parent {
							switch words := len(contents.Split(s.Nodes[n].Value)); p.Regions[r].Type {
							case "main":
								return words, 0
							case "navigation", "banner", "footer", "sidebar":
								return 0, words
							case "comments":
								return 0, 0
							}
						}
						return 0, 0
					}, nil
				})
			})
		}
	}
}

// documentLessons are pages of documentation, whose generators mark the text.
func documentLessons(t *testing.T, do func(func() (*lesson, error))) {
	all, err := documents.Read()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		do(func() (*lesson, error) {
			s, err := p.Snapshot(filepath.Join(*fitSnaps, "documents"))
			if err != nil {
				return nil, err
			}
			span, ok := p.Main(s)
			if !ok {
				return nil, nil
			}
			l := &lesson{set: "documents", source: "documents", site: p.Package, name: p.File}
			return l, l.learn(s, func(func(int32) bool) (markOf, error) {
				return func(n int32) (main, rest int) {
					words := len(contents.Split(s.Nodes[n].Value))
					if n >= span.First && n < span.End {
						return words, 0
					}
					for up := n; up >= 0; up = s.Nodes[up].Parent {
						if s.Nodes[up].Name == "h1" {
							return 0, 0 // the title of the text, above the element
						}
					}
					return 0, words
				}, nil
			})
		})
	}
}

// websegLessons are pages whose blocks are marked by type.
func websegLessons(t *testing.T, do func(func() (*lesson, error))) {
	all, err := truths.Read(filepath.Join(*fitData, "webseg", "dev", "truth.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		if !p.Scored() || !p.Typed() {
			continue
		}
		do(func() (*lesson, error) {
			s, err := p.Snapshot(filepath.Join(*fitSnaps, "webseg"))
			if err != nil {
				return nil, err
			}
			m := p.On(s)
			l := &lesson{set: "webseg", source: "webseg", site: p.Name, name: p.Name}
			return l, l.learn(s, func(func(int32) bool) (markOf, error) {
				return func(n int32) (main, rest int) {
					words := len(contents.Split(s.Nodes[n].Value))
					switch {
					case m.Chars[n] == 0:
					case m.SideOf(n) == -1:
						return words, 0
					case m.SideOf(n) == 1:
						return 0, words
					}
					return 0, 0
				}, nil
			})
		})
	}
}

// lessons reads all pages with marks.
func lessons(t *testing.T) (all []*lesson) {
	todo := make(chan func() (*lesson, error))
	var work sync.WaitGroup
	var mu sync.Mutex
	for range 2 {
		work.Go(func() {
			for read := range todo {
				l, err := read()
				mu.Lock()
				switch {
				case err != nil:
					fmt.Println("left out:", err)
				case l != nil:
					all = append(all, l)
				}
				mu.Unlock()
			}
		})
	}
	do := func(read func() (*lesson, error)) { todo <- read }
	contentLessons(t, do)
	articleLessons(t, do)
	landmarkLessons(t, do)
	documentLessons(t, do)
	websegLessons(t, do)
	close(todo)
	work.Wait()
	slices.SortFunc(all, func(a, b *lesson) int { return cmp.Or(cmp.Compare(a.set, b.set), cmp.Compare(a.name, b.name)) })
	return all
}
