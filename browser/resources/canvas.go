package resources

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/runtime"

	"plat/browser/capture"
	"plat/browser/tab"
	"plat/plat"
)

// Limits of the pictures of canvases, beside those of all resources.
const (
	MaxCanvases     = 256
	maxCanvasPixels = 1 << 24         // of one; its copy takes 64 MB
	MaxCanvasBytes  = 10 << 20        // of all
	canvasTime      = 3 * time.Second // for all of them
)

// takeCanvas is the function of canvas.js.
//
//go:embed canvas.js
var takeCanvas string

// Canvases captures the visible canvases of a snapshot, in closed shadow roots and in frames of
// other origins too. No virtual time passes, so the pictures are of the moment of the snapshot, or
// of the next frame. It never fails: unavailable pictures are listed as omitted. A fully
// transparent canvas is not listed.
func Canvases(ctx context.Context, t *tab.Tab, s *plat.Snapshot, canvases []capture.Canvas) (all []plat.Resource) {
	ctx, cancel := context.WithTimeoutCause(ctx, canvasTime, errLimit)
	defer cancel()
	if len(canvases) > 0 && t.Browser.Framed {
		_ = t.Draw(ctx, true) // the drawing of an OffscreenCanvas appears with the next frame
	}
	worlds := map[cdp.FrameID]runtime.ExecutionContextID{}
	taken, free := 0, int64(MaxCanvasBytes)
	for _, c := range canvases {
		n := &s.Nodes[c.Node]
		if n.Box.Empty() || s.Styles[n.Style].Hidden {
			continue
		}
		r := plat.Resource{URL: plat.CanvasPlace{Path: pathTo(s.Nodes, c.Node)}.URL(), Type: "image/png"}
		switch taken++; {
		case taken > MaxCanvases || len(all) == plat.MaxResources:
			r.Left = plat.OmitFull
		case ctx.Err() != nil:
			r.Left = plat.OmitLate
		default:
			data, left := canvasPicture(ctx, t, c, worlds)
			switch {
			case left == "" && data == nil:
				continue
			case left == "" && int64(len(data)) > free:
				left = plat.OmitFull
			}
			if r.Left = left; left == "" {
				free -= int64(len(data))
				r.Data, r.Size, r.Hash = data, int64(len(data)), plat.HashOf(data)
			}
		}
		if all = append(all, r); len(all) == plat.MaxResources {
			break
		}
	}
	return all
}

// canvasPicture returns the content of one canvas as PNG; nil if it is empty.
func canvasPicture(ctx context.Context, t *tab.Tab, c capture.Canvas, worlds map[cdp.FrameID]runtime.ExecutionContextID) ([]byte, plat.OmitReason) {
	why := func() plat.OmitReason {
		if ctx.Err() != nil {
			return plat.OmitLate
		}
		return plat.OmitGone
	}
	world, ok := worlds[c.Frame]
	if !ok {
		if len(worlds) == maxFrames {
			return nil, plat.OmitFull
		}
		var err error
		if world, err = t.WorldOf(ctx, c.Frame); err != nil {
			return nil, why()
		}
		worlds[c.Frame] = world
	}
	got, err := t.EvaluateOn(ctx, world, c.Backend, takeCanvas,
		&runtime.CallArgument{Value: fmt.Append(nil, MaxBytes)}, &runtime.CallArgument{Value: fmt.Append(nil, maxCanvasPixels)})
	if err != nil {
		return nil, why()
	}
	var took struct {
		Left plat.OmitReason `json:"left"`
		Data []byte          `json:"data"`
	}
	if err := jsonv2.Unmarshal(got, &took); err != nil {
		return nil, plat.OmitGone
	}
	return took.Data, took.Left
}

// pathTo is the way from the document to a node; see [plat.Block.Path].
func pathTo(nodes []plat.Node, i int32) (path []int32) {
	for ; nodes[i].Parent >= 0; i = nodes[i].Parent {
		rank := int32(0)
		for c := nodes[i].Parent + 1; c < i; c = nodes[c].End {
			if nodes[c].Kind == plat.ElementNode {
				rank++
			}
		}
		if nodes[i].Kind != plat.ElementNode {
			rank = ^rank
		}
		path = append(path, rank)
	}
	slices.Reverse(path)
	return path
}

// nodeAt returns the node to which a path leads, -1 if there is none.
func nodeAt(nodes []plat.Node, path []int32) int32 {
	at := int32(0)
	for _, step := range path {
		rank, found := int32(0), int32(-1)
		for c := at + 1; c < nodes[at].End && found < 0; c = nodes[c].End {
			switch nodes[c].Kind {
			case plat.ElementNode:
				if step == rank {
					found = c
				}
				rank++
			case plat.DocumentNode, plat.ShadowNode, plat.TemplateNode:
				if step == ^rank {
					found = c
				}
			}
		}
		if at = found; at < 0 {
			return -1
		}
	}
	return at
}
