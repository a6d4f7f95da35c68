package web

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plat/browser"
	"plat/export/replay"
	"plat/plat"
	"plat/storage/history"
)

const drawing = `<canvas width=80 height=40></canvas><script>{
const c = %s.querySelector('canvas').getContext('2d');
c.fillStyle = '%s'; c.fillRect(0, 0, 40, 40); c.fillStyle = 'rgba(0, 0, 255, 0.5)'; c.fillRect(40, 0, 40, 40);
}</script>`

// drawnSite is a page with a canvas of its own, one in an open and one in a closed shadow
// root, one in a frame, and a video with a poster; each 160 × 80 px, one below the other.
func drawnSite(t *testing.T) string {
	t.Helper()
	style := `<style>body { margin: 0 } canvas, video, iframe, div { display: block; width: 160px; height: 80px; border: 0 } canvas { background: #ff0; box-sizing: border-box; border: 5px solid #000 }</style>`
	host := func(id, mode, colour string) string {
		return fmt.Sprintf(`<div id=%s></div><script>{ const r = %[1]s.attachShadow({ mode: '%s' });
r.innerHTML = '<style>canvas { display: block; width: 160px; height: 80px }</style><canvas width=80 height=40></canvas>';
const c = r.querySelector('canvas').getContext('2d'); c.fillStyle = '%s'; c.fillRect(0, 0, 40, 40); }</script>`, id, mode, colour)
	}
	var poster bytes.Buffer
	m := image.NewRGBA(image.Rect(0, 0, 160, 80))
	for i := range 160 * 80 {
		m.Set(i%160, i/160, color.RGBA{0, 128, 128, 255})
	}
	if err := png.Encode(&poster, m); err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	page := func(path, body string) {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<!doctype html>"+style+"<body>"+body)
		})
	}
	page("/{$}", fmt.Sprintf(drawing, "document", "red")+host("one", "open", "lime")+host("two", "closed", "fuchsia")+
		`<iframe src=/frame></iframe><video poster=/poster.png></video>`)
	page("/frame", fmt.Sprintf(drawing, "document", "aqua"))
	mux.HandleFunc("GET /poster.png", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "image/png")
		w.Write(poster.Bytes())
	})
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	return srv.URL + "/"
}

func TestCanvasesAndPostersAreReplayed(t *testing.T) {
	u := drawnSite(t)
	a := newArchiver(t, 400)
	srv := shown(t, a, Options{})
	if _, err := a.worker.Visit(t.Context(), plat.Job{URL: u}); err != nil {
		t.Fatal(err)
	}
	canonical, v := a.latest(t, u)
	m, err := a.store.Manifest(t.Context(), v.Resources)
	if err != nil {
		t.Fatal(err)
	}
	canvases := 0
	for i := range m {
		if _, ok := plat.ParseCanvasPlace(m[i].URL); ok && m[i].Left == "" {
			canvases++
		}
	}
	if _, ok := m.Find(u + "poster.png"); canvases != 4 || !ok {
		t.Errorf("%d of 4 canvases are kept, the poster %t", canvases, ok)
	}
	kept, err := a.store.Picture(t.Context(), v.Picture)
	if err != nil {
		t.Fatal(err)
	}
	was := picture(t, kept.Data)
	page := srv.URL + "/frame?url=" + url.QueryEscape(canonical)
	s, err := a.pool.Render(t.Context(), browser.Request{URL: page, Decide: func(*plat.Snapshot) plat.Attachments { return plat.Attachments{Picture: true} }})
	if err != nil {
		t.Fatal(err)
	}
	is := picture(t, s.Picture.Data)
	for y, want := range map[int]color.RGBA{40: {255, 0, 0, 255}, 120: {0, 255, 0, 255}, 200: {255, 0, 255, 255}, 280: {0, 255, 255, 255}, 360: {0, 128, 128, 255}} {
		if got := color.RGBAModel.Convert(was.At(40, y)); got != want {
			t.Errorf("at 40,%d the page had %v, want %v", y, got, want)
		}
	}
	if dir := os.Getenv("PLAT_SCREENS"); dir != "" {
		os.WriteFile(filepath.Join(dir, "drawn-was.png"), kept.Data, 0o644)
		os.WriteFile(filepath.Join(dir, "drawn-is.png"), s.Picture.Data, 0o644)
	}
	if n := different(was, is); n > 0 {
		t.Errorf("%d dots of the replay differ from the page's", n)
	}
}

// different counts the pixels of two pictures that differ by more than
// rounding.
func different(a, b image.Image) (n int) {
	if a.Bounds() != b.Bounds() {
		return a.Bounds().Dx()*a.Bounds().Dy() + b.Bounds().Dx()*b.Bounds().Dy()
	}
	for y := a.Bounds().Min.Y; y < a.Bounds().Max.Y; y++ {
		for x := a.Bounds().Min.X; x < a.Bounds().Max.X; x++ {
			p, q := color.RGBAModel.Convert(a.At(x, y)).(color.RGBA), color.RGBAModel.Convert(b.At(x, y)).(color.RGBA)
			for _, d := range [...]int{int(p.R) - int(q.R), int(p.G) - int(q.G), int(p.B) - int(q.B)} {
				if d > 2 || d < -2 {
					n++
					break
				}
			}
		}
	}
	return n
}

// Canvases also appear in a page with scripts enabled, as in web archive
// players.
func TestCanvasesArePlayable(t *testing.T) {
	u := drawnSite(t)
	a := newArchiver(t, 400)
	if _, err := a.worker.Visit(t.Context(), plat.Job{URL: u}); err != nil {
		t.Fatal(err)
	}
	_, v := a.latest(t, u)
	doc, frames, err := playable(t, a, v)
	if err != nil {
		t.Fatal(err)
	}
	page := string(doc.Body)
	all := page
	for i, f := range frames {
		all += string(f.Body)
		page = strings.ReplaceAll(page, f.URL, fmt.Sprint("/", i)) // as a player does
	}
	if n := strings.Count(all, "data:image/png;base64,"); n != 4 {
		t.Errorf("%d of 4 canvases stand in the page", n)
	}
	kept, err := a.store.Picture(t.Context(), v.Picture)
	if err != nil {
		t.Fatal(err)
	}
	player := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		for i, f := range frames {
			if r.URL.Path == fmt.Sprint("/", i) {
				w.Write(f.Body)
				return
			}
		}
		fmt.Fprint(w, page)
	}))
	t.Cleanup(player.Close)
	s, err := a.pool.Render(t.Context(), browser.Request{URL: player.URL, Picture: true})
	if err != nil {
		t.Fatal(err)
	}
	// The video's poster is missing: its URL refers to the live site, which a
	// player would intercept.
	crop := func(m image.Image) image.Image {
		return m.(interface {
			SubImage(image.Rectangle) image.Image
		}).SubImage(image.Rect(0, 0, 400, 320))
	}
	if n := different(crop(picture(t, kept.Data)), crop(picture(t, s.Picture.Data))); n > 0 {
		t.Errorf("%d dots differ from the page's", n)
	}
}

func playable(t *testing.T, a *archiver, v *plat.Version) (replay.Document, []replay.Document, error) {
	t.Helper()
	own := *v
	own.Blocks = append([]plat.Block(nil), v.Blocks...)
	html, err := history.Page(t.Context(), a.store, &own)
	if err != nil {
		return replay.Document{}, nil, err
	}
	m := manifestOf(t, a, v)
	return replay.Playable(t.Context(), a.store, v, m, pageStateOf(t, a, m), html)
}

// manifestOf returns the resources of a version, nil if none are kept.
func manifestOf(t *testing.T, a *archiver, v *plat.Version) plat.Manifest {
	t.Helper()
	if v.Resources.IsZero() {
		return nil
	}
	m, err := a.store.Manifest(t.Context(), v.Resources)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
