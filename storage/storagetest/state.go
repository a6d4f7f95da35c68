package storagetest

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"plat/plat"
	"plat/storage"
)

func testState(t *testing.T, open func(testing.TB) storage.Store, size int) {
	t.Run("a probe changes nothing", func(t *testing.T) {
		s := open(t)
		commit(t, s, NewPage("https://a.test/", 1).Next())
		before := snapshotOf(t, s, "https://a.test/")
		for range 3 {
			if err := s.Probe(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if after := snapshotOf(t, s, "https://a.test/"); after != before {
			t.Errorf("before %s, after %s", before, after)
		}
		if states := states(t, s); len(states) != 1 {
			t.Errorf("%d URLs are known, want 1", len(states))
		}
	})
	t.Run("a URL neither visited nor enlisted is ErrNotFound", func(t *testing.T) {
		s := open(t)
		if _, err := s.State(t.Context(), "https://a.test/"); !errors.Is(err, plat.ErrNotFound) {
			t.Errorf("State error = %v, want plat.ErrNotFound", err)
		}
		if _, err := s.Version(t.Context(), "https://a.test/", 0); !errors.Is(err, plat.ErrNotFound) {
			t.Errorf("Version error = %v, want plat.ErrNotFound", err)
		}
		if got := collect(t, s.States(t.Context(), "", "")); len(got) != 0 {
			t.Errorf("States = %v, want none", got)
		}
		if got := collect(t, s.Versions(t.Context(), "https://a.test/")); len(got) != 0 {
			t.Errorf("Versions = %v, want none", got)
		}
		if got := collect(t, s.Trees(t.Context(), "https://a.test/", 0, 9)); len(got) != 0 {
			t.Errorf("Trees = %v, want none", got)
		}
		if _, err := s.Times(t.Context(), "https://a.test/"); !errors.Is(err, plat.ErrNotFound) {
			t.Errorf("Times error = %v, want plat.ErrNotFound", err)
		}
		if got := collect(t, s.Visits(t.Context(), "https://a.test/", 0)); len(got) != 0 {
			t.Errorf("Visits = %v, want none", got)
		}
		if got := collect(t, s.Find(t.Context(), storage.BlockQuery{})); len(got) != 0 {
			t.Errorf("Find = %v, want none", got)
		}
		stats, err := s.Stats(t.Context())
		if err != nil || len(stats) != 0 {
			t.Errorf("Stats = %v, %v; want none", stats, err)
		}
		clean(t, s)
	})

	t.Run("failed visits are stored too", func(t *testing.T) {
		s := open(t)
		v := plat.Visit{URL: "https://a.test:8443/x?y#z", Time: day.Add(300 * time.Microsecond), Outcome: plat.OutcomeTimeout, Duration: 30*time.Second + 7, Error: "load: no answer in 30 s"}
		if err := s.Record(t.Context(), v, 0); err != nil {
			t.Fatal(err)
		}
		got, err := s.State(t.Context(), v.URL)
		want := plat.URLState{URL: v.URL, Host: "a.test:8443", First: day, Last: day, Visits: 1, Outcome: plat.OutcomeTimeout}
		if err != nil || got != want {
			t.Errorf("State = %+v, %v; want %+v", got, err, want)
		}
		v.Time, v.Duration = day, 30*time.Second
		if got := collect(t, s.Visits(t.Context(), v.URL, 0)); len(got) != 1 || got[0] != v {
			t.Errorf("Visits = %+v, want %+v: instants and durations truncated to milliseconds", got, v)
		}
		if _, err := s.Version(t.Context(), v.URL, 0); !errors.Is(err, plat.ErrNotFound) {
			t.Errorf("Version of a URL without versions: error = %v, want plat.ErrNotFound", err)
		}
		clean(t, s)
	})

	t.Run("visits add up in any order", func(t *testing.T) {
		s := open(t)
		const url = "https://a.test/"
		c := NewPage(url, 1).Next()
		c.Version.Taken, c.Visit.Time = day, day
		c.Visit.Outcome = plat.OutcomeNew
		w := commit(t, s, c)
		size := c.Version.Capture.PageBytes
		for _, v := range []plat.Visit{
			{URL: url, Time: day.Add(2 * time.Hour), Outcome: plat.OutcomeHTTPError, Status: 503, Error: "503"},
			{URL: url, Time: day.Add(-time.Hour), Outcome: plat.OutcomeGone, Status: 404},
			{URL: url, Time: day.Add(time.Hour), Outcome: plat.OutcomeUnchanged, Status: 200, Version: 1},
			{URL: url, Time: day.Add(time.Hour), Outcome: plat.OutcomeGone, Status: 410}, // a duplicate
			{URL: url, Time: day, Outcome: plat.OutcomeGone, Status: 410},                // the commit's visit
		} {
			if err := s.Record(t.Context(), v, 100); err != nil {
				t.Fatal(err)
			}
		}
		got, err := s.State(t.Context(), url)
		want := plat.URLState{URL: url, Host: "a.test", First: day.Add(-time.Hour), Last: day.Add(2 * time.Hour), Visits: 4, Changes: 1, Head: 1, Level: 3,
			Status: 503, Outcome: plat.OutcomeHTTPError, PageBytes: size + 300, StoredBytes: w.Bytes}
		if err != nil || got != want {
			t.Errorf("State = %+v, %v; want %+v", got, err, want)
		}
		if w.Bytes <= 0 {
			t.Errorf("Written.Bytes = %d, want more than 0", w.Bytes)
		}
		clean(t, s)
	})

	t.Run("States yields URLs with a prefix in order, and the loop may call any method", func(t *testing.T) {
		s := open(t)
		var urls []string
		many := max(300, 3*size) // more than a store reads in one batch
		for i := range many {
			urls = append(urls, fmt.Sprintf("https://a.test/%04d", i))
		}
		urls = append(urls, "https://a.test/%25_x", "https://a.test/_", "https://a.test/新闻", "https://a.test/é", "https://a.test/🙂", "https://a.test/A", "https://a.test/a", "https://b.test/")
		for _, u := range urls {
			if err := s.Record(t.Context(), plat.Visit{URL: u, Time: day, Outcome: plat.OutcomeGone}, 0); err != nil {
				t.Fatal(err)
			}
		}
		slices.Sort(urls)
		for _, prefix := range []string{"", "https://a.test/", "https://a.test/01", "https://a.test/%25", "https://a.test/_", "https://a.test/新", "https://a.test/a", "https://b", "x"} {
			var want, got []string
			for _, u := range urls {
				if len(u) >= len(prefix) && u[:len(prefix)] == prefix {
					want = append(want, u)
				}
			}
			for st, err := range s.States(t.Context(), prefix, "") {
				if err != nil {
					t.Fatal(err)
				}
				if len(got)%100 == 0 { // reads and writes inside the loop
					if _, err := s.State(t.Context(), st.URL); err != nil {
						t.Fatal(err)
					}
					if err := s.Record(t.Context(), plat.Visit{URL: st.URL, Time: day.Add(time.Hour), Outcome: plat.OutcomeGone}, 0); err != nil {
						t.Fatal(err)
					}
				}
				got = append(got, st.URL)
			}
			if !slices.Equal(got, want) {
				t.Errorf("States(%q) yields %d URLs, want %d; first %.3q, want %.3q", prefix, len(got), len(want), got, want)
			}
		}
		for _, after := range []string{"https://a.test/0298", "https://a.test/01", "https://a.test/_", "https://a", "https://a.test/🙂", "https://z", "\uFFFF"} {
			for _, prefix := range []string{"", "https://a.test/0", "https://b"} {
				var want, got []string
				for _, u := range urls {
					if strings.HasPrefix(u, prefix) && u > after {
						want = append(want, u)
					}
				}
				for st, err := range s.States(t.Context(), prefix, after) {
					if err != nil {
						t.Fatal(err)
					}
					got = append(got, st.URL)
				}
				if !slices.Equal(got, want) {
					t.Errorf("States(%q, after %q) yields %d URLs, want %d; first %.3q, want %.3q", prefix, after, len(got), len(want), got, want)
				}
			}
		}
		n := 0
		for range s.States(t.Context(), "", "") {
			if n++; n == 290 {
				break
			}
		}
	})

	t.Run("Stats sums up hosts in order", func(t *testing.T) {
		s := open(t)
		a := history(t, s, "https://b.test/1", 1, 3)
		b := history(t, s, "https://b.test/2", 2, 2)
		history(t, s, "https://a.test/", 3, 1)
		if err := s.Record(t.Context(), plat.Visit{URL: "https://b.test/1", Time: day, Outcome: plat.OutcomeUnchanged, Version: 3}, 1000); err != nil {
			t.Fatal(err)
		}
		stats, err := s.Stats(t.Context())
		if err != nil || len(stats) != 2 || stats[0].Host != "a.test" || stats[1].Host != "b.test" {
			t.Fatalf("Stats = %+v, %v; want a.test and b.test", stats, err)
		}
		want := storage.SiteStats{Host: "b.test", URLs: 2, Visits: 6, Versions: 5, PageBytes: 1000, StoredBytes: stats[1].StoredBytes}
		for _, c := range append(a, b...) {
			want.PageBytes += c.Version.Capture.PageBytes
		}
		if stats[1] != want {
			t.Errorf("Stats of b.test = %+v, want %+v", stats[1], want)
		}
		one, _ := s.State(t.Context(), "https://b.test/1")
		two, _ := s.State(t.Context(), "https://b.test/2")
		if sum := one.StoredBytes + two.StoredBytes; sum != want.StoredBytes || sum <= 0 {
			t.Errorf("StoredBytes of b.test = %d, want the sum over its URLs, %d", want.StoredBytes, sum)
		}
		size, err := s.Size(t.Context())
		if err != nil || size <= 0 {
			t.Errorf("Size = %d, %v", size, err)
		}
	})
}

func testVisits(t *testing.T, open func(testing.TB) storage.Store, size int) {
	t.Run("latest first, regardless of insertion order", func(t *testing.T) {
		s := open(t)
		const url = "https://a.test/"
		var want []plat.Visit
		n := max(100, size) // coprime to 7
		if n%7 == 0 {
			n++
		}
		for i := range n {
			v := plat.Visit{URL: url, Time: day.Add(time.Duration(i*i) * time.Hour), Outcome: plat.OutcomeUnchanged, Version: i / 10, Status: 200,
				Duration: time.Duration(i) * time.Millisecond, Bytes: int64(i * 1000)}
			switch i % 10 {
			case 3:
				v.Outcome, v.Status, v.Error = plat.OutcomeHTTPError, 503, "服务不可用 "+fmt.Sprint(i)
			case 4:
				v.Outcome, v.Error = "an unknown outcome", string(bytes.Repeat([]byte("long "), 500))
			case 5:
				v.Bytes, v.Version, v.Status = 1<<50, 1<<40, -1
			case 6:
				v.Next = v.Time.Add(time.Duration(i-50) * time.Hour)
			}
			want = append(want, v)
		}
		for i := range want { // a shuffle
			for range 1 + i%2 {
				if err := s.Record(t.Context(), want[i*7%n], 5); err != nil {
					t.Fatal(err)
				}
			}
		}
		slices.Reverse(want)
		for _, limit := range []int{0, 1, 2, n / 2, n, n + 1} {
			got := collect(t, s.Visits(t.Context(), url, limit))
			w := want
			if limit > 0 {
				w = want[:min(limit, n)]
			}
			if !slices.Equal(got, w) {
				t.Errorf("Visits(limit %d) yields %d, want %d in order of time, latest first", limit, len(got), len(w))
			}
		}
		if st, _ := s.State(t.Context(), url); st.Visits != n || st.PageBytes != int64(5*n) || st.Outcome != want[0].Outcome {
			t.Errorf("State = %+v, want %d visits", st, n)
		}
		for range s.Visits(t.Context(), url, 0) {
			break
		}
		clean(t, s)
	})
}
