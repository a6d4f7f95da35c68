package storagetest

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"plat/plat"
	"plat/storage"
)

func testMemory(t *testing.T, open func(testing.TB) storage.Store, _ int) {
	const url = "https://a.test/"
	memory := func(t *testing.T, s storage.Store, want string) {
		t.Helper()
		if got, err := s.State(t.Context(), url); err != nil || got.Memory != want {
			t.Errorf("State has Memory %q, %v; want %q", got.Memory, err, want)
		}
	}
	visit := func(after time.Duration, memory string) plat.Visit {
		return plat.Visit{URL: url, Time: day.Add(after), Outcome: plat.OutcomeUnchanged, Status: 200, Version: 1, Memory: memory}
	}

	t.Run("a visit's memory is stored in the state, and an empty one keeps it", func(t *testing.T) {
		s := open(t)
		c := NewPage(url, 1).Next()
		c.Version.Taken, c.Visit.Time, c.Visit.Memory = day, day, "of \x00\xff the commit"
		commit(t, s, c)
		memory(t, s, "of \x00\xff the commit")
		record(t, s, visit(time.Hour, ""))
		memory(t, s, "of \x00\xff the commit")
		record(t, s, visit(2*time.Hour, "of a visit"))
		memory(t, s, "of a visit")
		if _, err := s.Enlist(t.Context(), []plat.Job{{URL: url, Due: day.Add(5 * time.Hour)}}, storage.Join); err != nil {
			t.Fatal(err)
		}
		memory(t, s, "of a visit")
		for st, err := range s.States(t.Context(), "", "") {
			if err != nil || st.Memory != "" {
				t.Errorf("States has Memory %q, %v; want none", st.Memory, err)
			}
		}
		for v, err := range s.Visits(t.Context(), url, 0) {
			if err != nil || v.Memory != "" {
				t.Errorf("Visits yields Memory %q, %v", v.Memory, err)
			}
		}
		clean(t, s)
	})

	t.Run("a repeated visit does not change the memory", func(t *testing.T) {
		s := open(t)
		record(t, s, visit(0, "first"))
		record(t, s, visit(time.Hour, "second"))
		record(t, s, visit(0, "first again"))
		memory(t, s, "second")
		settles := visit(2*time.Hour, "third")
		settles.Settles = day
		record(t, s, settles)
		settles.Time, settles.Memory = day.Add(3*time.Hour), "late"
		if err := s.Record(t.Context(), settles, 10); !errors.Is(err, plat.ErrSettled) {
			t.Errorf("Record for a settled job = %v, want plat.ErrSettled", err)
		}
		memory(t, s, "third")
		clean(t, s)
	})

	t.Run("a memory has at most plat.MaxMemory bytes", func(t *testing.T) {
		s := open(t)
		most := strings.Repeat("x", plat.MaxMemory)
		record(t, s, visit(0, most))
		memory(t, s, most)
		if err := s.Record(t.Context(), visit(time.Hour, most+"x"), 0); err == nil {
			t.Errorf("Record of a visit with %d bytes of memory succeeds", len(most)+1)
		}
		c := NewPage(url, 1).Next()
		c.Visit.Memory = most + "x"
		if _, err := s.Commit(t.Context(), c); err == nil {
			t.Errorf("Commit of a visit with %d bytes of memory succeeds", len(most)+1)
		}
		memory(t, s, most)
		if st, err := s.State(t.Context(), url); err != nil || st.Visits != 1 {
			t.Errorf("State has %d visits, %v; want 1", st.Visits, err)
		}
	})

	t.Run("SwapMemory replaces the memory that was read, and nothing else", func(t *testing.T) {
		s := open(t)
		swap := func(was, memory string, want bool) {
			t.Helper()
			if got, err := s.SwapMemory(t.Context(), url, was, memory); err != nil || got != want {
				t.Errorf("SwapMemory(%q, %q) = %v, %v; want %v", was, memory, got, err, want)
			}
		}
		if _, err := s.SwapMemory(t.Context(), url, "", "x"); !errors.Is(err, plat.ErrNotFound) {
			t.Errorf("SwapMemory of an unknown URL = %v, want plat.ErrNotFound", err)
		}
		for _, err := range s.States(t.Context(), "", "") {
			t.Errorf("SwapMemory has made a URL; %v", err)
		}
		if _, err := s.Enlist(t.Context(), []plat.Job{{URL: url, Due: day.Add(5 * time.Hour)}}, storage.Join); err != nil {
			t.Fatal(err)
		}
		swap("other", "x", false)
		swap("", "of an enlisted \x00\xff URL", true)
		memory(t, s, "of an enlisted \x00\xff URL")
		record(t, s, visit(0, "of a visit"))
		was, err := s.State(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		swap("of an enlisted \x00\xff URL", "too late", false)
		memory(t, s, "of a visit")
		swap("of a visit", "of a visit", true)
		swap("of a visit", "another", true)
		was.Memory = "another"
		if got, err := s.State(t.Context(), url); err != nil || got != was {
			t.Errorf("State = %+v, %v; want %+v", got, err, was)
		}
		most := strings.Repeat("x", plat.MaxMemory)
		if got, err := s.SwapMemory(t.Context(), url, "another", most+"x"); err == nil || got {
			t.Errorf("SwapMemory of %d bytes = %v, %v", len(most)+1, got, err)
		}
		swap("another", most, true)
		swap(most, "", true)
		memory(t, s, "")
		swap("", "again", true)
		record(t, s, visit(time.Hour, ""))
		memory(t, s, "again")
		clean(t, s)
	})

	t.Run("a visit and SwapMemory at the same time lose neither's word", func(t *testing.T) {
		s := open(t)
		record(t, s, visit(0, "0"))
		const rounds = 20
		var wg sync.WaitGroup
		wg.Go(func() {
			for i := 1; i <= rounds; i++ {
				if err := s.Record(t.Context(), visit(time.Duration(i)*time.Hour, fmt.Sprint(i)), 10); err != nil {
					t.Error(err)
				}
			}
		})
		wg.Go(func() { // the new memory contains the visit that it was derived from
			for range rounds {
				st, err := s.State(t.Context(), url)
				if err == nil && !strings.HasSuffix(st.Memory, "+") {
					_, err = s.SwapMemory(t.Context(), url, st.Memory, st.Memory+"+")
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
		wg.Wait()
		if st, err := s.State(t.Context(), url); err != nil || strings.TrimSuffix(st.Memory, "+") != fmt.Sprint(rounds) || st.Visits != rounds+1 {
			t.Errorf("%d visits, Memory %q, %v; want that of the last visit", st.Visits, st.Memory, err)
		}
		clean(t, s)
	})

	t.Run("Skipped is stored with the visit", func(t *testing.T) {
		s := open(t)
		for i, skipped := range []bool{false, true, true, false, true} {
			v := visit(time.Duration(i)*time.Hour, "")
			v.Skipped = skipped
			record(t, s, v)
		}
		var got []bool
		for v, err := range s.Visits(t.Context(), url, 0) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, v.Skipped)
		}
		want := []bool{true, false, true, true, false} // latest first
		if len(got) != len(want) {
			t.Fatalf("Visits yields %v; want %v", got, want)
		}
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("Visits yields %v; want %v", got, want)
			}
		}
		clean(t, s)
	})
}
