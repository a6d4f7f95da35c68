package mongo

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"plat/plat"
	"plat/storage"
	"plat/storage/storagetest"
)

// recorder records the commands that reach a replica set.
type recorder struct {
	mu   sync.Mutex
	sent []recorded
}

type recorded struct {
	what       string // name and collection
	write      bool
	preference string
	primary    bool // who got it
	concern    string
}

func (r *recorder) see(_ *member, primary bool, c *wireCommand) {
	if c.isHello() || !c.reads() {
		return
	}
	concern, _ := c.body.Lookup("writeConcern").DocumentOK()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sent = append(r.sent, recorded{c.name() + " " + c.collection(), c.isWrite(), c.preference(), primary, concern.String()})
}

// take returns the commands since the last call.
func (r *recorder) take() []recorded {
	r.mu.Lock()
	defer r.mu.Unlock()
	sent := r.sent
	r.sent = nil
	return sent
}

// TestReadPreferenceIsForQuestions sends every kind of command to a replica set whose address has a read
// preference: only what people ask is read from a secondary, and nothing by which a write is decided.
func TestReadPreferenceIsForQuestions(t *testing.T) {
	rs := newReplicaSet(t)
	var r recorder
	rs.seen = r.see
	s, err := Open(t.Context(), rs.uri("&readPreference=secondaryPreferred"), Options{Database: open(t, Options{}).db.Name()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	writes, asks := s.ForPeople(false), s.ForPeople(true)
	p := storagetest.NewPage("https://a.test/", 1)
	first := p.Next()
	due := first.Visit.Time.Add(-time.Minute)
	ctx := t.Context()
	steps := func(s storage.Store, steps map[string]func(context.Context, storage.Store) error, preference string, primary bool) {
		t.Helper()
		for name, step := range steps {
			r.take()
			if err := step(ctx, s); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			sent := r.take()
			if len(sent) == 0 {
				t.Errorf("%s sends no command", name)
			}
			for _, c := range sent {
				if c.write && (!c.primary || c.concern != `{"w": "majority"}`) {
					t.Errorf("%s sends %+v; want the primary to write it, and a majority", name, c)
				}
				if !c.write && (c.preference != preference || c.primary != primary) {
					t.Errorf("%s sends %+v; want the read preference %s", name, c, preference)
				}
			}
		}
	}
	type commands = map[string]func(context.Context, storage.Store) error
	// In order, because each depends on the one before.
	for i, step := range []func(context.Context, storage.Store) error{
		func(ctx context.Context, s storage.Store) error {
			_, err := s.Enlist(ctx, []plat.Job{{URL: p.URL, Due: due, Priority: 0.5}}, storage.IfNew)
			return err
		},
		func(ctx context.Context, s storage.Store) error {
			_, _, err := s.Wake(ctx, due.Add(time.Hour), 10)
			return err
		},
		func(ctx context.Context, s storage.Store) error {
			_, err := s.Load(ctx, due.Add(time.Hour), []storage.HostLimit{{Host: "a.test", Limit: 3}})
			return err
		},
		func(ctx context.Context, s storage.Store) error {
			first.Visit.Settles, first.Visit.Next = due, due.Add(time.Hour)
			_, err := s.Commit(ctx, first)
			return err
		},
		func(ctx context.Context, s storage.Store) error { _, err := s.Commit(ctx, p.Next()); return err },
		func(ctx context.Context, s storage.Store) error {
			return s.Record(ctx, plat.Visit{URL: p.URL, Time: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC), Outcome: plat.OutcomeUnchanged, Version: 2}, 1)
		},
		func(ctx context.Context, s storage.Store) error {
			return s.Defer(ctx, storage.Deferral{URL: p.URL, Due: due.Add(time.Hour), At: due.Add(2 * time.Hour), Attempts: 1})
		},
	} {
		steps(writes, commands{fmt.Sprintf("step %d", i): step}, "primary", true)
	}
	v := first.Version
	var leaf plat.Hash
	for i := range v.Blocks {
		if v.Blocks[i].Leaf() {
			leaf = v.Blocks[i].Hash
		}
	}
	questions := commands{
		"Search": func(ctx context.Context, s storage.Store) error {
			_, err := s.Search(ctx, storage.Search{})
			return err
		},
		"Stats": func(ctx context.Context, s storage.Store) error { _, err := s.Stats(ctx); return err },
		"Find": func(ctx context.Context, s storage.Store) error {
			return last(s.Find(ctx, storage.BlockQuery{Host: "a.test"}))
		},
	}
	reads := commands{
		"State":    func(ctx context.Context, s storage.Store) error { _, err := s.State(ctx, p.URL); return err },
		"States":   func(ctx context.Context, s storage.Store) error { return last(s.States(ctx, "", "")) },
		"Visits":   func(ctx context.Context, s storage.Store) error { return last(s.Visits(ctx, p.URL, 0)) },
		"Version":  func(ctx context.Context, s storage.Store) error { _, err := s.Version(ctx, p.URL, 1); return err },
		"Versions": func(ctx context.Context, s storage.Store) error { return last(s.Versions(ctx, p.URL)) },
		"Trees":    func(ctx context.Context, s storage.Store) error { return last(s.Trees(ctx, p.URL, 1, 2)) },
		"Times":    func(ctx context.Context, s storage.Store) error { _, err := s.Times(ctx, p.URL); return err },
		"Layout":   func(ctx context.Context, s storage.Store) error { _, err := s.Layout(ctx, v.Layout); return err },
		"Contents": func(ctx context.Context, s storage.Store) error {
			_, err := s.Contents(ctx, []plat.Hash{leaf})
			return err
		},
	}
	decides := commands{
		"Index":  func(ctx context.Context, s storage.Store) error { return s.Index(ctx, nil) },
		"Verify": func(ctx context.Context, s storage.Store) error { _, err := s.Verify(ctx, nil); return err },
		"Probe":  func(ctx context.Context, s storage.Store) error { return s.Probe(ctx) },
		"Counts": func(ctx context.Context, s storage.Store) error { _, err := s.Counts(ctx, due); return err },
	}
	steps(writes, questions, "secondaryPreferred", false)
	steps(writes, reads, "primary", true)
	steps(writes, decides, "primary", true)
	steps(asks, questions, "secondaryPreferred", false)
	steps(asks, reads, "secondaryPreferred", false)
	steps(asks, decides, "primary", true)

	// A member that lags behind.
	rs.lags.Store(true)
	if got, err := asks.Version(ctx, p.URL, 2); err != nil || got.N != 2 {
		t.Errorf("a version that the secondary does not have yet: %v", err)
	}
	if _, err := asks.Contents(ctx, []plat.Hash{leaf}); err != nil {
		t.Errorf("a content that the secondary does not have yet: %v", err)
	}
}

// last reads a sequence to its end.
func last[T any](seq func(func(T, error) bool)) (err error) {
	for _, err = range seq {
	}
	return err
}

// TestWriteConcernOfTheAddress checks what each address makes of writes.
func TestWriteConcernOfTheAddress(t *testing.T) {
	rs := newReplicaSet(t)
	var r recorder
	rs.seen = r.see
	name := open(t, Options{}).db.Name()
	for options, want := range map[string]string{
		"":                            `{"w": "majority"}`,
		"&w=1":                        `{"w": {"$numberInt":"1"}}`,
		"&w=majority&journal=true":    `{"w": "majority","j": true}`,
		"&journal=true":               `{"w": "majority","j": true}`,
		"&readPreference=nearest&w=2": `{"w": {"$numberInt":"2"}}`,
		"&retryWrites=false&w=inEast": `{"w": "inEast"}`,
		"&readPreference=primary&w=1": `{"w": {"$numberInt":"1"}}`,
	} {
		s, err := Open(t.Context(), rs.uri(options), Options{Database: name})
		if err != nil {
			t.Errorf("%s: %v", options, err)
			continue
		}
		r.take()
		if err := s.Probe(t.Context()); err != nil {
			t.Errorf("%s: %v", options, err)
		}
		sent := r.take()
		if len(sent) != 1 || !slices.ContainsFunc(sent, func(c recorded) bool { return c.concern == want }) {
			t.Errorf("%s: it sends %+v, want the write concern %s", options, sent, want)
		}
		if err := s.Close(); err != nil {
			t.Errorf("%s: %v", options, err)
		}
	}
}
