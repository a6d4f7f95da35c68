package history

import (
	"context"

	"plat"
)

// ResourcesInfo says what is kept of what a version used to look as it does.
type ResourcesInfo struct {
	Manifest string `json:"manifest"`
	Kept     int    `json:"kept"`
	Bytes    int64  `json:"bytes"`    // of those kept, not compressed
	LeftOut  int    `json:"left_out"` // listed, and not kept
}

// ResourcesOf describes the resources of a version; nil if none were kept.
func ResourcesOf(ctx context.Context, store interface {
	Manifest(ctx context.Context, h plat.Hash) (plat.Manifest, error)
}, v *plat.Version) (*ResourcesInfo, error) {
	if v.Resources.IsZero() {
		return nil, nil
	}
	m, err := store.Manifest(ctx, v.Resources)
	if err != nil {
		return nil, err
	}
	n, size := m.Kept()
	return &ResourcesInfo{Manifest: v.Resources.String(), Kept: n, Bytes: size, LeftOut: len(m) - n}, nil
}
