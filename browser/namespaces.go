package browser

import (
	"context"
	_ "embed"
	"errors"
	"strings"

	"github.com/chromedp/cdproto/cdp/jsonv2"

	"plat/browser/devtools"
	"plat/plat"
)

//go:embed namespaces.js
var namespacesScript string

// namespaces adds the declarations of namespaces (Namespaces in XML, section 3) that a document of XML lacks: the elements that
// scripts have made with createElementNS have none, and markup without them means other elements. A capture does not tell them.
func (v *visit) namespaces(ctx context.Context, s *plat.Snapshot) error {
	if !strings.HasSuffix(s.ContentType, "xml") {
		return nil
	}
	b, err := v.inWorld(ctx, namespacesScript)
	var refused *devtools.ProtocolError
	if errors.As(err, &refused) {
		return nil
	}
	if err != nil {
		return err
	}
	var found struct {
		Count   int `json:"count"`
		Missing []struct {
			Rank  int    `json:"rank"`
			Name  string `json:"name"`
			Value string `json:"value"`
		} `json:"missing"`
	}
	if jsonv2.Unmarshal(b, &found, jsonv2.AllowInvalidUTF8(true)) != nil {
		return nil
	}
	elements := elementsOf(s)
	if len(elements) != found.Count {
		return nil // the page has changed since
	}
	for _, m := range found.Missing {
		if m.Rank < len(elements) {
			n := &s.Nodes[elements[m.Rank]]
			n.Attrs = append(n.Attrs, plat.Attr{Name: m.Name, Value: m.Value})
		}
	}
	return nil
}

// elementsOf returns the elements of a page's own document, outside of shadow roots.
func elementsOf(s *plat.Snapshot) (all []int32) {
	for i := int32(1); i < int32(len(s.Nodes)); i++ {
		switch n := &s.Nodes[i]; n.Kind {
		case plat.ElementNode:
			all = append(all, i)
		case plat.DocumentNode, plat.ShadowNode, plat.TemplateNode:
			i = n.End - 1
		}
	}
	return all
}
