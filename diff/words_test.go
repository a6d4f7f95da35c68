package diff

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func ExampleWords() {
	for _, s := range Words("The council meets on Monday.", "The council meets on Tuesday at noon.") {
		fmt.Printf("%s %q\n", s.Op, s.Text)
	}
	// Output:
	// equal "The council meets on"
	// delete " Monday"
	// insert " Tuesday at noon"
	// equal "."
}

func TestWords(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"equal texts are one span", "a b", "a b", "=a b"},
		{"no text is no span", "", "", ""},
		{"nothing before is all inserted", "", "a b", "+a b"},
		{"nothing after is all deleted", "a b", "", "-a b"},
		{"Chinese goes by character", "今天天气很好", "今天天气不好", "=今天天气|-很|+不|=好"},
		{"an emoji sequence stays whole", "hi 👨‍👩‍👧", "hi 👨‍👩‍👦", "=hi|- 👨‍👩‍👧|+ 👨‍👩‍👦"},
		{"a word with an accent stays whole", "a café", "a cafés", "=a|- café|+ cafés"},
		{"an apostrophe is part of a word", "I don't", "I do", "=I|- don't|+ do"},
		{"a decimal number is a word", "up 1.5 %", "up 1.7 %", "=up|- 1.5|+ 1.7|= %"},
		{"punctuation is a word", "yes.", "yes!", "=yes|-.|+!"},
		{"amount of white space does not matter", "a  b\nc", "a b c", "=a b c"},
		{"a blank before a full stop is a change", "no .", "no.", "=no|- .|+."},
		{"a chance word between changes goes with them", "red green and blue white", "cats dogs and birds fish", "-red green and blue white|+cats dogs and birds fish"},
		{"a word between small changes stays", "one and two", "six and five", "-one|+six|= and|- two|+ five"},
		{"a blank that goes is a change", "to day", "today", "-to day|+today"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, s := range Words(c.old, c.new) {
				got = append(got, string("=-+"[s.Op])+s.Text)
			}
			if g := strings.Join(got, "|"); g != c.want {
				t.Errorf("got  %s\nwant %s", g, c.want)
			}
		})
	}
}

func FuzzWords(f *testing.F) {
	f.Add("The council meets on Monday.", "The council meets on Tuesday at noon.")
	f.Add("今天 天气\u2028很好 ", "\u00a0今天 don't")
	f.Add("a\u200d b", "é\xff1️⃣")
	f.Fuzz(func(t *testing.T, old, new string) {
		var before, after strings.Builder
		last := Op(9)
		same := true
		for _, s := range Words(old, new) {
			if s.Text == "" || s.Op == last {
				t.Fatalf("empty span or two of %v in a row", s.Op)
			}
			last = s.Op
			if s.Op != Insert {
				// Compare without blanks span by span: invalid bytes of two adjacent
				// spans may form a character that is a blank.
				before.WriteString(strings.Join(strings.Fields(s.Text), ""))
			}
			if s.Op != Delete {
				after.WriteString(s.Text)
			}
			same = same && s.Op == Equal
		}
		if got := after.String(); got != new && strings.TrimSpace(new) != "" {
			t.Fatalf("equal and insert give %q, want %q", got, new)
		}
		// A span of the old text may lack the blank at its beginning if the new text lacks it there.
		if got, want := before.String(), strings.Join(strings.Fields(old), ""); got != want {
			t.Fatalf("equal and delete give %q, want %q", got, want)
		}
		if want := slices.Equal(strings.Fields(old), strings.Fields(new)); same != want {
			t.Fatalf("all equal: %v, but the words of %q and %q are equal: %v", same, old, new, want)
		}
	})
}

// Texts of millions of words are compared by lines, which takes next to no memory.
func TestLongTextsAreComparedByLines(t *testing.T) {
	long := strings.Repeat("a b c d e f\n", 200_000)
	for name, c := range map[string]struct {
		old, new string
		want     []Span
	}{
		"equal":        {long, long, []Span{{Op: Equal, Text: long}}},
		"a line":       {long + "was this\n" + long, long + "is that\n" + long, []Span{{Op: Equal, Text: long}, {Op: Delete, Text: "was this"}, {Op: Insert, Text: "is that"}, {Op: Equal, Text: "\n" + long}}},
		"more at last": {long, long + "and this", []Span{{Op: Equal, Text: long}, {Op: Insert, Text: "and this"}}},
		"all":          {long, "x" + strings.ReplaceAll(long, "\n", " "), []Span{{Op: Delete, Text: long}, {Op: Insert, Text: "x" + strings.ReplaceAll(long, "\n", " ")}}},
	} {
		if got := Words(c.old, c.new); !slices.Equal(got, c.want) {
			t.Errorf("%s: %d spans", name, len(got))
			for _, s := range got {
				t.Errorf("%v %d %.20q", s.Op, len(s.Text), s.Text)
			}
		}
	}
}
