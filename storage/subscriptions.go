package storage

import (
	"context"
	"iter"
	"time"

	"plat"
)

// Subscribed is a subscription and what is known of it.
type Subscribed struct {
	plat.Subscription
	plat.Following
}

// Subscriptions keeps subscriptions, their items, and what is to be told of them. A store
// that keeps them implements it beside [Archive].
//
// Nothing here refers to versions, so garbage collection does not touch it.
type Subscriptions interface {
	// Subscribe stores a subscription under its ID, in place of the one of before, whose
	// Following is kept. If the URL or the Depth are others, Pages is emptied: everything is
	// examined anew, and nothing that is stored already is told of again.
	Subscribe(ctx context.Context, s *plat.Subscription) error

	// Unsubscribe removes a subscription, its items, and its messages that were not sent.
	// plat.ErrNotFound if there is none.
	Unsubscribe(ctx context.Context, id string) error

	// Subscription returns one by ID, or plat.ErrNotFound.
	Subscription(ctx context.Context, id string) (*Subscribed, error)

	// Subscriptions yields those that which selects, by ID, without the memories of their pages.
	Subscriptions(ctx context.Context, which Which) iter.Seq2[*Subscribed, error]

	// Behind yields, by ID, subscriptions that are not paused and a page of which has a
	// version after Examined, or has none examined and any version, at most limit.
	Behind(ctx context.Context, limit int) iter.Seq2[*Subscribed, error]

	// Examined stores what examining a subscription has found: items, messages and the new
	// Following, of which Items, Latest, ReadTo and Unread are the store's own. Items and
	// messages whose ID is stored already, or was sent, are left as they are. e.Was is how
	// far its pages had been examined before: if that is no longer so, Examined returns
	// plat.ErrConflict and stores nothing that was not stored by now. Following is written
	// last, so a call that was cut off may be repeated. plat.ErrNotFound if there is no such
	// subscription.
	Examined(ctx context.Context, e *Examination) error

	// Read says that a person has read all items of a subscription seen until to; an earlier
	// time than before makes later items unread.
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

// ItemQuery selects items: all conditions that are given have to hold.
type ItemQuery struct {
	Of    Which     // of these subscriptions
	IDs   []string  // these items
	Since time.Time // seen at or after
	Until time.Time // seen before
	After ItemPlace // only those that sort after this place; zero: from the first
	Limit int       // 0: 100; at most 10,000
}

// ItemPlace is the place of an item in the order of [Subscriptions.Items].
type ItemPlace struct {
	Seen time.Time
	ID   string
}

// Examination is what examining a subscription has found.
type Examination struct {
	ID        string
	Was       map[string]int // Examined by URL, as read
	Following plat.Following
	Items     []plat.Item
	Messages  []plat.Message
}

// Outbox keeps messages until they are sent, and channels to send them on.
type Outbox interface {
	// PutChannel stores a channel under its name.
	PutChannel(ctx context.Context, c *plat.Channel) error

	// RemoveChannel removes a channel and its messages, or returns plat.ErrNotFound.
	RemoveChannel(ctx context.Context, name string) error

	// Channels yields all channels by name.
	Channels(ctx context.Context) iter.Seq2[*plat.Channel, error]

	// Post stores messages that are not stored yet, also if they were sent since.
	Post(ctx context.Context, m []plat.Message) error

	// Take returns messages that are due, oldest Made first, at most limit, and puts their Due
	// off by hold, so that no other process sends them meanwhile; whoever dies with them in
	// hand leaves them to be taken again. Only the first message of a channel and
	// subscription is taken: the next becomes due when that is settled. Channels that are
	// disabled, or unknown, are left out.
	Take(ctx context.Context, now time.Time, hold time.Duration, limit int) ([]plat.Message, error)

	// Sent removes a message and remembers its ID for 30 days.
	Sent(ctx context.Context, id string, now time.Time) error

	// Failed stores a message's Attempts, Due and Error, or plat.ErrNotFound.
	Failed(ctx context.Context, m *plat.Message) error

	// Backlogs returns what is not sent yet, by channel.
	Backlogs(ctx context.Context) (map[string]Backlog, error)
}

// Backlog is what is not sent yet on a channel.
type Backlog struct {
	Messages int
	Oldest   time.Time // Made
	Error    string    // of the latest attempt
}
