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

// Outbox stores waiting messages, and loads their channels and items. The first three methods
// are those of storage.Outbox.
type Outbox interface {
	// Take returns messages that are due, oldest first, at most limit, and postpones their Due
	// by hold. It takes only the first message of each channel and subscription, and skips
	// channels that are disabled or unknown.
	Take(ctx context.Context, now time.Time, hold time.Duration, limit int) ([]plat.Message, error)

	// Sent removes a message for good.
	Sent(ctx context.Context, id string, now time.Time) error

	// Failed stores the Attempts, Due and Error of a message that Take has returned, unless
	// another process has taken it since, or returns plat.ErrNotFound.
	Failed(ctx context.Context, m *plat.Message) error

	// Channel returns a channel by name, or plat.ErrNotFound.
	Channel(ctx context.Context, name string) (*plat.Channel, error)

	// Load returns a message with its items and subscriptions. Items that are gone are left
	// out.
	Load(ctx context.Context, m *plat.Message) (*Delivery, error)

	// DisableChannel stores the reason why a channel is disabled. It does nothing if the channel's
	// URL has changed since c was loaded.
	DisableChannel(ctx context.Context, c *plat.Channel, why string) error
}

// sender is a [Sender].
type sender interface {
	Send(ctx context.Context, c *plat.Channel, d *Delivery) Outcome
}

// Loop configures [Deliver].
type Loop struct {
	// Concurrency limits the channels that are served at once. 0: 16. A channel has one attempt
	// at a time.
	Concurrency int

	// Hold is the duration of a claim on a message. No attempt takes longer. 0: 5 min.
	Hold time.Duration

	// Every is the interval between queries of the outbox. 0: 5 s.
	Every time.Duration

	// Grace is the time for running attempts after ctx has ended. 0: 10 s.
	Grace time.Duration

	// Day is the length of a day for the default of Hold and for all times between attempts. A
	// short day shows in minutes a process that takes days. 0: 24 hours.
	Day time.Duration

	// Wake makes the loop query the outbox at once, for example when there are new messages.
	// Nil: never.
	Wake <-chan struct{}

	// Log receives failures. Nil: nothing is logged.
	Log *slog.Logger
}

const (
	day        = 24 * time.Hour
	takeLimit  = 64               // messages in one query
	queueLimit = 1000             // messages in memory per channel; the rest are left to be taken again
	longRest   = 5 * time.Minute  // the longest pause of a channel that failed
	settleTime = 10 * time.Second // limit for storing a result
	quietTime  = 24 * time.Hour   // a channel that sent nothing in this time is disabled when it gives up a message
)

// scaled converts a time between attempts to days of o.Day.
func (o *Loop) scaled(d time.Duration) time.Duration {
	if o.Day == day {
		return d
	}
	return time.Duration(float64(d) * float64(o.Day) / float64(day))
}

// Deliver sends the messages of an outbox until ctx ends, and returns when no attempt is
// under way.
//
// A message is sent at least once, in the order of its channel and subscription. It is removed
// after sending, so if the process dies in between, the message is sent again under the same
// ID. If the receiver fails regardless of the message, the channel pauses for up to 5 minutes,
// or as long as the receiver requests. This does not count as an attempt for the channel's
// other messages.
//
// After the last attempt that [Next] allows, a message is removed unsent. If the channel has
// sent nothing within a day, it is disabled.
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
				l.take(ctx) // the next message of its subscription is due now
			}
		}
		l.dispatch()
	}
}

// taken is a message that this process has claimed.
type taken struct {
	plat.Message
	until time.Time // end of the claim
}

// result is the outcome of a goroutine's work on a channel.
type result struct {
	channel string
	sent    bool
	settled bool      // the message was removed
	rest    time.Time // the channel pauses until then; zero: no pause
	why     string    // reason for the pause
}

// loop is the state of [Deliver]. Only its goroutine uses it; the goroutines that it starts own
// their arguments, and send a result.
type loop struct {
	o       Loop
	box     Outbox
	sender  sender
	sending context.Context // context of attempts; outlives ctx by Grace
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

// take fetches messages that are due.
func (l *loop) take(ctx context.Context) {
	for {
		now := time.Now()
		messages, err := l.box.Take(ctx, now.UTC(), l.o.Hold, takeLimit)
		if err != nil {
			if ctx.Err() == nil {
				l.o.Log.Error("notify: take messages", "error", err)
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

// dispatch starts an attempt for each channel that has messages and is free.
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
			q = q[1:] // the claim ends soon
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

// attempt sends one message and stores the outcome.
func (l *loop) attempt(t taken, lastSent time.Time) result {
	ctx, cancel := context.WithDeadline(l.sending, t.until.Add(-l.o.Hold/10))
	defer cancel()
	m, r := &t.Message, result{channel: t.Channel}
	c, err := l.box.Channel(ctx, m.Channel)
	if err != nil || c.Disabled != "" {
		if err != nil && !errors.Is(err, plat.ErrNotFound) {
			l.o.Log.Error("notify: load a channel", "channel", m.Channel, "error", err)
		}
		return r
	}
	d, err := l.box.Load(ctx, m)
	if err != nil {
		l.o.Log.Error("notify: load a message", "channel", m.Channel, "message", m.ID, "error", err)
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
	case l.sending.Err() != nil: // interrupted by shutdown, which is not a failed attempt
		m.Due = now
		l.settle(m, func(ctx context.Context) error { return l.box.Failed(ctx, m) })
		return r
	case out.Refused != "":
		l.disable(c, out.Refused)
		m.Due, m.Error = now, out.Err.Error() // for when the channel is enabled again
		l.settle(m, func(ctx context.Context) error { return l.box.Failed(ctx, m) })
		return r
	}
	l.o.Log.Warn("notify: a message was not sent", "channel", m.Channel, "message", m.ID, "attempt", m.Attempts+1, "error", out.Err)
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

// giveUp removes a message after its last attempt, so that the messages after it can be sent.
func (l *loop) giveUp(c *plat.Channel, m *plat.Message, now, lastSent time.Time) bool {
	l.o.Log.Error("notify: a message is given up", "channel", m.Channel, "message", m.ID, "attempts", m.Attempts, "error", m.Error)
	if now.Sub(lastSent) > l.o.scaled(quietTime) {
		l.disable(c, fmt.Sprintf("gave up after %d attempts: %s", m.Attempts, m.Error))
	}
	return l.sent(m, now)
}

func (l *loop) sent(m *plat.Message, now time.Time) bool {
	return l.settle(m, func(ctx context.Context) error { return l.box.Sent(ctx, m.ID, now) })
}

func (l *loop) disable(c *plat.Channel, why string) {
	l.o.Log.Error("notify: a channel is disabled", "channel", c.Name, "why", why)
	l.settle(&plat.Message{Channel: c.Name}, func(ctx context.Context) error { return l.box.DisableChannel(ctx, c, why) })
}

// settle calls the outbox up to three times until it succeeds, even after ctx has ended. If all
// calls fail, the message is sent again when its claim ends.
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
	l.o.Log.Error("notify: store the outcome of a message", "channel", m.Channel, "message", m.ID, "error", err)
	return false
}

// leave returns claimed messages to the outbox and waits for running attempts.
func (l *loop) leave() {
	var all sync.WaitGroup
	defer all.Wait()
	now := time.Now().UTC()
	for _, q := range l.queues {
		all.Go(func() {
			for _, m := range q {
				if m.Due = now; !l.settle(&m.Message, func(ctx context.Context) error { return l.box.Failed(ctx, &m.Message) }) {
					return // the outbox is unreachable; the remaining claims end after Hold
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
