package storagetest

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"plat/plat"
	"plat/storage"
)

// take takes messages and returns their IDs.
func take(t testing.TB, f follower, now time.Time, hold time.Duration, limit int) string {
	t.Helper()
	got, err := f.Take(t.Context(), now, hold, limit)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, m := range got {
		ids = append(ids, m.ID)
	}
	return strings.Join(ids, " ")
}

// takeOne takes the only message that is due, for an hour.
func takeOne(t testing.TB, f follower, now time.Time) plat.Message {
	t.Helper()
	got, err := f.Take(t.Context(), now, time.Hour, 99)
	if err != nil || len(got) != 1 {
		t.Fatalf("Take at %s = %+v, %v, want one message", now, got, err)
	}
	return got[0]
}

// claimed returns a message with a claim.
func claimed(m plat.Message, claim string) plat.Message {
	m.Claim = claim
	return m
}

// testOutbox tests messages and channels.
func testOutbox(t *testing.T, open func(testing.TB) storage.Store, size int) {
	fresh := func(t *testing.T, channels ...string) follower {
		f := followerOf(t, open(t))
		for _, name := range channels {
			if err := f.PutChannel(t.Context(), &plat.Channel{Name: name, URL: "https://" + name + ".test/$TOKEN"}); err != nil {
				t.Fatal(err)
			}
		}
		return f
	}
	post := func(t *testing.T, f follower, all ...plat.Message) {
		t.Helper()
		for range 2 { // it is idempotent
			if err := f.Post(t.Context(), all); err != nil {
				t.Fatal(err)
			}
		}
	}
	sent := func(t *testing.T, f follower, now time.Time, ids ...string) {
		t.Helper()
		for _, id := range ids {
			if err := f.Sent(t.Context(), id, now); err != nil {
				t.Fatal(err)
			}
		}
	}
	taken := func(t *testing.T, f follower, now time.Time, want string) {
		t.Helper()
		if got := take(t, f, now, time.Hour, 99); got != want {
			t.Errorf("Take at %s = %q, want %q", now, got, want)
		}
	}

	t.Run("channels are returned as stored, by name", func(t *testing.T) {
		f := fresh(t)
		var want []*plat.Channel
		for i := range 5 {
			c := &plat.Channel{Name: fmt.Sprintf("c%d é", (i*3)%5), URL: "https://a.test/$TOKEN"}
			if i == 2 {
				c.Disabled = "410 Gone"
			}
			if err := f.PutChannel(t.Context(), &plat.Channel{Name: c.Name, URL: "replaced"}); err != nil {
				t.Fatal(err)
			}
			if err := f.PutChannel(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			want = append(want, c)
		}
		slices.SortFunc(want, func(a, b *plat.Channel) int { return strings.Compare(a.Name, b.Name) })
		if got := collect(t, f.Channels(t.Context())); !reflect.DeepEqual(got, want) {
			t.Errorf("Channels = %+v, want %+v", got, want)
		}
	})

	t.Run("the messages of a channel that is mended are due at once", func(t *testing.T) {
		f := fresh(t)
		now := time.Date(2026, 5, 1, 8, 0, 0, 0, time.UTC)
		for _, c := range []struct {
			was, now plat.Channel
			due      string
		}{
			{plat.Channel{URL: "https://a.test/"}, plat.Channel{URL: "https://a.test/"}, ""},
			{plat.Channel{URL: "https://a.test/"}, plat.Channel{URL: "https://b.test/"}, "m"},
			{plat.Channel{URL: "https://a.test/", Disabled: "410"}, plat.Channel{URL: "https://a.test/"}, "m"},
			{plat.Channel{URL: "https://a.test/"}, plat.Channel{URL: "https://b.test/", Disabled: "410"}, ""},
		} {
			c.was.Name, c.now.Name = "c", "c"
			for _, step := range []func() error{
				func() error { return f.PutChannel(t.Context(), &c.was) },
				func() error {
					return f.Post(t.Context(), []plat.Message{{ID: "m", Channel: "c", Items: []string{"i"}, Made: now, Due: now.Add(24 * time.Hour)}})
				},
				func() error { return f.PutChannel(t.Context(), &c.now) },
				func() error { taken(t, f, now.Add(time.Minute), c.due); return nil },
				func() error { return f.RemoveChannel(t.Context(), "c") },
			} {
				if err := step(); err != nil {
					t.Fatal(err)
				}
			}
		}
	})

	t.Run("DisableChannel disables a channel with the same URL", func(t *testing.T) {
		f := fresh(t, "mail", "phone")
		post(t, f, messageTo("mail", "s", "m1", 1), messageTo("phone", "s", "m2", 2))
		for _, c := range []plat.Channel{{Name: "mail", URL: "https://mail.test/$TOKEN"}, {Name: "phone", URL: "https://old.test/"}, {Name: "none", URL: "https://none.test/"}} {
			if err := f.DisableChannel(t.Context(), &c, "410 Gone"); err != nil {
				t.Error(err)
			}
		}
		want := []*plat.Channel{{Name: "mail", URL: "https://mail.test/$TOKEN", Disabled: "410 Gone"}, {Name: "phone", URL: "https://phone.test/$TOKEN"}}
		if got := collect(t, f.Channels(t.Context())); !reflect.DeepEqual(got, want) {
			t.Errorf("Channels = %+v, want %+v", got, want)
		}
		taken(t, f, after(1), "m2")
		if err := f.DisableChannel(t.Context(), want[1], "\xff"); err == nil {
			t.Error("a reason that is not UTF-8 is stored")
		}
	})

	t.Run("RemoveChannel removes its messages", func(t *testing.T) {
		f := fresh(t, "mail", "phone")
		post(t, f, messageTo("mail", "s", "m1", 1), messageTo("phone", "s", "m2", 2))
		if err := f.RemoveChannel(t.Context(), "mail"); err != nil {
			t.Fatal(err)
		}
		if err := f.RemoveChannel(t.Context(), "mail"); !errors.Is(err, plat.ErrNotFound) {
			t.Errorf("RemoveChannel again = %v, want plat.ErrNotFound", err)
		}
		if b, err := f.Backlogs(t.Context()); err != nil || len(b) != 1 || b["phone"].Messages != 1 {
			t.Errorf("Backlogs = %+v, %v", b, err)
		}
		if got := collect(t, f.Channels(t.Context())); len(got) != 1 || got[0].Name != "phone" {
			t.Errorf("Channels = %+v", got)
		}
		clean(t, f)
	})

	t.Run("a message is taken as it was posted, and held", func(t *testing.T) {
		f := fresh(t, "mail")
		m := messageTo("mail", "s", "m", 1, "i1", "i2")
		m.Due, m.Attempts, m.Error = day.Add(time.Hour), 2, "503"
		post(t, f, m)
		taken(t, f, m.Due.Add(-time.Millisecond), "")
		now := m.Due.Add(time.Minute)
		got, err := f.Take(t.Context(), now, time.Hour, 9)
		m.Due = now.Add(time.Hour)
		if err != nil || len(got) != 1 || !reflect.DeepEqual(claimed(got[0], ""), m) || got[0].Claim == "" {
			t.Errorf("Take = %+v, %v; want %+v, with a claim", got, err, m)
		}
		taken(t, f, now.Add(time.Hour-time.Millisecond), "")
		taken(t, f, now.Add(time.Hour), "m") // the process that had taken it has died
	})

	t.Run("the oldest come first, at most limit", func(t *testing.T) {
		f := fresh(t, "mail", "phone")
		post(t, f, messageTo("mail", "a", "m3", 3), messageTo("phone", "a", "m1", 1), messageTo("mail", "b", "m2", 2), messageTo("mail", "", "m4", 3), messageTo("mail", "c", "m9", 900))
		if got := take(t, f, after(1), time.Hour, 3); got != "m1 m2 m3" {
			t.Errorf("Take = %q", got)
		}
		if got := take(t, f, after(1), time.Hour, 3); got != "m4" {
			t.Errorf("Take = %q, want the one that is left", got)
		}
		if got := take(t, f, after(3), time.Hour, 0); got != "" {
			t.Errorf("Take of none = %q", got)
		}
	})

	t.Run("the next of a channel and subscription follows when the first is settled", func(t *testing.T) {
		f := fresh(t, "mail", "phone")
		post(t, f, messageTo("mail", "a", "m2", 2), messageTo("mail", "a", "m1", 1), messageTo("mail", "a", "m0", 2), messageTo("phone", "a", "p1", 3), messageTo("mail", "", "d1", 4), messageTo("mail", "", "d2", 5))
		taken(t, f, after(1), "m1 p1 d1")
		taken(t, f, after(1), "")
		sent(t, f, after(1), "m1", "d1")
		got, err := f.Take(t.Context(), after(1), time.Hour, 99) // equal Made: by ID
		if err != nil || len(got) != 2 || got[0].ID != "m0" || got[1].ID != "d2" {
			t.Fatalf("Take = %+v, %v, want m0 and d2", got, err)
		}
		failed := got[0]
		failed.Attempts, failed.Due, failed.Error = 1, after(10), "503"
		if err := f.Failed(t.Context(), &failed); err != nil {
			t.Fatal(err)
		}
		taken(t, f, after(9), "p1 d2") // m2 waits for m0
		taken(t, f, after(10), "m0 p1 d2")
		sent(t, f, after(10), "m0")
		taken(t, f, after(10), "m2")
		clean(t, f)
	})

	t.Run("channels that are disabled or unknown are left out", func(t *testing.T) {
		f := fresh(t, "mail", "phone")
		if err := f.PutChannel(t.Context(), &plat.Channel{Name: "phone", Disabled: "410 Gone"}); err != nil {
			t.Fatal(err)
		}
		post(t, f, messageTo("phone", "s", "m1", 1), messageTo("none", "s", "m2", 1), messageTo("mail", "s", "m3", 1))
		taken(t, f, after(1), "m3")
		for _, name := range []string{"phone", "none"} {
			if err := f.PutChannel(t.Context(), &plat.Channel{Name: name}); err != nil {
				t.Fatal(err)
			}
		}
		taken(t, f, after(1), "m1 m2")
	})

	t.Run("what was sent is remembered for 30 days", func(t *testing.T) {
		f := fresh(t, "mail")
		post(t, f, messageTo("mail", "s", "m1", 1), messageTo("mail", "s", "m2", 2))
		for range 2 {
			sent(t, f, after(1), "m1", "unknown")
		}
		post(t, f, messageTo("mail", "s", "m1", 1), messageTo("mail", "s", "unknown", 1))
		sent(t, f, after(1).AddDate(0, 0, 29), "m2")
		post(t, f, messageTo("mail", "s", "m1", 1))
		if b, err := f.Backlogs(t.Context()); err != nil || len(b) != 0 {
			t.Errorf("Backlogs = %+v, %v; all were sent", b, err)
		}
		sent(t, f, after(1).AddDate(0, 0, 31), "m3")
		post(t, f, messageTo("mail", "s", "m1", 1), messageTo("mail", "s", "m2", 1))
		taken(t, f, after(1).AddDate(0, 0, 31), "m1") // forgotten
		clean(t, f)
	})

	t.Run("Failed stores when to try again", func(t *testing.T) {
		f := fresh(t, "mail")
		post(t, f, messageTo("mail", "s", "m", 1, "i"))
		m := takeOne(t, f, after(1))
		m.Attempts, m.Due, m.Error = 3, after(5), "\xff"+strings.Repeat("语", 5000)
		if err := f.Failed(t.Context(), &m); err != nil {
			t.Fatal(err)
		}
		taken(t, f, after(4), "")
		got, err := f.Take(t.Context(), after(5), time.Minute, 9)
		m.Due, m.Error = after(5).Add(time.Minute), storage.ErrorText(m.Error)
		if err != nil || len(got) != 1 || !reflect.DeepEqual(claimed(got[0], m.Claim), m) || len([]rune(m.Error)) != storage.MaxErrorText {
			t.Errorf("Take = %+v, %v; want %+v", got, err, m)
		}
		sent(t, f, after(5), "m")
		if err := f.Failed(t.Context(), &m); !errors.Is(err, plat.ErrNotFound) {
			t.Errorf("Failed of a message that was sent = %v, want plat.ErrNotFound", err)
		}
	})

	t.Run("Failed does not end the claim of another process", func(t *testing.T) {
		for name, end := range map[string]func(t *testing.T, f follower, m *plat.Message) error{
			"after the end of its own": func(*testing.T, follower, *plat.Message) error { return nil },
			"after it was returned": func(t *testing.T, f follower, m *plat.Message) error {
				m.Due = after(2)
				return f.Failed(t.Context(), m)
			},
			"after the channel was mended": func(t *testing.T, f follower, _ *plat.Message) error {
				return f.PutChannel(t.Context(), &plat.Channel{Name: "mail", URL: "https://mended.test/"})
			},
		} {
			f := fresh(t, "mail")
			post(t, f, messageTo("mail", "s", "m", 1, "i"))
			mine := takeOne(t, f, after(1))
			if err := end(t, f, &mine); err != nil {
				t.Fatal(err)
			}
			theirs := takeOne(t, f, after(2))
			mine.Attempts, mine.Due, mine.Error = 1, after(2), "503"
			if err := f.Failed(t.Context(), &mine); err != nil {
				t.Errorf("%s: Failed = %v", name, err)
			}
			taken(t, f, after(3).Add(-time.Minute), "")
			theirs.Attempts, theirs.Due, theirs.Error = 7, after(4), "410"
			if err := f.Failed(t.Context(), &theirs); err != nil {
				t.Error(err)
			}
			if got := takeOne(t, f, after(4)); got.Attempts != 7 || got.Error != "410" {
				t.Errorf("%s: the message is %+v", name, got)
			}
		}
	})

	t.Run("Backlogs counts what is not sent, by channel", func(t *testing.T) {
		f := fresh(t, "mail")
		post(t, f, messageTo("mail", "a", "m1", 2), messageTo("mail", "b", "m2", 1), messageTo("mail", "b", "m3", 3), messageTo("none", "a", "m4", 4))
		got, err := f.Take(t.Context(), after(1), time.Hour, 9)
		if err != nil {
			t.Fatal(err)
		}
		held := map[string]plat.Message{}
		for _, m := range got {
			held[m.ID] = m
		}
		for _, id := range []string{"m1", "m2"} {
			m := held[id]
			m.Attempts, m.Error, m.Due = 1, "error of "+id, after(9)
			if err := f.Failed(t.Context(), &m); err != nil {
				t.Fatal(err)
			}
			time.Sleep(2 * time.Millisecond) // the clock determines the latest
		}
		want := map[string]storage.Backlog{"mail": {Messages: 3, Oldest: day.Add(time.Minute), Error: "error of m2"}, "none": {Messages: 1, Oldest: day.Add(4 * time.Minute)}}
		if got, err := f.Backlogs(t.Context()); err != nil || !maps.Equal(got, want) {
			t.Errorf("Backlogs = %+v, %v; want %+v", got, err, want)
		}
	})

	t.Run("several at once never take the same", func(t *testing.T) {
		f := fresh(t)
		TogetherTaken(t, f, f, max(20, size/4))
	})
}

// TogetherTaken checks that processes which post and take concurrently do not lose a message or
// take the same one. a and b are the same empty archive, opened by two processes.
func TogetherTaken(t *testing.T, a, b storage.Store, n int) {
	if err := followerOf(t, a).PutChannel(t.Context(), &plat.Channel{Name: "mail"}); err != nil {
		t.Fatal(err)
	}
	const subs = 3
	var mu sync.Mutex
	taken := map[string]int{}
	var order [subs][]string
	var all sync.WaitGroup
	for _, s := range []storage.Store{a, b} {
		f := followerOf(t, s)
		all.Go(func() { // both post the same
			for i := range n {
				if err := f.Post(t.Context(), []plat.Message{messageTo("mail", fmt.Sprint("s", i%subs), fmt.Sprintf("m%03d", i), i)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for _, s := range []storage.Store{a, b, a} {
		f := followerOf(t, s)
		all.Go(func() {
			for end := time.Now().Add(time.Minute); time.Now().Before(end); {
				got, err := f.Take(t.Context(), after(1000), time.Hour, 2)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				for _, m := range got {
					taken[m.ID]++
					k := int(m.Subscription[1] - '0')
					order[k] = append(order[k], m.ID)
				}
				done := len(taken) == n
				mu.Unlock()
				for _, m := range got {
					if err := f.Sent(t.Context(), m.ID, after(1000)); err != nil {
						t.Error(err)
					}
				}
				if done {
					return
				}
			}
			t.Error("not all messages were taken within a minute")
		})
	}
	all.Wait()
	for id, times := range taken {
		if times != 1 {
			t.Errorf("%s was taken %d times", id, times)
		}
	}
	for _, ids := range order {
		if !slices.IsSorted(ids) {
			t.Errorf("messages of a subscription were taken as %q", ids)
		}
	}
	clean(t, a)
}
