package plat

import (
	"crypto/rand"
	"encoding/base32"
	"strings"
	"time"
)

// Subscription says of what somebody wants to hear: of new items on a page, or of changes in
// chosen blocks of it. [Following] is what is known of it.
type Subscription struct {
	ID    string // of [NewID]; its feeds are named by it
	URL   string // canonical
	Title string // given by a person; empty: the page's

	// Depth is how far items are followed: 1 the page alone, 2 also the pages that its items
	// link to, 3 also the pages that theirs link to. 0 counts as 1.
	Depth int

	// Blocks are the lineages of chosen blocks: all that is added in them is told of. Empty:
	// the lists that are found on the page.
	Blocks []int32
	Muted  []int32    // lineages of which nothing is told
	Labels []Label    // only of blocks with one of these labels; empty: of all
	Kinds  []ItemKind // empty: ItemNew
	Match  []string   // regular expressions (RE2, ignoring case): one has to match the added text; empty: any text
	Except []string   // none of these may match it
	Group  string     // folder; empty: none
	Tags   []string   // sorted
	Tell   []string   // names of the [Channel]s that are told
	Digest string     // when they are told, see package digest; empty: of each item, at once
	Paused bool       // nothing is examined until it is resumed
	Made   time.Time  // when somebody subscribed
}

// NewID returns a random name for a subscription: 13 lower-case letters and digits, 64 bits.
func NewID() string {
	var b [8]byte
	rand.Read(b[:]) // never fails
	return strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(b[:]))
}

// Following is what is known of a subscription.
type Following struct {
	Pages   []FollowedPage // the subscription's page first, then those that items link to
	Broken  string         // why there can be no news, as "challenge"; empty: all is well
	Since   time.Time      // since when it is broken, or well
	Items   int            // stored so far
	Latest  time.Time      // of the latest item
	ReadTo  time.Time      // items seen until then have been read
	Unread  int            // items seen after it
	Entries int            // of the list that was found, at the last look; 0: none was found
}

// FollowedPage is how far one page of a subscription has been examined.
type FollowedPage struct {
	URL      string
	Depth    int    // 1 for the subscription's own
	Examined int    // version up to which items are known; 0: none yet
	Memory   []byte // of package watch, opaque here
}

// ItemKind says what became of an item.
type ItemKind string

// The kinds of items.
const (
	ItemNew     ItemKind = "new"     // was never there before
	ItemChanged ItemKind = "changed" // is the same, with other words
	ItemRemoved ItemKind = "removed" // is no longer there
	ItemText    ItemKind = "text"    // text that was added in a chosen block
	ItemPresent ItemKind = "present" // stood there at the first look: nobody is told of it
)

// Item is one entry of a list, as an article of a blog or a row of a table, of which a
// subscription tells.
type Item struct {
	ID           string // unique; made of the subscription, the item's identity and, unless it is new, the version
	Subscription string
	Kind         ItemKind

	Title   string
	URL     string    // what it links to; empty if it has no link of its own
	Excerpt string    // what else stands there, in words; of a changed one: what was added
	Dated   time.Time // as the page says; zero if it does not

	Page    string    // the URL on which it was found
	Version int       // of that page
	Lineage int32     // of the block in which it stands
	Seen    time.Time // when that version was taken
}

// When is the item's date for readers: the page's, or when it was seen.
func (i *Item) When() time.Time {
	if i.Dated.IsZero() {
		return i.Seen
	}
	return i.Dated
}

// Channel is a way to tell somebody, as a webhook. Its secrets are no part of it but named.
type Channel struct {
	Name string // as subscriptions name it
	// URL is where to: see package notify. A part "$NAME" or "$file:PATH" stands for a secret that
	// is read when it is used, from the environment or a file.
	URL      string
	Disabled string // why nothing is sent any more, as "410 Gone"; empty: it is in use
}

// Message is something to tell on a channel. It is sent at least once, in order within
// its channel and subscription.
type Message struct {
	ID           string // unique, and what receivers know repetitions by
	Channel      string
	Subscription string   // empty: a digest of several
	Items        []string // IDs, in order
	Made         time.Time
	Due          time.Time // when to send it, or to send it again
	Attempts     int       // so far
	Error        string    // of the last attempt
}
