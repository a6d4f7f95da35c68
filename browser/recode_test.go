package browser

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"golang.org/x/text/encoding/simplifiedchinese"

	"plat/plat"
)

// Files that are no pages, and whose servers name no encoding, are read in their own.
func TestFilesAreReadInTheirEncoding(t *testing.T) {
	t.Parallel()
	gb, err := simplifiedchinese.GB18030.NewEncoder().String(`<?xml version="1.0" encoding="gb2312"?><a>漁港新闻</a>`)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, kind, body, want, not string }{
		{"text in UTF-8", "text/plain", "Größe: 4 – naïve café, 漁港 𝄞 end\nline two", "Größe: 4 – naïve café, 漁港 𝄞 end", "Ã"},
		{"text in Latin-1", "text/plain", "Gr\xf6\xdfe \xe9", "Größe é", "\ufffd"},
		{"Markdown", "text/markdown", "# Größe\n\n- 漁港", "# Größe\n\n- 漁港", "Ã"},
		{"a feed", "application/rss+xml", `<?xml version="1.0" encoding="UTF-8"?><rss version="2.0"><channel><title>Größe 漁港</title></channel></rss>`, "Größe 漁港", "Ã"},
		{"a feed that declares its encoding", "application/atom+xml", gb, "漁港新闻", "\ufffd"},
		{"a script", "application/javascript", "// Größe 漁港\nvar a = 1;", "// Größe 漁港", "Ã"},
		{"an encoding that is named", "text/plain; charset=windows-1252", "Größe", "GrÃ¶ÃŸe", "Größe"},
	} {
		t.Run(c.name, func(t *testing.T) {
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", c.kind)
				w.Write([]byte(c.body))
			}))
			t.Cleanup(srv.Close)
			s, err := poolWith(t, func(*Options) {}).Render(t.Context(), Request{URL: srv.URL + "/"})
			if err != nil {
				t.Fatal(err)
			}
			text := ""
			for i := range s.Nodes {
				if n := &s.Nodes[i]; n.Kind == plat.TextNode {
					text += n.Value
				}
			}
			if !strings.Contains(text, c.want) || strings.Contains(text, c.not) {
				t.Errorf("the text is %q, want %q in it, and no %q", text, c.want, c.not)
			}
			for _, l := range s.Lines {
				if end := int(l.Start + l.Len); l.Start < 0 || l.Len < 0 || end > utf16Len(s.Nodes[l.Node].Value) {
					t.Errorf("a line is at %d to %d of %d", l.Start, end, utf16Len(s.Nodes[l.Node].Value))
				}
			}
		})
	}
}

// Above an XML file without a style sheet, Chrome shows a notice of its own.
func TestTheNoticeOfChromeIsNoPartOfAFile(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/xml")
		w.Write([]byte(`<?xml version="1.0"?><notes><note to="all">The harbour opens at six.</note></notes>`))
	}))
	t.Cleanup(srv.Close)
	s, err := poolWith(t, func(*Options) {}).Render(t.Context(), Request{URL: srv.URL + "/"})
	if err != nil {
		t.Fatal(err)
	}
	if text := seenText(s); !strings.Contains(text, "The harbour opens at six.") || strings.Contains(text, "style information") {
		t.Errorf("the text is %q", text)
	}
}

func TestOffsetsFollowTheText(t *testing.T) {
	text, offsets, ok := recoded("aÃ¶b") // aöb
	if !ok || text != "aöb" || len(offsets) != 5 || offsets[0] != 0 || offsets[1] != 1 || offsets[3] != 2 || offsets[4] != 3 {
		t.Errorf("recoded = %q, %v, %t", text, offsets, ok)
	}
	for _, same := range []string{"plain", "Größe", "漁"} {
		if text, _, ok := recoded(same); ok {
			t.Errorf("%q became %q", same, text)
		}
	}
}
