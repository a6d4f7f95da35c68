//go:build !race

// With a browser, one visit follows another: the race detector has nothing to find here, and need not
// build the browser.

package workers_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"plat/browser/revalidate"
	"plat/plat"
)

func TestInertPageIsSkippedByValidators(t *testing.T) {
	old := "Last-Modified: " + time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat)
	for name, header := range map[string]string{"ETag": `ETag: "one"`, "weak ETag": `ETag: W/"one"`, "Last-Modified": old} {
		t.Run(name, func(t *testing.T) {
			s := newSkipper(t)
			s.looks()
			s.site.put("/", words, header)
			s.expect("nothing changes", "new", "skipped", "skipped", "skipped")
			s.site.mu.Lock()
			last := s.site.asked["/"][3]
			s.site.mu.Unlock()
			if last.Get("If-None-Match") == "" && last.Get("If-Modified-Since") == "" {
				t.Errorf("the last request was not conditional: %v", last)
			}
			s.site.put("/", words+"<p>News.</p>", strings.Replace(strings.Replace(header, "one", "two", 1), old, "Last-Modified: "+time.Now().Add(-2*time.Minute).UTC().Format(http.TimeFormat), 1))
			s.expect("the page changes", "changed", "skipped")
			n := 0
			for v, err := range s.store.Visits(t.Context(), s.site.URL+"/", 0) {
				if err != nil {
					t.Fatal(err)
				}
				if v.Skipped {
					n++
				}
			}
			if n != 4 {
				t.Errorf("%d visits are recorded as skipped; want 4", n)
			}
		})
	}
}

func TestInertPageIsSkippedByBodyHash(t *testing.T) {
	slow(t)
	s := newSkipper(t)
	s.looks()
	s.site.put("/", words, "Cache-Control: no-store")
	s.expect("nothing changes", "new", "unchanged", "skipped", "skipped")
	s.site.put("/", strings.Replace(words, "More", "Other", 1), "Cache-Control: no-store")
	s.expect("the page changes", "changed", "skipped")
}

func TestNoncesAreIgnoredOnceProvenIrrelevant(t *testing.T) {
	slow(t)
	s := newSkipper(t)
	s.looks()
	n := 0
	page := words
	s.site.on("/", func(w http.ResponseWriter, r *http.Request) {
		n++
		nonce := plat.HashOf(fmt.Append(nil, n)).String()[:24]
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Content-Security-Policy", "style-src 'self' 'nonce-"+nonce+"'")
		fmt.Fprintf(w, "%s<style nonce=%q>h1 { color: red }</style>", page, nonce)
	})
	s.expect("nothing but a nonce changes", "new", "unchanged", "unchanged", "unchanged", "unchanged", "unchanged", "skipped", "skipped")
	page += "<p>News.</p>"
	s.expect("words change too", "changed")
}

func TestRelevantTokensAreNeverMasked(t *testing.T) {
	slow(t)
	s := newSkipper(t)
	n := 0
	s.site.on("/", func(w http.ResponseWriter, r *http.Request) {
		n++
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<!doctype html><p>Words</p><form><input type=hidden name=csrf value=%.40s></form>`, plat.HashOf(fmt.Append(nil, n)))
	})
	s.never("a token of a form", 10)
}

func TestSubresourcesAreRevalidated(t *testing.T) {
	s := newSkipper(t)
	s.looks()
	s.site.tag("/", words)
	s.expect("nothing changes", "new", "skipped")
	s.site.tag("/a.css", ".late { display: none }")
	s.expect("the style sheet hides something", "changed", "skipped")
	s.site.tag("/a.svg", `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><path/></svg>`)
	s.expect("the image is another one", "unchanged", "skipped")
	s.site.on("/a.svg", nil)
	s.expect("the image is gone", "unchanged", "skipped")
	s.looks()
	s.expect("the image returns", "changed", "skipped")
}

func TestPageWithScriptsIsSkippedOnceProven(t *testing.T) {
	slow(t)
	s := newSkipper(t)
	s.looks()
	s.site.tag("/", words+`<script src=/a.js></script>`)
	s.site.tag("/a.js", `document.querySelector('h1').textContent += ' by script'`)
	s.expect("nothing changes", "new", "unchanged", "unchanged", "unchanged", "skipped", "skipped")
	if st := s.state(); !st.Proven || st.Streak != revalidate.Streak {
		t.Errorf("the state is %s", brief(st))
	}
	s.site.tag("/a.js", `document.querySelector('h1').textContent += ' by another script'`)
	s.expect("the script changes", "changed", "unchanged", "unchanged", "unchanged", "skipped")
	s.site.tag("/", words+`<p>News.</p><script src=/a.js></script>`)
	s.expect("the words change, and not the script", "changed", "unchanged", "skipped")
}

func TestSelfRemovingScriptCounts(t *testing.T) {
	slow(t)
	s := newSkipper(t)
	s.site.tag("/", `<!doctype html><p>Words</p><script>document.querySelector('p').textContent += new Date().getFullYear(); document.currentScript.remove()</script>`)
	s.never("the DOM has no script", 8)
	if st := s.state(); st.Ended != revalidate.Unproven {
		t.Errorf("the state is %s", brief(st))
	}
}

func TestPagesDependingOnClockOrChanceAreNeverSkipped(t *testing.T) {
	slow(t)
	for name, script := range map[string]string{
		"the time":         `p.textContent = Date.now()`,
		"the day":          `p.textContent = new Date().toDateString()`,
		"the weekday":      `p.textContent = [0, 6].includes(new Date().getDay()) ? 'weekend' : 'working day'`,
		"the half of day":  `p.textContent = new Date().getHours() < 12 ? 'Good morning' : 'Good afternoon'`,
		"the year, Intl":   `p.textContent = new Intl.DateTimeFormat('en', {year: 'numeric'}).format()`,
		"how long ago":     `p.textContent = Math.floor((Date.now() - 17e11) / 864e5) + ' days ago'`,
		"chance":           `p.textContent = Math.random()`,
		"chance, crypto":   `p.textContent = crypto.getRandomValues(new Uint32Array(1))[0]`,
		"rarely by chance": `p.textContent = Math.random() < 1e-9 ? 'a' : 'b'; p.id = crypto.randomUUID()`,
		"clock in a URL":   `fetch('/data.json?day=' + new Date().toISOString().slice(0, 10))`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSkipper(t)
			s.site.tag("/data.json", `{}`)
			s.site.tag("/", `<!doctype html><h1>Heading</h1><p>Words</p><script>const p = document.querySelector('p'); `+script+`</script>`)
			s.never(name, 6) // a page that is proven is skipped at the fifth
		})
	}
}

func TestFetchedDataIsRevalidated(t *testing.T) {
	slow(t)
	for name, put := range map[string]func(s *site, path, body string){
		"with validators": func(s *site, path, body string) { s.tag(path, body) },
		"without":         func(s *site, path, body string) { s.put(path, body) },
	} {
		t.Run(name, func(t *testing.T) {
			s := newSkipper(t)
			s.site.tag("/", `<!doctype html><p>Words</p><script>fetch('/data.json').then((r) => r.json()).then((d) => { document.querySelector('p').textContent = d.words })</script>`)
			put(s.site, "/data.json", `{"words": "some"}`)
			skipped := false
			for range 8 {
				skipped = s.visit() == "skipped" || skipped
			}
			if !skipped {
				t.Errorf("no visit was skipped: %s", brief(s.state()))
			}
			put(s.site, "/data.json", `{"words": "others"}`)
			s.expect("the data changes", "changed")
		})
	}
}

func TestCachedResponsesAreNotTreatedAsCurrent(t *testing.T) {
	slow(t)
	s := newSkipper(t)
	s.site.tag("/", `<!doctype html><p>Words</p><script>fetch('/data.json').then((r) => r.json()).then((d) => { document.querySelector('p').textContent = d.words })</script>`)
	s.site.put("/data.json", `{"words": "some"}`, "Cache-Control: max-age=3")
	s.never("learning", 4)
	s.site.put("/data.json", `{"words": "others"}`, "Cache-Control: max-age=3")
	for end := time.Now().Add(20 * time.Second); ; {
		got := s.visit()
		if got == "changed" {
			break
		}
		if got == "skipped" || time.Now().After(end) {
			t.Fatalf("before the change is found, a visit is %s (%s)", got, brief(s.state()))
		}
	}
}

func TestLivePagesAreNeverSkipped(t *testing.T) {
	if testing.Short() {
		t.Skip("long: live pages are rendered to the end of their time")
	}
	for name, script := range map[string]string{
		"WebSocket":    `new WebSocket('ws://' + location.host + '/socket')`,
		"event stream": `new EventSource('/events')`,
		"poll":         `const ask = () => fetch('/data.json', {cache: 'no-store'}); ask().then(ask)`,
		"worker":       `new Worker('/a.js')`,
		"POST":         `fetch('/data.json', {method: 'POST', body: 'x'})`,
		"frame":        `document.body.append(Object.assign(document.createElement('iframe'), {src: '/a.svg'}))`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // it is waiting, most of all
			s := newSkipper(t)
			s.looks()
			s.site.tag("/data.json", `{}`)
			s.site.tag("/a.js", ``)
			s.site.on("/events", func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				fmt.Fprint(w, "data: x\n\n")
			})
			s.site.tag("/", `<!doctype html><p>Words</p><script>`+script+`</script>`)
			s.never(name, 4)
			s.site.mu.Lock()
			defer s.site.mu.Unlock()
			if s.site.checks > 1 {
				t.Errorf("the site was asked %d times although the page can never be skipped", s.site.checks)
			}
		})
	}
}

func TestChangedRedirectIsAChange(t *testing.T) {
	s := newSkipper(t)
	s.looks()
	s.path = "/start"
	to := "/one"
	s.site.on("/start", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusFound) })
	s.site.tag("/one", words)
	s.site.tag("/two", words+"<p>Two.</p>")
	s.expect("nothing changes", "new", "skipped", "skipped")
	to = "/two"
	s.expect("it leads elsewhere", "changed", "skipped")
	s.site.tag("/three", words+"<p>Two.</p>")
	to = "/three"
	s.expect("it leads to a copy", "unchanged", "skipped")
}

func TestFailuresOfSkippablePages(t *testing.T) {
	s := newSkipper(t)
	s.looks()
	s.site.tag("/", words)
	s.expect("nothing changes", "new", "skipped")
	for _, tc := range []struct {
		status int
		want   plat.Outcome
	}{{404, plat.OutcomeGone}, {500, plat.OutcomeHTTPError}, {429, plat.OutcomeHTTPError}, {403, plat.OutcomeHTTPError}} {
		s.site.on("/", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("ETag", fmt.Sprintf(`"%.16s"`, plat.HashOf([]byte(words))))
			w.WriteHeader(tc.status)
		})
		s.expect(fmt.Sprint("the server says ", tc.status), string(tc.want))
		s.site.tag("/", words)
		s.expect("the page is available again", "skipped")
	}
}

func TestContradictionDisablesSkipping(t *testing.T) {
	s := newSkipper(t)
	s.looks()
	answer := words
	s.site.on("/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("ETag", `"always the same"`)
		fmt.Fprint(w, answer)
	})
	s.expect("nothing changes", "new", "skipped", "skipped")
	answer = words + "<p>News.</p>"
	s.expect("the validator is wrong", "skipped")
	s.chance = 0
	s.expect("a random rendering detects it", "changed")
	s.chance = 0.5
	if st := s.state(); st.Ended != revalidate.Contradicted {
		t.Errorf("the state is %s", brief(st))
	}
	s.never("it was contradicted", 4)
}

func TestEveryTwentiethVisitIsRendered(t *testing.T) {
	slow(t)
	s := newSkipper(t)
	s.looks()
	s.site.tag("/", words)
	want := []string{"new"}
	for range 2 {
		want = append(append(want, slices.Repeat([]string{"skipped"}, revalidate.Every-1)...), "unchanged")
	}
	s.expect("nothing changes", want...)
}

func TestSkippingAfterNewSettingsOrARestart(t *testing.T) {
	s := newSkipper(t)
	s.looks()
	s.site.tag("/", words)
	s.expect("nothing changes", "new", "skipped")
	s.setup = "another browser"
	s.expect("another browser renders", "unchanged", "skipped")
	s.setup = ""
	s.expect("the setup is unknown", "unchanged")
	s.setup = "another browser"
	s.restart(thePool(t))
	s.expect("after a restart", "skipped")
	time.Sleep(2 * time.Millisecond) // not in the millisecond of the last visit, nor of the next
	v := plat.Visit{URL: s.site.URL + "/", Time: time.Now().UTC(), Outcome: plat.OutcomeGone, Memory: "unreadable"}
	time.Sleep(2 * time.Millisecond)
	if err := s.store.Record(t.Context(), v, 0); err != nil {
		t.Fatal(err)
	}
	s.expect("the memory cannot be read", "unchanged", "skipped")
}

func TestCheckerSendsTheBrowsersHeaders(t *testing.T) {
	s := newSkipper(t)
	s.looks()
	s.site.put("/", words)
	s.expect("the body is compared", "new", "unchanged")
	s.site.mu.Lock()
	defer s.site.mu.Unlock()
	for _, path := range slices.Sorted(maps.Keys(s.site.asked)) {
		var theirs, ours http.Header
		for _, h := range s.site.asked[path] {
			if h.Get("Sec-Fetch-Mode") != "" {
				theirs = h
			} else {
				ours = h
			}
		}
		if theirs == nil || ours == nil {
			continue
		}
		// Image formats change with Chrome's version; compare only the general type.
		if a, b := ours.Get("Accept"), theirs.Get("Accept"); !strings.HasPrefix(a, b[:strings.IndexAny(b, "/*")]) {
			t.Errorf("%s: Accept is %q, the browser's %q", path, a, b)
		}
		for _, name := range []string{"User-Agent", "Accept-Language", "Referer", "Cookie"} {
			if ours.Get(name) != theirs.Get(name) {
				t.Errorf("%s: %s is %q, the browser's %q", path, name, ours.Get(name), theirs.Get(name))
			}
		}
	}
}
