package browser

import (
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"plat/fixtures"
	"plat/plat"
)

var update = flag.Bool("update", false, "write the golden trees anew")

func TestTheTreeIsTheDOM(t *testing.T) {
	t.Parallel()
	const style = `<style>*{margin:0;padding:0;border:0;font:16px/20px sans-serif}</style>`
	srv := site(t, map[string]string{
		"/inner": `<!doctype html>` + style + `<p style="height:20px">inside`,
		"/plain": `<!-- before --><!doctype html PUBLIC "-//W3C//DTD HTML 4.01//EN" "http://www.w3.org/TR/html4/strict.dtd"><!-- between --><html lang="en"><head>` + style + `</head>
<body class="a  b" id=x hidden-thing><p title='"&amp;<'>&lt;b&gt; &amp;amp; &nbsp;</p><ul><li style="height:20px">one</ul><noscript><p>raw</noscript><pre>

two</pre><script>const a = '<p>';</script></body></html><!-- after -->`,
		"/svg":      `<!doctype html>` + style + `<svg viewBox="0 0 10 10" width="10" height="10"><linearGradient id="g" xlink:href="#h"/><foreignObject><p>html</p></foreignObject></svg><math><mi>x</mi></math>`,
		"/template": `<!doctype html>` + style + `<template id="t"><p>one</p><template><b>two</b></template>` + `text</template><p style="height:20px">shown</p>`,
		"/shadow": `<!doctype html>` + style + `<div id=host><b slot=named>named</b><i>nowhere</i>` + `</div><script>
			const root = host.attachShadow({mode: 'closed'});
			root.innerHTML = '<p style="height:30px"><slot name=named>fallback</slot></p>';
		</script>`,
		"/declared": `<!doctype html>` + style + `<div><template shadowrootmode="open"><p style="height:30px"><slot></slot></p></template>light</div>`,
		"/frames":   `<!doctype html>` + style + `<div style="height:100px"></div><iframe src="/inner" style="border:5px solid;width:200px;height:50px;display:block;margin-left:40px"></iframe><iframe srcdoc="<p style='height:20px'>doc" style="display:block;width:100px;height:40px"></iframe><iframe src="http://no.such.host.test/" style="display:block"></iframe><iframe src="https://no.such.host.test/" style="display:block"></iframe><iframe src="/inner" style="display:none"></iframe>`,
		"/forms":    `<!doctype html>` + style + `<input value="v" placeholder="p"><textarea>text</textarea><details><summary>sum</summary>body</details><select><option selected>o</select><ol><li>marked</ol><q>quoted</q>`,
	})
	for _, name := range []string{"plain", "svg", "template", "shadow", "declared", "frames", "forms"} {
		t.Run(name, func(t *testing.T) {
			s := render(t, pool(t), srv.URL+"/"+name)
			got := fixtures.Tree(s, name != "forms")
			file := filepath.Join("testdata", name+".tree")
			if *update {
				if err := os.MkdirAll("testdata", 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("the tree is\n%swant\n%s", got, want)
			}
		})
	}
}

func TestTheSamePageGivesTheSameSnapshot(t *testing.T) {
	t.Parallel()
	srv := site(t, map[string]string{"/": `<!doctype html><title>t</title><style>p{position:relative;z-index:1}</style>` + strings.Repeat(`<p>Some <b>text</b> that is <a href="/x">linked</a></p>`, 50)})
	strip := func(s *plat.Snapshot) string {
		s.Taken, s.Timing = s.Taken.Truncate(1<<62), plat.Timing{}
		s.Header, s.Bytes = nil, 0 // the date, and chunks
		return fmt.Sprintf("%+v", *s)
	}
	one := strip(render(t, pool(t), srv.URL+"/"))
	for range 3 {
		if two := strip(render(t, pool(t), srv.URL+"/")); two != one {
			t.Fatalf("two renderings differ:\n%.2000s\n%.2000s", one, two)
		}
	}
}

// A page that fits into the window is not scrolled.
func TestLazyImagesInViewAreThere(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><p><img loading=lazy src="/i.svg">`+r.FormValue("script"))
	})
	mux.HandleFunc("GET /i.svg", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "image/svg+xml")
		fmt.Fprint(w, `<svg xmlns="http://www.w3.org/2000/svg" width="123" height="45"/>`)
	})
	srv := serve(t, mux)
	for _, path := range []string{"/", "/?script=<script>0</script>"} {
		s := render(t, pool(t), srv.URL+path)
		if !slices.ContainsFunc(s.Nodes, func(n plat.Node) bool { return n.Name == "img" && n.Box.W == 123 }) {
			t.Errorf("%s: the image is not there", path)
		}
	}
}

func TestLazyContentIsThere(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><p id=end>`)
		for i := range 5 {
			fmt.Fprintf(w, `<div style="height:5000px"></div><img loading=lazy src="/i%d.svg"><p class=seen></p>`, i)
		}
		fmt.Fprint(w, `<script>
			const watch = new IntersectionObserver((all) => all.forEach((e) => { if (e.isIntersecting) e.target.textContent = 'seen'; }));
			document.querySelectorAll('.seen').forEach((e) => watch.observe(e));
			let frames = 0;
			const count = () => { document.getElementById('end').dataset.frames = ++frames; requestAnimationFrame(count); };
			requestAnimationFrame(count);
		</script>`)
	})
	mux.HandleFunc("GET /{name}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "image/svg+xml")
		fmt.Fprint(w, `<svg xmlns="http://www.w3.org/2000/svg" width="123" height="45"/>`)
	})
	srv := serve(t, mux)
	p := poolWith(t, func(o *Options) { o.ScrollHeight = 40_000 })
	s := render(t, p, srv.URL+"/")
	images, seen, frames := 0, 0, ""
	for i := range s.Nodes {
		n := &s.Nodes[i]
		if n.Name == "img" && n.Box.W == 123 && n.Box.H == 45 {
			images++
		}
		if n.Value == "seen" {
			seen++
		}
		if f, ok := n.Attr("data-frames"); ok {
			frames = f
		}
	}
	if images != 5 || seen != 5 || frames == "" {
		t.Errorf("%d of 5 images, %d of 5 paragraphs, frames %q; %d px high, unsettled %t", images, seen, frames, int(s.Height), s.Settled.Short())
	}
}

// Content added at the end of a page moves the content below it out of view.
func TestTheEndOfAPageIsSeenWhenItMoves(t *testing.T) {
	t.Parallel()
	srv := site(t, map[string]string{"/": `<!doctype html><div style="height:5040px"></div><div id=more></div><p></p><script>
		const end = document.querySelector('p');
		new IntersectionObserver((all) => all.forEach((e) => { if (e.isIntersecting) end.textContent = 'seen'; })).observe(end);
		addEventListener('scroll', () => { if (scrollY + innerHeight > document.documentElement.scrollHeight - 20) more.style.height = '30px'; });
	</script>`})
	s := render(t, pool(t), srv.URL+"/")
	if !slices.ContainsFunc(s.Nodes, func(n plat.Node) bool { return n.Value == "seen" }) {
		t.Errorf("the end was not seen; %d px high, %s", int(s.Height), s.Settled)
	}
}

func TestAPictureIsTakenWhereItIsWanted(t *testing.T) {
	t.Parallel()
	srv := site(t, map[string]string{"/": `<!doctype html><body style="margin:0"><div style="height:3000px;background:red">`})
	p := pool(t)
	asked := 0
	for _, want := range []bool{false, true} {
		s, err := p.Render(t.Context(), Request{URL: srv.URL + "/", Decide: func(s *plat.Snapshot) plat.Attachments {
			asked++
			if len(s.Nodes) == 0 || s.Height != 3000 {
				t.Errorf("asked with %d nodes and a height of %v", len(s.Nodes), s.Height)
			}
			return plat.Attachments{Picture: want}
		}})
		if err != nil {
			t.Fatal(err)
		}
		if (s.Picture != nil) != want {
			t.Errorf("picture %v, wanted %t", s.Picture, want)
		}
		if want {
			// Width and height are bytes 16 to 24 of a PNG.
			if got := fmt.Sprintf("%x", s.Picture.Data[16:24]); s.Picture.Type != "image/png" || got != "0000050000000bb8" {
				t.Errorf("picture of type %s, sizes %s; want 1280×3000", s.Picture.Type, got)
			}
		}
	}
	if asked != 2 {
		t.Errorf("asked %d times", asked)
	}
}
