package markup_test

import (
	"testing"

	"plat/plat"
	"plat/segment/markup"
)

// A document type decides in which mode a browser lays the page out: it is written with its identifiers.
func TestDocumentTypesAreWritten(t *testing.T) {
	for want, attrs := range map[string][]plat.Attr{
		`<!DOCTYPE html>`:                      nil,
		`<!DOCTYPE html PUBLIC "p">`:           {{Name: "public", Value: "p"}},
		`<!DOCTYPE html PUBLIC "p" "s">`:       {{Name: "public", Value: "p"}, {Name: "system", Value: "s"}},
		`<!DOCTYPE html SYSTEM "about:blank">`: {{Name: "system", Value: "about:blank"}},
	} {
		s := &plat.Snapshot{Nodes: []plat.Node{{Kind: plat.DocumentNode, Parent: -1, End: 2}, {Kind: plat.DoctypeNode, Name: "html", Attrs: attrs, End: 2}}}
		if got := string(markup.Serialize(s)); got != want {
			t.Errorf("written as %s, want %s", got, want)
		}
	}
}
