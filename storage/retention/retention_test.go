package retention

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"plat/plat"
	"plat/storage"
	"plat/storage/sqlite"
	"plat/storage/sqlite/sqlitetest"
	"plat/storage/storagetest"
)

// archive holds versions of pages, with some time between them.
func archive(t *testing.T, urls ...string) *sqlite.Store {
	t.Helper()
	s := sqlitetest.Open(t)
	for i, url := range urls {
		p := storagetest.NewPage(url, uint64(i))
		for n := range 6 {
			c := p.Next()
			c.Version.Taken = time.Now().Add(time.Duration(n-6) * 24 * time.Hour).UTC()
			c.Visit.Time = c.Version.Taken
			if _, err := s.Commit(t.Context(), c); err != nil {
				t.Fatal(err)
			}
		}
	}
	return s
}

// left returns the kept versions, by URL.
func left(t *testing.T, s *sqlite.Store) string {
	t.Helper()
	var all []string
	for st, err := range s.States(t.Context(), "", "") {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, fmt.Sprintf("%s %d-%d", st.URL, st.Oldest(), st.Head))
	}
	return strings.Join(all, ", ")
}

func TestSweepForgetsWhatIsSelected(t *testing.T) {
	const a, ab, port, other = "https://a.test/", "https://a.test/b", "http://a.test:8080/", "https://other.test/"
	now := time.Now()
	for _, tc := range []struct {
		which Which
		cut   storage.Cut
		want  string
	}{
		{Which{URL: a}, storage.Cut{}, "http://a.test:8080/ 1-6, https://a.test/ 7-0, https://a.test/b 1-6, https://other.test/ 1-6"},
		{Which{Prefix: a}, storage.Cut{KeepLast: 4}, "http://a.test:8080/ 1-6, https://a.test/ 3-6, https://a.test/b 3-6, https://other.test/ 1-6"},
		{Which{Host: "a.test"}, storage.Cut{KeepLast: 1}, "http://a.test:8080/ 1-6, https://a.test/ 6-6, https://a.test/b 6-6, https://other.test/ 1-6"},
		{Which{Host: "a.test:8080"}, storage.Cut{KeepLast: 1}, "http://a.test:8080/ 6-6, https://a.test/ 1-6, https://a.test/b 1-6, https://other.test/ 1-6"},
		{Which{}, Policy{KeepLast: 2}.Cut(now), "http://a.test:8080/ 5-6, https://a.test/ 5-6, https://a.test/b 5-6, https://other.test/ 5-6"},
		// Version 3 was replaced 3 days ago, and 4 two days ago: version 4 was current until
		// then.
		{Which{URL: a}, Policy{KeepFor: 60 * time.Hour}.Cut(now), "http://a.test:8080/ 1-6, https://a.test/ 4-6, https://a.test/b 1-6, https://other.test/ 1-6"},
		{Which{URL: a}, Policy{KeepFor: 60 * time.Hour, KeepLast: 5}.Cut(now), "http://a.test:8080/ 1-6, https://a.test/ 2-6, https://a.test/b 1-6, https://other.test/ 1-6"},
		{Which{URL: a}, Policy{KeepFor: time.Minute}.Cut(now.Add(10000 * time.Hour)), "http://a.test:8080/ 1-6, https://a.test/ 6-6, https://a.test/b 1-6, https://other.test/ 1-6"},
	} {
		s := archive(t, a, ab, port, other)
		was := left(t, s)
		var said []string
		count := func(st *plat.URLState, f storage.Forgotten) { said = append(said, fmt.Sprint(st.URL, f.Versions)) }
		dry, err := Sweep(t.Context(), s, tc.which, tc.cut, true, count)
		if err != nil || left(t, s) != was {
			t.Fatalf("a dry sweep of %+v: %v; left %s", tc.which, err, left(t, s))
		}
		would := said
		said = nil
		f, err := Sweep(t.Context(), s, tc.which, tc.cut, false, count)
		if err != nil || f != dry || !slices.Equal(said, would) || len(said) == 0 {
			t.Errorf("Sweep(%+v, %+v) = %+v, %v (%v); dry %+v (%v)", tc.which, tc.cut, f, err, said, dry, would)
		}
		if got := left(t, s); got != tc.want {
			t.Errorf("Sweep(%+v, %+v) left\n%s, want\n%s", tc.which, tc.cut, got, tc.want)
		}
		if f, err := Sweep(t.Context(), s, tc.which, tc.cut, false, count); err != nil || f.Forgotten != (storage.Forgotten{}) {
			t.Errorf("the same again = %+v, %v", f, err)
		}
	}
}

// together is the archive of several processes, each of which reads the note before any of them writes it.
type together struct {
	Archive
	read *sync.WaitGroup
}

func (t together) Notes(ctx context.Context, prefix string) (map[string]string, error) {
	notes, err := t.Archive.Notes(ctx, prefix)
	t.read.Done()
	t.read.Wait()
	return notes, err
}

func TestOneOfSeveralProcessesSweeps(t *testing.T) {
	s := archive(t, "https://a.test/")
	var said bytes.Buffer
	log := slog.New(slog.NewTextHandler(&said, nil))
	for round, now := range []time.Time{time.Now(), time.Now().Add(Every)} {
		var read, all sync.WaitGroup
		read.Add(4)
		for range 4 {
			all.Go(func() {
				if err := once(t.Context(), together{s, &read}, Policy{KeepLast: 3}, now, log); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if n := strings.Count(said.String(), "old versions were forgotten"); n != round+1 {
			t.Errorf("%d sweeps in %d days:\n%s", n, round+1, said.String())
		}
	}
}

func TestAnArchiveIsSweptOnceADay(t *testing.T) {
	const url = "https://a.test/"
	s := archive(t, url)
	now := time.Now()
	log := slog.New(slog.DiscardHandler)
	for _, tc := range []struct {
		keep  int
		after time.Duration
		want  string // versions that are kept; then a further version is added
	}{
		{5, 0, url + " 3-7"},
		{5, time.Hour, url + " 3-8"}, // as by a second process, or after a restart
		{5, Every, url + " 5-9"},
		{4, Every + time.Hour, url + " 7-10"}, // a different policy
		{4, -10 * Every, url + " 8-11"},       // the previous clock was wrong
	} {
		last, err := s.Version(t.Context(), url, 0)
		if err != nil {
			t.Fatal(err)
		}
		c := storagetest.NewPage(url, 99).Next()
		c.Version.N, c.Visit.Version = last.N+1, last.N+1
		c.Version.Taken = last.Taken.Add(time.Minute)
		c.Visit.Time = c.Version.Taken
		if _, err := s.Commit(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		if err := once(t.Context(), s, Policy{KeepLast: tc.keep}, now.Add(tc.after), log); err != nil {
			t.Fatal(err)
		}
		if got := left(t, s); got != tc.want {
			t.Errorf("after %v, keeping %d: %s, want %s", tc.after, tc.keep, got, tc.want)
		}
	}
	r, err := s.Verify(t.Context(), nil)
	if err != nil || r.BrokenTotal > 0 || r.Unreferenced > 0 {
		t.Errorf("Verify = %+v, %v; want nothing broken, and nothing left that nothing refers to", r, err)
	}
}
