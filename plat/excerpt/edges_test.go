package excerpt

import (
	"testing"
	"time"
	"unicode/utf8"
)

func TestSpansAreInOneUnit(t *testing.T) {
	const day = 24 * time.Hour
	for d, want := range map[time.Duration]string{
		-time.Hour: "0 seconds", 0: "0 seconds", time.Second: "1 second", 1499 * time.Millisecond: "1 second", 1500 * time.Millisecond: "2 seconds",
		2*time.Minute - time.Nanosecond: "120 seconds", 2 * time.Minute: "2 minutes", 150 * time.Second: "3 minutes", 149 * time.Second: "2 minutes",
		2*time.Hour - time.Nanosecond: "120 minutes", 2 * time.Hour: "2 hours", 2*time.Hour + 29*time.Minute: "2 hours",
		48*time.Hour - time.Nanosecond: "48 hours", 48 * time.Hour: "2 days", 60 * time.Hour: "3 days", 999 * day: "999 days", 1000 * day: "2 years", 1095 * day: "3 years", 1094 * day: "2 years",
	} {
		if got := Span(d); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}

func TestCharactersAtTheEdges(t *testing.T) {
	for _, tc := range []struct {
		from, to rune
		hostile  bool
	}{
		{0, 0x1f, true}, {' ', 0x7e, false}, {0x7f, 0x9f, true}, {0xa0, 0x61b, false}, {0x61c, 0x61c, true}, {0x61d, 0x200d, false}, {0x200e, 0x200f, true},
		{0x2010, 0x2027, false}, {0x2028, 0x202e, true}, {0x202f, 0x2065, false}, {0x2066, 0x206f, true}, {0x2070, 0xd7ff, false}, {0xe000, 0xfefe, false}, {0xfeff, 0xfeff, true},
		{0xff00, 0xfff8, false}, {0xfff9, 0xfffb, true}, {0xfffc, 0xffff, false}, {0x10000, 0x100ff, false}, {0xdff00, 0xdffff, false}, {0xe0000, 0xe007f, true}, {0xe0080, 0xe00ff, false},
	} {
		for r := tc.from; r <= tc.to; r++ {
			if hostile(r) != tc.hostile {
				t.Fatalf("%U is hostile: %v", r, !tc.hostile)
			}
			// The text after it, of eight bytes and more, is looked at in another way.
			text := "日本語 abc" + string(r) + "日本語"
			at, size, found := nextHostile([]byte(text), 0)
			if want := tc.hostile && r != '\t' && r != '\n'; (at >= 0) != want || want && (at != 13 || size != len(string(r)) || found != r) {
				t.Fatalf("%U is found at %d, %d bytes: %U", r, at, size, found)
			}
		}
	}
	for r, kept := range map[rune]bool{
		0: false, 8: false, '\t': true, '\n': true, 0xb: false, '\r': true, 0x1f: false, ' ': true, 0xd7ff: true, 0xe000: true, 0xfffd: true, 0xfffe: false, 0xffff: false, 0x10000: true, 0x10ffff: true,
	} {
		if got := XML(string(r)); (got == string(r)) != kept {
			t.Errorf("%U is %q in XML", r, got)
		}
	}
	if got := XML("a\x80b"); got != "a\uFFFDb" {
		t.Errorf("what is not UTF-8 is %q in XML", got)
	}
}

func TestLinesOfALength(t *testing.T) {
	for _, tc := range []struct {
		text string
		most int
		want string
	}{{"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {" a\nb", 3, "a"}, {"äöü", 3, "äöü"}, {"", 3, ""}} {
		if got := Line(tc.text, tc.most); got != tc.want {
			t.Errorf("%q of at most %d: %q, want %q", tc.text, tc.most, got, tc.want)
		}
	}
}

func TestEscapesInJSON(t *testing.T) {
	for text, want := range map[string]string{
		"": "", `"ab"`: `"ab"`, `\b"`: `"`, `"a\bb"`: `"ab"`, `"a\fb"`: `"ab"`, `"a\rb"`: `"ab"`, `"a\nb\tc\\d\"e\/f"`: `"a\nb\tc\\d\"e\/f"`,
		`"\u0009\u000a\u000d\u001f\u0020"`: `"\u0009\u000a\u0020"`, `"\u202e\u202f"`: `"\u202f"`, `"\\u202e"`: `"\\u202e"`, `"\u20`: `"\u20`, `"\`: `"\`, `"\uzzzz"`: `"\uzzzz"`,
	} {
		if got := string(ShownJSON([]byte(text))); got != want {
			t.Errorf("%s is shown as %s, want %s", text, got, want)
		}
	}
}

func TestBytesThatContinueACharacter(t *testing.T) {
	for c, want := range map[byte]bool{0x00: false, 0x7f: false, 0x80: true, 0xbf: true, 0xc0: false, 0xff: false} {
		if continues(c) != want {
			t.Errorf("%#x continues a character: %v", c, !want)
		}
	}
}

func TestPlacesInAPage(t *testing.T) {
	for page, want := range map[string]string{
		"a > b\u202e":                                  "a > b",
		"<p>\u202e<b title=\"\u202e\">":                `<p><b title="">`,
		"<input value=\"a\u202e\">":                    `<input value="a&#x202e;">`,
		"<input value=\"a\" title=\"\u202e\">":         `<input value="a" title="">`,
		"<textarea name=\"x\">\u202e</textarea>\u202e": `<textarea name="x">&#x202e;</textarea>`,
		"<textarea> > \u202e</textarea>":               "<textarea> > </textarea>",
		"<input value=\"\x01\u202e\">":                 `<input value="&#x202e;">`,
	} {
		if got := string(HTML([]byte(page))); got != want {
			t.Errorf("%q is %q, want %q", page, got, want)
		}
	}
}

// TestCharactersAreFoundWhateverIsBesideThem compares nextHostile with a scan character by character, on texts with
// characters of one to four bytes and broken ones in all orders.
func TestCharactersAreFoundWhateverIsBesideThem(t *testing.T) {
	pieces := []string{"a", "~", " ", "\t", "\x7f", "é", "新", "한", "\u2028", "\ufeff", "😀", "\x80", "\xe4", "\xe4\xb8", "\xef\xbf"}
	model := func(s []byte, from int) (int, int, rune) {
		for i := from; i < len(s); {
			r, size := utf8.DecodeRune(s[i:])
			if r == utf8.RuneError && size == 1 || hostile(r) && r != '\t' && r != '\n' {
				return i, size, r
			}
			i += size
		}
		return -1, 0, 0
	}
	for _, a := range pieces {
		for _, b := range pieces {
			for _, c := range pieces {
				s := []byte("1234567" + a + b + c)
				for from := 7; from <= len(s); from++ {
					at, size, r := nextHostile(s, from)
					if wantAt, wantSize, want := model(s, from); at != wantAt || size != wantSize || r != want {
						t.Fatalf("%q from %d: %U of %d bytes at %d, want %U of %d at %d", s, from, r, size, at, want, wantSize, wantAt)
					}
				}
			}
		}
	}
}

// TestLinesForProgramsKeepAngleBrackets: MarshalJSON is for pages, JSONLine for programs and terminals.
func TestLinesForProgramsKeepAngleBrackets(t *testing.T) {
	if s, err := JSONLine(func() {}); err == nil || s != "" {
		t.Errorf("a function as JSON: %q, %v", s, err)
	}
	if s, err := JSONLine("a<b>&c\u202e"); err != nil || s != `"a<b>&c\u202e"` {
		t.Errorf("a line is %s, %v", s, err)
	}
	if b, err := MarshalJSON("a<b>&c"); err != nil || string(b) != `"a\u003cb\u003e\u0026c"` {
		t.Errorf("for pages it is %s, %v", b, err)
	}
}
