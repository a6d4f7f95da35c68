package watch

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"plat/plat"
)

// news returns a page with a list of links.
func news(t *testing.T, titles ...string) *Page {
	var b strings.Builder
	for _, s := range titles {
		b.WriteString(`<li><a href="/` + strings.ReplaceAll(s, " ", "-") + `">` + s + `</a></li>`)
	}
	return pageOf(t, pageURL, `<main><ul class="news">`+b.String()+`</ul></main>`)
}

// told returns what a check of a page reports.
func told(t *testing.T, m *Memory, p *Page, opt Options) []string {
	t.Helper()
	r, err := m.Look(p, opt)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for i := range r.Items {
		all = append(all, string(r.Items[i].Kind)+" "+r.Items[i].Title)
	}
	return all
}

func TestMethodsDifferInWhatIsNew(t *testing.T) {
	one, two := []string{"Bridge opens", "Mill closes", "Ferry waits", "Crane falls", "Pier stands", "Ship lands"}, []string{"Storm comes", "Bridge opens", "Ship lands", "Mill closes", "Ferry waits", "Crane falls", "Pier stands"}
	three := append([]string{"Old returns"}, one...)
	for _, tc := range []struct {
		method      Method
		second      []string // of two after one: a new entry, and one that moved
		third       []string // of three after two after a page with its first entry
		description string
	}{
		{Full, []string{"new Storm comes"}, nil, "all of history"}, {NoVote, []string{"new Storm comes"}, nil, "without a vote"}, {Improved, []string{"new Storm comes"}, []string{"new Old returns"}, "the last check"}, {Plain, []string{"new Storm comes", "new Ship lands"}, []string{"new Old returns", "new Ship lands"}, "the order"},
	} {
		m := New()
		opt := Options{Method: tc.method}
		if got := told(t, m, news(t, append([]string{"Old returns"}, one...)...), opt); got != nil {
			t.Errorf("%s: the first check tells %q", tc.description, got)
		}
		told(t, m, news(t, one...), opt)
		if got := told(t, m, news(t, two...), opt); !slices.Equal(got, tc.second) {
			t.Errorf("%s: %q, want %q", tc.description, got, tc.second)
		}
		got := slices.DeleteFunc(told(t, m, news(t, three...), opt), func(s string) bool { return !strings.HasPrefix(s, "new ") })
		if !slices.Equal(got, tc.third) {
			t.Errorf("%s: then %q, want %q", tc.description, got, tc.third)
		}
	}
}

// Where a list has a new shape, what the page said before is not new.
func TestANewShapeOfAListTellsNothingThatWasThere(t *testing.T) {
	titles := []string{"Bridge opens", "Mill closes", "Ferry waits", "Crane falls", "Pier stands", "Ship lands"}
	const words = "Words about the harbour of our town. "
	plain := func(said string) *Page { return pageOf(t, pageURL, `<main><p>`+words+said+`</p></main>`) }
	for name, tc := range map[string]struct {
		before func() (string, error)
		want   []string
		err    bool
	}{
		"unknown": {nil, []string{"new Bridge opens", "new Mill closes"}, false}, "one was there": {func() (string, error) { return "… the mill CLOSES today", nil }, []string{"new Bridge opens"}, false}, "part of a word": {func() (string, error) { return "the mill closest to us", nil }, []string{"new Bridge opens", "new Mill closes"}, false}, "an error": {func() (string, error) { return "", errors.New("broken") }, nil, true},
	} {
		m := New()
		told(t, m, plain(""), Options{})
		m.seen.again([]mark{{title: sum(titleKey(titles[2]))}, {title: sum(titleKey(titles[3]))}, {title: sum(titleKey(titles[4]))}, {title: sum(titleKey(titles[5]))}}, 99)
		p := news(t, titles...)
		p.Before = tc.before
		r, err := m.Look(p, Options{})
		if (err != nil) != tc.err {
			t.Fatalf("%s: %v", name, err)
		}
		if err != nil {
			continue
		}
		var got []string
		for i := range r.Items {
			got = append(got, string(r.Items[i].Kind)+" "+r.Items[i].Title)
		}
		if !slices.Equal(got, tc.want) {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}

func TestTextOfAVersion(t *testing.T) {
	blocks := []plat.Block{{Slot: -1, Text: "all"}, {Text: "One, two"}, {Text: ""}, {Text: "three"}}
	if got := Text(blocks); got != "One, two\n\nthree\n" {
		t.Errorf("the text is %q", got)
	}
	still := stillThere(&Page{Blocks: blocks})
	for title, want := range map[string]bool{"TWO three": true, "one": true, "on": false, "four": false} {
		if got := still(Item{Kind: plat.ItemRemoved, Entry: Entry{Title: title}}); got != want {
			t.Errorf("%q is still there: %v", title, got)
		}
		if still(Item{Kind: plat.ItemNew, Entry: Entry{Title: title}}) {
			t.Errorf("a new %q is still there", title)
		}
	}
	if !wordsOf("A b, c").has("b c") || wordsOf("A b, c").has("b") != true || wordsOf("ab").has("a") {
		t.Error("words of a text")
	}
}
