package main

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"plat/cmd/plat/app"
	"plat/fixtures"
	"plat/plat"
	"plat/storage"
	"plat/workers"
	"plat/workers/batch"
	"plat/workers/visitor"
)

// memory implements the part of a store that a visit needs. All other methods panic.
type memory struct {
	storage.Store
	mu   sync.Mutex
	down error // every answer, if not nil
	kept map[string]*plat.Version
}

func (m *memory) State(context.Context, string) (plat.URLState, error) {
	if m.down != nil {
		return plat.URLState{}, m.down
	}
	return plat.URLState{}, plat.ErrNotFound
}

func (m *memory) Last(ctx context.Context, st *plat.URLState) (*plat.Version, error) {
	return m.Version(ctx, st.URL, 0)
}

func (m *memory) Version(_ context.Context, url string, _ int) (*plat.Version, error) {
	if m.down != nil {
		return nil, m.down
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if v, ok := m.kept[url]; ok {
		return v, nil
	}
	return nil, plat.ErrNotFound
}

func (m *memory) States(context.Context, string, string) iter.Seq2[plat.URLState, error] {
	return func(func(plat.URLState, error) bool) {}
}

func (m *memory) Commit(_ context.Context, c *storage.Commit) (storage.Written, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.kept[c.Version.URL] = c.Version
	return storage.Written{Blocks: 1, Bytes: 10}, c.Check()
}

func (m *memory) Record(context.Context, plat.Visit, int64) error { return m.down }

// script renders a page after as many failures as fails lists for its URL.
type script struct {
	page  *plat.Snapshot
	fails map[string][]error

	mu    sync.Mutex
	calls map[string]int
	open  int // renderings under way, and the most of them at once
	most  int
}

func (s *script) Render(ctx context.Context, url string, _ func(*plat.Snapshot) plat.Attachments) (*plat.Snapshot, error) {
	s.mu.Lock()
	n := s.calls[url]
	s.calls[url]++
	s.open++
	s.most = max(s.most, s.open)
	s.mu.Unlock()
	defer func() { s.mu.Lock(); s.open--; s.mu.Unlock() }()
	if strings.Contains(url, "hang") {
		<-ctx.Done()
		return nil, &plat.VisitError{Outcome: plat.OutcomeInterrupted, Retry: true, Err: context.Cause(ctx)}
	}
	time.Sleep(time.Second)
	if n < len(s.fails[url]) {
		return nil, s.fails[url][n]
	}
	return s.page, nil
}

// batched runs URLs through a batch in a bubble of fake time.
func batched(t *testing.T, m *memory, s *script, retries, tabs int, stopAfter time.Duration, urls ...string) (result, []batch.Page, time.Duration) {
	t.Helper()
	m.kept, s.calls = map[string]*plat.Version{}, map[string]int{}
	s.page = fixtures.Snapshot(t, "paper-1")
	var out bytes.Buffer
	var err error
	var spent time.Duration
	var code int
	synctest.Test(t, func(t *testing.T) {
		a := app.New(nil, nil, &out, &out)
		a.JSON = true
		w, bad := visitor.NewWorker(s, m, workers.Options{})
		if bad != nil {
			t.Fatal(bad)
		}
		seeds := batch.NewSeeds(a.Drop())
		for _, u := range urls {
			seeds.Add(u)
		}
		seeds.End(nil)
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		if stopAfter > 0 {
			time.AfterFunc(stopAfter, func() { cancel(app.ErrInterrupted) })
		}
		begun := time.Now()
		err = visitAll(ctx, a, batch.Options{Worker: w, Archive: m, Gate: open{}, Retries: retries}, seeds, tabs)
		spent, code = time.Since(begun), app.CodeOf(ctx, err)
	})
	r := result{code: code}
	if err != nil {
		r.err = err.Error()
	}
	return r, jsonLines[batch.Page](t, out.String()), spent
}

func TestAVisitThatMaySucceedLaterIsTriedAgain(t *testing.T) {
	later := &plat.VisitError{Outcome: plat.OutcomeUnreachable, Retry: true, Err: errors.New("reset")}
	never := &plat.VisitError{Outcome: plat.OutcomeRefused, Err: errors.New("private")}
	s := &script{fails: map[string][]error{
		"http://a.test/once":  {later},
		"http://a.test/twice": {later, later},
		"http://a.test/never": {never},
	}}
	r, lines, _ := batched(t, &memory{}, s, 1, 2, 0, "http://a.test/", "http://a.test/once", "http://a.test/twice", "http://a.test/never")
	want := map[string]struct {
		outcome plat.Outcome
		tries   int
	}{
		"http://a.test/":      {plat.OutcomeNew, 1},
		"http://a.test/once":  {plat.OutcomeNew, 2},
		"http://a.test/twice": {plat.OutcomeUnreachable, 2},
		"http://a.test/never": {plat.OutcomeRefused, 1},
	}
	for _, a := range lines {
		if w := want[a.URL]; a.Outcome != w.outcome || a.Tries != w.tries || s.calls[a.URL] != w.tries {
			t.Errorf("%s: %s after %d tries (%d calls), want %+v", a.URL, a.Outcome, a.Tries, s.calls[a.URL], w)
		}
	}
	if len(lines) != len(want) || r.code != app.ExitPartly || s.most != 2 {
		t.Errorf("%d lines, exit %d, at most %d at once", len(lines), r.code, s.most)
	}
}

func TestAStoreThatIsLostEndsTheBatch(t *testing.T) {
	m := &memory{down: errors.New("connection refused")}
	s := &script{}
	r, lines, _ := batched(t, m, s, 3, 1, 0, "http://a.test/1", "http://a.test/2", "http://a.test/3")
	if r.code != app.ExitStore || len(lines) != 1 || lines[0].Outcome != plat.OutcomeError || lines[0].Tries != 1 || !strings.Contains(r.err, "when the store is back") {
		t.Errorf("exit %d, %q, lines %+v", r.code, r.err, lines)
	}
}

func TestInterruptionAbandonsWhatIsUnderWayAndBeginsNothing(t *testing.T) {
	s := &script{}
	r, lines, spent := batched(t, &memory{}, s, 5, 2, 10*time.Second, "http://a.test/", "http://a.test/hang1", "http://a.test/hang2", "http://a.test/more")
	if r.code != app.ExitInterrupted || spent > 11*time.Second || len(lines) != 3 || s.calls["http://a.test/more"] != 0 {
		t.Errorf("exit %d after %v, %q, lines %+v", r.code, spent, r.err, lines)
	}
	if !strings.Contains(r.err, "1 of 4 URLs were visited") {
		t.Errorf("it says %q", r.err)
	}
}

// open is a gate that lets everybody in.
type open struct{}

func (open) Enter(context.Context) error { return nil }
func (open) Leave()                      {}
