package browser

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
		loads []load
		want  []int
	}{
		{"an idle CPU has more tabs, quickly while it is very idle", []load{{.2, true, 8 * gb}, {.3, true, 8 * gb}, {.6, true, 8 * gb}}, []int{6, 9, 10}},
		{"a busy CPU has as many as before", []load{{.86, true, 8 * gb}, {.95, true, 8 * gb}}, []int{4, 4}},
		{"tabs that nobody waits for are not made", []load{{.1, false, 8 * gb}}, []int{4}},
		{"a bound is kept", slices.Repeat([]load{{.1, true, 8 * gb}}, 4), []int{6, 9, 13, 16}},
		{"little memory takes tabs away, down to one", slices.Repeat([]load{{.1, true, gb / 4}}, 5), []int{3, 2, 1, 1, 1}},
		{"memory for one tab more is not given to it", []load{{.1, true, 3 * gb / 5}}, []int{4}},
		{"memory that is not known is no reason", []load{{.5, true, 0}}, []int{5}},
		{"a CPU that stays full gives up what was added, and no more", append([]load{{.5, true, 8 * gb}}, slices.Repeat([]load{{1, true, 8 * gb}}, 13)...),
			[]int{5, 5, 5, 5, 5, 5, 4, 4, 4, 4, 4, 4, 4, 4}},
	} {
		s := scale{start: 4, most: 16}
		size, got := 4, []int(nil)
		for _, l := range tc.loads {
			size = s.next(size, l)
			got = append(got, size)
		}
		if !slices.Equal(got, tc.want) {
			t.Errorf("%s: %d tabs, want %d", tc.name, got, tc.want)
		}
	}
}

func TestSeatsAreGivenInOrderAndChangeInNumber(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSeats(1)
		if err := s.take(t.Context()); err != nil || s.wanted() {
			t.Fatalf("the first seat: %v, waited for: %t", err, s.wanted())
		}
		var mu sync.Mutex
		var in []int
		for i := range 3 {
			go func() {
				if s.take(t.Context()) == nil {
					mu.Lock()
					in = append(in, i)
					mu.Unlock()
				}
			}()
			synctest.Wait()
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		left := make(chan error)
		go func() { left <- s.take(ctx) }()
		synctest.Wait()
		gone := errors.New("gone")
		if cancel(gone); !errors.Is(<-left, gone) {
			t.Error("who stops waiting is not told why")
		}
		if !s.wanted() {
			t.Error("nobody seems to wait")
		}
		s.give()
		synctest.Wait()
		s.resize(2)
		synctest.Wait()
		s.resize(3)
		synctest.Wait()
		if want := []int{0, 1, 2}; !slices.Equal(in, want) {
			t.Errorf("in came %d, want %d", in, want)
		}
		s.resize(1)
		s.give()
		s.give()
		if s.taken != 1 {
			t.Errorf("%d seats are taken", s.taken)
		}
		go func() { _ = s.take(ctx) }()
		synctest.Wait()
		if s.taken != 1 {
			t.Error("a seat too many was given")
		}
	})
}

func TestThisMachineTellsItsLoad(t *testing.T) {
	c, ok := cpuTimes()
	if !ok {
		t.Skip("no measure of CPU time here")
	}
	if c.all == 0 || c.used > c.all {
		t.Errorf("%d of %d", c.used, c.all)
	}
}
