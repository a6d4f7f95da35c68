package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

// models are those that -estimate fits. The segmentation keeps its weights: -fit says how these do on pages left out.
var models = []string{"segment/article/text.model", "segment/article/kind.model", "segment/label/role.model", "segment/label/comments.model"}

// estimate evaluates each page by models that were fitted without half of the sites, among them its own. All steps are
// those of a visit: texts by the model of texts, which is evidence for roles, which decide the text of most kinds of page.
func (e *eval) estimate(ctx context.Context) error {
	if err := e.renderAllSets(ctx); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "plat-estimate-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var halves []string
	for half := range 2 {
		into := filepath.Join(dir, strconv.Itoa(half))
		if err := e.estimateHalf(ctx, half, into); err != nil {
			return fmt.Errorf("half %d: %w", half, err)
		}
		halves = append(halves, into)
	}
	e.into = dir
	for _, name := range []string{treesOfContent, textsOfContent, treesOfLandmarks} {
		if err := concatenate(name, dir, halves); err != nil {
			return err
		}
	}
	all, err := merge[articlesFound](textsOfArticles, halves)
	if err != nil {
		return err
	}
	found := articlesFound{map[string]extracted{}}
	for _, f := range all {
		for name, a := range f.Pages {
			found.Pages[name] = a
		}
	}
	if err := writeJSON(filepath.Join(dir, textsOfArticles), found); err != nil {
		return err
	}
	scores, err := merge[[]ofDocument](scoresOfDocuments, halves)
	if err != nil {
		return err
	}
	fmt.Printf("\neach page by models fitted without half of the sites, among them its own\n")
	if err := errors.Join(e.judgeContent(ctx), e.judgeArticles(ctx), e.landeval(ctx, os.Stdout, "-d")); err != nil {
		return err
	}
	showDocuments(slices.Concat(scores...))
	return nil
}

// estimateHalf fits models without a half of the sites, and predicts its pages by them.
func (e *eval) estimateHalf(ctx context.Context, half int, into string) error {
	said := filepath.Join(into, "said")
	if err := os.MkdirAll(said, 0o755); err != nil {
		return err
	}
	if err := e.fitTexts(ctx, said, "-without", strconv.Itoa(half), "-write", "-into", into); err != nil {
		return err
	}
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	for _, m := range models {
		overlay.Replace[filepath.Join(root, m)] = filepath.Join(into, filepath.Base(m))
	}
	file := filepath.Join(into, "overlay.json")
	if err := writeJSON(file, overlay); err != nil {
		return err
	}
	return run(ctx, "run", "-overlay", file, "./scripts/eval", "-data", e.data, "-split", e.split, "-work", e.work, "-half", strconv.Itoa(half), "-into", into)
}

// predict writes the predictions for the pages of a half.
func (e *eval) predict(ctx context.Context) error {
	scores, err := e.scoreDocuments(ctx)
	if err != nil {
		return err
	}
	if err := writeJSON(filepath.Join(e.into, scoresOfDocuments), scores); err != nil {
		return err
	}
	if _, _, err := e.predictLandmarks(ctx); err != nil {
		return err
	}
	return errors.Join(e.predictContent(ctx), e.predictArticles(ctx))
}

// ofHalf returns the pages of the sites that are evaluated.
func (e *eval) ofHalf(pages []page, site func(page) string) []page {
	if e.in == nil {
		return pages
	}
	return slices.DeleteFunc(pages, func(p page) bool { return !e.in(site(p)) })
}

// concatenate writes the file of that name of all folders into dir.
func concatenate(name, dir string, from []string) error {
	var all []byte
	for _, d := range from {
		raw, err := os.ReadFile(filepath.Join(d, name))
		if err != nil {
			return err
		}
		all = append(all, raw...)
	}
	return os.WriteFile(filepath.Join(dir, name), all, 0o644)
}

// merge reads the file of that name of all folders.
func merge[T any](name string, from []string) (all []T, err error) {
	for _, d := range from {
		raw, err := os.ReadFile(filepath.Join(d, name))
		if err != nil {
			return nil, err
		}
		var one T
		if err := json.Unmarshal(raw, &one); err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Join(d, name), err)
		}
		all = append(all, one)
	}
	return all, nil
}
