package notify

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"plat/plat"
)

// memory is the simplest implementation of an outbox.
type memory struct {
	mu       sync.Mutex
	channels map[string]*plat.Channel
	messages []plat.Message
	gone     map[string]bool // messages whose items are no longer stored
	sent     []string        // IDs, in order
	lost     int             // number of calls of Sent that will fail
}

func newMemory(channels ...string) *memory {
	b := &memory{channels: map[string]*plat.Channel{}, gone: map[string]bool{}}
	for _, c := range channels {
		b.channels[c] = &plat.Channel{Name: c, URL: "http://" + c + ".test/#unsigned"}
	}
	return b
}

// post adds a message and returns its ID.
func (b *memory) post(channel, subscription string, n int) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	id := fmt.Sprintf("%s-%s-%03d", channel, subscription, n)
	now := time.Now()
	b.messages = append(b.messages, plat.Message{ID: id, Channel: channel, Subscription: subscription, Items: []string{"i" + id}, Made: now.Add(time.Duration(n)), Due: now})
	return id
}

func (b *memory) Take(_ context.Context, now time.Time, hold time.Duration, limit int) ([]plat.Message, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	slices.SortStableFunc(b.messages, func(x, y plat.Message) int { return cmp.Or(x.Made.Compare(y.Made), cmp.Compare(x.ID, y.ID)) })
	seen := map[string]bool{}
	var out []plat.Message
	for i := range b.messages {
		m := &b.messages[i]
		key := m.Channel + " " + m.Subscription
		if c := b.channels[m.Channel]; seen[key] || c == nil || c.Disabled != "" || len(out) == limit {
			continue
		}
		seen[key] = true
		if !m.Due.After(now) {
			out = append(out, *m)
			m.Due = now.Add(hold)
		}
	}
	return out, nil
}

func (b *memory) Sent(_ context.Context, id string, _ time.Time) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.lost > 0 {
		b.lost--
		return errors.New("the disk is full")
	}
	b.messages = slices.DeleteFunc(b.messages, func(m plat.Message) bool { return m.ID == id })
	b.sent = append(b.sent, id)
	return nil
}

func (b *memory) Failed(ctx context.Context, m *plat.Message) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range b.messages {
		if b.messages[i].ID == m.ID {
			b.messages[i].Attempts, b.messages[i].Due, b.messages[i].Error = m.Attempts, m.Due, m.Error
			return nil
		}
	}
	return plat.ErrNotFound
}

func (b *memory) Channel(_ context.Context, name string) (*plat.Channel, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if c := b.channels[name]; c != nil {
		d := *c
		return &d, nil
	}
	return nil, plat.ErrNotFound
}

func (b *memory) Load(_ context.Context, m *plat.Message) (*Delivery, error) {
	d := &Delivery{Message: *m, Subscriptions: []plat.Subscription{{ID: m.Subscription, URL: "https://" + m.Subscription + ".test/"}}}
	for _, id := range m.Items {
		if !b.gone[id] {
			d.Items = append(d.Items, plat.Item{ID: id, Subscription: m.Subscription, Kind: plat.ItemNew, Title: id})
		}
	}
	return d, nil
}

func (b *memory) Disable(_ context.Context, c *plat.Channel, why string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if now := b.channels[c.Name]; now != nil && now.URL == c.URL {
		now.Disabled = why
	}
	return nil
}

// receivers is a sender that records attempts, and returns the given outcomes.
type receivers struct {
	mu     sync.Mutex
	log    []string // "12s ID"
	start  time.Time
	active map[string]int
	answer func(ctx context.Context, c *plat.Channel, d *Delivery) Outcome
	t      *testing.T
}

func newReceivers(t *testing.T, answer func(context.Context, *plat.Channel, *Delivery) Outcome) *receivers {
	return &receivers{t: t, start: time.Now(), active: map[string]int{}, answer: answer}
}

func (r *receivers) Send(ctx context.Context, c *plat.Channel, d *Delivery) Outcome {
	r.mu.Lock()
	if r.active[c.Name]++; r.active[c.Name] > 1 {
		r.t.Errorf("%s has %d attempts at once", c.Name, r.active[c.Name])
	}
	r.log = append(r.log, fmt.Sprintf("%v %s", time.Since(r.start).Truncate(time.Second), d.Message.ID))
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		r.active[c.Name]--
		r.mu.Unlock()
	}()
	return r.answer(ctx, c, d)
}

func (r *receivers) count(id string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 0
	for _, l := range r.log {
		if strings.HasSuffix(l, " "+id) {
			n++
		}
	}
	return n
}

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

// TestAnHourOfVirtualTimeWithTheRealSender runs loop, sender and an HTTP server over pipes.
func TestAnHourOfVirtualTimeWithTheRealSender(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &pipes{conns: make(chan net.Conn), end: make(chan struct{})}
		start := time.Now()
		var ids []string
		srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			if time.Since(start) < time.Hour {
				w.WriteHeader(502)
				return
			}
			ids = append(ids, r.Header.Get("Webhook-Id"))
		})}
		served := make(chan struct{})
		go func() {
			defer close(served)
			srv.Serve(l)
		}()
		s, err := New(Options{Dial: l.dial})
		if err != nil {
			t.Fatal(err)
		}
		box := newMemory("a")
		id := box.post("a", "x", 1)
		running(t, box, s, Loop{}, 3*time.Hour)
		if !slices.Equal(ids, []string{id}) || !slices.Equal(box.sent, []string{id}) {
			t.Errorf("arrived %v, sent %v, left %v", ids, box.sent, box.messages)
		}
		s.Close()
		srv.Close()
		<-served
	})
}

type pipes struct {
	conns chan net.Conn
	end   chan struct{}
	once  sync.Once
}

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case p.conns <- far:
		return near, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.end:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.end) })
	return nil
}
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }
