package traps

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"plat/plat"
)

func TestRules(t *testing.T) {
	for url, rule := range map[string]string{
		"http://a.test/":                                   "",
		"http://a.test/2011/11/11/11/11":                   "", // a date
		"http://a.test/a/a/b":                              "",
		"http://a.test/a/a/a/b":                            "",
		"http://a.test/a/a/a/a":                            "repeats",
		"http://a.test/x/a/b/a/b/a/b":                      "repeats",
		"http://a.test/a/b/a/c/a/d/a/e":                    "",
		"http://a.test/a/b/a/c/a/d/a/e/a":                  "repeats",
		"http://a.test/?a=1&a=1":                           "",
		"http://a.test/?a=1&a=1&a=1":                       "repeats",
		"http://a.test/?a=1&a=2&a=3":                       "",
		"http://a.test" + strings.Repeat("/1", 20):         "",
		"http://a.test" + strings.Repeat("/1", 21):         "segments",
		"http://a.test/" + strings.Repeat("a", 2083-14):    "",
		"http://a.test/" + strings.Repeat("a", 2083-14+1):  "length",
		"http://a.test?a=1&a=1&a=1":                        "repeats",
		"http://a.test/docs/std/std/struct.Vec.html?x&x&x": "repeats",
	} {
		err := Rules{}.Refuse(url)
		refused, _ := errors.AsType[*RefusedError](err)
		if got := ""; refused != nil {
			if got = refused.Rule; got != rule {
				t.Errorf("%.60s is refused by %q (%v), want %q", url, got, err, rule)
			}
		} else if rule != "" {
			t.Errorf("%.60s is not refused, want %q", url, rule)
		}
		if err := (Rules{Repeats: -1, Segments: -1, Length: -1}).Refuse(url); err != nil {
			t.Errorf("without limits, %.60s is refused: %v", url, err)
		}
	}
	if err := (Rules{Repeats: 1}).Refuse("http://a.test/a/b/a/b"); err == nil {
		t.Error("a limit of 1 allows two")
	}
}

func TestPatterns(t *testing.T) {
	for url, want := range map[string][levels]string{
		"http://a.test/":                         {"/", "/", "/", "/"},
		"http://a.test/news/2031/05/a-b.html":    {"/news/#/#/*.html", "/news/#/#/*.html", "/news/#/#/*.html", "/news/#/*.html"},
		"http://a.test/a/b/c/d/e/f/g":            {"/a/b/c/d/e/f/*", "/a/b/*/*/*/*/*", "/a/*/*/*/*/*/*", "/a/*"},
		"http://a.test/a/b/c/d/e/g":              {"/a/b/c/d/e/*", "/a/b/*/*/*/*", "/a/*/*/*/*/*", "/a/*"},
		"http://a.test/p;sid=1?b=2&a=3&a=4":      {"/*?a&b&sid", "/*?a&b&sid", "/*?a&b&sid", "/*?*"},
		"http://a.test/cal?month=2031-05":        {"/*?month", "/*?month", "/*?month", "/*?*"},
		"http://a.test/v1/x12y/":                 {"/v#/x#y/", "/v#/x#y/", "/v#/*/", "/v#/*/"},
		"http://a.test/archive.tar.gz/page.1234": {"/archive.tar.gz/*", "/archive.tar.gz/*", "/archive.tar.gz/*", "/archive.tar.gz/*"},
	} {
		if got := patterns(url); got != want {
			t.Errorf("patterns(%s) = %q, want %q", url, got, want)
		}
	}
}

func page(url string, texts ...string) *Page {
	var blocks []plat.Block
	for _, text := range texts {
		blocks = append(blocks, plat.Block{Text: text, Content: []byte(text)})
	}
	return NewPage(url, blocks)
}

func TestAPatternWithoutNewTextIsBarrenUntilAsked(t *testing.T) {
	s := NewSite()
	article := func(n int) *Page {
		return page(fmt.Sprintf("http://a.test/news/%d", n), "The same head", fmt.Sprintf("Words%s of an article that nobody has read before %s", strings.Repeat("x", n), strings.Repeat("y", n)))
	}
	calendar := func(n int) (string, *Page) {
		url := fmt.Sprintf("http://a.test/cal/%d/month", n)
		return url, page(url, "The same head", fmt.Sprintf("May %d\nMon Tue Wed\n1 2 3 4 5\nno events in our town for %d", n, n))
	}
	for n := range 30 {
		if s.Visited(article(n).URL, article(n)); s.Barren("http://a.test/news/99") {
			t.Fatalf("articles are barren after %d", n+1)
		}
	}
	n := 0
	for ; n < 30; n++ {
		url, p := calendar(n)
		if s.Barren(url) {
			break
		}
		s.Visited(url, p)
		if next, _ := calendar(n + 1); !s.Ask(next) {
			t.Fatal("a pattern that does not grow is not visited")
		}
		s.Found(url, []string{url + "/a", url + "/b"})
	}
	if n < minVisits || n > 10 {
		t.Fatalf("a calendar whose first month was new is barren after %d", n)
	}
	url, _ := calendar(99)
	asked, visits := 0, s.visits
	for n := range 300 {
		if s.Ask(url) {
			asked++
		}
		s.Visited("http://a.test/news/1", article(n+40))
	}
	if want := int(askShare * float64(visits+300)); asked < want-1 || asked > want+1 {
		t.Errorf("asked %d times, want %d", asked, want)
	}
	if s.Again(); s.visits != visits+301 {
		t.Errorf("%d visits", s.visits)
	}
	// Pages that it leads to are new.
	for n := range 4 {
		event := fmt.Sprintf("http://a.test/event/%d", n)
		s.Found(url, []string{event})
		s.Visited(event, article(n+400))
	}
	if s.Barren(url) {
		t.Errorf("a calendar that leads to new text is barren: %v", s.Share(url))
	}
	for range maxVisits {
		s.Visited(url, nil)
	}
	if !s.Barren(url) || s.Share(url) > barrenShare {
		t.Error("it stays so")
	}
}

func TestWhatAPageSays(t *testing.T) {
	s := NewSite()
	for i, p := range []struct {
		page *Page
		want int
	}{
		{page("http://a.test/x", "one two three."), 11},
		{page("http://a.test/y", "one two three. four"), 4},
		{page("http://a.test/no/such/page", "Five: /no/such/page is not here at 12:03, 5th of 2026"), len("Fiveisnothereatof")},
		{page("http://a.test/other/path", "Five: /other/path is not here at 12:04, 6th of 2027"), 0},
		{page("http://a.test/z", `<img alt="" src="/a.png?1"><img src="/a.png?2">`), pictureLetters},
		{page("http://a.test/新", "北京的天气，很好"), 7},
		{page("http://a.test/empty"), 0},
	} {
		if i == 4 {
			p.page.letters, p.page.phrases = 0, p.page.phrases[len(p.page.phrases)-1:]
		}
		if got := s.Visited(p.page.URL, p.page); got != p.want {
			t.Errorf("%d: %d new letters, want %d", i, got, p.want)
		}
	}
}

func TestARuleIsLearntFromPagesWithTwoAddresses(t *testing.T) {
	for name, x := range map[string]struct {
		a, b       func(n int) string
		link, want string
	}{
		"a parameter":       {f("http://a.test/p/%d?sid=x%[1]d"), f("http://a.test/p/%d?sid=y%[1]d"), "http://a.test/q?id=1&sid=z", "http://a.test/q?id=1"},
		"one of two":        {f("http://a.test/p/%d?print=1"), f("http://a.test/p/%d"), "http://a.test/q?print=1&id=2", "http://a.test/q?id=2"},
		"in the path":       {f("http://a.test/p/%d;jsessionid=A%[1]dB"), f("http://a.test/p/%d"), "http://a.test/q;jsessionid=C?x", "http://a.test/q?x"},
		"a folder":          {f("http://a.test/print/p%d"), f("http://a.test/p%d"), "http://a.test/print/x/y", "http://a.test/x/y"},
		"not in the middle": {f("http://a.test/print/p%d"), f("http://a.test/p%d"), "http://a.test/x/print/y", "http://a.test/x/print/y"},
		"an ending":         {f("http://a.test/p%d.html"), f("http://a.test/p%d"), "http://a.test/x.html", "http://a.test/x"},
		"an index":          {f("http://a.test/p%d/index.html"), f("http://a.test/p%d/"), "http://a.test/x/index.html", "http://a.test/x/"},
		"path and query":    {f("http://a.test/view?id=%d"), f("http://a.test/page/%d"), "http://a.test/page/7", "http://a.test/page/7"},
		"the longer one":    {f("http://a.test/view?id=%d"), f("http://a.test/page/%d"), "http://a.test/view?id=7", "http://a.test/page/7"},
		"numbers tell":      {f("http://a.test/%d/2"), f("http://a.test/%d/1"), "http://a.test/9/2", "http://a.test/9/2"},
		"other hosts":       {f("http://b.test/%d?x"), f("http://a.test/%d"), "http://b.test/9?x", "http://b.test/9?x"},
	} {
		t.Run(name, func(t *testing.T) {
			s := NewSite()
			for n := range enough {
				for range 2 { // a page counts once
					s.Same(x.a(n), x.b(n))
					s.Same(x.b(n), x.a(n))
				}
				if got := s.Plain(x.link); n < enough-1 && got != x.link {
					t.Fatalf("after %d pages, Plain(%s) = %s", n+1, x.link, got)
				}
			}
			if got := s.Plain(x.link); got != x.want {
				t.Errorf("Plain(%s) = %s, want %s", x.link, got, x.want)
			}
			other := NewSite()
			for range 2 {
				if err := other.Learn(s.Text()); err != nil {
					t.Fatal(err)
				}
			}
			if got := other.Plain(x.link); got != x.want || other.Text() != s.Text() {
				t.Errorf("another site that learns its note says %s; %s, want %s", got, other.Text(), s.Text())
			}
			for n := range enough {
				s.Differ(x.a(n), x.b(n))
			}
			if got := s.Plain(x.link); got != x.link {
				t.Errorf("after they differed, Plain(%s) = %s", x.link, got)
			}
		})
	}
}

func f(format string) func(int) string { return func(n int) string { return fmt.Sprintf(format, n) } }

func TestAParameterThatTellsPagesApartIsKept(t *testing.T) {
	s := NewSite()
	for n := range 10 { // sold out pages are all the same
		s.Own(fmt.Sprintf("http://a.test/item?id=%d", n), uint64(n))
		s.Same("http://a.test/item?id=100", fmt.Sprintf("http://a.test/item?id=%d", 101+n))
	}
	if got := s.Plain("http://a.test/item?id=7"); got != "http://a.test/item?id=7" {
		t.Errorf("Plain = %s", got)
	}
}

func TestSorted(t *testing.T) {
	for url, want := range map[string]string{
		"http://a.test/?b=1&a=2&b=0": "http://a.test/?a=2&b=1&b=0",
		"http://a.test/?b":           "http://a.test/?b",
		"http://a.test/":             "http://a.test/",
	} {
		if got := Sorted(url); got != want {
			t.Errorf("Sorted(%s) = %s, want %s", url, got, want)
		}
	}
}

func TestNotes(t *testing.T) {
	s := NewSite()
	if got := s.Text(); got != "" {
		t.Errorf("nothing learnt: %q", got)
	}
	for text, want := range map[string]error{"{": plat.ErrCorrupt, `{"v":9}`: plat.ErrNewer, "": nil} {
		if err := s.Learn(text); !errors.Is(err, want) {
			t.Errorf("Learn(%q) = %v, want %v", text, err, want)
		}
	}
	for n := range 3 * maxPatterns {
		s.Visited(fmt.Sprintf("http://a.test/%c%c%c/x", 'a'+n%26, 'a'+n/26%26, 'a'+n/26/26), nil)
	}
	if n := len(s.patterns); n > maxPatterns {
		t.Errorf("%d patterns", n)
	}
	if n := len(s.Text()); n > 100_000 {
		t.Errorf("%d bytes of text", n)
	}
}

// A piece that one page has shown is not noted; two pages make a rule, whether they are for it or against it.
func TestWhichPiecesAreNoted(t *testing.T) {
	for _, tc := range []struct {
		pro, con int
		want     bool
	}{{0, 0, false}, {1, 0, false}, {0, 1, false}, {1, 1, true}, {2, 0, true}, {0, 2, true}, {1, 2, true}} {
		s := NewSite()
		s.pieces[piece{From: "a", To: "b"}] = &evidence{pro: tc.pro, con: tc.con}
		if got := s.Text() != ""; got != tc.want {
			t.Errorf("%d for it, %d against: %q", tc.pro, tc.con, s.Text())
		}
		again := NewSite()
		if err := again.Learn(s.Text()); err != nil {
			t.Fatal(err)
		}
		if e := again.pieces[piece{From: "a", To: "b"}]; tc.want && (e == nil || e.pro != tc.pro || e.con != tc.con) {
			t.Errorf("%d for it, %d against: learnt %+v", tc.pro, tc.con, e)
		}
	}
}

func FuzzPlain(f *testing.F) {
	for _, url := range []string{"http://a.test/", "http://a.test/a;b/c?d=e&f", "http://a.test?x", "x", "http://"} {
		f.Add(url, "http://a.test/print/x", "p")
	}
	f.Fuzz(func(t *testing.T, a, b, sid string) {
		s := NewSite()
		s.luck = func() float64 { return 1 }
		for n := range 4 {
			s.Same(a, b)
			s.Same(fmt.Sprint(a, n), fmt.Sprint(b, n))
			s.Same(fmt.Sprintf("http://a.test/%s/%d", sid, n), fmt.Sprintf("http://a.test/%d", n))
			s.Own(a, uint64(n))
			s.Visited(b, NewPage(b, []plat.Block{{Text: a, Content: []byte(b)}}))
		}
		Rules{}.Refuse(a)
		patterns(a)
		for _, url := range []string{a, b, Sorted(a)} {
			if plain := s.Plain(url); s.Plain(plain) != plain {
				t.Errorf("Plain(%q) = %q, and of that %q", url, plain, s.Plain(plain))
			}
		}
		if err := s.Learn(s.Text()); err != nil {
			t.Error(err)
		}
	})
}

func TestFingerprintsOfPages(t *testing.T) {
	leaf := func(text string) plat.Block { return plat.Block{Text: text, TextLen: int32(len(text))} }
	long := strings.Repeat("a", minFingerprint)
	base := Fingerprint("t", []plat.Block{leaf("x"), leaf(long), leaf("y")})
	if base == 0 {
		t.Fatal("a text of the least length has no fingerprint")
	}
	parent := leaf(long + "parent")
	parent.Slot = -1
	for name, same := range map[string]uint64{
		"with a parent":    Fingerprint("t", []plat.Block{parent, leaf(long)}),
		"with digits":      Fingerprint("t", []plat.Block{leaf("12" + long + "3")}),
		"with a second":    Fingerprint("t", []plat.Block{leaf(long), leaf(strings.Repeat("b", minFingerprint))}),
		"with other words": Fingerprint("t", []plat.Block{leaf("other"), leaf(long)}),
	} {
		if same != base {
			t.Errorf("%s it is another", name)
		}
	}
	for name, other := range map[string]uint64{
		"with another title": Fingerprint("u", []plat.Block{leaf(long)}),
		"with another text":  Fingerprint("t", []plat.Block{leaf(long + "b")}),
		"of a short text":    Fingerprint("t", []plat.Block{leaf(long[1:])}),
		"of a parent alone":  Fingerprint("t", []plat.Block{parent}),
	} {
		if other == base {
			t.Errorf("%s it is the same", name)
		}
	}
	if Fingerprint("t", []plat.Block{leaf(long[1:])}) != 0 || Fingerprint("t", nil) != 0 {
		t.Error("a short text has a fingerprint")
	}
}

func TestNotesOfASiteAreAdded(t *testing.T) {
	s := NewSite()
	for _, text := range []string{
		`{"v":1,"patterns":{"a":[5,3,2,7],"b":[4,9,8,0],"bad":[9,-1,0,0],"none":[0,0,0,0]},"params":{"p":[3,1]},"pieces":[{"From":"x","To":"y","Pro":4,"Con":2},{"From":"","To":"z","Pro":4}]}`,
		`{"v":1,"patterns":{"a":[4,4,4,4]},"params":{"p":[2,6]},"pieces":[{"From":"x","To":"y","Pro":5}]}`,
		"",
	} {
		if err := s.Learn(text); err != nil {
			t.Fatal(err)
		}
	}
	want := `{"v":1,"patterns":{"a":[5,3,2,7],"b":[4,4,4,0],"bad":[0,0,0,0],"none":[0,0,0,0]},"params":{"p":[3,6]},"pieces":[{"From":"x","To":"y","Root":false,"End":false,"Pro":5,"Con":2}]}`
	if got := s.Text(); got != want {
		t.Errorf("the data is\n%s, want\n%s", got, want)
	}
	again := NewSite()
	if err := errors.Join(again.Learn(s.Text()), again.Learn(s.Text())); err != nil || again.Text() != want {
		t.Errorf("read again it is %s, %v", again.Text(), err)
	}
	if err := s.Learn("{"); !errors.Is(err, plat.ErrCorrupt) {
		t.Errorf("half a note: %v", err)
	}
	if err := s.Learn(`{"v":2}`); !errors.Is(err, plat.ErrNewer) {
		t.Errorf("a note of a newer version: %v", err)
	}
	if NewSite().Text() != "" {
		t.Error("a site without data has a note")
	}
}
