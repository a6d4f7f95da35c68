package storage_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"plat/plat"
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

// The text of a table or log of megabytes is searchable up to its first MiB, also where that ends within a character.
func TestTheFirstMiBOfABlockIsSearchable(t *testing.T) {
	const most = 1 << 20
	for _, before := range []string{"", "a", "ab"} { // "é" has two bytes
		text := before + strings.Repeat("é", most/2) + " pier"
		got := storage.SearchText(&plat.Block{}, []byte("<p>"+text+"</p>"))
		if len(got) < most || len(got) > most+len("\uFFFD") || !utf8.ValidString(got) || !strings.HasPrefix(text, strings.TrimSuffix(got, "\uFFFD")) {
			t.Errorf("after %q: %d bytes, valid %v, that end with %q", before, len(got), utf8.ValidString(got), got[max(0, len(got)-8):])
		}
	}
	whole := strings.Repeat("x", most-len(" pier")) + " pier"
	if got := storage.SearchText(&plat.Block{}, []byte("<p>"+whole+"</p>")); got != whole {
		t.Errorf("of a MiB %d bytes are searchable", len(got))
	}
}
