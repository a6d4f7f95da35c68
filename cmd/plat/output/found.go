package output

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"plat/cmd/plat/terminal"
	"plat/export/tables"
	"plat/plat"
	"plat/plat/excerpt"
	"plat/storage"
	"plat/storage/history"
)

// finder is the part of a store that finds blocks, and reads their contents.
type finder interface {
	Find(ctx context.Context, q storage.BlockQuery) iter.Seq2[storage.Found, error]
	Contents(ctx context.Context, hashes []plat.Hash) ([][]byte, error)
}

// Found says how found blocks are listed.
type Found struct {
	Texts bool        // with their text
	All   bool        // also self-changes of pages, and changes that are no news by default
	Kinds []plat.Kind // only these kinds of change; empty: all
	JSON  bool
}

// holds reports whether a block is only counted.
func (o *Found) holds(f *storage.Found, since time.Time) bool {
	switch {
	case o.All:
		return false
	case f.Change == nil:
		return f.SelfChange != "" && !since.IsZero()
	}
	kind := f.Change.Kind
	return f.SelfChange != "" || len(o.Kinds) == 0 && !kind.News() && kind != storage.First && kind != storage.Unrecorded
}

// textsAtOnce is the number of blocks whose texts are loaded together.
const textsAtOnce = 32

// EachFound calls f for the blocks that match a query, or their changes, and returns the number of those that
// are only counted.
func EachFound(ctx context.Context, store finder, q storage.BlockQuery, o Found, f func(*tables.Block) error) (held int, err error) {
	limit, shown := q.Limit, 0
	q.Limit = 0 // of those that are shown
	var some []tables.Block
	flush := func() error {
		if o.Texts {
			if err := loadTexts(ctx, store, some); err != nil {
				return err
			}
		}
		for i := range some {
			if err := f(&some[i]); err != nil {
				return err
			}
		}
		some = some[:0]
		return nil
	}
	for b, err := range store.Find(ctx, q) {
		if err != nil {
			return held, err
		}
		if b.Change != nil && len(o.Kinds) > 0 && !slices.Contains(o.Kinds, b.Change.Kind) {
			continue
		}
		if o.holds(&b, q.Since) {
			held++
			continue
		}
		if shown++; limit > 0 && shown > limit {
			break
		}
		if some = append(some, tables.Block{Found: b}); !o.Texts || len(some) == textsAtOnce {
			if err := flush(); err != nil {
				return held, err
			}
		}
	}
	return held, flush()
}

// loadTexts loads the contents of rows, and sets their texts.
func loadTexts(ctx context.Context, store finder, rows []tables.Block) error {
	var blocks []plat.Block
	for i := range rows {
		blocks = append(blocks, rows[i].Block)
		if old := oldOf(&rows[i]); old != nil {
			blocks = append(blocks, *old)
		}
	}
	if err := history.LoadAll(ctx, store, blocks); err != nil {
		var urls []string
		for i := range rows {
			urls = append(urls, rows[i].URL)
		}
		return fmt.Errorf("%s: %w", strings.Join(slices.Compact(urls), ", "), err)
	}
	for i := range rows {
		r := &rows[i]
		r.Block, blocks = blocks[0], blocks[1:]
		switch {
		case r.Removed():
			r.OldText = &r.Block.Text
			continue
		case oldOf(r) != nil:
			r.OldText, blocks = &blocks[0].Text, blocks[1:]
		}
		r.Text = &r.Block.Text
	}
	return nil
}

// oldOf returns the block before a change, if it is not that of the row; otherwise nil.
func oldOf(r *tables.Block) *plat.Block {
	if r.Change == nil || r.Removed() {
		return nil
	}
	return r.Change.Old
}

// Blocks lists the blocks that match a query, or their changes.
func Blocks(ctx context.Context, s *terminal.Screen, store finder, q storage.BlockQuery, o Found) error {
	t := terminal.Table{}
	if q.Changes {
		t.Head("block", "changed (UTC)", "change", "label", ">chars", "topic")
	} else {
		t.Head("block", "first seen (UTC)", "label", ">chars", "topic")
	}
	held, err := EachFound(ctx, store, q, o, func(b *tables.Block) error {
		switch {
		case o.JSON:
			foundJSON(s, b)
		case o.Texts:
			foundText(s, b)
		default:
			t.Row(foundRow(b)...)
		}
		return s.Err()
	})
	if err != nil || o.JSON {
		return err
	}
	switch {
	case o.Texts:
	case t.Len() == 1:
		s.Print("no results")
	default:
		t.Print(s)
	}
	HeldBack(s, held, q.Changes)
	return nil
}

// HeldBack says how many blocks, or changes, were only counted.
func HeldBack(s *terminal.Screen, held int, changes bool) {
	switch {
	case held == 0:
	case changes:
		s.Print(s.Paint(terminal.Faint, terminal.Counted(held, "change")+" that pages have made by themselves or readers do not see; --all lists them"))
	default:
		s.Print(s.Paint(terminal.Faint, terminal.Counted(held, "content")+" that pages have brought by themselves; --all lists them"))
	}
}

// foundJSON prints one block as JSON.
func foundJSON(s *terminal.Screen, b *tables.Block) {
	info := history.InfoOf(&b.Block)
	info.Text = b.Text
	line := struct {
		URL     string    `json:"url"`
		Version int       `json:"version"`
		Taken   time.Time `json:"taken"`
		history.BlockInfo
		ByItself string `json:"by_itself,omitempty"`

		Change     plat.Kind `json:"change,omitempty"`
		OldVersion int       `json:"old_version,omitempty"`
		OldTaken   time.Time `json:"old_taken,omitzero"`
		OldHash    string    `json:"old_hash,omitempty"`
		OldText    *string   `json:"old_text,omitempty"`
	}{URL: b.URL, Version: b.N, Taken: b.Taken.UTC(), BlockInfo: info, ByItself: b.SelfChange, OldText: b.OldText}
	if c := b.Change; c != nil {
		line.Change, line.OldVersion, line.OldTaken = c.Kind, c.N, c.Took
		if b.Removed() {
			line.Hash = ""
		}
		if c.Old != nil {
			line.OldHash = c.Old.Hash.String()
		}
	}
	s.JSON(line)
}

// foundText prints one block with its text. Of a change, the lines before are marked with -, those since with +.
func foundText(s *terminal.Screen, b *tables.Block) {
	at := s.Paint(terminal.Bold, excerpt.Printable(fmt.Sprintf("%s@%d", b.URL, b.N))) + "  " + terminal.Clock(b.Taken)
	print := func(text *string, prefix string, style terminal.Style) {
		if text == nil || *text == "" {
			return
		}
		for _, l := range terminal.Indent(*text, prefix) {
			s.Print(s.Paint(style, l))
		}
	}
	if b.Change == nil {
		s.Print(at + "  " + Block(s, &b.Block))
		print(b.Text, "    ", terminal.Plain)
		return
	}
	s.Print(at + "  " + string(b.Change.Kind) + "  " + Block(s, &b.Block))
	print(b.OldText, "  - ", terminal.Red)
	print(b.Text, "  + ", terminal.Green)
}

// foundRow returns one block as a row of the table.
func foundRow(b *tables.Block) []terminal.Cell {
	row := []terminal.Cell{terminal.Text(fmt.Sprintf("%s@%d", b.URL, b.N)), terminal.Text(terminal.Clock(b.Taken))}
	if b.Change != nil {
		row = append(row, terminal.Text(string(b.Change.Kind)))
	}
	return append(row, terminal.Text(string(b.Block.Label)), terminal.Number(terminal.Count(int64(b.Block.TextLen))), terminal.Text(b.Block.Topic).AtMost(80))
}

// Names are names in a sentence: "main, list".
func Names[T ~string](all []T) string {
	names := make([]string, len(all))
	for i := range all {
		names[i] = string(all[i])
	}
	return strings.Join(names, ", ")
}
