package queue

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"plat/plat"
	"plat/plat/decodeerror"
	"plat/queue/links"
	"plat/queue/schedule"
)

// Seed is the written form of a URL to visit: in a list of URLs, in the inbox, in a
// request to the HTTP interface.
type Seed struct {
	URL      string   `json:"url"`
	Priority *float32 `json:"priority,omitempty"` // 0 to 1; 0.5
	Scope    string   `json:"scope,omitempty"`    // see [links.ParseScope]; "page"
	Depth    int      `json:"depth,omitempty"`    // shorthand for scope "host depth=N"
	Every    string   `json:"every,omitempty"`    // "24h", "7d", "daily", or a time of day, see [schedule.Daily]; once
	Jitter   float64  `json:"jitter,omitempty"`   // 0 to 1; fraction by which an interval may be longer or shorter
	Policy   string   `json:"policy,omitempty"`   // of the schedule; "fixed", with a budget schedule.Default
	Budget   string   `json:"budget,omitempty"`   // instead of Every: "5000/day", see [schedule.ParseBudget]
	Min      string   `json:"min,omitempty"`      // shortest interval that a policy may choose: "10m"
	Max      string   `json:"max,omitempty"`      // longest: "30d"
}

// maxSeed is the longest text of a seed, in bytes.
const maxSeed = 64 << 10

// ParseSeed parses one line: a URL, or a JSON object; see [Seed]. Missing fields come from
// defaults. Parameters in drop are removed from the URL.
func ParseSeed(text string, defaults Seed, drop []string) (plat.Job, error) {
	text = strings.TrimSpace(text)
	if len(text) > maxSeed {
		return plat.Job{}, errLongSeed(len(text))
	}
	if err := checkText(text); err != nil {
		return plat.Job{}, err
	}
	s := Seed{URL: text}
	if strings.HasPrefix(text, "{") {
		var err error
		if s, err = DecodeSeed(text); err != nil {
			return plat.Job{}, err
		}
	}
	return s.or(defaults).Job(drop)
}

// DecodeSeed reads a JSON object; see [Seed]. Unknown keys are an error.
func DecodeSeed(text string) (s Seed, err error) {
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return s, fmt.Errorf("not a seed: %w; write {\"url\": \"https://…\", \"priority\": 0.7, \"scope\": \"host depth=2\", \"every\": \"24h\"}", decodeerror.JSON(err))
	}
	if d.More() {
		return s, fmt.Errorf("not a seed: text after the JSON object")
	}
	return s, nil
}

// or fills the seed's missing fields from defaults: the fields of the schedule together, and the
// scope with the depth.
func (s Seed) or(defaults Seed) Seed {
	if s.Priority == nil {
		s.Priority = defaults.Priority
	}
	if s.Scope == "" && s.Depth == 0 {
		s.Scope, s.Depth = defaults.Scope, defaults.Depth
	}
	if s.Every == "" && s.Policy == "" && s.Jitter == 0 && s.Budget == "" && s.Min == "" && s.Max == "" {
		s.Every, s.Policy, s.Jitter = defaults.Every, defaults.Policy, defaults.Jitter
		s.Budget, s.Min, s.Max = defaults.Budget, defaults.Min, defaults.Max
	}
	return s
}

// Job returns the job described by a seed. The error describes an invalid seed.
func (s Seed) Job(drop []string) (plat.Job, error) {
	url, spelling, err := plat.Address(s.URL, drop)
	if err != nil {
		return plat.Job{}, err
	}
	j, scope, err := s.read()
	j.URL, j.Scope, j.Spelling = url, scope.For(url).String(), spelling
	return j, err
}

// seedOf returns the seed of a job: its Job is j again.
func seedOf(j *plat.Job) Seed {
	s := Seed{URL: cmp.Or(j.Spelling, j.URL), Priority: &j.Priority, Scope: j.Scope, Jitter: j.Schedule.Jitter, Policy: j.Schedule.Policy, Budget: j.Schedule.Budget}
	for text, d := range map[*string]time.Duration{&s.Every: j.Schedule.Every, &s.Min: j.Schedule.Min, &s.Max: j.Schedule.Max} {
		if d > 0 {
			*text = d.String()
		}
	}
	if daily := schedule.DailyOf(j.Schedule); daily != "" {
		s.Every, s.Policy = daily, ""
	}
	return s
}

// Check returns the error in a seed apart from its URL, or nil.
func (s Seed) Check() error {
	_, _, err := s.read()
	return err
}

// read returns the job without URL and scope, and the scope.
func (s Seed) read() (j plat.Job, scope links.Scope, err error) {
	if j.Priority = 0.5; s.Priority != nil {
		if j.Priority = *s.Priority; !(j.Priority >= 0 && j.Priority <= 1) {
			return j, scope, fmt.Errorf("priority %v: write 0 to 1", j.Priority)
		}
	}
	if s.Depth != 0 && s.Scope == "" {
		s.Scope = fmt.Sprintf("host depth=%d", s.Depth)
	}
	if scope, err = links.ParseScope(s.Scope); err != nil {
		return j, scope, err
	}
	if s.Depth != 0 && scope.Depth == 0 {
		if scope.Depth = s.Depth; s.Depth < 0 || s.Depth > 1000 {
			return j, scope, fmt.Errorf("depth %d: write 1 to 1000", s.Depth)
		}
	}
	daily, isDaily, err := schedule.Daily(s.Every)
	switch {
	case err != nil:
		return j, scope, fmt.Errorf("every: %w", err)
	case isDaily && (s.Policy != "" || s.Jitter != 0 || s.Budget != "" || s.Min != "" || s.Max != ""):
		return j, scope, fmt.Errorf("every %q: a time of day is the whole schedule; leave out policy, jitter, budget and bounds", s.Every)
	case isDaily:
		j.Schedule = daily
		return j, scope, cmp.Or(j.Plan.Check(), schedule.Check(j.Schedule))
	}
	for _, x := range []struct {
		to         *time.Duration
		name, text string
	}{{&j.Schedule.Every, "every", s.Every}, {&j.Schedule.Min, "min", s.Min}, {&j.Schedule.Max, "max", s.Max}} {
		if x.text == "" {
			continue
		}
		if *x.to, err = ParseInterval(x.text); err != nil {
			return j, scope, fmt.Errorf("%s: %w", x.name, err)
		}
	}
	j.Schedule.Policy, j.Schedule.Jitter, j.Schedule.Budget = s.Policy, s.Jitter, s.Budget
	return j, scope, cmp.Or(j.Plan.Check(), schedule.Check(j.Schedule))
}

// minInterval is the shortest interval between two visits of a URL.
const minInterval = time.Second

// intervals are the intervals that have a name.
var intervals = map[string]time.Duration{"hourly": time.Hour, "daily": 24 * time.Hour, "weekly": 7 * 24 * time.Hour}

// ParseInterval parses a Go duration, extended by d for days and w for weeks: "90m",
// "24h", "7d"; or hourly, daily, weekly.
func ParseInterval(text string) (time.Duration, error) {
	if d, ok := intervals[strings.ToLower(text)]; ok {
		return d, nil
	}
	long := text
	for unit, hours := range map[string]int{"d": 24, "w": 168} {
		if n, ok := strings.CutSuffix(text, unit); ok {
			var days int
			if _, err := fmt.Sscanf(n+";", "%d;", &days); err != nil || days > 100_000 {
				return 0, fmt.Errorf("interval %q: write 90m, 24h, 7d or the like", text)
			}
			long = fmt.Sprintf("%dh", days*hours)
		}
	}
	d, err := time.ParseDuration(long)
	if err != nil {
		return 0, fmt.Errorf("interval %q: write 90m, 24h, 7d, daily or the like", text)
	}
	if d < minInterval {
		return 0, fmt.Errorf("interval %q: the shortest is %v", text, minInterval)
	}
	return d, nil
}
