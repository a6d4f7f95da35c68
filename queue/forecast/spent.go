package forecast

import (
	"context"
	"iter"
	"time"

	"plat/plat"
)

// Spent counts the visits of a host's pages since a time, by result. Its JSON is part of the
// interface.
type Spent struct {
	URLs    int  `json:"urls"`    // that were visited
	Partial bool `json:"partial"` // more URLs were visited than the limit
	Counts
}

// SpentOn counts the visits of a host's pages since a time, of at most most URLs. It uses only the
// visits, because reading all versions of a host would take long: each version that was stored
// after the first is news here, even one in which blocks have only moved.
func SpentOn(ctx context.Context, a interface {
	States(ctx context.Context, prefix, after string) iter.Seq2[plat.URLState, error]
	Visits(ctx context.Context, url string, limit int) iter.Seq2[plat.Visit, error]
}, host string, since time.Time, most int) (s Spent, err error) {
	for _, scheme := range []string{"http://", "https://"} {
		for st, err := range a.States(ctx, scheme+host+"/", "") {
			switch {
			case err != nil:
				return Spent{}, err
			case st.Kind == plat.FetchJob || st.Visits == 0 || st.Last.Before(since): // a list of URLs, or not visited
				continue
			case s.URLs == most:
				s.Partial = true
				return s, nil
			}
			s.URLs++
			visits, err := latestVisits(a.Visits(ctx, st.URL, 0), since)
			if err != nil {
				return Spent{}, err
			}
			n := Count(visits)
			s.Visits += n.Visits
			s.First += n.First
			s.News += n.News
			s.Nothing += n.Nothing
			s.Failed += n.Failed
		}
	}
	return s, nil
}

// latestVisits returns the visits since a time, given the latest first, with their results.
func latestVisits(all iter.Seq2[plat.Visit, error], since time.Time) (visits []Visit, err error) {
	for v, err := range all {
		if err != nil {
			return nil, err
		}
		// The result of a visit depends on the previous visit, which follows here.
		if n := len(visits); n > 0 {
			visits[n-1].Result = outcomeResult(visits[n-1].Outcome, v.Outcome)
		}
		if v.Time.Before(since) {
			return visits, nil
		}
		visits = append(visits, Visit{Time: v.Time, Outcome: v.Outcome, Version: v.Version})
	}
	if n := len(visits); n > 0 {
		visits[n-1].Result = outcomeResult(visits[n-1].Outcome, "")
	}
	return visits, nil
}

// outcomeResult returns the result of a visit by its outcome, and that of the visit before it.
func outcomeResult(o, before plat.Outcome) Result {
	result, known := withoutPage(o, before)
	switch {
	case known:
		return result
	case o == plat.OutcomeNew:
		return First
	case o == plat.OutcomeChanged:
		return News
	}
	return Nothing
}
