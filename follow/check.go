package follow

import (
	"errors"
	"fmt"
	"slices"

	"plat"
	"plat/digest"
	"plat/storage"
)

// Check returns why a subscription cannot be followed; nil if it can. It is for people, who
// have written it.
func Check(s *plat.Subscription) error {
	if _, err := NewFilter(s); err != nil {
		return err
	}
	if s.Depth < 0 || s.Depth > 3 {
		return fmt.Errorf("depth %d: write 1 (the page), 2 (and what its items link to) or 3", s.Depth)
	}
	for _, l := range s.Labels {
		if !slices.Contains(plat.Labels, l) {
			return fmt.Errorf("label %q: write one of %v", l, plat.Labels)
		}
	}
	for _, b := range append(slices.Clone(s.Blocks), s.Muted...) {
		if b < 1 {
			return fmt.Errorf("block %d: write a number as plat show prints it", b)
		}
	}
	if s.Digest != "" {
		if _, err := digest.Parse(s.Digest); err != nil {
			return err
		}
	}
	if len(s.Blocks) > 0 && storage.DepthOf(s) > 1 {
		return errors.New("chosen blocks are watched on one page alone: leave out the depth")
	}
	return nil
}
