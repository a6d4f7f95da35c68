package output

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"time"

	"plat/cmd/plat/terminal"
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
	Texts bool // with their text
	All   bool // with --since, include self-changes of pages
	JSON  bool
}

// Blocks lists the blocks that match a query. Self-changes since a time are only counted.
func Blocks(ctx context.Context, s *terminal.Screen, store finder, q storage.BlockQuery, o Found) error {
	limit, shown, held := q.Limit, 0, 0
	q.Limit = 0 // of those that are shown
	t := terminal.Table{}
	t.Head("block", "first seen (UTC)", "label", ">chars", "topic")
	for f, err := range store.Find(ctx, q) {
		if err != nil {
			return err
		}
		if f.SelfChange != "" && !o.All && !q.Since.IsZero() {
			held++
			continue
		}
		if shown++; limit > 0 && shown > limit {
			break
		}
		if err := found(ctx, s, store, &f, o, &t); err != nil {
			return err
		}
		if s.Err() != nil {
			return s.Err()
		}
	}
	if o.JSON {
		return nil
	}
	switch {
	case o.Texts:
	case t.Len() == 1:
		s.Print("no results")
	default:
		t.Print(s)
	}
	if held > 0 {
		s.Print(s.Paint(terminal.Faint, terminal.Counted(held, "content")+" that pages have brought by themselves; --all lists them"))
	}
	return nil
}

// found lists one block.
func found(ctx context.Context, s *terminal.Screen, store finder, f *storage.Found, o Found, t *terminal.Table) error {
	b := []plat.Block{f.Block}
	if o.Texts && b[0].Leaf() && b[0].Text == "" {
		if err := history.Load(ctx, store, b, []plat.Hash{b[0].Hash}); err != nil {
			return fmt.Errorf("%s: %w", f.URL, err)
		}
	}
	at := fmt.Sprintf("%s@%d", f.URL, f.N)
	switch {
	case o.JSON:
		info := history.InfoOf(&b[0])
		if o.Texts {
			info.Text = &b[0].Text
		}
		s.JSON(struct {
			URL     string    `json:"url"`
			Version int       `json:"version"`
			Taken   time.Time `json:"taken"`
			history.BlockInfo
			ByItself string `json:"by_itself,omitempty"`
		}{f.URL, f.N, f.Taken.UTC(), info, f.SelfChange})
	case o.Texts:
		s.Print(s.Paint(terminal.Bold, excerpt.Printable(at)) + "  " + terminal.Clock(f.Taken) + "  " + Block(s, &b[0]))
		if b[0].Text != "" {
			for _, l := range terminal.Indent(b[0].Text, "    ") {
				s.Print(l)
			}
		}
	default:
		t.Row(terminal.Text(at), terminal.Text(terminal.Clock(f.Taken)), terminal.Text(string(f.Block.Label)), terminal.Number(terminal.Count(int64(f.Block.TextLen))), terminal.Text(f.Block.Topic).AtMost(80))
	}
	return nil
}

// Names are names in a sentence: "main, list".
func Names[T ~string](all []T) string {
	names := make([]string, len(all))
	for i := range all {
		names[i] = string(all[i])
	}
	return strings.Join(names, ", ")
}
