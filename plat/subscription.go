package plat

import (
	"crypto/rand"
	"encoding/base32"
	"strings"
	"time"
)

// MaxFeeds is the maximum number of feeds of a subscription.
const MaxFeeds = 10

// Subscription selects the news that a subscriber receives: new items on a page, or changes in chosen
// blocks of it. [Following] is its state.
type Subscription struct {
	ID    string // from [NewID]; part of its feeds' URLs
	URL   string // canonical
	Title string // set by the user; empty: the page's title

	// Depth is the number of levels of pages whose items are followed: 1 the page alone, 2 also the
	// pages that its items link to, 3 also the pages that theirs link to. 0 counts as 1.
	Depth int

	// Feeds are canonical URLs of feeds of the page's site: their entries are items too, each once with those of the page.
	Feeds []string

	// Blocks are the lineages of chosen blocks: all text added in them is reported. Empty: the lists
	// found on the page.
	Blocks []int32
	Muted  []int32    // lineages that are never reported
	Labels []Label    // only blocks with one of these labels; empty: all
	Kinds  []ItemKind // empty: ItemNew
	Match  []string   // regular expressions (RE2, ignoring case): one must match the added text; empty: any text
	Except []string   // no match of these in the added text
	Group  string     // folder; empty: no folder
	Tags   []string   // sorted
	Tell   []string   // names of the [Channel]s to notify
	Digest string     // when to notify them, see package digest; empty: for each item, at once
	Paused bool       // nothing is examined until it is resumed
	Made   time.Time  // time of subscription
}

// NewID returns a random name for a subscription: 13 lower-case letters and digits, 64 bits.
func NewID() string {
	var b [8]byte
	rand.Read(b[:]) // never fails
	return strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(b[:]))
}

// Following is the state of a subscription.
type Following struct {
	Pages   []FollowedPage // the subscription's page first, then the pages that items link to
	Broken  string         // why the page cannot be followed, such as "challenge"; empty: it can
	Since   time.Time      // start of the present state, broken or well
	Items   int            // stored so far
	Latest  time.Time      // of the latest item
	ReadTo  time.Time      // items seen until then have been read
	Unread  int            // items seen after it
	Entries int            // of the list found at the last examination; 0: no list was found
}

// FollowedPage is the progress of a subscription on one page.
type FollowedPage struct {
	URL      string
	Depth    int    // 1 for the subscription's own
	Examined int    // last version whose items were examined; 0: not yet
	Memory   []byte // of package watch, opaque here
}

// ItemKind is the kind of event of an item.
type ItemKind string

// The kinds of items.
const (
	ItemNew     ItemKind = "new"     // was never on the page before
	ItemChanged ItemKind = "changed" // is the same, with different words
	ItemRemoved ItemKind = "removed" // is no longer on the page
	ItemText    ItemKind = "text"    // text added in a chosen block
	ItemPresent ItemKind = "present" // was on the page at the first examination: not reported
)

// Item is one entry of a list, such as an article of a blog or a row of a table, that a subscription
// reports.
type Item struct {
	ID           string // unique; derived from the subscription, the item's identity and, unless it is new, the version
	Subscription string
	Kind         ItemKind

	Title   string
	URL     string    // target of its link; empty if it has no link of its own
	Excerpt string    // the rest of its text; of a changed item, the added text
	Dated   time.Time // date on the page; zero without a date

	Page    string    // URL of the page with the item
	Version int       // of that page
	Lineage int32     // of the block with the item
	Seen    time.Time // capture time of that version
}

// When returns the item's date for readers: the date on the page, or the time it was seen.
func (i *Item) When() time.Time {
	if i.Dated.IsZero() {
		return i.Seen
	}
	return i.Dated
}

// Channel is a way to notify a subscriber, such as a webhook. It names its secrets but does not
// contain them.
type Channel struct {
	Name string // the name used in subscriptions
	// URL is the destination: see package notify. A part "$NAME" or "$file:PATH" is replaced by a
	// secret from the environment or a file when it is used.
	URL      string
	Disabled string // why nothing is sent any more, such as "410 Gone"; empty: in use
}

// Message is a notification for a channel. It is sent at least once, in order within its channel and
// subscription.
type Message struct {
	ID           string // unique; receivers use it to detect repetitions
	Channel      string
	Subscription string   // empty: a digest of several
	Items        []string // IDs, in order
	Made         time.Time
	Due          time.Time // time of the first or the next attempt
	Attempts     int       // so far
	Error        string    // of the last attempt
	Claim        string    // of who has taken it to send it: see storage.Outbox.Take
}
