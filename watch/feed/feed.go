package feed

import (
	"fmt"
	"time"

	"plat/plat/excerpt"
)

// MaxBytes is the maximum size of a feed: what feed readers accept.
const MaxBytes = 250_000

// Feed is the content of a feed, independent of the format.
type Feed struct {
	ID      string // never changes; the same holds for entries
	Title   string
	Self    string // address of the feed
	Home    string // of the page it belongs to
	Updated time.Time
	Entries []Entry // latest first

	Suppressed int    // changes that the page makes by itself, which are left out
	All        string // address of the feed that has them
}

// about says what the feed is of, and what is left out.
func (f *Feed) about() string {
	if f.Suppressed == 0 {
		return f.Title
	}
	changes := "changes"
	if f.Suppressed == 1 {
		changes = "change"
	}
	return fmt.Sprintf("%s. %d %s that the page makes by itself: %s", f.Title, f.Suppressed, changes, f.All)
}

// Format is a feed format.
type Format struct {
	Media   string // media type
	marshal func(*Feed) ([]byte, error)
	clean   func([]byte) []byte // removes hostile characters from what marshal writes
}

// Formats are the formats by name: atom, rss and json.
var Formats = map[string]Format{
	"atom": {"application/atom+xml; charset=utf-8", writeAtom, excerpt.Shown},
	"rss":  {"application/rss+xml; charset=utf-8", writeRSS, excerpt.Shown},
	"json": {"application/feed+json", writeJSONFeed, excerpt.ShownJSON},
}

// Marshal writes a feed. If it would exceed [MaxBytes], the oldest entries are
// dropped, also from f. Characters that readers would obey or show wrongly are removed from all its texts.
func (w Format) Marshal(f *Feed) ([]byte, error) {
	for {
		body, err := w.marshal(f)
		body = w.clean(body)
		if err != nil || len(body) <= MaxBytes || len(f.Entries) == 0 {
			return body, err
		}
		f.Entries = f.Entries[:len(f.Entries)*3/4]
	}
}
