package browser

import (
	"fmt"
	"html"
	"strings"
	"testing"

	"plat"
)

// Content that is skipped because it is far from the window is there, in whatever tree; what
// a page hides stays hidden.
func TestSkippedContentIsThere(t *testing.T) {
	const far = `<style>.a { content-visibility: auto; contain-intrinsic-size: auto 300px } .h { content-visibility: hidden }</style>
<div style="height: 9000px">top</div>`
	section := func(s string) string { return `<section class=a><p>SEEN ` + s + `</p></section>` }
	shadow := func(mode string) string {
		return `<div id=` + mode + `></div><script>document.getElementById('` + mode + `').attachShadow({mode: '` + mode + `'}).innerHTML = ` +
			fmt.Sprintf("%q", strings.ReplaceAll(far, "\n", "")+section("in a shadow")) + `</script>`
	}
	for name, tc := range map[string]struct {
		html string
		want int
	}{
		"static":          {section("1") + section("2"), 2},
		"nested":          {`<div class=a>` + section("1") + section("2") + `</div>`, 2},
		"important":       {`<style>.a { content-visibility: auto !important }</style>` + section("1"), 1},
		"hidden":          {section("1") + `<div class=h>SEEN by nobody</div><div class=h><div class=a>SEEN by nobody</div></div>`, 1},
		"until found":     {section("1") + `<div hidden=until-found>SEEN by nobody</div>`, 1},
		"empty":           {`<div class=a> <p style="display: none">SEEN by nobody</div>` + section("1"), 1},
		"shadow, open":    {shadow("open"), 1},
		"shadow, closed":  {shadow("closed") + section("and outside"), 2},
		"frame":           {`<iframe srcdoc="` + html.EscapeString(far+section("in a frame")) + `"></iframe>`, 1},
		"sandboxed frame": {`<iframe sandbox srcdoc="` + html.EscapeString(far+section("in a frame")) + `"></iframe>`, 1},
	} {
		t.Run(name, func(t *testing.T) {
			srv := site(t, map[string]string{"/": "<!doctype html><title>t</title>" + far + tc.html})
			s := render(t, pool(t), srv.URL+"/")
			seen := 0
			for i := range s.Nodes {
				if n := &s.Nodes[i]; n.Kind == plat.TextNode && n.HasBox {
					seen += strings.Count(n.Value, "SEEN")
				}
			}
			if seen != tc.want {
				t.Errorf("%d words are there, want %d", seen, tc.want)
			}
		})
	}
}
