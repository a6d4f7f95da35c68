package browser

import (
	"bytes"
	"testing"

	nethtml "golang.org/x/net/html"

	"plat/plat"
	"plat/segment/markup"
)

// Texts that only scripts can give to elements stay inside of them.
func TestTextsStayInTheirElementsAsMarkup(t *testing.T) {
	for _, tc := range []struct{ name, text, as, want string }{
		{"style", `p::before{content:"</style><b>"}`, "style", `p::before{content:"<\/style><b>"}`},
		{"script", `x="</SCRIPT >"`, "script", `x="<\/SCRIPT >"`},
		{"style", `</styles>`, "style", `</styles>`},
		{"xmp", `a</xmp><b>`, "pre", `a</xmp><b>`},
		{"xmp", `a<b>`, "xmp", `a<b>`},
		{"plaintext", "a\n<b>", "pre", "a\n<b>"},
		{"textarea", `</textarea>`, "textarea", `</textarea>`},
	} {
		s := &plat.Snapshot{Nodes: []plat.Node{
			{Kind: plat.DocumentNode, Parent: -1, End: 5},
			{Kind: plat.ElementNode, Name: "body", Parent: 0, End: 5},
			{Kind: plat.ElementNode, Name: tc.name, Parent: 1, End: 4},
			{Kind: plat.TextNode, Value: tc.text, Parent: 2, End: 4},
			{Kind: plat.ElementNode, Name: "hr", Parent: 1, End: 5},
		}}
		endsOfMarkup(s)
		doc, err := nethtml.ParseWithOptions(bytes.NewReader(markup.Serialize(s)), nethtml.ParseOptionEnableScripting(true))
		if err != nil {
			t.Fatal(err)
		}
		var found *nethtml.Node
		ruled := false
		for n := range doc.Descendants() {
			if n.Data == tc.as && n.Type == nethtml.ElementNode {
				found = n
			}
			ruled = ruled || n.Data == "hr" && n.Parent.Data == "body"
		}
		switch {
		case found == nil || found.FirstChild == nil || !ruled:
			t.Errorf("%s %q is not in a %s, with the rest of the page after it", tc.name, tc.text, tc.as)
		case found.FirstChild.Data != tc.want || found.FirstChild.NextSibling != nil:
			t.Errorf("%s %q becomes %q, want %q", tc.name, tc.text, found.FirstChild.Data, tc.want)
		}
	}
}
