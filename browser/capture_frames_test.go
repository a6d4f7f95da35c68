package browser

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"

	"plat/fixtures"
	"plat/plat"
)

// anywhere resolves every name to this machine.
type anywhere struct{}

func (anywhere) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
}

// namedPool returns the pool of a Chrome, by its path, for which every name is this machine's.
func namedPool(t testing.TB, chrome string) *Pool {
	t.Helper()
	return sharedPool(t, "named "+chrome, anywhere{}, func(o *Options) { o.Chrome = chrome })
}

// bothBrowsers runs a test with each installed browser: headless shell and full Chromium.
func bothBrowsers(t *testing.T, test func(t *testing.T, p *Pool)) {
	for name, path := range map[string]string{"shell": "", "full": "/usr/lib/chromium/chromium"} {
		t.Run(name, func(t *testing.T) {
			if _, err := os.Stat(path); path != "" && err != nil {
				t.Skip(err)
			}
			test(t, namedPool(t, path))
		})
	}
}

// ported serves pages by path. It replaces PORT in them by the port of the server. It requests a separate
// process for each origin.
func ported(t testing.TB, pages map[string]string) (srv *httptest.Server, port string) {
	srv = serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, ok := pages[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Origin-Agent-Cluster", "?1")
		fmt.Fprint(w, strings.ReplaceAll(body, "PORT", port))
	}))
	_, port, _ = net.SplitHostPort(srv.Listener.Addr().String())
	return srv, port
}

// framesOf returns, for each document of a frame, its URL, the number of times that it shows LATE,
// and its place.
func framesOf(s *plat.Snapshot) (all []string) {
	for i := 1; i < len(s.Nodes); i++ {
		if s.Nodes[i].Kind != plat.DocumentNode {
			continue
		}
		owner := &s.Nodes[s.Nodes[i].Parent]
		n := 0
		for j := i; j < int(s.Nodes[i].End); j++ {
			if node := &s.Nodes[j]; node.Kind == plat.TextNode && node.HasBox && strings.Contains(node.Value, "LATE") {
				n++
			}
		}
		at := "not shown"
		if s.Nodes[i].HasBox {
			at = fmt.Sprintf("%.0f,%.0f", s.Nodes[i].Box.X, s.Nodes[i].Box.Y)
		}
		all = append(all, fmt.Sprintf("%s %d %s", owner.Name, n, at))
	}
	return all
}

const frameStyle = `<!doctype html><style>body { margin: 0 } iframe, object, embed { display: block; width: 200px; height: 50px; margin: 0; padding: 0; border: 0 } p { margin: 0; height: 20px }</style><body>`

// framed are pages with frames of all kinds, and the documents expected in the
// snapshot; "." is an element without one. /leaf shows LATE after a second.
var framed = []struct{ name, html, want string }{
	{"same origin", `<iframe src=/leaf>`, "iframe 1 0,0"},
	{"another site", `<iframe src=http://b.test:PORT/leaf style="border: 5px solid; padding: 3px; margin: 10px 20px">`, "iframe 1 28,18"},
	{"another site in another site", `<p>.</p><iframe src=http://b.test:PORT/middle></iframe>`, "iframe 2 0,20|iframe 1 2,42|iframe 1 2,196"},
	{"sandboxed", `<iframe sandbox src=/words></iframe><iframe sandbox=allow-scripts src=/leaf></iframe><iframe sandbox=allow-scripts src=http://b.test:PORT/leaf></iframe>`, "iframe 1 0,0|iframe 1 0,50|iframe 1 0,100"},
	{"without a URL", `<iframe srcdoc="<p>LATE"></iframe><iframe sandbox srcdoc="<p>LATE"></iframe><iframe src="data:text/html,<p>LATE"></iframe><iframe src="javascript:'<p>LATE'"></iframe>`, "iframe 1 0,0|iframe 1 0,50|iframe 1 0,100|iframe 1 0,150"},
	{"written by script", `<iframe id=f></iframe><script>f.contentDocument.write('<p>LATE'); f.contentDocument.close()</script>`, "iframe 1 0,0"},
	{"lazy", `<div style="height: 6000px"></div><iframe loading=lazy src=http://b.test:PORT/words>`, "iframe 1 0,6000"},
	{"put in late", `<script>setTimeout(() => { const f = document.createElement('iframe'); f.src = 'http://b.test:PORT/leaf'; document.body.append(f) }, 2000)</script>`, "iframe 1 0,0"},
	{"in a closed shadow root", `<div id=h></div><script>h.attachShadow({ mode: 'closed' }).innerHTML = '<iframe src=http://b.test:PORT/leaf style="border:0"></iframe>'</script>`, "iframe 1 0,0"},
	{"object and embed", `<object data=/leaf type=text/html></object><embed src=/leaf type=text/html><object data=http://b.test:PORT/leaf type=text/html></object><embed src=http://b.test:PORT/leaf type=text/html>`, "object 1 0,0|embed 1 0,50|object 1 0,100|embed 1 0,150"},
	{"frameset", `</body><frameset cols="*,*" frameborder=0 border=0><frame src=/leaf><frame src=http://b.test:PORT/leaf></frameset>`, "frame 1 0,0|frame 1 640,0"},
	{"scrolled inside", `<iframe srcdoc="<body style='height: 3000px; margin: 0'><p>LATE<script>scrollTo(0, 100)</script>">`, "iframe 1 0,0"},
	{"not displayed", `<iframe src=/leaf style="display: none"></iframe>`, "iframe 0 not shown"},
	{"not loaded", `<iframe src=http://b.test:1/leaf></iframe>`, ""},
	{"refused by the guard", `<iframe src=http://10.0.0.1/></iframe>`, ""},
	{"an error of the site", `<iframe src=http://b.test:PORT/nothing></iframe>`, "iframe 0 0,0"},
}

func TestFramesAreInTheSnapshot(t *testing.T) {
	t.Parallel()
	pages := map[string]string{
		"/leaf":   frameStyle + `<p id=x></p><script>setTimeout(() => x.textContent = 'LATE', 1000)</script>`,
		"/words":  frameStyle + `<p>LATE</p>`,
		"/middle": `<!doctype html><style>body { margin: 0 } iframe { display: block } p { margin: 0; height: 20px }</style><p>.</p><iframe src=http://c.test:PORT/leaf></iframe><iframe src=http://a.test:PORT/leaf></iframe>`,
	}
	for i, tc := range framed {
		html := frameStyle + tc.html
		if tc.name == "frameset" {
			html = "<!doctype html>" + strings.TrimPrefix(tc.html, "</body>")
		}
		pages[fmt.Sprint("/", i)] = html
	}
	_, port := ported(t, pages)
	bothBrowsers(t, func(t *testing.T, p *Pool) {
		for i, tc := range framed {
			t.Run(tc.name, func(t *testing.T) {
				s := render(t, p, fmt.Sprintf("http://a.test:%s/%d", port, i))
				if got := strings.Join(framesOf(s), "|"); got != tc.want {
					t.Errorf("the documents of frames are %q, want %q\n%s", got, tc.want, fixtures.Tree(s, true))
				}
			})
		}
	})
}

func TestShadowRootsAreInTheSnapshot(t *testing.T) {
	t.Parallel()
	pages := map[string]string{"/inner": `<!doctype html><div id=h></div><script>h.attachShadow({ mode: 'closed' }).innerHTML = '<p>LATE</p>'</script>`}
	shadows := []struct{ name, html, want string }{
		{"open", `<div id=h>light</div><script>h.attachShadow({ mode: 'open' }).innerHTML = '<p>LATE</p><slot></slot>'</script>`, "open"},
		{"closed", `<div id=h>light</div><script>h.attachShadow({ mode: 'closed' }).innerHTML = '<p>LATE</p><slot></slot>'</script>`, "closed"},
		{"declared", `<div><template shadowrootmode=open><p>LATE</p></template></div><div><template shadowrootmode=closed><p>LATE</p></template></div>`, "open closed"},
		{"one in another", `<div id=h></div><script>const r = h.attachShadow({ mode: 'closed' }); r.innerHTML = '<div></div>'; r.firstChild.attachShadow({ mode: 'open' }).innerHTML = '<p>LATE'</script>`, "closed open"},
		{"late", `<div id=h></div><script>setTimeout(() => { h.attachShadow({ mode: 'closed' }).innerHTML = '<p>LATE' }, 2000)</script>`, "closed"},
		{"of custom elements", `<x-a></x-a><script>customElements.define('x-a', class extends HTMLElement { connectedCallback() { this.attachShadow({ mode: 'closed' }).innerHTML = '<p>LATE' } })</script>`, "closed"},
		{"in frames", `<iframe src=/inner></iframe><iframe src=http://b.test:PORT/inner></iframe>`, "closed closed"},
		{"of the browser alone", `<p>LATE</p><details open><summary>s</summary></details><input value=v><video controls></video>`, ""},
	}
	for i, tc := range shadows {
		pages[fmt.Sprint("/", i)] = "<!doctype html>" + tc.html
	}
	_, port := ported(t, pages)
	bothBrowsers(t, func(t *testing.T, p *Pool) {
		for i, tc := range shadows {
			t.Run(tc.name, func(t *testing.T) {
				s := render(t, p, fmt.Sprintf("http://a.test:%s/%d", port, i))
				var got []string
				for j := range s.Nodes {
					if s.Nodes[j].Kind == plat.ShadowNode {
						got = append(got, s.Nodes[j].Value)
					}
				}
				words := max(1, len(strings.Fields(tc.want)))
				if tc.name == "one in another" {
					words = 1
				}
				if !slices.Equal(got, strings.Fields(tc.want)) || shown(s, "LATE") != words {
					t.Errorf("the roots are %q, want %q; %d words are shown, want %d\n%s", got, tc.want, shown(s, "LATE"), words, fixtures.Tree(s, true))
				}
			})
		}
	})
}

// docs/capture.md lists the content that is not captured; if that changes, the table changes too.
func TestWhatASnapshotLeavesOut(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><style>#g::before { content: 'GENERATED' } #cut { width: 50px; overflow: hidden; white-space: nowrap; text-overflow: ellipsis }</style>
<input id=i value=written><input id=b type=checkbox><textarea id=a>written</textarea><select id=o><option>one<option>two</select><p id=g>.</p><p id=cut>a long text whose LAST word nobody sees</p>
<dialog id=d>MODAL</dialog><div id=p popover>POPOVER</div><video src=/v.webm><track src=/t.vtt default></video><audio src=/a.ogg></audio><script src=/s.js></script>
<script>i.value = a.value = 'TYPED'; b.checked = true; o.value = 'two'; d.showModal(); p.showPopover(); fetch('/data.json')</script>`)
	})
	mux.HandleFunc("GET /s.js", func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Type", "text/javascript") })
	mux.HandleFunc("GET /data.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, "{}")
	})
	srv := serve(t, mux)
	s, m := evidence(t, pool(t), srv.URL+"/", plat.AllResources)
	text := fixtures.Tree(s, false)
	for word, want := range map[string]bool{
		`value="written"`: true, `TYPED"`: false, "checked=": false, "selected=": false, `"GENERATED`: false, "LAST word": true, "POPOVER": true,
	} {
		if strings.Contains(text, word) != want {
			t.Errorf("%s is in the snapshot: %t", word, !want)
		}
	}
	for _, word := range []string{"MODAL", "POPOVER"} {
		if shown(s, word) != 1 {
			t.Errorf("%s is shown %d times", word, shown(s, word))
		}
	}
	// The state of the page has what scripts have set and opened: it is no part of the snapshot's tree.
	if len(m) != 1 || m[0].URL != plat.PageStateURL {
		t.Errorf("resources: %+v", m)
	}
	if len(s.Resources) != 1 {
		t.Fatalf("%d resources", len(s.Resources))
	}
	state, err := plat.UnmarshalPageState(s.Resources[0].Data)
	if err != nil || len(state.Controls) != 4 || len(state.Opened) != 2 {
		t.Errorf("the state of the page is %s, %v", s.Resources[0].Data, err)
	}
}
