package memento

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// timeLayout is the time format in the address of a memento, in UTC.
const timeLayout = "20060102150405"

// Path is the address of the version of a URL taken at the given time.
func Path(url string, taken time.Time) string { return PathWith(url, taken, "") }

// PathWith is Path with a modifier for the handling of links: mp_ or no modifier rewrites them,
// id_ leaves the page as captured.
func PathWith(url string, taken time.Time, mod string) string {
	return "/web/" + taken.UTC().Format(timeLayout) + mod + "/" + url
}

// List is the mementos of a URL in terms of RFC 7089, oldest first, at least
// one. Its resolution is a second: of several versions within a second it holds
// the last.
type List struct {
	URL   string      // canonical
	N     []int       // numbers of versions
	Taken []time.Time // UTC, whole seconds
}

// NewList returns the list of a URL whose version n was taken at times[n-1]; the zero time marks
// a removed version.
func NewList(url string, times []time.Time) *List {
	m := &List{URL: url}
	for _, i := range inTime(times) {
		if times[i].IsZero() {
			continue
		}
		t := times[i].UTC().Truncate(time.Second)
		if k := len(m.Taken) - 1; k >= 0 && m.Taken[k].Equal(t) {
			m.N[k] = i + 1
			continue
		}
		m.N, m.Taken = append(m.N, i+1), append(m.Taken, t)
	}
	return m
}

// inTime returns the indexes of times in chronological order, which is nearly
// always their order: clocks of two machines differ slightly.
func inTime(times []time.Time) []int {
	ranks := make([]int, len(times))
	for i := range ranks {
		ranks[i] = i
	}
	slices.SortStableFunc(ranks, func(a, b int) int { return times[a].Compare(times[b]) })
	return ranks
}

// Near returns the index of the memento nearest to t; at a tie, the older.
func (m *List) Near(t time.Time) int {
	// In seconds: a Duration overflows after 292 years, and clients may request
	// the year 9999.
	after, _ := slices.BinarySearchFunc(m.Taken, t, time.Time.Compare)
	if after == len(m.Taken) || after > 0 && t.Unix()-m.Taken[after-1].Unix() <= m.Taken[after].Unix()-t.Unix() {
		return after - 1
	}
	return after
}

// Within returns the index of the last memento between two times, or of the nearest to the second
// time if there is no such memento.
func (m *List) Within(from, to time.Time) int {
	after, _ := slices.BinarySearchFunc(m.Taken, to.Add(time.Second), time.Time.Compare)
	if after > 0 && !m.Taken[after-1].Before(from) {
		return after - 1
	}
	return m.Near(to)
}

// Links are the links that RFC 7089 requires for the memento with index at; o
// is our external origin.
func (m *List) Links(o string, at int) string {
	all := []string{
		fmt.Sprintf(`<%s>; rel="original"`, m.URL),
		fmt.Sprintf(`<%s/timegate/%s>; rel="timegate"`, o, m.URL),
		fmt.Sprintf(`<%s/timemap/link/%s>; rel="timemap"; type="application/link-format"`, o, m.URL),
	}
	last := len(m.N) - 1
	// One entry per memento, even if it has several roles.
	for _, i := range slices.Compact([]int{0, max(0, at-1), at, min(at+1, last), last}) {
		var rels []string
		for _, is := range []struct {
			rel  string
			rank int
		}{{"first", 0}, {"last", last}, {"prev", at - 1}, {"next", at + 1}} {
			if i == is.rank {
				rels = append(rels, is.rel)
			}
		}
		all = append(all, m.link(o, i, strings.Join(append(rels, "memento"), " ")))
	}
	return strings.Join(all, ", ")
}

// link is an entry for the memento with index i.
func (m *List) link(origin string, i int, rel string) string {
	return fmt.Sprintf(`<%s%s>; rel="%s"; datetime="%s"`, origin, Path(m.URL, m.Taken[i]), rel, m.Taken[i].Format(http.TimeFormat))
}
