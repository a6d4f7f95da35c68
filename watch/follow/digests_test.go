package follow

import (
	"strings"
	"testing"
	"time"

	"plat/plat"
	"plat/storage/sqlite"
	"plat/storage/sqlite/sqlitetest"
)

func at(n, hour int) time.Time { return day(n).Add(time.Duration(hour) * time.Hour) }

func digests(s *sqlite.Store) *Digests {
	return &Digests{Store: s, Zone: time.UTC, Log: follower(s).Log}
}

// digested makes digests, and returns the number of items in them.
func digested(t *testing.T, d *Digests, s *sqlite.Store, now time.Time) (n int) {
	t.Helper()
	if err := d.Once(t.Context(), now); err != nil {
		t.Fatal(err)
	}
	for _, m := range messages(t, s) {
		n += len(m.Items)
	}
	return n
}

// Items that were sent at once are not sent again in the first digest, nor in the first after
// configuring it again.
func TestADigestBeginsWhenItIsAskedFor(t *testing.T) {
	s := sqlitetest.Open(t)
	f, d := follower(s), digests(s)
	subscribe(t, s, plat.Subscription{Tell: []string{"a"}})
	publish(t, s, page, at(1, 1), "One story", "Two story")
	publish(t, s, page, at(2, 1), "Three story", "One story", "Two story")
	once(t, f, 1)
	if n := digested(t, d, s, at(2, 9)); n != 1 {
		t.Fatalf("%d items are told at once, want 1", n)
	}
	asked := plat.Subscription{Tell: []string{"a"}, Digest: "daily 07:30"}
	subscribe(t, s, asked)
	if n := digested(t, d, s, at(2, 10)); n != 0 {
		t.Fatalf("%d items are told again", n)
	}
	publish(t, s, page, at(2, 12), "Four story", "Three story", "One story", "Two story")
	once(t, f, 1)
	if n := digested(t, d, s, at(3, 8)); n != 1 {
		t.Fatalf("%d items in the first digest, want 1", n)
	}
	subscribe(t, s, plat.Subscription{Tell: []string{"a"}})
	publish(t, s, page, at(3, 12), "Five story", "Four story", "Three story", "One story", "Two story")
	once(t, f, 1)
	if n := digested(t, d, s, at(4, 8)); n != 1 {
		t.Fatalf("%d items are told at once, want 1", n)
	}
	subscribe(t, s, asked)
	if n := digested(t, d, s, at(4, 9)); n != 0 {
		t.Fatalf("%d items are told again", n)
	}
}

func TestTheSameTimesAreOneDigest(t *testing.T) {
	s := sqlitetest.Open(t)
	f, d := follower(s), digests(s)
	jobs := "https://site.test/jobs/"
	subscribe(t, s, plat.Subscription{Tell: []string{"a"}, Digest: "daily 07:30"})
	subscribe(t, s, plat.Subscription{ID: "t", URL: jobs, Tell: []string{"a"}, Digest: "Daily 7:30"})
	digested(t, d, s, at(0, 9))
	for _, u := range []string{page, jobs} {
		publish(t, s, u, at(1, 1), "One story", "Two story")
		publish(t, s, u, at(1, 2), "Three story", "One story", "Two story")
	}
	once(t, f, 2)
	if n := digested(t, d, s, at(1, 8)); n != 2 {
		t.Errorf("%d items in the digest, want 2", n)
	}
}

// After an interruption, versions that were captured long before may wait to be examined.
func TestADigestWaitsForWhatIsBehind(t *testing.T) {
	s := sqlitetest.Open(t)
	f, d := follower(s), digests(s)
	subscribe(t, s, plat.Subscription{Tell: []string{"a"}, Digest: "daily 07:30"})
	publish(t, s, page, at(1, 1), "One story", "Two story")
	once(t, f, 1)
	digested(t, d, s, at(1, 9))
	publish(t, s, page, at(2, 1), "Three story", "One story", "Two story")
	if n := digested(t, d, s, at(4, 9)); n != 0 {
		t.Fatalf("%d items are told that nobody has found", n)
	}
	once(t, f, 1)
	if n := digested(t, d, s, at(4, 9).Add(time.Minute)); n != 1 {
		t.Fatalf("%d items in the digest, want 1", n)
	}
}

func TestADigestThatCannotBeMadeStopsNoOther(t *testing.T) {
	s := sqlitetest.Open(t)
	f, d := follower(s), digests(s)
	bad := strings.Repeat("x", 300) // not a valid name of a channel
	subscribe(t, s, plat.Subscription{Tell: []string{"a", bad}, Digest: "daily 07:30"})
	digested(t, d, s, at(0, 9))
	publish(t, s, page, at(1, 1), "One story", "Two story")
	publish(t, s, page, at(1, 2), "Three story", "One story", "Two story")
	once(t, f, 1)
	if err := d.Once(t.Context(), at(1, 8)); err == nil {
		t.Error("no error")
	}
	if n := len(messages(t, s)); n != 1 {
		t.Errorf("%d digests, want the other one", n)
	}
}
