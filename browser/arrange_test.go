package browser

import (
	"fmt"
	"html"
	"strings"
	"testing"

	"plat/plat"
)

// Content that is skipped because it is far from the window is captured, in any tree; content
// hidden by the page stays hidden.
func TestSkippedContentIsThere(t *testing.T) {
	t.Parallel()
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
		"names":           {section("1") + `<form id=shown class=a name=documentElement>SEEN<input name=scrollTo><input name=getRootNode></form><img name=adoptedStyleSheets>`, 2},
		"hidden frame":    {section("1") + `<div class=h><iframe srcdoc="<p>SEEN by nobody"></iframe></div>`, 1},
		"until found":     {section("1") + `<div hidden=until-found>SEEN by nobody</div>`, 1},
		"empty":           {`<div class=a> <p style="display: none">SEEN by nobody</div>` + section("1"), 1},
		"shadow, open":    {shadow("open"), 1},
		"shadow, closed":  {shadow("closed") + section("and outside"), 2},
		"frame":           {`<iframe srcdoc="` + html.EscapeString(far+section("in a frame")) + `"></iframe>`, 1},
		"sandboxed frame": {`<iframe sandbox srcdoc="` + html.EscapeString(far+section("in a frame")) + `"></iframe>`, 1},
	} {
		t.Run(name, func(t *testing.T) {
			srv := site(t, map[string]string{"/": "<!doctype html><title>t</title>" + far + tc.html})
			s, err := pool(t).Render(t.Context(), Request{URL: srv.URL + "/", Resources: plat.StyleResources})
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range s.Resources {
				if strings.Contains(string(r.Data), "content-visibility: visible") {
					t.Errorf("the archive holds plat's own style sheet: %+v", r)
				}
			}
			if seen := shown(s, "SEEN"); seen != tc.want {
				t.Errorf("%d words are there, want %d", seen, tc.want)
			}
		})
	}
}

// Content reached by scrolling back is captured, whatever the scroll position of its box; and the
// boxes of a page do not depend on that position.
func TestWhatIsScrolledBackToIsThere(t *testing.T) {
	t.Parallel()
	const style = `<!doctype html><meta charset=utf-8><title>t</title><style>.box { height: 200px; overflow: auto } .chat { display: flex; flex-direction: column-reverse }</style>`
	rows := func(n int) string { return strings.Repeat("<div>SEEN by all</div>", n) }
	wide := `<div style="width: 3000px; display: flex">` + strings.Repeat(`<p style="flex: 1">SEEN`, 9) + `</div>`
	scrolled := func(to int) string {
		return `<nav class=box id=nav>` + rows(60) + `</nav><p>SEEN<script>nav.scrollTop = ` + fmt.Sprint(to) + `</script>`
	}
	for name, tc := range map[string]struct {
		html string
		want int
	}{
		"chat":                  {`<div class="box chat">` + rows(60) + `</div>`, 60},
		"list at its end":       {scrolled(1e6), 61},
		"list in its middle":    {scrolled(400), 61},
		"nested":                {`<div class=box id=a><div class=box id=b>` + rows(50) + `</div>` + rows(50) + `</div><script>b.scrollTop = 1e6; a.scrollTop = 1e6</script>`, 100},
		"right to left":         {`<html dir=rtl>` + wide, 9},
		"right to left, a box":  {`<div dir=rtl style="overflow: auto">` + wide + `</div>`, 9},
		"vertical writing":      {`<html style="writing-mode: vertical-rl">` + strings.Repeat("<p>SEEN", 200), 200},
		"in a shadow":           {`<div id=h></div><script>const r = h.attachShadow({mode: 'closed'}); r.innerHTML = '<style>.box { height: 200px; overflow: auto }</style><div class=box>` + rows(60) + `</div>'; r.querySelector('.box').scrollTop = 1e6</script>`, 60},
		"in a frame":            {`<iframe srcdoc="` + html.EscapeString(style+scrolled(1e6)) + `" height=300></iframe>`, 61},
		"a frame right to left": {`<iframe srcdoc="` + html.EscapeString("<html dir=rtl>"+wide) + `" height=300></iframe>`, 9},
		"off the page":          {`<p style="position: absolute; left: -9999px">hidden<div class=box style="position: relative">SEEN<p style="position: absolute; left: -9999px">hidden</div>`, 1},
	} {
		t.Run(name, func(t *testing.T) {
			srv := site(t, map[string]string{"/": style + tc.html})
			s := render(t, pool(t), srv.URL+"/")
			seen := 0
			for i := range s.Nodes {
				n := &s.Nodes[i]
				if n.Kind != plat.TextNode || !n.HasBox || n.Box.Empty() {
					continue
				}
				if on := n.Box.X >= -1 && n.Box.Y >= -1; on == strings.Contains(n.Value, "hidden") {
					t.Errorf("%q is at %v", n.Value, n.Box)
				}
				seen += strings.Count(n.Value, "SEEN")
			}
			if seen != tc.want {
				t.Errorf("%d words are there, want %d", seen, tc.want)
			}
		})
	}
	boxes := func(to int) string {
		srv := site(t, map[string]string{"/": style + scrolled(to)})
		s := render(t, pool(t), srv.URL+"/")
		var all strings.Builder
		for i := range s.Nodes {
			fmt.Fprintln(&all, s.Nodes[i].Box)
		}
		return all.String()
	}
	if one, two := boxes(0), boxes(300); one != two {
		t.Errorf("a page that stands elsewhere has other boxes:\n%s\n%s", one, two)
	}
}
