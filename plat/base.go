package plat

import (
	"cmp"

	"plat/plat/weburl"
)

// Base returns the base of the references in the page's document, in its charset. Elements <base> and
// <meta> may change it.
func (s *Snapshot) Base() *weburl.Base { return baseOf(cmp.Or(s.FinalURL, s.URL), s.Header) }

// Base returns the base of the references in the version's document, as [Snapshot.Base] does.
func (v *Version) Base() *weburl.Base {
	return baseOf(cmp.Or(v.Capture.FinalURL, v.URL), v.Capture.Header)
}

// Base returns the base of the references in a document node's document, in its charset, as the browser has found
// it. It is nil if the node does not tell, or the base is no web address.
func (n *Node) Base() *weburl.Base {
	at, _ := n.Attr(DocumentBase)
	if !weburl.IsWeb(at) {
		return nil
	}
	charset, _ := n.Attr(DocumentCharset)
	return weburl.NewBase(at).In(charset)
}

func baseOf(at string, header [][2]string) *weburl.Base {
	base := weburl.NewBase(at)
	if served, ok := HeaderField(header, "Content-Type"); ok {
		return base.Served(served)
	}
	return base
}
