package tree

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"plat/docs"
	"plat/plat"
	"plat/storage/wire"
)

// exampleArticle returns the article of a version.
func exampleArticle() *plat.Article {
	return &plat.Article{Title: "News", Authors: []string{"Ann Rivers"}, Date: "2026-01-31", Sum: 0x4eba44e5, Text: []plat.Passage{
		{First: 4, Last: 4, To: 45, Line: plat.EmptyLine},
		{Before: plat.Blank, First: 4, Last: 5, From: 48, To: 10},
		{Before: plat.EmptyLine, First: plat.Literally, Last: plat.Literally, Literal: "(1)"},
	}}
}

// TestTheFormatSaysHowArticlesAreWritten compares the worked example of docs/format.md with the
// encoder's output, and decodes it.
func TestTheFormatSaysHowArticlesAreWritten(t *testing.T) {
	var w writer
	w.article(exampleArticle(), "News")
	want, err := docs.Example("article")
	if err != nil || !bytes.Equal(w.B, want) {
		t.Errorf("the article is\n% x\nthe document has\n% x, %v", w.B, want, err)
	}
	r := &reader{wire.Reader{B: want}}
	if got := r.article("News"); r.Err != nil || len(r.B) > 0 || !got.Equal(exampleArticle()) {
		t.Errorf("the article is read as %+v, %v", got, r.Err)
	}
}

// TestTheFormatNamesEveryField checks the bits of masks, and the codes.
func TestTheFormatNamesEveryField(t *testing.T) {
	has := func(heading, text string) {
		t.Helper()
		if !strings.Contains(docs.Section(heading), text) {
			t.Errorf("the section %s does not say %q", heading, text)
		}
	}
	for heading, last := range map[string]uint64{"#### Head": headArticle, "#### Blocks": fieldChange} {
		bit := 0
		for ; 1<<bit <= last; bit++ {
			has(heading, fmt.Sprintf("| %d | ", bit))
		}
		if text := fmt.Sprintf("| %d | ", bit); strings.Contains(docs.Section(heading), text) {
			t.Errorf("the section %s has an unknown bit: %s", heading, text)
		}
	}
	for i, k := range kinds {
		has("#### Head", fmt.Sprintf("%d `%s`", i+1, k))
	}
	for i, h := range holdsNames[1:] {
		has("#### Blocks", fmt.Sprintf("%d `%s`", i+2, h))
	}
	for i, r := range roleNames[1:] {
		has("#### Blocks", fmt.Sprintf("%d `%s`", i+2, r))
	}
}
