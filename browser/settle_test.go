package browser

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"plat/browser/process"
	"plat/plat"
)

// lateSite serves pages whose words "LATE …" appear some time after the load event, each in a
// different way. /wait answers after d ms. OTHER in a page is a different host.
func lateSite(other func() string) http.Handler {
	mux := http.NewServeMux()
	wait := func(r *http.Request) {
		d, _ := time.ParseDuration(r.FormValue("d") + "ms")
		select {
		case <-time.After(d):
		case <-r.Context().Done():
		}
	}
	mux.HandleFunc("GET /wait", func(w http.ResponseWriter, r *http.Request) {
		wait(r)
		w.Header().Set("Access-Control-Allow-Origin", "*")
		fmt.Fprint(w, "LATE")
	})
	mux.HandleFunc("GET /style", func(w http.ResponseWriter, r *http.Request) {
		wait(r)
		w.Header().Set("Content-Type", "text/css")
		fmt.Fprint(w, "body{opacity:1!important}")
	})
	mux.HandleFunc("GET /worker", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		fmt.Fprint(w, r.FormValue("js"))
	})
	mux.HandleFunc("GET /events", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for range 3 {
			wait(r)
			fmt.Fprint(w, "data: LATE\n\n")
			w.(http.Flusher).Flush()
		}
		<-r.Context().Done()
	})
	mux.HandleFunc("GET /stream", func(w http.ResponseWriter, r *http.Request) {
		for range 6 {
			wait(r)
			fmt.Fprint(w, "LATE ")
			w.(http.Flusher).Flush()
		}
	})
	mux.HandleFunc("GET /next", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<p>the next page <p id=at></p><script>setTimeout(()=>at.textContent='LATE', 900)</script>")
	})
	for _, p := range latePages {
		mux.HandleFunc("GET /page/"+p.path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			html := p.html
			if strings.Contains(html, "OTHER") {
				html = strings.ReplaceAll(html, "OTHER", other())
			}
			fmt.Fprint(w, "<!doctype html><title>late</title>"+p.start()+"<body>"+html)
		})
	}
	return mux
}

// start returns the beginning of a page with scripts.
func (p *latePage) start() string {
	if !strings.Contains(p.html, "script") {
		return ""
	}
	return "<script>const put = (t) => { const e = document.createElement('p'); e.textContent = t; document.body.append(e); }; const get = (d) => fetch('/wait?d=' + d).then((r) => r.text());</script>"
}

type latePage struct {
	path  string
	html  string
	words int // number of LATE in the end
	how   plat.Settled
}

var latePages = []latePage{
	{"static", "<p>LATE", 1, plat.SettledStatic},
	{"timer", "<script>setTimeout(() => put('LATE'), 7000)</script>", 1, plat.SettledQuiet},
	{"timers one after another", "<script>let n = 0; setTimeout(function f() { put('LATE'); if (++n < 4) setTimeout(f, 2000) }, 2000)</script>", 4, plat.SettledQuiet},
	{"requests and timers by turns", "<script>(async () => { for (let i = 0; i < 4; i++) { put(await get(400)); await new Promise((f) => setTimeout(f, 1500)); } })()</script>", 4, plat.SettledQuiet},
	{"a slow chain of requests", "<script>(async () => { for (let i = 0; i < 8; i++) put(await get(1100)) })()</script>", 8, plat.SettledQuiet},
	{"a request that takes long", "<script>get(3000).then(put)</script>", 1, plat.SettledQuiet},
	{"frame by frame", "<script>let n = 0; requestAnimationFrame(function f() { put('LATE'); if (++n < 90) requestAnimationFrame(f) })</script>", 90, plat.SettledQuiet},
	{"when idle", "<script>let n = 0; requestIdleCallback(function f(d) { if (!d.didTimeout && d.timeRemaining() > 1) put('LATE'); if (++n < 5) requestIdleCallback(f) })</script>", 5, plat.SettledQuiet},
	{"at the end of an animation", "<style>@keyframes a { to { opacity: 1 } } #x { animation: a 2.5s }</style><div id=x>.</div><script>x.onanimationend = () => put('LATE')</script>", 1, plat.SettledQuiet},
	{"at the end of a transition", "<style>#x { transition: width 3s; width: 9px } .on #x { width: 90px }</style><div id=x>.</div><script>x.ontransitionend = () => put('LATE'); setTimeout(() => document.body.className = 'on', 700)</script>", 1, plat.SettledQuiet},
	{"by the Web Animations API", "<div id=x>.</div><script>x.animate([{opacity: 0}, {opacity: 1}], 2200).finished.then(() => put('LATE'))</script>", 1, plat.SettledQuiet},
	{"hidden until a tester answers", "<style>.wait { opacity: 0 }</style><script>document.documentElement.className = 'wait'; setTimeout(() => document.documentElement.className = '', 4000)</script><p>LATE", 1, plat.SettledQuiet},
	{"hidden until a style sheet comes", "<style>body { opacity: 0 }</style><script>setTimeout(() => { const l = document.createElement('link'); l.rel = 'stylesheet'; l.href = '/style?d=1500'; document.head.append(l) }, 300)</script><p>LATE", 1, plat.SettledQuiet},
	{"when seen", "<div style='height: 3000px'></div><div id=x>.</div><script>new IntersectionObserver((e) => { if (e[0].isIntersecting && !window.done) { window.done = 1; get(600).then((t) => setTimeout(() => put(t), 1200)) } }).observe(x)</script>", 1, plat.SettledQuiet},
	{"when scrolled", "<div style='height: 3000px'></div><script>let n = 0; addEventListener('scroll', () => { if (!n++) setTimeout(() => get(300).then(put), 1000) })</script>", 1, plat.SettledQuiet},
	{"when a box is scrolled", "<style>body { margin: 0; overflow: hidden } #box { height: 100vh; overflow: auto }</style><div id=box><div style='height: 3000px'></div><div id=x>.</div></div><script>new IntersectionObserver((e) => { if (e[0].isIntersecting) box.append('LATE') }).observe(x)</script>", 1, plat.SettledQuiet},
	{"when resized", "<div id=x style='width: 50px'></div><script>new ResizeObserver(() => { if (x.offsetWidth > 80) put('LATE') }).observe(x); setTimeout(() => x.style.width = '90px', 500)</script>", 1, plat.SettledQuiet},
	{"in a frame that is asked for late", "<script>setTimeout(() => requestAnimationFrame(() => get(300).then(put)), 4000)</script>", 1, plat.SettledQuiet},
	{"when focused", "<input autofocus id=x><script>x.onfocus = () => put('LATE')</script>", 1, plat.SettledQuiet},
	{"by a worker", "<script>new Worker('/worker?js=' + encodeURIComponent('setTimeout(() => postMessage(\"LATE\"), 900)')).onmessage = (e) => put(e.data)</script>", 1, plat.SettledLive},
	{"by a shared worker", "<script>new SharedWorker('/worker?js=' + encodeURIComponent('onconnect = (e) => setTimeout(() => e.ports[0].postMessage(\"LATE\"), 900)')).port.onmessage = (e) => put(e.data)</script>", 1, plat.SettledLive},
	{"while a worker that was begun late sleeps", "<script>setTimeout(() => { get(300).then(() => new Worker('/worker?js=0')); get(3000).then(put) }, 1000)</script>", 1, plat.SettledLive},
	{"asked for by a worker of a slow server", "<script>new Worker('/worker?js=' + encodeURIComponent('fetch(\"/wait?d=2500\").then((r) => r.text()).then((t) => postMessage(t))')).onmessage = (e) => put(e.data)</script>", 1, plat.SettledLive},
	{"asked for by a worker of a slow server, while the page has its answer", "<script>get(300); new Worker('/worker?js=' + encodeURIComponent('fetch(\"/wait?d=2500\").then((r) => r.text()).then((t) => postMessage(t))')).onmessage = (e) => put(e.data)</script>", 1, plat.SettledLive},
	{"asked for by a worker of another host", "<script>new Worker('/worker?js=' + encodeURIComponent('fetch(\"OTHER/wait?d=2500\").then((r) => r.text()).then((t) => postMessage(t))')).onmessage = (e) => put(e.data)</script>", 1, plat.SettledLive},
	{"asked for by a shared worker of another host", "<script>new SharedWorker('/worker?js=' + encodeURIComponent('onconnect = (e) => fetch(\"OTHER/wait?d=2500\").then((r) => r.text()).then((t) => e.ports[0].postMessage(t))')).port.onmessage = (e) => put(e.data)</script>", 1, plat.SettledLive},
	{"asked for by a worker of a worker, of another host", "<script>new Worker('/worker?js=' + encodeURIComponent('new Worker(\"/worker?js=\" + encodeURIComponent(`fetch(\"OTHER/wait?d=2500\").then((r) => r.text()).then((t) => postMessage(t))`)).onmessage = (e) => postMessage(e.data)')).onmessage = (e) => put(e.data)</script>", 1, plat.SettledLive},
	{"by events of a worker", "<script>new Worker('/worker?js=' + encodeURIComponent('new EventSource(\"/events?d=1300\").onmessage = (e) => postMessage(e.data)')).onmessage = (e) => put(e.data)</script>", 3, plat.SettledLive},
	{"while a worker sleeps", "<script>new Worker('/worker?js=0'); get(3000).then(put)</script>", 1, plat.SettledLive},
	{"by a handler in the HTML", "<img src=data:, onerror=\"setTimeout(() => document.body.append('LATE'), 1000)\">", 1, plat.SettledQuiet},
	{"by a script that is gone", "<SCRIPT>addEventListener('load', () => setTimeout(() => document.body.append('LATE'), 1000)); document.body.innerHTML = ''</SCRIPT>", 1, plat.SettledQuiet},
	{"over a channel", "<script>new BroadcastChannel('a').onmessage = (e) => put(e.data); new Worker('/worker?js=' + encodeURIComponent('setTimeout(() => new BroadcastChannel(\"a\").postMessage(\"LATE\"), 700)'))</script>", 1, plat.SettledLive},
	{"by events", "<script>new EventSource('/events?d=300').onmessage = (e) => put(e.data)</script>", 3, plat.SettledLive},
	{"in a stream", "<script>(async () => { const r = (await fetch('/stream?d=200')).body.pipeThrough(new TextDecoderStream()).getReader(); for (;;) { const {done, value} = await r.read(); if (done) break; put(value) } })()</script>", 6, plat.SettledLive},
	{"from a data base", "<script>const o = indexedDB.open('a', 1); o.onupgradeneeded = () => o.result.createObjectStore('s').put('LATE', 1); o.onsuccess = () => { o.result.transaction('s').objectStore('s').get(1).onsuccess = (e) => put(e.target.result) }</script>", 1, plat.SettledQuiet},
	{"out of a file", "<script>const f = new FileReader(); f.onload = () => put(f.result); f.readAsText(new Blob(['LATE']))</script>", 1, plat.SettledQuiet},
	{"after a digest", "<script>new Image().decode().catch(() => WebAssembly.compile(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]))).then(() => put('LATE'))</script>", 1, plat.SettledQuiet},
	{"in a frame", "<iframe srcdoc=\"<p id=x></p><script>setTimeout(() => x.textContent = 'LATE', 2500)</script>\"></iframe>", 1, plat.SettledQuiet},
	{"in a frame, frame by frame", "<iframe sandbox=allow-scripts srcdoc=\"<p id=x></p><script>let n = 0; requestAnimationFrame(function f() { if (++n < 4) requestAnimationFrame(f); else x.textContent = 'LATE' })</script>\"></iframe>", 1, plat.SettledQuiet},
	{"after a refresh", "<meta http-equiv=refresh content='2; url=/next'>", 1, plat.SettledQuiet},
	{"after going on", "<script>setTimeout(() => location = '/next', 1000)</script>", 1, plat.SettledQuiet},
	{"by messages without end", "<script>const c = new MessageChannel(); c.port1.onmessage = () => c.port2.postMessage(0); c.port2.postMessage(0); setTimeout(() => put('LATE'), 1000)</script>", 1, plat.SettledQuiet},
	{"with a clock", "<p id=x></p><script>setInterval(() => x.textContent = 'tick ' + performance.now(), 500); setTimeout(() => put('LATE'), 3000)</script>", 1, plat.SettledMoving},
	{"row by row, each fading in", "<style>p { animation: a .5s both } @keyframes a { from { opacity: 0 } }</style><script>let n = 0; const t = setInterval(() => { put('LATE'); if (++n == 150) clearInterval(t) }, 130)</script>", 150, plat.SettledQuiet},
	{"letter by letter", "<p id=x></p><script>const s = 'a word and '.repeat(9) + 'LATE'; let n = 0; const t = setInterval(() => { x.textContent = s.slice(0, ++n); if (n == s.length) clearInterval(t) }, 130)</script>", 1, plat.SettledQuiet},
	{"row by row, each when the one before is there", "<style>p { opacity: 0; transition: opacity .15s } .in { opacity: 1 }</style><script>let n = 0; (function f() { const e = document.createElement('p'); e.textContent = 'LATE'; document.body.append(e); e.offsetTop; e.className = 'in'; e.ontransitionend = () => { if (++n < 20) f() } })()</script>", 20, plat.SettledQuiet},
	{"while it fades between states", "<style>b { transition: opacity .1s } .out { opacity: 0 }</style><b id=x class=out>LATE</b><script>let n = 0; setInterval(() => { x.className = ''; x.textContent = 'LATE ' + ++n; setTimeout(() => { x.className = 'out' }, 300) }, 1010)</script>", 1, plat.SettledMoving},
	{"in frames between messages of a worker", "<script>const w = new Worker('/worker?js=' + encodeURIComponent('onmessage = (e) => setTimeout(() => postMessage(e.data), 30)')); let n = 0; w.onmessage = () => { if (++n < 20) requestAnimationFrame(() => w.postMessage(0)); else put('LATE') }; w.postMessage(0)</script>", 1, plat.SettledLive},
	{"by a worker, one part in view after the other", "<script>const w = new Worker('/worker?js=' + encodeURIComponent('let last = Promise.resolve(); onmessage = (e) => { last = last.then(() => new Promise((f) => setTimeout(f, 450))).then(() => postMessage(e.data)) }')), boxes = []; w.onmessage = (e) => { boxes[e.data].textContent = 'LATE' }; for (let i = 0; i < 8; i++) { const d = document.createElement('div'); d.style.height = '900px'; document.body.append(d); boxes.push(d); new IntersectionObserver((e, o) => { if (e[0].isIntersecting) { o.disconnect(); w.postMessage(i) } }).observe(d) }</script>", 8, plat.SettledLive},
	{"when its layout is not skipped any more", "<style>body { margin: 0 } #box { height: 100vh; overflow: auto } section { content-visibility: auto; contain-intrinsic-size: auto 400px }</style><div id=box></div><script>for (let i = 0; i < 9; i++) { const s = document.createElement('section'); s.addEventListener('contentvisibilityautostatechange', (e) => { if (!e.skipped && !s.textContent) s.textContent = 'LATE' }); box.append(s) }</script>", 9, plat.SettledQuiet},
	{"when a box below a head is scrolled", "<style>body { margin: 0 } #box { height: 100vh; overflow: auto }</style><h1>Head</h1><div id=box><div style='height: 3000px'></div><div id=x>.</div></div><script>new IntersectionObserver((e) => { if (e[0].isIntersecting) box.append('LATE') }).observe(x)</script>", 1, plat.SettledQuiet},
	{"as it is scrolled, by a script", "<style>div { min-height: 500px }</style><div>LATE</div><div>LATE</div><div>LATE</div><div>LATE</div><div>LATE</div><script>for (const e of document.querySelectorAll('div')) e.animate([{opacity: 0}, {opacity: 1}], {fill: 'both', timeline: new ViewTimeline({subject: e}), rangeStart: 'entry 0%', rangeEnd: 'cover 40%'})</script>", 5, plat.SettledQuiet},
	{"when scrolling rests", "<style>div { min-height: 500px; opacity: 0 } .on { opacity: 1 }</style><div>LATE</div><div>LATE</div><div>LATE</div><div>LATE</div><div>LATE</div><div>LATE</div><script>let t; const f = () => { for (const e of document.querySelectorAll('div')) { const r = e.getBoundingClientRect(); if (r.top < innerHeight && r.bottom > 0) e.className = 'on' } }; addEventListener('scroll', () => { clearTimeout(t); t = setTimeout(f, 100) }); f()</script>", 6, plat.SettledQuiet},
	{"after a frame, before an answer", "<script>requestAnimationFrame(() => setTimeout(() => { let ready = false; get(400).then(() => put(ready ? 'LATE' : 'soon')); requestAnimationFrame(() => { ready = true }) }))</script>", 1, plat.SettledQuiet},
	{"while a request gets no answer", "<script>get(60000); setTimeout(() => put('LATE'), 500)</script>", 1, plat.SettledStalled},
}

func TestWhatComesLateIsSeen(t *testing.T) {
	t.Parallel()
	p := poolWith(t, func(o *Options) { o.Tabs, o.Flags = 4, []string{"--ignore-certificate-errors"} })
	for _, scheme := range []string{"http", "https", "http2"} {
		// Each page meets the second host for the first time.
		other := func() string { return lateServer(t, scheme, lateSite(nil)).URL }
		root := lateServer(t, scheme, lateSite(other)).URL
		for _, tc := range latePages {
			if scheme != "http" && !slices.ContainsFunc([]string{"get(", "fetch(", "/stream", "/events", "WebSocket"}, func(s string) bool { return strings.Contains(tc.html, s) }) {
				continue // the network has no part in it
			}
			if scheme == "http2" && !strings.HasPrefix(tc.path, "asked for by") {
				continue // as by https
			}
			t.Run(scheme+"/"+tc.path, func(t *testing.T) {
				t.Parallel()
				s := render(t, p, root+"/page/"+strings.ReplaceAll(tc.path, " ", "%20"))
				if n := shown(s, "LATE"); n != tc.words || s.Settled != tc.how {
					t.Errorf("%d of %d words are shown; the page was taken as %q, want %q", n, tc.words, s.Settled, tc.how)
				}
			})
		}
	}
}

// lateServer serves a site by http, by https, or by HTTP/2.
func lateServer(t *testing.T, scheme string, site http.Handler) *httptest.Server {
	s := httptest.NewUnstartedServer(site)
	t.Cleanup(func() {
		s.CloseClientConnections() // Close waits seconds for connections without a request
		s.Close()
	})
	if s.EnableHTTP2 = scheme == "http2"; scheme == "http" {
		s.Start()
	} else {
		s.StartTLS()
	}
	return s
}

// shown counts a word in the text that is shown.
func shown(s *plat.Snapshot, word string) (n int) {
	opacity := make([]float32, len(s.Nodes))
	for i := range s.Nodes {
		node := &s.Nodes[i]
		opacity[i] = 1
		if node.Parent >= 0 {
			opacity[i] = opacity[node.Parent]
		}
		if node.HasBox && node.Kind == plat.ElementNode {
			opacity[i] *= s.Styles[node.Style].Opacity
		}
		if node.Kind == plat.TextNode && node.HasBox && opacity[i] > 0 {
			n += strings.Count(node.Value, word)
		}
	}
	return n
}

// A browser draws one page at a time. A page that waits for its turn longer than a frame may take
// gets its frame later.
func TestAFrameThatComesLateIsWaitedFor(t *testing.T) {
	t.Parallel()
	if !process.IsFramed(pool(t).o.Chrome) {
		t.Skip("frames come by themselves here")
	}
	const held = 5 * time.Second // longer than a page waits for the frames of other tabs
	drawing, asked := make(chan struct{}), make(chan struct{})
	var once, again sync.Once
	mux := http.NewServeMux()
	mux.HandleFunc("GET /slow", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "<!doctype html><script>requestAnimationFrame(() => { const x = new XMLHttpRequest(); x.open('GET', '/answer', false); x.send() })</script><p>Slow")
	})
	mux.HandleFunc("GET /answer", func(_ http.ResponseWriter, r *http.Request) {
		once.Do(func() { close(drawing) })
		select {
		case <-asked:
			time.Sleep(held)
		case <-r.Context().Done():
		}
	})
	mux.HandleFunc("GET /waits", func(w http.ResponseWriter, _ *http.Request) {
		again.Do(func() { close(asked) })
		fmt.Fprint(w, "<!doctype html><body><script>for (let i = 0; i < 1000; i++) cancelAnimationFrame(i); requestAnimationFrame(() => { document.body.append('LATE') })</script>")
	})
	srv := serve(t, mux)
	p := poolWith(t, func(o *Options) { o.Tabs = 2 })
	done := make(chan error, 1)
	go func() {
		_, err := p.Render(t.Context(), Request{URL: srv.URL + "/slow"})
		done <- err
	}()
	select {
	case <-drawing:
	case err := <-done:
		t.Fatalf("the page that holds frames up has ended: %v", err)
	}
	began := time.Now()
	s := render(t, p, srv.URL+"/waits")
	if n := shown(s, "LATE"); n != 1 || s.Settled != plat.SettledQuiet {
		t.Errorf("what a frame brings is shown %d times; the page was taken as %q", n, s.Settled)
	}
	if took := time.Since(began); took < held-time.Second {
		t.Errorf("it was shown after %v: the test has held up no frame", took)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// A page that a script stops has no load event. It is captured at once all the same.
func TestAPageThatStopsItself(t *testing.T) {
	t.Parallel()
	hang := make(chan struct{})
	defer close(hang)
	srv := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			select {
			case <-hang:
			case <-r.Context().Done():
			}
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<!doctype html><p>words<img src=/slow><script>stop()</script><p>lost")
	}))
	began := time.Now()
	s := render(t, pool(t), srv.URL+"/")
	if took := time.Since(began); took > 15*time.Second || s.Settled.Short() {
		t.Errorf("it takes %v, and is %s", took, s.Settled)
	}
}

// A frame whose document shows a shape of a loaded file has no load event before it is drawn.
func TestFramesWithShapesOfFilesAreLoaded(t *testing.T) {
	t.Parallel()
	for name, page := range map[string]string{
		"plain":                       `<iframe src=/use></iframe>`,
		"hidden":                      `<iframe src=/use style="display:none"></iframe>`,
		"below the window":            `<p style="height:5000px">Far<iframe src=/use></iframe>`,
		"in a frame":                  `<iframe srcdoc="<iframe src=/use></iframe>"></iframe>`,
		"of another host, far":        `<p style="height:5000px">Far<iframe src=OTHER/use></iframe>`,
		"without the file, by object": `<object data=/none></object>`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				switch r.URL.Path {
				case "/":
					fmt.Fprint(w, "<!doctype html>", strings.ReplaceAll(page, "OTHER", "http://"+strings.Replace(r.Host, "127.0.0.1", "localhost", 1)))
				case "/use":
					fmt.Fprint(w, `<!doctype html><svg><use href="/shapes.svg#a"></svg>`)
				case "/none":
					fmt.Fprint(w, `<!doctype html><svg><use href="/lost.svg#a"></svg>`)
				case "/shapes.svg":
					w.Header().Set("Content-Type", "image/svg+xml")
					fmt.Fprint(w, `<svg xmlns="http://www.w3.org/2000/svg"><g id="a"><text y="20">SHAPE</text></g></svg>`)
				default:
					http.NotFound(w, r)
				}
			}))
			began := time.Now()
			s := render(t, pool(t), srv.URL+"/")
			if took := time.Since(began); took > 20*time.Second || s.Settled.Short() {
				t.Errorf("it takes %v, and is %s", took, s.Settled)
			}
		})
	}
}
