package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"plat/fixtures/truth"
	"plat/plat"
	"plat/segment"
	"plat/segment/label"
)

// measures are the rows of the table: a figure of the evaluator, the results of
// VIPS and HEPS on the dev pages (from the data's README), and the goal.
var measures = []struct {
	name, key        string
	heps, vips, want float64
}{
	{"leaf blocks, BCubed F, characters", "leaf chars", .559, .666, .80},
	{"level-1 regions, BCubed F, characters", "level1 chars", .530, .688, .92},
	{"leaf blocks, BCubed F, pixels", "leaf pixels", .360, .390, .58},
	{"fuzzy block match F, all levels", "fuzzy", .320, .406, .60},
	{"labels, F of noise", "noise", 0, 0, .85},
	{"coverage, mean", "coverage", 0, 0, .995},
	{"coverage, worst", "worst coverage", 0, 0, .98},
}

// webseg evaluates blocks and labels of both profiles and prints them beside
// published results.
func (e *eval) webseg(ctx context.Context) error {
	pages, columns, err := e.measure(ctx)
	if err != nil {
		return err
	}
	best, err := e.depths(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("%d pages of %d, level 2; means over pages, but for labels: characters of all pages\n\n", len(pages)-e.left, len(pages))
	fmt.Printf("%-40s %7s %7s %7s %7s %7s %7s\n", "", "visual", "paper", "depth", "VIPS", "HEPS", "goal")
	for _, m := range measures {
		fmt.Printf("%-40s %7.3f %7.3f %7s %7s %7s %7.3f\n", m.name, columns["visual"][m.key], columns["paper"][m.key],
			known(best[m.key]), known(m.vips), known(m.heps), m.want)
	}
	fmt.Println("\ndepth: the best fixed depth of the DOM, for each measure its own")
	fmt.Println("visual: weights fitted to these pages; -fit says what they reach on pages that they were not fitted to")
	if err := e.stability(ctx, pages); err != nil {
		return err
	}
	if e.gallery != "" {
		fmt.Printf("gallery: %s\n", filepath.Join(e.gallery, "index.html"))
	}
	return nil
}

// marked returns the annotations and the rendered pages, both in order of name.
func (e *eval) marked(ctx context.Context) ([]*truth.Page, []page, error) {
	marked, err := truth.Read(e.truthFile("webseg"))
	if err != nil {
		return nil, nil, err
	}
	var names []string
	for _, p := range marked {
		names = append(names, p.Name)
	}
	pages, err := e.load(ctx, asMarked("webseg"), names)
	return marked, pages, err
}

// measure returns the figures by profile and key, and the pages they refer to.
// It writes the gallery if requested.
func (e *eval) measure(ctx context.Context) ([]page, map[string]map[string]float64, error) {
	marked, pages, err := e.marked(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, p := range marked {
		if !p.Scored() {
			e.left++
		}
	}
	columns := map[string]map[string]float64{}
	for _, profile := range []segment.Profile{segment.Visual, segment.Paper} {
		cuts, err := describe(pages, segment.Params{Profile: profile, Level: 2})
		if err != nil {
			return nil, nil, err
		}
		if columns[string(profile)], err = e.score(ctx, string(profile), pages, cuts); err != nil {
			return nil, nil, err
		}
		if profile == segment.Visual && e.gallery != "" {
			leaf, err := readFigures(e.perPage("visual", "all"), "leaf.chars")
			if err != nil {
				return nil, nil, err
			}
			level1, err := readFigures(e.perPage("visual", "level1"), "level1.chars")
			if err != nil {
				return nil, nil, err
			}
			if err := writeGallery(e.gallery, e.kept(asMarked("webseg")), pages, marked, cuts, leaf, level1); err != nil {
				return nil, nil, err
			}
		}
	}
	return pages, columns, nil
}

// known formats a figure that may be missing.
func known(f float64) string {
	if f == 0 {
		return "–"
	}
	return strconv.FormatFloat(f, 'f', 3, 64)
}

func (e *eval) perPage(profile, which string) string {
	return filepath.Join(e.work, profile+"-"+which+"-pages.json")
}

// score writes the results in the evaluator's format and runs it.
func (e *eval) score(ctx context.Context, profile string, pages []page, cuts map[string]*label.Divided) (map[string]float64, error) {
	all, regions := newPrediction(), newPrediction()
	worst, covered := 1.0, 0.0
	for _, p := range pages {
		c := cuts[p.name]
		all.add(p, c.Cut, 2)
		regions.add(p, c.Cut, 1)
		covered += c.Coverage / float64(len(pages))
		worst = min(worst, c.Coverage)
	}
	found := map[string]float64{"coverage": covered, "worst coverage": worst}
	for _, part := range []struct {
		which, truth string
		p            *prediction
		keys         []string
	}{
		{"all", "leaf", all, []string{"leaf chars", "leaf pixels", "fuzzy", "noise"}},
		{"level1", "level1", regions, []string{"level1 chars"}},
	} {
		file := filepath.Join(e.work, profile+"-"+part.which+".json")
		if err := writeJSON(file, part.p); err != nil {
			return nil, err
		}
		f, err := e.segeval(ctx, file, "--truth-mode", part.truth, "--per-page", e.perPage(profile, part.which))
		if err != nil {
			return nil, err
		}
		for _, k := range part.keys {
			found[k] = f[k]
		}
	}
	return found, nil
}

// depths returns, for each measure, the best result of a baseline that takes
// all elements of one DOM depth as blocks.
func (e *eval) depths(ctx context.Context) (map[string]float64, error) {
	best := map[string]float64{}
	for depth := 1; depth <= 7; depth++ {
		f, err := e.segeval(ctx, "--baseline", fmt.Sprintf("depth%d", depth), "--truth-mode", "leaf,level1")
		if err != nil {
			return nil, err
		}
		for k, v := range f {
			if k != "noise" { // it labels everything main
				best[k] = max(best[k], v)
			}
		}
	}
	return best, nil
}

// segeval runs the evaluator and reads the figures out of its tables.
func (e *eval) segeval(ctx context.Context, args ...string) (map[string]float64, error) {
	args = append([]string{e.evaluator("segeval.py"), e.truthFile("webseg")}, args...)
	args = append(args, "--atoms", "chars,pixels")
	var out bytes.Buffer
	if err := python(ctx, &out, args...); err != nil {
		return nil, err
	}
	found := map[string]float64{}
	for lines := bufio.NewScanner(&out); lines.Scan(); {
		f := strings.Fields(lines.Text())
		key, at := "", 0
		switch {
		case len(f) == 6 && (f[0] == "leaf" || f[0] == "level1"): // mode atoms P R F F*
			key, at = f[0]+" "+f[1], 4
		case len(f) > 8 && f[0] == "all": // truth predicted, exact P R F, fuzzy P R F
			key, at = "fuzzy", 8
		case len(f) == 7 && f[0] == "noise": // P p R r F f
			key, at = "noise", 6
		default:
			continue
		}
		v, err := strconv.ParseFloat(f[at], 64)
		if err != nil {
			return nil, fmt.Errorf("unexpected output of segeval.py: %q", lines.Text())
		}
		found[key] = v
	}
	return found, nil
}

// block is a predicted block, as read by segeval.py.
type block struct {
	ID     string       `json:"id"`
	Parent string       `json:"parent,omitempty"`
	XPaths []string     `json:"xpaths"`
	Rects  [][4]float32 `json:"rects"`
	Label  string       `json:"label,omitempty"`
}

// prediction is all blocks of all pages.
type prediction struct {
	Pages map[string]segments `json:"pages"`
}

type segments struct {
	Segments []block `json:"segments"`
}

func newPrediction() *prediction { return &prediction{map[string]segments{}} }

// add adds a page's blocks down to a level, without the root, which the
// annotations lack.
func (p *prediction) add(pg page, c *segment.Cut, level int32) {
	var out []block
	paths := truth.XPaths(pg.snap)
	for i := range c.Blocks {
		b := &c.Blocks[i]
		if b.Level == 0 || b.Level > level {
			continue
		}
		o := block{ID: strconv.Itoa(i), Rects: [][4]float32{{b.Box.X, b.Box.Y, b.Box.W, b.Box.H}}, Label: side(b.Label)}
		if b.Level > 1 {
			o.Parent = strconv.Itoa(int(b.Parent))
		}
		for n := c.Spans[i].First; n < c.Spans[i].End; n = pg.snap.Nodes[n].End {
			if paths[n] != "" {
				o.XPaths = append(o.XPaths, paths[n])
			}
		}
		out = append(out, o)
	}
	p.Pages[pg.name] = segments{out}
}

// side returns the evaluator's name for the side of a label: boilerplate or
// content.
func side(l plat.Label) string {
	if label.Boilerplate(l) {
		return "noise"
	}
	return "main"
}
