package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"plat/export/draw"
	"plat/plat"
	"plat/plat/excerpt"
	"plat/storage/history"
	"plat/web/api"
	"plat/web/cache"
)

// treeNode is a block in the tree beside the picture.
type treeNode struct {
	plat.Block
	URL      string
	Index    int
	Heading  string
	Place    string
	Rule     string
	Chars    int32
	Since    int    // first version with this content; 0: unknown
	Class    string // CSS class of its colour
	Children []*treeNode
}

// showVersion shows a version: its picture with the blocks drawn over it, and
// the tree.
func (s *Server) showVersion(w http.ResponseWriter, r *http.Request, p *api.Params) error {
	ctx := r.Context()
	v, state, err := s.asked(ctx, p)
	if err != nil {
		return err
	}
	u := v.URL
	data := struct {
		page
		Where    where
		V        *plat.Version
		Head     int
		Leaves   int
		Prev     int
		Next     int
		Ways     []string
		By       string
		Inner    bool
		Pictured bool
		Legend   []draw.Entry
		Overlay  draw.Overlay
		Tree     *treeNode
		Facts    []fact
		File     *keptFile
	}{
		page: s.page(fmt.Sprintf("Version %d of %s", v.N, u), "archive"), Where: whereOf(u, v.N), V: v, Head: state.Head, Leaves: history.Leaves(v),
		Prev: v.Previous(), Ways: draw.Ways, By: cmp.Or(p.Query.Get("by"), draw.ByLabel), Inner: p.Query.Get("inner") == "1",
		Pictured: !v.Picture.IsZero(), Facts: factsOf(v),
	}
	if v.N < state.Head {
		data.Next = v.N + 1
	}
	m, err := s.manifest(ctx, v.Resources)
	if err != nil {
		return err
	}
	data.File = fileOf(u, m)
	var since []int
	if data.By == draw.ByAge {
		if since, err = (past{s}).Since(ctx, v); err != nil {
			return err
		}
	}
	colours, err := s.colours(ctx, v, data.By)
	if err != nil {
		return err
	}
	data.Legend = colours.Legend
	toTree := func(i int) string { return "#b" + strconv.Itoa(i) }
	if data.Overlay, err = s.overlay(ctx, v, p.Query.Get("plan") == "1", draw.View{Inner: data.Inner, Class: colours.Class, Href: toTree}); err != nil {
		return err
	}
	data.Tree = treeOf(v, since, colours.Class)
	return s.render(w, http.StatusOK, "version", data)
}

// overlay draws a version over its picture, or as an outline if there is no
// picture or plan is set.
func (s *Server) overlay(ctx context.Context, v *plat.Version, plan bool, how draw.View) (draw.Overlay, error) {
	if !plan && !v.Picture.IsZero() {
		var err error
		how.Size, err = s.pictureSize(ctx, v.Picture)
		switch {
		case errors.Is(err, plat.ErrCorrupt), errors.Is(err, plat.ErrNotFound): // fall back to the outline
			s.Log.Error("picture", "url", v.URL, "version", v.N, "error", err)
		case err != nil:
			return draw.Overlay{}, err
		}
	}
	o := draw.NewOverlay(v, how)
	if !o.Plan {
		o.Picture = apiRoot + "/picture/" + v.Picture.String()
	}
	return o, nil
}

// pictureSize is the size of a picture in pixels.
func (s *Server) pictureSize(ctx context.Context, h plat.Hash) (image.Point, error) {
	return cache.Remember(ctx, s.cache, "size "+h.String(), func(image.Point) int64 { return 16 }, func(ctx context.Context) (image.Point, error) {
		p, err := s.Store.Picture(ctx, h)
		if err != nil {
			return image.Point{}, err
		}
		size, err := draw.PictureSize(p)
		if err != nil {
			err = fmt.Errorf("picture %s: %w", h.Short(), err)
		}
		return size, err
	})
}

// colours assigns a colour class to each leaf of a version, with a legend.
func (s *Server) colours(ctx context.Context, v *plat.Version, by string) (draw.Colouring, error) {
	if !draw.IsWay(by) {
		return draw.Colouring{}, api.BadRequest("by: write %s, %s, %s or %s", draw.ByLabel, draw.ByAge, draw.ByKind, draw.ByNothing)
	}
	return draw.Colour(ctx, past{s}, v, by)
}

// past provides the history that colouring needs, cached.
type past struct{ *Server }

func (p past) Changes(ctx context.Context, v *plat.Version) (*history.Diff, error) {
	return p.compared(ctx, v.URL, v.Previous(), v.N)
}

func (p past) Since(ctx context.Context, v *plat.Version) ([]int, error) {
	st, err := p.Store.State(ctx, v.URL)
	if err != nil {
		return nil, err
	}
	return cache.Remember(ctx, p.cache, "since "+strconv.Itoa(v.N)+" "+versionsKey(&st), func(n []int) int64 { return 8 * int64(len(n)) },
		func(ctx context.Context) ([]int, error) { return history.Since(ctx, p.Store, v) })
}

// treeOf builds the displayed block tree of v.
func treeOf(v *plat.Version, since []int, class func(i int) string) *treeNode {
	all := make([]*treeNode, len(v.Blocks))
	for i := range v.Blocks {
		b := &v.Blocks[i]
		t := &treeNode{Block: *b, URL: v.URL, Index: i, Heading: excerpt.Line(b.Topic, 80), Place: b.Box.String(), Rule: b.Rule.String(), Chars: b.TextLen}
		if t.Heading == "" {
			t.Heading = strings.TrimPrefix(b.Tag, "#")
		}
		if b.Leaf() {
			t.Class = class(i)
		}
		if since != nil {
			t.Since = since[i]
		}
		if all[i] = t; b.Parent >= 0 {
			all[b.Parent].Children = append(all[b.Parent].Children, t)
		}
	}
	return all[0]
}

// settledText explains when a page was captured.
var settledText = map[plat.Settled]string{
	plat.SettledStatic:  "at once: it has no scripts",
	plat.SettledQuiet:   "when it had stopped changing",
	plat.SettledMoving:  "while it changed: it does so all the time",
	plat.SettledLive:    "when its sockets or workers had brought nothing for a while",
	plat.SettledStalled: "when it had stopped changing, but for a request without an answer",
	plat.SettledLimit:   "at the time limit, while it still changed",
	plat.SettledLoading: "at the time limit, while it still loaded",
	"":                  "not recorded",
}

// fact is one property of a capture.
type fact struct{ Name, Value string }

func factsOf(v *plat.Version) []fact {
	c := &v.Capture
	all := []fact{
		{"final URL", c.FinalURL}, {"status", strconv.Itoa(c.Status)}, {"content type", c.ContentType}, {"language", c.Language},
		{"browser", c.Browser}, {"window", fmt.Sprintf("%d × %d", c.Width, c.Height)}, {"time taken", c.Duration.String()}, {"settled", settledText[c.Settled]},
		{"segmentation", fmt.Sprintf("profile %s, level %d", v.Profile, v.Level)}, {"coverage", coverageText(v)}, {"layout", v.Layout.String()},
	}
	if c.Coarse > 0 {
		all = append(all, fact{"coarse", fmt.Sprintf("the page had %d nodes: its small parts are plain text", c.Coarse)})
	}
	for _, name := range slices.Sorted(maps.Keys(v.Meta)) {
		all = append(all, fact{name, v.Meta[name]})
	}
	for _, h := range c.Header {
		all = append(all, fact{h[0], h[1]})
	}
	return all
}

// coverageText is the share of the page's text that is in blocks.
func coverageText(v *plat.Version) string {
	text := fmt.Sprintf("%.3f", v.Coverage)
	if v.Coverage < plat.LowCoverage {
		text += fmt.Sprintf(": %.0f %% of the text that the browser laid out is in no block: it counts as hidden", 100*(1-v.Coverage))
	}
	return text
}
