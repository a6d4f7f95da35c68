package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"plat/plat"
	"slices"

	"plat/fixtures/content"
	"plat/segment"
	"plat/segment/label"
)

// markedContent returns the marked pages by their IDs.
func (e *eval) markedContent() (map[string]*content.Page, error) {
	marked, err := content.Read(filepath.Join(e.data, "content"))
	byID := map[string]*content.Page{}
	for _, p := range marked {
		byID[p.ID] = p
	}
	return byID, err
}

// contents returns the pages whose texts are marked, and their snapshots.
func (e *eval) contents(ctx context.Context) (map[string]*content.Page, []page, error) {
	byID, err := e.markedContent()
	if err != nil {
		return nil, nil, err
	}
	names := slices.Collect(maps.Keys(byID))
	pages, err := e.load(ctx, rendering{set: "content", width: 1366}, names)
	whole := slices.DeleteFunc(pages, func(p page) bool { return p.snap == nil })
	if len(whole) == len(names) || len(whole) < len(names)-fewUnrendered {
		return byID, whole, err
	}
	fmt.Println("left out, because scripts of theirs lead to other hosts:", err)
	return byID, whole, nil
}

// fewUnrendered is the maximum number of pages that are left out because they do not render without their hosts.
const fewUnrendered = 5

// content evaluates the labels, the text, the title, the author and the date of pages of seven kinds, by the
// evaluator of the set.
func (e *eval) content(ctx context.Context) error {
	if err := e.predictContent(ctx); err != nil {
		return err
	}
	if err := e.judgeContent(ctx); err != nil || e.gallery == "" {
		return err
	}
	return e.drawWorst(ctx)
}

// Predictions for the set content.
const treesOfContent, textsOfContent = "content-trees.jsonl", "content-texts.jsonl"

// predictContent writes the trees and the texts of the pages.
func (e *eval) predictContent(ctx context.Context) error {
	marked, pages, err := e.contents(ctx)
	if err != nil {
		return err
	}
	pages = e.ofHalf(pages, func(p page) string { return cmp.Or(marked[p.name].Site, p.name) })
	cuts, err := describe(pages, segment.Params{})
	if err != nil {
		return err
	}
	if err := exportTrees(filepath.Join(e.into, treesOfContent), pages, cuts, true); err != nil {
		return err
	}
	return exportTexts(filepath.Join(e.into, textsOfContent), pages, cuts)
}

// judgeContent runs the evaluator of the set.
func (e *eval) judgeContent(ctx context.Context) error {
	for _, how := range [][]string{{"text", textsOfContent}, {"labels", treesOfContent}, {"aslabels", textsOfContent}} {
		fmt.Printf("\ncontent, %s\n", how[0])
		if err := python(ctx, os.Stdout, filepath.Join(e.data, "content", "trutheval.py"), how[0], filepath.Join(e.data, "content", content.Truth), filepath.Join(e.into, how[1])); err != nil {
			return err
		}
	}
	return nil
}

// exportTexts writes the articles of pages, a line each.
func exportTexts(file string, pages []page, cuts map[string]*label.Divided) error {
	return exportLines(file, pages, func(p page) any {
		a := cuts[p.name].Article()
		return struct {
			ID      string        `json:"id"`
			Kind    plat.PageKind `json:"kind"`
			Text    string        `json:"text"`
			Title   string        `json:"title"`
			Authors []string      `json:"authors"`
			Date    string        `json:"date"`
		}{p.name, a.Kind, a.Text, a.Title, a.Authors, a.Date}
	})
}
