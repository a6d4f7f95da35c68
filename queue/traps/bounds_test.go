package traps

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
	"testing"

	"plat/plat"
)

func TestFormsOfSegments(t *testing.T) {
	for s, want := range map[string]string{"": "", "12": "#", "a": "*", "12.html": "#.html", "a.b": "*.b", ".b": "*", "a.": "*", "a.12": "*", "a.12b": "*.12b", "a.abcde": "*.abcde", "a.abcdef": "*", "1a": "*"} {
		if got := form(s); got != want {
			t.Errorf("%q has the form %q, want %q", s, got, want)
		}
	}
	for s, want := range map[string]string{"a12b3": "a#b#", "": "", "12": "#", "ab": "ab", "/:;9": "/:;#", "0": "#"} {
		if got := masked(s); got != want {
			t.Errorf("%q is masked as %q", s, got)
		}
	}
	for path, want := range map[string]string{"/a/b": "/a/b []", "/a;x=1;y/b;z": "/a/b [x=1 y z]"} {
		plain, params := pathParams(path)
		if got := fmt.Sprint(plain, " ", params); got != want {
			t.Errorf("%s has the parts %s", path, got)
		}
	}
	for url, want := range map[string]string{"http://a.test/b/c?d=e?f": "http://a.test|/b/c|d=e?f", "http://a.test": "http://a.test||", "http://a.test?x": "http://a.test||x", "http://": "http://||"} {
		host, path, query := split(url)
		if got := host + "|" + path + "|" + query; got != want {
			t.Errorf("%s is divided into %s, want %s", url, got, want)
		}
	}
	for _, tc := range []struct {
		path string
		n    int
		want string
	}{{"a/a", 1, ""}, {"a/a/a", 1, "a"}, {"a/b/a/b", 1, "a/b"}, {"a/b/a/b", 2, ""}, {"a/b/c/a/b/c", 1, "a/b/c"}, {"1/1/1/1", 1, ""}, {"x/a/b/a/b", 1, "a/b"}, {"a/x/a/y/a", 1, "a"}, {"a/x/a/y", 1, ""}, {"", 1, ""}} {
		if got := repeated(strings.Split(tc.path, "/"), tc.n); got != tc.want {
			t.Errorf("%s repeats %q more than %d times, want %q", tc.path, got, tc.n, tc.want)
		}
	}
}

func TestSharesOfPatterns(t *testing.T) {
	for _, tc := range []struct {
		p     pattern
		share float64
		grows bool
	}{{pattern{}, .4, false}, {pattern{visits: 2, grown: 9}, .24, false}, {pattern{visits: 4, grown: 2}, 1.2 / 7, true}, {pattern{visits: 4, grown: 1.9}, 1.2 / 7, false}, {pattern{visits: 7, fruitful: 1, grown: 9}, .22, false}} {
		if got := tc.p.share(); math.Abs(got-tc.share) > 1e-9 || tc.p.grows() != tc.grows {
			t.Errorf("%+v: share %v, grows %v", tc.p, got, tc.p.grows())
		}
	}
	const url = "http://a.test/a/b/c/d"
	keys := patterns(url)
	for name, tc := range map[string]struct {
		patterns map[int]*pattern
		barren   int // pages before it
		share    float64
		endless  bool
	}{
		"nothing known": {nil, 0, 1, false}, "few visits": {map[int]*pattern{0: {visits: 3}}, 0, 1, false}, "four visits": {map[int]*pattern{0: {visits: 4}}, 0, 1.2 / 7, false}, "two that were fruitful": {map[int]*pattern{0: {visits: 3, fruitful: 2}}, 0, 3.2 / 6, false}, "all were fruitful": {map[int]*pattern{0: {visits: 20, fruitful: 30}}, 0, 1, false},
		"the most particular": {map[int]*pattern{0: {visits: 4}, 1: {visits: 9, fruitful: 9}}, 2, 1.2 / 7, false}, "a particular one after barren pages": {map[int]*pattern{1: {visits: 7, fruitful: 3}}, 2, .42, false}, "a general one after barren pages": {map[int]*pattern{2: {visits: 7, fruitful: 3}}, 2, .105, false}, "two barren pages": {nil, 2, .25, false}, "three barren pages": {nil, 3, .125, true},
		"one that grows": {map[int]*pattern{3: {visits: 4, grown: 9}}, 0, 1.2 / 7, true}, "one of few visits that grows": {map[int]*pattern{3: {visits: 3, grown: 9}}, 0, 1, false},
	} {
		s := NewSite()
		for level, p := range tc.patterns {
			s.patterns[keys[level]] = p
		}
		if tc.barren > 0 {
			s.found.Put(keyOf(url), &origin{barren: tc.barren})
		}
		if got := s.Share(url); math.Abs(got-tc.share) > 1e-9 || s.Barren(url) != (tc.share < .2) || s.endless(url) != tc.endless {
			t.Errorf("%s: share %v, want %v; barren %v, endless %v", name, got, tc.share, s.Barren(url), s.endless(url))
		}
		s.visits, s.asked = 100, 0
		if first, second := s.Ask(url), s.Ask(url); first != true || second == (tc.share < .2 && tc.endless) {
			t.Errorf("%s: asked %v, then %v", name, first, second)
		}
	}
}

func TestVisitsAreCountedForEachPattern(t *testing.T) {
	s := NewSite()
	const a, b, c = "http://a.test/list/1", "http://a.test/item/x", "http://a.test/item/y"
	show := func(key string) string {
		p := s.patterns[key]
		if p == nil {
			return "none"
		}
		return fmt.Sprint(p.visits, " ", p.fruitful, " ", p.redirects, " ", p.grown)
	}
	fresh := func(n int) *Page { return page("", strings.Repeat(string(rune('a'+n)), 30)) }
	if n := s.Visited(a, page("", strings.Repeat("z", 29))); n != 29 || show("/list/#") != "1 0 0 0" || s.visits != 1 {
		t.Errorf("a page with 29 new letters: %d, %s", n, show("/list/#"))
	}
	s.Found(a, []string{b, c})
	if show("/list/#") != "1 0 0 2" {
		t.Errorf("it leads to two URLs: %s", show("/list/#"))
	}
	if n, ok := s.News(fresh(1)); n != 30 || !ok {
		t.Errorf("%d letters are news", n)
	}
	if n := s.Visited(b, fresh(1)); n != 30 || show("/item/*") != "1 1 0 0" || show("/list/#") != "1 1 0 2" {
		t.Errorf("one that it led to is fruitful: %s, %s", show("/item/*"), show("/list/#"))
	}
	if n, ok := s.News(fresh(1)); n != 0 || ok {
		t.Errorf("%d letters are news again", n)
	}
	s.Linked("http://a.test/list/2", []string{c})
	if from, _ := s.found.Get(keyOf(c)); from.shared {
		t.Error("a link from a page of the same pattern is of another")
	}
	s.Linked("http://a.test/x/y/z", []string{c, "http://a.test/unknown"})
	if from, _ := s.found.Get(keyOf(c)); !from.shared {
		t.Error("a link from another pattern is not recorded")
	}
	s.patterns["/list/#"].visits = 9
	if s.Visited(c, fresh(2)); show("/list/#") != "9 1 0 2" || show("/item/*") != "2 2 0 0" {
		t.Errorf("one to which others link counts for itself: %s, %s", show("/list/#"), show("/item/*"))
	}
	s.Found(b, []string{"http://a.test/new"}) // of a fruitful page
	if show("/item/*") != "2 2 0 0" {
		t.Errorf("a fruitful page grows: %s", show("/item/*"))
	}
	if from, _ := s.found.Get(keyOf("http://a.test/new")); from.barren != 0 {
		t.Errorf("after a fruitful page %d were barren", from.barren)
	}
	s.Visited("http://a.test/new", nil)
	s.Found("http://a.test/new", []string{"http://a.test/newer"})
	if from, _ := s.found.Get(keyOf("http://a.test/newer")); from.barren != 1 {
		t.Errorf("after a barren page %d were barren", from.barren)
	}
	for n, want := range map[float64]string{62: "63 10 4 20", 63: "32 5 2 10"} {
		s.patterns["/list/#"] = &pattern{n, 10, 4, 20}
		if s.Visited("http://a.test/list/7", nil); show("/list/#") != want {
			t.Errorf("after %v visits: %s, want %s", n, show("/list/#"), want)
		}
	}
	s.patterns["/list/#"] = &pattern{visits: 3, redirects: 1}
	if s.Redirects(a) {
		t.Error("one of three redirects")
	}
	if s.Redirected(a); show("/list/#") != "3 0 2 0" || !s.Redirects(a) {
		t.Errorf("two of three: %s", show("/list/#"))
	}
	for range 3 {
		s.Redirected(a)
	}
	if show("/list/#") != "3 0 3 0" {
		t.Errorf("more redirects than visits: %s", show("/list/#"))
	}
	s.patterns["/list/#"].visits = 2
	delete(s.patterns, "/list/*")
	if s.Redirects(a) {
		t.Error("two visits say that a pattern redirects")
	}
	s = NewSite()
	for i := range 100 {
		s.patterns[fmt.Sprint(i)] = &pattern{visits: float64(i)}
	}
	if s.forget(); len(s.patterns) != 50 || s.patterns["99"] == nil || s.patterns["1"] != nil || s.patterns["64"] == nil {
		t.Errorf("%d patterns are left", len(s.patterns))
	}
}

func TestRulesHoldWithEnoughEvidence(t *testing.T) {
	for _, tc := range []struct {
		e    *evidence
		want bool
	}{{nil, false}, {&evidence{pro: 2}, false}, {&evidence{pro: 3}, true}, {&evidence{pro: 9, con: 1}, false}, {&evidence{pro: 10, con: 1}, true}} {
		if tc.e.holds() != tc.want {
			t.Errorf("%+v holds: %v", tc.e, !tc.want)
		}
	}
	e := &evidence{}
	for i, want := range []bool{false, false, true, false} {
		if got := e.add(uint64(i)); got != want || e.add(uint64(i)) || e.pro != i+1 {
			t.Errorf("page %d: the rule holds since then: %v, %+v", i, got, e)
		}
	}
	for i := range 20 {
		e.add(uint64(100 + i))
	}
	if len(e.mains) != 16 || e.mains[15] != 119 || e.pro != 24 {
		t.Errorf("%+v", e)
	}
	(*evidence)(nil).raise(1, 1)
	if e.raise(30, 0); e.pro != 30 || e.con != 0 {
		t.Errorf("%+v", e)
	}
	for _, tc := range [][2]string{{"a", "bb"}, {"a", "b"}, {"b", "aa"}} {
		if !better(tc[0], tc[1]) || better(tc[1], tc[0]) {
			t.Errorf("%s is not better than %s", tc[0], tc[1])
		}
	}
	if better("a", "a") {
		t.Error("a URL is better than itself")
	}
	for c, want := range map[byte]bool{'a': false, 'Z': false, '0': false, '9': false, '/': true, '-': true, '_': true, 0x7f: true, 0x80: false, 0xff: false} {
		if separates(c) != want {
			t.Errorf("%q separates: %v", c, !want)
		}
	}
	for s, want := range map[string]string{"": "", "a": "a", "a/b-": "a|/|b|-", "//": "/|/", "ab": "ab"} {
		if got := strings.Join(tokens(s), "|"); got != want {
			t.Errorf("%q has the tokens %s", s, got)
		}
	}
	for _, tc := range []struct {
		a, b string
		want string
	}{
		{"/print/a", "/a", "print/> root"}, {"/a.html", "/a", ".html> end"}, {"/x/view", "/x/show", "view>show end"}, {"/a/1", "/a/2", ""}, {"/a", "/a", ""}, {"/a", "/a/b", ""}, {"/a/b/c", "/a/c", "b/>"}, {"/" + strings.Repeat("a-", 6), "/", strings.Repeat("a-", 6) + "> root end"}, {"/" + strings.Repeat("a-", 6) + "b", "/", ""}, {"/x1", "/y", "x1>y root end"},
	} {
		got := ""
		if p, ok := pieceOf(tc.a, tc.b); ok {
			if got = p.From + ">" + p.To; p.Root {
				got += " root"
			}
			if p.End {
				got += " end"
			}
		}
		if got != tc.want {
			t.Errorf("%s and %s differ in %q, want %q", tc.a, tc.b, got, tc.want)
		}
	}
	for _, tc := range []struct {
		p         piece
		url, want string
	}{
		{piece{From: "print/", Root: true}, "http://a.test/print/x", "http://a.test/x"}, {piece{From: "print/", Root: true}, "http://a.test/a/print/x", ""}, {piece{From: ".html", End: true}, "http://a.test/x.html", "http://a.test/x"}, {piece{From: ".html", End: true}, "http://a.test/x.html/y.html", "http://a.test/x.html/y"}, {piece{From: ".html", End: true}, "http://a.test/x.htm", ""}, {piece{From: "b/"}, "http://a.test/ab/b/c", "http://a.test/ab/c"}, {piece{From: "b/"}, "http://a.test/ab/c", ""},
		{piece{From: "view", To: "show"}, "http://a.test/view?x", "http://a.test/show?x"},
	} {
		got, ok := tc.p.apply(tc.url)
		if !ok {
			got = ""
		}
		if got != tc.want {
			t.Errorf("%+v makes of %s %q, want %q", tc.p, tc.url, got, tc.want)
		}
	}
	for _, tc := range []struct{ a, b, want string }{
		{"http://a.test/?x=1", "http://a.test/?x=2", "x"}, {"http://a.test/?x=1&y=1", "http://a.test/?y=1", "x"}, {"http://a.test/?y=1", "http://a.test/?x=1&y=2", "x y"}, {"http://a.test/a?x=1", "http://a.test/b?x=2", ""}, {"http://a.test/a;s=1", "http://a.test/a;s=2", "s"}, {"http://a.test/a;s=1", "http://a.test/a", "s"}, {"http://a.test/?x=1&x=2", "http://a.test/?x=2&x=1", "x"}, {"http://a.test/?x=1", "http://a.test/?x=1", ""}, {"http://a.test/?x&y", "http://a.test/?y&x", ""},
	} {
		names := Differing(tc.a, tc.b)
		sort.Strings(names)
		if got := strings.Join(names, " "); got != tc.want {
			t.Errorf("%s and %s differ in %q, want %q", tc.a, tc.b, got, tc.want)
		}
	}
	for url, want := range map[string]string{"http://a.test/?s=1&b=2": "http://a.test/?b=2", "http://a.test/?s=1": "http://a.test/", "http://a.test/a;s=1;t=2/b;s?c": "http://a.test/a;t=2/b?c", "http://a.test/?": "http://a.test/?", "http://a.test/": "http://a.test/"} {
		if got := Without(url, func(n string) bool { return n == "s" }); got != want {
			t.Errorf("%s without s is %s, want %s", url, got, want)
		}
	}
}

func TestEvidenceAgainstRules(t *testing.T) {
	s := NewSite()
	s.params["id"], s.params["p"] = &evidence{pro: 5}, &evidence{pro: 5}
	s.pieces[piece{From: "print/", Root: true}] = &evidence{pro: 5}
	s.Own("http://a.test/x?id=1", 7)
	s.Own("http://a.test/x?id=2", 7)
	if s.params["id"].con != 0 {
		t.Errorf("equal pages: %+v", s.params["id"])
	}
	if s.Own("http://a.test/x?id=3", 8); s.params["id"].con != 1 || s.params["p"].con != 0 {
		t.Errorf("unlike pages: %+v", s.params["id"])
	}
	s.Own("http://a.test/y", 1)
	if s.Own("http://a.test/print/y", 2); s.pieces[piece{From: "print/", Root: true}].con != 1 {
		t.Error("a page that another address has counts not against a rule")
	}
	s.Differ("http://a.test/print/z", "http://a.test/z")
	s.Differ("http://a.test/z", "http://a.test/print/z")
	s.Differ("http://a.test/z", "http://a.test/w")
	if got := s.pieces[piece{From: "print/", Root: true}].con; got != 3 {
		t.Errorf("%d pages differ", got)
	}
	s.Differ("http://a.test/z?p=1", "http://a.test/z?p=2")
	if s.params["p"].con != 1 {
		t.Errorf("%+v", s.params["p"])
	}
	s.Own("http://a.test/q?new=1", 1)
	if s.Own("http://a.test/q?new=2", 1); s.params["new"] == nil || s.params["new"].con != 0 {
		t.Errorf("a parameter that pages differ in: %+v", s.params["new"])
	}
	s = NewSite()
	s.Same("http://a.test/x?a=1&b=1&c=1", "http://a.test/x?a=2&b=2&c=2")
	if len(s.params) != 0 {
		t.Errorf("of three parameters %d are known", len(s.params))
	}
	if s.Same("http://a.test/x?a=1&b=1", "http://a.test/x?a=2&b=2"); len(s.params) != 2 {
		t.Errorf("of two parameters %d are known", len(s.params))
	}
	for i := range 600 {
		s.Same(fmt.Sprintf("http://a.test/x?n%d=1", i), "http://a.test/x")
		s.Same(fmt.Sprintf("http://a.test/x/q%sz", strings.Repeat("a", i)), "http://a.test/x")
	}
	if len(s.params) != 500 || len(s.pieces) > 500 {
		t.Errorf("%d parameters, %d pieces", len(s.params), len(s.pieces))
	}
	s = NewSite()
	for luck, want := range map[float64]bool{0: true, .0199: true, .02: false, 1: false} {
		if s.luck = func() float64 { return luck }; s.Check() != want {
			t.Errorf("with luck %v a link is checked: %v", luck, !want)
		}
	}
	s.Replaced("http://a.test/x?s=1", "http://a.test/x")
	if s.Link("http://a.test/x") != "http://a.test/x?s=1" || s.Link("http://a.test/y") != "" {
		t.Error("links that were replaced")
	}
	for i := range 6 {
		s.Claim(fmt.Sprint("http://a.test/", i), "http://a.test/c")
		s.Claim("http://a.test/0", "http://a.test/c")
	}
	if got := s.Claims("http://a.test/c"); !slices.Equal(got, []string{"http://a.test/0", "http://a.test/1", "http://a.test/2", "http://a.test/3"}) || s.Claims("http://a.test/d") != nil {
		t.Errorf("pages that declare a URL: %q", got)
	}
	s.Own("http://a.test/k", 3)
	if s.Known("http://a.test/k") != "" || s.Known("http://a.test/l") != "" {
		t.Error("a page is known by another address")
	}
	s.params["s"] = &evidence{pro: 3}
	if got := s.Known("http://a.test/k?s=4"); got != "http://a.test/k" {
		t.Errorf("it is known as %q", got)
	}
}

func TestPagesAreComparedByTheirPhrases(t *testing.T) {
	one, two := page("http://a.test/", "aaaa. bbbb. cc"), page("http://a.test/", "aaaa. dddddddddd. bbbb")
	if got := one.Shared(two); got != .8 || two.Shared(one) != .8 || one.Letters() != 10 || (&Page{}).Shared(one) != 0 {
		t.Errorf("they share %v", got)
	}
	var texts []string
	for i := range 5001 {
		texts = append(texts, strings.Repeat("x", i%100+1)+strings.Repeat("y", i/100+1))
	}
	if p := page("", texts...); len(p.phrases) != 5000 {
		t.Errorf("%d phrases", len(p.phrases))
	}
	for html, want := range map[string]string{`<img src="a.png">`: "a.png", `<img alt="x"><img src="b.png?1"><img src="data:x"><img src="">`: "b.png", `<img>`: "", `<image src="x">`: "", `<img src="a"><img src="b">`: "a b"} {
		if got := strings.Join(pictures([]byte(html)), " "); got != want {
			t.Errorf("%s shows %q", html, got)
		}
	}
	sum := func(s *Site) string { return fmt.Sprintf("%+v", s.Summary()) }
	s := NewSite()
	s.params["b"], s.params["a"], s.params["c"] = &evidence{pro: 3}, &evidence{pro: 4}, &evidence{pro: 2}
	s.pieces[piece{From: "x"}], s.pieces[piece{From: "y"}], s.pieces[piece{From: "w"}], s.pieces[piece{From: "v"}] = &evidence{pro: 3}, &evidence{pro: 5}, &evidence{pro: 3}, &evidence{pro: 1}
	s.patterns["/p"], s.patterns["/q"], s.patterns["/r"], s.patterns["/s"] = &pattern{visits: 4}, &pattern{visits: 9, grown: 9}, &pattern{visits: 3}, &pattern{visits: 9, fruitful: 9}
	if got, want := sum(s), "{Params:[a b] Replaced:[{From:y To: Pages:5} {From:w To: Pages:3} {From:x To: Pages:3}] Barren:[{Pattern:/q Visits:9 Fruitful:0 Endless:true} {Pattern:/p Visits:4 Fruitful:0 Endless:false}]}"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := s.Text(), `{"v":1,"patterns":{"/p":[4,0,0,0],"/q":[9,0,0,9],"/r":[3,0,0,0],"/s":[9,9,0,0]},"params":{"a":[4,0],"b":[3,0],"c":[2,0]},"pieces":[{"From":"w","To":"","Root":false,"End":false,"Pro":3},{"From":"x","To":"","Root":false,"End":false,"Pro":3},{"From":"y","To":"","Root":false,"End":false,"Pro":5}]}`; got != want {
		t.Errorf("%s, want\n%s", got, want)
	}
	other := NewSite()
	other.patterns["/q"], other.patterns["/p"] = &pattern{visits: 10}, &pattern{visits: 1, fruitful: 1}
	if err := other.Learn(s.Text()); err != nil || *other.patterns["/q"] != (pattern{visits: 10}) || *other.patterns["/p"] != (pattern{visits: 4}) || *other.patterns["/s"] != (pattern{visits: 9, fruitful: 9}) {
		t.Errorf("%v, %+v", err, other.patterns)
	}
	if err := other.Learn(`{"v":1,"patterns":{"/x":[2,5,7,1],"/y":[2,-1,0,0]}}`); err != nil || *other.patterns["/x"] != (pattern{2, 2, 2, 1}) || *other.patterns["/y"] != (pattern{}) {
		t.Errorf("%v, %+v", err, other.patterns["/x"])
	}
	for _, tc := range []struct {
		a, b string
		n    int
		ok   bool
	}{{"at 9:05 x", "at 9:06 x", 1, true}, {"9:05 21:05:59.123", "9:06 21:06:00,5", 2, true}, {"a", "a", 0, false}, {"a b", "a", 0, false}, {"9:05", "x", 0, false}, {"(9:05)", "(9:06)", 1, true}, {"1234:05", "9:05", 0, false}, {"9:5", "9:06", 0, false}} {
		if n, ok := Times(tc.a, tc.b); n != tc.n || ok != tc.ok {
			t.Errorf("%q and %q differ in %d times, %v", tc.a, tc.b, n, ok)
		}
	}
	for _, tc := range []struct {
		a, b string
		want bool
	}{{`<a href="/a">`, `<a href="/a">`, true}, {`<a href="/x/a">`, `<a href="/y/a">`, true}, {`<a href="/a">`, `<a href="/b">`, false}, {`<a href="a?s=1">`, `<a href="a?s=2">`, true}, {`<a href="a?t=1">`, `<a href="a?t=2">`, false}, {`<a href="a#x">`, `<a href="a#y">`, true}, {`<a href="a">`, ``, false}, {`<a href="a?b&amp;s=1">`, `<a href="a?s=2&b">`, true}} {
		if got := SameTargets([]byte(tc.a), []byte(tc.b), []string{"s"}); got != tc.want {
			t.Errorf("%s and %s: %v", tc.a, tc.b, got)
		}
	}
	if Fingerprint("", []plat.Block{{Text: "x", TextLen: 99}}) != 0 || Fingerprint("", []plat.Block{{Text: "x", TextLen: 100}}) == 0 || Fingerprint("", nil) != 0 {
		t.Error("fingerprints of short texts")
	}
}

// TestEvidenceOfSitesIsBounded: pieces of a site are kept until there are too many; then those without enough evidence go.
func TestEvidenceOfSitesIsBounded(t *testing.T) {
	first, second := piece{From: "print/", Root: true}, piece{From: "mobile/", Root: true}
	learn := func(s *Site) {
		s.Same("http://a.test/print/x", "http://a.test/x")
		s.Same("http://a.test/mobile/y", "http://a.test/y")
	}
	s := NewSite()
	if learn(s); len(s.pieces) != 2 || s.pieces[first] == nil || s.pieces[second] == nil || s.pieces[first].pro != 1 {
		t.Errorf("pieces %v", s.pieces)
	}
	fill := func(n, pro int) *Site {
		s := NewSite()
		for i := range n {
			s.pieces[piece{From: strings.Repeat("x", i+1)}] = &evidence{pro: pro}
		}
		return s
	}
	for _, tc := range []struct{ n, pro, left int }{{maxEvidence - 2, 1, maxEvidence}, {maxEvidence - 1, 1, 1}, {maxEvidence, 1, 2}, {maxEvidence, enough - 1, 2}, {maxEvidence, enough, maxEvidence}, {maxEvidence - 1, enough, maxEvidence}} {
		s := fill(tc.n, tc.pro)
		if learn(s); len(s.pieces) != tc.left {
			t.Errorf("with %d pieces that %d pages have shown, %d are left, want %d", tc.n, tc.pro, len(s.pieces), tc.left)
		}
	}
	// Addresses of different hosts, equal ones, and those that differ in many parameters teach nothing.
	none := NewSite()
	none.Same("http://a.test/print/x", "http://b.test/x")
	none.Same("http://a.test/x", "http://a.test/x")
	none.Same("http://a.test/x?a=1&b=1&c=1", "http://a.test/x?a=2&b=2&c=2")
	if none.Text() != "" || len(none.params)+len(none.pieces) != 0 {
		t.Errorf("learnt %s", none.Text())
	}
	if none.Same("http://a.test/x?a=1&b=1", "http://a.test/x?a=2&b=2"); len(none.params) != 2 {
		t.Errorf("of two parameters %d are kept", len(none.params))
	}
}
