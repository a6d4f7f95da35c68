package storage_test

import (
	"fmt"
	"testing"

	"plat/storage"
)

// Words of earlier indexes are divided at zero-width characters, except for the soft hyphen.
func TestEarlierTermsAreDividedAtZeroWidthCharacters(t *testing.T) {
	for text, want := range map[string]string{
		"": "[] false", "the pier": "[] false", "the\u00adpier": "[] false", "the\u200bpier": "[the pier] true", "a the\u200bpier b": "[a the pier b] true", "\u200b": "[] true",
	} {
		words, differ := storage.EarlierTerms(text)
		if got := fmt.Sprint(words, " ", differ); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
