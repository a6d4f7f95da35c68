package visitor

import (
	"context"

	"plat/plat"
)

// A Shelf renders nothing: it has one page at a time, that was seen before.
type Shelf struct{ Snapshot *plat.Snapshot }

// Render hands out the page on the shelf.
func (s *Shelf) Render(_ context.Context, _ string, evidence func(*plat.Snapshot) plat.Attachments) (*plat.Snapshot, error) {
	snap := *s.Snapshot
	if evidence == nil || !evidence(&snap).Picture {
		snap.Picture = nil
	}
	return &snap, nil
}
