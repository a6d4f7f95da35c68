package export

import (
	"context"
	"image/png"
	"io"
	"path/filepath"
	"strings"

	"plat/export/atomicfile"
	"plat/export/draw"
	"plat/plat"
	"plat/storage"
	"plat/storage/history"
)

// Picture writes a version with its blocks drawn over it to a file: SVG if its name ends in
// .svg, or else PNG. by, one of [draw.Ways], selects the meaning of the colours.
func Picture(ctx context.Context, s storage.Store, v *plat.Version, path, by string) error {
	colours, err := draw.Colour(ctx, past{s}, v, by)
	if err != nil {
		return err
	}
	d, err := draw.New(ctx, s, v, colours)
	if err != nil {
		return err
	}
	if strings.EqualFold(filepath.Ext(path), ".svg") {
		return atomicfile.Write(path, d.SVG)
	}
	img, err := d.Paint()
	if err != nil {
		return err
	}
	return atomicfile.Write(path, func(w io.Writer) error { return png.Encode(w, img) })
}

// past reads the history of a version from the archive, for colours.
type past struct{ storage.Store }

func (p past) Since(ctx context.Context, v *plat.Version) ([]int, error) {
	return history.Since(ctx, p.Store, v)
}

func (p past) Changes(ctx context.Context, v *plat.Version) (*history.Diff, error) {
	c, err := history.Between(ctx, p.Store, v.URL, v.Previous(), v.N)
	if err != nil {
		return nil, err
	}
	d := c.Info()
	return &d, nil
}
