package softerror

import (
	"strings"
	"testing"
	"time"

	"plat/plat"
)

// text is a leaf with a text, whose characters count without blanks.
func text(s string) plat.Block {
	return plat.Block{Text: s, TextLen: int32(len([]rune(strings.Join(strings.Fields(s), ""))))}
}

// parent is a block around leaves.
func parent(s string) plat.Block {
	b := text(s)
	b.Slot = -1
	return b
}

func TestWhatIsLeftOfAPage(t *testing.T) {
	old := []plat.Block{parent("all of it"), text("aaaa bbbb"), text("cccc"), text("dddd"), text("eeee")}
	now := []plat.Block{parent("all of it now"), text("aaaa ffffff"), text("cccc"), text("gg")}
	for _, tc := range []struct {
		name    string
		changes []plat.Change
		want    comparison
	}{
		{"nothing changed", nil, comparison{old: 20, now: 16}},
		{"words changed", []plat.Change{{Kind: plat.Content, Old: 1, New: 1}}, comparison{old: 20, now: 16, lost: 4, came: 6, touched: 1}},
		{"a block went", []plat.Change{{Kind: plat.Removed, Old: 3, New: -1}}, comparison{old: 20, now: 16, lost: 4, touched: 1}},
		{"a block came", []plat.Change{{Kind: plat.Added, Old: -1, New: 3}}, comparison{old: 20, now: 16, came: 2, touched: 1}},
		{"of the same words", []plat.Change{{Kind: plat.Format, Old: 2, New: 2}}, comparison{old: 20, now: 16, touched: 1}},
		{"what is no other text", []plat.Change{{Kind: plat.Moved, Old: 1, New: 1}, {Kind: plat.Volatile, Old: 2, New: 1}, {Kind: plat.Invisible, Old: 3, New: 3}}, comparison{old: 20, now: 16}},
		{"several", []plat.Change{{Kind: plat.Content, Old: 1, New: 1}, {Kind: plat.Removed, Old: 3, New: -1}, {Kind: plat.Removed, Old: 4, New: -1}, {Kind: plat.Added, Old: -1, New: 3}}, comparison{old: 20, now: 16, lost: 12, came: 8, touched: 4}},
	} {
		if got := compare(old, now, tc.changes); got != tc.want {
			t.Errorf("%s: %+v, want %+v", tc.name, got, tc.want)
		}
	}
}

func TestCharactersInCommon(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		want float64
	}{
		{"", "", 0}, {"one two", "two one", 6}, {"one two", "three", 0}, {"one one", "one", 3}, {"one", "one one", 3}, {"größe", "größe", 5}, {"港口", "港 口", 2},
		{strings.Repeat("ä ", longest/3+1), "x", 1}, {"x", strings.Repeat("ä ", longest/3+1), 1}, // at most, without a look at the words
	} {
		if got := common(tc.a, tc.b); got != tc.want {
			t.Errorf("%.20q and %.20q: %v, want %v", tc.a, tc.b, got, tc.want)
		}
	}
	just := strings.Repeat("a", longest/2)
	if got := common(just, strings.Repeat("b", longest/2)); got != 0 {
		t.Errorf("texts that are just not too long have %v in common", got)
	}
}

func TestWhichAddressIsAnother(t *testing.T) {
	for _, tc := range []struct {
		before, after string
		want          bool
	}{
		{"https://a.test/x", "https://a.test/x/", false}, {"https://a.test/x", "http://a.test:81/x?y#z", false}, {"https://a.test/x", "https://a.test/y", true},
		{"https://a.test/x", "https://b.test/x", true}, {"%zz", "%zz", false}, {"%zz", "https://a.test/", true}, {"https://a.test/", "%zz", true},
	} {
		if got := elsewhere(tc.before, tc.after); got != tc.want {
			t.Errorf("%s and %s: %v", tc.before, tc.after, got)
		}
	}
}

func TestWhichPagesAskForAPassword(t *testing.T) {
	for html, want := range map[string]bool{
		`<input type="password">`: true, "<INPUT TYPE=PASSWORD>": true, "<input type='password'>": true, `<input type="text" name="password">`: false, "": false,
	} {
		if got := asksPassword([]plat.Block{{Content: []byte("<p>")}, {Content: []byte(html)}}); got != want {
			t.Errorf("%s: %v", html, got)
		}
	}
}

func TestWhichPagesSeemToBeALogin(t *testing.T) {
	leaf := func(role plat.Role, chars int32, html string) plat.Block {
		return plat.Block{Slot: 1, Role: role, TextLen: chars, Content: []byte(html)}
	}
	const form = `<input type="password">`
	for _, tc := range []struct {
		blocks []plat.Block
		want   bool
	}{
		{[]plat.Block{leaf(plat.RoleContent, 80, form)}, true},
		{[]plat.Block{leaf(plat.RoleContent, 80, "<p>")}, false},
		{[]plat.Block{leaf(plat.RoleContent, 80, form), leaf(plat.RoleFooter, 5000, ""), leaf(plat.RoleNavigation, 5000, ""), leaf(plat.RoleBanner, 5000, "")}, true},
		{[]plat.Block{leaf(plat.RoleBanner, 80, form), leaf(plat.RoleContent, 801, "")}, false},
		{[]plat.Block{leaf(plat.RoleBanner, 80, form), leaf(plat.RoleContent, 800, "")}, true},
		{[]plat.Block{leaf(plat.RoleSidebar, 80, form), leaf(plat.RoleContent, 700, ""), leaf(plat.RoleContent, 100, "")}, false},
		{nil, false},
	} {
		if got := Login(tc.blocks); got != tc.want {
			t.Errorf("%+v: %v", tc.blocks, got)
		}
	}
}

func TestWhichLoadsOfAPageFailed(t *testing.T) {
	for _, tc := range []struct {
		l    plat.Load
		want string
	}{
		{plat.Load{URL: "https://cdn.test/a.css?v=1", Kind: plat.LoadStyle, Status: 500}, "https://cdn.test/a.css"},
		{plat.Load{URL: "https://cdn.test/a.css", Kind: plat.LoadStyle, Status: 429}, "https://cdn.test/a.css"},
		{plat.Load{URL: "https://cdn.test/a.css", Kind: plat.LoadStyle, Status: 499}, ""},
		{plat.Load{URL: "https://cdn.test/a.css", Kind: plat.LoadStyle, Status: 404}, ""},
		{plat.Load{URL: "https://static.a.test/a.js", Kind: plat.LoadScript, Status: 503}, "https://static.a.test/a.js"},
		{plat.Load{URL: "https://cdn.test/a.js", Kind: plat.LoadScript, Status: 503}, ""},
		{plat.Load{URL: "https://www.a.test/a.png", Kind: plat.LoadImage, Status: 503}, ""},
	} {
		ok := plat.Load{URL: "https://www.a.test/ok.css", Kind: plat.LoadStyle, Status: 200}
		if got := Failed(&plat.Snapshot{FinalURL: "https://www.a.test/", Loads: []plat.Load{ok, tc.l}}); got != tc.want {
			t.Errorf("%+v: %q, want %q", tc.l, got, tc.want)
		}
	}
}

func TestSitesOfURLs(t *testing.T) {
	for u, want := range map[string]string{
		"https://static.example.com/x": "example.com", "https://example.com:81/x": "example.com", "https://a.co.uk/": "a.co.uk", "https://www.b.co.uk/": "b.co.uk",
		"http://127.0.0.1:81/": "127.0.0.1", "http://9.8.0.1/": "9.8.0.1", "http://[::1]:81/": "::1", "https://localhost/": "localhost", "%zz": "",
	} {
		if got := siteOf(u); got != want {
			t.Errorf("%s: %q, want %q", u, got, want)
		}
	}
}

func TestPhrasesAreWholeWords(t *testing.T) {
	for s, want := range map[string]bool{
		"404": true, "error 404: gone": true, "4041": false, "1404": false, "a404b": false, "1404 and 404": true, "(404)": true, "": false, "40": false,
	} {
		if got := says(s, "404"); got != want {
			t.Errorf("%q says 404: %v", s, got)
		}
	}
	for s, want := range map[string]bool{"x维护y": true, "系统维护中": true} {
		if got := says(s, "维护"); got != want {
			t.Errorf("%q: %v", s, got)
		}
	}
	if !says("za notfound z not found", "not found") || says("xnot found", "not found") || says("not foundz", "not found") || says("not found9", "not found") {
		t.Error("a phrase is found within a word, or is not found at the end")
	}
}

func TestWhatAnAnswerCallsItself(t *testing.T) {
	for _, tc := range []struct {
		title  string
		blocks []plat.Block
		want   plat.Outcome
		said   string
	}{
		{"Just a moment...", nil, plat.OutcomeBlocked, "just a moment..."},
		{"", []plat.Block{text("Words"), text("This page doesn’t exist")}, plat.OutcomeMissing, "doesn't exist"},
		{"", []plat.Block{parent("not found"), text("Words")}, "", ""},
		{"Not", []plat.Block{text("found")}, "", ""},
		{"Please log in", []plat.Block{text("Maintenance")}, plat.OutcomeMaintenance, "maintenance"},
	} {
		if got, said := told(tc.title, tc.blocks); got != tc.want || said != tc.said {
			t.Errorf("%q, %v: %q says %q, want %q, %q", tc.title, tc.blocks, got, said, tc.want, tc.said)
		}
	}
}

func TestTheTextOfAnAnswer(t *testing.T) {
	const u = "https://a.test/x/y?z=1"
	of := func(blocks ...plat.Block) uint64 { return textOf(u, blocks) }
	base := of(text("one two"), text("three"))
	for name, same := range map[string]uint64{
		"cut otherwise":      of(text("one"), text("two three")),
		"with lines":         of(text("one\ntwo\nthree\n")),
		"with a time":        of(text("one two 1230"), text("three 4th")),
		"with its address":   of(text("one two /x/y?z=1"), text("/x/y three")),
		"with a block above": of(parent("one two three four"), text("one two"), text("three")),
	} {
		if same != base {
			t.Errorf("%s it is another", name)
		}
	}
	for name, other := range map[string]uint64{
		"another word":            of(text("one two"), text("four")),
		"another order":           of(text("two one"), text("three")),
		"words that are one":      of(text("onetwo"), text("three")),
		"the address of another":  of(text("one two /x/z"), text("three")),
		"nothing":                 of(),
		"nothing but digits":      of(text("12 34")),
		"the home page's address": textOf("https://a.test/", []plat.Block{text("one / two"), text("three")}),
	} {
		if other == base {
			t.Errorf("%s: it is the same", name)
		}
	}
	if of() != 0 || of(text("12")) != 0 || of(parent("words")) != 0 || base == 0 {
		t.Error("only an answer without words has the text 0")
	}
}

func TestAnswersOfOtherURLsAreCounted(t *testing.T) {
	var s Answers
	const noon = 1_000_000
	given := func(url, was, is uint64, own bool, at int64) (came, others int) {
		return s.note("a.test", given{url: url, was: was, is: is, own: own, at: at}, true)
	}
	check := func(what string, came, own, wantCame, wantOwn int) {
		t.Helper()
		if came != wantCame || own != wantOwn {
			t.Errorf("%s: %d came, %d own; want %d, %d", what, came, own, wantCame, wantOwn)
		}
	}
	came, own := given(1, 11, 99, false, noon)
	check("the first", came, own, 0, 0)
	came, own = given(2, 12, 99, false, noon)
	check("the second", came, own, 1, 0)
	came, own = given(2, 12, 99, false, noon)
	check("the second again", came, own, 1, 0)
	came, own = given(3, 11, 99, false, noon)
	check("one that lost the same page as the first", came, own, 1, 0)
	came, own = given(4, 99, 99, true, noon)
	check("one whose page it is", came, own, 2, 0)
	came, own = given(5, 15, 99, false, noon)
	check("one after it", came, own, 2, 1)
	came, own = given(6, 16, 98, false, noon)
	check("another answer", came, own, 0, 0)
	hours := int64(lately / time.Second)
	came, own = given(7, 17, 99, false, noon+hours)
	check("six hours later", came, own, 3, 1)
	came, own = given(8, 18, 99, false, noon+hours+1)
	check("a second later", came, own, 1, 1)
	came, own = s.note("b.test", given2(9, 19, 99, noon), true)
	check("on another host", came, own, 0, 0)

	came, own = s.note("a.test", given2(10, 20, 97, noon), false)
	check("without a version", came, own, 0, 0)
	came, own = given(11, 21, 97, false, noon)
	check("one that was not kept", came, own, 0, 0)
	for i := range uint64(maxURLs) {
		given(100+i, 200+i, 96, false, noon)
	}
	came, own = given(99, 98, 96, false, noon)
	check("as many as are kept", came, own, maxURLs, 0)
	came, own = given(98, 97, 99, false, noon)
	check("those of before", came, own, 0, 0)
}

func given2(url, was, is uint64, at int64) given { return given{url: url, was: was, is: is, at: at} }

// A page that leads elsewhere led there already when it was stored.
func TestAnAnswerFromWhereThePageLedBefore(t *testing.T) {
	const u, final = "https://a.test/x", "https://a.test/y"
	long := strings.Repeat("herring salt lanterns pilots ropes timber bread ", 5)
	for led, want := range map[string]plat.Outcome{final: plat.OutcomeReplaced, u: plat.OutcomeMoved} {
		var s Answers
		at := time.Unix(1_000_000, 0)
		notice := []plat.Block{text("the quay is closed to visitors until further notice")}
		for _, path := range []string{"https://a.test/1", "https://a.test/2"} {
			old := &plat.Version{Blocks: []plat.Block{text(long + path[len(path)-1:])}, Capture: plat.Capture{FinalURL: path}}
			s.Of(path, old, notice, []plat.Change{{Kind: plat.Content}}, &plat.Snapshot{FinalURL: path}, at)
		}
		old := &plat.Version{Blocks: []plat.Block{text(long + "z")}, Capture: plat.Capture{FinalURL: led}}
		if got := s.Of(u, old, notice, []plat.Change{{Kind: plat.Content}}, &plat.Snapshot{FinalURL: final}, at); got.Outcome != want {
			t.Errorf("led to %s before: %q (%s), want %q", led, got.Outcome, got.Why, want)
		}
	}
}
