package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"plat/plat"
	"plat/storage"
)

// Search is the question of search_blocks.
type Search struct {
	Words  string `json:"words" jsonschema:"words that the block has, all of them; a phrase in double quotes; a minus before a word excludes it"`
	Site   string `json:"site,omitempty" jsonschema:"host, or beginning of a URL"`
	Since  string `json:"since,omitempty" jsonschema:"it was there at this time or later: date or RFC 3339"`
	Until  string `json:"until,omitempty" jsonschema:"it was there before this time"`
	Gone   bool   `json:"gone,omitempty" jsonschema:"only what is no longer there"`
	Label  string `json:"label,omitempty" jsonschema:"kinds of block, separated by commas, as main, navigation, list; content for main, heading, list, table, media and comments"`
	Cursor string `json:"cursor,omitempty" jsonschema:"more, from the answer before"`
}

// Found is the answer of search_blocks.
type Found struct {
	Total  int    `json:"total"`
	Blocks []Hit  `json:"blocks"`
	More   string `json:"more,omitempty"`
}

// Hit is a text that was on a page for some time.
type Hit struct {
	URL     string `json:"url"`
	Lineage int32  `json:"lineage"` // for block_history
	Version int    `json:"version"` // the first with it
	Came    string `json:"came"`    // when that was taken
	Went    string `json:"went,omitempty"`
	Label   string `json:"label,omitempty"`
	Quote   string `json:"quote"`
}

func (s *server) searchBlocks(ctx context.Context, in *Search) (*Found, error) {
	labels, err := plat.ReadLabels(in.Label)
	if err != nil {
		return nil, fmt.Errorf("label %w", err)
	}
	q := storage.Search{Words: in.Words, Gone: in.Gone, Labels: labels, Limit: 50}
	q.Host, q.URL = storage.Site(in.Site)
	if q.Since, q.Until, err = period(in.Since, in.Until); err != nil {
		return nil, err
	}
	if q.Offset, err = offset(in.Cursor); err != nil {
		return nil, err
	}
	if asked := storage.Ask(in.Words); len(asked.All)+len(asked.None) == 0 {
		return nil, errors.New("words: write at least one word")
	}
	r, err := s.search(ctx, q)
	if err != nil {
		return nil, err
	}
	out := &Found{Total: r.Total, Blocks: []Hit{}}
	room := newRoom()
	for i := range r.Hits {
		h := &r.Hits[i]
		quote, err := s.quote(ctx, &h.Span, in.Words, 240)
		if err != nil {
			return nil, err
		}
		x := Hit{h.URL, h.Lineage, h.First, stamp(h.Since), stamp(h.Until), string(h.Block.Label), quote}
		if !room.takes(x) {
			break
		}
		out.Blocks = append(out.Blocks, x)
	}
	if n := q.Offset + len(out.Blocks); n < r.Total && len(out.Blocks) > 0 {
		out.More = strconv.Itoa(n)
	}
	return out, nil
}

// offset reads a cursor that is a number of entries to skip.
func offset(cursor string) (int, error) {
	if cursor == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(cursor)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("cursor %q: give back more as it was", cut(cursor, 40))
	}
	return n, nil
}

// Pages is the question of list_pages.
type Pages struct {
	Prefix string `json:"prefix,omitempty" jsonschema:"beginning of the URLs, as https://example.org/news/; empty: all"`
	Cursor string `json:"cursor,omitempty" jsonschema:"more, from the answer before"`
}

// PageList is the answer of list_pages.
type PageList struct {
	Pages []PageInfo `json:"pages"`
	More  string     `json:"more,omitempty"`
}

// PageInfo is a page of the archive.
type PageInfo struct {
	URL      string `json:"url"`
	Versions int    `json:"versions"`
	Visited  string `json:"visited"` // the last time
	Outcome  string `json:"outcome"` // of that visit
}

func (s *server) listPages(ctx context.Context, in *Pages) (*PageList, error) {
	out := &PageList{Pages: []PageInfo{}}
	room := newRoom()
	for st, err := range s.Store.States(ctx, in.Prefix, in.Cursor) {
		if err != nil {
			return nil, err
		}
		if st.Head == 0 {
			continue
		}
		x := PageInfo{st.URL, st.Head, stamp(st.Last), string(st.Outcome)}
		if !room.takes(x) {
			out.More = out.Pages[len(out.Pages)-1].URL
			break
		}
		out.Pages = append(out.Pages, x)
	}
	return out, nil
}

// Versions is the question of list_versions.
type Versions struct {
	URL    string `json:"url"`
	Since  string `json:"since,omitempty" jsonschema:"taken at this time or later: date or RFC 3339"`
	Until  string `json:"until,omitempty" jsonschema:"taken before this time"`
	All    bool   `json:"all,omitempty" jsonschema:"versions of self-changes alone too"`
	Cursor string `json:"cursor,omitempty" jsonschema:"more, from the answer before"`
}

// VersionList is the answer of list_versions.
type VersionList struct {
	URL      string        `json:"url"`
	Versions []VersionInfo `json:"versions"`
	LeftOut  int           `json:"left_out,omitempty"` // versions of self-changes alone
	More     string        `json:"more,omitempty"`
}

// VersionInfo is a version of a page.
type VersionInfo struct {
	Version int               `json:"version"`
	Taken   string            `json:"taken"`
	Changes map[plat.Kind]int `json:"changes,omitempty"` // number of changes by kind
	Quote   string            `json:"quote,omitempty"`   // title of the page
}

func (s *server) listVersions(ctx context.Context, in *Versions) (*VersionList, error) {
	url, err := s.url(in.URL)
	if err != nil {
		return nil, err
	}
	before, err := offset(in.Cursor)
	if err != nil {
		return nil, err
	}
	since, until, err := period(in.Since, in.Until)
	if err != nil {
		return nil, err
	}
	var all []VersionInfo
	out := &VersionList{URL: url, Versions: []VersionInfo{}}
	for v, err := range s.Store.Versions(ctx, url) {
		if err != nil {
			return nil, err
		}
		switch {
		case before > 0 && v.N >= before, v.Taken.Before(since), !until.IsZero() && v.Taken.After(until):
			continue
		case !in.All && !v.News():
			out.LeftOut++
			continue
		}
		all = append(all, VersionInfo{v.N, stamp(v.Taken), v.Changes, cut(v.Capture.Title, 120)})
	}
	if len(all) == 0 {
		if _, err := s.Store.Times(ctx, url); err != nil {
			return nil, err
		}
	}
	room := newRoom()
	title := ""
	for i, x := range slices.Backward(all) {
		if x.Quote == title {
			x.Quote = "" // as that of the version after it
		} else {
			title = x.Quote
		}
		if !room.takes(x) {
			out.More = strconv.Itoa(all[i+1].Version)
			break
		}
		out.Versions = append(out.Versions, x)
	}
	return out, nil
}

// Items is the question of watch_items.
type Items struct {
	Subscription string `json:"subscription,omitempty" jsonschema:"only of this subscription (its id)"`
	Since        string `json:"since,omitempty" jsonschema:"seen at this time or later: date or RFC 3339"`
	Until        string `json:"until,omitempty" jsonschema:"seen before this time"`
	Cursor       string `json:"cursor,omitempty" jsonschema:"more, from the answer before"`
}

// ItemList is the answer of watch_items.
type ItemList struct {
	Items []ItemInfo `json:"items"`
	More  string     `json:"more,omitempty"`
}

// ItemInfo is a piece of news of a watched page.
type ItemInfo struct {
	Seen  string `json:"seen"`
	Kind  string `json:"kind"`
	Page  string `json:"page"`
	URL   string `json:"url,omitempty"` // where the entry leads
	Dated string `json:"dated,omitempty"`
	Quote string `json:"quote"`          // title
	Text  string `json:"text,omitempty"` // the rest
}

func (s *server) watchItems(ctx context.Context, in *Items) (*ItemList, error) {
	q := storage.ItemQuery{Limit: math.MaxInt32}
	if in.Subscription != "" {
		q.Of = storage.Which{IDs: []string{in.Subscription}}
	}
	var err error
	if q.Since, q.Until, err = period(in.Since, in.Until); err != nil {
		return nil, err
	}
	skip, err := offset(in.Cursor)
	if err != nil {
		return nil, err
	}
	out := &ItemList{Items: []ItemInfo{}}
	room := newRoom()
	n := 0
	for x, err := range s.Store.Items(ctx, q) {
		if err != nil {
			return nil, err
		}
		if n++; n <= skip {
			continue
		}
		i := ItemInfo{stamp(x.Seen), string(x.Kind), x.Page, x.URL, "", cut(x.Title, 200), cut(x.Excerpt, 300)}
		if !x.Dated.IsZero() {
			i.Dated = x.Dated.Format("2006-01-02")
		}
		if !room.takes(i) {
			out.More = strconv.Itoa(n - 1)
			break
		}
		out.Items = append(out.Items, i)
	}
	return out, nil
}

// Visit is the question of archive_page.
type Visit struct {
	URL string `json:"url"`
}

// Visited is the answer of archive_page.
type Visited struct {
	URL    string `json:"url"`
	Result string `json:"result"`
}

func (s *server) archivePage(ctx context.Context, in *Visit) (*Visited, error) {
	url, err := s.url(in.URL)
	if err != nil {
		return nil, err
	}
	result, err := s.Archive(ctx, url)
	if err != nil {
		return nil, err
	}
	return &Visited{url, result}, nil
}
