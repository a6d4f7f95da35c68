package browser

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"

	"plat/browser/capture"
	"plat/browser/devtools"
	"plat/browser/settle"
	"plat/plat"
)

// The limit applies to the length of a page as HTML.
func TestAPageIsAsLongAsItsHTML(t *testing.T) {
	t.Parallel()
	tree := func(n plat.Node) []plat.Node {
		n.Parent, n.End = 1, 3
		return []plat.Node{{Kind: plat.DocumentNode, Parent: -1, End: 3}, {Kind: plat.ElementNode, Name: "body", End: 3}, n}
	}
	image := func(n int) plat.Node {
		return plat.Node{Kind: plat.ElementNode, Name: "img", Attrs: []plat.Attr{{Name: "alt", Value: strings.Repeat("a", n)}}}
	}
	const most = capture.MaxPage
	for name, c := range map[string]struct {
		node      plat.Node
		generated string
		large     bool
	}{
		"text":                      {plat.Node{Kind: plat.TextNode, Value: strings.Repeat("a", most-100)}, "", false},
		"too much text":             {plat.Node{Kind: plat.TextNode, Value: strings.Repeat("a", most)}, "", true},
		"quotation marks":           {plat.Node{Kind: plat.ElementNode, Name: "p", Attrs: []plat.Attr{{Name: "title", Value: strings.Repeat(`"`, most/5)}}}, "", true},
		"quotation marks in a text": {plat.Node{Kind: plat.TextNode, Value: strings.Repeat(`"`, most/5)}, "", false},
		"ampersands":                {plat.Node{Kind: plat.TextNode, Value: strings.Repeat("&", most/4)}, "", true},
		"hard blanks":               {plat.Node{Kind: plat.TextNode, Value: strings.Repeat("\u00a0", most/5)}, "", true},
		"an alternative text":       {image(most / 3), "", false},
		"one that is shown":         {image(most / 3), strings.Repeat("a", most/3), false},
		"a long one that is shown":  {image(most / 2), strings.Repeat("a", most/2), true},
	} {
		s := &plat.Snapshot{Nodes: tree(c.node)}
		if c.generated != "" {
			s.Generated = []plat.Generated{{Node: 2, Kind: plat.Alt, Text: c.generated}}
		}
		err := checkText(s)
		if large := new(settle.TooLargeError); errors.As(err, &large) != c.large {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A picture of noise, which does not compress, covers only the upper part of the page.
func TestAPictureOfTooManyBytesIsLessHigh(t *testing.T) {
	t.Parallel()
	tall := page.Viewport{Width: 4096, Height: 8000}
	takes := func(size func(area page.Viewport) float64) (heights []float64, got int, err error) {
		data, err := fitting(tall, func(area page.Viewport) ([]byte, error) {
			heights = append(heights, area.Height)
			n := int(size(area))
			if n > 96<<20 {
				return nil, &devtools.TooLongError{Bytes: n}
			}
			return make([]byte, n), nil
		})
		return heights, len(data), err
	}
	for name, size := range map[string]func(page.Viewport) float64{
		"small": func(page.Viewport) float64 { return 1000 },
		"noise": func(a page.Viewport) float64 { return 3 * a.Width * a.Height },
		"noise of more bytes than an answer may have": func(a page.Viewport) float64 { return 4.1 * a.Width * a.Height },
		"noise above": func(a page.Viewport) float64 { return 4.1 * a.Width * math.Min(a.Height, 4000) },
	} {
		heights, got, err := takes(size)
		if err != nil || got == 0 || got > maxPictureBytes || len(heights) > 4 || name != "small" && len(heights) < 2 {
			t.Errorf("%s: %d bytes, %v, of heights %v", name, got, err, heights)
		}
	}
}
