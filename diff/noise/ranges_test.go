package noise

import (
	"slices"
	"testing"

	"plat/plat"
)

func TestRangesOfLinesWithAReason(t *testing.T) {
	for _, tc := range []struct {
		text string
		some []string
		why  []Reason
		want []plat.Range
	}{
		{"a\nb\nc", []string{"b"}, []Reason{"x"}, []plat.Range{{From: 2, To: 3}}},
		{"a\nb\nc", []string{"b"}, []Reason{""}, nil},
		{"a\nb\na\na", []string{"a", "a", "b"}, []Reason{"x", "y", ""}, []plat.Range{{From: 0, To: 1}, {From: 4, To: 5}}},
		{"a\n\na", []string{"", "a"}, []Reason{"x", "x"}, []plat.Range{{From: 0, To: 1}}},
		{"a", []string{"z"}, []Reason{"x"}, nil},
	} {
		if got := rangesOf(tc.text, tc.some, tc.why); !slices.Equal(got, tc.want) {
			t.Errorf("%q of %q: %v, want %v", tc.some, tc.text, got, tc.want)
		}
	}
}
