package main

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"plat/cmd/plat/output"
	"plat/plat"
	"plat/storage/history"
	"plat/workers/batch"
)

// paint is a picture of one colour.
func paint(c uint8) []byte {
	m := image.NewRGBA(image.Rect(0, 0, 200, 120))
	for i := range m.Pix {
		m.Pix[i] = c
	}
	m.Set(0, 0, color.RGBA{c, 255 - c, c, 255})
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// gallery is a page whose images and style sheet change behind their URLs.
type gallery struct {
	*httptest.Server
	photo, style, chance, background atomic.Int32
	varies                           bool // the third image differs at each request
}

func newGallery(t *testing.T) *gallery {
	g := &gallery{}
	g.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		switch r.URL.Path {
		case "/":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, `<!doctype html><html lang=en><title>Harbour</title><link rel=stylesheet href=/style.css><h1>The harbour</h1>
<p>As it is today, seen from the pier.</p><p><img src="/photo.png" width=200 height=120 alt="The harbour"></p><p>Ships that came in:</p>`)
			if g.varies {
				fmt.Fprint(w, `<p><img src="/chance.png" width=200 height=120 alt="A ship"></p>`)
			}
		case "/photo.png":
			w.Header().Set("Content-Type", "image/png")
			w.Write(paint(uint8(g.photo.Load())))
		case "/background.png":
			w.Header().Set("Content-Type", "image/png")
			w.Write(paint(uint8(100 + g.background.Load())))
		case "/chance.png":
			w.Header().Set("Content-Type", "image/png")
			w.Write(paint(uint8(g.chance.Add(1))))
		case "/style.css":
			w.Header().Set("Content-Type", "text/css")
			fmt.Fprintf(w, "body { background: #eee url(/background.png) no-repeat; color: rgb(%d, 0, 0) }", g.style.Load())
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(g.Close)
	return g
}

func (g *gallery) visit(t *testing.T, db string, more ...string) batch.Page {
	t.Helper()
	args := append([]string{"archive", "--json", g.URL + "/", db, "--allow-private=127.0.0.0/8", "--log-level=error"}, more...)
	return jsonLines[batch.Page](t, must(t, args...))[0]
}

// Other bytes behind the same address of an image or a style sheet are a version, with its picture, and
// shown.
func TestAReplacedImageIsFound(t *testing.T) {
	t.Parallel()
	needChrome(t)
	g := newGallery(t)
	db := "--store=sqlite:" + filepath.Join(t.TempDir(), "a.db")
	all := []string{"--screenshot", "--resources", "all"}
	for i, step := range []struct {
		name    string
		change  func()
		outcome plat.Outcome
		shows   []string
	}{
		{"first", func() {}, plat.OutcomeNew, nil},
		{"nothing", func() {}, plat.OutcomeUnchanged, nil},
		{"the image", func() { g.photo.Store(90) }, plat.OutcomeChanged, []string{"1 image", "▣ image", "image " + g.URL + "/photo.png"}},
		{"nothing", func() {}, plat.OutcomeUnchanged, nil},
		{"the style sheet", func() { g.style.Store(200) }, plat.OutcomeChanged, []string{"the layout around the blocks changed: image", "style sheet " + g.URL + "/style.css"}},
		{"the background", func() { g.background.Store(77) }, plat.OutcomeChanged, []string{"image " + g.URL + "/background.png"}},
		{"nothing", func() {}, plat.OutcomeUnchanged, nil},
	} {
		step.change()
		p := g.visit(t, db, all...)
		if p.Outcome != step.outcome {
			t.Fatalf("visit %d, %s is another: %+v", i+1, step.name, p)
		}
		if step.outcome != plat.OutcomeChanged {
			continue
		}
		if p.Changes[plat.Image] != 1 || len(p.Changes) != 1 {
			t.Errorf("visit %d, %s is another: %v", i+1, step.name, p.Changes)
		}
		out := must(t, "diff", g.URL+"/", db)
		for _, want := range step.shows {
			if !strings.Contains(out, want) {
				t.Errorf("%s: no %q in\n%s", step.name, want, out)
			}
		}
		d := jsonLines[history.Diff](t, must(t, "diff", g.URL+"/", db, "--json"))[0]
		if len(d.Files) != 1 || d.Files[0].Old == d.Files[0].New || d.Counts[plat.Image] != 1 {
			t.Errorf("%s: %+v, %v", step.name, d.Files, d.Counts)
		}
		v := jsonLines[history.VersionInfo](t, must(t, "show", g.URL+"/", db, "--json"))[0]
		if v.Picture == "" || v.Resources == nil && v.Version != p.Version {
			t.Errorf("%s: version %d has picture %q", step.name, v.Version, v.Picture)
		}
	}
	must(t, "verify", db)
}

// An image that differs at every visit is not news; a change of the one beside it is.
func TestAnImageThatVariesByItselfIsNoNews(t *testing.T) {
	t.Parallel()
	needChrome(t)
	g := newGallery(t)
	g.varies = true
	db := "--store=sqlite:" + filepath.Join(t.TempDir(), "a.db")
	for i, want := range []plat.Outcome{plat.OutcomeNew, plat.OutcomeUnchanged, plat.OutcomeUnchanged, plat.OutcomeChanged, plat.OutcomeUnchanged} {
		if i == 3 {
			g.photo.Store(90)
		}
		if p := g.visit(t, db, "--resources", "all"); p.Outcome != want || want == plat.OutcomeChanged && p.Changes[plat.Image] != 1 {
			t.Errorf("visit %d: %+v, want %s", i+1, p, want)
		}
	}
}

// Among all self-changes of a page, in the markup around its blocks, in the block of an image and
// in images next to it, at any number of visits, only a replaced image is news. All outputs
// agree.
func TestWhatIsReplacedIsNewsBesideWhatVaries(t *testing.T) {
	t.Parallel()
	needChrome(t)
	g := newGallery(t)
	g.varies = true
	files := g.Config.Handler
	var visits, ferry atomic.Int32
	g.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			files.ServeHTTP(w, r)
			return
		}
		n := 7919 * visits.Add(1)
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, `<!doctype html><html lang=en><title>Harbour</title><meta name=csrf-token content="t%xq%d"><link rel=stylesheet href=/style.css><body data-token="k%d">
<h1>The harbour</h1><p>As it is today, seen from the pier by %d people. <img src="/photo.png" width=200 height=120 alt="The harbour"><img src="/chance.png" width=200 height=120 alt="A ship"></p>
<h2>Ferries</h2><p>They leave every hour, and %d people wait for <a href="/ferry/%d">the next one</a>.</p>`, n*n, n, n, n, n+3, ferry.Load())
	})
	db := "--store=sqlite:" + filepath.Join(t.TempDir(), "a.db")
	for i, step := range []struct {
		change func()
		want   string // kinds of changes that are news
		names  string // the file that differs
	}{
		{}, {}, {},
		{func() { g.photo.Store(90) }, "1 image", "/photo.png"},
		{},
		{func() { g.background.Store(77) }, "1 image", "/background.png"},
		{func() { g.style.Store(200) }, "1 image", "/style.css"},
		{}, {},
		{func() { ferry.Store(1) }, "1 link", ""},
		{func() { g.photo.Store(30) }, "1 image", "/photo.png"},
		{},
	} {
		if step.change != nil {
			step.change()
		}
		p := g.visit(t, db, "--resources", "all")
		if i == 0 {
			continue
		}
		if got := output.Kinds(p.Changes); got != step.want || step.want != "" && p.Outcome != plat.OutcomeChanged {
			t.Errorf("visit %d: %q is news, want %q: %+v", i+1, got, step.want, p)
		}
		if p.Outcome != plat.OutcomeChanged {
			continue
		}
		d := jsonLines[history.Diff](t, must(t, "diff", g.URL+"/", db, "--json"))[0]
		if got := output.Kinds(d.Counts); got != step.want {
			t.Errorf("visit %d: plat diff says %q, plat archive %q", i+1, got, step.want)
		}
		news := slices.DeleteFunc(d.Files, func(f history.FileInfo) bool { return f.SelfChange != "" })
		if step.names != "" && (len(news) != 1 || news[0].URL != g.URL+step.names) || step.names == "" && len(news) > 0 {
			t.Errorf("visit %d: %+v are other files, want %q", i+1, news, step.names)
		}
		if out := must(t, "diff", g.URL+"/", db); strings.Contains(out, "chance.png") || !strings.Contains(out, step.names) {
			t.Errorf("visit %d, %q:\n%s", i+1, step.names, out)
		}
	}
	if out := must(t, "diff", g.URL+"/", db, "--all"); !strings.Contains(out, "/chance.png") || !strings.Contains(out, "by itself") {
		t.Errorf("--all does not name the image that varies:\n%s", out)
	}
	must(t, "verify", db)
}

// If --resources is set for a known page, its resources are added to the last version once, and compared
// from then on.
func TestResourcesMayBeWantedLater(t *testing.T) {
	t.Parallel()
	needChrome(t)
	g := newGallery(t)
	db := "--store=sqlite:" + filepath.Join(t.TempDir(), "a.db")
	for i, step := range []struct {
		resources string
		photo     int32
		outcome   plat.Outcome
		images    int
	}{
		{"none", 0, plat.OutcomeNew, 0}, {"none", 0, plat.OutcomeUnchanged, 0},
		{"all", 0, plat.OutcomeUnchanged, 0}, {"all", 0, plat.OutcomeUnchanged, 0}, {"all", 90, plat.OutcomeChanged, 1},
	} {
		adds := i == 2
		g.photo.Store(step.photo)
		p := g.visit(t, db, "--resources", step.resources)
		if p.Outcome != step.outcome || p.Changes[plat.Image] != step.images || (len(p.Added) > 0) != adds || (p.Resources > 0) != (adds || step.images > 0) {
			t.Errorf("visit %d: %+v, want %s", i+1, p, step.outcome)
		}
	}
}

// Without resources, images are not looked at.
func TestWithoutResourcesImagesAreNotLookedAt(t *testing.T) {
	needChrome(t)
	g := newGallery(t)
	db := "--store=sqlite:" + filepath.Join(t.TempDir(), "a.db")
	g.visit(t, db)
	g.photo.Store(90)
	if p := g.visit(t, db); p.Outcome != plat.OutcomeUnchanged {
		t.Errorf("%+v", p)
	}
	if out := must(t, "archive", "--help"); !strings.Contains(out, "style sheets and images are compared only if they are kept") {
		t.Errorf("help says nothing of images:\n%s", out)
	}
}
