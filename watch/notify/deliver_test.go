package notify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"plat/plat"
)

// running runs Deliver for a while.
func running(t *testing.T, box Outbox, s sender, o Loop, while time.Duration) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		Deliver(ctx, box, s, o)
	}()
	time.Sleep(while)
	cancel()
	<-done
}

func TestEverythingIsSentOnceInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		box := newMemory("a", "b")
		var want []string
		for n := range 50 {
			for _, c := range []string{"a", "b"} {
				for _, s := range []string{"x", "y"} {
					want = append(want, box.post(c, s, n))
				}
			}
		}
		r := newReceivers(t, func(context.Context, *plat.Channel, *Delivery) Outcome {
			time.Sleep(10 * time.Millisecond)
			return Outcome{}
		})
		running(t, box, r, Loop{}, 5*time.Second)
		got := map[string][]string{}
		for _, id := range box.sent {
			key := id[:len(id)-4]
			got[key] = append(got[key], id)
		}
		for key, ids := range got {
			if !slices.IsSorted(ids) {
				t.Errorf("%s: %v", key, ids)
			}
		}
		slices.Sort(want)
		all := slices.Sorted(slices.Values(box.sent))
		if !slices.Equal(all, want) || len(r.log) != len(want) {
			t.Errorf("%d sent with %d attempts, want %d", len(all), len(r.log), len(want))
		}
	})
}

func TestAReceiverThatIsDownForAnHour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		box := newMemory("down", "up")
		start := time.Now()
		r := newReceivers(t, func(_ context.Context, c *plat.Channel, _ *Delivery) Outcome {
			if c.Name == "down" && time.Since(start) < time.Hour {
				return Outcome{Err: errors.New("unreachable"), All: true}
			}
			return Outcome{}
		})
		var log bytes.Buffer
		go func() {
			for n := range 60 { // one message each minute, of two subscriptions
				box.post("down", "x", n)
				box.post("down", "y", n)
				box.post("up", "x", n)
				time.Sleep(time.Minute)
			}
		}()
		running(t, box, r, Loop{Log: slog.New(slog.NewTextHandler(&log, nil))}, 4*time.Hour)
		if len(box.messages) != 0 || len(box.sent) != 180 || box.channels["down"].Disabled != "" {
			t.Fatalf("%d sent, %d are left, disabled %q", len(box.sent), len(box.messages), box.channels["down"].Disabled)
		}
		last := map[string]string{}
		for _, id := range box.sent {
			if key := id[:len(id)-4]; id < last[key] {
				t.Errorf("%s after %s", id, last[key])
			} else {
				last[key] = id
			}
		}
		// 5 s, 5 min, 30 min, 2 h: the first of a subscription fails 4 times in that hour, and
		// the other subscription's when the channel is tried for it.
		if n := r.count("down-x-000"); n < 3 || n > 6 {
			t.Errorf("the first message was tried %d times: %v", n, r.log)
		}
		for _, l := range r.log {
			var at time.Duration
			var id string
			fields := strings.Fields(l)
			at, _ = time.ParseDuration(fields[0])
			id = fields[1]
			if strings.HasPrefix(id, "up-") {
				var n int
				fmt.Sscanf(id, "up-x-%d", &n)
				if late := at - time.Duration(n)*time.Minute; late > 6*time.Second {
					t.Errorf("%s was sent %v late, because another channel is down", id, late)
				}
			}
		}
	})
}

func TestAProcessThatDiesBetweenSendingAndNotingSendsAgainUnderTheSameID(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		box := newMemory("a")
		id := box.post("a", "x", 1)
		next := box.post("a", "x", 2)
		box.lost = 3 // the number of calls by one process
		r := newReceivers(t, func(context.Context, *plat.Channel, *Delivery) Outcome { return Outcome{} })
		running(t, box, r, Loop{}, 30*time.Second)
		if len(box.sent) != 0 || r.count(id) != 1 || r.count(next) != 0 {
			t.Fatalf("sent %v after %v", box.sent, r.log)
		}
		running(t, box, r, Loop{}, 10*time.Minute) // a second process, after the claim has ended
		if !slices.Equal(box.sent, []string{id, next}) || r.count(id) != 2 || r.count(next) != 1 {
			t.Errorf("sent %v after %v", box.sent, r.log)
		}
	})
}

func TestAReceiverThatHangsOccupiesOneSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		box := newMemory("hangs", "a", "b")
		for n := range 200 { // one subscription for each message
			box.post("hangs", fmt.Sprint("s", n), n)
		}
		r := newReceivers(t, func(ctx context.Context, c *plat.Channel, _ *Delivery) Outcome {
			if c.Name == "hangs" {
				ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
				defer cancel()
				<-ctx.Done()
				return Outcome{Err: ctx.Err(), All: true}
			}
			return Outcome{}
		})
		go func() {
			time.Sleep(time.Second)
			for n := range 100 {
				box.post("a", "x", n)
				box.post("b", "x", n)
				time.Sleep(time.Second)
			}
		}()
		running(t, box, r, Loop{Concurrency: 2}, 3*time.Minute)
		if len(box.sent) != 200 {
			t.Errorf("%d messages of the other channels were sent, want 200", len(box.sent))
		}
		for _, m := range box.messages {
			if m.Attempts > 3 {
				t.Errorf("%s has %d attempts", m.ID, m.Attempts)
			}
		}
	})
}

func TestWhatAnOutcomeDoes(t *testing.T) {
	bad := errors.New("bad")
	for _, tc := range []struct {
		name     string
		out      Outcome
		run      time.Duration
		tries    int
		disabled string
		left     int
	}{
		{name: "a failure is tried again after 5 s and 5 min", out: Outcome{Err: bad}, run: 6 * time.Minute, tries: 3, left: 1},
		{name: "a receiver that asks for an hour gets it", out: Outcome{Err: bad, All: true, Wait: time.Hour}, run: 59 * time.Minute, tries: 1, left: 1},
		{name: "and is asked then", out: Outcome{Err: bad, All: true, Wait: time.Hour}, run: 70 * time.Minute, tries: 2, left: 1},
		{name: "410 disables, and the message is kept", out: Outcome{Err: bad, Refused: "410 Gone"}, run: 24 * time.Hour, tries: 1, disabled: "410 Gone", left: 1},
		{name: "after days it is given up and the channel disabled", out: Outcome{Err: bad, All: true}, run: 7 * 24 * time.Hour, tries: 12, disabled: "gave up after 12 attempts: bad", left: 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				box := newMemory("a")
				id := box.post("a", "x", 1)
				r := newReceivers(t, func(context.Context, *plat.Channel, *Delivery) Outcome { return tc.out })
				running(t, box, r, Loop{}, tc.run)
				if r.count(id) != tc.tries || box.channels["a"].Disabled != tc.disabled || len(box.messages) != tc.left {
					t.Errorf("tried %v, disabled %q, left %+v", r.log, box.channels["a"].Disabled, box.messages)
				}
			})
		})
	}
}

func TestAChannelRestsForAllOfItsMessages(t *testing.T) {
	for _, tc := range []struct {
		name  string
		out   Outcome
		run   time.Duration
		tries int
	}{
		{"a receiver that asks for an hour is asked once", Outcome{Err: errors.New("429"), All: true, Wait: time.Hour}, 59 * time.Minute, 1},
		{"one that is down is asked every few minutes at most", Outcome{Err: errors.New("unreachable"), All: true}, 59 * time.Minute, 40},
		{"a message that is refused says nothing of others", Outcome{Err: errors.New("400")}, time.Second, 20},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				box := newMemory("a")
				for n := range 20 {
					box.post("a", fmt.Sprint("s", n), n)
				}
				r := newReceivers(t, func(context.Context, *plat.Channel, *Delivery) Outcome { return tc.out })
				running(t, box, r, Loop{}, tc.run)
				if n := len(r.log); n > tc.tries || tc.tries == 20 && n != 20 {
					t.Errorf("%d attempts, want at most %d", n, tc.tries)
				}
				attempts := 0
				for _, m := range box.messages {
					if attempts += m.Attempts; m.Error == "" {
						t.Errorf("%s does not say why it waits", m.ID)
					}
				}
				if attempts != len(r.log) {
					t.Errorf("%d attempts are counted of %d", attempts, len(r.log))
				}
			})
		})
	}
}

func TestAMessageThatFailsAloneDoesNotDisableItsChannel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		box := newMemory("a")
		poison := box.post("a", "x", 0)
		r := newReceivers(t, func(_ context.Context, _ *plat.Channel, d *Delivery) Outcome {
			if d.Message.ID == poison {
				return Outcome{Err: errors.New("400 Bad Request")}
			}
			return Outcome{}
		})
		go func() {
			for n := range 150 {
				box.post("a", "y", n)
				time.Sleep(time.Hour)
			}
		}()
		behind := box.post("a", "x", 1)
		running(t, box, r, Loop{}, 8*24*time.Hour)
		if box.channels["a"].Disabled != "" || len(box.sent) != 152 || r.count(behind) != 1 {
			t.Errorf("disabled %q, %d sent", box.channels["a"].Disabled, len(box.sent))
		}
	})
}

func TestShutdown(t *testing.T) {
	for _, tc := range []struct {
		name  string
		takes time.Duration
		sent  int
		took  time.Duration
	}{
		{"an attempt that ends in time is noted", 5 * time.Second, 1, 4 * time.Second},
		{"one that does not is given back", time.Hour, 0, 10 * time.Second},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				box := newMemory("a")
				box.post("a", "x", 1)
				box.post("a", "y", 1) // waits in memory
				r := newReceivers(t, func(ctx context.Context, _ *plat.Channel, _ *Delivery) Outcome {
					select {
					case <-time.After(tc.takes):
						return Outcome{}
					case <-ctx.Done():
						return Outcome{Err: ctx.Err(), All: true}
					}
				})
				start := time.Now()
				running(t, box, r, Loop{}, time.Second)
				if took := time.Since(start) - time.Second; took != tc.took || len(box.sent) != tc.sent || len(r.log) != 1 {
					t.Errorf("took %v, sent %v, tried %v", took, box.sent, r.log)
				}
				for _, m := range box.messages {
					if m.Attempts != 0 || m.Due.After(time.Now()) {
						t.Errorf("%s is due in %v after %d attempts", m.ID, time.Until(m.Due), m.Attempts)
					}
				}
			})
		})
	}
}

func TestMessagesAboutNothingAndOfChannelsThatAreGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		box := newMemory("a", "gone")
		empty := box.post("a", "x", 1)
		box.gone["i"+empty] = true
		next := box.post("a", "x", 2)
		box.post("gone", "x", 1)
		delete(box.channels, "gone")
		r := newReceivers(t, func(context.Context, *plat.Channel, *Delivery) Outcome { return Outcome{} })
		running(t, box, r, Loop{}, time.Second)
		if r.count(empty) != 0 || r.count(next) != 1 || len(box.messages) != 1 {
			t.Errorf("tried %v, left %v", r.log, box.messages)
		}
	})
}

func TestWakeLooksAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		box, wake := newMemory("a"), make(chan struct{})
		r := newReceivers(t, func(context.Context, *plat.Channel, *Delivery) Outcome { return Outcome{} })
		go func() {
			time.Sleep(time.Minute)
			box.post("a", "x", 1)
			wake <- struct{}{}
			synctest.Wait()
			if len(box.sent) != 1 {
				t.Error("not sent at once")
			}
		}()
		running(t, box, r, Loop{Every: time.Hour, Wake: wake}, 2*time.Minute)
	})
}
