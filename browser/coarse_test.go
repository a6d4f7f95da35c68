package browser

import (
	"fmt"
	"strings"
	"testing"

	"plat/plat"
)

// coarsePage is a page with many rows, each of which holds rowNodes nodes.
func coarsePage(rows int, row func(i int) string, around string) string {
	var b strings.Builder
	for i := range rows {
		b.WriteString(row(i))
		b.WriteByte('\n')
	}
	return `<!doctype html><title>many</title><h1>The head</h1><p>A paragraph of it with <a href="/ok">a link</a>.</p>` + fmt.Sprintf(around, b.String()) + `<p>The foot</p>`
}

func TestAPageOfTooManyNodesIsMadeCoarse(t *testing.T) {
	t.Parallel()
	cell := func(i int) string {
		return fmt.Sprintf(`<tr><td>row%d</td><td><b>value</b> <a href="/%d">of%d</a></td><td style="display:none">unseen%d</td></tr>`, i, i, i, i)
	}
	item := func(i int) string { return fmt.Sprintf("<li>item%d of the list</li>", i) }
	flat := func(i int) string { return fmt.Sprintf("<p>line%d of the text</p>", i) }
	pages := map[string]string{
		"/table": coarsePage(1500, cell, "<table>%s</table>"),
		"/list":  coarsePage(10000, item, "<ul>%s</ul>"),
		"/list1": coarsePage(10000, func(i int) string {
			if i == 500 {
				return item(i) + item(-1)
			}
			return item(i)
		}, "<ul>%s</ul>"),
		"/flat":   coarsePage(10000, flat, "%s"),
		"/frame":  `<!doctype html><title>f</title><p>outside</p><iframe src="/table"></iframe>`,
		"/shadow": coarsePage(750, cell, `<table>%s</table><x-y><template shadowrootmode=open>`+strings.Repeat("<p>in the <b>shadow</b></p>", 2000)+`</template></x-y>`),
		"/lies":   `<form name=createTreeWalker></form>` + coarsePage(1500, cell, "<table>%s</table>"),
	}
	srv := site(t, pages)
	p := poolWith(t, func(o *Options) { o.MaxNodes = 5_000 })
	take := func(path string) *plat.Snapshot {
		t.Helper()
		s, err := p.Render(t.Context(), Request{URL: srv.URL + path})
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if s.Coarse <= 5_000 || len(s.Nodes) > 5_250 || len(s.Nodes) < 100 {
			t.Errorf("%s: it had %d nodes, and %d were taken", path, s.Coarse, len(s.Nodes))
		}
		return s
	}
	for path, words := range map[string][]string{
		"/table":  {"The head", "row0", "row1499", "value of750", "The foot"},
		"/list":   {"item0", "item9999"},
		"/flat":   {"line0", "line9999", "The foot"},
		"/frame":  {"outside", "row0", "row1499"},
		"/shadow": {"row0", "row749", "in the shadow"},
		"/lies":   {"row0", "row1499"},
	} {
		text := seenText(take(path))
		for _, w := range words {
			if !strings.Contains(strings.Join(strings.Fields(text), " "), w) {
				t.Errorf("%s: nothing of %q", path, w)
			}
		}
		if strings.Contains(text, "unseen7") {
			t.Errorf("%s: what is not shown is taken for text", path)
		}
	}
	if s := take("/table"); !strings.Contains(seenText(s), "a link") || s.Title != "many" {
		t.Error("what is large is not as it was")
	}

	// The same page gives the same result, and one with an added item a similar one.
	texts := func(s *plat.Snapshot) map[string]bool {
		all := map[string]bool{}
		for i := range s.Nodes {
			if s.Nodes[i].Kind == plat.TextNode {
				all[s.Nodes[i].Value] = true
			}
		}
		return all
	}
	a, b, c := texts(take("/list")), texts(take("/list")), texts(take("/list1"))
	differ := func(x, y map[string]bool) (n int) {
		for text := range x {
			if !y[text] {
				n++
			}
		}
		return n
	}
	if n := differ(a, b); n != 0 {
		t.Errorf("%d texts differ between two visits", n)
	}
	if n := differ(a, c); n > 2 || differ(c, a) == 0 {
		t.Errorf("%d texts of %d are gone with an item more", n, len(a))
	}
}
