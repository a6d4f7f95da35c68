package main

import (
	"slices"
	"testing"
	"time"
)

func words(text string) bag {
	b := bag{}
	b.add(wordsOf(text))
	return b
}

func TestRecallCountsEachWordAsOftenAsTheTruthHasIt(t *testing.T) {
	for _, tc := range []struct {
		truth, got string
		want       float64
	}{
		{"one two three four", "four three, two; one!", 1},
		{"one two three four", "one two", 0.5},
		{"again again again again", "again", 0.25},
		{"again", "again again more", 1},
		{"Übung 3.5 naïve", "übung 3 5 naïve", 0.75}, // letters of all alphabets, in their case
		{"some words", "", 0},
		{"", "more", 1},
		{"… – !", "", 1},
	} {
		if got := recall(words(tc.truth), words(tc.got)); got != tc.want {
			t.Errorf("recall(%q, %q) = %v, want %v", tc.truth, tc.got, got, tc.want)
		}
	}
}

func TestCapturesAreEqualIfTheyHaveTheSameWordsEquallyOften(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		want bool
	}{
		{"b a a", "a b, a", true},
		{"", "", true},
		{"a a b", "a b b", false},
		{"a a", "a", false},
		{"a", "a b", false},
		{"a b", "a c", false},
	} {
		if got := equal(words(tc.a), words(tc.b)); got != tc.want {
			t.Errorf("equal(%q, %q) = %v, want %v", tc.a, tc.b, got, tc.want)
		}
	}
}

func TestAURLOfTheTruthIsFoundUnderTheNameThatPlatGivesIt(t *testing.T) {
	for _, tc := range []struct{ origin, url, want string }{
		{"http://127.0.0.1:4000", "http://127.0.0.1:9411/s/vue.html?d=100", "http://127.0.0.1:4000/s/vue.html?d=100"},
		{"https://127.0.0.1:443", "http://127.0.0.1:9411/s/a/../vue.html", "https://127.0.0.1/s/vue.html"},
		{"http://127.0.0.1:4000", "http://127.0.0.1:9411/s/%7evue.html?k='", "http://127.0.0.1:4000/s/~vue.html?k=%27"},
		{"http://127.0.0.1:4000", "http://127.0.0.1:9411/s/vue.html?utm_source=x&d=1", "http://127.0.0.1:4000/s/vue.html?d=1"},
	} {
		if got, err := at(tc.origin, tc.url); err != nil || got != tc.want {
			t.Errorf("at(%q, %q) = %q, %v; want %q", tc.origin, tc.url, got, err, tc.want)
		}
	}
}

func TestAddressesThatPagesShowAreThoseTheyAreServedAt(t *testing.T) {
	const recorded = "Server http 127 0 0 1 9411 api and port 9411"
	if got, want := rebase(recorded, "https://127.0.0.1:4000"), "Server https 127 0 0 1 4000 api and port 9411"; got != want {
		t.Errorf("rebase = %q, want %q", got, want)
	}
}

func TestASummaryCountsPagesThatFailedOrWereForgotten(t *testing.T) {
	pages := []page{
		{URL: "http://a/", Name: "whole", Truth: words("one two")},
		{URL: "http://b/", Name: "half", Truth: words("one two")},
		{URL: "http://c/", Name: "failed", Truth: words("one two")},
		{URL: "http://d/", Name: "forgotten", Truth: words("one two")},
	}
	c := &capture{Wall: 2 * time.Second, CPU: 8 * time.Second, Pages: map[string]*result{
		"http://a/": {Wall: 100 * time.Millisecond, Visit: 3 * time.Second, Words: words("one two")},
		"http://b/": {Wall: 300 * time.Millisecond, Words: words("two"), Unsettled: true, Settle: "limit"},
		"http://c/": {Outcome: "timeout", Error: "too slow", Words: bag{}},
	}}
	f := sumUp(c, pages)
	if f.Words != 0.375 || f.Whole != 0.25 || f.Poor != 3 || f.Failed != 1 || f.Timeouts != 1 || f.Missing != 1 || f.Unsettled != 1 ||
		f.WallMS != 300 || f.CPUMS != 2000 || f.PerSecond != 2 || f.Settle["limit"] != 1 || f.Slowest[0] != (slow{"whole", 3000}) {
		t.Errorf("sumUp = %+v", f)
	}
	var names []string
	for _, s := range shortOf([]*capture{c}, pages) {
		names = append(names, s.Name+": "+s.Reason)
	}
	want := []string{"failed: timeout: too slow", "forgotten: plat said nothing of it", "half: limit, at a limit in time"}
	if !slices.Equal(names, want) {
		t.Errorf("pages that fall short: %q, want %q", names, want)
	}
}

func TestAPageIsListedByItsWorstCapture(t *testing.T) {
	pages := []page{{URL: "http://a/", Truth: words("one two")}}
	with := func(text string) *capture {
		return &capture{Pages: map[string]*result{"http://a/": {Words: words(text)}}}
	}
	all := shortOf([]*capture{with("one two"), with("one"), with("two one")}, pages)
	if len(all) != 1 || all[0].Recall != 0.5 || all[0].Whole != 2 || all[0].Of != 3 || !slices.Equal(all[0].Lacks, []string{"two"}) {
		t.Errorf("got %+v", all)
	}
}

func TestAPageVisitedSeveralTimesIsListedOnce(t *testing.T) {
	pages := goRound([]page{{URL: "http://a/", Name: "a", Truth: words("one two")}, {URL: "http://b/?d=1", Name: "b", Truth: words("one")}}, 5)
	var urls []string
	c := &capture{Pages: map[string]*result{}}
	for _, p := range pages {
		urls = append(urls, p.URL)
		c.Pages[p.URL] = &result{Words: words("one")}
	}
	if want := []string{"http://a/", "http://b/?d=1", "http://a/?round=1", "http://b/?d=1&round=1", "http://a/?round=2"}; !slices.Equal(urls, want) {
		t.Errorf("URLs %q, want %q", urls, want)
	}
	all := shortOf([]*capture{c}, pages)
	if len(all) != 1 || all[0].Name != "a" || all[0].Of != 3 || all[0].Whole != 0 {
		t.Errorf("got %+v", all)
	}
}

func TestAWordCutElsewhereIsToldFromOneThatIsMissing(t *testing.T) {
	for _, tc := range []struct {
		truth, got string
		want       bool
	}{
		{"mona cow", "monacow", true},
		{"mona cow same", "same more monacow", true},
		{"mona cow", "cow", false},
		{"mona cow", "mona cow", false},
		{"mona mona", "mona", false},
	} {
		if got := cutOtherwise(words(tc.truth), words(tc.got)); got != tc.want {
			t.Errorf("cutOtherwise(%q, %q) = %v", tc.truth, tc.got, got)
		}
	}
}

func TestTwoCapturesOfAPageThatFailedAreNotEqual(t *testing.T) {
	pages := []page{{URL: "a", Name: "same"}, {URL: "b", Name: "other"}, {URL: "c", Name: "failed"}, {URL: "d", Name: "missing"}}
	one := &capture{Pages: map[string]*result{"a": {Words: words("x y")}, "b": {Words: words("x")}, "c": {Error: "timeout"}}}
	two := &capture{Pages: map[string]*result{"a": {Words: words("y x")}, "b": {Words: words("y")}, "c": {Error: "timeout"}}}
	if share, differ := equalPages(one, two, pages); share != 0.25 || !slices.Equal(differ, []string{"other", "failed", "missing"}) {
		t.Errorf("got %v, %q", share, differ)
	}
}
