package feed

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"plat/plat"
	"plat/plat/excerpt"
	"plat/plat/weburl"
)

// itemExtension holds plat's extension fields of an item in JSON Feed.
type itemExtension struct {
	ID           string        `json:"id"`
	Subscription string        `json:"subscription"`
	Kind         plat.ItemKind `json:"kind"`
	Page         string        `json:"page"`
	Version      int           `json:"version"`
	Lineage      int32         `json:"lineage"`
}

// Limits of the texts of an item, in characters.
const (
	maxTitle = 300
	maxTag   = 100
)

// itemWords begin the titles of items that are not new.
var itemWords = map[plat.ItemKind]string{plat.ItemChanged: "Changed: ", plat.ItemRemoved: "Gone: "}

// OfItem returns the entry of an item. tags are the tags of its subscription. page is the
// address of its page in plat. The entry links to it if the item has no URL that a browser may
// open.
func OfItem(it *plat.Item, tags []string, page string) Entry {
	text := func(s string) string { return strings.TrimSpace(plain(s)) }
	e := Entry{ID: URN("item", it.ID), Link: page, Published: it.Seen.UTC(), Updated: it.Seen.UTC(),
		Extension: itemExtension{text(it.ID), text(it.Subscription), it.Kind, text(it.Page), it.Version, it.Lineage}}
	if opens(it.URL) {
		e.Link = excerpt.URL(plat.WithoutUser(it.URL))
	}
	// A date in the future, such as of a concert, is not the date of publication.
	if !it.Dated.IsZero() && it.Dated.Before(it.Seen) && it.Dated.Year() > 0 {
		e.Published = it.Dated.UTC()
	}
	about, more := text(it.Title), text(it.Excerpt)
	for _, other := range []string{more, plat.WithoutUser(it.URL), it.Page, "Untitled"} {
		if about != "" {
			break
		}
		about, _, _ = strings.Cut(text(other), "\n")
	}
	e.Title = itemWords[it.Kind] + excerpt.Line(words(about), maxTitle)
	if more == "" {
		more = about // JSON Feed requires content
	}
	e.HTML = "<p>" + escapeLines(shorten(more, maxText)) + "</p>"
	for _, t := range tags {
		if t = excerpt.Line(words(text(t)), maxTag); t != "" {
			e.Tags = append(e.Tags, t)
		}
	}
	return e
}

// words joins the words of all lines of a text with single blanks.
func words(s string) string { return strings.Join(strings.Fields(s), " ") }

// shorten returns at most most characters of a text, and appends an ellipsis if there are more.
func shorten(s string, most int) string {
	n := 0
	for i := range s {
		if n++; n > most {
			return s[:i] + "…"
		}
	}
	return s
}

// opens reports whether a feed may link to a URL: an absolute web address, without characters
// that XML cannot represent.
func opens(raw string) bool {
	return weburl.IsWeb(raw) && weburl.Resolve(raw) != "" && excerpt.XML(raw) == raw
}

// URN returns a URI for an object with an ID, such as an item: a UUID of version 8 that is
// derived from the SHA-256 of kind and id (RFC 9562 section 5.8 and appendix B.2). It is the
// same in every feed and at every address of this server.
func URN(kind, id string) string {
	sum := sha256.Sum256([]byte("plat " + kind + "\x00" + id))
	u := sum[:16]
	u[6] = u[6]&0x0f | 0x80 // version 8
	u[8] = u[8]&0x3f | 0x80 // variant of RFC 9562
	h := hex.EncodeToString(u)
	return "urn:uuid:" + h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// Latest returns the time of the latest entry, for [Feed.Updated], or otherwise if there are no
// entries.
func Latest(entries []Entry, otherwise time.Time) time.Time {
	for i, e := range entries {
		if i == 0 || e.Updated.After(otherwise) {
			otherwise = e.Updated
		}
	}
	return otherwise
}
