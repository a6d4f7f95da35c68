package browser

import (
	"context"
	"errors"
	"fmt"

	"github.com/chromedp/cdproto/page"

	"plat"
	"plat/browser/tab"
	"plat/browser/wire"
)

// picture takes the whole page, as far down as is asked for. One picture is taken at a time in a
// browser: it encodes them one after the other anyway, and each takes some 100 MB.
func (v *visit) picture(ctx context.Context, s *plat.Snapshot) (*plat.Picture, error) {
	v.c.wantPicture.Add(1)
	defer v.c.wantPicture.Add(-1)
	select {
	case v.c.pictures <- struct{}{}:
		defer func() { <-v.c.pictures }()
	case <-v.Browser.Closed():
		return nil, fmt.Errorf("take a picture: %w", wire.ErrGone)
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	area := page.Viewport{Width: float64(min(s.Width, maxPictureWidth)), Height: float64(min(s.Height, float32(v.o.PictureHeight))), Scale: 1}
	take := v.screenshot
	if v.Browser.Framed {
		take = v.FramePicture
	}
	format := tab.Format(v.o.PictureFormat)
	data, err := take(ctx, format, area)
	var refused *wire.ProtocolError
	if errors.Is(err, tab.ErrNoPicture) || v.Browser.Framed && errors.As(err, &refused) {
		data, err = v.screenshot(ctx, format, area)
	}
	if err != nil {
		return nil, fmt.Errorf("take a picture: %w", err)
	}
	return &plat.Picture{Type: "image/" + string(format), Data: data}, nil
}

// maxPictureWidth bounds a picture of a page that is wider than it should be,
// in px.
const maxPictureWidth = 4096

// screenshot lets Chrome do all that a picture of the whole page needs.
func (v *visit) screenshot(ctx context.Context, f tab.Format, area page.Viewport) ([]byte, error) {
	return v.Screenshot(ctx, v.o.RenderTimeout, f, page.CaptureScreenshotParams{CaptureBeyondViewport: new(true), Clip: &area})
}
