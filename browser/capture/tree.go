package capture

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chromedp/cdproto/cdp"

	"plat/browser/devtools"
	"plat/plat"
)

// Tree is the true DOM, as returned by DOM.getDocument. A [Capture] has the flat tree, in which
// light children of shadow hosts are out of place or missing and templates are empty.
type Tree struct {
	nodes []domNode
	deep  bool // deeper than maxDepth
}

// ErrTooDeep is returned for a tree that is deeper than is read.
var ErrTooDeep = fmt.Errorf("the page's tree is more than %d nodes deep", maxDepth)

// maxDepth bounds the depth of a tree. Chrome serialises documents some hundred elements deep;
// nested shadow roots, which it serialises one by one, may be deeper.
const maxDepth = devtools.MaxNested

type domNode struct {
	kind                    int32
	backend                 int32
	name, value             string
	public, system          string
	shadowType, frame       string // frame: that an element embeds
	attrs                   []string
	pseudo                  bool
	count                   int32 // of its children, included in the answer or not
	next                    int32 // the previous one in its list, -1 at the end
	shadow, inner, children int32 // last of each list, -1 if empty; inner is template content or a frame's document
}

// Add reads the result of DOM.getDocument or DOM.describeNode and returns the
// node it is about. The strings of the tree are part of b.
func (t *Tree) Add(b []byte) (int32, error) {
	c := devtools.NewCursor(b)
	root := int32(-1)
	c.Object(func(name []byte) {
		if (string(name) == "root" || string(name) == "node") && root < 0 {
			root = t.parse(c, 0)
		} else {
			c.Skip()
		}
	})
	switch {
	case t.deep:
		return 0, ErrTooDeep
	case c.Err() != nil || root < 0:
		return 0, ErrMalformed
	}
	return root, nil
}

func (t *Tree) parse(c *devtools.Cursor, depth int) int32 {
	self := int32(len(t.nodes))
	t.nodes = append(t.nodes, domNode{next: -1, shadow: -1, inner: -1, children: -1})
	if depth > maxDepth {
		t.deep = true
		c.Fail()
		return self
	}
	list := func(head func(*domNode) *int32) {
		c.Array(func() {
			child := t.parse(c, depth+1)
			h := head(&t.nodes[self])
			t.nodes[child].next, *h = *h, child
		})
	}
	c.Object(func(name []byte) {
		switch string(name) {
		case "backendNodeId":
			t.nodes[self].backend = c.Int32()
		case "nodeType":
			t.nodes[self].kind = c.Int32()
		case "childNodeCount":
			t.nodes[self].count = c.Int32()
		case "nodeName":
			t.nodes[self].name = c.AsString()
		case "nodeValue":
			t.nodes[self].value = c.AsString()
		case "publicId":
			t.nodes[self].public = c.AsString()
		case "systemId":
			t.nodes[self].system = c.AsString()
		case "shadowRootType":
			t.nodes[self].shadowType = c.AsString()
		case "frameId":
			t.nodes[self].frame = c.AsString()
		case "pseudoType":
			c.Skip()
			t.nodes[self].pseudo = true
		case "attributes":
			var attrs []string
			c.Array(func() { attrs = append(attrs, c.AsString()) })
			t.nodes[self].attrs = attrs
		case "children":
			list(func(n *domNode) *int32 { return &n.children })
		case "shadowRoots":
			list(func(n *domNode) *int32 { return &n.shadow })
		case "templateContent", "contentDocument":
			child := t.parse(c, depth+1)
			n := &t.nodes[self]
			t.nodes[child].next, n.inner = n.inner, child
		default:
			c.Skip()
		}
	})
	return self
}

// emit returns the tree as nodes of a snapshot, shadow roots first, and the index of each backend
// node.
func (t *Tree) emit(dead func(root int32) bool) ([]plat.Node, map[int32]int32) {
	out := make([]plat.Node, 0, len(t.nodes))
	at := make(map[int32]int32, len(t.nodes))
	type place struct {
		node, parent, self int32 // self -1: yet to come
		language           language
	}
	todo := []place{{node: 0, parent: -1, self: -1}}
	for len(todo) > 0 {
		top := &todo[len(todo)-1]
		if top.self >= 0 {
			out[top.self].End = int32(len(out))
			todo = todo[:len(todo)-1]
			continue
		}
		d := &t.nodes[top.node]
		self := int32(len(out))
		top.self = self
		n := plat.Node{Parent: top.parent}
		switch d.kind {
		case documentType:
			n.Kind = plat.DocumentNode
		case doctypeType:
			n.Kind, n.Name = plat.DoctypeNode, d.name
			n.Attrs = []plat.Attr{{Name: "public", Value: d.public}, {Name: "system", Value: d.system}}
		case elementType:
			n.Kind = plat.ElementNode
			tag := tagOf(d.name)
			n.Name, n.Foreign = tag.name, tag.foreign
			if top.parent >= 0 && out[top.parent].Kind == plat.DocumentNode {
				top.language = languageOf(d.name)
			}
			top.language.spell(&n, top.parent, out, d.name)
			for i := 0; i+1 < len(d.attrs); i += 2 {
				n.Attrs = append(n.Attrs, plat.Attr{Name: d.attrs[i], Value: d.attrs[i+1]})
			}
		case fragmentType:
			n.Kind = plat.TemplateNode
			if d.shadowType != "" {
				n.Kind, n.Value = plat.ShadowNode, d.shadowType
			}
		case textType, cdataType:
			n.Kind, n.Value = plat.TextNode, d.value
		case commentType:
			n.Kind, n.Value = plat.CommentNode, d.value
		default:
			n.Kind, n.Value = plat.CommentNode, "?"+d.name+" "+d.value+"?"
		}
		out = append(out, n)
		at[d.backend] = self
		language := top.language
		// The lists run backwards, and the last pushed item is popped first.
		for _, head := range [...]int32{d.children, d.inner, d.shadow} {
			for i := head; i >= 0; i = t.nodes[i].next {
				if c := &t.nodes[i]; c.pseudo || c.shadowType == "user-agent" || c.kind == documentType && dead(i) {
					continue
				}
				todo = append(todo, place{i, self, -1, language})
			}
		}
	}
	return out, at
}

// Merge returns the snapshot of the capture with its tree replaced by the true one. same is false
// if the page has changed between the two. byID maps backend nodes to nodes; known marks the nodes
// with text from the capture.
func (s *Capture) Merge(t *Tree) (out *plat.Snapshot, same bool, byID map[int32]int32, known map[int32]bool) {
	gone := map[int32]bool{}
	for i := range s.docs {
		if s.dead(&s.docs[i]) {
			gone[s.docs[i].backend[0]] = true
		}
	}
	out, known = &plat.Snapshot{}, map[int32]bool{}
	out.Nodes, byID = t.emit(func(root int32) bool { return gone[t.nodes[root].backend] })
	at := make([][]int32, len(s.docs))
	same = true
	for i := range s.docs {
		d := &s.docs[i]
		if s.dead(d) {
			continue
		}
		at[i] = make([]int32, len(d.backend))
		for node, id := range d.backend {
			self, ok := byID[id]
			if !ok {
				self = -1
				if !d.pseudo.has(int32(node)) && !d.shadow.has(int32(node)) {
					same = false
				}
			} else if d.kind[node] == textType || d.kind[node] == commentType {
				// DOM.getDocument truncates long ones.
				known[self] = true
				out.Nodes[self].Value = s.str(d.value[node])
			}
			at[i][node] = self
		}
	}
	s.place(out, at)
	return out, same, byID, known
}

// Flattened reports whether the capture's tree is not the DOM's.
func (s *Capture) Flattened() bool {
	template := s.indexOf("TEMPLATE")
	for i := range s.docs {
		d := &s.docs[i]
		if len(d.shadow.index) > 0 || slices.Contains(d.name, template) {
			return true
		}
	}
	return false
}

// ClosedRoots returns the closed shadow roots of each frame; main is the page's.
func (t *Tree) ClosedRoots(main cdp.FrameID) map[cdp.FrameID][]cdp.BackendNodeID {
	all := map[cdp.FrameID][]cdp.BackendNodeID{}
	type place struct {
		node  int32
		frame cdp.FrameID
	}
	todo := []place{{0, main}}
	for len(todo) > 0 {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		n := &t.nodes[p.node]
		if n.shadowType == "closed" {
			all[p.frame] = append(all[p.frame], cdp.BackendNodeID(n.backend))
		}
		for _, head := range [...]int32{n.shadow, n.inner, n.children} {
			for i := head; i >= 0; i = t.nodes[i].next {
				frame := p.frame
				if n.frame != "" && t.nodes[i].kind == documentType {
					frame = cdp.FrameID(n.frame)
				}
				todo = append(todo, place{i, frame})
			}
		}
	}
	return all
}

// IsDocument reports whether the node returned by Add is the document itself, the first node.
func (t *Tree) IsDocument(root int32) bool { return root == 0 && t.nodes[0].kind == documentType }

// Size returns the number of nodes added.
func (t *Tree) Size() int { return len(t.nodes) }

// HollowTemplate is the content of a template without its children.
type HollowTemplate struct {
	at int32
	ID cdp.BackendNodeID
}

// Hollow lists those among the nodes that were added after the first so many.
func (t *Tree) Hollow(from int) (all []HollowTemplate) {
	for i := from; i < len(t.nodes); i++ {
		if n := &t.nodes[i]; n.kind == fragmentType && n.shadowType == "" && n.children < 0 && n.count > 0 {
			all = append(all, HollowTemplate{int32(i), cdp.BackendNodeID(n.backend)})
		}
	}
	return all
}

// Fill gives a template the children of its double, which Add returned.
func (t *Tree) Fill(h HollowTemplate, double int32) {
	t.nodes[h.at].children = t.nodes[double].children
	t.nodes[double].count = 0 // its children are complete
}

// maxText is the length at which Chrome truncates a text in an answer of the DOM domain, in
// UTF-16 code units; an ellipsis replaces the rest.
const maxText = 10_000

// CutText is a text that Chrome has cut short.
type CutText struct {
	Node int32 // of the snapshot
	ID   cdp.BackendNodeID
}

// CutShort lists the truncated texts that are not in the capture: long ones in templates. byID and
// known are those of [Capture.Merge].
func (t *Tree) CutShort(byID map[int32]int32, known map[int32]bool) (all []CutText) {
	for i := range t.nodes {
		d := &t.nodes[i]
		if self, there := byID[d.backend]; there && !known[self] && len(d.value) >= maxText && strings.HasSuffix(d.value, "…") {
			all = append(all, CutText{self, cdp.BackendNodeID(d.backend)})
		}
	}
	return all
}
