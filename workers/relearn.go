package workers

import (
	"context"
	"errors"

	"plat/diff/noise"
	"plat/plat"
	"plat/storage/history"
)

// versions is the largest number of versions of a URL that are read: a place that has not
// varied for as many visits is forgotten anyway.
const versions = 20

// learnedMask returns the mask of a URL whose last version is given, from its encoded form. If that
// is damaged, or from a different version of plat, the mask is learned from the stored versions: it is
// coarser, and lacks changes that a second rendering has proven and that were not stored.
func learnedMask(ctx context.Context, s versionReader, last *plat.Version, encoded string) (noise.Mask, error) {
	m, err := noise.DecodeMask(encoded)
	if err == nil {
		return m, nil
	}
	m = noise.Mask{}
	var old *plat.Version
	for n := max(1, last.N-versions); n <= last.N; n++ {
		now, err := s.Version(ctx, last.URL, n)
		if err == nil {
			err = history.LoadAll(ctx, s, now.Blocks)
		}
		switch {
		case errors.Is(err, plat.ErrNotFound), errors.Is(err, plat.ErrCorrupt):
			old = nil // one version is no reason to fail
			continue
		case err != nil:
			return m, err
		}
		if old != nil && old.N == n-1 {
			m.Relearn(noise.Look{Blocks: old.Blocks, At: old.Taken}, noise.Look{Blocks: now.Blocks, At: now.Taken}, now.SelfChanges)
		}
		old = now
	}
	return m, nil
}
