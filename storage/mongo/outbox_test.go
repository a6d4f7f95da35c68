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

// A user repairs a channel while it is not known whether it was disabled: the repair stays.
func TestAnInterruptedDisableLeavesARepair(t *testing.T) {
	t.Parallel()
	for _, how := range []failure{cutAfter, applied, cutBefore} {
		rs, s, other := behindFailures(t)
		posted(t, other, time.Now())
		met := rs.failOnce("update", "channels", how, func() {
			if err := other.PutChannel(t.Context(), &plat.Channel{Name: "c", URL: "https://new.test/"}); err != nil {
				t.Error(err)
			}
		})
		if err := s.DisableChannel(t.Context(), &plat.Channel{Name: "c", URL: "https://old.test/"}, "refused"); err != nil || !met() {
			t.Fatalf("DisableChannel = %v, met %v", err, met())
		}
		for c, err := range other.Channels(t.Context()) {
			if err != nil || c.URL != "https://new.test/" || c.Disabled != "" {
				t.Errorf("%s: the repaired channel is %+v, %v", how, c, err)
			}
		}
	}
}

// A repair fails after any of its writes: repeated, it makes the messages due.
func TestARepeatedRepairMakesMessagesDue(t *testing.T) {
	t.Parallel()
	for write := 1; write <= 3; write++ {
		for _, was := range []plat.Channel{{Name: "c", URL: "https://old.test/"}, {Name: "c", URL: "https://new.test/", Disabled: "410"}} {
			rs, s, other := behindFailures(t)
			posted(t, other, time.Now().Add(10*time.Hour))
			if err := other.PutChannel(t.Context(), &was); err != nil {
				t.Fatal(err)
			}
			n := 0
			rs.fail = func(string, string) failure {
				if n++; n >= write {
					return cutBefore
				}
				return works
			}
			mended := &plat.Channel{Name: "c", URL: "https://new.test/"}
			if err := s.PutChannel(t.Context(), mended); err == nil {
				t.Fatal("a repair without a server succeeds")
			}
			rs.mu.Lock()
			rs.fail = nil
			rs.mu.Unlock()
			if err := s.PutChannel(t.Context(), mended); err != nil {
				t.Fatal(err)
			}
			takeOne(t, other)
			var d channelDoc
			if err := other.channels.FindOne(t.Context(), byID("c")).Decode(&d); err != nil || d.Mending != "" {
				t.Errorf("the channel is %+v, %v after its repair", d, err)
			}
		}
	}
}

// While it is not known whether a repair has made the messages due, another process takes one: it keeps it.
func TestAnInterruptedRepairLeavesTheNextClaim(t *testing.T) {
	t.Parallel()
	rs, s, other := behindFailures(t)
	posted(t, other, time.Now().Add(10*time.Hour))
	met := rs.failOnce("update", "messages", cutAfter, func() { takeOne(t, other) })
	if err := s.PutChannel(t.Context(), &plat.Channel{Name: "c", URL: "https://new.test/"}); err != nil || !met() {
		t.Fatalf("PutChannel = %v, met %v", err, met())
	}
	if got, err := other.Take(t.Context(), time.Now().Add(2*time.Second), time.Hour, 9); err != nil || len(got) > 0 {
		t.Errorf("a message that another process sends is taken again: %+v, %v", got, err)
	}
}

// A claim that was refused is repeated, one that was applied is found, and a concurrent one is left alone.
func TestTakeSurvivesAFailover(t *testing.T) {
	t.Parallel()
	for _, how := range []failure{refuses, stepsDown, applied, cutBefore, cutAfter} {
		rs, s, other := behindFailures(t)
		posted(t, other, time.Now())
		met := rs.failOnce("findAndModify", "messages", how, func() {})
		if m := takeOne(t, s); m.Claim == "" || !met() {
			t.Errorf("%s: Take = %+v, met %v", how, m, met())
		}
	}
	rs, s, other := behindFailures(t)
	posted(t, other, time.Now())
	met := rs.failOnce("findAndModify", "messages", cutBefore, func() { takeOne(t, other) })
	if got, err := s.Take(t.Context(), time.Now(), time.Hour, 9); err != nil || len(got) > 0 || !met() {
		t.Errorf("Take = %+v, %v, met %v, of a message that another process has taken", got, err, met())
	}
}

// Take takes all messages of a call or none: if it fails, those that it has taken are due.
func TestAFailedTakeReturnsMessages(t *testing.T) {
	t.Parallel()
	rs, s, other := behindFailures(t)
	posted(t, other, time.Now())
	if err := other.Post(t.Context(), []plat.Message{{ID: "m2", Channel: "c", Subscription: "s2", Items: []string{"i"}, Made: time.Now(), Due: time.Now()}}); err != nil {
		t.Fatal(err)
	}
	n := 0
	rs.fail = func(name, _ string) failure {
		if name == "findAndModify" {
			if n++; n > 1 {
				return cutBefore
			}
		}
		return works
	}
	if got, err := s.Take(t.Context(), time.Now(), time.Hour, 9); err == nil || len(got) > 0 {
		t.Errorf("Take = %+v, %v", got, err)
	}
	if got, err := other.Take(t.Context(), time.Now(), time.Hour, 9); err != nil || len(got) != 2 {
		t.Errorf("Take = %+v, %v, want both messages", got, err)
	}
}
