package storage

import (
	"slices"
	"strings"
	"testing"
)

// TestPhrasesAreFoundWhereTheirWordsFollow compares with all places of all phrases, in texts of two words.
func TestPhrasesAreFoundWhereTheirWordsFollow(t *testing.T) {
	phrases := [][]string{{"a"}, {"a", "b", "a", "a"}, {"b", "a"}, {"b", "b", "b"}, {"a", "b"}}
	for length := range 7 {
		for set := range 1 << length {
			var ts []term
			var text []string
			for i := range length {
				w := "ab"[set>>i&1 : set>>i&1+1]
				ts, text = append(ts, term{word: w}), append(text, w)
			}
			var want []match
			for i := range ts {
				for p, phrase := range phrases {
					if i+len(phrase) <= length && strings.Join(text[i:i+len(phrase)], "") == strings.Join(phrase, "") {
						want = append(want, match{p, i, i + len(phrase)})
					}
				}
			}
			if got := matches(ts, phrases); !slices.Equal(got, want) {
				t.Fatalf("in %v: %v, want %v", text, got, want)
			}
		}
	}
}
