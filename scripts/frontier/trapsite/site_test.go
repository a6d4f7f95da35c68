package trapsite

import (
	"fmt"
	"html"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"plat/fixtures"
)

var hrefs = regexp.MustCompile(`<a href="([^"]*)"`)

// get returns a document, after redirects, and the absolute addresses it links to.
func get(t *testing.T, s *Site, address string) (body string, links []string) {
	t.Helper()
	for range 3 {
		w := httptest.NewRecorder()
		r := httptest.NewRequest("GET", "http://site.test"+address, nil)
		s.ServeHTTP(w, r)
		if to := w.Header().Get("Location"); to != "" {
			address = to
			continue
		}
		if w.Code != 200 {
			t.Fatalf("%s: status %d", address, w.Code)
		}
		for _, m := range hrefs.FindAllStringSubmatch(w.Body.String(), -1) {
			u, err := r.URL.Parse(html.UnescapeString(m[1]))
			if err != nil {
				t.Fatalf("%s links to %s: %v", address, m[1], err)
			}
			links = append(links, u.RequestURI())
		}
		return w.Body.String(), links
	}
	t.Fatalf("%s: too many redirects", address)
	return "", nil
}

// real reports whether an address is that of a list or page.
func (s *Site) real(address string) bool {
	u, _ := url.Parse(address)
	if strings.Contains(address, s.names.session+"=") {
		return false
	}
	_, isList := s.lists[address]
	_, isPage := s.find(u.EscapedPath(), u.RawQuery)
	return isList || isPage
}

func sites(t *testing.T, test func(t *testing.T, s *Site)) {
	for _, seed := range []uint64{1, 42, 2, 3}[:4/fixtures.OneIn(2)] {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { test(t, New(2000, seed)) })
	}
}

func TestEveryPageIsReachableWithoutATrapAndLinkedByAllAddresses(t *testing.T) {
	sites(t, func(t *testing.T, s *Site) {
		todo, known := []string{"/"}, map[string]bool{"/": true}
		for len(todo) > 0 {
			_, links := get(t, s, todo[0])
			todo = todo[1:]
			for _, l := range links {
				if !known[l] && s.real(l) {
					known[l] = true
					todo = append(todo, l)
				}
			}
		}
		c := s.Count()
		if c.Pages != 2000 {
			t.Errorf("%d pages are reachable", c.Pages)
		}
		for name, n := range c.Traps {
			t.Errorf("%d documents of the trap %s", n, name)
		}
		for i := range s.Pages {
			for _, a := range s.Pages[i].Addresses {
				if !known[a] {
					t.Fatalf("nothing links to %s of page %d (%s)", a, i, s.Pages[i].Kind)
				}
			}
		}
		if want := 3*2000 + s.Lists(); len(known) != want {
			t.Errorf("%d addresses are linked, want %d", len(known), want)
		}
		if s.Lists() > 60 {
			t.Errorf("%d lists are many", s.Lists())
		}
	})
}

func TestThreeDifferentAddressesShowTheSamePage(t *testing.T) {
	sites(t, func(t *testing.T, s *Site) {
		kinds := map[Kind]int{}
		for i := range s.Pages {
			p := &s.Pages[i]
			kinds[p.Kind]++
			var bodies []string
			for k, a := range p.Addresses {
				for _, b := range p.Addresses[:k] {
					if a == b {
						t.Fatalf("page %d has the address %s twice", i, a)
					}
				}
				s.ticks.Store(int64(k) * 1000)
				body, _ := get(t, s, a)
				if n := s.MarkerIn(body); n != i {
					t.Fatalf("%s shows page %d, want %d", a, n, i)
				}
				bodies = append(bodies, body)
			}
			switch same := bodies[0] == bodies[1] && bodies[1] == bodies[2]; {
			case p.Kind == Canonical: // its print view differs
			case same == p.Volatile:
				t.Fatalf("page %d (%s): volatile %v, equal documents %v", i, p.Kind, p.Volatile, same)
			}
			aside := regexp.MustCompile(`<aside>.*?</aside>`)
			if p.Kind != Canonical && aside.ReplaceAllString(bodies[0], "") != aside.ReplaceAllString(bodies[1], "") {
				t.Fatalf("page %d differs in more than its asides", i)
			}
		}
		for _, k := range Kinds {
			if kinds[k] < 40 {
				t.Errorf("%d pages of kind %s", kinds[k], k)
			}
		}
	})
}

func TestTextsOfPagesAreTheirOwn(t *testing.T) {
	sites(t, func(t *testing.T, s *Site) {
		texts := map[string]int{}
		styles := map[Style]int{}
		for i := range s.Pages {
			text := s.text(&s.Pages[i])
			if other, is := texts[text]; is {
				t.Fatalf("pages %d and %d have the same text", i, other)
			}
			texts[text] = i
			styles[s.Pages[i].Style]++
		}
		if styles[Short] < 100 || styles[Numbers] < 100 {
			t.Errorf("styles: %v", styles)
		}
	})
}

// Two million requests are too many for a test; a trap does not end if it has unvisited URLs after
// 300 documents, and begins on real pages.
func TestTrapsDoNotEnd(t *testing.T) {
	sites(t, func(t *testing.T, s *Site) {
		entries := map[string]string{}
		for i := range s.Pages {
			_, links := get(t, s, s.Pages[i].Addresses[0])
			for _, l := range links {
				if u, _ := url.Parse(l); !s.real(l) {
					name, _ := s.trapOf(u.EscapedPath())
					entries[name] = l
				}
			}
		}
		for _, name := range Traps() {
			if entries[name] == "" {
				t.Errorf("no page leads into %s", name)
				continue
			}
			todo, known := []string{entries[name]}, map[string]bool{entries[name]: true}
			for n := 0; n < 300 && len(todo) > 0; n++ {
				_, links := get(t, s, todo[0])
				todo = todo[1:]
				for _, l := range links {
					u, _ := url.Parse(l)
					at, _ := s.trapOf(strings.Split(u.EscapedPath(), ";")[0])
					if in := at == name || name == "session" && strings.Contains(l, s.names.session); in && !known[l] {
						known[l] = true
						todo = append(todo, l)
					}
				}
			}
			if len(todo) < 50 {
				t.Errorf("%s has %d addresses left after 300", name, len(todo))
			}
		}
	})
}

func TestEveryTrapIsCountedAsItself(t *testing.T) {
	sites(t, func(t *testing.T, s *Site) {
		for name, first := range map[string]string{"calendar": s.names.calendar, "session": s.names.forum, "facets": s.names.shop, "repeat": s.names.wiki, "loop": s.names.help, "notfound": "nothing"} {
			s.Forget()
			_, links := get(t, s, "/"+first+"/")
			if n := s.Count().Traps[name]; n != 1 {
				t.Errorf("/%s/ counts %d times as %s", first, n, name)
			}
			if name == "session" && !slices.ContainsFunc(links, func(l string) bool { return strings.Contains(l, s.names.session+"=") }) {
				t.Error("links of the forum have no session id")
			}
		}
	})
}

func TestNeighbouringSeedsShareNoNames(t *testing.T) {
	a, b := New(10, 1).names, New(10, 2).names
	for _, pair := range [][2]string{{a.calendar, b.calendar}, {a.forum, b.forum}, {a.shop, b.shop}, {a.wiki, b.wiki}, {a.help, b.help}, {a.session, b.session},
		{a.sort, b.sort}, {a.track, b.track}, {a.print, b.print}, {a.mirror, b.mirror}, {a.language, b.language}, {a.redirect, b.redirect}, {a.id, b.id}, {a.page, b.page}} {
		if pair[0] == pair[1] {
			t.Errorf("both have %q", pair[0])
		}
	}
}
