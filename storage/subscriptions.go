package storage

import (
	"cmp"
	"context"
	"iter"
	"time"

	"plat/plat"
)

// Subscribed is a subscription with its state.
type Subscribed struct {
	plat.Subscription
	plat.Following
}

// Subscriptions stores subscriptions, their items, and messages about these. A store that
// supports them implements it in addition to [Archive].
//
// Nothing here refers to versions, so garbage collection does not touch it. Arguments are
// checked first, see [CheckSubscription] and [Examination.Check]: if they exceed a limit,
// nothing is stored.
type Subscriptions interface {
	// Subscribe stores a subscription under its ID. It replaces the previous one and keeps its
	// Following. If the URL or the Depth changes, Pages is emptied: all versions are examined
	// again, and no messages are sent about items that are already stored.
	Subscribe(ctx context.Context, s *plat.Subscription) error

	// Unsubscribe removes a subscription, its items, and its unsent messages, or returns
	// plat.ErrNotFound. An interrupted call can be repeated: from its first write on, the
	// subscription is not found.
	Unsubscribe(ctx context.Context, id string) error

	// Subscription returns a subscription by ID, with the memories of its pages, or
	// plat.ErrNotFound.
	Subscription(ctx context.Context, id string) (*Subscribed, error)

	// Subscriptions yields the subscriptions that which selects, by ID, without the memories of
	// their pages.
	Subscriptions(ctx context.Context, which Which) iter.Seq2[*Subscribed, error]

	// Behind yields, by ID and with the memories of their pages, subscriptions that are not
	// paused and have a page whose head is after Examined; at most limit (0: all). A
	// subscription without Pages is behind if its URL has a version.
	Behind(ctx context.Context, limit int) iter.Seq2[*Subscribed, error]

	// Examined stores the result of examining a subscription: items, messages and the new
	// Following. The store sets its Items, Latest, ReadTo and Unread itself. Items and messages
	// whose ID is already stored do not change, and messages that were sent are not stored
	// again. Examined returns plat.ErrNotFound if the subscription does not exist.
	//
	// e.Was is the last examined version of each page before the examination. If it is
	// outdated, or the URL of the subscription has changed or its Depth decreased, Examined
	// returns plat.ErrConflict, and does not change Following. A store without transactions may
	// have stored items and messages by then. That is harmless: examining the same versions
	// again gives the same items.
	//
	// Following is written last, and atomically. An interrupted call leaves the subscription
	// behind, and can be repeated.
	Examined(ctx context.Context, e *Examination) error

	// Read marks all items of a subscription that were seen until to as read, and later ones as
	// unread. It returns plat.ErrNotFound if the subscription does not exist.
	Read(ctx context.Context, id string, to time.Time) error

	// Items yields items, latest Seen first, and those with equal Seen by ID.
	Items(ctx context.Context, q ItemQuery) iter.Seq2[*plat.Item, error]
}

// Which selects subscriptions that meet all given conditions.
type Which struct {
	IDs   []string
	URL   string
	Group string
	Tag   string
}

// All reports whether no condition is given.
func (w *Which) All() bool { return len(w.IDs) == 0 && w.URL == "" && w.Group == "" && w.Tag == "" }

// ItemQuery selects items that meet all given conditions.
type ItemQuery struct {
	Of    Which     // items of these subscriptions
	IDs   []string  // items with these IDs
	Since time.Time // seen at or after
	Until time.Time // seen before
	After ItemPlace // only items after this place in the order; zero: from the first
	Limit int       // 0: 100; at most 10,000
}

// Most returns the maximum number of items to yield.
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

// PlaceOf returns the place of an item.
func PlaceOf(i *plat.Item) ItemPlace { return ItemPlace{i.Seen, i.ID} }

// Compare returns a negative number if p comes before o, and a positive one if it comes after
// o.
func (p ItemPlace) Compare(o ItemPlace) int {
	return cmp.Or(o.Seen.Compare(p.Seen), cmp.Compare(p.ID, o.ID))
}

// Examination is the result of examining a subscription.
type Examination struct {
	ID        string
	Was       map[string]int // Examined by URL, as read
	Following plat.Following
	Items     []plat.Item
	Messages  []plat.Message
}

// Fits reports whether the examination still applies to the subscription: see
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

// DepthOf returns a subscription's Depth, or 1 for a Depth of 0.
func DepthOf(s *plat.Subscription) int { return max(1, s.Depth) }

// Outbox stores messages until they are sent, and channels to send them on. Arguments are
// checked first, see [CheckChannel] and [CheckMessages].
type Outbox interface {
	Channels

	// Post stores messages, except those whose ID is already stored or was sent. Their channel
	// need not exist.
	Post(ctx context.Context, m []plat.Message) error

	// Take returns messages that are due, oldest Made first, at most limit, and postpones their
	// Due to now+hold, so that no other process sends them until then. If the process dies,
	// they are due again after that. It returns only the first message of each channel and
	// subscription, by Made and then by ID. The next one is due after this one is removed.
	// Disabled and unknown channels are skipped. The Claim of a returned message is the store's name
	// of this claim.
	Take(ctx context.Context, now time.Time, hold time.Duration, limit int) ([]plat.Message, error)

	// Sent removes a message, if it is stored, and keeps its ID for 30 days.
	Sent(ctx context.Context, id string, now time.Time) error

	// Failed stores the Attempts, Due and Error of a message that Take has returned, and ends its
	// Claim, or returns plat.ErrNotFound. It stores nothing if the channel was repaired, or another
	// process has taken the message, since. The error is shortened by [ErrorText].
	Failed(ctx context.Context, m *plat.Message) error

	// Backlogs returns the unsent messages by channel, including disabled and unknown channels.
	Backlogs(ctx context.Context) (map[string]Backlog, error)
}

// Channels stores the destinations of messages.
type Channels interface {
	// PutChannel stores a channel under its name, and replaces the previous one. If that
	// repairs the channel, see [Mended], its messages are due at once, even claimed ones.
	PutChannel(ctx context.Context, c *plat.Channel) error

	// DisableChannel stores the reason why a channel is disabled, unless its URL differs from that of c
	// or it was removed.
	DisableChannel(ctx context.Context, c *plat.Channel, why string) error

	// RemoveChannel removes a channel and its messages, or returns plat.ErrNotFound.
	RemoveChannel(ctx context.Context, name string) error

	// Channels yields all channels by name.
	Channels(ctx context.Context) iter.Seq2[*plat.Channel, error]
}

// Mended reports whether a channel was enabled again, or has a new URL, so that messages that
// failed on it may be sent now.
func Mended(was, now *plat.Channel) bool {
	return now.Disabled == "" && was.URL != "" && (was.Disabled != "" || was.URL != now.URL)
}

// Backlog describes the unsent messages of a channel.
type Backlog struct {
	Messages int
	Oldest   time.Time // Made of the oldest message
	Error    string    // of the latest failed attempt; empty: no attempt has failed
}
