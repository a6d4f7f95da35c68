package browser

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/chromedp/cdproto/cdp/jsonv2"
)

// A page of too many nodes is made coarse before it is taken: its smallest parts, which are
// mostly rows of tables and items of lists, are written as the plain text that they show, and
// where there are still too many, neighbours of them become one. So its text is kept as
// innerText gives it, in the order and about in the places that it has, and its larger parts
// as they are; links and pictures in the small ones are not. The same page becomes the same every time, and one with
// a row more nearly the same.

//go:embed coarse.js
var coarseScript string

// maxCoarse is how many times the limit a page may have that is made coarse.
const maxCoarse = 8

// coarsen makes the page coarse and returns how many nodes it had and has.
func (v *visit) coarsen(ctx context.Context) (had, has int64, err error) {
	world, err := v.World(ctx)
	if err != nil {
		return 0, 0, err
	}
	// With less than what may be, a page that grows does not change much at every visit.
	b, err := v.Evaluate(ctx, world, fmt.Sprintf("(%s)(%d)", coarseScript, v.o.MaxNodes/2))
	if err != nil {
		return 0, 0, err
	}
	if err := jsonv2.Unmarshal(b, &had); err != nil {
		return 0, 0, fmt.Errorf("count the nodes: %w", err)
	}
	has, err = v.countNodes(ctx)
	return had, has, err
}
