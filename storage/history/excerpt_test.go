package history

import (
	"strings"
	"testing"
)

func TestTextFarFromAChangeIsOmitted(t *testing.T) {
	long := strings.Repeat("x", 500) + "."
	got := Excerpt([]Word{{Op: "equal", Text: long}, {Op: "insert", Text: long}, {Op: "equal", Text: long}, {Op: "delete", Text: "y"}, {Op: "equal", Text: long}})
	want := []int{123, 501, 243, 1, 123} // " … " takes three
	for i, w := range got {
		if n := len([]rune(w.Text)); n != want[i] {
			t.Errorf("part %d (%s) has %d characters, want %d", i, w.Op, n, want[i])
		}
	}
	if one := Excerpt([]Word{{Op: "insert", Text: strings.Repeat("y", 5000)}}); len([]rune(one[0].Text)) != ofWhole+2 {
		t.Errorf("of a text that came whole %d characters are shown", len([]rune(one[0].Text)))
	}
}
