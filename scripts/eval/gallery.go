package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"html/template"
	"os"
	"path/filepath"
	"slices"

	"plat/fixtures/truth"
	"plat/segment"
	"plat/segment/label"
)

// shown is one page of the gallery.
type shown struct {
	Name          string
	Width, Height float32
	Figures       string
	Ours, Truth   []drawn

	worth float64 // pages of least come first
}

// figure is precision, recall and their harmonic mean.
type figure struct{ P, R, F float64 }

// drawn is a block in a drawing; outer ones have thick lines.
type drawn struct {
	X, Y, W, H float64
	Level      int
	Kind       string // label or type
	Title      string
}

// writeGallery writes DIR/index.html with each page's picture and, drawn over
// it, our blocks and the annotated ones, worst pages first.
func writeGallery(dir, pictures string, pages []page, marked []*truth.Page, cuts map[string]*label.Divided, leaf, level1 map[string]figure) error {
	var all []shown
	for i, p := range pages {
		if _, ok := leaf[p.name]; !ok {
			continue // excluded by the evaluator
		}
		s := shown{Name: p.name, Width: p.snap.Width, Height: p.snap.Height, Ours: drawBlocks(cuts[p.name].Cut)}
		s.Figures = fmt.Sprintf("blocks F %.3f (P %.2f, R %.2f) · regions F %.3f", leaf[p.name].F, leaf[p.name].P, leaf[p.name].R, level1[p.name].F)
		s.worth = leaf[p.name].F
		for _, b := range marked[i].Blocks {
			s.Truth = append(s.Truth, drawn{b.Rect[0], b.Rect[1], b.Rect[2], b.Rect[3], b.Level, b.Type, b.Type + " " + b.XPath})
		}
		all = append(all, s)
	}
	return drawGallery(dir, pictures, all)
}

// drawBlocks draws the blocks of a page, except the root.
func drawBlocks(c *segment.Cut) (all []drawn) {
	for k := range c.Blocks {
		if b := &c.Blocks[k]; b.Level > 0 {
			all = append(all, drawn{float64(b.Box.X), float64(b.Box.Y), float64(b.Box.W), float64(b.Box.H), int(b.Level), string(b.Label),
				fmt.Sprintf("%s %.2f: %s", b.Label, b.Confidence, b.Explanation)})
		}
	}
	return all
}

// drawGallery writes the pages, worst first, and their pictures.
func drawGallery(dir, pictures string, all []shown) error {
	for i := range all {
		picture, err := os.ReadFile(filepath.Join(pictures, all[i].Name+".png"))
		if err != nil {
			return err
		}
		file := filepath.Join(dir, all[i].Name+".png")
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, picture, 0o644); err != nil {
			return err
		}
	}
	slices.SortStableFunc(all, func(a, b shown) int { return cmp.Compare(a.worth, b.worth) })
	f, err := os.Create(filepath.Join(dir, "index.html"))
	if err != nil {
		return err
	}
	if err := galleryPage.Execute(f, all); err != nil {
		return err
	}
	return f.Close()
}

// readFigures reads one figure of each page from segeval.py's output.
func readFigures(file, key string) (map[string]figure, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var per map[string]map[string]json.RawMessage
	if err := json.Unmarshal(raw, &per); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	figures := map[string]figure{}
	for name, values := range per {
		var pr [2]float64
		if v, ok := values[key]; ok {
			if err := json.Unmarshal(v, &pr); err != nil {
				return nil, fmt.Errorf("%s: %s: %w", file, name, err)
			}
		}
		figures[name] = figure{pr[0], pr[1], harmonic(pr[0], pr[1])}
	}
	return figures, nil
}

func harmonic(p, r float64) float64 {
	if p+r == 0 {
		return 0
	}
	return 2 * p * r / (p + r)
}

var galleryPage = template.Must(template.New("").Parse(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Blocks of {{len .}} pages, worst first</title>
<style>
body { font: 14px/1.4 system-ui, sans-serif; margin: 1.5em; color: #222; background: #f4f4f4 }
section { margin: 0 0 2.5em }
h2 { font-size: 1.1em; margin: 0 0 .4em; position: sticky; top: 0; background: #f4f4f4; padding: .3em 0 }
h2 small { font-weight: normal; color: #555 }
.pair { display: flex; gap: 1em; align-items: flex-start }
figure { margin: 0; flex: 1 1 0; min-width: 0 }
figcaption { color: #555 }
svg { width: 100%; height: auto; background: #fff; box-shadow: 0 0 4px #0004 }
rect { fill: #0000; stroke: #d11; stroke-width: 4 }
rect.l1 { stroke: #06c; stroke-width: 9 }
rect.l3 { stroke-width: 2 }
.truth rect { stroke: #090; stroke-dasharray: 14 8 }
.truth rect.l1 { stroke: #c0c; stroke-width: 9 }
.truth rect.text { stroke: #090; stroke-dasharray: none; fill: #0902 }
.truth rect.missing { stroke: #d11; stroke-dasharray: none; fill: #d112 }
.truth rect.too-much { stroke: #e80; stroke-dasharray: none; fill: #e802 }
rect:hover { fill: #ff03 }
text { font: bold 20px sans-serif; fill: #fff; paint-order: stroke; stroke: #000a; stroke-width: 5px }
</style>
<p>Left ours: regions (level 1) blue, blocks (level 2, and 3) red, with their labels. Right what people marked: level 1
violet, what is inside green; where texts are marked, the words of the text found green, missing ones red, and those
too much orange. Point at a box to read more. Blocks and regions: BCubed by characters.</p>
{{range .}}
<section>
<h2>{{.Name}} <small>{{.Figures}}</small></h2>
<div class="pair">
{{$p := .}}
<figure><svg viewBox="0 0 {{.Width}} {{.Height}}"><image href="{{.Name}}.png"/>
{{range .Ours}}<rect class="l{{.Level}}" x="{{.X}}" y="{{.Y}}" width="{{.W}}" height="{{.H}}"><title>{{.Title}}</title></rect><text x="{{.X}}" y="{{.Y}}" dx="6" dy="22">{{if gt .Level 1}}{{.Kind}}{{end}}</text>
{{end}}</svg><figcaption>ours, {{len .Ours}}</figcaption></figure>
<figure class="truth"><svg viewBox="0 0 {{.Width}} {{.Height}}"><image href="{{.Name}}.png"/>
{{range .Truth}}<rect class="l{{.Level}} {{.Kind}}" x="{{.X}}" y="{{.Y}}" width="{{.W}}" height="{{.H}}"><title>{{.Title}}</title></rect><text x="{{.X}}" y="{{.Y}}" dx="6" dy="22">{{.Kind}}</text>
{{end}}</svg><figcaption>marked by people, {{len .Truth}}</figcaption></figure>
</div>
</section>
{{end}}
</html>
`))
