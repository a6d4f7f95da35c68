package schedule

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"plat"
)

// Visit is a policy's input: a visit that is about to be stored.
type Visit struct {
	State   plat.URLState // of the URL before the visit; its Plan.Schedule has the policy's settings
	Due     time.Time     // of the job that the visit settles
	Time    time.Time     // now, by the clock used for due times
	Outcome plat.Outcome
	Memory  string // the policy's memory; empty at first, and if it was lost

	// Blocks are those of the page, with lineages and labels; Changes are relative to
	// the previous version, whose blocks are Old. All are nil if the visit failed or
	// was not rendered, and Changes is nil for the first version.
	Blocks  []plat.Block
	Old     []plat.Block
	Changes plat.Changes
}

// Next is a policy's decision.
type Next struct {
	Due    time.Time // of the next visit; zero for never
	Memory string    // for the next call, at most [plat.MaxPolicyMemory] bytes
}

// A Policy decides when URLs are visited again. It is safe for concurrent use.
type Policy interface {
	Next(v *Visit) Next
}

// policies are all policies, by name.
var policies = map[string]Policy{
	"fixed": fixed{},
}

// Policies returns the names of the policies, sorted.
func Policies() []string { return slices.Sorted(maps.Keys(policies)) }

// Decide calls the policy named in the URL's plan. An unknown one, set by a newer
// plat, is replaced by fixed.
func Decide(v *Visit) Next {
	p := policies[v.State.Schedule.Policy]
	if p == nil {
		p = fixed{}
	}
	return p.Next(v)
}

// Check returns what is wrong with a schedule, nil if nothing is.
func Check(s plat.Schedule) error {
	if s.Policy == "" {
		return nil
	}
	if policies[s.Policy] == nil {
		return fmt.Errorf("policy %q: write %s", s.Policy, strings.Join(Policies(), ", "))
	}
	if s.Every <= 0 {
		return fmt.Errorf("policy %q without an interval: write the interval too, such as 24h", s.Policy)
	}
	return nil
}
