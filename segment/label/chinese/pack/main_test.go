package main

import (
	"bytes"
	"os"
	"testing"
)

func TestTheWordsAreThoseOfGse(t *testing.T) {
	for name, words := range map[string]func() ([]word, error){"simplified.gz": simplified, "traditional.gz": traditional} {
		all, err := words()
		if err != nil {
			t.Fatal(err)
		}
		packed, err := pack(all)
		if err != nil {
			t.Fatal(err)
		}
		if now, err := os.ReadFile("../" + name); err != nil || !bytes.Equal(now, packed) {
			t.Errorf("%s differs from the words of gse: run go generate ./segment/label/chinese (%v)", name, err)
		}
	}
}
