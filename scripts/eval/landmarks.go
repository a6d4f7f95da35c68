package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"plat/plat"
	"strconv"
	"strings"

	"plat/fixtures/landmarks"
	"plat/segment"
	"plat/segment/label"
	"plat/storage/history"
)

// asMeasured is the rendering in which the regions of landmarks were measured: without
// the flags some lines break elsewhere.
var asMeasured = rendering{set: "landmarks", width: 1280, height: 1024, flags: "--font-render-hinting=none --disable-font-subpixel-positioning"}

func (e *eval) landmarkDir() string { return filepath.Join(e.data, "landmarks") }

// designed returns the rendered pages of many designs.
func (e *eval) designed(ctx context.Context) ([]page, error) {
	marked, err := landmarks.Read(e.landmarkDir())
	if err != nil {
		return nil, err
	}
	var names []string
	for _, v := range landmarks.Variants {
		for _, p := range marked {
			names = append(names, v+"/"+p.ID)
		}
	}
	return e.load(ctx, asMeasured, names)
}

// landmarks evaluates regions and labels on pages of many designs, with and without
// hints in their source.
func (e *eval) landmarks(ctx context.Context) error {
	fmt.Printf("pages of many designs, each as it is and without hints; fitted to these, -fit and -estimate say what others reach\n\n")
	pages, cuts, err := e.predictLandmarks(ctx)
	if err != nil {
		return err
	}
	if err := e.landeval(ctx, os.Stdout, "-d"); err != nil {
		return err
	}
	if e.gallery == "" {
		return nil
	}
	var each bytes.Buffer
	if err := e.landeval(ctx, &each, "-p"); err != nil {
		return err
	}
	dir := filepath.Join(e.gallery, "landmarks")
	fmt.Printf("gallery: %s\n", filepath.Join(dir, "index.html"))
	return e.drawRegions(dir, pages, cuts, each.String())
}

// treesOfLandmarks has the predictions for the set landmarks.
const treesOfLandmarks = "landmarks.jsonl"

// predictLandmarks cuts and labels the pages, and writes their trees.
func (e *eval) predictLandmarks(ctx context.Context) ([]page, map[string]*label.Divided, error) {
	marked, err := landmarks.Read(e.landmarkDir())
	if err != nil {
		return nil, nil, err
	}
	design := map[string]string{}
	for _, p := range marked {
		design[p.ID] = p.Design
	}
	pages, err := e.designed(ctx)
	if err != nil {
		return nil, nil, err
	}
	pages = e.ofHalf(pages, func(p page) string {
		_, id, _ := strings.Cut(p.name, "/")
		return design[id]
	})
	cuts, err := describe(pages, segment.Params{})
	if err != nil {
		return nil, nil, err
	}
	return pages, cuts, exportTrees(filepath.Join(e.into, treesOfLandmarks), pages, cuts, false)
}

// landeval runs the evaluator of the set.
func (e *eval) landeval(ctx context.Context, out io.Writer, how string) error {
	return python(ctx, out, filepath.Join(e.landmarkDir(), "landeval.py"), how, filepath.Join(e.landmarkDir(), landmarks.Truth), filepath.Join(e.into, treesOfLandmarks))
}

// drawRegions draws labels and marks side by side. each is the output of landeval.py for
// each page: ID, pages, accuracy of labels (strict, chain, lenient), F of level 1 ….
func (e *eval) drawRegions(dir string, pages []page, cuts map[string]*label.Divided, each string) error {
	marked, err := landmarks.Read(e.landmarkDir())
	if err != nil {
		return err
	}
	byID := map[string]*landmarks.Page{}
	for _, p := range marked {
		byID[p.ID] = p
	}
	figures, variant := map[string][]string{}, ""
	for line := range strings.Lines(each) {
		f := strings.Fields(line)
		switch {
		case len(f) > 1 && f[0] == "==":
			variant = strings.TrimSuffix(f[1], ":")
		case len(f) == 8 && byID[f[0]] != nil:
			figures[variant+"/"+f[0]] = f
		}
	}
	var all []shown
	for _, p := range pages {
		_, id, _ := strings.Cut(p.name, "/")
		f := figures[p.name]
		if f == nil {
			return fmt.Errorf("landeval.py says nothing of %s", p.name)
		}
		s := shown{Name: p.name, Width: p.snap.Width, Height: p.snap.Height, Ours: drawBlocks(cuts[p.name].Cut)}
		s.Figures = fmt.Sprintf("labels %s of the words · regions F %s", f[2], f[5])
		if s.worth, err = strconv.ParseFloat(f[2], 64); err != nil {
			return fmt.Errorf("landeval.py: %w", err)
		}
		for _, r := range byID[id].Regions {
			level := 2
			if r.Parent < 0 {
				level = 1
			}
			s.Truth = append(s.Truth, drawn{r.Rect[0], r.Rect[1], r.Rect[2], r.Rect[3], level, r.Type, r.Type})
		}
		all = append(all, s)
	}
	return drawGallery(dir, e.kept(asMeasured), all)
}

// exportTrees writes the block trees of pages as `plat export` does, with the texts of leaves or without.
func exportTrees(file string, pages []page, cuts map[string]*label.Divided, texts bool) error {
	return exportLines(file, pages, func(p page) any {
		return struct {
			URL  string         `json:"url"`
			Tree []history.Node `json:"tree"`
		}{"http://landmarks.test/" + p.name + ".html", history.TreeOf(&plat.Version{Blocks: cuts[p.name].Blocks}, texts)}
	})
}
