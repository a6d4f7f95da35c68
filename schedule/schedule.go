package schedule

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"plat"
)

// Visit is what a policy learns from: a visit that is about to be stored.
type Visit struct {
	State   plat.URLState // of the URL before the visit; its Plan.Schedule has the policy's settings
	Due     time.Time     // of the job that the visit settles
	Time    time.Time     // now, by the clock by which jobs are due
	Outcome plat.Outcome
	Memory  string // what the policy has remembered; empty at first, and where it was lost

	// Blocks are those of the page with their lineages and labels, Changes what is
	// different from the version before, of which Old is the blocks. There are none if
	// the visit failed or needed no rendering, and no Changes for the first version.
	Blocks  []plat.Block
	Old     []plat.Block
	Changes plat.Changes
}

// Next is what a policy has decided.
type Next struct {
	Due    time.Time // of the next visit; zero for never
	Memory string    // for the next call, at most [plat.MaxPolicyMemory] bytes
}

// A Policy says when URLs are visited again. It is safe for concurrent use.
type Policy interface {
	Next(v *Visit) Next
}

// policies are all that there are, by the names that people write.
var policies = map[string]Policy{
	"fixed": fixed{},
}

// Policies returns the names of the policies, sorted.
func Policies() []string { return slices.Sorted(maps.Keys(policies)) }

// Decide asks the policy that the URL's plan names. One that this plat does not have,
// since a newer one has set it, is taken for fixed.
func Decide(v *Visit) Next {
	p := policies[v.State.Schedule.Policy]
	if p == nil {
		p = fixed{}
	}
	return p.Next(v)
}

// Check says what is wrong with a schedule, nil if nothing is.
func Check(s plat.Schedule) error {
	if s.Policy == "" {
		return nil
	}
	if policies[s.Policy] == nil {
		return fmt.Errorf("policy %q: write %s", s.Policy, strings.Join(Policies(), ", "))
	}
	if s.Every <= 0 {
		return fmt.Errorf("policy %q without an interval: write how often too, as in 24h", s.Policy)
	}
	return nil
}
