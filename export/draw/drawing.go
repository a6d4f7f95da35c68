package draw

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"image"
	"image/jpeg"
	"io"
	"math"
	"strings"

	"golang.org/x/image/draw"

	"plat/plat"
	"plat/plat/excerpt"
)

// Drawing is a version's picture with its blocks drawn over it, or an outline
// if there is no picture, for use outside the web server.
type Drawing struct {
	Overlay
	Legend  []Entry
	version *plat.Version
	class   func(i int) string
	image   plat.Picture // zero: draw an outline
}

// pictures is the source of the pictures of pages.
type pictures interface {
	Picture(ctx context.Context, h plat.Hash) (plat.Picture, error)
}

// New draws a version, whose contents are not needed. If its picture is damaged or missing, it
// draws an outline. Other errors come from the store.
func New(ctx context.Context, store pictures, v *plat.Version, c Colouring) (*Drawing, error) {
	d := &Drawing{Legend: c.Legend, version: v, class: c.Class}
	var size image.Point
	if !v.Picture.IsZero() {
		var err error
		if d.image, err = store.Picture(ctx, v.Picture); err == nil {
			size, err = PictureSize(d.image)
		}
		switch {
		case errors.Is(err, plat.ErrCorrupt), errors.Is(err, plat.ErrNotFound): // fall back to the outline
			d.image = plat.Picture{}
		case err != nil:
			return nil, err
		}
	}
	d.lay(size)
	return d, nil
}

// lay lays the blocks over a picture of the given size, or draws the outline if the size is
// zero.
func (d *Drawing) lay(size image.Point) {
	d.Overlay = NewOverlay(d.version, View{Size: size, Class: d.class})
	for i := range d.Boxes { // an SVG file is XML
		b := &d.Boxes[i]
		b.Name = excerpt.XML(b.Name)
		for k := range b.Lines {
			b.Lines[k].Text = excerpt.XML(b.Lines[k].Text)
		}
	}
}

// picture decodes the picture, or returns nil for an outline. If decoding shows that the
// picture is incomplete, the drawing becomes an outline.
func (d *Drawing) picture() image.Image {
	if d.Plan {
		return nil
	}
	img, err := decode(d.image)
	if err != nil {
		d.image = plat.Picture{}
		d.lay(image.Point{})
		return nil
	}
	return img
}

// decode decodes a picture. It returns [plat.ErrCorrupt] if that fails, or if the picture has
// more pixels than a picture of a page, which a few bytes can declare.
func decode(p plat.Picture) (image.Image, error) {
	if _, err := PictureSize(p); err != nil {
		return nil, err
	}
	img, _, err := image.Decode(bytes.NewReader(p.Data))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", plat.ErrCorrupt, err)
	}
	return img, nil
}

//go:embed drawing.html
var drawingFile string

var drawingTemplate = template.Must(template.New("").Parse(drawingFile))

// SVG writes the drawing as a separate file, as large as the page.
func (d *Drawing) SVG(w io.Writer) error { return d.write(w, d.image, true) }

// Inline returns the drawing for inclusion in a page, with its picture scaled down to a width
// of at most 480 pixels, or the outline if the picture is damaged.
func (d *Drawing) Inline() (template.HTML, error) {
	var small plat.Picture
	if img := d.picture(); img != nil {
		var err error
		if small, err = thumb(img); err != nil {
			return "", err
		}
	}
	var b strings.Builder
	err := d.write(&b, small, false)
	return template.HTML(b.String()), err
}

// write writes the drawing with a picture in it, as a file if alone, or else for inclusion in a
// page.
func (d *Drawing) write(w io.Writer, p plat.Picture, alone bool) error {
	data := struct {
		*Drawing
		Href  template.URL
		Alone bool
	}{Drawing: d, Alone: alone}
	if len(p.Data) > 0 {
		kind := p.Type
		if !strings.HasPrefix(kind, "image/") {
			kind = "application/octet-stream"
		}
		data.Href = template.URL("data:" + kind + ";base64," + base64.StdEncoding.EncodeToString(p.Data))
	}
	// An outline contains texts of the page, a picture only base64.
	var b bytes.Buffer
	if err := drawingTemplate.Execute(&b, data); err != nil {
		return err
	}
	_, err := w.Write(excerpt.Shown(b.Bytes()))
	return err
}

// thumbPixels is the maximum number of pixels of a scaled picture: 480 by 2400.
const thumbPixels = 480 * 2400

// thumb scales a picture down.
func thumb(img image.Image) (plat.Picture, error) {
	w, h := float64(img.Bounds().Dx()), float64(img.Bounds().Dy())
	scale := min(1, 480/max(w, 1), math.Sqrt(thumbPixels/max(w*h, 1)))
	small := image.NewRGBA(image.Rect(0, 0, max(1, int(w*scale)), max(1, int(h*scale))))
	draw.Draw(small, small.Bounds(), image.White, image.Point{}, draw.Src) // JPEG has no transparency
	draw.ApproxBiLinear.Scale(small, small.Bounds(), img, img.Bounds(), draw.Over, nil)
	var b bytes.Buffer
	if err := jpeg.Encode(&b, small, &jpeg.Options{Quality: 70}); err != nil {
		return plat.Picture{}, err
	}
	return plat.Picture{Type: "image/jpeg", Data: b.Bytes()}, nil
}
