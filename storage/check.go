package storage

import (
	"errors"
	"fmt"

	"plat/plat"
)

// Check returns an error if a commit contradicts itself. Stores reject such commits, which are
// a bug of the caller.
func (c *Commit) Check() error {
	v := c.Version
	if v == nil {
		return errors.New("commit: no version")
	}
	wrong := func(format string, args ...any) error {
		return fmt.Errorf("commit: version %d of %s: %s", v.N, v.URL, fmt.Sprintf(format, args...))
	}
	switch {
	case v.URL == "":
		return errors.New("commit: the version has no URL")
	case v.N < 1:
		return wrong("versions count from 1")
	case c.Visit.URL != v.URL:
		return wrong("the visit has the URL %q", c.Visit.URL)
	case c.Visit.Version != v.N:
		return wrong("the visit has version %d", c.Visit.Version)
	case c.Layout.Sum() != v.Layout:
		return wrong("the layout's hash is %s, not %s", c.Layout.Sum().Short(), v.Layout.Short())
	case c.Picture != nil && plat.HashOf(c.Picture.Data) != v.Picture:
		return wrong("the picture's hash is not %s", v.Picture.Short())
	case c.Picture == nil && !v.Picture.IsZero():
		return wrong("picture %s is missing", v.Picture.Short())
	}
	for i := range v.Blocks {
		b := &v.Blocks[i]
		switch {
		case b.Parent < -1 || int(b.Parent) >= i:
			return wrong("block %d has parent %d; parents come before their children", i, b.Parent)
		case !b.Leaf() && !(b.Hash.IsZero() && b.Content == nil):
			return wrong("block %d has content but no slot", i)
		case b.Leaf() && b.Hash.IsZero():
			return wrong("block %d fills slot %d but has no hash", i, b.Slot)
		case b.Content != nil && plat.HashOf(b.Content) != b.Hash:
			return wrong("the content of block %d does not have the hash %s", i, b.Hash.Short())
		}
	}
	if err := c.checkResources(); err != nil {
		return wrong("%v", err)
	}
	if err := CheckMemory(c.Visit.Memory); err != nil {
		return wrong("%v", err)
	}
	return nil
}

// CheckMemory returns an error if memory is too long to store.
func CheckMemory(memory string) error {
	if len(memory) > plat.MaxMemory {
		return fmt.Errorf("memory has %d bytes; the limit is %d", len(memory), plat.MaxMemory)
	}
	return nil
}

// Since returns, for every block of v, the first version in which its lineage had its content,
// and 0 for parent blocks: the N of Find. prev is the previous version and before is its Since,
// both nil for the first version. earlier searches older versions, and returns 0 if they do not
// have the content. It is called only for content that may have returned to its lineage after
// an absence.
func Since(v, prev *plat.Version, before []int32, earlier func(lineage int32, h plat.Hash) (int32, error)) ([]int32, error) {
	known := map[ContentKey]int32{}
	grown := map[int32]bool{}
	if prev != nil {
		for i := range prev.Blocks {
			if b := &prev.Blocks[i]; b.Leaf() {
				known[KeyOf(b)] = before[i]
			}
		}
		for i := range prev.Blocks {
			grown[prev.Blocks[i].Lineage] = true
		}
	}
	since := make([]int32, len(v.Blocks))
	for i := range v.Blocks {
		b := &v.Blocks[i]
		if !b.Leaf() {
			continue
		}
		at := KeyOf(b)
		n, ok := known[at]
		// A lineage may also return after an absence: every number up to the highest
		// assigned has existed.
		if !ok && prev != nil && (grown[b.Lineage] || b.Lineage <= prev.Lineages) {
			var err error
			if n, err = earlier(b.Lineage, b.Hash); err != nil {
				return nil, err
			}
		}
		if n == 0 {
			n = int32(v.N)
		}
		known[at], since[i] = n, n
	}
	return since, nil
}
