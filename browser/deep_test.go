package browser

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"plat/plat"
)

// Nested shadow roots may make the tree deeper than the limit: the page is captured as its flat
// tree.
func TestShadowRootsInOneAnotherArePages(t *testing.T) {
	t.Parallel()
	p := poolWith(t, func(*Options) {})
	srv := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<!doctype html><title>deep</title><p>on top</p><script>
let at = document.body;
for (let i = 0; i < %s; i++) {
	const host = document.createElement('div');
	at.appendChild(host);
	at = host.attachShadow({ mode: 'open' });
}
at.innerHTML = '<p>at the bottom</p>';
</script>`, strings.TrimPrefix(r.URL.Path, "/"))
	}))
	for _, n := range []int{100, 2000} {
		s := render(t, p, fmt.Sprintf("%s/%d", srv.URL, n))
		var text strings.Builder
		for i := range s.Nodes {
			if s.Nodes[i].Kind == plat.TextNode {
				text.WriteString(s.Nodes[i].Value)
			}
		}
		if !strings.Contains(text.String(), "on top") || !strings.Contains(text.String(), "at the bottom") {
			t.Errorf("%d shadow roots: the snapshot has %d nodes, and not all of the text", n, len(s.Nodes))
		}
	}
}
