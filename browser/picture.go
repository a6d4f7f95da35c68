package browser

import (
	"context"
	"fmt"

	"github.com/chromedp/cdproto/page"

	"plat"
)

// picture takes the whole page, as far down as is asked for. PNG written for
// speed is more than twice as cheap as WebP.
func (v *visit) picture(ctx context.Context, s *plat.Snapshot) (*plat.Picture, error) {
	f := v.session.sendFor(v.o.RenderTimeout, page.CaptureScreenshot.Method, page.CaptureScreenshotParams{
		Format:                page.CaptureScreenshotFormatPng,
		OptimizeForSpeed:      new(true),
		CaptureBeyondViewport: new(true),
		Clip: &page.Viewport{
			Width: float64(min(s.Width, maxPictureWidth)), Height: float64(min(s.Height, float32(v.o.PictureHeight))), Scale: 1,
		},
	})
	r, err := await(ctx, f, page.CaptureScreenshot)
	if err != nil {
		return nil, fmt.Errorf("take a picture: %w", err)
	}
	return &plat.Picture{Type: "image/png", Data: r.Data}, nil
}

// maxPictureWidth bounds a picture of a page that is wider than it should be,
// in px.
const maxPictureWidth = 4096
