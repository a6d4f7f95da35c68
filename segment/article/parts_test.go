package article

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestWordsInScriptsWithoutBlanks(t *testing.T) {
	for r, want := range map[rune]bool{'日': true, 'か': true, 'カ': true, 'ไ': true, 'ລ': true, 'ខ': true, 'မ': true, '한': false, 'a': false, '—': false, 'д': false, '…': false, 'ア': true} {
		if blankless(r) != want {
			t.Errorf("%c is of a script without blanks: %v", r, !want)
		}
	}
	for s, want := range map[string]string{
		"": "", "One two, THREE-4": "one two three 4", "日本 x": "日 本 x", "a日b": "a 日 b", "한국 어": "한국 어", "—": "", "don't": "don t",
	} {
		if got := strings.Join(tokens(s), " "); got != want {
			t.Errorf("%q has the words %q, want %q", s, got, want)
		}
	}
	for s, want := range map[string]int{"": 0, "one two": 2, "日本": 2, "日本語で": 3, "a 日": 2, "한국 어": 2} {
		if got := wordCount(s); got != want {
			t.Errorf("%q counts as %d words, want %d", s, got, want)
		}
	}
	for _, tc := range []struct {
		a, b string
		want bool
	}{{"A-b 1", "ab1", true}, {"", "", false}, {"-", "", false}, {"a", "b", false}} {
		if same(tc.a, tc.b) != tc.want {
			t.Errorf("%q and %q are the same: %v", tc.a, tc.b, !tc.want)
		}
	}
	for _, tc := range []struct {
		s    string
		n    int
		want string
	}{{"abc", 3, "abc"}, {"abc", 2, "ab"}, {"aä", 2, "a"}, {"日本", 5, "日"}, {"ä", 1, ""}} {
		if got := cut(tc.s, tc.n); got != tc.want {
			t.Errorf("cut(%q, %d) = %q", tc.s, tc.n, got)
		}
	}
}

func TestTheSiteIsNoPartOfATitle(t *testing.T) {
	for _, tc := range []struct {
		title, site string
		guess       bool
		want        string
	}{
		{"A new bridge | Harbour News", "Harbour News", false, "A new bridge"},
		{"Harbour News - A new bridge", "Harbour News", false, "A new bridge"},
		{"A new bridge | Harbour News | Harbour News", "Harbour News", false, "A new bridge"},
		{"A new bridge - The Daily", "", false, "A new bridge - The Daily"},
		{"A new bridge - The Daily", "", true, "A new bridge"},
		{"A bridge - The Daily", "", true, "A bridge - The Daily"},                                           // the rest is short, too
		{"A new bridge - and why it took five years", "", true, "A new bridge - and why it took five years"}, // no name is so long
		{"A new bridge - one two three four", "", true, "A new bridge"},
		{"A new bridge", "Harbour News", true, "A new bridge"},
		{"A new bridge|Harbour News", "Harbour News", false, "A new bridge"},
		{"state-of-the-art", "art", false, "state-of-the"},
		{"state-of-the-art", "", true, "state-of-the-art"},
		{"新大桥通车了_新闻网", "", true, "新大桥通车了"},
		{"snake_case names are ugly", "", true, "snake_case names are ugly"},
		{"a | b | b | b | b", "b", false, "a | b"},
	} {
		if got := withoutSite(tc.title, tc.site, tc.guess); got != tc.want {
			t.Errorf("%q of %q: %q, want %q", tc.title, tc.site, got, tc.want)
		}
	}
}

func TestNamesOfBylines(t *testing.T) {
	for s, want := range map[string]string{
		"Anna Berg": "Anna Berg", " by  Anna   Berg ": "Anna Berg", "Von Anna Berg": "Anna Berg", "“Anna Berg”": "Anna Berg", "Text: Anna Berg": "Anna Berg", "Author: Anna Berg,": "Anna Berg", "—": "",
	} {
		if got := cleanName(s); got != want {
			t.Errorf("%q is cleaned to %q, want %q", s, got, want)
		}
	}
	for s, want := range map[string][]string{
		"Anna Berg and Jon Lund":         {"Anna Berg", "Jon Lund"},
		"Anna Berg, Jon Lund & Mia Holm": {"Anna Berg", "Jon Lund", "Mia Holm"},
		"Anna Berg | Harbour News":       {"Anna Berg"},
		"Anna Berg am 3. Mai":            {"Anna Berg"},
		"Anna Berg 24 November":          {"Anna Berg"},
		"Anna Berg November 24":          {"Anna Berg"},
		"Al 24":                          {"Al 24"},
		"张三、李四":                          {"张三", "李四"},
		"https://a.test/":                nil,
		"":                               nil,
	} {
		if got := splitNames(s); !slices.Equal(got, want) {
			t.Errorf("%q has the names %q, want %q", s, got, want)
		}
	}
	for s, want := range map[string]bool{
		"Anna Berg": true, "Anna van der Berg": true, "anna berg": false, "Anna": false, "A B C D E": true, "A B C D E F": false, "Anna Berg2": false, "Anna www.berg.test": false,
		"Anna @berg": false, "J. R. Berg": true, "Anna J.R.": true, "": false, strings.Repeat("A", 30) + " " + strings.Repeat("B", 29): true, strings.Repeat("A", 30) + " " + strings.Repeat("B", 30): false,
	} {
		if got := looksLikePerson(s); got != want {
			t.Errorf("%q looks like a person: %v", s, got)
		}
	}
	for s, want := range map[string]string{
		"By Anna Berg": "Anna Berg true", "by: Anna Berg": "Anna Berg true", "ByAnna Berg": "Anna Berg true", "Bystander": "Bystander false", "Posted on 13 January 2014 by Anna Berg": "Anna Berg true",
		"Seen by Anna Berg": "Seen by Anna Berg false", "by": "by false", "Publiziert am 13. Januar 2014 von Anna Berg": "Anna Berg true",
	} {
		rest, ok := afterByline(s)
		if got := fmt.Sprint(rest, " ", ok); got != want {
			t.Errorf("after the byline of %q: %q, want %q", s, got, want)
		}
	}
	for _, tc := range []struct{ in, want string }{
		{"admiral42", "admiral42"}, {"The Harbour Desk", "The Harbour Desk"}, {"One Two Three Four", "One Two Three Four"}, {"One Two Three Four Five", ""}, {strings.Repeat("a", 40), strings.Repeat("a", 40)},
		{strings.Repeat("a", 41), ""}, {"why?", ""}, {"42", ""}, {"24 November 2026", ""}, {"", ""},
	} {
		if got := strings.Join(oneName([]string{tc.in, "Other Name"}), "|"); got != tc.want {
			t.Errorf("the first name of %q is %q, want %q", tc.in, got, tc.want)
		}
	}
	if oneName(nil) != nil {
		t.Error("no names have a first one")
	}
}
