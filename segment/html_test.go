package segment

import (
	"hash/fnv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"plat/fixtures"
	"plat/plat"
	"plat/segment/markup"
)

// rendered makes a snapshot of a page without a browser: the DOM comes from the
// HTML parser, and the boxes are derived from seed, so that the rules meet
// every kind of box. It serves to test invariants that hold for any boxes.
func rendered(t testing.TB, src string, seed uint32) *plat.Snapshot {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(strings.ToValidUTF8(src, "?"))) // as browsers do
	if err != nil {
		t.Skip("no HTML:", err)
	}
	s := &plat.Snapshot{Width: 1000, Height: 2000}
	for _, d := range []string{"block", "inline", "flex", "table-cell", "contents", "inline-block"} {
		for _, pos := range []string{"static", "fixed"} {
			for _, bg := range []plat.Color{0, 0xeeeeeeff, 0x202020ff} {
				s.Styles = append(s.Styles, plat.Style{Display: d, Position: pos, Opacity: 1, Background: bg, FontSize: 16 + float32(len(s.Styles)%3)*6, FontWeight: 400, Color: 0xff})
			}
		}
	}
	s.Styles = append(s.Styles, plat.Style{Display: "block", Hidden: true, Opacity: 1}, plat.Style{Display: "block", Opacity: 0})
	rnd := func(i int32, salt byte, n uint32) uint32 {
		h := fnv.New32a()
		h.Write([]byte{byte(i), byte(i >> 8), salt, byte(seed), byte(seed >> 8), byte(seed >> 16), byte(seed >> 24)})
		return h.Sum32() % n
	}
	depth := 0
	var add func(n *html.Node, parent int32)
	add = func(n *html.Node, parent int32) {
		i := int32(len(s.Nodes))
		v := plat.Node{Parent: parent, Foreign: n.Namespace != ""}
		switch n.Type {
		case html.DocumentNode:
			v.Kind = plat.DocumentNode
		case html.DoctypeNode:
			v.Kind, v.Name = plat.DoctypeNode, n.Data
			for _, a := range n.Attr {
				v.Attrs = append(v.Attrs, plat.Attr{Name: a.Key, Value: a.Val})
			}
		case html.ElementNode:
			v.Kind, v.Name = plat.ElementNode, n.Data
			for _, a := range n.Attr {
				name := a.Key
				if a.Namespace != "" {
					name = a.Namespace + ":" + name
				}
				v.Attrs = append(v.Attrs, plat.Attr{Name: name, Value: a.Val})
			}
		case html.TextNode:
			v.Kind, v.Value = plat.TextNode, n.Data
		case html.CommentNode:
			v.Kind, v.Value = plat.CommentNode, n.Data
		default:
			return
		}
		if (v.Kind == plat.ElementNode || v.Kind == plat.TextNode) && rnd(i, 1, 8) > 0 && v.Name != "iframe" && (parent < 0 || s.Nodes[parent].HasBox || s.Nodes[parent].Name != "iframe") {
			v.HasBox = true
			v.Style = int32(rnd(i, 2, uint32(len(s.Styles))))
			v.Box = plat.Rect{X: float32(rnd(i, 3, 900)) - 50, Y: float32(i) * 20, W: float32(rnd(i, 4, 600)), H: float32(rnd(i, 5, 300))}
		}
		// Scripts can build DOMs that no parser does: text that holds the end
		// tag of its own element, comments that hold the end of comments,
		// adjacent text nodes.
		if v.Kind == plat.TextNode && parent >= 0 && (s.Nodes[parent].Name == "iframe" || markup.NeverShown(s.Nodes[parent].Name)) && rnd(i, 6, 2) == 0 {
			v.Value += "</" + s.Nodes[parent].Name + "> <b>seems seen</b>"
		}
		if v.Kind == plat.CommentNode && rnd(i, 7, 2) == 0 {
			v.Value += "--> seems seen <!--"
		}
		s.Nodes = append(s.Nodes, v)
		if v.Kind == plat.TextNode && len(v.Value) > 6 && rnd(i, 8, 2) == 0 {
			half := v
			for cut := 3; cut < len(v.Value); cut++ {
				if utf8.RuneStart(v.Value[cut]) {
					s.Nodes[i].Value, half.Value = v.Value[:cut], v.Value[cut:]
					s.Nodes[i].End = i + 1
					half.HasBox = half.HasBox && rnd(i, 9, 2) == 0
					half.End = i + 2
					s.Nodes = append(s.Nodes, half)
					return
				}
			}
		}
		// Shadow roots, template contents and the documents of frames come first.
		inner := plat.NodeKind(0)
		switch {
		case n.Data == "template" && v.Kind == plat.ElementNode:
			inner = plat.TemplateNode
		case n.Data == "div" && v.Kind == plat.ElementNode && rnd(i, 10, 4) == 0:
			inner = plat.ShadowNode
		}
		if (n.Data == "iframe" || inner != 0) && v.Kind == plat.ElementNode && rnd(i, 11, 3) > 0 {
			at := int32(len(s.Nodes))
			s.Nodes = append(s.Nodes, plat.Node{Kind: inner, Parent: i, Value: "open"})
			for k, c := range []string{"<p>inner words <i>and</i> more", "a<iframe>old browsers see this</iframe>b"} {
				doc, err := html.ParseFragment(strings.NewReader(c), &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body})
				if err != nil || k > 0 && depth > 3 {
					break
				}
				depth++
				for _, c := range doc {
					add(c, at)
				}
				depth--
			}
			s.Nodes[at].End = int32(len(s.Nodes))
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			add(c, i)
		}
		s.Nodes[i].End = int32(len(s.Nodes))
	}
	add(doc, -1)
	return s
}

// invariants checks the properties that every cut of every page must have.
func invariants(t testing.TB, s *plat.Snapshot, p Params) *Cut {
	t.Helper()
	var all int32
	cut, err := segment(s, p, func(c *cutter) { all = c.sums[len(s.Nodes)].chars })
	if err != nil {
		t.Fatal(err)
	}
	if p, err = p.withDefaults(); err != nil {
		t.Fatal(err)
	}
	if few := 5_000; len(s.Nodes) <= few {
		if !equal(usedCutter(len(s.Nodes)+1).segment(s, p, nil), cut) {
			t.Errorf("%v: after another page it is cut otherwise", p)
		}
		if !equal(alone(s, p), cut) {
			t.Errorf("%v: one goroutine cuts it otherwise", p)
		}
	}
	want := markup.Serialize(s)
	got, err := markup.Restore(&cut.Layout, cut.Blocks)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Fatalf("%v: restored page differs from the serialised one at byte %d:\n%.200q\nwant\n%.200q", p, same(got, want), got[same(got, want):], want[same(got, want):])
	}
	if cut.Coverage < 1 {
		t.Errorf("%v: coverage %.4f, some visible text is in no block", p, cut.Coverage)
	}
	chars := int32(0)
	for i := range cut.Blocks {
		b := &cut.Blocks[i]
		if (i == 0) != (b.Parent < 0) || b.Parent >= int32(i) {
			t.Fatalf("block %d has parent %d", i, b.Parent)
		}
		if i > 0 {
			a, b := cut.Spans[b.Parent], cut.Spans[i]
			if b.First < a.First || b.End > a.End || b.First >= b.End {
				t.Fatalf("block %d spans %v, outside of its parent's %v", i, b, a)
			}
			if cut.Blocks[i].Level != cut.Blocks[cut.Blocks[i].Parent].Level+1 {
				t.Fatalf("block %d has level %d below %d", i, cut.Blocks[i].Level, cut.Blocks[cut.Blocks[i].Parent].Level)
			}
		}
		if !b.Leaf() {
			continue
		}
		chars += markup.CountChars(b.Text)
		// Raw text with its own end tag cannot be distinguished from markup.
		raw := strings.Contains(string(b.Content), "<xmp") || strings.Contains(string(b.Content), "<plaintext")
		if n := markup.CountChars(b.Text); n != b.TextLen && !raw {
			t.Errorf("block %d: its text has %d characters, %d are visible:\n%.300q\n%.600q %.20v", i, n, b.TextLen, b.Text, b.Content, b.Hidden[:min(20, len(b.Hidden))])
		}
		if strings.TrimSpace(b.Lead) != "" {
			t.Errorf("block %d: lead %q", i, b.Lead)
		}
	}
	raw := strings.Contains(string(want), "<xmp") || strings.Contains(string(want), "<plaintext")
	if chars != all && !raw {
		t.Errorf("leaves hold %d visible characters, the page has %d", chars, all)
	}
	return cut
}

func same(a, b []byte) int {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	return i
}

func TestEveryPageIsRestoredByteForByte(t *testing.T) {
	for _, src := range fixtures.Damaged {
		for seed := uint32(0); seed < 40; seed++ {
			s := rendered(t, src, seed)
			for _, p := range []Params{{}, {Profile: Paper}, {Level: 1}, {Level: 6}} {
				invariants(t, s, p)
			}
			if t.Failed() {
				t.Fatalf("page %.200q, boxes %d", src, seed)
			}
		}
	}
}

// Adversarial pages: neither slow nor cut into too many blocks.
func TestHostileShapesAreCutInTimeAndToAFewBlocks(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: large pages take ten seconds, and this is a short run")
	}
	boxed := func(s *plat.Snapshot, fixed func(n *plat.Node) bool) *plat.Snapshot {
		s.Styles = []plat.Style{{Display: "block", Opacity: 1, FontSize: 16, Color: 0xff}, {Display: "block", Position: "fixed", Opacity: 1, FontSize: 16, Color: 0xff}}
		for i := range s.Nodes {
			n := &s.Nodes[i]
			n.HasBox, n.Style = n.Kind == plat.TextNode || n.Kind == plat.ElementNode, 0
			n.Box = plat.Rect{X: 1, Y: float32(i % 5000), W: 100, H: 20}
			if fixed(n) {
				n.Style = 1
			}
		}
		return s
	}
	// A location adjusted to a deeper level that is now a long list. The path
	// names its first block, which has no box of its own.
	long := "<div><p>t</p></div>" + strings.Repeat("<hr><h2>t</h2><div><div>t</div></div>", 20_000)
	for name, page := range map[string]*plat.Snapshot{
		"a list that was split":     boxed(rendered(t, long, 1), func(*plat.Node) bool { return false }),
		"deep, then wide":           boxed(rendered(t, strings.Repeat("<div>", 400)+strings.Repeat("<div><p>t</p><p>t</p></div>", 40_000), 1), func(*plat.Node) bool { return false }),
		"text and overlays in turn": boxed(rendered(t, strings.Repeat("t<i>o</i>", 40_000), 1), func(n *plat.Node) bool { return n.Name == "i" }),
		"frames without documents":  boxed(rendered(t, strings.Repeat("<iframe></iframe>", 40_000), 1), func(*plat.Node) bool { return false }),
		"lines":                     boxed(rendered(t, strings.Repeat("t<br>", 40_000), 1), func(*plat.Node) bool { return false }),
		"rows":                      boxed(rendered(t, "<table>"+strings.Repeat("<tr><td>a<td>b", 20_000), 1), func(*plat.Node) bool { return false }),
	} {
		start := time.Now()
		c := invariants(t, page, Params{})
		var adjust []plat.Adjust
		for i := range min(len(c.Blocks), 100) {
			adjust = append(adjust, plat.Adjust{Path: c.Blocks[i].Path, Split: true})
		}
		if c := invariants(t, page, Params{Adjust: adjust}); len(c.Blocks) > maxBlocks {
			t.Errorf("%s, adjusted: %d blocks", name, len(c.Blocks))
		}
		invariants(t, page, Params{Level: maxLevel})
		// Linear work takes some seconds including the checks; anything
		// quadratic takes minutes.
		if took := time.Since(start); took > 30*time.Second {
			t.Errorf("%s: %d nodes took %v", name, len(page.Nodes), took)
		}
		if len(c.Blocks) > maxBlocks {
			t.Errorf("%s: %d blocks", name, len(c.Blocks))
		}
	}
}

func FuzzRestore(f *testing.F) {
	for i, src := range fixtures.Damaged {
		if len(src) < 2000 {
			f.Add(src, uint32(i), uint8(i%4))
		}
	}
	f.Fuzz(func(t *testing.T, src string, seed uint32, how uint8) {
		s := rendered(t, src, seed)
		p := Params{Level: int(how % 7)}
		if how&8 != 0 {
			p.Profile = Paper
		}
		invariants(t, s, p)
	})
}
