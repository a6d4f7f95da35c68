package browser

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/dom"

	"plat"
	"plat/browser/wire"
)

// domTree is the true DOM, as DOM.getDocument tells it: what [capture] has is
// the flat tree, in which light children of shadow hosts are out of place or
// missing and templates are empty.
type domTree struct {
	nodes []domNode
}

type domNode struct {
	kind                    int32
	backend                 int32
	name, value             string
	public, system          string
	shadowType              string
	attrs                   []string
	pseudo                  bool
	count                   int32 // of the children it has, told or not
	next                    int32 // the one before in the list that it is in, -1 at its end
	shadow, inner, children int32 // last of each list, -1 if empty; inner is template content or a frame's document
}

// add reads the result of DOM.getDocument or DOM.describeNode and returns the
// node it is about. The strings of the tree are part of b.
func (t *domTree) add(b []byte) (int32, error) {
	c := wire.NewCursor(b)
	root := int32(-1)
	c.Object(func(name []byte) {
		if (string(name) == "root" || string(name) == "node") && root < 0 {
			root = t.parse(c, 0)
		} else {
			c.Skip()
		}
	})
	if c.Err() != nil || root < 0 {
		return 0, errMalformed
	}
	return root, nil
}

func (t *domTree) parse(c *wire.Cursor, depth int) int32 {
	self := int32(len(t.nodes))
	t.nodes = append(t.nodes, domNode{next: -1, shadow: -1, inner: -1, children: -1})
	if depth > wire.MaxNested {
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

// emit writes the tree as the nodes of a snapshot, shadow roots first, and says
// which backend node has become which.
func (t *domTree) emit(dead func(root int32) bool) ([]plat.Node, map[int32]int32) {
	out := make([]plat.Node, 0, len(t.nodes))
	at := make(map[int32]int32, len(t.nodes))
	type place struct{ node, parent, self int32 } // self -1: yet to come
	todo := []place{{0, -1, -1}}
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
		// The lists run backwards, and what is pushed last comes first.
		for _, head := range [...]int32{d.children, d.inner, d.shadow} {
			for i := head; i >= 0; i = t.nodes[i].next {
				if c := &t.nodes[i]; c.pseudo || c.shadowType == "user-agent" || c.kind == documentType && dead(i) {
					continue
				}
				todo = append(todo, place{i, self, -1})
			}
		}
	}
	return out, at
}

// merge is the snapshot of a capture whose tree is replaced by the true one.
// same is false when the page has changed between the two. byID says which
// backend node has become which node, known which nodes have their text from
// the capture.
func (s *capture) merge(t *domTree) (out *plat.Snapshot, same bool, byID map[int32]int32, known map[int32]bool) {
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
				// DOM.getDocument cuts long ones short.
				known[self] = true
				out.Nodes[self].Value = s.str(d.value[node])
			}
			at[i][node] = self
		}
	}
	s.place(out, at)
	return out, same, byID, known
}

// trueTree asks for the DOM. Between enable and disable Chrome reports every
// change of the DOM, so that is kept short.
func (v *visit) trueTree(ctx context.Context) (*domTree, error) {
	v.session.Send(dom.Enable.Method, dom.EnableParams{IncludeWhitespace: dom.EnableIncludeWhitespaceAll}).Forget()
	defer func() { v.session.Send(dom.Disable.Method, nil).Forget() }()
	b, err := v.session.SendFor(v.o.RenderTimeout, dom.GetDocument.Method, dom.GetDocumentParams{Depth: new(int64(-1)), Pierce: new(true)}).Wait(ctx)
	if err != nil {
		return nil, fmt.Errorf("take the DOM: %w", err)
	}
	t := &domTree{}
	root, err := t.add(b)
	if err != nil {
		return nil, err
	}
	if root != 0 || t.nodes[0].kind != documentType {
		return nil, errMalformed
	}
	// Whatever the depth asked for, the contents of templates come without
	// children. One round for each level of templates in templates.
	for from := 0; from < len(t.nodes); {
		to := len(t.nodes)
		var asked []wire.Future
		var hollow []int32
		for i := from; i < to; i++ {
			if n := &t.nodes[i]; n.kind == fragmentType && n.shadowType == "" && n.children < 0 && n.count > 0 {
				hollow = append(hollow, int32(i))
				asked = append(asked, v.session.Send(dom.DescribeNode.Method, dom.DescribeNodeParams{
					BackendNodeID: cdp.BackendNodeID(n.backend), Depth: new(int64(-1)), Pierce: new(true),
				}))
			}
		}
		for i, f := range asked {
			b, err := f.Wait(ctx)
			if err != nil {
				return nil, fmt.Errorf("take the contents of a template: %w", err)
			}
			full, err := t.add(b)
			if err != nil {
				return nil, err
			}
			t.nodes[hollow[i]].children = t.nodes[full].children
			t.nodes[full].count = 0 // its double, which is asked for no more
		}
		if from = to; len(asked) == 0 {
			break
		}
	}
	return t, nil
}

// maxText is where Chrome cuts a text short in an answer of the DOM domain, in
// UTF-16 code units; it puts an ellipsis in the place of the rest.
const maxText = 10_000

// whole fetches the texts that Chrome has cut short and the capture does not
// have: long ones in templates.
func (v *visit) whole(ctx context.Context, s *plat.Snapshot, t *domTree, byID map[int32]int32, known map[int32]bool) error {
	for i := range t.nodes {
		d := &t.nodes[i]
		self, there := byID[d.backend]
		if !there || known[self] || len(d.value) < maxText || !strings.HasSuffix(d.value, "…") {
			continue
		}
		got, err := v.evaluateOn(ctx, 0, cdp.BackendNodeID(d.backend), "function() { return this.nodeValue }")
		if err != nil {
			return fmt.Errorf("take a long text: %w", err)
		}
		if err := jsonv2.Unmarshal(got, &s.Nodes[self].Value, jsonv2.AllowInvalidUTF8(true)); err != nil {
			return fmt.Errorf("take a long text: %w", err)
		}
	}
	return nil
}

// flattened reports whether the capture's tree is not the DOM's.
func (s *capture) flattened() bool {
	template := s.indexOf("TEMPLATE")
	for i := range s.docs {
		d := &s.docs[i]
		if len(d.shadow.index) > 0 || slices.Contains(d.name, template) {
			return true
		}
	}
	return false
}
