package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"plat/fixtures/content"
	"plat/plat"
	"plat/segment"
)

// worstShown is the number of pages of the set content that the gallery shows.
const worstShown = 50

// picturedContent is the rendering of these pages with their pictures.
var picturedContent = rendering{set: "content", suffix: "-pictures", width: 1366}

// textFigure is the result of a page's text, as trutheval.py writes it.
type textFigure struct {
	ID string
	P  *float64 // null if the text is not marked
	R  *float64
}

// drawWorst draws the pages whose texts are the farthest from the marked ones: the blocks beside the marked words that
// are in the text, missing in it, or too much.
func (e *eval) drawWorst(ctx context.Context) error {
	file := filepath.Join(e.into, "content-figures.json")
	var out bytes.Buffer
	if err := python(ctx, &out, filepath.Join(e.data, "content", "trutheval.py"), "text", filepath.Join(e.data, "content", content.Truth), filepath.Join(e.into, textsOfContent), "--json", file); err != nil {
		return err
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var figures []textFigure
	if err := json.Unmarshal(raw, &figures); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	figures = slices.DeleteFunc(figures, func(f textFigure) bool { return f.P == nil || f.R == nil })
	slices.SortStableFunc(figures, func(a, b textFigure) int { return cmp.Compare(harmonic(*a.P, *a.R), harmonic(*b.P, *b.R)) })
	of := map[string]textFigure{}
	var names []string
	for _, f := range figures[:min(worstShown, len(figures))] {
		of[f.ID] = f
		names = append(names, f.ID)
	}
	pages, err := e.load(ctx, picturedContent, names)
	if err != nil {
		return err
	}
	byID, err := e.markedContent()
	if err != nil {
		return err
	}
	cuts, err := describe(pages, segment.Params{})
	if err != nil {
		return err
	}
	var all []shown
	for _, p := range pages {
		f, c := of[p.name], cuts[p.name]
		a := c.Article()
		s := shown{Name: p.name, Width: p.snap.Width, Height: p.snap.Height, Ours: drawBlocks(c.Cut), Truth: drawWords(p.snap, byID[p.name], a.Text), worth: harmonic(*f.P, *f.R)}
		s.Figures = fmt.Sprintf("text F %.3f (P %.2f, R %.2f) · taken for %s", s.worth, *f.P, *f.R, a.Kind)
		all = append(all, s)
	}
	dir := filepath.Join(e.gallery, "content")
	fmt.Printf("gallery: %s\n", filepath.Join(dir, "index.html"))
	return drawGallery(dir, e.kept(picturedContent), all)
}

// drawWords draws the texts with marked words: those that are in the text of the page, those that are missing in it, and
// those that are no main text but in it.
func drawWords(s *plat.Snapshot, p *content.Page, text string) (all []drawn) {
	of, _ := p.On(s, func(n int32) bool { return s.Nodes[n].HasBox && !s.Nodes[n].Box.Empty() })
	has := squeezed(text)
	for i := range s.Nodes {
		n := &s.Nodes[i]
		main, noise := of[i][content.Main], of[i][content.Noise]
		in := strings.Contains(has, squeezed(n.Value))
		kind := ""
		switch {
		case main+noise == 0:
			continue
		case main >= noise && in:
			kind = "text"
		case main >= noise:
			kind = "missing"
		case in:
			kind = "too-much"
		default:
			continue
		}
		all = append(all, drawn{float64(n.Box.X), float64(n.Box.Y), float64(n.Box.W), float64(n.Box.H), 3, kind, n.Value})
	}
	return all
}

// squeezed returns the words of a text with one space around each.
func squeezed(text string) string { return " " + strings.Join(words(text), " ") + " " }
