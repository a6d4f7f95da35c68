package feed

import (
	"fmt"
	"time"

	"plat/plat/excerpt"
)

// MaxBytes is the maximum size of a feed that feed readers accept.
const MaxBytes = 250_000

// Feed is the content of a feed, independent of the format.
type Feed struct {
	ID      string // never changes
	Title   string
	Self    string // address of the feed
	Home    string // address of the page it belongs to
	Updated time.Time
	Entries []Entry // latest first

	Suppressed int    // number of self-changes that are left out
	All        string // address of the feed that includes them
}

// about returns the title of the feed and the number of changes that are left out.
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
	clean   func([]byte) []byte // removes hostile characters from the output of marshal
}

// Formats are the formats by name: atom, rss and json.
var Formats = map[string]Format{
	"atom": {"application/atom+xml; charset=utf-8", writeAtom, excerpt.Shown},
	"rss":  {"application/rss+xml; charset=utf-8", writeRSS, excerpt.Shown},
	"json": {"application/feed+json", writeJSONFeed, excerpt.ShownJSON},
}

// Marshal writes a feed. If it would exceed [MaxBytes], the oldest entries are dropped, also
// from f. Control characters and the like are removed from all texts.
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
