package schedule

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"plat/plat"
	"plat/plat/nearest"
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

	NotBefore time.Time     // the earliest time that the site allows; zero: any time
	Shared    *Shared       // with pages of the same budget and site; nil: use that in Memory
	Day       time.Duration // the length of a day for policies; 0: 24 hours
}

// Length returns the length of a day.
func (v *Visit) Length() time.Duration { return cmp.Or(v.Day, 24*time.Hour) }

// News reports whether the visit found a change that a reader would notice.
func (v *Visit) News() bool {
	if v.Outcome == plat.OutcomeGone {
		return v.State.Outcome != plat.OutcomeGone
	}
	for i := range v.Changes.Blocks {
		if v.Changes.Blocks[i].Kind.News() {
			return true
		}
	}
	return v.Changes.Layout.News()
}

// Shared is the data that the pages of a budget and of a site share.
type Shared struct {
	Steering // of the budget
	Burst    // of the site
	Turning  // of the site
	Heard    // of the site

	// Epoch identifies the period over which a fleet counts Pages: it changes when Redis loses its
	// data. 0: unknown. Counted is the number of pages of Pages that were counted in the epoch.
	Epoch   uint32
	Counted float64
}

// SiteNumbers is the number of values that the pages of a site share.
const SiteNumbers = Features + 3 + 1 + 2*sources

// SiteDays is the index of the days between visits, which measure how much data a site has.
const SiteDays = Features + 1

// Site returns the numbers that the pages of a site share, in this order: the weights of Burst;
// Turned, Days and Times of Turning; the fields of Heard.
func (s *Shared) Site() (all [SiteNumbers]float64) {
	for i, w := range s.Burst.Off {
		all[i] = float64(w)
	}
	all[Features], all[SiteDays], all[Features+2] = s.Turned, s.Days, s.Times
	for i, x := range s.Heard.numbers() {
		all[Features+3+i] = *x
	}
	return all
}

// SetSite sets them.
func (s *Shared) SetSite(all [SiteNumbers]float64) {
	for i := range s.Burst.Off {
		s.Burst.Off[i] = float32(all[i])
	}
	s.Turned, s.Days, s.Times = max(0, all[Features]), max(0, all[SiteDays]), max(0, all[Features+2])
	for i, x := range s.Heard.numbers() {
		*x = max(0, all[Features+3+i])
	}
}

// Learned is a visit's contribution to the shared data.
type Learned struct {
	Pages, Visits float64              // of the budget
	Site          [SiteNumbers]float64 // to be added to the numbers of the site, see [Shared.Site]
}

// Next is a policy's decision.
type Next struct {
	Due    time.Time // of the next visit; zero for never
	Memory string    // for the next call, at most [plat.MaxPolicyMemory] bytes
	Learned
}

// A Policy decides when URLs are visited again. It is safe for concurrent use.
type Policy interface {
	Next(v *Visit) Next
}

// policies are all policies, by name.
var policies = func() map[string]Policy {
	all := map[string]Policy{"fixed": fixed{}, "plan": slotted{}}
	for name := range worths {
		all[name], _ = LearningPolicy(name)
	}
	return all
}()

// Default is the policy of a budget.
const Default = "blocks"

// Policies returns the names of the policies that need only an interval or a budget, sorted.
func Policies() []string {
	all := slices.Sorted(maps.Keys(policies))
	return slices.DeleteFunc(all, func(name string) bool { return name == "plan" })
}

// Decide calls the policy of the URL's plan. An unknown one, set by a newer version, is replaced by
// that of a plan without one.
func Decide(v *Visit) Next { return of(v.State.Schedule).Next(v) }

// PolicyOf names the policy of a schedule: without a known one fixed, with a budget Default.
func PolicyOf(s plat.Schedule) string {
	switch {
	case policies[s.Policy] != nil:
		return s.Policy
	case s.Budget != "":
		return Default
	}
	return "fixed"
}

// of returns the policy of a schedule.
func of(s plat.Schedule) Policy { return policies[PolicyOf(s)] }

// Check returns the error in a schedule, or nil.
func Check(s plat.Schedule) error {
	if s.Policy != "" && policies[s.Policy] == nil {
		return fmt.Errorf("policy %q%s: write %s", s.Policy, nearest.Question(s.Policy, "", Policies()), strings.Join(Policies(), ", "))
	}
	_, chooses := of(s).(Learning)
	_, planned := of(s).(slotted)
	switch {
	case planned && s.Slots == "":
		return errors.New("policy plan without slots: plat schedule plan URL chooses them")
	case !planned && s.Slots != "":
		return errors.New("slots need the policy plan")
	case s.Budget != "" && !chooses:
		return fmt.Errorf("policy %q with a budget: it visits once per interval; write %s, or no policy", s.Policy, Default)
	case s.Budget != "" && s.Every > 0:
		return errors.New("a budget and an interval: write one of both")
	case s.Budget != "":
		_, err := ParseBudget(s.Budget)
		return err
	case s.Policy != "" && s.Every <= 0:
		return fmt.Errorf("policy %q without an interval: write the interval too, such as 24h, or a budget, such as 5000/day", s.Policy)
	case (s.Min > 0 || s.Max > 0) && !chooses:
		return fmt.Errorf("bounds of a fixed interval: write a policy too, such as %s", Default)
	case planned:
		p, err := ParseSlots(s.Slots)
		if err == nil && p.At >= s.Every {
			err = fmt.Errorf("slots %q: %v is not within a slot of %v", s.Slots, p.At, s.Every)
		}
		return err
	}
	return nil
}
