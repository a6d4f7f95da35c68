package mongo

import (
	"errors"
	"testing"
	"time"

	"plat/plat"
)

// posted stores a channel and a message on it.
func posted(t *testing.T, s *Store, due time.Time) {
	t.Helper()
	made := time.Now().Add(-time.Hour).UTC().Truncate(time.Millisecond)
	if err := errors.Join(s.PutChannel(t.Context(), &plat.Channel{Name: "c", URL: "https://old.test/"}),
		s.Post(t.Context(), []plat.Message{{ID: "m", Channel: "c", Subscription: "s", Items: []string{"i"}, Made: made, Due: due}})); err != nil {
		t.Fatal(err)
	}
}

// takeOne takes the message for an hour.
func takeOne(t *testing.T, s *Store) plat.Message {
	t.Helper()
	got, err := s.Take(t.Context(), time.Now(), time.Hour, 9)
	if err != nil || len(got) != 1 {
		t.Fatalf("Take = %+v, %v, want the message", got, err)
	}
	return got[0]
}

// While it is not known whether a message was returned, another process takes it, and keeps it.
func TestAnInterruptedFailedLeavesTheNextClaim(t *testing.T) {
	t.Parallel()
	for _, how := range []failure{cutAfter, applied} {
		rs, s, other := behindFailures(t)
		posted(t, other, time.Now())
		m := takeOne(t, s)
		met := rs.failOnce("update", "messages", how, func() { takeOne(t, other) })
		m.Due = time.Now()
		if err := s.Failed(t.Context(), &m); err != nil || !met() {
			t.Fatalf("Failed = %v, met %v", err, met())
		}
		if got, err := other.Take(t.Context(), time.Now().Add(2*time.Second), time.Hour, 9); err != nil || len(got) > 0 {
			t.Errorf("%s: a message that another process sends is taken again: %+v, %v", how, got, err)
		}
	}
}

// The same if the other process has sent it: the message is not found, as after any other removal.
func TestAnInterruptedFailedOfASentMessage(t *testing.T) {
	t.Parallel()
	rs, s, other := behindFailures(t)
	posted(t, other, time.Now())
	m := takeOne(t, s)
	met := rs.failOnce("update", "messages", cutAfter, func() {
		if err := other.Sent(t.Context(), takeOne(t, other).ID, time.Now()); err != nil {
			t.Error(err)
		}
	})
	m.Due = time.Now()
	if err := s.Failed(t.Context(), &m); !errors.Is(err, plat.ErrNotFound) || !met() {
		t.Errorf("Failed = %v, met %v, want plat.ErrNotFound", err, met())
	}
}
