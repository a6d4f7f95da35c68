package plat

import (
	"cmp"
	"strings"

	"plat/plat/weburl"
)

// Base returns the base of the references in the page's document, in its charset. Elements <base> and
// <meta> may change it.
func (s *Snapshot) Base() *weburl.Base { return baseOf(cmp.Or(s.FinalURL, s.URL), s.Header) }

// Base returns the base of the references in the version's document, as [Snapshot.Base] does.
func (v *Version) Base() *weburl.Base {
	return baseOf(cmp.Or(v.Capture.FinalURL, v.URL), v.Capture.Header)
}

func baseOf(at string, header [][2]string) *weburl.Base {
	base := weburl.NewBase(at)
	for _, h := range header {
		if strings.EqualFold(h[0], "Content-Type") {
			return base.Served(h[1])
		}
	}
	return base
}
