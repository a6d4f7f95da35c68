package web

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"plat"
	"plat/history"
	"plat/storage"
)

// Ways to colour blocks.
const (
	byLabel = "label"
	byAge   = "age"
	byKind  = "change"
	byNone  = "nothing"
)

// legendEntry is one colour and what it says.
type legendEntry struct{ Class, Name string }

// treeNode is a block in the tree beside the picture.
type treeNode struct {
	plat.Block
	URL      string
	Index    int
	Heading  string
	Place    string
	Rule     string
	Chars    int32
	Since    int    // version that brought the content; 0: not known
	Class    string // of its colour
	Children []*treeNode
}

// showVersion shows a version: its picture with the blocks over it, and the tree.
func (s *Server) showVersion(w http.ResponseWriter, r *http.Request, p *params) error {
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
		Legend   []legendEntry
		Overlay  overlay
		Tree     *treeNode
		Facts    []fact
	}{
		page: s.page(fmt.Sprintf("Version %d of %s", v.N, u), "archive"), Where: whereOf(u, v.N), V: v, Head: state.Head, Leaves: history.Leaves(v),
		Prev: v.N - 1, Ways: []string{byLabel, byAge, byKind, byNone}, By: cmp.Or(p.query.Get("by"), byLabel), Inner: p.query.Get("inner") == "1",
		Pictured: !v.Picture.IsZero(), Facts: factsOf(v),
	}
	if v.N < state.Head {
		data.Next = v.N + 1
	}
	var since []int
	if data.By == byAge {
		if since, err = s.since(ctx, v); err != nil {
			return err
		}
	}
	class, legend, err := s.colours(ctx, v, data.By, since)
	if err != nil {
		return err
	}
	data.Legend = legend
	toTree := func(i int) string { return "#b" + strconv.Itoa(i) }
	if data.Overlay, err = s.newOverlay(ctx, v, p.query.Get("plan") == "1", data.Inner, class, toTree); err != nil {
		return err
	}
	data.Tree = treeOf(v, since, class)
	return s.render(w, http.StatusOK, "version", data)
}

// colours gives each leaf of a version its class, and says what the classes mean.
func (s *Server) colours(ctx context.Context, v *plat.Version, by string, since []int) (func(i int) string, []legendEntry, error) {
	switch by {
	case byAge:
		class := func(i int) string { return ageClass(v, since[i]) }
		return class, legendOf(v, class, ageNames), nil
	case byKind:
		kinds, err := s.kindsOf(ctx, v)
		if err != nil {
			return nil, nil, err
		}
		class := func(i int) string { return "kind-" + string(kinds[i]) }
		var names [][2]string
		for _, k := range append([]plat.Kind{plat.Same}, plat.Kinds...) {
			names = append(names, [2]string{"kind-" + string(k), string(k)})
		}
		return class, legendOf(v, class, names), nil
	case byNone:
		return func(int) string { return "plain" }, nil, nil
	case byLabel:
		class := func(i int) string { return "label-" + string(v.Blocks[i].Label) }
		var names [][2]string
		for _, l := range plat.Labels {
			names = append(names, [2]string{"label-" + string(l), string(l)})
		}
		return class, legendOf(v, class, names), nil
	}
	return nil, nil, bad("by: write %s, %s, %s or %s", byLabel, byAge, byKind, byNone)
}

// legendOf names those classes that leaves of v have.
func legendOf(v *plat.Version, class func(i int) string, names [][2]string) []legendEntry {
	have := map[string]bool{}
	for i := range v.Blocks {
		if v.Blocks[i].Leaf() {
			have[class(i)] = true
		}
	}
	var all []legendEntry
	for _, n := range names {
		if have[n[0]] {
			all = append(all, legendEntry{n[0], n[1]})
		}
	}
	return all
}

// kindsOf says of every block of v how it changed against the version before.
func (s *Server) kindsOf(ctx context.Context, v *plat.Version) ([]plat.Kind, error) {
	kinds := make([]plat.Kind, len(v.Blocks))
	for i := range kinds {
		kinds[i] = plat.Same
	}
	if v.N == 1 {
		return kinds, nil
	}
	d, err := s.compared(ctx, v.URL, v.N-1, v.N)
	if err != nil {
		return nil, err
	}
	for _, c := range d.Changes {
		if c.New >= 0 && int(c.New) < len(kinds) {
			kinds[c.New] = c.Kind
		}
	}
	return kinds, nil
}

// since says of every leaf of v which version brought the content that it has.
func (s *Server) since(ctx context.Context, v *plat.Version) ([]int, error) {
	return remember(ctx, s.cache, "since "+strconv.Itoa(v.N)+" "+v.URL, func(n []int) int64 { return 8 * int64(len(n)) }, func(ctx context.Context) ([]int, error) {
		first := make([]int, len(v.Blocks))
		fold := storage.NewSpans(v.URL, 0, nil)
		for x, err := range s.Store.Trees(ctx, v.URL, 1, v.N) {
			if err != nil {
				return nil, err
			}
			fold.Add(x)
		}
		type key struct {
			lineage int32
			hash    plat.Hash
		}
		at := map[key]int{}
		for _, sp := range fold.Open() {
			at[key{sp.Lineage, sp.Hash}] = sp.First
		}
		for i := range v.Blocks {
			first[i] = at[key{v.Blocks[i].Lineage, v.Blocks[i].Hash}]
		}
		return first, nil
	})
}

// ageNames are the classes of age, the youngest first.
var ageNames = [][2]string{
	{"age-0", "new in this version"}, {"age-1", "in the latest tenth"}, {"age-2", "in the latest quarter"},
	{"age-3", "in the latest half"}, {"age-4", "older"}, {"age-5", "since the first version"},
}

// ageClass is how old the content of a block is, as part of the versions up to v.
func ageClass(v *plat.Version, since int) string {
	switch age := v.N - since; {
	case since == 1:
		return "age-5"
	case age == 0:
		return "age-0"
	case age*10 <= v.N:
		return "age-1"
	case age*4 <= v.N:
		return "age-2"
	case age*2 <= v.N:
		return "age-3"
	}
	return "age-4"
}

// treeOf is the block tree of v, as people read it.
func treeOf(v *plat.Version, since []int, class func(i int) string) *treeNode {
	all := make([]*treeNode, len(v.Blocks))
	for i := range v.Blocks {
		b := &v.Blocks[i]
		t := &treeNode{Block: *b, URL: v.URL, Index: i, Heading: firstLine(b.Topic, 80), Place: b.Box.String(), Rule: b.Rule.String(), Chars: b.TextLen}
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

// settledText tells people why a page was taken when it was.
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

// fact is one thing to know of a capture.
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

// coverageText is how much of the page's text is in blocks.
func coverageText(v *plat.Version) string {
	text := fmt.Sprintf("%.3f", v.Coverage)
	if v.Coverage < plat.LowCoverage {
		text += fmt.Sprintf(": %.0f %% of the text that the browser laid out is in no block, for it is taken for hidden", 100*(1-v.Coverage))
	}
	return text
}
