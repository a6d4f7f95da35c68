package main

import (
	"encoding/xml"
	"errors"
	"image"
	"image/color"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// painted is a picture that show wrote.
func painted(t *testing.T, args ...string) image.Image {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.png")
	must(t, append([]string{"show", "--picture", path}, args...)...)
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

func at(img image.Image, x, y int) color.NRGBA {
	return color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA)
}

func TestAPlanIsPaintedInThePagesPixels(t *testing.T) {
	store := madeUp(t)
	for by, want := range map[string]color.NRGBA{
		"label":  {0x1f, 0x5f, 0xae, 255}, // main
		"change": {0xb8, 0xbe, 0xc5, 255}, // same
	} {
		img := painted(t, paperURL+"@3", "--by", by, store)
		if img.Bounds() != image.Rect(0, 0, 1280, 1024) {
			t.Errorf("by %s: the picture is %v", by, img.Bounds())
		}
		// The block in the middle is at 0,80 with 1280×400 on white.
		if edge, inside := at(img, 0, 300), at(img, 640, 300); edge != want || inside != (color.NRGBA{255, 255, 255, 255}) {
			t.Errorf("by %s: the edge is %v, want %v; inside it is %v", by, edge, want, inside)
		}
	}
	byAge := painted(t, paperURL+"@3", "--by", "age", store)
	if fresh, old := at(byAge, 0, 500), at(byAge, 0, 40); fresh == old {
		t.Errorf("what is new and what is old are both %v", fresh)
	}
}

func TestTheDrawingIsXMLWhateverAPageSays(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.svg")
	must(t, "show", paperURL+"@3", "--picture", path, madeUp(t))
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rects, size := 0, ""
	for in := xml.NewDecoder(f); ; {
		token, err := in.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := token.(xml.StartElement); ok {
			switch e.Name.Local {
			case "rect":
				rects++
			case "svg":
				for _, a := range e.Attr {
					if a.Name.Local == "width" || a.Name.Local == "height" {
						size += a.Value + " "
					}
				}
			case "a", "script":
				t.Errorf("there is a <%s> in it", e.Name.Local)
			}
		}
	}
	if rects != 4 || strings.TrimSpace(size) != "1280 1024" {
		t.Errorf("%d boxes on %s, want three on a ground", rects, size)
	}
}
