package browser

import (
	"bytes"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Files of XML look as their style sheets say, and are made of elements that HTML can hold.
func TestXMLWithStyleSheetsLooksAsInABrowser(t *testing.T) {
	t.Parallel()
	const box = "display:block;width:300px;height:40px;font:20px monospace;"
	files := map[string][2]string{
		"/tides.xml": {"text/xml", `<?xml version="1.0"?><?xml-stylesheet type="text/css" href="/sheets/tides.css"?>
			<html-less><head>Tides</head><title>high</title><table>at six</table></html-less>`},
		"/sheets/tides.css": {"text/css", `html-less > * { ` + box + ` } head { background: #1ec81e } title { color: #c81e1e } table { background: url(dot.svg) }`},
		"/sheets/dot.svg":   {"image/svg+xml", `<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><rect width="10" height="10" fill="blue"/></svg>`},
		"/tides.html": {"text/html", `<body style="margin:0"><div style="` + box + `background:#1ec81e">Tides</div><div style="` + box + `color:#c81e1e">high</div><div style="` +
			box + `background:url(/sheets/dot.svg)">at six</div>`},

		// Without a name, in its own encoding, with two sheets of which one is for printers.
		"/log": {"application/xml", "<?xml version=\"1.0\" encoding=\"iso-8859-1\"?><?xml-stylesheet href=\"/a.css\" type=\"text/css\"?><?xml-stylesheet href=\"/b.css\" type=\"text/css\" media=\"print\"?>" +
			"<l:log xmlns:l=\"urn:log\" xmlns:h=\"http://www.w3.org/1999/xhtml\"><l:entry late=\"yes\">caf\xe9</l:entry><l:entry><h:b>six</h:b></l:entry><h:script>document.documentElement.textContent = 'no'</h:script></l:log>"},
		"/a.css":    {"text/css", `@namespace l "urn:log"; :root { background: #ddd } l|entry { ` + box + ` } l|entry[late=yes] { background: yellow } script { display: none }`},
		"/b.css":    {"text/css", `entry { background: red !important }`},
		"/log.html": {"text/html; charset=utf-8", `<body style="margin:0;background:#ddd"><div style="` + box + `background:yellow">café</div><div style="` + box + `"><b>six</b></div>`},

		"/broken.xml": {"text/xml", `<?xml-stylesheet type="text/css" href="/a.css"?><log><entry>Open at six</log>`},
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f, ok := files[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", f[0])
		w.Write([]byte(f[1]))
	}))
	t.Cleanup(srv.Close)
	look := func(path string) (text, kind string, picture image.Image) {
		t.Helper()
		s, err := pool(t).Render(t.Context(), Request{URL: srv.URL + path, Picture: true})
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Resources) > 0 {
			t.Errorf("%s: resources %+v", path, s.Resources)
		}
		img, err := png.Decode(bytes.NewReader(s.Picture.Data))
		if err != nil {
			t.Fatal(err)
		}
		for i := range s.Nodes {
			if n := s.Nodes[i].Name; (path == "/tides.xml" || path == "/log") && (n == "table" || n == "entry") {
				t.Errorf("%s: <%s>", path, n)
			}
		}
		return seenText(s), s.ContentType, img
	}
	for _, c := range [][4]string{{"/tides.xml", "/tides.html", "text/xml", "\nTides\nhigh\nat six\n"}, {"/log", "/log.html", "application/xml", "\ncafé\nsix\n"}} {
		text, kind, got := look(c[0])
		_, _, as := look(c[1])
		if !strings.Contains(text, c[3]) || kind != c[2] {
			t.Errorf("%s: type %s, text %q, want %q in it", c[0], kind, text, c[3])
		}
		for y := range 130 {
			for x := range 400 {
				if got.At(x, y) != as.At(x, y) {
					t.Fatalf("%s: at %d,%d %v, want %v", c[0], x, y, got.At(x, y), as.At(x, y))
				}
			}
		}
	}
	if text, kind, _ := look("/broken.xml"); !strings.Contains(text, "mismatch") || kind != "text/xml" {
		t.Errorf("a broken file: type %s, text %q, want the error that Chrome shows", kind, text)
	}
}
