package tree

import (
	"errors"
	"testing"

	"plat/plat"
	"plat/storage/wire"
)

func TestATextThatStaysTheSameTakesNoByte(t *testing.T) {
	prev, next := twoTrees(1, 1)
	size := func(before, now *plat.Article) int {
		prev.Article, next.Article = before, now
		return len(Encode(next, prev))
	}
	without := size(nil, nil)
	if with := size(exampleArticle(), exampleArticle()); with != without {
		t.Errorf("a version whose text is that of the version before takes %d bytes, one without texts %d", with, without)
	}
	if with := size(nil, exampleArticle()); with > without+50 {
		t.Errorf("a text of three passages takes %d bytes", with-without)
	}
	other := exampleArticle()
	other.Text[0].First++
	if with := size(exampleArticle(), other); with == without {
		t.Error("another block of a passage takes no byte")
	}
}

func TestDamagedTextsAreRefused(t *testing.T) {
	var w writer
	w.article(exampleArticle(), "News")
	for n := range w.B {
		r := &reader{wire.Reader{B: w.B[:n]}}
		if r.article("News"); !errors.Is(r.Err, plat.ErrCorrupt) {
			t.Errorf("the first %d of %d bytes are read: %v", n, len(w.B), r.Err)
		}
	}
	for name, b := range map[string][]byte{
		"an unknown kind":       {2},
		"an unknown place":      {1, 0, 0, 0, 0, 0, 0, 0, 1, 0x40, 0, 0, 0, 0},
		"a block before all":    {1, 0, 0, 0, 0, 0, 0, 0, 1, 0x00, 1, 0, 0, 0},
		"code before all":       {1, 0, 0, 0, 0, 0, 0, 0, 1, 0x30, 1, 0, 0},
		"an end before a start": {1, 0, 0, 0, 0, 0, 0, 0, 1, 0x00, 4, 1, 0, 0},
		"a count of too many":   {1, 0, 0xff, 0xff, 3},
	} {
		r := &reader{wire.Reader{B: b}}
		if r.article(""); !errors.Is(r.Err, plat.ErrCorrupt) {
			t.Errorf("%s is read: %v", name, r.Err)
		}
	}
}

func TestVersionsWithoutResourcesCostNothingExtra(t *testing.T) {
	prev, next := twoTrees(1, 1)
	bare := len(Encode(next, prev))
	next.Resources = plat.HashOf([]byte("a manifest"))
	with := len(Encode(next, prev))
	prev.Resources = next.Resources
	if same := len(Encode(next, prev)); same != bare || with < bare+len(next.Resources) || with > bare+len(next.Resources)+4 {
		t.Errorf("%d bytes without resources, %d with, %d with those of the version before", bare, with, same)
	}
}

// Several goroutines may encode and decode against the same reference.
func TestAReferenceIsNotModified(t *testing.T) {
	prev, next := twoTrees(1, 1)
	b := Encode(next, prev)
	if _, err := Decode(b, next.URL, next.N, prev); err != nil {
		t.Fatal(err)
	}
	if prev.shapes != nil {
		t.Error("a reference that was neither encoded nor decoded has got shapes")
	}
}
