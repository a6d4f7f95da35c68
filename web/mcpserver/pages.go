package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"plat/plat"
	"plat/storage"
	"plat/storage/history"
)

// Compare is the question of what_changed.
type Compare struct {
	URL    string   `json:"url"`
	From   string   `json:"from,omitempty" jsonschema:"version number, date or RFC 3339 time to compare from; empty: the version before"`
	To     string   `json:"to,omitempty" jsonschema:"version number, date or time to compare with; empty: the last version"`
	Kinds  []string `json:"kinds,omitempty" jsonschema:"only these kinds: added, removed, content, link, image, moved, format, hidden, advertisement, volatile"`
	All    bool     `json:"all,omitempty" jsonschema:"self-changes too, as of counters and clocks"`
	Cursor string   `json:"cursor,omitempty" jsonschema:"more, from the answer before"`
}

// Changes is the answer of what_changed.
type Changes struct {
	URL     string            `json:"url"`
	From    int               `json:"from"` // versions
	To      int               `json:"to"`
	Taken   [2]string         `json:"taken"` // when they were
	Counts  map[plat.Kind]int `json:"counts"`
	Changes []Change          `json:"changes"`
	More    string            `json:"more,omitempty"`
}

// Change is a change of a block.
type Change struct {
	Kind    plat.Kind `json:"kind"`
	Lineage int32     `json:"lineage"`
	Label   string    `json:"label,omitempty"`
	Old     string    `json:"old,omitempty"`
	New     string    `json:"new,omitempty"`
	Quote   string    `json:"quote,omitempty"` // where words changed: [-removed-] and {+added+} in their sentence
}

func (s *server) whatChanged(ctx context.Context, in *Compare) (*Changes, error) {
	url, err := s.url(in.URL)
	if err != nil {
		return nil, err
	}
	skip, err := offset(in.Cursor)
	if err != nil {
		return nil, err
	}
	now, err := s.version(ctx, url, in.To)
	if err != nil {
		return nil, err
	}
	var old *plat.Version
	if in.From != "" {
		old, err = s.version(ctx, url, in.From)
	} else if n := now.Previous(); n > 0 {
		old, err = s.Store.Version(ctx, url, n)
	} else {
		err = fmt.Errorf("version %d of %s is the first; there is nothing before it", now.N, url)
	}
	if err != nil {
		return nil, err
	}
	out := &Changes{URL: url, From: old.N, To: now.N, Taken: [2]string{stamp(old.Taken), stamp(now.Taken)}, Counts: map[plat.Kind]int{}, Changes: []Change{}}
	if old.N == now.N {
		return out, nil // nothing changed between these times
	}
	c, err := history.Between(ctx, s.Store, url, old.N, now.N)
	if err != nil {
		return nil, err
	}
	info := c.Info()
	out.Counts = info.Counts
	room := newRoom()
	seen := 0
	for _, x := range info.Changes {
		if !in.All && x.SelfChange != "" || len(in.Kinds) > 0 && !slices.Contains(in.Kinds, string(x.Kind)) {
			continue
		}
		if seen++; seen <= skip {
			continue
		}
		ch := Change{Kind: x.Kind, Lineage: x.Lineage, Label: string(x.Label)}
		switch {
		case x.Kind == plat.Added:
			ch.New = cut(plain(x.Words), 600)
		case x.Kind == plat.Removed:
			ch.Old = cut(plain(x.Words), 600)
		case len(x.Words) > 0:
			ch.Quote = cut(marked(history.Excerpt(x.Words)), 1200)
		default:
			if x.OldText != nil {
				ch.Old = cut(*x.OldText, 600)
			}
			if x.NewText != nil {
				ch.New = cut(*x.NewText, 600)
			}
		}
		for _, a := range x.Attributes[:min(3, len(x.Attributes))] {
			ch.Old, ch.New = cut(strings.TrimSpace(ch.Old+" "+a.Name+"="+a.Old), 600), cut(strings.TrimSpace(ch.New+" "+a.Name+"="+a.New), 600)
		}
		if !room.takes(ch) {
			out.More = strconv.Itoa(seen - 1)
			break
		}
		out.Changes = append(out.Changes, ch)
	}
	return out, nil
}

// marked writes words as plat diff does: [-removed-] and {+added+}.
func marked(words []history.Word) string {
	var b strings.Builder
	for _, w := range words {
		inside := strings.TrimSpace(w.Text)
		before, after, _ := strings.Cut(w.Text, inside)
		b.WriteString(before)
		switch {
		case inside == "":
		case w.Op == "delete":
			b.WriteString("[-" + inside + "-]")
		case w.Op == "insert":
			b.WriteString("{+" + inside + "+}")
		default:
			b.WriteString(inside)
		}
		b.WriteString(after)
	}
	return strings.TrimSpace(b.String())
}

// plain returns the text of words.
func plain(words []history.Word) string {
	var b strings.Builder
	for _, w := range words {
		b.WriteString(w.Text)
	}
	return strings.TrimSpace(b.String())
}

// search searches the archive after it has taken what is new into the index. If that fails, the older index answers.
func (s *server) search(ctx context.Context, q storage.Search) (storage.Results, error) {
	if err := s.Store.Index(ctx, nil); err != nil && ctx.Err() != nil {
		return storage.Results{}, context.Cause(ctx)
	}
	return s.Store.Search(ctx, q)
}

// quote returns about around characters of a text, where words are in it.
func (s *server) quote(ctx context.Context, sp *storage.Span, words string, around int) (string, error) {
	b := []plat.Block{sp.Block}
	if err := history.Load(ctx, s.Store, b, []plat.Hash{sp.Hash}); err != nil {
		return "", err
	}
	var quote strings.Builder
	for _, p := range storage.Snippet(b[0].Text, words, around) {
		quote.WriteString(p.Text)
	}
	return quote.String(), nil
}

// Read is the question of read_page.
type Read struct {
	URL    string `json:"url"`
	At     string `json:"at,omitempty" jsonschema:"version number, date or RFC 3339 time; empty: the last version"`
	Cursor string `json:"cursor,omitempty" jsonschema:"more, from the answer before"`
}

// PageText is the answer of read_page.
type PageText struct {
	URL     string `json:"url"`
	Version int    `json:"version"`
	Taken   string `json:"taken"`
	Quote   string `json:"quote"` // title of the page
	Text    string `json:"text"`  // Markdown
	More    string `json:"more,omitempty"`
}

func (s *server) readPage(ctx context.Context, in *Read) (*PageText, error) {
	url, err := s.url(in.URL)
	if err != nil {
		return nil, err
	}
	from, err := offset(in.Cursor)
	if err != nil {
		return nil, err
	}
	v, err := s.version(ctx, url, in.At)
	if err != nil {
		return nil, err
	}
	text, err := s.markdown(ctx, v)
	if err != nil {
		return nil, err
	}
	out := &PageText{URL: url, Version: v.N, Taken: stamp(v.Taken), Quote: cut(v.Capture.Title, 200)}
	text = text[min(from, len(text)):]
	// JSON escapes line feeds and quotation marks: the part that fits is shorter than the text that would.
	whole := text
	for most := MaxAnswer - 500 - len(encode(out)); len(encode(text)) > most; {
		end := len(text) * most / len(encode(text)) * 19 / 20
		if i := strings.LastIndexByte(text[:end], '\n'); i > end/2 {
			end = i + 1
		}
		for end > 0 && text[end]&0xc0 == 0x80 {
			end--
		}
		text = whole[:end]
		out.More = strconv.Itoa(from + end)
	}
	out.Text = strings.ToValidUTF8(text, "")
	return out, nil
}

// History is the question of block_history.
type History struct {
	URL     string `json:"url"`
	Words   string `json:"words,omitempty" jsonschema:"some words of the text"`
	Lineage int32  `json:"lineage,omitempty" jsonschema:"the block's lineage, from another answer"`
	Cursor  string `json:"cursor,omitempty" jsonschema:"more, from the answer before"`
}

// Life is the answer of block_history.
type Life struct {
	URL   string `json:"url"`
	Texts []Span `json:"texts"` // oldest first
	More  string `json:"more,omitempty"`
}

// Span is a text of a block for some time.
type Span struct {
	Lineage int32  `json:"lineage"`
	Version int    `json:"version"` // the first with it
	Came    string `json:"came"`
	Last    int    `json:"last"`           // the last version with it
	Gone    int    `json:"gone,omitempty"` // the first version without it
	Went    string `json:"went,omitempty"` // when that was taken; empty: it is still there
	Quote   string `json:"quote"`
}

func (s *server) blockHistory(ctx context.Context, in *History) (*Life, error) {
	url, err := s.url(in.URL)
	if err != nil {
		return nil, err
	}
	skip, err := offset(in.Cursor)
	if err != nil {
		return nil, err
	}
	if in.Words == "" && in.Lineage == 0 {
		return nil, errors.New("give words of the text, or a lineage")
	}
	if _, err := s.Store.Times(ctx, url); err != nil {
		return nil, err
	}
	all, err := s.spans(ctx, url, in)
	if err != nil {
		return nil, err
	}
	out := &Life{URL: url, Texts: []Span{}}
	room := newRoom()
	for i, sp := range all {
		if i < skip {
			continue
		}
		quote, err := s.quote(ctx, sp, in.Words, 300)
		if err != nil {
			return nil, err
		}
		x := Span{sp.Lineage, sp.First, stamp(sp.Since), sp.Last, sp.Gone, stamp(sp.Until), quote}
		if !room.takes(x) {
			out.More = strconv.Itoa(i)
			break
		}
		out.Texts = append(out.Texts, x)
	}
	return out, nil
}

// spans returns the times of a block's texts, oldest first: of a lineage, or those with some words.
func (s *server) spans(ctx context.Context, url string, in *History) (all []*storage.Span, err error) {
	if in.Lineage != 0 {
		return history.Spans(ctx, s.Store, url, in.Lineage)
	}
	r, err := s.search(ctx, storage.Search{Words: in.Words, URL: url, Limit: 1000})
	if err != nil {
		return nil, err
	}
	for i := range r.Hits {
		if sp := &r.Hits[i].Span; sp.URL == url {
			all = append(all, sp)
		}
	}
	slices.SortStableFunc(all, func(a, b *storage.Span) int { return a.First - b.First })
	return all, nil
}
