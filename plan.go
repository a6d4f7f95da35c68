package plat

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Plan is what a crawl has in mind with a URL: what kind of job it is, which of its
// links are followed, and when it is visited again. Stores keep it as one value, which
// they need not understand; what a frontier sorts by, [Job.Due] and [Job.Priority], is
// not part of it. The zero Plan renders the page once and follows no links.
//
// To add an attribute: add the field here with its JSON name, its rule in Merge (none if
// it belongs to the schedule), where it is set (queue.Seed) and where it is used.
type Plan struct {
	Kind     JobKind  `json:"kind,omitempty"`
	Depth    int      `json:"depth,omitempty"` // links followed from the seed to here
	Scope    string   `json:"scope,omitempty"` // which links of the page to follow, see links.ParseScope; empty follows none
	Schedule Schedule `json:"schedule,omitzero"`
	Signal   Signal   `json:"signal,omitzero"`
}

// Signal is what the site says of a page elsewhere than on it, in a sitemap or a feed:
// hints for the schedule, and often wrong. The zero Signal is none.
type Signal struct {
	Modified   time.Time `json:"modified,omitzero"`    // when the page changed last; UTC, whole seconds
	ChangeFreq string    `json:"changefreq,omitempty"` // how often it changes: "always", "hourly", "daily", "weekly", "monthly", "yearly", "never"
	Priority   float64   `json:"priority,omitempty"`   // 0 to 1, against the site's other pages; 0 if not given
}

// JobKind says what a visit of a URL does.
type JobKind string

const (
	RenderJob JobKind = ""      // render the page and archive it
	FetchJob  JobKind = "fetch" // get a file without a browser and read where it leads: a sitemap, a feed, or the sitemaps of a robots.txt
)

// Schedule says when a URL is visited again: the name of a policy and its settings. The
// zero Schedule is once. See package schedule.
type Schedule struct {
	Policy string        `json:"policy,omitempty"` // empty: fixed, if there is an interval
	Every  time.Duration `json:"-"`                // from one visit to the next, whole milliseconds; in JSON the text "24h0m0s"

	// Jitter is by how much of Every an interval may be longer or shorter, 0 to 1, so
	// that pages which were enlisted together are not all due together for ever.
	Jitter float64 `json:"jitter,omitempty"`
}

// planVersion is that of the encoding. It is raised when an older plat would do
// something wrong with a plan that it reads.
const planVersion = 1

// plain types are without methods, so that JSON takes them by their fields.
type (
	plainPlan     Plan
	plainSchedule Schedule
)

// MarshalJSON writes the interval as text, as people do.
func (s Schedule) MarshalJSON() ([]byte, error) {
	every := ""
	if s.Every != 0 {
		every = s.Every.String()
	}
	return json.Marshal(struct {
		plainSchedule
		Every string `json:"every,omitempty"`
	}{plainSchedule(s), every})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (s *Schedule) UnmarshalJSON(text []byte) error {
	var j struct {
		plainSchedule
		Every string `json:"every"`
	}
	if err := json.Unmarshal(text, &j); err != nil {
		return err
	}
	*s = Schedule(j.plainSchedule)
	if j.Every == "" {
		return nil
	}
	every, err := time.ParseDuration(j.Every)
	if err != nil {
		return err
	}
	if s.Every = every.Truncate(time.Millisecond); s.Every < 0 {
		return fmt.Errorf("a schedule with the interval %v", every)
	}
	return nil
}

// Encode returns the plan as text: an object of JSON with the version v and what is
// not zero, empty for the zero Plan.
func (p Plan) Encode() string {
	if p == (Plan{}) {
		return ""
	}
	b, err := json.Marshal(struct {
		V int `json:"v"`
		plainPlan
	}{planVersion, plainPlan(p)})
	if err != nil {
		panic(fmt.Sprintf("plat: a plan that is no JSON: %v", err)) // only NaN is none, and CheckJobs refuses it
	}
	return string(b)
}

// DecodePlan reads what Encode wrote. [ErrCorrupt] if it is something else,
// [ErrNewer] if a newer plat wrote it.
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
		return Plan{}, fmt.Errorf("crawl plan %.100q has version %d, this plat reads %d and older: %w", text, j.V, planVersion, ErrNewer)
	case j.V < 1:
		return Plan{}, fmt.Errorf("crawl plan %.100q has no version: %w", text, ErrCorrupt)
	}
	return Plan(j.plainPlan), nil
}

// Check says what is wrong with a plan, nil if nothing is. It does not look into the
// scope, nor for the policy: those who use them do.
func (p *Plan) Check() error {
	switch s := &p.Schedule; {
	case p.Kind != RenderJob && p.Kind != FetchJob:
		return fmt.Errorf("kind of job %q: write nothing, or %q", p.Kind, FetchJob)
	case p.Depth < 0:
		return fmt.Errorf("depth %d: write 0 or more", p.Depth)
	case s.Every < 0:
		return fmt.Errorf("interval %v: write a positive one", s.Every)
	case !(s.Jitter >= 0 && s.Jitter <= 1):
		return fmt.Errorf("jitter %v: write 0 to 1", s.Jitter)
	case s.Jitter > 0 && s.Every == 0:
		return errors.New("jitter without an interval: write the interval too")
	}
	return nil
}

// Merge adds another plan for the same URL: the smaller depth counts; a scope and a
// schedule are taken where there was none; of two signals the later counts. A page that
// anybody wants rendered is; a file that is only fetched is read for the scopes of all who
// asked, a line each.
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
	if p.Schedule == (Schedule{}) {
		p.Schedule = other.Schedule
	}
}

// maxScopes is how many bytes the scopes of a file may have together.
const maxScopes = 4 << 10

// HasScope reports whether a scope is among those of the plan.
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
