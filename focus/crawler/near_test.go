package crawler

import (
	"context"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plat/focus"
	"plat/focus/similarity"
	"plat/plat"
	"plat/segment/label"
	"plat/storage"
)

// shelf is an archive of blocks.
type shelf []plat.Block

func (s shelf) Find(context.Context, storage.BlockQuery) iter.Seq2[storage.Found, error] {
	return func(yield func(storage.Found, error) bool) {
		for i := range s {
			b := s[i]
			b.Content = nil
			if !yield(storage.Found{URL: "https://a.test/", N: 1, Block: b}, nil) {
				return
			}
		}
	}
}

func (s shelf) Contents(_ context.Context, hashes []plat.Hash) ([][]byte, error) {
	var out [][]byte
	for _, h := range hashes {
		for i := range s {
			if s[i].Hash == h {
				out = append(out, s[i].Content)
				break
			}
		}
	}
	return out, nil
}

func block(text string, l plat.Label) plat.Block {
	content := []byte("<p>" + text + "</p>")
	return plat.Block{Hash: plat.HashOf(content), Content: content, Label: l, Parent: -1}
}

func wordsOver(t *testing.T, s shelf) *Words {
	t.Helper()
	d, err := label.New(label.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return &Words{Describer: d, Archive: s}
}

// nearest returns the words near one, by name.
func nearest(t *testing.T, w *Words, sources, stem string) map[string]float64 {
	t.Helper()
	near, err := w.Of(t.Context(), sources)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]float64{}
	for word, how := range near(stem) {
		if how <= 0 || how > 1 {
			t.Errorf("%s is near %s by %v", word, stem, how)
		}
		out[word] = how
	}
	return out
}

func TestWordsOfTheArchiveAreNear(t *testing.T) {
	var s shelf
	for i := range 40 {
		s = append(s, block(strings.Repeat("x", i+2)+" ferry harbour tide timetable", plat.LabelMain), block(strings.Repeat("y", i+2)+" bread oven flour dough", plat.LabelMain),
			block(strings.Repeat("z", i+2)+" ferry login password cookies", plat.LabelNavigation))
	}
	got := nearest(t, wordsOver(t, s), NearArchive, "ferri")
	if got["harbour"] == 0 || got["tide"] == 0 {
		t.Errorf("near ferry: %v", got)
	}
	if got["bread"] >= got["harbour"] || got["login"] > 0 || got["password"] > 0 {
		t.Errorf("words of other blocks, or of menus, are near ferry: %v", got)
	}
}

func TestWordsOfAFileAreNear(t *testing.T) {
	path := filepath.Join(t.TempDir(), "vectors.txt")
	if err := os.WriteFile(path, []byte("ferry 1 0 0\nboat .9 .1 0\nbread 0 0 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w := wordsOver(t, nil)
	if got := nearest(t, w, " "+path, "ferri"); got["boat"] < .8 || got["bread"] > 0 {
		t.Errorf("near ferry: %v", got)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if got := nearest(t, w, path, "ferri"); got["boat"] == 0 {
		t.Error("what was read is not kept")
	}
	none := filepath.Join(t.TempDir(), "none")
	for _, bad := range []string{none, path + "," + none, none + "," + path} {
		if _, err := w.Of(t.Context(), bad); !isTopicError(err) || !strings.Contains(err.Error(), none) {
			t.Errorf("near words of %s: %v", bad, err)
		}
	}
	if near, err := w.Of(t.Context(), " , "); near != nil || err != nil {
		t.Errorf("no sources: %v", err)
	}
}

func TestWordNetMakesSynonymsCount(t *testing.T) {
	if _, err := os.Stat(filepath.Join(similarity.WordNetDir, "data.noun")); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("wordnet-base is not installed")
		}
		t.Skip("wordnet-base is not installed")
	}
	w := wordsOver(t, nil)
	if got := nearest(t, w, NearWordNet, "car"); got["automobil"] < .8 {
		t.Errorf("near car: %v", got)
	}
	c := &Compiler{Describer: w.Describer, Words: w}
	page := &focus.Page{Words: []focus.Term{focus.TermOf("automobil")}}
	link := &focus.Link{At: focus.Span{First: 0, End: 1}, Heading: -1}
	rw := func(near string) float64 {
		topic, _, err := c.Compile(t.Context(), &plat.Crawl{Topic: "topics: [{id: cars, names: car}]", Near: near})
		if err != nil {
			t.Fatal(err)
		}
		return topic.RW(page, link)
	}
	if with, without := rw(NearWordNet), rw(""); with < .8 || without != 0 {
		t.Errorf("relevance of a link to automobiles: %v with WordNet, %v without", with, without)
	}
}
