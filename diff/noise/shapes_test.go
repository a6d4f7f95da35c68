package noise

import (
	"testing"
	"unicode/utf8"
)

// TestWordsAreAloneBesideOtherCharacters: a letter or a digit of ASCII on either side makes a word a part of a
// longer one, nothing else does.
func TestWordsAreAloneBesideOtherCharacters(t *testing.T) {
	for c := range 128 {
		c := byte(c)
		want := !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9')
		before, after := &words{text: string([]byte{c, '3'})}, &words{text: string([]byte{'3', c})}
		if c|0x20 != c && want && c < 0x20 {
			continue // controls share bits with digits, and end no text
		}
		if before.alone(Span{1, 2}) != want || after.alone(Span{0, 1}) != want {
			t.Errorf("3 beside %q is alone: %v, %v; want %v", c, before.alone(Span{1, 2}), after.alone(Span{0, 1}), want)
		}
	}
	if w := (&words{text: "3"}); !w.alone(Span{0, 1}) {
		t.Error("the only word is not alone")
	}
}

// TestShapesOfWords: letters of all scripts are alike, and so are numbers; each mark is a shape of its own.
func TestShapesOfWords(t *testing.T) {
	for c := range rune(0x250) {
		text := string(c)
		want := byte(c)
		switch {
		case c >= '0' && c <= '9':
			want = '0'
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= utf8.RuneSelf:
			want = 'a'
		}
		if w := (&token{text: text}); w.shape() != want {
			t.Errorf("%q has the shape %q, want %q", text, w.shape(), want)
		}
	}
	if w := parse("14:05"); len(w.all) != 1 || w.all[0].shape() != 't' {
		t.Errorf("a time has the words %+v", w.all)
	}
}

// TestSpansOfTokens: of some tokens a span has all they cover; of none it is the position before the next one, or
// the end.
func TestSpansOfTokens(t *testing.T) {
	ts := parse("ab cd, ef").all // at 0, 3, 5 and 7
	for _, tc := range []struct {
		from, to int
		want     Span
	}{{0, 1, Span{0, 2}}, {0, 4, Span{0, 9}}, {1, 3, Span{3, 6}}, {0, 0, Span{0, 0}}, {1, 1, Span{3, 3}}, {3, 3, Span{7, 7}}, {4, 4, Span{9, 9}}} {
		if got := part(ts, tc.from, tc.to); got != tc.want {
			t.Errorf("tokens %d to %d are %v, want %v", tc.from, tc.to, got, tc.want)
		}
		want := tc.want.To
		if tc.from == tc.to {
			want = 1
		}
		if got := end(ts, Span{0, 1}, tc.from, tc.to); got != want {
			t.Errorf("extended by tokens %d to %d a span ends at %d, want %d", tc.from, tc.to, got, want)
		}
	}
	if got := part(nil, 0, 0); got != (Span{}) {
		t.Errorf("no tokens are %v", got)
	}
}

// TestWhichYearIsThatOfANotice says which year is that of a notice: the last word of each text that is 2025.
func TestWhichYearIsThatOfANotice(t *testing.T) {
	for text, want := range map[string]bool{
		"© 2025":                         true,
		"2025 ©":                         true,
		"2025 © City":                    true,
		"Season 2025 © City":             false,
		"2025 City ©":                    false,
		"2025":                           false,
		"© 2019–2025":                    true,
		"© 2019, 2025 City":              true,
		"© City 2025":                    true,
		"© The City of Example 2025":     true,
		"© The Old City of Example 2025": false, // five words are no name
		"© City 2025 News":               false,
		"Copyright 2025":                 true,
		"Copyright © 2025 City":          true,
		"COPYRIGHT (c) 2025":             true,
		"Copyright 2019-2025":            true,
		"The Copyright Act 2025":         false,
		"Copyright Act 2025":             false,
		"News\n© 2025":                   true,
		"©\n2025":                        false,
		"© | 2025":                       false,
		"News | © 2025 | More":           true,
		"© City · 2025":                  false,
		"News. © 2025":                   true,
		"News; 2025 © City":              true,
	} {
		w := parse(text)
		at := -1
		for i := range w.all {
			if w.all[i].text == "2025" {
				at = i
			}
		}
		if at < 0 {
			t.Errorf("%q has the words %+v", text, w.all)
		} else if got := w.claimed(at); got != want {
			t.Errorf("%q: a notice %v", text, got)
		}
	}
}
