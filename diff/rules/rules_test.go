package rules

import (
	"strings"
	"testing"
	"time"

	"plat/diff"
	"plat/diff/noise"
	"plat/plat"
	"plat/segment/markup"
)

func compiled(t *testing.T, all ...Rule) Set {
	t.Helper()
	for i := range all {
		if all[i].URL == "" {
			all[i].URL = "https://a.test/"
		}
		if err := all[i].Compile(); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// page returns a version of a page: each part is a leaf, in a <main> of the layout.
func page(parts ...string) Side {
	html := "<!DOCTYPE html><html><body><header>head</header><main class=\"news\"></main></body></html>"
	l := plat.Layout{HTML: []byte(html), Slots: []int32{int32(strings.Index(html, "</main>"))}}
	s := Side{Layout: &l}
	for i, p := range parts {
		b := plat.Block{Path: []int32{0, 1, 1, int32(i)}, Run: 1, Slot: 0, Pos: int32(i), Hash: plat.HashOf([]byte(p)), Content: []byte(p), Text: markup.Text([]byte(p), nil), Lineage: int32(i + 1)}
		s.Blocks = append(s.Blocks, b)
	}
	return s
}

// noLook reports that a second rendering is not possible.
func noLook() (*noise.Again, error) { return nil, nil }

// weighed compares two versions without a second rendering. It returns the kinds of the changes that
// are news, and of those that are not, with their reasons.
func weighed(t *testing.T, set Set, old, now Side) (news, held string) {
	t.Helper()
	res := diff.Compare(diff.Side{Layout: old.Layout, Blocks: old.Blocks, Lineages: 100, Coverage: 1}, diff.Side{Layout: now.Layout, Blocks: now.Blocks, Coverage: 1})
	at := time.Date(2026, 11, 24, 12, 3, 0, 0, time.UTC)
	w, err := noise.Weigh(noise.New, noise.Look{Blocks: old.Blocks, At: at}, noise.Look{Blocks: now.Blocks, At: at.Add(time.Hour)}, &res.Changes, &noise.Mask{}, set.Given(old, now), noLook)
	if err != nil {
		t.Fatal(err)
	}
	var a, b []string
	for _, c := range res.Changes.Blocks {
		a = append(a, string(c.Kind))
	}
	for _, own := range w.SelfChanges {
		if own.Kind != plat.Same {
			b = append(b, string(own.Kind)+" "+own.Why)
		}
	}
	return strings.Join(a, ", "), strings.Join(b, ", ")
}

const story = "<p>The harbour lies behind two moles that were built when the town still lived on herring.</p>"

func TestRulesSayWhatIsNews(t *testing.T) {
	views := func(n, rest string) string {
		return "<div><p>Seen by <b>" + n + "</b> readers</p><p>" + rest + "</p></div>"
	}
	for name, x := range map[string]struct {
		rules     []Rule
		old, now  Side
		news, out string
	}{
		"no rule":                 {nil, page(story, "<p>one</p>"), page(story, "<p>two</p>"), "content", ""},
		"a block":                 {[]Rule{{Block: 2}}, page(story, "<p>one</p>"), page(story, "<p>two</p>"), "", "content ignored"},
		"another block":           {[]Rule{{Block: 1}}, page(story, "<p>one</p>"), page(story, "<p>two</p>"), "content", ""},
		"a block that is gone":    {[]Rule{{Block: 2}}, page(story, "<p>one</p>"), page(story), "", "removed ignored"},
		"text":                    {[]Rule{{Text: "Seen by [0-9]+ readers"}}, page(views("12", "x")), page(views("15", "x")), "", "content ignored"},
		"text beside a change":    {[]Rule{{Text: "Seen by [0-9]+ readers"}}, page(views("12", "x")), page(views("15", "y")), "content", ""},
		"text of all readers":     {[]Rule{{Text: "(?s).+"}}, page(views("12", "x")), page(views("15", "y")), "", "content ignored"},
		"text, and a link":        {[]Rule{{Text: "[0-9]+ readers"}}, page("<p>12 readers <a href=/a>all</a></p>"), page("<p>15 readers <a href=/b>all</a></p>"), "link", ""},
		"a block of such text":    {[]Rule{{Text: "Ad: .*"}}, page(story), page(story, "<p>Ad: buy</p>"), "", "added ignored"},
		"one with more in it":     {[]Rule{{Text: "Ad: [a-z]*"}}, page(story), page(story, "<p>Ad: buy now</p>"), "added", ""},
		"a selector":              {[]Rule{{Selector: "b"}}, page(views("12", "x")), page(views("15", "x")), "", "content ignored"},
		"beside what it selects":  {[]Rule{{Selector: "b"}}, page(views("12", "x")), page(views("15", "y")), "content", ""},
		"of what is around":       {[]Rule{{Selector: "main.news"}}, page(story, "<p>one</p>"), page(story, "<p>two</p>", "<p>three</p>"), "", "content ignored, added ignored"},
		"where a link leads":      {[]Rule{{Selector: "main.news"}}, page(story, "<p><a href=/a>Next</a> one</p>"), page(story, "<p><a href=/b>Next</a> two</p>", "<p>three</p>"), "", "content ignored, added ignored"},
		"of a whole block":        {[]Rule{{Selector: "div.ad"}}, page(story, "<div class=ad><p>one</p><p hidden>x</p></div>"), page(story), "", "removed ignored"},
		"of nothing":              {[]Rule{{Selector: "nav"}}, page("<p>one</p>"), page("<p>two</p>"), "content", ""},
		"watched all the same":    {[]Rule{{Block: 2}, {Block: 2, Watch: true}}, page(story, "<p>one</p>"), page(story, "<p>two</p>"), "content", ""},
		"a clock":                 {nil, page("<p>It is 12:03 o'clock here</p>"), page("<p>It is 13:03 o'clock here</p>"), "", "content clock"},
		"a clock that is watched": {[]Rule{{Text: "[0-9]+:[0-9]+", Watch: true}}, page("<p>It is 12:03 o'clock here</p>"), page("<p>It is 13:03 o'clock here</p>"), "content", ""},
		"a clock beside it":       {[]Rule{{Selector: "#price", Watch: true}}, page("<p>It is 12:03 o'clock here <b id=price>7 €</b></p>"), page("<p>It is 13:03 o'clock here <b id=price>7 €</b></p>"), "", "content clock"},
	} {
		news, out := weighed(t, compiled(t, x.rules...), x.old, x.now)
		if news != x.news || out != x.out {
			t.Errorf("%s: news %q, held back %q; want %q and %q", name, news, out, x.news, x.out)
		}
	}
}

func TestRulesOfAPageHoldForIt(t *testing.T) {
	set := compiled(t, Rule{Block: 1}, Rule{URL: "a.test/news/*", Text: "x"}, Rule{URL: "*", Selector: "b"}, Rule{URL: "https://b.test/", Block: 3})
	for url, want := range map[string]int{"https://a.test/": 2, "https://a.test/news/1": 2, "https://b.test/": 2, "https://c.test/x": 1, "::": 0} {
		if got := len(set.For(url)); got != want {
			t.Errorf("%s has %d rules, want %d", url, got, want)
		}
	}
}

func TestWrongRulesAreRefused(t *testing.T) {
	for _, r := range []Rule{
		{}, {Block: 1, Text: "x"}, {Block: -1}, {Text: "("}, {Text: "x*"}, {Selector: ">"}, {URL: "a.test/*", Block: 1}, {URL: "ftp://a.test/", Text: "x"},
		{Text: strings.Repeat("x", 2000)}, {Text: "(a|b|c){1000}"},
	} {
		if r.URL == "" {
			r.URL = "https://a.test/"
		}
		if err := r.Compile(); err == nil {
			t.Errorf("%+v is taken", r)
		}
	}
}

func TestRulesAreReadAsTheyAreWritten(t *testing.T) {
	text := "ignore:\n  - url: '*'\n    selector: aside.weather\n  - url: https://A.test/\n    block: 12\nwatch:\n  - url: https://a.test/\n    text: sold out\n"
	set, err := Parse(strings.NewReader(text))
	if err != nil || len(set) != 3 {
		t.Fatalf("%v, %v", set, err)
	}
	again, err := Parse(strings.NewReader(set.YAML()))
	if err != nil || again.YAML() != set.YAML() || !strings.Contains(set.YAML(), "https://a.test/") {
		t.Errorf("%s, %v", set.YAML(), err)
	}
	notes := map[string]string{}
	for i := range set {
		name, text := set[i].Note()
		if !strings.HasPrefix(name, Prefix) || notes[name] != "" {
			t.Errorf("note %s", name)
		}
		notes[name] = text
	}
	kept, err := FromNotes(notes)
	if err != nil || kept.YAML() != set.YAML() {
		t.Errorf("kept as\n%s, %v; want\n%s", kept.YAML(), err, set.YAML())
	}
	notes[Prefix+"x"], notes[Prefix+"y"] = "{", `{"url":"*","xpath":"//b"}`
	if kept, err = FromNotes(notes); err == nil || len(kept) != 3 {
		t.Errorf("damaged notes: %d rules, %v", len(kept), err)
	}
	if empty, err := Parse(strings.NewReader("")); err != nil || len(empty) != 0 || empty.YAML() != "" {
		t.Errorf("no text: %v, %v", empty, err)
	}
	for _, wrong := range []string{"ignore: [{url: x, blok: 1}]", "block: 1", "ignore: 1", "ignore:\n - url: https://a.test/", ":", "watch: [1]"} {
		if _, err := Parse(strings.NewReader(wrong)); err == nil || strings.Contains(err.Error(), "rules.") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q is taken, or what is wrong is not said in words: %v", wrong, err)
		}
	}
}

// Rules come from users, pages are untrusted input: nothing may panic, and ignored ranges lie within
// the texts.
func FuzzGiven(f *testing.F) {
	f.Add("[0-9]+", "b", "<p>a <b>1</b></p>", "<p>a <b>2</b> \xff</p>")
	f.Add("é+", "p p, :not(x)", "<table><p>é</table>", "<!--plat-begin-7--><b>x</b>")
	f.Fuzz(func(t *testing.T, text, selector, was, is string) {
		var set Set
		for _, r := range []Rule{{URL: "*", Text: text}, {URL: "*", Selector: selector}, {URL: "*", Text: text, Watch: true}} {
			if r.Compile() == nil {
				set = append(set, r)
			}
		}
		old, now := page(was), page(is)
		g := set.Given(old, now)
		if g == nil {
			return
		}
		for _, c := range []plat.Change{{Old: 0, New: 0}, {Old: -1, New: 0}, {Old: 0, New: -1}} {
			g.Watched(c)
			_, a, b := g.Ignored(c)
			for i, side := range [][]plat.Range{a, b} {
				n := len([]string{old.Blocks[0].Text, now.Blocks[0].Text}[i])
				at := 0
				for _, r := range side {
					if r.From < at || r.To < r.From || r.To > n {
						t.Fatalf("range %v of %d bytes after %d", r, n, at)
					}
					at = r.To
				}
			}
		}
		weighed(t, set, page(was), page(is))
	})
}

// An advertisement that a rule covers may contain any bytes, including ones that look like a mark.
// The rule covers only the advertisement; the change of the article beside it is news.
func TestAPageDoesNotDecideWhatARuleCovers(t *testing.T) {
	s := page(story)
	s.Blocks = append(s.Blocks, page("<p>two</p>").Blocks...)
	known := marksOf(s)
	for name, forged := range map[string]string{
		"marks of an older plat":       "<!--plat-end-1--><!--plat-begin-0--><i>x</i>",
		"all of them":                  "<!--plat-begin-0--><!--plat-begin-2--><i>x</i><!--plat-end-0-->",
		"no name":                      "<!--begin-0--><i>x</i><!--end-0--><!--begin--2-->",
		"those of a page like it":      "<!--" + known.end + "1--><!--" + known.begin + "0--><i>x</i>",
		"those of a page, to its end":  "<!--" + known.begin + "0--><!--" + known.begin + "2-->",
		"in an attribute":              "<i title='<!--" + known.begin + "0--><!--plat-begin-0-->'>x</i>",
		"in a part that is not parsed": "<textarea><!--plat-begin-0--></textarea><template><!--plat-begin-0--></template><svg><!--plat-begin-0--></svg>",
	} {
		ad := "<div class=ad>" + forged + "<p>Buy one</p></div>"
		for _, changes := range []int{0, 2} {
			old, now := []string{story, ad, story + "<p>one</p>"}, []string{story, ad, story + "<p>one</p>"}
			now[changes] = strings.Replace(now[changes], "herring", "tourists", 1)
			news, out := weighed(t, compiled(t, Rule{Selector: "div.ad"}), page(old...), page(now...))
			if news != "content" || out != "" {
				t.Errorf("%s, block %d changes: news %q, held back %q; want content as news", name, changes, news, out)
			}
		}
		news, out := weighed(t, compiled(t, Rule{Selector: "div.ad"}), page(story, ad), page(story, strings.Replace(ad, "one", "two", 1)))
		if news != "" || out != "content ignored" {
			t.Errorf("%s: the advertisement changes: news %q, held back %q; want content as ignored", name, news, out)
		}
	}
}

func TestRulesOfParts(t *testing.T) {
	all, err := Of("https://a.test/", []int32{7}, []string{"a+"}, []string{".ad"}, true)
	if err != nil || len(all) != 3 {
		t.Fatalf("rules %v, %v", all, err)
	}
	for i, want := range []string{"watch block 7 of https://a.test/", `watch text "a+" of https://a.test/`, `watch selector ".ad" of https://a.test/`} {
		if got := all[i].String(); got != want {
			t.Errorf("rule %d is %q, want %q", i, got, want)
		}
	}
	ignored, err := Of("https://a.test/", []int32{7}, nil, nil, false)
	if err != nil || ignored[0].String() != "ignore block 7 of https://a.test/" {
		t.Errorf("rules %v, %v", ignored, err)
	}
	if all[:2].Selects() || !all.Selects() {
		t.Error("only a rule with a selector selects")
	}
	if _, err := Of("https://a.test/", nil, []string{"("}, nil, false); err == nil {
		t.Error("a text that is no expression is a rule")
	}

	set := append(all, ignored...)
	if b := set.OfBlock("https://a.test/", 7); !b.Watched || !b.Ignored || len(b.Others) != 2 || b.Lineage != 7 || b.URL != "https://a.test/" {
		t.Errorf("of block 7: %+v", b)
	}
	if b := all.OfBlock("https://a.test/", 7); !b.Watched || b.Ignored {
		t.Errorf("of a block that is watched: %+v", b)
	}
	if b := set.OfBlock("https://a.test/", 8); b.Watched || b.Ignored || len(b.Others) != 2 {
		t.Errorf("of block 8: %+v", b)
	}
	if b := set.OfBlock("https://b.test/", 7); b.Watched || b.Ignored || len(b.Others) != 0 {
		t.Errorf("of a block of another page: %+v", b)
	}
}

func TestBlocksThatARuleTouches(t *testing.T) {
	side := page("<p>one two</p>", `<p class="ad">two</p>`, "<div><p class=\"ad\">three</p> four</div>")
	parent := side.Blocks[0]
	parent.Slot, parent.Lineage = -1, 9
	side.Blocks = append(side.Blocks, parent)
	for _, tc := range []struct {
		rule Rule
		want int
	}{
		{Rule{Block: 2}, 1}, {Rule{Block: 9}, 0}, {Rule{Block: 10}, 0},
		{Rule{Text: "two"}, 2}, {Rule{Text: "five"}, 0},
		{Rule{Selector: ".ad"}, 2}, {Rule{Selector: "main"}, 3}, {Rule{Selector: ".none"}, 0},
	} {
		set := compiled(t, tc.rule)
		if got := set[0].Touches(side); got != tc.want {
			t.Errorf("%s touches %d blocks, want %d", set[0].String(), got, tc.want)
		}
	}
}

func TestLimitsOfRules(t *testing.T) {
	long := strings.Repeat("a", maxText)
	for _, r := range []Rule{{Text: long}, {Selector: long}, {Text: "a*", Watch: true}, {Block: 1}} {
		r.URL = "https://a.test/"
		if err := r.Compile(); err != nil {
			t.Errorf("%.20s: %v", r.String(), err)
		}
	}
	for _, r := range []Rule{{Text: long + "a"}, {Selector: long + "a"}, {Text: "a*"}, {Block: -1}, {}, {Block: 1, Text: "a"}, {URL: "https://a.test/*", Block: 1}, {URL: "ftp://a.test/", Block: 1}} {
		if r.URL == "" {
			r.URL = "https://a.test/"
		}
		if r.Compile() == nil {
			t.Errorf("%.20s is a rule", r.String())
		}
	}
	r := Rule{URL: "HTTPS://A.test/x/../y", Block: 1}
	if err := r.Compile(); err != nil || r.URL != "https://a.test/y" {
		t.Errorf("the URL is %s, %v", r.URL, err)
	}
}

func TestWhatAChangeTouchesOfARule(t *testing.T) {
	change := plat.Change{Kind: plat.Content, Old: 0, New: 0, Lineage: 1}
	for _, tc := range []struct {
		name     string
		rule     Rule
		old, now string
		want     bool
	}{
		{"a text that came", Rule{Text: `\d+ euros`}, "free", "20 euros", true},
		{"a text that went", Rule{Text: `\d+ euros`}, "20 euros", "free", true},
		{"another text", Rule{Text: `\d+ euros`}, "20 euros a day", "30 euros a day", true},
		{"words beside it", Rule{Text: `\d+ euros`}, "20 euros a day", "20 euros a week", false},
		{"no such text", Rule{Text: `\d+ euros`}, "a day", "a week", false},
		{"the block", Rule{Block: 1}, "a day", "a week", true},
		{"another block", Rule{Block: 2}, "a day", "a week", false},
	} {
		tc.rule.Watch = true
		given := compiled(t, tc.rule).Given(page("<p>"+tc.old+"</p>"), page("<p>"+tc.now+"</p>"))
		if got := given.Watched(change); got != tc.want {
			t.Errorf("%s is watched: %v", tc.name, got)
		}
		if all, _, _ := given.Ignored(change); all {
			t.Errorf("%s is ignored", tc.name)
		}
	}
	ignore := compiled(t, Rule{Text: `\d+ euros`})
	for _, tc := range []struct {
		name     string
		change   plat.Change
		old, now string
		want     bool
	}{
		{"a block that came with nothing else", plat.Change{Old: -1, New: 0}, "x", "20 euros", true},
		{"a block that came with more", plat.Change{Old: -1, New: 0}, "x", "20 euros a day", false},
		{"a block that came without it", plat.Change{Old: -1, New: 0}, "x", "a day", false},
		{"a block that went with nothing else", plat.Change{Old: 0, New: -1}, "20 euros", "x", true},
		{"a block that went with more", plat.Change{Old: 0, New: -1}, "20 euros a day", "x", false},
		{"a block that has it now", plat.Change{Old: 0, New: 0}, "x", "20 euros", false},
	} {
		given := ignore.Given(page("<p>"+tc.old+"</p>"), page("<p>"+tc.now+"</p>"))
		if all, _, _ := given.Ignored(tc.change); all != tc.want {
			t.Errorf("%s is ignored: %v", tc.name, all)
		}
		if given.Watched(tc.change) {
			t.Errorf("%s is watched", tc.name)
		}
	}
	if Set(nil).Given(page("<p>x</p>"), page("<p>y</p>")) != nil {
		t.Error("no rules say something")
	}
}
