package batch

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"plat/plat"
	"plat/workers"
)

// script is a worker that fails as often as a test configures for a URL; a visit takes a
// second. It is an archive too.
type script struct {
	fails map[string]int
	down  error // of the archive

	mu    sync.Mutex
	calls map[string]int
}

func (s *script) Visit(ctx context.Context, j plat.Job) (workers.Report, error) {
	s.mu.Lock()
	s.calls[j.URL]++
	n := s.calls[j.URL]
	s.mu.Unlock()
	select {
	case <-time.After(time.Second):
	case <-ctx.Done():
		return workers.Report{URL: j.URL, Outcome: plat.OutcomeInterrupted, Retry: true, PageBytes: 10}, context.Cause(ctx)
	}
	switch {
	case s.down != nil:
		return workers.Report{URL: j.URL, Outcome: plat.OutcomeError, Retry: true}, s.down
	case n <= s.fails[j.URL]:
		return workers.Report{URL: j.URL, Outcome: plat.OutcomeTimeout, Retry: true, PageBytes: 10}, errors.New("timeout: too slow")
	}
	return workers.Report{URL: j.URL, Outcome: plat.OutcomeNew, PageBytes: 10, StoredBytes: 4}, nil
}

func (s *script) State(context.Context, string) (plat.URLState, error) {
	if s.down != nil {
		return plat.URLState{}, s.down
	}
	return plat.URLState{}, plat.ErrNotFound
}

// run visits URLs two at a time, in a bubble of fake time, and returns their pages.
func run(t *testing.T, s *script, o Options, urls ...string) (b *Batch, p Progress, pages []Page) {
	t.Helper()
	s.calls = map[string]int{}
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		heard := o.Done
		o.Worker, o.Archive = s, s
		o.Done = func(p *Page) error {
			mu.Lock()
			defer mu.Unlock()
			pages = append(pages, *p)
			if heard != nil {
				return heard(p)
			}
			return nil
		}
		seeds := NewSeeds(nil)
		for _, u := range urls {
			seeds.Add(u)
		}
		seeds.End(nil)
		b = New(o)
		b.Run(t.Context(), seeds, 2)
		p = b.Progress(seeds)
	})
	return b, p, pages
}

func TestEveryPageIsToldOfOnceWithItsTries(t *testing.T) {
	s := &script{fails: map[string]int{"http://b.test/": 1, "http://c.test/": 9}}
	var seen []Progress
	_, p, pages := run(t, s, Options{Retries: 2, Watch: func(p Progress) { seen = append(seen, p) }},
		"http://a.test/", "http://a.test/#again", "http://b.test/", "http://c.test/", "ftp://me:hush@d.test/")
	want := map[string]Page{
		"http://a.test/":  {Outcome: plat.OutcomeNew, Tries: 1},
		"http://b.test/":  {Outcome: plat.OutcomeNew, Tries: 2},
		"http://c.test/":  {Outcome: plat.OutcomeTimeout, Tries: 3, Error: "too slow"},
		"ftp://…@d.test/": {Outcome: plat.OutcomeBadURL},
	}
	for _, p := range pages {
		w, ok := want[p.URL]
		if !ok || p.Outcome != w.Outcome || p.Tries != w.Tries || w.Error != "" && p.Error != w.Error {
			t.Errorf("%s is %+v, want %+v", p.URL, p, w)
		}
	}
	if w := (Totals{Pages: 4, New: 2, Failed: 2, PageBytes: 20, StoredBytes: 8}); len(pages) != 4 || p.Totals != w || p.Found != 4 || !p.All {
		t.Errorf("%d pages, %+v, want %+v", len(pages), p, w)
	}
	// Retries wait 1 s and 2 s: b takes 3 s, and c, that begins when a is done, 6 s.
	if p.Spent != 7*time.Second {
		t.Errorf("it took %v", p.Spent)
	}
	if len(seen) < 10 || !slices.IsSortedFunc(seen, func(a, b Progress) int { return a.Pages - b.Pages }) {
		t.Errorf("progress was told %d times", len(seen))
	}
}

func TestABatchEndsWhenGoingOnIsInVain(t *testing.T) {
	urls := []string{"http://a.test/", "http://b.test/", "http://c.test/", "http://d.test/"}
	down := errors.New("connection refused")
	b, p, _ := run(t, &script{down: down}, Options{Retries: 5}, urls...)
	if b.Lost() != down || p.Pages > 2 {
		t.Errorf("without an archive: %v after %d pages", b.Lost(), p.Pages)
	}
	unheard := errors.New("broken pipe")
	b, p, _ = run(t, &script{}, Options{Done: func(*Page) error { return unheard }}, urls...)
	if b.Lost() != nil || p.Pages > 2 {
		t.Errorf("without a reader: %v after %d pages", b.Lost(), p.Pages)
	}
}

// A page that is not in the archive does not count as stored bytes, nor as page bytes beside
// these.
func TestWhatIsNotKeptIsNotCounted(t *testing.T) {
	s := &script{calls: map[string]int{}}
	synctest.Test(t, func(t *testing.T) {
		stopped, stop := context.WithCancelCause(t.Context())
		stop(errors.New("interrupted"))
		b := New(Options{Worker: s, Archive: s, Done: func(*Page) error { return nil }})
		for url, ctx := range map[string]context.Context{"http://a.test/": t.Context(), "http://b.test/": stopped} {
			if err := b.Visit(ctx, NewSeed(url, nil)); err != nil {
				t.Fatal(err)
			}
		}
		if got, want := b.Totals(), (Totals{Pages: 2, New: 1, Interrupted: 1, PageBytes: 10, StoredBytes: 4}); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	})
}
