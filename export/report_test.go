package export

import (
	"bytes"
	"context"
	"image"
	"image/png"
	"iter"
	"strings"
	"testing"

	"plat/plat"
	"plat/storage"
)

// pictured is an archive whose versions have a truncated picture.
type pictured struct {
	storage.Store
	picture []byte
}

func (s pictured) Trees(ctx context.Context, url string, from, to int) iter.Seq2[*plat.Version, error] {
	return func(yield func(*plat.Version, error) bool) {
		for v, err := range s.Store.Trees(ctx, url, from, to) {
			if v != nil {
				v.Picture = plat.HashOf(s.picture)
			}
			if !yield(v, err) {
				return
			}
		}
	}
}

func (s pictured) Picture(context.Context, plat.Hash) (plat.Picture, error) {
	return plat.Picture{Type: "image/png", Data: s.picture}, nil
}

func TestAReportIsWholeThoughAPictureIsNot(t *testing.T) {
	var picture, page bytes.Buffer
	if err := png.Encode(&picture, image.NewRGBA(image.Rect(0, 0, 1280, 100))); err != nil {
		t.Fatal(err)
	}
	e := exporting(t, 3, 100, "report.html")
	if err := Report(t.Context(), &page, pictured{e.Store, picture.Bytes()[:picture.Len()-30]}, "http://big.test/", "test"); err != nil {
		t.Fatal(err)
	}
	if got := page.String(); strings.Count(got, `class="box`) < 3 || !strings.Contains(got, "</html>") {
		t.Errorf("the report is not whole: %d bytes", len(got))
	}
}
