package notify

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"plat/plat"
)

// Outbox is where messages wait, and where their channels and items are looked up. The
// first three methods are those of package storage's.
type Outbox interface {
	// Take returns messages that are due, oldest first, at most limit, and puts their Due off
	// by hold. Only the first message of a channel and subscription is taken, none of
	// channels that are disabled or unknown.
	Take(ctx context.Context, now time.Time, hold time.Duration, limit int) ([]plat.Message, error)

	// Sent removes a message for good.
	Sent(ctx context.Context, id string, now time.Time) error

	// Failed stores a message's Attempts, Due and Error, or returns plat.ErrNotFound.
	Failed(ctx context.Context, m *plat.Message) error

	// Channel returns a channel by name, or plat.ErrNotFound.
	Channel(ctx context.Context, name string) (*plat.Channel, error)

	// Load returns what a message tells of. Items that are gone are left out.
	Load(ctx context.Context, m *plat.Message) (*Delivery, error)

	// Disable says why nothing is to be sent on a channel any more. It does nothing if the
	// channel has another URL than c by now.
	Disable(ctx context.Context, c *plat.Channel, why string) error
}

// sender is a [Sender].
type sender interface {
	Send(ctx context.Context, c *plat.Channel, d *Delivery) Outcome
}

// Loop configures [Deliver].
type Loop struct {
	// Concurrency is how many channels are served at once. 0: 16. A channel has one attempt
	// at a time.
	Concurrency int

	// Hold is how long messages are taken for; no attempt takes longer. 0: 5 min.
	Hold time.Duration

	// Every is how often the outbox is looked into. 0: 5 s.
	Every time.Duration

	// Grace is how long attempts may go on when ctx has ended. 0: 10 s.
	Grace time.Duration

	// Day is how long a day lasts for Hold, if that is 0, and for all times between attempts:
	// shorter ones show in minutes what takes days. 0: 24 hours.
	Day time.Duration

	// Wake makes the loop look at once, as when there are new messages. Nil: never.
	Wake <-chan struct{}

	// Log is told of failures. Nil: nothing is logged.
	Log *slog.Logger
}

const (
	day        = 24 * time.Hour
	takeLimit  = 64               // messages taken at once
	queueLimit = 1000             // messages in memory per channel; more are left to be taken again
	longRest   = 5 * time.Minute  // a channel that failed is tried again after it at the latest
	settleTime = 10 * time.Second // for the outbox to note a result
	quietTime  = 24 * time.Hour   // in which a channel must have sent something, or is disabled with a message given up
)

// scaled is a time between attempts on days of o.Day.
func (o *Loop) scaled(d time.Duration) time.Duration {
	if o.Day == day {
		return d
	}
	return time.Duration(float64(d) * float64(o.Day) / float64(day))
}

// Deliver sends the messages of an outbox until ctx ends, and returns when no attempt is
// under way.
//
// A message is sent at least once, in the order of its channel and subscription: it is
// removed after it was sent, so a process that dies in between leaves it to be sent again,
// under the same ID. A channel whose receiver fails as a whole rests for up to 5 minutes, or
// as long as the receiver asks, and its other messages with it; that is no attempt of theirs.
//
// A message that was tried as often as [Next] allows is given up. If nothing else was sent on
// its channel within a day, the channel is disabled.
func Deliver(ctx context.Context, box Outbox, s sender, o Loop) {
	l := newLoop(ctx, box, s, o)
	defer l.cancel()
	look := time.NewTimer(0)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			l.leave()
			return
		case <-l.o.Wake:
			l.take(ctx)
		case <-look.C:
			l.take(ctx)
			look.Reset(l.o.Every)
		case r := <-l.results:
			l.note(r)
			if r.settled {
				l.take(ctx) // the next of its subscription is due now
			}
		}
		l.dispatch()
	}
}

// taken is a message in hand.
type taken struct {
	plat.Message
	until time.Time // others may take it from then on
}

// result is what became of the messages that a goroutine was given.
type result struct {
	channel string
	sent    bool
	settled bool      // the message was removed
	rest    time.Time // the channel fails until then; zero: it does not
	why     string    // it rests
}

// loop is the state of [Deliver]. Only its goroutine uses it; those that it starts own what
// they are given, and send a result.
type loop struct {
	o       Loop
	box     Outbox
	sender  sender
	sending context.Context // of attempts; outlives ctx by Grace
	cancel  context.CancelFunc
	results chan result

	queues   map[string][]taken // by channel
	busy     map[string]bool
	rests    map[string]result
	lastSent map[string]time.Time
}

func newLoop(ctx context.Context, box Outbox, s sender, o Loop) *loop {
	if o.Concurrency <= 0 {
		o.Concurrency = 16
	}
	if o.Day <= 0 {
		o.Day = day
	}
	if o.Hold <= 0 {
		o.Hold = o.scaled(5 * time.Minute)
	}
	if o.Every <= 0 {
		o.Every = 5 * time.Second
	}
	if o.Grace <= 0 {
		o.Grace = 10 * time.Second
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	l := &loop{
		o: o, box: box, sender: s, results: make(chan result),
		queues: map[string][]taken{}, busy: map[string]bool{}, rests: map[string]result{}, lastSent: map[string]time.Time{},
	}
	l.sending, l.cancel = context.WithCancel(context.WithoutCancel(ctx))
	return l
}

// take fetches what is due.
func (l *loop) take(ctx context.Context) {
	for {
		now := time.Now()
		messages, err := l.box.Take(ctx, now.UTC(), l.o.Hold, takeLimit)
		if err != nil {
			if ctx.Err() == nil {
				l.o.Log.Error("tell: take messages", "error", err)
			}
			return
		}
		for _, m := range messages {
			if q := l.queues[m.Channel]; len(q) < queueLimit {
				l.queues[m.Channel] = append(q, taken{m, now.Add(l.o.Hold)})
			}
		}
		if len(messages) < takeLimit {
			return
		}
	}
}

// dispatch starts what can be started.
func (l *loop) dispatch() {
	now := time.Now()
	for channel, q := range l.queues {
		if l.busy[channel] {
			continue
		}
		if r := l.rests[channel]; now.Before(r.rest) {
			delete(l.queues, channel)
			l.busy[channel] = true
			go func() {
				for _, m := range q {
					m.Due, m.Error = r.rest, "waiting for the channel: "+r.why
					l.settle(&m.Message, func(ctx context.Context) error { return l.box.Failed(ctx, &m.Message) })
				}
				l.results <- result{channel: channel}
			}()
			continue
		}
		for len(q) > 0 && now.After(q[0].until.Add(-l.o.Hold/2)) {
			q = q[1:] // it is others' soon
		}
		if l.queues[channel] = q; len(q) == 0 {
			delete(l.queues, channel)
			continue
		}
		if len(l.busy) >= l.o.Concurrency {
			continue
		}
		l.busy[channel] = true
		l.queues[channel] = q[1:]
		last := l.lastSent[channel]
		go func() { l.results <- l.attempt(q[0], last) }()
	}
}

func (l *loop) note(r result) {
	delete(l.busy, r.channel)
	switch {
	case r.sent:
		l.lastSent[r.channel] = time.Now()
		delete(l.rests, r.channel)
	case !r.rest.IsZero():
		l.rests[r.channel] = r
	}
}

// attempt sends one message and notes what became of it.
func (l *loop) attempt(t taken, lastSent time.Time) result {
	ctx, cancel := context.WithDeadline(l.sending, t.until.Add(-l.o.Hold/10))
	defer cancel()
	m, r := &t.Message, result{channel: t.Channel}
	c, err := l.box.Channel(ctx, m.Channel)
	if err != nil || c.Disabled != "" {
		if err != nil && !errors.Is(err, plat.ErrNotFound) {
			l.o.Log.Error("tell: load a channel", "channel", m.Channel, "error", err)
		}
		return r
	}
	d, err := l.box.Load(ctx, m)
	if err != nil {
		l.o.Log.Error("tell: load a message", "channel", m.Channel, "message", m.ID, "error", err)
		return r
	}
	var out Outcome
	if len(d.Items) > 0 {
		out = l.sender.Send(ctx, c, d)
	}
	now := time.Now().UTC()
	switch {
	case out.Err == nil:
		r.sent = len(d.Items) > 0
		r.settled = l.sent(m, now)
		return r
	case l.sending.Err() != nil: // by shutdown; no failed attempt
		m.Due = now
		l.settle(m, func(ctx context.Context) error { return l.box.Failed(ctx, m) })
		return r
	case out.Refused != "":
		l.disable(c, out.Refused)
		m.Due, m.Error = now, out.Err.Error() // for when the channel is in use again
		l.settle(m, func(ctx context.Context) error { return l.box.Failed(ctx, m) })
		return r
	}
	l.o.Log.Warn("tell: a message was not sent", "channel", m.Channel, "message", m.ID, "attempt", m.Attempts+1, "error", out.Err)
	m.Attempts, m.Error = m.Attempts+1, out.Err.Error()
	next, again := Next(m.ID, m.Attempts, now, out.Wait)
	next = now.Add(l.o.scaled(next.Sub(now)))
	if !again {
		r.settled = l.giveUp(c, m, now, lastSent)
		return r
	}
	m.Due = next
	l.settle(m, func(ctx context.Context) error { return l.box.Failed(ctx, m) })
	if out.All {
		r.rest, r.why = now.Add(max(l.o.scaled(out.Wait), min(next.Sub(now), l.o.scaled(longRest)))), m.Error
	}
	return r
}

// giveUp removes a message that was tried long enough, so that those behind it get on.
func (l *loop) giveUp(c *plat.Channel, m *plat.Message, now, lastSent time.Time) bool {
	l.o.Log.Error("tell: a message is given up", "channel", m.Channel, "message", m.ID, "attempts", m.Attempts, "error", m.Error)
	if now.Sub(lastSent) > l.o.scaled(quietTime) {
		l.disable(c, fmt.Sprintf("gave up after %d attempts: %s", m.Attempts, m.Error))
	}
	return l.sent(m, now)
}

func (l *loop) sent(m *plat.Message, now time.Time) bool {
	return l.settle(m, func(ctx context.Context) error { return l.box.Sent(ctx, m.ID, now) })
}

func (l *loop) disable(c *plat.Channel, why string) {
	l.o.Log.Error("tell: a channel is disabled", "channel", c.Name, "why", why)
	l.settle(&plat.Message{Channel: c.Name}, func(ctx context.Context) error { return l.box.Disable(ctx, c, why) })
}

// settle calls the outbox, also while ctx has ended, and once more if that fails. If it fails
// for good, the message is sent again when others may take it.
func (l *loop) settle(m *plat.Message, do func(context.Context) error) bool {
	var err error
	for try := range 3 {
		if try > 0 {
			time.Sleep(time.Second)
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(l.sending), settleTime)
		err = do(ctx)
		cancel()
		if err == nil || errors.Is(err, plat.ErrNotFound) {
			return true
		}
	}
	l.o.Log.Error("tell: store what became of a message", "channel", m.Channel, "message", m.ID, "error", err)
	return false
}

// leave gives back what is in hand and waits for attempts under way.
func (l *loop) leave() {
	var all sync.WaitGroup
	defer all.Wait()
	now := time.Now().UTC()
	for _, q := range l.queues {
		all.Go(func() {
			for _, m := range q {
				if m.Due = now; !l.settle(&m.Message, func(ctx context.Context) error { return l.box.Failed(ctx, &m.Message) }) {
					return // the outbox is out of reach; the rest is free after Hold
				}
			}
		})
	}
	grace := time.AfterFunc(l.o.Grace, l.cancel)
	defer grace.Stop()
	for len(l.busy) > 0 {
		l.note(<-l.results)
	}
}
