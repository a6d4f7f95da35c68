package tab

import (
	"bytes"
	"context"
	"errors"
	"image"
	_ "image/png" // to see how large a picture is
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/headlessexperimental"
	"github.com/chromedp/cdproto/page"
	_ "golang.org/x/image/webp"

	"plat/browser/capture"
	"plat/browser/devtools"
)

// Format is the encoding of a picture; both are lossless.
type Format string

// The formats. WebP takes two thirds of the space of a PNG, and twice the time. Chrome encodes WebP
// of quality 100 losslessly.
const (
	PNG  Format = "png"
	WebP Format = "webp"
)

// Screenshot captures a picture by Chrome's own command, within limit.
func (t *Tab) Screenshot(ctx context.Context, limit time.Duration, f Format, p page.CaptureScreenshotParams) (data []byte, err error) {
	p.Format, p.Quality, p.OptimizeForSpeed = page.CaptureScreenshotFormat(f), new(int64(100)), new(true)
	err = t.whileDrawing(ctx, func(ctx context.Context) error {
		b, err := t.Session.SendFor(limit, page.CaptureScreenshot.Method, p).Wait(ctx)
		if data = binaryIn(b, "data"); err == nil && data == nil {
			err = capture.ErrMalformed
		}
		return err
	})
	return data, err
}

// FramePicture captures a picture with a single frame, at three quarters of the cost of
// [Tab.Screenshot], which draws several. The window grows to the area; the layout viewport stays,
// so that no box moves. A flag of framed browsers (mainFrameClipsContent) makes Chrome draw below
// the first viewport.
func (t *Tab) FramePicture(ctx context.Context, f Format, area page.Viewport) ([]byte, error) {
	w, h := int64(t.o.Width), int64(t.o.Height)
	err := t.allOf(ctx,
		t.Session.Send(emulation.SetDeviceMetricsOverride.Method, emulation.SetDeviceMetricsOverrideParams{
			Width: w, Height: h, DeviceScaleFactor: 1, DontSetVisibleSize: new(true), Viewport: &area,
		}),
		t.visibleSize(int64(area.Width), int64(area.Height)))
	var data []byte
	if err == nil {
		data, err = t.pictureOfFrame(ctx, f, int(area.Width), int(area.Height))
	}
	back := t.allOf(ctx, t.visibleSize(w, h), t.Session.Send(emulation.ClearDeviceMetricsOverride.Method, cdp.Empty{}))
	return data, errors.Join(err, back)
}

// pictureOfFrame draws a frame and has its picture.
func (t *Tab) pictureOfFrame(ctx context.Context, f Format, w, h int) ([]byte, error) {
	for range pictureFrames {
		b, err := t.beginFrame(ctx, t.o.CallTimeout, headlessexperimental.BeginFrameParams{
			Screenshot: &headlessexperimental.ScreenshotParams{Format: headlessexperimental.ScreenshotParamsFormat(f), Quality: new(int64(100)), OptimizeForSpeed: true},
		})
		if err != nil {
			return nil, err
		}
		// A frame without changes has no picture, and the first may have the previous size.
		data := binaryIn(b, "screenshotData")
		if is, _, err := image.DecodeConfig(bytes.NewReader(data)); err == nil && is.Width == w && is.Height == h {
			return data, nil
		}
	}
	return nil, ErrNoPicture
}

// pictureFrames is the maximum number of frames tried for a picture.
const pictureFrames = 4

// ErrNoPicture reports that the frames had no picture.
var ErrNoPicture = errors.New("the page's frames have no picture")

// allOf waits for commands that have been sent.
func (t *Tab) allOf(ctx context.Context, sent ...devtools.Future) (err error) {
	for _, f := range sent {
		_, e := f.Wait(ctx)
		err = errors.Join(err, e)
	}
	return err
}

// visibleSize sets how large the window is. The command is not in cdproto.
func (t *Tab) visibleSize(w, h int64) devtools.Future {
	return t.Session.Send("Emulation.setVisibleSize", struct {
		Width  int64 `json:"width"`
		Height int64 `json:"height"`
	}{w, h})
}

// binaryIn returns the binary data in a member of an answer; nil if absent.
func binaryIn(b []byte, member string) (data []byte) {
	c := devtools.NewCursor(b)
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
