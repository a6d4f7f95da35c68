package concurrency

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
)

func TestTheNumberOfTabsFollowsTheLoad(t *testing.T) {
	const gb = 1 << 30
	for _, tc := range []struct {
		name  string
		loads []Load
		want  []int
	}{
		{"an idle CPU has more tabs, quickly while it is very idle", []Load{{.2, true, 8 * gb}, {.3, true, 8 * gb}, {.6, true, 8 * gb}}, []int{6, 9, 10}},
		{"a busy CPU has as many as before", []Load{{.86, true, 8 * gb}, {.95, true, 8 * gb}}, []int{4, 4}},
		{"tabs that nobody waits for are not made", []Load{{.1, false, 8 * gb}}, []int{4}},
		{"a bound is kept", slices.Repeat([]Load{{.1, true, 8 * gb}}, 4), []int{6, 9, 13, 16}},
		{"little memory takes tabs away, down to one", slices.Repeat([]Load{{.1, true, gb / 4}}, 5), []int{3, 2, 1, 1, 1}},
		{"memory for one tab more is not given to it", []Load{{.1, true, 3 * gb / 5}}, []int{4}},
		{"memory that is not known is no reason", []Load{{.5, true, 0}}, []int{5}},
		{"a CPU that stays full gives up what was added, and no more", append([]Load{{.5, true, 8 * gb}}, slices.Repeat([]Load{{1, true, 8 * gb}}, 13)...),
			[]int{5, 5, 5, 5, 5, 5, 4, 4, 4, 4, 4, 4, 4, 4}},
	} {
		s := Scale{Start: 4, Most: 16}
		size, got := 4, []int(nil)
		for _, l := range tc.loads {
			size = s.Next(size, l)
			got = append(got, size)
		}
		if !slices.Equal(got, tc.want) {
			t.Errorf("%s: %d tabs, want %d", tc.name, got, tc.want)
		}
	}
}

func TestASemaphoreKeepsTheOrderAndChangesInNumber(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewSemaphore(1)
		if err := s.Acquire(t.Context()); err != nil || s.Contended() {
			t.Fatalf("the first: %v, waited for: %t", err, s.Contended())
		}
		var mu sync.Mutex
		var in []int
		for i := range 3 {
			go func() {
				if s.Acquire(t.Context()) == nil {
					mu.Lock()
					in = append(in, i)
					mu.Unlock()
				}
			}()
			synctest.Wait()
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		left := make(chan error)
		go func() { left <- s.Acquire(ctx) }()
		synctest.Wait()
		gone := errors.New("gone")
		if cancel(gone); !errors.Is(<-left, gone) {
			t.Error("who stops waiting is not told why")
		}
		if !s.Contended() {
			t.Error("nobody seems to wait")
		}
		s.Release()
		synctest.Wait()
		s.Resize(2)
		synctest.Wait()
		s.Resize(3)
		synctest.Wait()
		if want := []int{0, 1, 2}; !slices.Equal(in, want) {
			t.Errorf("in came %d, want %d", in, want)
		}
		if !s.Fits() {
			t.Error("all who are in may stay, and are told otherwise")
		}
		s.Resize(1)
		if s.Fits() {
			t.Error("three stay where one may")
		}
		s.Release()
		s.Release()
		if s.taken != 1 {
			t.Errorf("%d are in", s.taken)
		}
		go func() { _ = s.Acquire(ctx) }()
		synctest.Wait()
		if s.taken != 1 {
			t.Error("one too many was let in")
		}
	})
}

func TestThisMachineTellsItsLoad(t *testing.T) {
	c, ok := CPUTimes()
	if !ok {
		t.Skip("no measure of CPU time here")
	}
	if c.all == 0 || c.used > c.all {
		t.Errorf("%d of %d", c.used, c.all)
	}
}
