package replay

import (
	"context"
	"strings"
	"testing"

	"plat/plat"
)

// sheets is a store with only style rules.
type sheets struct{ css map[plat.Hash]string }

func (s sheets) Resource(_ context.Context, h plat.Hash) ([]byte, error) {
	return []byte(s.css[h]), nil
}

func TestAPlayablePageNeedsOnlyStoredResources(t *testing.T) {
	ruled := ".x { background: url(/a.png) }"
	h := plat.HashOf([]byte(ruled))
	m := plat.ManifestOf([]plat.Resource{
		{URL: "https://a.test/dir/a.png", Hash: h}, {URL: "https://a.test/a.png", Hash: h}, {URL: "https://a.test/s.css?v=1&b", Type: "text/css", Hash: h},
		{URL: "https://a.test/dir/lost.png", Left: plat.OmitFailed}, {URL: plat.StylePlace{Path: []int32{0, 0, 0}}.URL(), Type: "text/css", Hash: h},
		{URL: plat.StylePlace{Adopted: 1}.URL(), Type: "text/css", Hash: h},
	})
	html := `<!DOCTYPE html><html><head><style>.y{}</style><link rel="stylesheet" href="/s.css?v=1&amp;b"><meta http-equiv="refresh" content="0"></head><body onload="x()">` +
		`<img src="a.png#f"><img src="lost.png"><a href="../next">on</a><a href="#here">here</a><a href="javascript:x()">no</a><script>x()</script>` +
		`<iframe src="/f"><template data-plat-frame><html><body><p>inside &amp; more</p></body></html></template></iframe></body></html>`
	v := &plat.Version{URL: "https://a.test/", Capture: plat.Capture{FinalURL: "https://a.test/dir/page"}}
	got, frames, err := Playable(t.Context(), sheets{css: map[plat.Hash]string{h: ruled}}, v, m, nil, []byte(html))
	if err != nil {
		t.Fatal(err)
	}
	page := string(got.Body)
	if len(frames) != 1 || frames[0].URL != "https://a.test/f" || string(frames[0].Body) != "<html><body><p>inside &amp; more</p></body></html>" {
		t.Errorf("its frame stands apart as %+v", frames)
	}
	for _, want := range []string{
		`src="https://a.test/dir/a.png#f"`, `href="/s.css?v=1&amp;b"`, `href="../next"`, `href="#here"`,
		`<style>.x { background: url("https://a.test/a.png") }</style>`, `<iframe src="https://a.test/f"></iframe>`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("there is no %s in\n%s", want, page)
		}
	}
	if n := strings.Count(page, `url("https://a.test/a.png")`); n != 2 {
		t.Errorf("rules that scripts put in stand %d times in the page, want 2:\n%s", n, page)
	}
	for _, not := range []string{"lost.png", "x()", "refresh", ".y{}", "plat:", "/web/"} {
		if strings.Contains(page, not) {
			t.Errorf("there is %q in\n%s", not, page)
		}
	}
}

// Frames with the same document share it, so that each has the mode of layout that its document type says.
func TestFramesOfOneURLShareADocumentThatIsEqual(t *testing.T) {
	frame := func(text string) string {
		return `<iframe src="/f"><template data-plat-frame><html><body><p>` + text + `</p></body></html></template></iframe>`
	}
	v := &plat.Version{URL: "https://a.test/"}
	for name, tc := range map[string]struct {
		html          string
		apart, inside int
	}{
		"equal":          {frame("one") + frame("one") + frame("one"), 3, 0},
		"different":      {frame("one") + frame("two") + frame("one"), 2, 1},
		"longer":         {frame("one") + frame("one</p><p>more"), 1, 1},
		"the page's own": {strings.ReplaceAll(frame("one"), "/f", "/"), 0, 1},
	} {
		page, frames, err := Playable(t.Context(), sheets{}, v, nil, nil, []byte("<!DOCTYPE html><html><body>"+tc.html+"</body></html>"))
		if err != nil {
			t.Fatal(err)
		}
		if len(frames) != min(tc.apart, 1) || strings.Count(string(page.Body), `src="https://a.test/f"`) != tc.apart || strings.Count(string(page.Body), "srcdoc=") != tc.inside {
			t.Errorf("%s: %d documents, %s", name, len(frames), page.Body)
		}
	}
}
