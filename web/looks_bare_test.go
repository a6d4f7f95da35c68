package web

import (
	"fmt"
	"image"
	"image/color"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// alone are looks of each kind that are compared in Chrome without plat, too; with PLAT_LONG=1 all are.
var alone = []string{
	"the first base", "a frame that was redirected", "framesets that inherit no border", "borders of framesets", "two frames of one document in quirks mode",
	"a frame in quirks mode", "objects", "a candidate that is not there", "custom elements", "an animation that has ended", "media that tell of scripts",
	"sheets that scripts turn off", "fonts that scripts make", "sprites", "images of data that scripts make", "selectors by address",
}

// unsteady are looks that are not: Chrome prefers a larger candidate that its memory holds, if a different element has
// loaded it before.
var unsteady = []string{"candidates that are not there"}

// A palette has the colours of a picture with their numbers of dots. Those of few dots, as of letters, do not count.
type palette map[color.RGBA]int

const (
	leastDots = 1200
	tolerance = 0.02 // of the dots of a colour
)

func paletteOf(m image.Image) palette {
	all := palette{}
	for y := m.Bounds().Min.Y; y < m.Bounds().Max.Y; y++ {
		for x := m.Bounds().Min.X; x < m.Bounds().Max.X; x++ {
			all[color.RGBAModel.Convert(m.At(x, y)).(color.RGBA)]++
		}
	}
	maps.DeleteFunc(all, func(_ color.RGBA, n int) bool { return n < leastDots })
	return all
}

// unlike lists the colours whose numbers of dots differ by more than the tolerance.
func (p palette) unlike(q palette) string {
	var all []string
	for c := range maps.Keys(merged(p, q)) {
		if d := p[c] - q[c]; float64(max(d, -d)) > tolerance*float64(max(p[c], q[c])) {
			all = append(all, fmt.Sprintf("#%02x%02x%02x %d, not %d", c.R, c.G, c.B, p[c], q[c]))
		}
	}
	slices.Sort(all)
	return strings.Join(all, "; ")
}

func merged(p, q palette) palette {
	all := maps.Clone(p)
	maps.Copy(all, q)
	return all
}

// settles is the time that a page has in Chrome alone to look as wanted: its timers run by the clock.
const settles = 3 * time.Second

// looksLike opens a page in Chrome alone, and returns its colours, and how these differ from those wanted. It looks again
// until they do not, or for a time.
func (e *eye) looksLike(t *testing.T, name, at string, want palette) (got palette, unlike string) {
	t.Helper()
	e.do(chromedp.Navigate(at))
	for began := time.Now(); ; {
		shot, err := chromedp.Run(e.ctx, chromedp.CaptureScreenshot())
		if err != nil {
			t.Fatal(err)
		}
		got = paletteOf(picture(t, shot))
		if unlike = got.unlike(want); unlike == "" || time.Since(began) > settles {
			if dir := os.Getenv("PLAT_SCREENS"); dir != "" {
				os.WriteFile(filepath.Join(dir, name+".png"), shot, 0o644)
			}
			return got, unlike
		}
		time.Sleep(100 * time.Millisecond)
	}
}
