// Package opml reads and writes subscription lists in OPML 2.0, the format in which feed
// readers exchange them (http://opml.org/spec2.opml).
//
// [Read] returns a [Document]: a tree of outlines. [Document.Subscriptions] converts outlines
// with a URL to subscriptions, and outlines without one to folders. [Of] is the inverse. A list
// carries only a page's URL, title, folder and tags.
//
// Lists are untrusted input, read as a stream: size, depth and number of outlines are limited,
// and control characters are removed. Only XML's five predefined entities exist, so entities
// cannot expand.
package opml

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"plat/plat"
	"plat/plat/excerpt"
)

// Limits of a list that is read.
const (
	MaxBytes    = 10 << 20
	MaxDepth    = 32 // outlines within outlines
	MaxOutlines = 20_000
	maxText     = 500 // characters of a title, or of a folder's name
	maxTag      = 100
	maxTags     = 50
	maxSplit    = 1_000     // tags of an outline that are read, including empty ones and duplicates
	maxElement  = 256 << 10 // bytes of an element with its attributes, a text or a comment
)

// Document is a list.
type Document struct {
	Title    string
	Made     time.Time // zero if unknown
	Outlines []Outline
}

// Outline is a subscription or a folder.
type Outline struct {
	Title    string   // OPML's title, or else its text
	Page     string   // htmlUrl
	Feed     string   // xmlUrl
	Link     string   // url, of outlines of type link
	Tags     []string // category
	Outlines []Outline
}

// Refusal is an outline that cannot become a subscription.
type Refusal struct {
	Title  string
	Reason string
}

// Subscriptions returns a subscription of each outline that has a URL: its page, with its feed if it has one, or else the feed
// as the page. The titles of the outlines around it, joined by "/", are its folder. Subscriptions have
// no ID. If a URL is in several outlines, it has the feeds and the tags of all, and the first folder, rather than none.
func (d *Document) Subscriptions() (subs []plat.Subscription, refused []Refusal) {
	place := map[string]int{}
	var walk func(outlines []Outline, group string)
	walk = func(outlines []Outline, group string) {
		for i := range outlines {
			o := &outlines[i]
			walk(o.Outlines, joined(group, o.Title))
			address, err := o.address()
			switch {
			case err != nil:
				refused = append(refused, Refusal{o.Title, err.Error()})
			case address == "" && len(o.Outlines) == 0:
				refused = append(refused, Refusal{o.Title, "it has no htmlUrl and no xmlUrl"})
			case address != "":
				at, known := place[address]
				if !known {
					at = len(subs)
					place[address] = at
					subs = append(subs, plat.Subscription{URL: address, Title: o.Title, Group: group})
				}
				s := &subs[at]
				further := slices.DeleteFunc(o.feeds(address), func(f string) bool { return slices.Contains(s.Feeds, f) })
				switch {
				case len(s.Feeds)+len(further) > plat.MaxFeeds:
					refused = append(refused, Refusal{o.Title, fmt.Sprintf("its page has %d feeds already: %s", plat.MaxFeeds, address)})
				case known && len(further) == 0 && (s.Group != "" || group == ""):
					refused = append(refused, Refusal{o.Title, "it is in the list already: " + address})
				default:
					s.Feeds = append(s.Feeds, further...)
				}
				s.Group = cmp.Or(s.Group, group) // it may also be without a folder
				s.Tags = sortedTags(append(s.Tags, o.Tags...))
			}
		}
	}
	walk(d.Outlines, "")
	return subs, refused
}

// joined returns the path of a folder inside of a group.
func joined(group, name string) string {
	parts := append(folders(group), folders(name)...)
	return clean(strings.Join(parts, "/"), maxText)
}

// folders returns the parts of a path that are not empty.
func folders(path string) (parts []string) {
	for p := range strings.SplitSeq(path, "/") {
		if p = strings.TrimSpace(p); p != "" {
			parts = append(parts, p)
		}
	}
	return parts
}

// address returns the canonical URL to subscribe to, or the empty string if the outline has no
// URL. If no URL is valid, the error is that of the first.
func (o *Outline) address() (string, error) {
	var first error
	for _, raw := range [...]string{o.Page, o.Feed, o.Link} {
		if raw == "" {
			continue
		}
		u, err := canonical(raw)
		if err == nil {
			return u, nil
		}
		first = cmp.Or(first, err)
	}
	return "", first
}

// canonical returns the canonical form of a URL. Older readers wrote feed://host/path and feed:https://host/path.
func canonical(raw string) (string, error) {
	raw = strings.TrimSpace(raw)
	if scheme, rest, ok := strings.Cut(raw, ":"); ok && strings.EqualFold(scheme, "feed") {
		if raw = rest; strings.HasPrefix(rest, "//") {
			raw = "http:" + rest
		}
	}
	return plat.Canonical(raw, plat.TrackingParams)
}

// feeds returns the outline's feed, unless it is the page.
func (o *Outline) feeds(page string) []string {
	u, err := canonical(o.Feed)
	if o.Feed == "" || err != nil || u == page || strings.Contains(u, "/watch/feed.atom?id=") { // by plat itself, of the page
		return nil
	}
	return []string{u}
}

// sortedTags returns tags sorted, without duplicates and without commas, which OPML cannot
// express.
func sortedTags(tags []string) []string {
	var all []string
	for _, t := range tags[:min(len(tags), maxSplit)] {
		t = strings.TrimLeft(clean(strings.ReplaceAll(t, ",", " "), maxTag), "/ ")
		if t != "" {
			all = append(all, t)
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	return all[:min(len(all), maxTags)]
}

// clean returns a text as one line without control characters, of at most most characters.
func clean(s string, most int) string {
	return excerpt.Line(strings.Join(strings.Fields(excerpt.Printable(excerpt.XML(s))), " "), most)
}

// Of returns a list of subscriptions, by folder and then in their order. feed returns the
// address of plat's feed of a subscription, for feed readers. If it is nil or returns none, there is an outline of each feed of the
// site, or one that is a link to the page.
func Of(title string, made time.Time, subs []plat.Subscription, feed func(*plat.Subscription) string) *Document {
	d := &Document{Title: title, Made: made}
	for i := range subs {
		s := &subs[i]
		o := Outline{Title: clean(cmp.Or(s.Title, s.URL), maxText), Page: s.URL, Tags: sortedTags(s.Tags)}
		if feed != nil {
			o.Feed = feed(s)
		}
		more := s.Feeds
		if o.Feed != "" {
			more = nil
		} else if len(more) > 0 {
			o.Feed, more = more[0], more[1:]
		}
		put(&d.Outlines, folders(s.Group), o)
		for _, o.Feed = range more {
			put(&d.Outlines, folders(s.Group), o)
		}
	}
	order(d.Outlines)
	return d
}

// put adds an outline to a folder, which it creates if necessary. Folders beyond MaxDepth
// become one folder whose name is a path.
func put(outlines *[]Outline, path []string, o Outline) {
	for depth := 1; len(path) > 0; depth++ {
		name, rest := clean(path[0], maxText), path[1:]
		if depth == MaxDepth-1 {
			name, rest = clean(strings.Join(path, "/"), maxText), nil
		}
		at := slices.IndexFunc(*outlines, func(o Outline) bool { return o.Title == name && o.Page == "" })
		if at < 0 {
			at = len(*outlines)
			*outlines = append(*outlines, Outline{Title: name})
		}
		outlines, path = &(*outlines)[at].Outlines, rest
	}
	*outlines = append(*outlines, o)
}

// order puts folders before subscriptions, by name.
func order(outlines []Outline) {
	slices.SortStableFunc(outlines, func(a, b Outline) int {
		switch {
		case a.Page == "" && b.Page == "":
			return cmp.Compare(a.Title, b.Title)
		case a.Page == "":
			return -1
		case b.Page == "":
			return 1
		}
		return 0
	})
	for i := range outlines {
		order(outlines[i].Outlines)
	}
}
