package segment

import (
	"fmt"

	"plat/plat"
)

// Profile selects how nodes are classified as Schema, Format and Function.
type Profile string

// The profiles.
const (
	Visual Profile = "visual" // by computed display and content of the box
	Paper  Profile = "paper"  // by tag, as in BWAP section 2.1
)

// Params configures Segment. The zero value is the default.
type Params struct {
	Profile Profile // "" is Visual

	// Level is the depth of the block tree without the root; 0 is DefaultLevel.
	// A page may yield fewer levels.
	Level int

	// Adjust overrides Level for single locations of the page.
	Adjust []plat.Adjust

	// Trace records the decisions made, to explain the result.
	Trace bool

	// MaxDepth is the maximum DOM depth at which blocks are looked for
	// (Algorithm 1, line 1); 0 is DefaultMaxDepth. Deeper content stays in the
	// block above it.
	MaxDepth int
}

// Defaults.
const (
	// DefaultLevel is the paper's: its example is complete at level 3.
	DefaultLevel = 3

	// DefaultMaxDepth is the deepest DOM that Chrome's parser builds (512).
	// Only scripts build deeper ones, and no visually distinct content is
	// there.
	DefaultMaxDepth = 512

	maxLevel = 16
)

func (p Params) withDefaults() (Params, error) {
	if p.Profile == "" {
		p.Profile = Visual
	}
	if p.Profile != Visual && p.Profile != Paper {
		return p, fmt.Errorf("segment: unknown profile %q; use %q or %q", p.Profile, Visual, Paper)
	}
	if p.Level == 0 {
		p.Level = DefaultLevel
	}
	if p.Level < 0 || p.Level > maxLevel {
		return p, fmt.Errorf("segment: level %d is out of range; use 1 to %d", p.Level, maxLevel)
	}
	if p.MaxDepth == 0 {
		p.MaxDepth = DefaultMaxDepth
	}
	return p, nil
}
