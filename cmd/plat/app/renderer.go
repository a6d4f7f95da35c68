package app

import (
	"context"

	"plat/workers/visitor"
)

// Renderer starts a browser for one page at a time. Close it.
func (a *App) Renderer(ctx context.Context) (*visitor.Renderer, error) {
	log, err := a.Logger(a.Stderr)
	if err != nil {
		return nil, err
	}
	o, err := a.RenderOptions(1, log)
	if err != nil {
		return nil, err
	}
	return visitor.OpenRenderer(ctx, o)
}
