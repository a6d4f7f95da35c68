package diff

import (
	"fmt"
	"strings"
	"testing"

	"plat/plat"
	"plat/plat/weburl"
)

func stored(files ...string) plat.Manifest {
	var all []plat.Resource
	for _, f := range files {
		u, body, _ := strings.Cut(f, "=")
		r := plat.Resource{URL: u, Type: "image/png"}
		switch {
		case strings.HasSuffix(u, ".css"):
			r.Type = "text/css"
		case strings.HasSuffix(u, ".woff"):
			r.Type = "font/woff"
		}
		if body == "" {
			r.Left = plat.OmitLarge
		} else {
			r.Size, r.Hash = int64(len(body)), plat.HashOf([]byte(body))
		}
		all = append(all, r)
	}
	return plat.ManifestOf(all)
}

// An image with new bytes under its URL is a change of the blocks that contain it. A style sheet, or
// an image in no block, is a change of the layout.
func TestOtherFiles(t *testing.T) {
	const at = "https://a.test/page"
	img := func(src string) plat.Block { return block(`<p>x <img src="`+src+`"></p>`, "x") }
	for _, tc := range []struct {
		name     string
		old, new []plat.Block
		was, is  plat.Manifest
		layout   string // of the page
		want     string
	}{
		{"the same", []plat.Block{img("a.png")}, []plat.Block{img("a.png")}, stored("https://a.test/a.png=1"), stored("https://a.test/a.png=1"), "", ""},
		{"another image", []plat.Block{img("a.png")}, []plat.Block{img("a.png")}, stored("https://a.test/a.png=1"), stored("https://a.test/a.png=2"), "", "image 0→0"},
		{"by its whole address", []plat.Block{img("https://a.test/a.png#x")}, []plat.Block{img("https://a.test/a.png#x")}, stored("https://a.test/a.png=1"), stored("https://a.test/a.png=2"), "", "image 0→0"},
		{"relative to base", []plat.Block{img("a.png")}, []plat.Block{img("a.png")}, stored("https://b.test/i/a.png=1"), stored("https://b.test/i/a.png=2"), `<head><base href="https://b.test/i/"></head><body>`, "image 0→0"},
		{"in two blocks of three", []plat.Block{img("a.png"), img("b.png"), img("./a.png")}, []plat.Block{img("a.png"), img("b.png"), img("./a.png")}, stored("https://a.test/a.png=1", "https://a.test/b.png=1"), stored("https://a.test/a.png=2", "https://a.test/b.png=1"), "", "image 0→0, image 2→2"},
		{"not stored before", []plat.Block{img("a.png")}, []plat.Block{img("a.png")}, stored("https://a.test/a.png="), stored("https://a.test/a.png=2"), "", ""},
		{"not stored now", []plat.Block{img("a.png")}, []plat.Block{img("a.png")}, stored("https://a.test/a.png=1"), stored("https://a.test/a.png="), "", ""},
		{"new on the page", []plat.Block{img("a.png")}, []plat.Block{img("a.png")}, nil, stored("https://a.test/a.png=2"), "", ""},
		{"fonts do not count", []plat.Block{img("a.png")}, []plat.Block{img("a.png")}, stored("https://a.test/a.woff=1"), stored("https://a.test/a.woff=2"), "", ""},
		{"a style sheet", []plat.Block{img("a.png")}, []plat.Block{img("a.png")}, stored("https://a.test/a.css=1"), stored("https://a.test/a.css=2"), "", "layout image"},
		{"an image of a style sheet", []plat.Block{img("a.png")}, []plat.Block{img("a.png")}, stored("https://a.test/bg.png=1"), stored("https://a.test/bg.png=2"), "", "layout image"},
		{"beside other words", []plat.Block{img("a.png")}, []plat.Block{block(`<p>y <img src="a.png"></p>`, "y")}, stored("https://a.test/a.png=1"), stored("https://a.test/a.png=2"), "", "content 0→0"},
		{"beside other markup", []plat.Block{img("a.png")}, []plat.Block{block(`<p class=b>x <img src="a.png"></p>`, "x")}, stored("https://a.test/a.png=1"), stored("https://a.test/a.png=2"), "", "image 0→0"},
	} {
		page := &plat.Layout{HTML: []byte(tc.layout)}
		old, new := Side{Layout: page, Blocks: tc.old, URL: at}, Side{Layout: page, Blocks: tc.new, URL: at}
		old.Lineages = First(old.Blocks)
		r := Compare(old, new)
		r.Show(OtherFiles(tc.was, tc.is), &new, nil)
		got := show(r)
		if r.Layout != plat.Same {
			got = strings.TrimPrefix(got+", layout "+string(r.Layout), ", ")
		}
		if got != tc.want || r.Differs != (tc.want != "") {
			t.Errorf("%s: %s (differs %t), want %s", tc.name, got, r.Differs, tc.want)
		}
		for _, f := range r.Files {
			if f.Old == nil || f.New == nil || f.Old.Hash == f.New.Hash || f.Style() != strings.HasSuffix(f.URL, ".css") {
				t.Errorf("%s: %+v", tc.name, f)
			}
		}
	}
}

func TestImages(t *testing.T) {
	base := weburl.NewBase("https://a.test/dir/page")
	got := images([]byte(`<img src="a.png" srcset="b.png 1x, /c.png 2x"><video poster=d.png></video><picture><source srcset="e.webp 1x,f.webp 2x"></picture>
		<div style="background: url('g.png') no-repeat, url(h.png)"></div><svg><image href=i.png /></svg><a href="no.png">x</a><img src="data:image/png;base64,AA"><img src="">`), base)
	want := "a.png b.png /c.png d.png e.webp f.webp g.png h.png i.png"
	var all []string
	for _, u := range got {
		all = append(all, strings.Replace(strings.TrimPrefix(u, "https://a.test"), "/dir/", "", 1))
	}
	if s := fmt.Sprint(strings.Join(all, " ")); s != want {
		t.Errorf("%s, want %s", s, want)
	}
}
