package web

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"plat"
	"plat/history"
)

// mementoTime is how the address of a memento says when it was taken, in UTC.
const mementoTime = "20060102150405"

// mementoPath is the address of the version of a URL that was taken then.
func mementoPath(url string, taken time.Time) string { return mementoAt(url, taken, "") }

func mementoAt(url string, taken time.Time, mod string) string {
	return "/web/" + taken.UTC().Format(mementoTime) + mod + "/" + url
}

// mementos are the versions of a URL as RFC 7089 has them, oldest first. Its
// clock has seconds: of several versions of one second the last one stands.
type mementos struct {
	url   string // canonical
	n     []int  // numbers of versions
	taken []time.Time
}

// mementosOf finds the versions of a URL that is written at the end of a request.
func (s *Server) mementosOf(ctx context.Context, raw string) (*mementos, error) {
	u, err := plat.Canonical(raw, s.Drop)
	if err != nil {
		return nil, err
	}
	state, err := s.Store.State(ctx, u)
	if err == nil && state.Head == 0 {
		err = plat.ErrNotFound
	}
	if err != nil {
		return nil, missing(err, "the archive has no version of %s", u)
	}
	times, err := s.times(ctx, u, state.Head)
	if err != nil {
		return nil, err
	}
	m := &mementos{url: u}
	for _, i := range inTime(times) {
		t := times[i].UTC().Truncate(time.Second)
		if k := len(m.taken) - 1; k >= 0 && m.taken[k].Equal(t) {
			m.n[k] = i + 1
			continue
		}
		m.n, m.taken = append(m.n, i+1), append(m.taken, t)
	}
	return m, nil
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

// near is the rank of the memento nearest to t; of two as near, the older.
func (m *mementos) near(t time.Time) int {
	// In seconds: a Duration ends after 292 years, and anybody may ask for 9999.
	after, _ := slices.BinarySearchFunc(m.taken, t, time.Time.Compare)
	if after == len(m.taken) || after > 0 && t.Unix()-m.taken[after-1].Unix() <= m.taken[after].Unix()-t.Unix() {
		return after - 1
	}
	return after
}

// within is the rank of the last memento from one time to another, or, if there is
// none, of that nearest to their end.
func (m *mementos) within(from, to time.Time) int {
	after, _ := slices.BinarySearchFunc(m.taken, to.Add(time.Second), time.Time.Compare)
	if after > 0 && !m.taken[after-1].Before(from) {
		return after - 1
	}
	return m.near(to)
}

// links are those that RFC 7089 asks for beside the memento of rank at; others
// reach us at o.
func (m *mementos) links(o string, at int) string {
	all := []string{
		fmt.Sprintf(`<%s>; rel="original"`, m.url),
		fmt.Sprintf(`<%s/timegate/%s>; rel="timegate"`, o, m.url),
		fmt.Sprintf(`<%s/timemap/link/%s>; rel="timemap"; type="application/link-format"`, o, m.url),
	}
	last := len(m.n) - 1
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
func (m *mementos) link(origin string, i int, rel string) string {
	return fmt.Sprintf(`<%s%s>; rel="%s"; datetime="%s"`, origin, mementoPath(m.url, m.taken[i]), rel, m.taken[i].Format(http.TimeFormat))
}

// origin is where others reach us: addresses in links are whole ones. Without word
// of that it is where the request was sent to.
func (s *Server) origin(r *http.Request) string {
	if s.PublicURL != "" {
		return s.PublicURL
	}
	return "http://" + r.Host
}

// dated answers requests that are no endpoint's: it checks the method and sets the
// time that answer may take.
func (s *Server) dated(w http.ResponseWriter, r *http.Request, answer func(r *http.Request) error) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		s.fail(w, r, http.StatusMethodNotAllowed, "here one may GET or HEAD")
		return
	}
	ctx, done := context.WithTimeout(r.Context(), answerTime)
	defer done()
	r = r.WithContext(ctx)
	if err := answer(r); err != nil {
		s.failed(w, r, err)
	}
}

// timegate leads to the memento nearest to the time that the request accepts, the
// last one where it says none (RFC 7089 section 4.1, pattern 2.1).
func (s *Server) timegate(w http.ResponseWriter, r *http.Request, rest string) {
	s.dated(w, r, func(r *http.Request) error {
		w.Header().Set("Vary", "accept-datetime")
		m, err := s.mementosOf(r.Context(), rest)
		if err != nil {
			return err
		}
		at := len(m.n) - 1
		if asked := r.Header.Get("Accept-Datetime"); asked != "" {
			t, err := parseDatetime(asked)
			if err != nil {
				return err
			}
			at = m.near(t)
		}
		w.Header().Set("Link", m.links(s.origin(r), at))
		redirect(w, mementoPath(m.url, m.taken[at]))
		return nil
	})
}

// parseDatetime reads the date of RFC 7089 section 2.1.1: that of HTTP. Some
// clients leave out the zone, which is always GMT.
func parseDatetime(v string) (time.Time, error) {
	t, err := time.Parse(http.TimeFormat, strings.TrimSuffix(v, " GMT")+" GMT")
	if err != nil {
		return t, bad("Accept-Datetime: %.60q is no date; write it as in Thu, 31 May 2007 20:35:00 GMT", v)
	}
	return t, nil
}

// redirect sends to another address of ours. It is set as it is: http.Redirect
// would clean the path, and take one of a URL's two slashes away.
func redirect(w http.ResponseWriter, path string) {
	w.Header().Set("Location", path)
	w.WriteHeader(http.StatusFound)
}

// mementoRest is a time, to any precision, what is to be done with links, and a
// URL.
var mementoRest = regexp.MustCompile(`^([0-9]{4}|[0-9]{6}|[0-9]{8}|[0-9]{10}|[0-9]{12}|[0-9]{14})((?:[a-z]{2}_)?)/(.+)$`)

// parseMemento reads what stands after /web/. A time that is not whole is all of
// what it names: 2026 is from the first to the last second of that year.
func parseMemento(rest string) (from, to time.Time, mod, url string, err error) {
	m := mementoRest.FindStringSubmatch(rest)
	if m == nil {
		return from, to, "", "", bad("write /web/YYYYMMDDhhmmss/ and the URL")
	}
	digits := m[1]
	if from, err = time.Parse(mementoTime[:len(digits)], digits); err != nil {
		return from, to, "", "", bad("%s is no time; write YYYYMMDDhhmmss", digits)
	}
	switch len(digits) {
	case 4:
		to = from.AddDate(1, 0, 0)
	case 6:
		to = from.AddDate(0, 1, 0)
	case 8:
		to = from.AddDate(0, 0, 1)
	case 10:
		to = from.Add(time.Hour)
	case 12:
		to = from.Add(time.Minute)
	default:
		to = from.Add(time.Second)
	}
	to = to.Add(-time.Second)
	switch m[2] {
	case "", "mp_", "id_":
		return from, to, m[2], m[3], nil
	}
	return from, to, "", "", bad("there is no modifier %s; there are mp_ (links rewritten, as without any) and id_ (as captured)", m[2])
}

// memento shows a version: mp_, as without modifier, made to be looked at; id_
// the page byte for byte. A time at which none was taken leads to the nearest.
func (s *Server) memento(w http.ResponseWriter, r *http.Request, rest string) {
	s.dated(w, r, func(r *http.Request) error {
		from, to, mod, raw, err := parseMemento(rest)
		if err != nil {
			return err
		}
		m, err := s.mementosOf(r.Context(), raw)
		if err != nil {
			return err
		}
		at := m.within(from, to)
		w.Header().Set("Link", m.links(s.origin(r), at))
		if there := mementoAt(m.url, m.taken[at], mod); r.RequestURI != there {
			redirect(w, there)
			return nil
		}
		v, err := s.Store.Version(r.Context(), m.url, m.n[at])
		if err != nil {
			return err
		}
		w.Header().Set("Memento-Datetime", m.taken[at].Format(http.TimeFormat))
		if mod != "id_" {
			s.replay(w, r, v)
			return nil
		}
		page, err := history.Page(r.Context(), s.Store, v)
		if err != nil {
			w.Header().Del("Memento-Datetime")
			return err
		}
		// Shown where a browser asks for it, in an origin of its own that loads
		// and runs nothing.
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", sealed)
		send(w, r, page)
		return nil
	})
}
