package capture

import (
	"strings"
	"testing"

	"plat/browser/devtools"
	"plat/fixtures"
	"plat/plat"
)

// toCBOR writes JSON as Chrome would write it.
func toCBOR(t testing.TB, text string) []byte {
	t.Helper()
	b, err := devtools.AppendCBOR(nil, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// rawCapture and rawDOM are answers in Chrome's form, written by hand, in JSON.
const (
	rawCapture = `{"documents":[{"documentURL":0,"title":1,"contentLanguage":-1,"publicId":-1,"systemId":-1,"nodes":{"parentIndex":[-1,0,1,2,2],"nodeType":[9,1,1,3,1],"nodeName":[2,3,4,5,6],"nodeValue":[-1,-1,-1,7,-1],"backendNodeId":[1,2,3,4,5],"attributes":[[],[],[8,9],[],[]],"pseudoType":{"index":[4],"value":[10]},"contentDocumentIndex":{"index":[],"value":[]}},"layout":{"nodeIndex":[0,1,2,3],"styles":[[],[11,11,11,11,11,11,11,11,11,11],[11,11,11,11,11,11,11,11,11,11],[]],"bounds":[[0,0,1280,1024],[0,0,1280,20],[8,8,1264,18.5],[8,8,30.25,17]],"paintOrders":[0,1,1,2]},"textBoxes":{"layoutIndex":[3],"bounds":[[8,8,30.25,17]],"start":[0],"length":[4]},"contentWidth":1280,"contentHeight":1024}],"strings":["http://a.test/","t\u00e4\ud83d\ude00","#document","HTML","P","#text","::after","a\n\"b\\","class","x y","after","block"]}`
	rawDOM     = `{"root":{"nodeId":1,"backendNodeId":1,"nodeType":9,"nodeName":"#document","childNodeCount":1,"children":[{"nodeId":2,"parentId":1,"backendNodeId":2,"nodeType":1,"nodeName":"HTML","children":[{"backendNodeId":3,"nodeType":1,"nodeName":"P","children":[{"backendNodeId":4,"nodeType":3,"nodeValue":"a"}],"attributes":["class","x y"],"shadowRoots":[{"backendNodeId":6,"nodeType":11,"nodeName":"#document-fragment","shadowRootType":"open","children":[]}]}]}]}}`
)

func TestACaptureIsDecoded(t *testing.T) {
	c, err := Parse(toCBOR(t, rawCapture))
	if err != nil {
		t.Fatal(err)
	}
	got := fixtures.Tree(c.Snapshot(), true)
	want := `#document [box]
  <html [0,0 1280×20]
    <p class="x y" [8,8 1264×18]
      "a\n\"b\\" [box]
`
	if got != want {
		t.Errorf("decoded to\n%swant\n%s", got, want)
	}
	if s := c.Snapshot(); s.Title != "tä😀" || len(s.Lines) != 1 || s.Lines[0].Node != 3 || s.Lines[0].Box.W != 30.25 {
		t.Errorf("title %q, lines %v", s.Title, s.Lines)
	}
	d := &Tree{}
	if _, err := d.Add(toCBOR(t, rawDOM)); err != nil {
		t.Fatal(err)
	}
	s, same, _, _ := c.Merge(d)
	want = `#document [box]
  <html [0,0 1280×20]
    <p class="x y" [8,8 1264×18]
      #shadow open
      "a\n\"b\\" [box]
`
	if got := fixtures.Tree(s, true); got != want || !same {
		t.Errorf("merged, same %t, to\n%swant\n%s", same, got, want)
	}
}

// checkTree fails when a snapshot is not one tree in document order.
func checkTree(t *testing.T, s *plat.Snapshot) {
	t.Helper()
	if len(s.Nodes) == 0 || s.Nodes[0].Parent != -1 || int(s.Nodes[0].End) != len(s.Nodes) {
		t.Fatalf("no root over %d nodes", len(s.Nodes))
	}
	for i := range s.Nodes[1:] {
		n, at := &s.Nodes[i+1], int32(i+1)
		if n.Parent < 0 || n.Parent >= at || n.End <= at || n.End > s.Nodes[n.Parent].End {
			t.Fatalf("node %d: parent %d, end %d", at, n.Parent, n.End)
		}
		if n.HasBox && int(n.Style) >= len(s.Styles) {
			t.Fatalf("node %d: style %d of %d", at, n.Style, len(s.Styles))
		}
	}
	for _, l := range s.Lines {
		if int(l.Node) >= len(s.Nodes) || s.Nodes[l.Node].Kind != plat.TextNode {
			t.Fatalf("a line of node %d", l.Node)
		}
	}
}

func FuzzCapture(f *testing.F) {
	f.Add(toCBOR(f, rawCapture), toCBOR(f, rawDOM))
	f.Add(toCBOR(f, strings.Replace(rawCapture, `"index":[],"value":[]`, `"index":[2],"value":[0]`, 1)), toCBOR(f, `{"node":{}}`))
	f.Fuzz(func(t *testing.T, b, d []byte) {
		c, err := Parse(b)
		if err != nil {
			return
		}
		checkTree(t, c.Snapshot())
		tree := &Tree{}
		if root, err := tree.Add(d); err == nil && root == 0 {
			s, _, _, _ := c.Merge(tree)
			checkTree(t, s)
		}
	})
}

func TestColoursAreRead(t *testing.T) {
	for text, want := range map[string]plat.Color{
		"rgb(1, 2, 3)":                       plat.RGBA(1, 2, 3, 255),
		"rgba(0, 0, 0, 0)":                   0,
		"rgba(255, 128, 0, 0.5)":             plat.RGBA(255, 128, 0, 128),
		"color(srgb 1 0.5 0)":                plat.RGBA(255, 128, 0, 255),
		"color(srgb 1 0.5 0 / 0.5)":          plat.RGBA(255, 128, 0, 128),
		"color(display-p3 1 1 1)":            plat.RGBA(255, 255, 255, 255),
		"oklch(0.627955 0.257683 29.2339)":   plat.RGBA(255, 0, 0, 255),
		"oklab(1 0 0)":                       plat.RGBA(255, 255, 255, 255),
		"oklab(0.519752 -0.140303 0.107676)": plat.RGBA(0, 128, 0, 255),
		"lab(54.29 80.81 69.89)":             plat.RGBA(255, 2, 0, 255),
		"lch(100 0 none)":                    plat.RGBA(255, 255, 255, 255),
		"nonsense":                           0,
		"":                                   0,
	} {
		got := colorOf(text)
		gr, gg, gb, ga := got.Channels()
		wr, wg, wb, wa := want.Channels()
		near := func(a, b uint8) bool { return max(a, b)-min(a, b) <= 6 }
		if !near(gr, wr) || !near(gg, wg) || !near(gb, wb) || ga != wa {
			t.Errorf("%s is %v, want %v", text, got, want)
		}
	}
}
