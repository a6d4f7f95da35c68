package forecast

import (
	"context"
	"slices"
	"time"

	"plat/plat"
)

// Result is the result of a visit.
type Result string

// The results of visits.
const (
	First   Result = "first"   // the first version, or the page never existed: nothing to compare with
	News    Result = "news"    // a change that a reader would notice, or the page is gone
	Nothing Result = "nothing" // new
	Failed  Result = "failed"  // the page was not read
)

// Visit is a past visit. Its JSON is part of the interface.
type Visit struct {
	Time    time.Time    `json:"time"`
	Result  Result       `json:"result"`
	News    bool         `json:"news"`
	Outcome plat.Outcome `json:"outcome"`
	Version int          `json:"version,omitempty"` // the version found or stored; 0: no version
	Stored  bool         `json:"stored,omitempty"`  // it was stored by this visit
}

// Counts counts visits by their results. Its JSON is part of the interface.
type Counts struct {
	Visits  int `json:"visits"`
	First   int `json:"first"`
	News    int `json:"news"`
	Nothing int `json:"nothing"`
	Failed  int `json:"failed"`
}

// Count counts visits.
func Count(visits []Visit) (c Counts) {
	c.Visits = len(visits)
	for i := range visits {
		switch visits[i].Result {
		case First:
			c.First++
		case News:
			c.News++
		case Nothing:
			c.Nothing++
		case Failed:
			c.Failed++
		}
	}
	return c
}

// History returns the visits of a URL, the earliest first.
func History(ctx context.Context, a archive, url string) ([]Visit, error) {
	news := map[int]bool{}
	for v, err := range a.Versions(ctx, url) {
		if err != nil {
			return nil, err
		}
		news[v.N] = v.Previous() > 0 && v.News()
	}
	var visits []Visit
	for v, err := range a.Visits(ctx, url, 0) {
		if err != nil {
			return nil, err
		}
		visits = append(visits, Visit{Time: v.Time, Outcome: v.Outcome, Version: v.Version})
	}
	slices.Reverse(visits)
	head, before := 0, plat.Outcome("")
	for i := range visits {
		v := &visits[i]
		if v.Version > head { // later visits that find it have its number too
			head, v.Stored = v.Version, true
		}
		v.Result = resultOf(v, before, news)
		v.News, before = v.Result == News, v.Outcome
	}
	return visits, nil
}

// resultOf returns the result that a policy receives, see [schedule.Visit.News].
func resultOf(v *Visit, before plat.Outcome, news map[int]bool) Result {
	result, known := withoutPage(v.Outcome, before)
	switch {
	case known:
		return result
	case v.Stored && v.Version == 1:
		return First
	case v.Stored && news[v.Version]:
		return News
	}
	return Nothing
}

// withoutPage returns the result of a visit that found no page, given the outcome of the previous
// visit; known is false if it found a page.
func withoutPage(o, before plat.Outcome) (result Result, known bool) {
	switch {
	case o == plat.OutcomeGone && before == "":
		return First, true
	case o == plat.OutcomeGone && before != plat.OutcomeGone:
		return News, true
	case o == plat.OutcomeGone:
		return Nothing, true
	case o.Failed():
		return Failed, true
	}
	return "", false
}
