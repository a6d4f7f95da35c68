package main

import (
	"context"
	"crypto/sha1"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"plat/plat"
	"slices"
)

// extracted is the result for a page, as read by maineval.py.
type extracted struct {
	Text   string   `json:"text"`
	Title  string   `json:"title"`
	Author []string `json:"author"`
	Date   string   `json:"date"`
}

// maincontent evaluates the main text, title, author and date of articles, as the archive has them: over
// all pages, and over two halves of them separately. A change that improves
// only one half is overfitted.
func (e *eval) maincontent(ctx context.Context) error {
	if err := e.predictArticles(ctx); err != nil {
		return err
	}
	return e.judgeArticles(ctx)
}

// textsOfArticles has the predictions for the set maincontent.
const textsOfArticles = "maincontent.json"

// articlesFound are these predictions.
type articlesFound struct {
	Pages map[string]extracted `json:"pages"`
}

// predictArticles writes the articles as they are in an archive.
func (e *eval) predictArticles(ctx context.Context) error {
	pages, err := e.articles(ctx)
	if err != nil {
		return err
	}
	pages = e.ofHalf(pages, func(p page) string { return p.name })
	kept, err := archived(ctx, pages)
	if err != nil {
		return err
	}
	found := articlesFound{map[string]extracted{}}
	for i, p := range pages {
		a := kept[i]
		if a.Kind != plat.KindArticle {
			fmt.Printf("%s is taken for a page of kind %s\n", p.name, a.Kind)
		}
		found.Pages[p.name] = extracted{a.Text, a.Title, a.Authors, a.Date}
	}
	return writeJSON(filepath.Join(e.into, textsOfArticles), found)
}

// judgeArticles runs the evaluator of the set.
func (e *eval) judgeArticles(ctx context.Context) error {
	t, err := e.mainTruth()
	if err != nil {
		return err
	}
	file := filepath.Join(e.into, textsOfArticles)
	fmt.Println("\nmain content, all pages")
	if err := e.mainScore(ctx, e.truthFile("maincontent"), file); err != nil {
		return err
	}
	for parity, name := range []string{"even", "odd"} {
		half := filepath.Join(e.into, "maincontent-"+name+"-truth.json")
		if err := writeJSON(half, t.half(byte(parity))); err != nil {
			return err
		}
		fmt.Printf("main content, %s half\n", name)
		if err := e.mainScore(ctx, half, file); err != nil {
			return err
		}
	}
	return nil
}

// mainTruth is a truth.json in the format "main-truth-1"; the pages' data is
// passed through.
type mainTruth struct {
	Pages map[string]json.RawMessage `json:"pages"`
}

// mainTruth reads the annotations of articles.
func (e *eval) mainTruth() (t mainTruth, err error) {
	raw, err := os.ReadFile(e.truthFile("maincontent"))
	if err != nil {
		return t, err
	}
	if err := json.Unmarshal(raw, &t); err != nil {
		return t, fmt.Errorf("%s: %w", e.truthFile("maincontent"), err)
	}
	return t, nil
}

// articles returns the rendered pages of articles.
func (e *eval) articles(ctx context.Context) ([]page, error) {
	t, err := e.mainTruth()
	if err != nil {
		return nil, err
	}
	return e.load(ctx, asMarked("maincontent"), slices.Collect(maps.Keys(t.Pages)))
}

// half returns the pages whose names have a SHA-1 with a second byte of that
// parity; the parity of the whole selects a page's split.
func (t *mainTruth) half(parity byte) mainTruth {
	h := mainTruth{Pages: map[string]json.RawMessage{}}
	for name, page := range t.Pages {
		if sum := sha1.Sum([]byte(name)); sum[1]%2 == parity {
			h.Pages[name] = page
		}
	}
	return h
}

func (e *eval) mainScore(ctx context.Context, truth, found string) error {
	return python(ctx, os.Stdout, e.evaluator("maineval.py"), truth, found)
}

func writeJSON(file string, v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return os.WriteFile(file, raw, 0o644)
}
