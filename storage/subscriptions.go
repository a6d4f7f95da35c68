package storage

import (
	"cmp"
	"context"
	"iter"
	"time"

	"plat/plat"
)

// Subscribed is a subscription and what is known of it.
type Subscribed struct {
	plat.Subscription
	plat.Following
}

// Subscriptions keeps subscriptions, their items, and what is to be told of them. A store
// that keeps them implements it beside [Archive].
//
// Nothing here refers to versions, so garbage collection does not touch it. What is given is
// checked first, see [CheckSubscription] and [Examination.Check]: what exceeds the limits is
// refused, and nothing is stored.
type Subscriptions interface {
	// Subscribe stores a subscription under its ID, in place of the one of before, whose
	// Following is kept. If the URL or the Depth are others, Pages is emptied: everything is
	// examined anew, and nothing that is stored already is told of again.
	Subscribe(ctx context.Context, s *plat.Subscription) error

	// Unsubscribe removes a subscription, its items, and its messages that were not sent.
	// plat.ErrNotFound if there is none. A call that was cut off may be repeated: from its
	// first write on the subscription is found no more.
	Unsubscribe(ctx context.Context, id string) error

	// Subscription returns one by ID, with the memories of its pages, or plat.ErrNotFound.
	Subscription(ctx context.Context, id string) (*Subscribed, error)

	// Subscriptions yields those that which selects, by ID, without the memories of their pages.
	Subscriptions(ctx context.Context, which Which) iter.Seq2[*Subscribed, error]

	// Behind yields, by ID and with the memories of their pages, subscriptions that are not
	// paused and have a page whose head is after Examined; at most limit (0: all). One
	// without Pages is behind if its URL has any version.
	Behind(ctx context.Context, limit int) iter.Seq2[*Subscribed, error]

	// Examined stores what examining a subscription has found: items, messages and the new
	// Following, of which Items, Latest, ReadTo and Unread are the store's own. Items and
	// messages whose ID is stored already are left as they are, and messages that were sent
	// are not stored again. plat.ErrNotFound if there is no such subscription.
	//
	// e.Was is how far its pages had been examined before. If that is no longer so, or the
	// subscription has had another URL or a lesser Depth since, Examined returns
	// plat.ErrConflict, and its Following is not changed. A store without transactions may
	// have stored items and messages by then. That is harmless: whoever examines the same
	// versions again finds the same.
	//
	// Following is written last, and at once: a call that was cut off leaves the
	// subscription behind, and may be repeated.
	Examined(ctx context.Context, e *Examination) error

	// Read says that a person has read all items of a subscription seen until to; an earlier
	// time than before makes later items unread. plat.ErrNotFound if there is no such
	// subscription.
	Read(ctx context.Context, id string, to time.Time) error

	// Items yields items, latest Seen first, those seen at once by ID.
	Items(ctx context.Context, q ItemQuery) iter.Seq2[*plat.Item, error]
}

// Which selects subscriptions: all conditions that are given have to hold.
type Which struct {
	IDs   []string
	URL   string
	Group string
	Tag   string
}

// All reports whether no condition is given.
func (w *Which) All() bool { return len(w.IDs) == 0 && w.URL == "" && w.Group == "" && w.Tag == "" }

// ItemQuery selects items: all conditions that are given have to hold.
type ItemQuery struct {
	Of    Which     // of these subscriptions
	IDs   []string  // these items
	Since time.Time // seen at or after
	Until time.Time // seen before
	After ItemPlace // only those that sort after this place; zero: from the first
	Limit int       // 0: 100; at most 10,000
}

// Most is how many items are to be yielded.
func (q *ItemQuery) Most() int {
	if q.Limit <= 0 {
		return 100
	}
	return min(q.Limit, MaxItems)
}

// ItemPlace is the place of an item in the order of [Subscriptions.Items].
type ItemPlace struct {
	Seen time.Time
	ID   string
}

// PlaceOf is the place of an item.
func PlaceOf(i *plat.Item) ItemPlace { return ItemPlace{i.Seen, i.ID} }

// Compare is negative if p comes before o.
func (p ItemPlace) Compare(o ItemPlace) int {
	return cmp.Or(o.Seen.Compare(p.Seen), cmp.Compare(p.ID, o.ID))
}

// Examination is what examining a subscription has found.
type Examination struct {
	ID        string
	Was       map[string]int // Examined by URL, as read
	Following plat.Following
	Items     []plat.Item
	Messages  []plat.Message
}

// Fits reports whether the subscription is still as it was when it was examined: see
// [Subscriptions.Examined].
func (e *Examination) Fits(s *Subscribed) bool {
	for i := range e.Following.Pages {
		if p := &e.Following.Pages[i]; i == 0 && p.URL != s.URL || p.Depth > DepthOf(&s.Subscription) {
			return false
		}
	}
	for i := range s.Pages {
		if n, ok := e.Was[s.Pages[i].URL]; !ok || n != s.Pages[i].Examined {
			return false
		}
	}
	return len(e.Was) == len(s.Pages)
}

// DepthOf is a subscription's Depth, of which 0 counts as 1.
func DepthOf(s *plat.Subscription) int { return max(1, s.Depth) }

// Outbox keeps messages until they are sent, and channels to send them on. What is given is
// checked first, see [CheckChannel] and [CheckMessages].
type Outbox interface {
	// PutChannel stores a channel under its name, in place of the one of before. If it is
	// mended by that, see [Mended], its messages are due at once, whoever holds them.
	PutChannel(ctx context.Context, c *plat.Channel) error

	// RemoveChannel removes a channel and its messages, or returns plat.ErrNotFound.
	RemoveChannel(ctx context.Context, name string) error

	// Channels yields all channels by name.
	Channels(ctx context.Context) iter.Seq2[*plat.Channel, error]

	// Post stores messages, but for those whose ID is stored already or was sent. Their
	// channel need not exist.
	Post(ctx context.Context, m []plat.Message) error

	// Take returns messages that are due, oldest Made first, at most limit, and puts their Due
	// off to now+hold, so that no other process sends them meanwhile; whoever dies with them
	// in hand leaves them to be taken again. Only the first message of a channel and
	// subscription, by Made and then by ID, is taken: the next follows when that is settled.
	// Channels that are disabled, or unknown, are left out.
	Take(ctx context.Context, now time.Time, hold time.Duration, limit int) ([]plat.Message, error)

	// Sent removes a message, if it is stored, and remembers its ID for 30 days.
	Sent(ctx context.Context, id string, now time.Time) error

	// Failed stores a message's Attempts, Due and Error, or returns plat.ErrNotFound. Of the
	// error it stores what [ErrorText] returns.
	Failed(ctx context.Context, m *plat.Message) error

	// Backlogs returns what is not sent yet, by channel; channels that are disabled or
	// unknown too.
	Backlogs(ctx context.Context) (map[string]Backlog, error)
}

// Mended reports whether a channel is used again, or has another URL, so that what could not be
// sent on it may be sent now.
func Mended(was, now *plat.Channel) bool {
	return now.Disabled == "" && was.URL != "" && (was.Disabled != "" || was.URL != now.URL)
}

// Backlog is what is not sent yet on a channel.
type Backlog struct {
	Messages int
	Oldest   time.Time // Made
	Error    string    // of these messages' latest attempt that failed; empty: none has
}
