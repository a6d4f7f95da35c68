package plat

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"
)

// Plan determines how a crawl handles a URL: the kind of job, which of its links are followed, and
// when it is visited again. Stores keep it as one opaque value; the frontier's sort keys, [Job.Due]
// and [Job.Priority], are not part of it. The zero Plan renders the page once and follows no links.
//
// To add an attribute: add the field here with its JSON name, its rule in Merge (unless it belongs to
// the schedule), where it is set (queue.Seed) and where it is used. CONTRIBUTING.md has an example
// with all places.
type Plan struct {
	Kind     JobKind  `json:"kind,omitempty"`
	Depth    int      `json:"depth,omitempty"` // links followed from the seed to here
	Scope    string   `json:"scope,omitempty"` // links of the page to follow, see links.ParseScope; empty: no links
	Schedule Schedule `json:"schedule,omitzero"`
	Watched  bool     `json:"watched,omitempty"` // a subscription chose the schedule: linked pages get Crawled instead
	Crawled  Schedule `json:"crawled,omitzero"`  // of a watched URL: its schedule without the subscription; zero: once
	Signal   Signal   `json:"signal,omitzero"`
	Spelling string   `json:"spelling,omitempty"` // of the URL in requests, as links write it; empty: canonical; see [Spelled]
	Focus    string   `json:"focus,omitempty"`    // IDs of the focused crawls that request the URL, one per line; see [Crawl]
}

// Signal is the data of a sitemap, a feed or a link about a page: hints for the schedule, and often
// wrong. The zero Signal is empty.
type Signal struct {
	Modified   time.Time `json:"modified,omitzero"`    // last change of the page; UTC, whole seconds
	ChangeFreq string    `json:"changefreq,omitempty"` // frequency of change: "always", "hourly", "daily", "weekly", "monthly", "yearly", "never"
	Priority   float64   `json:"priority,omitempty"`   // 0 to 1, relative to the site's other pages; 0 if not given
	Source     string    `json:"source,omitempty"`     // one of the following; empty: a sitemap or a feed
}

// Sources of signals.
const (
	SignalSitemap = "sitemap"
	SignalFeed    = "feed"
	SignalLink    = "link" // on a different page
)

// JobKind is the kind of work of a visit.
type JobKind string

const (
	RenderJob JobKind = ""      // render the page and archive it
	FetchJob  JobKind = "fetch" // download a file without a browser and read its URLs: a sitemap, a feed, or the sitemaps of a robots.txt
)

// Schedule determines when a URL is visited again: the name of a policy and its settings. The zero
// Schedule means once. See package schedule.
type Schedule struct {
	Policy string        `json:"policy,omitempty"` // empty: fixed, if there is an interval
	Every  time.Duration `json:"-"`                // from one visit to the next, whole milliseconds; in JSON the text "24h0m0s"

	// Budget is the number of visits that all URLs with the same budget and policy share, such as
	// "5000/day"; see schedule.ParseBudget. Empty: Every applies.
	Budget string `json:"budget,omitempty"`

	// Min and Max are the shortest and the longest interval that a policy other than fixed may
	// choose, in JSON as Every. 0: its default.
	Min, Max time.Duration `json:"-"`

	// Slots are the slots of a period that policy plan has chosen, each of the length Every; see
	// schedule.ParseSlots.
	Slots string `json:"slots,omitempty"`

	// Jitter is the fraction of Every by which an interval may be longer or shorter,
	// 0 to 1, so that pages enlisted together do not stay due together forever.
	Jitter float64 `json:"jitter,omitempty"`
}

// planVersion is the version of the encoding. Raise it when an older plat would misinterpret a newer
// plan.
const planVersion = 1

// The plain types have no methods, so that encoding/json uses their fields.
type (
	plainPlan     Plan
	plainSchedule Schedule
)

// intervals are the durations of a Schedule in JSON: text such as "24h0m0s".
type intervals struct {
	Every string `json:"every,omitempty"`
	Min   string `json:"min,omitempty"`
	Max   string `json:"max,omitempty"`
}

// MarshalJSON encodes intervals as text such as "24h0m0s".
func (s Schedule) MarshalJSON() ([]byte, error) {
	text := func(d time.Duration) string {
		if d == 0 {
			return ""
		}
		return d.String()
	}
	return json.Marshal(struct {
		plainSchedule
		intervals
	}{plainSchedule(s), intervals{text(s.Every), text(s.Min), text(s.Max)}})
}

// UnmarshalJSON decodes the output of MarshalJSON.
func (s *Schedule) UnmarshalJSON(text []byte) error {
	var j struct {
		plainSchedule
		intervals
	}
	if err := json.Unmarshal(text, &j); err != nil {
		return err
	}
	*s = Schedule(j.plainSchedule)
	for d, text := range map[*time.Duration]string{&s.Every: j.intervals.Every, &s.Min: j.intervals.Min, &s.Max: j.intervals.Max} {
		if text == "" {
			continue
		}
		parsed, err := time.ParseDuration(text)
		if err != nil {
			return err
		}
		if *d = parsed.Truncate(time.Millisecond); *d < 0 {
			return fmt.Errorf("interval %v: write a positive one", parsed)
		}
	}
	return nil
}

// Encode returns the plan as a JSON object with the version v and the non-zero
// fields, empty for the zero Plan.
func (p Plan) Encode() string {
	if p == (Plan{}) {
		return ""
	}
	b, err := json.Marshal(struct {
		V int `json:"v"`
		plainPlan
	}{planVersion, plainPlan(p)})
	if err != nil {
		panic(fmt.Sprintf("plat: encode plan: %v", err)) // only NaN and years beyond 9999 cannot be encoded, and Check rejects them
	}
	return string(b)
}

// DecodePlan parses the output of Encode. It returns [ErrCorrupt] if it is malformed, [ErrNewer] if a
// newer plat wrote it.
func DecodePlan(text string) (Plan, error) {
	if text == "" {
		return Plan{}, nil
	}
	var j struct {
		V int `json:"v"`
		plainPlan
	}
	if err := json.Unmarshal([]byte(text), &j); err != nil {
		return Plan{}, fmt.Errorf("crawl plan %.100q: %v: %w", text, err, ErrCorrupt)
	}
	switch {
	case j.V > planVersion:
		return Plan{}, fmt.Errorf("crawl plan %.100q has version %d, this plat reads at most %d: %w", text, j.V, planVersion, ErrNewer)
	case j.V < 1:
		return Plan{}, fmt.Errorf("crawl plan %.100q has no version: %w", text, ErrCorrupt)
	}
	return Plan(j.plainPlan), nil
}

// Check returns an error that describes the first invalid value of a plan, nil for a valid plan.
// Scope and policy are validated by the packages that use them.
func (p *Plan) Check() error {
	switch s := &p.Schedule; {
	case p.Kind != RenderJob && p.Kind != FetchJob:
		return fmt.Errorf("kind of job %q: write nothing, or %q", p.Kind, FetchJob)
	case p.Depth < 0:
		return fmt.Errorf("depth %d: write 0 or more", p.Depth)
	case s.Every < 0:
		return fmt.Errorf("interval %v: write a positive one", s.Every)
	case s.Min < 0 || s.Max < 0 || s.Max > 0 && s.Min > s.Max:
		return fmt.Errorf("intervals from %v to %v: write positive ones, the shorter first", s.Min, s.Max)
	case !(s.Jitter >= 0 && s.Jitter <= 1):
		return fmt.Errorf("jitter %v: write 0 to 1", s.Jitter)
	case s.Jitter > 0 && s.Every == 0:
		return errors.New("jitter without an interval: write the interval too")
	case !(p.Signal.Priority >= 0 && p.Signal.Priority <= 1):
		return fmt.Errorf("priority %v of the signal: write 0 to 1", p.Signal.Priority)
	case p.Signal.Modified.Year() < 0 || p.Signal.Modified.Year() > 9999:
		return fmt.Errorf("year %d of the signal: write a year up to 9999", p.Signal.Modified.Year())
	}
	return p.checkFocus()
}

func (p *Plan) checkFocus() error {
	n := 0
	for id := range p.Focuses() {
		if n++; n > maxFocuses {
			return fmt.Errorf("more than %d focused crawls: write fewer", maxFocuses)
		}
		if id == "" || len(id) > 64 || strings.Trim(id, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_") != "" {
			return fmt.Errorf("focused crawl %.100q: write IDs of 1 to 64 letters, digits, - and _, one per line", id)
		}
	}
	return nil
}

// Merge adds a second plan for the same URL. The smaller depth wins; a scope and a schedule are added
// if the plan has no scope or schedule (a seed's schedule replaces the previous one: see package
// storage); the later of two signals wins. A RenderJob wins over a FetchJob. The scopes of two
// fetches are joined, one per line, so that the file is read for each; focused crawls are joined too,
// up to 16. The spelling of the first plan stays.
func (p *Plan) Merge(other Plan) {
	if p.Scope == "" {
		p.Scope = other.Scope
	} else if p.Kind == FetchJob && other.Kind == FetchJob && !p.HasScope(other.Scope) && len(p.Scope)+len(other.Scope) < maxScopes {
		p.Scope += "\n" + other.Scope
	}
	if other.Kind == RenderJob {
		p.Kind = RenderJob
	}
	p.Depth = min(p.Depth, other.Depth)
	if other.Signal.Modified.After(p.Signal.Modified) || p.Signal == (Signal{}) {
		p.Signal = other.Signal
	}
	switch {
	case p.Schedule == (Schedule{}):
		p.Schedule, p.Watched, p.Crawled = other.Schedule, other.Watched, other.Crawled
	case p.Watched && p.Crawled == (Schedule{}):
		p.Crawled = other.Inherited()
	}
	for id := range other.Focuses() {
		p.addFocus(id)
	}
}

// Inherited returns the schedule that the plan passes on to linked pages. A subscription's schedule is that of its own page
// alone.
func (p *Plan) Inherited() Schedule {
	if p.Watched {
		return p.Crawled
	}
	return p.Schedule
}

// Choose sets a schedule: that of a subscription, if watched is true, else that of a user or a crawl.
func (p *Plan) Choose(s Schedule, watched bool) {
	switch {
	case !watched:
		p.Crawled = Schedule{}
	case !p.Watched:
		p.Crawled = p.Schedule
	}
	p.Schedule, p.Watched = s, watched
}

const (
	maxScopes  = 4 << 10 // maximum bytes of a file's joined scopes
	maxFocuses = 16      // maximum number of focused crawls of a URL
)

// Focuses yields the IDs of the focused crawls that request the URL.
func (p *Plan) Focuses() iter.Seq[string] {
	if p.Focus == "" {
		return func(func(string) bool) {}
	}
	return strings.SplitSeq(p.Focus, "\n")
}

// HasFocus reports whether a focused crawl requests the URL.
func (p *Plan) HasFocus(id string) bool {
	for f := range p.Focuses() {
		if f == id {
			return true
		}
	}
	return false
}

// addFocus adds a focused crawl, unless it is present. If there are too many, it drops the first: the
// one most likely to be done.
func (p *Plan) addFocus(id string) {
	switch {
	case p.Focus == "":
		p.Focus = id
	case !p.HasFocus(id):
		if strings.Count(p.Focus, "\n") >= maxFocuses-1 {
			_, p.Focus, _ = strings.Cut(p.Focus, "\n")
		}
		p.Focus += "\n" + id
	}
}

// HasScope reports whether the plan contains a scope.
func (p *Plan) HasScope(scope string) bool {
	if scope == "" {
		return true
	}
	for line := range strings.Lines(p.Scope) {
		if strings.TrimSuffix(line, "\n") == scope {
			return true
		}
	}
	return false
}

// Later returns the later of two times.
func Later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
