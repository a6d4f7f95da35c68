package feed

import "time"

// MaxBytes is how large a feed is at most: what readers take without complaint.
const MaxBytes = 250_000

// Feed is what is written, whatever the format.
type Feed struct {
	ID      string // never changes, nor does that of an item
	Title   string
	Self    string // address of the feed
	Home    string // of the page it belongs to
	Updated time.Time
	Items   []Item // latest first
}

// Format is what a feed is written in.
type Format struct {
	Media   string // type of the answer
	marshal func(*Feed) ([]byte, error)
}

// Formats are the formats by name: atom, rss and json.
var Formats = map[string]Format{
	"atom": {"application/atom+xml; charset=utf-8", writeAtom},
	"rss":  {"application/rss+xml; charset=utf-8", writeRSS},
	"json": {"application/feed+json", writeJSONFeed},
}

// Marshal writes a feed. The oldest items of one that would be larger than
// [MaxBytes] are left out, of f as well.
func (w Format) Marshal(f *Feed) ([]byte, error) {
	for {
		body, err := w.marshal(f)
		if err != nil || len(body) <= MaxBytes || len(f.Items) == 0 {
			return body, err
		}
		f.Items = f.Items[:len(f.Items)*3/4]
	}
}
