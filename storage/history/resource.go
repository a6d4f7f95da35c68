package history

import (
	"context"

	"plat/plat"
)

// ResourcesInfo summarizes a version's stored resources.
type ResourcesInfo struct {
	Manifest string `json:"manifest"`
	Kept     int    `json:"kept"`
	Bytes    int64  `json:"bytes"`    // of stored resources, uncompressed
	LeftOut  int    `json:"left_out"` // listed, but not stored
}

// ResourcesOf describes the resources of a version, or returns nil if it has no captured
// resources.
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
