package watch

import (
	"strings"
	"testing"

	"golang.org/x/net/html/atom"
)

// texts checks what a function makes of texts.
func texts(t *testing.T, name string, f func(string) string, want map[string]string) {
	t.Helper()
	for in, want := range want {
		if got := f(in); got != want {
			t.Errorf("%s(%q) = %q, want %q", name, in, got, want)
		}
	}
}

func TestTitlesOfEntries(t *testing.T) {
	texts(t, "undated", (&tree{}).undated, map[string]string{
		"A new bridge, 24 November 2026": "A new bridge", "24 November 2026 – A new bridge": "A new bridge", "2026-11-24": "2026-11-24", "ab 2026-11-24": "ab 2026-11-24",
		"2026-11-24: ab": "2026-11-24: ab", "2026-11-24: abc": "abc", "abc (2026-11-24)": "abc", "no date": "no date", "abc 2026-11-24 def": "abc",
	})
	texts(t, "bare", bare, map[string]string{
		"flink 1.9.0 (asc, sha512)": "flink 1.9.0", "flink 1.9.0 - notes": "flink 1.9.0", "flink 1.9.0 | notes": "flink 1.9.0", "flink 1.9.0: notes": "flink 1.9.0",
		"flink 1.9.0 is here": "flink 1.9.0 is here", "flink 1.9.0": "flink 1.9.0", "1.9.0 (asc)": "1.9.0 (asc)", "flink": "flink",
	})
	texts(t, "tidy", tidy, map[string]string{
		"3. Bridge": "Bridge", "12) Bridge": "Bridge", "1234: Bridge": "Bridge", "12345. Bridge": "12345. Bridge", "3.5 metres": "3.5 metres", "a. Bridge": "a. Bridge", ". Bridge": ". Bridge",
		"Bridge ¶": "Bridge", "Bridge #": "Bridge", " Bridge ": "Bridge", "e\u0301": "é", strings.Repeat("ä", 600): strings.Repeat("ä", 500),
	})
	texts(t, "versionOf", versionOf, map[string]string{
		"flink 1.9.0": "1.9.0", "v1.2": "1.2", "release-1.2.3-rc1": "1.2.3", "V2.0 is out": "2.0", "1.2.": "1.2", "(1.2)": "1.2", "1.2beta": "1.2", "no version": "", "1": "", "a.b": "", ".5": "", "1..2": "", "x1.2": "",
		"www.a.test 3.4": "3.4",
	})
	texts(t, "titleKey", titleKey, map[string]string{
		"": "", " The  Bridge! ": "the bridge", "ＡＢＣ １２": "abc 12", "don't": "don t", "--": "", "日本、語": "日本 語", "a1-b2": "a1 b2",
	})
	texts(t, "masked", masked, map[string]string{"12 comments of 345": "0 comments of 0", "a1b22c": "a0b0c", "no number": "no number"})
	texts(t, "urlKey", urlKey, map[string]string{
		"https://a.test/": "a.test", "http://a.test/x/": "a.test/x", "a.test/x/index.html": "a.test/x", "https://a.test/index.htm": "a.test/index.htm", "": "",
	})
	for _, tc := range []struct {
		s    string
		n    int
		want string
	}{{"abc", 3, "abc"}, {"abc", 2, "ab"}, {"aä", 2, "a"}, {"ää", 2, "ä"}, {"ä", 1, ""}, {"日本", 5, "日"}} {
		if got := cut(tc.s, tc.n); got != tc.want {
			t.Errorf("cut(%q, %d) = %q, want %q", tc.s, tc.n, got, tc.want)
		}
	}
}

func TestWhatATextIs(t *testing.T) {
	for s, want := range map[string]bool{
		"Read more": true, "more…": true, "[PDF]": true, "a": true, "": true, "ab": false, "Read more books": false, "详情": true, "weiterlesen »": true,
	} {
		if vague(s) != want {
			t.Errorf("%q is vague: %v", s, !want)
		}
	}
	for s, want := range map[string]bool{
		"https://a.test/a.zip": true, "a.tgz?mirror=1": true, "a.deb": true, "a.html": false, "a.zip/": false, "zip": false, "a?x=.zip": false,
	} {
		if isFile(s) != want {
			t.Errorf("%s is a file: %v", s, !want)
		}
	}
	for s, want := range map[string]bool{"2026-11-24 A bridge": true, "- 2026-11-24": true, "On 2026-11-24": false, "A bridge": false} {
		if (&tree{}).opensWithDate(s) != want {
			t.Errorf("%q opens with a date: %v", s, !want)
		}
	}
	if d, _ := (&tree{}).dateIn([]string{"a", "b", "c", "d", "e", "2026-11-24", "2026-11-25"}); d.String() != "2026-11-24" {
		t.Errorf("the date is %v", d)
	}
	if d, _ := (&tree{}).dateIn([]string{"a", "b", "c", "d", "e", "f", "2026-11-24"}); d.OK() {
		t.Errorf("a date far below is %v", d)
	}
	for tag, want := range map[atom.Atom]int{atom.H1: 1, atom.H3: 3, atom.H6: 6, atom.Dt: 7, atom.P: 0, atom.Header: 0} {
		if got := headingLevel(tag); got != want {
			t.Errorf("%s is a heading of level %d, want %d", tag, got, want)
		}
	}
	for tag, want := range map[atom.Atom]bool{atom.Li: true, atom.Tr: true, atom.A: true, atom.Ul: true, 0: true, atom.Span: false, atom.Ol: false, atom.B: false} {
		if recordTag(tag) != want {
			t.Errorf("%s may be an entry: %v", tag, !want)
		}
	}
}

func TestProductsOfEntries(t *testing.T) {
	for _, tc := range []struct {
		title, url, want string
		linked           bool
	}{
		{"Apache Flink® 1.9.0", "", "flink 1.9.0", false},
		{"Flink 1.9.0", "https://a.test/flink-1.9.0.tgz", "flink 1.9.0", true},
		{"Flink 1.9.0", "https://a.test/news", "", true}, // an article
		{"Flink-Shaded™ release 1.9.0 (asc)", "", "flink shaded 1.9.0", false},
		{"Latest stable release 1.9.0", "", "", false},
		{"Flink", "", "", false},
		{"1.9.0", "", "", false},
	} {
		e := Entry{}
		e.Title, e.URL, e.linked, e.version = tc.title, tc.url, tc.linked, versionOf(tc.title)
		if got := e.product(); got != tc.want {
			t.Errorf("%q, %s: %q, want %q", tc.title, tc.url, got, tc.want)
		}
	}
}

func TestWhichEntriesAreReworded(t *testing.T) {
	for _, tc := range []struct {
		a, b, urlA, urlB string
		want             bool
	}{
		{"The new bridge opens", "The new bridge opens", "", "", true},
		{"The new bridge opens", "The new bridge opens", "u", "v", false},
		{"The new bridge opens", "The new bridge opens", "u", "", true},
		{"The new bridge opens", "The new bridge opens today", "", "", true},
		{"The new bridge opens", "The old bridge opens", "", "", true},
		{"The new bridge opens", "An old bridge opens", "", "", false},
		{"A bridge", "The bridge", "", "", false},
		{"12 comments", "15 comments", "", "", true},
		{"flink 1.9.0 for all", "flink 1.9.1 for all", "", "", false},
		{"", "", "", "", false},
	} {
		if got := wordingOf(tc.a, tc.urlA).revisedBy(wordingOf(tc.b, tc.urlB), func(string) bool { return false }); got != tc.want {
			t.Errorf("%q at %q and %q at %q: %v", tc.a, tc.urlA, tc.b, tc.urlB, got)
		}
	}
}

func TestEntriesOfLists(t *testing.T) {
	e := Entry{}
	e.Title, e.URL = "The Bridge", "https://a.test/bridge/"
	l := &Lists{Chosen: []List{{}, {Entries: []Entry{{}, e}}}}
	for _, tc := range []struct {
		title, url string
		want       bool
	}{{"the bridge!", "", true}, {"", "http://a.test/bridge", true}, {"another", "https://a.test/bridge", true}, {"The bridge", "https://b.test/", true}, {"another", "https://b.test/", false}, {"", "", false}} {
		if got := l.Has(tc.title, tc.url); got != tc.want {
			t.Errorf("%q, %s: %v", tc.title, tc.url, got)
		}
	}
}
