package browser

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/chromedp/cdproto/page"

	"plat/browser/devtools"
	"plat/browser/tab"
	"plat/plat"
)

// picture captures the whole page, down to PictureHeight. A browser encodes its pictures one at a
// time anyway, and each needs some 100 MB, so only one is captured at a time.
func (v *visit) picture(ctx context.Context, s *plat.Snapshot) (*plat.Picture, error) {
	v.c.wantPicture.Add(1)
	defer v.c.wantPicture.Add(-1)
	select {
	case v.c.pictures <- struct{}{}:
		defer func() { <-v.c.pictures }()
	case <-v.Browser.Closed():
		return nil, fmt.Errorf("take a picture: %w", devtools.ErrGone)
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	area := page.Viewport{Width: float64(min(s.Width, maxPictureWidth)), Height: float64(min(s.Height, float32(v.o.PictureHeight))), Scale: 1}
	area.Height = min(area.Height, lines(area.Width, maxPictureDots))
	take := v.screenshot
	if v.Browser.Framed {
		take = v.FramePicture
	}
	format := tab.Format(v.o.PictureFormat)
	data, err := fitting(area, func(area page.Viewport) ([]byte, error) {
		data, err := take(ctx, format, area)
		var refused *devtools.ProtocolError
		if errors.Is(err, tab.ErrNoPicture) || v.Browser.Framed && errors.As(err, &refused) {
			data, err = v.screenshot(ctx, format, area)
		}
		return data, err
	})
	if err != nil {
		return nil, fmt.Errorf("take a picture: %w", err)
	}
	return &plat.Picture{Type: "image/" + string(format), Data: data}, nil
}

// inWorld evaluates an expression in an isolated world of the page.
func (v *visit) inWorld(ctx context.Context, expression string) ([]byte, error) {
	world, err := v.World(ctx)
	if err != nil {
		return nil, err
	}
	return v.Evaluate(ctx, world, expression)
}

// Limits of a picture. Its bytes are held several times while it is stored, and each dot takes
// four bytes when it is drawn upon. A page full of photographs has about 1.5 bytes per dot.
const (
	maxPictureBytes = 24 << 20
	maxPictureDots  = 24_000_000
)

// lines returns the number of lines of this width that contain so many dots, at least 1.
func lines(width, dots float64) float64 { return max(1, math.Floor(dots/max(1, width))) }

// fitting captures an area, or the upper part of it that fits into maxPictureBytes.
func fitting(area page.Viewport, take func(page.Viewport) ([]byte, error)) ([]byte, error) {
	// This height fits even if the picture cannot be compressed.
	sure := lines(area.Width, maxPictureBytes/5)
	for {
		data, err := take(area)
		size := len(data)
		if long := new(devtools.TooLongError); errors.As(err, &long) {
			size = long.Bytes
		} else if err != nil {
			return nil, err
		}
		switch {
		case size <= maxPictureBytes, area.Height <= sure:
			return data, err
		case area.Height*maxPictureBytes/float64(size) > 2*sure:
			area.Height = math.Floor(area.Height * maxPictureBytes / float64(size) * .9)
		default:
			area.Height = sure
		}
	}
}

// maxPictureWidth bounds the width of a picture, in px.
const maxPictureWidth = 4096

// screenshot captures a picture of the whole page by Chrome's own command.
func (v *visit) screenshot(ctx context.Context, f tab.Format, area page.Viewport) ([]byte, error) {
	return v.Screenshot(ctx, v.o.RenderTimeout, f, page.CaptureScreenshotParams{CaptureBeyondViewport: new(true), Clip: &area})
}
