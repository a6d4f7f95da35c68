package replay

import (
	"bytes"
	"html"
	"strings"
	"testing"
)

// Each document is escaped into an attribute of the one around it. The size of the result is
// bounded for any nesting of frames, and a frame that is left out shows a notice.
func TestFramesInFramesDoNotGrowAPageWithoutEnd(t *testing.T) {
	nested := func(depth, n int) string {
		page := "<p>" + strings.Repeat("&amp;\"", n) + "</p>"
		for range depth {
			page = "<iframe><template data-plat-frame><html><body>" + page + "</body></html></template></iframe>"
		}
		return "<html><body>" + page + "<p>after it</p></body></html>"
	}
	for _, page := range []string{nested(6, 1_000_000), nested(1, 4_000_000), nested(3, 1_500_000), "<body>" + strings.Repeat(nested(2, 400_000), 5) + "<p>after it</p>"} {
		got := rewritten(assetsOf(), page)
		if len(got) > len(page)+maxNested {
			t.Errorf("%d bytes become %d", len(page), len(got))
		}
		if !strings.Contains(got, "is left out") || !strings.Contains(got, "<p>after it</p>") {
			t.Errorf("of %d bytes nothing says that a frame is left out", len(page))
		}
	}
	small := nested(4, 10)
	if got := rewritten(assetsOf(), small); strings.Contains(got, "is left out") || strings.Count(got, "srcdoc") != 4 {
		t.Errorf("a small frame is left out: %s", got)
	}
}

func TestFramesAreEscapedAsHTMLIs(t *testing.T) {
	const text = `a<b>'c' & "d"` + "\u00a0\x00"
	w := &rewriter{stack: []opened{{frame: &frame{out: bytes.NewBufferString("<iframe>")}}}}
	w.frameDone([]byte(text))
	if got, want := w.out().String(), `<iframe srcdoc="`+html.EscapeString(text)+`">`; got != want || w.nested != len(html.EscapeString(text)) {
		t.Errorf("%d bytes, %q, want %q", w.nested, got, want)
	}
}
