package draw

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"strings"
	"testing"

	"plat/plat"
)

// sized returns a PNG whose header has a wrong size, and optionally 16 bits for each channel.
func sized(t *testing.T, w, h uint32, deep bool) plat.Picture {
	t.Helper()
	p := red(t)
	head := p.Data[8+4 : 8+4+4+13] // type and fields of IHDR, after signature and length
	binary.BigEndian.PutUint32(head[4:], w)
	binary.BigEndian.PutUint32(head[8:], h)
	if deep {
		head[12], head[13] = 16, 6 // RGBA
	}
	binary.BigEndian.PutUint32(p.Data[8+4+4+13:], crc32.ChecksumIEEE(head))
	return p
}

func TestADamagedPictureIsDrawnAsAnOutline(t *testing.T) {
	v := two(1)
	v.Picture = plat.HashOf([]byte("picture"))
	short := red(t)
	short.Data = short.Data[:len(short.Data)-40] // its header is intact
	outlined := func(name string, p plat.Picture, draw func(*Drawing) error) {
		t.Helper()
		d, err := New(t.Context(), store{picture: p}, v, ColourLabels(v))
		if err != nil {
			t.Fatal(err)
		}
		if err := draw(d); err != nil || !d.Plan {
			t.Errorf("%s: %v, outline %v", name, err, d.Plan)
		}
	}
	inline := func(d *Drawing) error {
		got, err := d.Inline()
		if strings.Contains(string(got), "<image") || !strings.Contains(string(got), `class="box label-main"`) {
			t.Errorf("it is drawn as %s", got)
		}
		return err
	}
	paint := func(d *Drawing) error {
		img, err := d.Paint()
		if r, _, _, _ := img.At(200, 250).RGBA(); r >= 0x8000 {
			t.Errorf("in the dark block it is painted %v", img.At(200, 250))
		}
		return err
	}
	outlined("inline", short, inline)
	outlined("painted", short, paint)
	outlined("too large, inline", sized(t, 60_000, 60_000, false), inline)
	outlined("too large, painted", sized(t, 60_000, 60_000, false), paint)
}

func TestOnlyPicturesAsLargeAsThoseOfPagesAreDecoded(t *testing.T) {
	for _, tc := range []struct {
		w, h uint32
		deep bool
		ok   bool
	}{
		{4096, 16_000, false, true},
		{8192, 8192, false, false},
		{1, 1<<31 - 1, false, false},
		{1 << 16, 1 << 16, false, false},
		{4096, 8000, true, true},
		{4096, 16_000, true, false},
	} {
		p := sized(t, tc.w, tc.h, tc.deep)
		size, err := PictureSize(p)
		if tc.ok && (err != nil || size != image.Pt(int(tc.w), int(tc.h))) || !tc.ok && !errors.Is(err, plat.ErrCorrupt) {
			t.Errorf("%d by %d pixels: %v, %v", tc.w, tc.h, size, err)
		}
		if _, decoded := decode(p); !tc.ok && (decoded == nil || err == nil || decoded.Error() != err.Error()) {
			t.Errorf("%d by %d pixels are decoded: %v", tc.w, tc.h, decoded)
		}
	}
}
