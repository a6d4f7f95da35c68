package memento

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// timeLayout is how the address of a memento says when it was taken, in UTC.
const timeLayout = "20060102150405"

// Path is the address of the version of a URL that was taken then.
func Path(url string, taken time.Time) string { return PathWith(url, taken, "") }

// PathWith is Path with a modifier, which says what is to be done with links: mp_
// rewrites them, as none does, id_ leaves the page as captured.
func PathWith(url string, taken time.Time, mod string) string {
	return "/web/" + taken.UTC().Format(timeLayout) + mod + "/" + url
}

// List is the mementos of a URL as RFC 7089 has them, oldest first, of which there is
// one or more. Its clock has seconds: of several versions of one second the last one
// stands.
type List struct {
	URL   string      // canonical
	N     []int       // numbers of versions
	Taken []time.Time // UTC, whole seconds
}

// NewList makes the list of a URL of which version n was taken at times[n-1].
func NewList(url string, times []time.Time) *List {
	m := &List{URL: url}
	for _, i := range inTime(times) {
		t := times[i].UTC().Truncate(time.Second)
		if k := len(m.Taken) - 1; k >= 0 && m.Taken[k].Equal(t) {
			m.N[k] = i + 1
			continue
		}
		m.N, m.Taken = append(m.N, i+1), append(m.Taken, t)
	}
	return m
}

// inTime are the ranks of times in their order, which is nearly always that in
// which they stand: clocks of two machines differ a little.
func inTime(times []time.Time) []int {
	ranks := make([]int, len(times))
	for i := range ranks {
		ranks[i] = i
	}
	slices.SortStableFunc(ranks, func(a, b int) int { return times[a].Compare(times[b]) })
	return ranks
}

// Near is the rank of the memento nearest to t; of two as near, the older.
func (m *List) Near(t time.Time) int {
	// In seconds: a Duration ends after 292 years, and anybody may ask for 9999.
	after, _ := slices.BinarySearchFunc(m.Taken, t, time.Time.Compare)
	if after == len(m.Taken) || after > 0 && t.Unix()-m.Taken[after-1].Unix() <= m.Taken[after].Unix()-t.Unix() {
		return after - 1
	}
	return after
}

// Within is the rank of the last memento from one time to another, or, if there is
// none, of that nearest to their end.
func (m *List) Within(from, to time.Time) int {
	after, _ := slices.BinarySearchFunc(m.Taken, to.Add(time.Second), time.Time.Compare)
	if after > 0 && !m.Taken[after-1].Before(from) {
		return after - 1
	}
	return m.Near(to)
}

// Links are those that RFC 7089 asks for beside the memento of rank at; others
// reach us at o.
func (m *List) Links(o string, at int) string {
	all := []string{
		fmt.Sprintf(`<%s>; rel="original"`, m.URL),
		fmt.Sprintf(`<%s/timegate/%s>; rel="timegate"`, o, m.URL),
		fmt.Sprintf(`<%s/timemap/link/%s>; rel="timemap"; type="application/link-format"`, o, m.URL),
	}
	last := len(m.N) - 1
	// One entry for each memento, whatever it is.
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

// link is an entry for the memento of rank i.
func (m *List) link(origin string, i int, rel string) string {
	return fmt.Sprintf(`<%s%s>; rel="%s"; datetime="%s"`, origin, Path(m.URL, m.Taken[i]), rel, m.Taken[i].Format(http.TimeFormat))
}
