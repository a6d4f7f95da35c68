package browser

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Chrome's notices above XML files are not archived as the site's.
func TestNoticesAboveXMLAreLeftOut(t *testing.T) {
	t.Parallel()
	const sheet = `<?xml version="1.0"?><xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:s="http://www.sitemaps.org/schemas/sitemap/0.9">
<xsl:template match="/"><html><head><title>Pages</title></head><body><h1>Pages</h1><xsl:for-each select="//s:loc|//title"><p><xsl:value-of select="."/></p></xsl:for-each></body></html></xsl:template></xsl:stylesheet>`
	files := map[string]string{
		"/plain.xml":   `<notes><note>Open at six</note></notes>`,
		"/styled.xml":  `<?xml version="1.0"?><?xml-stylesheet type="text/css" href="a.css"?><notes><note>Open at six</note></notes>`,
		"/sitemap.xml": `<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="a.xsl"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://a.test/open-at-six</loc></url></urlset>`,
		"/list.xml":    `<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="a.xsl"?><list><title>Open at six</title></list>`,
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/a.xsl":
			w.Header().Set("Content-Type", "text/xsl")
			fmt.Fprint(w, sheet)
		case r.URL.Path == "/a.css":
			w.Header().Set("Content-Type", "text/css")
			fmt.Fprint(w, "note { display: block }")
		case files[r.URL.Path] != "":
			w.Header().Set("Content-Type", "text/xml")
			fmt.Fprint(w, files[r.URL.Path])
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(srv.Close)
	p := poolWith(t, func(o *Options) {})
	for path, want := range map[string]string{
		"/plain.xml": "Open at six", "/styled.xml": "Open at six", "/sitemap.xml": "https://a.test/open-at-six", "/list.xml": "Open at six",
	} {
		s, err := p.Render(t.Context(), Request{URL: srv.URL + path})
		if err != nil {
			t.Fatal(err)
		}
		text := ""
		for i := range s.Nodes {
			text += s.Nodes[i].Value + "\n"
		}
		if !strings.Contains(text, want) {
			t.Errorf("%s has no %q: %q", path, want, text)
		}
		for _, notice := range []string{"does not appear to have any style", "XSLT", "browser"} {
			if strings.Contains(text, notice) {
				t.Errorf("%s has Chrome's notice: %q", path, text)
			}
		}
	}
}
