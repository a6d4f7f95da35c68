package notify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
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

func (b *memory) DisableChannel(_ context.Context, c *plat.Channel, why string) error {
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
