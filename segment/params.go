package segment

import (
	"fmt"

	"plat"
)

// Profile says how nodes are sorted into Schema, Format and Function.
type Profile string

// The profiles.
const (
	Visual Profile = "visual" // by computed display and what the box holds
	Paper  Profile = "paper"  // by tag, as in BWAP section 2.1
)

// Params says how a page is cut. The zero value is the default.
type Params struct {
	Profile Profile // "" is Visual

	// Level is the depth of the block tree, root not counted; 0 is
	// DefaultLevel. A page may yield less.
	Level int

	// Adjust departs from Level for single places of the page.
	Adjust []plat.Adjust

	// Trace asks for the decisions on the way, for people who ask why.
	Trace bool

	// MaxDepth is how deep in the DOM blocks are looked for (Algorithm 1, line
	// 1); 0 is DefaultMaxDepth. What lies deeper stays in the block above it.
	MaxDepth int
}

// Defaults.
const (
	// DefaultLevel is the paper's: its example is complete at level 3.
	DefaultLevel = 3

	// DefaultMaxDepth is the deepest DOM that Chrome's own parser builds (512);
	// only scripts build deeper ones, and nothing a reader tells apart is there.
	DefaultMaxDepth = 512

	maxLevel = 16
)

func (p Params) withDefaults() (Params, error) {
	if p.Profile == "" {
		p.Profile = Visual
	}
	if p.Profile != Visual && p.Profile != Paper {
		return p, fmt.Errorf("segment: profile %q; there are %q and %q", p.Profile, Visual, Paper)
	}
	if p.Level == 0 {
		p.Level = DefaultLevel
	}
	if p.Level < 0 || p.Level > maxLevel {
		return p, fmt.Errorf("segment: level %d; levels are 1 to %d", p.Level, maxLevel)
	}
	if p.MaxDepth == 0 {
		p.MaxDepth = DefaultMaxDepth
	}
	return p, nil
}
