package browser

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image/png"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/headlessexperimental"
	"github.com/chromedp/cdproto/page"

	"plat"
	"plat/browser/capture"
	"plat/browser/wire"
)

// picture takes the whole page, as far down as is asked for. PNG written for
// speed is more than twice as cheap as WebP. One picture is taken at a time in a
// browser: it encodes them one after the other anyway, and each takes some 100 MB.
func (v *visit) picture(ctx context.Context, s *plat.Snapshot) (*plat.Picture, error) {
	v.c.wantPicture.Add(1)
	defer v.c.wantPicture.Add(-1)
	select {
	case v.c.pictures <- struct{}{}:
		defer func() { <-v.c.pictures }()
	case <-v.c.Closed():
		return nil, fmt.Errorf("take a picture: %w", wire.ErrGone)
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	area := page.Viewport{Width: float64(min(s.Width, maxPictureWidth)), Height: float64(min(s.Height, float32(v.o.PictureHeight))), Scale: 1}
	take := v.screenshot
	if v.c.Framed {
		take = v.framedPicture
	}
	data, err := take(ctx, area)
	var refused *wire.ProtocolError
	if errors.Is(err, errNoPicture) || v.c.Framed && errors.As(err, &refused) {
		data, err = v.screenshot(ctx, area)
	}
	if err != nil {
		return nil, fmt.Errorf("take a picture: %w", err)
	}
	return &plat.Picture{Type: "image/png", Data: data}, nil
}

// maxPictureWidth bounds a picture of a page that is wider than it should be,
// in px.
const maxPictureWidth = 4096

// screenshot lets Chrome do all that a picture of the whole page needs.
func (v *visit) screenshot(ctx context.Context, area page.Viewport) ([]byte, error) {
	return v.capturePNG(ctx, v.o.RenderTimeout, page.CaptureScreenshotParams{CaptureBeyondViewport: new(true), Clip: &area})
}

// capturePNG has Chrome take a picture, and gives up after so long.
func (v *visit) capturePNG(ctx context.Context, limit time.Duration, p page.CaptureScreenshotParams) (data []byte, err error) {
	p.Format, p.OptimizeForSpeed = page.CaptureScreenshotFormatPng, new(true)
	err = v.whileDrawing(ctx, func(ctx context.Context) error {
		b, err := v.session.SendFor(limit, page.CaptureScreenshot.Method, p).Wait(ctx)
		if data = binaryIn(b, "data"); err == nil && data == nil {
			err = capture.ErrMalformed
		}
		return err
	})
	return data, err
}

// framedPicture has the picture of a single frame, at three quarters of the cost of
// [visit.screenshot], which draws several. The window becomes as large as the area; what
// the page is laid out for stays as it is, so that no box moves. That something is drawn
// below its first viewport is due to a flag: see framedFlags.
func (v *visit) framedPicture(ctx context.Context, area page.Viewport) ([]byte, error) {
	w, h := int64(v.o.Width), int64(v.o.Height)
	err := v.allOf(ctx,
		v.session.Send(emulation.SetDeviceMetricsOverride.Method, emulation.SetDeviceMetricsOverrideParams{
			Width: w, Height: h, DeviceScaleFactor: 1, DontSetVisibleSize: new(true), Viewport: &area,
		}),
		v.visibleSize(int64(area.Width), int64(area.Height)))
	var data []byte
	if err == nil {
		data, err = v.pictureOfFrame(ctx, int(area.Width), int(area.Height))
	}
	back := v.allOf(ctx, v.visibleSize(w, h), v.session.Send(emulation.ClearDeviceMetricsOverride.Method, cdp.Empty{}))
	return data, errors.Join(err, back)
}

// pictureOfFrame draws a frame and has its picture.
func (v *visit) pictureOfFrame(ctx context.Context, w, h int) ([]byte, error) {
	for range pictureFrames {
		b, err := v.beginFrame(ctx, v.o.CallTimeout, headlessexperimental.BeginFrameParams{
			Screenshot: &headlessexperimental.ScreenshotParams{Format: headlessexperimental.ScreenshotParamsFormatPng, OptimizeForSpeed: true},
		})
		if err != nil {
			return nil, err
		}
		// A frame that has nothing new to show has no picture, and the first may be of
		// the size before.
		data := binaryIn(b, "screenshotData")
		if is, err := png.DecodeConfig(bytes.NewReader(data)); err == nil && is.Width == w && is.Height == h {
			return data, nil
		}
	}
	return nil, errNoPicture
}

// pictureFrames is how many frames a picture is tried with.
const pictureFrames = 4

// errNoPicture says that frames had no picture.
var errNoPicture = errors.New("the page's frames have no picture")

// allOf waits for commands that have been sent.
func (v *visit) allOf(ctx context.Context, sent ...wire.Future) (err error) {
	for _, f := range sent {
		_, e := f.Wait(ctx)
		err = errors.Join(err, e)
	}
	return err
}

// visibleSize sets how large the window is. The command is not in cdproto.
func (v *visit) visibleSize(w, h int64) wire.Future {
	return v.session.Send("Emulation.setVisibleSize", struct {
		Width  int64 `json:"width"`
		Height int64 `json:"height"`
	}{w, h})
}

// binaryIn is the binary data in a member of an answer; nil if there are none.
func binaryIn(b []byte, member string) (data []byte) {
	c := wire.NewCursor(b)
	c.Object(func(name []byte) {
		if string(name) == member && c.AtBinary() {
			data = c.Binary()
		} else {
			c.Skip()
		}
	})
	if c.Err() != nil {
		return nil
	}
	return data
}
