package excerpt

import (
	"strings"
	"testing"
	"unicode"

	"plat/history"
)

func TestLineIsTheFirstLine(t *testing.T) {
	for in, want := range map[string]string{
		"":               "",
		" a heading \nb": "a heading ",
		"0123456789":     "0123456789",
		"01234567890":    "012345678…",
		"零一二三四五六七八九十\nand on": "零一二三四五六七八…",
	} {
		if got := Line(in, 10); got != want {
			t.Errorf("Line(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestTextFarFromAChangeIsOmitted(t *testing.T) {
	long := strings.Repeat("x", 500) + "."
	got := Words([]history.Word{{Op: "equal", Text: long}, {Op: "insert", Text: long}, {Op: "equal", Text: long}, {Op: "delete", Text: "y"}, {Op: "equal", Text: long}})
	want := []int{123, 501, 243, 1, 123} // " … " takes three
	for i, w := range got {
		if n := len([]rune(w.Text)); n != want[i] {
			t.Errorf("part %d (%s) has %d characters, want %d", i, w.Op, n, want[i])
		}
	}
	if one := Words([]history.Word{{Op: "insert", Text: strings.Repeat("y", 5000)}}); len([]rune(one[0].Text)) != ofWhole+2 {
		t.Errorf("of a text that came whole %d characters are shown", len([]rune(one[0].Text)))
	}
}

func TestXMLHoldsNoControlCharacters(t *testing.T) {
	if got := XML("a\x00b\tc\uFFFEd\x1b"); got != "ab\tcd" {
		t.Errorf("XML leaves %q", got)
	}
}

func TestPrintableTextHoldsNothingThatATerminalObeys(t *testing.T) {
	var all strings.Builder
	for r := range unicode.MaxRune {
		all.WriteRune(r)
	}
	for _, r := range Printable(all.String()) {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029' {
			t.Errorf("%U is printable", r)
		}
	}
}

func TestWhatIsShownReordersNothing(t *testing.T) {
	for in, want := range map[string]string{
		"a\tb\nc é":                           "a\tb\nc é",
		"a\u202eb\u2066c\u009bd\x1be\r\u200f": "abcde",
	} {
		if got := Shown(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}
