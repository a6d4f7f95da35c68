package forecast

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"time"

	"plat/plat"
	"plat/plat/excerpt"
	"plat/queue/schedule"
	"plat/storage"
)

// archive is the part of a store that is read.
type archive interface {
	State(ctx context.Context, url string) (plat.URLState, error)
	States(ctx context.Context, prefix, after string) iter.Seq2[plat.URLState, error]
	Visits(ctx context.Context, url string, limit int) iter.Seq2[plat.Visit, error]
	Versions(ctx context.Context, url string) iter.Seq2[*plat.Version, error]
}

// Outlook is the forecast for a URL. Its JSON is part of the interface.
type Outlook struct {
	URL    string `json:"url"`
	Policy string `json:"policy,omitempty"` // empty: it is visited once
	Budget string `json:"budget,omitempty"`
	Every  string `json:"every,omitempty"` // the interval of a schedule without a budget; of policy plan, the length of a slot
	Slots  string `json:"slots,omitempty"` // of policy plan: see schedule.ParseSlots

	ChangesEvery float64   `json:"changes_every_days,omitempty"` // as estimated; 0: unknown
	Still        float64   `json:"still_days"`                   // from the last change that was seen to the last visit
	Chance       float64   `json:"chance"`                       // that it has changed by now, 0 to 1
	Last         time.Time `json:"last,omitzero"`                // visit; zero: no visit yet
	Known        time.Time `json:"known,omitzero"`               // last visit from which something was learned
	Due          time.Time `json:"due,omitzero"`                 // next check by the policy whether a visit is worth it; zero: never
	Next         time.Time `json:"next,omitzero"`                // visit, if nothing changes; zero: no visit
	Why          string    `json:"why"`                          // a sentence without a full stop
	Pages        float64   `json:"pages,omitempty"`              // that share the budget
	Factor       float64   `json:"factor,omitempty"`             // multiplier on the value that a visit needs, beside the budget's own

	Signal  *Signal  `json:"signal,omitempty"`  // the last one of this URL, if it has come since Known
	Sources []Source `json:"sources,omitempty"` // of signals on its site, with at least one signal

	Counts Counts  `json:"counts"`
	Visits []Visit `json:"visits,omitempty"` // the earliest first
}

// Schedule returns the policy with its budget, slots or interval, for people: "fixed, every 17h". It is empty if
// the URL is visited once.
func (o *Outlook) Schedule() string {
	switch {
	case o.Policy == "":
		return ""
	case o.Budget != "":
		return o.Policy + ", " + o.Budget
	case o.daily() != "":
		return "daily at " + o.daily()
	case o.Slots != "":
		return o.Policy + ", slots " + o.Slots + " of " + excerpt.Interval(o.Every)
	case o.Every != "":
		return o.Policy + ", every " + excerpt.Interval(o.Every)
	}
	return o.Policy
}

// daily returns the time of day of the visits, with its zone; empty if the schedule has none.
func (o *Outlook) daily() string {
	every, err := time.ParseDuration(o.Every)
	if o.Slots == "" || err != nil {
		return ""
	}
	return schedule.DailyOf(plat.Schedule{Every: every, Slots: o.Slots})
}

// Signal is a signal that a page may have changed.
type Signal struct {
	Source string    `json:"source"` // one of schedule.Sources
	Time   time.Time `json:"time"`   // of the change, as it says
}

// Source is the reliability of a source of signals, measured by visits.
type Source struct {
	Source string  `json:"source"`
	Recall float64 `json:"recall"` // part of the changes that it signalled, 0 to 1
	False  float64 `json:"false"`  // part of its signals that were wrong, 0 to 1
	Right  float64 `json:"told"`   // visits after a signal; old ones count less
}

// Reader reads outlooks.
type Reader struct {
	Archive archive
	Now     time.Time
	Day     time.Duration // the length of a day for policies; 0: 24 hours

	// Share returns the fleet's shared data. If it is nil, the data in the URL's memory is used.
	Share schedule.Share

	known map[place]*schedule.Shared // that were read
}

// place is the key of shared data: URLs with an equal place share all of it.
type place struct {
	plat.Schedule
	host string
}

// Of returns the forecast for a URL, with its visits. plat.ErrNotFound if the archive does not
// know it.
func (r *Reader) Of(ctx context.Context, url string) (*Outlook, error) {
	st, err := r.Archive.State(ctx, url)
	if err != nil {
		return nil, err
	}
	o, err := r.Believe(ctx, &st)
	if err != nil {
		return nil, err
	}
	o.Visits, err = History(ctx, r.Archive, st.URL)
	o.Counts = Count(o.Visits)
	return o, err
}

// Believe returns the forecast for the URL of a state, without its visits.
func (r *Reader) Believe(ctx context.Context, st *plat.URLState) (*Outlook, error) {
	memory, err := plat.DecodeMemory(st.Memory)
	if err != nil && !errors.Is(err, plat.ErrCorrupt) {
		return nil, err
	}
	v := schedule.Visit{State: *st, Due: st.Due, Time: r.Now, Memory: memory.Policy}
	(&schedule.Planner{Day: r.Day}).Adapt(&v)
	if v.Shared, err = r.shared(ctx, &v); err != nil {
		return nil, err
	}
	o := &Outlook{URL: st.URL, Budget: v.State.Schedule.Budget, Last: st.Last, Due: storage.StartOf(st)}
	if every := v.State.Schedule.Every; every > 0 {
		o.Every = every.String()
	}
	o.Slots = v.State.Schedule.Slots
	b := schedule.Believe(&v)
	o.ChangesEvery, o.Still, o.Chance, o.Known, o.Why = b.Every, b.Still, b.Chance, b.Last, b.Decides
	o.hears(st, &b)
	if st.Schedule != (plat.Schedule{}) {
		o.Policy, o.Pages = b.Policy, b.Pages
		if o.Budget != "" {
			o.Factor = b.Factor
		}
	}
	switch {
	case !st.Dead.IsZero():
		o.Why = fmt.Sprintf("it failed for good after %d attempts", st.Attempts)
	case st.Due.IsZero():
	case st.Visits == 0:
		o.Next, o.Why = o.Due, "it waits for its first visit"
	case !st.NotBefore.IsZero() && st.Attempts > 0:
		o.Next, o.Why = o.Due, "the last attempt failed, and it is tried again"
	case o.Policy == "":
		o.Next, o.Why = o.Due, "one more visit is requested, and no later one"
	default:
		o.Next = plat.Later(b.Next, o.Due)
	}
	if !o.Next.IsZero() {
		o.Next = plat.Later(o.Next, r.Now)
	}
	return o, nil
}

// hears sets the last signal and the reliability of sources.
func (o *Outlook) hears(st *plat.URLState, b *schedule.Belief) {
	for _, name := range slices.Sorted(maps.Keys(schedule.Sources)) {
		of := schedule.Sources[name]
		if n := b.Heard.Right[of-1] + b.Heard.Wrong[of-1]; n >= 1 {
			o.Sources = append(o.Sources, Source{Source: name, Recall: b.Heard.Recall(of), False: b.Heard.False(of), Right: n})
		}
		if of == b.Signal {
			o.Signal = &Signal{name, st.Signal.Modified}
		}
	}
}

// shared returns the shared data of a URL, and queries it only once per budget and site.
func (r *Reader) shared(ctx context.Context, v *schedule.Visit) (*schedule.Shared, error) {
	if r.Share == nil || v.State.Schedule.Budget == "" {
		return nil, nil
	}
	at := place{v.State.Schedule, plat.HostOf(v.State.URL)}
	if known, ok := r.known[at]; ok {
		return known, nil
	}
	shared, err := r.Share(ctx, v, schedule.Learned{})
	if err != nil {
		return nil, err
	}
	if r.known == nil {
		r.known = map[place]*schedule.Shared{}
	}
	r.known[at] = shared
	return shared, nil
}

// candidate is a URL that may be among those that are visited next.
type candidate struct {
	*Outlook
	priority float32
}

// after compares candidates: the first is visited first.
func after(a, b candidate) int {
	return cmp.Or(a.Next.Compare(b.Next), cmp.Compare(b.priority, a.priority), a.Due.Compare(b.Due), cmp.Compare(a.URL, b.URL))
}

// Next returns the forecasts for the URLs that are visited next, at most limit (0: all), the first
// first, without their visits. It reads the states of all URLs; advance, if not nil, receives the
// number read; the total is unknown.
func (r *Reader) Next(ctx context.Context, limit int, advance func(read, total int64)) ([]*Outlook, error) {
	if limit <= 0 {
		limit = math.MaxInt
	}
	var found []candidate // in order, at most limit
	read := int64(0)
	for st, err := range r.Archive.States(ctx, "", "") {
		if err != nil {
			return nil, err
		}
		if read++; advance != nil {
			advance(read, 0)
		}
		if st.Due.IsZero() {
			continue
		}
		// A visit is not earlier than the check by its policy, so most memories need not be read.
		due := storage.StartOf(&st)
		soonest := candidate{&Outlook{URL: st.URL, Due: due, Next: plat.Later(due, r.Now)}, st.Priority}
		if len(found) >= limit && after(soonest, found[limit-1]) >= 0 {
			continue
		}
		if st.Visits > 0 { // States omits the memory
			whole, err := r.Archive.State(ctx, st.URL)
			if errors.Is(err, plat.ErrNotFound) || err == nil && whole.URL != st.URL {
				continue // by now an alias of a page, which has a state of its own
			}
			if err != nil {
				return nil, err
			}
			st = whole
		}
		o, err := r.Believe(ctx, &st)
		if err != nil {
			return nil, err
		}
		if o.Next.IsZero() {
			continue // settled for good in the meantime
		}
		c := candidate{o, st.Priority}
		if i, _ := slices.BinarySearchFunc(found, c, after); i < limit {
			found = slices.Insert(found, i, c)
			found = found[:min(limit, len(found))]
		}
	}
	all := make([]*Outlook, len(found))
	for i, c := range found {
		visits, err := History(ctx, r.Archive, c.URL)
		if err != nil {
			return nil, err
		}
		c.Counts = Count(visits)
		all[i] = c.Outlook
	}
	return all, nil
}
