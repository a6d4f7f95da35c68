package history

import (
	"context"
	"slices"

	"plat/diff"
	"plat/plat"
	"plat/segment/markup"
)

// Comparison is two versions and the changes between them. The changes use the stored
// lineages, which identify a block in every version.
type Comparison struct {
	Old, New *plat.Version
	diff.Result

	habits map[int32]Habit // by lineage; see LoadHabits
}

// Between loads two versions of a URL and compares them; 0 is the last one. It loads only those
// contents of the old one that are not in the new one.
func Between(ctx context.Context, store reader, url string, old, now int) (*Comparison, error) {
	after, err := store.Version(ctx, url, now)
	if err != nil {
		return nil, err
	}
	before, err := store.Version(ctx, url, old)
	if err != nil {
		return nil, err
	}
	if err := LoadAll(ctx, store, after.Blocks); err != nil {
		return nil, err
	}
	if err := Load(ctx, store, before.Blocks, diff.Needed(before.Blocks, after.Blocks)); err != nil {
		return nil, err
	}
	return Compare(ctx, store, before, after)
}

// Compare compares two versions, loading contents like [Between].
func Compare(ctx context.Context, store reader, old, now *plat.Version) (*Comparison, error) {
	after, err := store.Layout(ctx, now.Layout)
	if err != nil {
		return nil, err
	}
	before := &after
	if old.Layout != now.Layout {
		l, err := store.Layout(ctx, old.Layout)
		if err != nil {
			return nil, err
		}
		before = &l
	}
	// diff.Compare renumbers lineages, so give it a copy of the blocks.
	blocks := slices.Clone(now.Blocks)
	was, is, err := files(ctx, store, old, now)
	if err != nil {
		return nil, err
	}
	side := diff.Side{Layout: &after, Blocks: blocks, Coverage: now.Coverage, URL: now.Capture.FinalURL}
	res := diff.Compare(diff.Side{Layout: before, Blocks: old.Blocks, Lineages: old.Lineages, Coverage: old.Coverage}, side)
	for i := range res.Blocks {
		ch := &res.Blocks[i]
		if ch.New >= 0 {
			ch.Lineage = now.Blocks[ch.New].Lineage
		} else {
			ch.Lineage = old.Blocks[ch.Old].Lineage
		}
	}
	c := &Comparison{Old: old, New: now, Result: res}
	c.asFound()
	others := diff.OtherFiles(was, is)
	for i := range others {
		if at, _ := is.Index(others[i].URL); c.follows() {
			others[i].Why = plat.SelfChangedFile(now.SelfChanges, at)
		}
	}
	side.Blocks = now.Blocks // with the stored lineages
	c.Show(others, &side, func(ch *plat.Change) bool { return c.SelfChange(ch).Suppressed() })
	return c, nil
}

// follows reports whether the versions are consecutive. Self-changes are only known for these.
func (c *Comparison) follows() bool { return c.New.N == c.Old.N+1 }

// asFound gives changes the kinds that the visit found. If all differing words are
// self-changes, only other differences of the block can be news. A layout that changes by
// itself counts as the same.
func (c *Comparison) asFound() {
	if !c.follows() {
		return
	}
	for i := range c.Blocks {
		ch := &c.Blocks[i]
		if own := c.SelfChange(ch); own == nil || own.Suppressed() || ch.Kind != plat.Content || ch.Old < 0 || ch.New < 0 {
			continue
		}
		if !slices.ContainsFunc(c.Words(ch), func(w Word) bool { return w.Op != diff.Equal.String() && !w.SelfChange }) {
			ch.Kind, ch.Folded = diff.Markup(c.Old.Blocks[ch.Old].Content, c.New.Blocks[ch.New].Content), false
		}
	}
	if c.New.Changes[c.Layout] == 0 && c.Layout != plat.Same && c.Layout != "" {
		c.Layout = plat.Same
	}
}

// files returns the manifests of two versions, if they differ.
func files(ctx context.Context, store reader, old, now *plat.Version) (was, is plat.Manifest, err error) {
	if old.Resources == now.Resources || old.Resources.IsZero() || now.Resources.IsZero() {
		return nil, nil, nil
	}
	if was, err = store.Manifest(ctx, old.Resources); err != nil {
		return nil, nil, err
	}
	is, err = store.Manifest(ctx, now.Resources)
	return was, is, err
}

// Titles returns the old and new title of the page, if they differ and that is news: not if the
// markup around the blocks is a self-change. Otherwise both are empty.
func (c *Comparison) Titles() (old, now string) {
	if old, now = c.Old.Capture.Title, c.New.Capture.Title; old == now || c.Layout == plat.Same {
		return "", ""
	}
	return old, now
}

// Block returns the block that represents a change: the new one, or the old one if it was
// removed.
func (c *Comparison) Block(ch *plat.Change) *plat.Block {
	if ch.New >= 0 {
		return &c.New.Blocks[ch.New]
	}
	return &c.Old.Blocks[ch.Old]
}

// Words returns the word diff of a change; nil for kinds other than words. Self-changes of
// words are separate from news.
func (c *Comparison) Words(ch *plat.Change) []Word {
	text := func(b *plat.Block) string {
		switch {
		case ch.Kind == plat.Invisible:
			_, hidden := markup.Unshown(b.Content, b.Hidden, b.Folded)
			return hidden
		case ch.Folded:
			folded, _ := markup.Unshown(b.Content, b.Hidden, b.Folded)
			return folded
		}
		return b.Text
	}
	switch {
	case ch.Old < 0:
		return marked([]diff.Span{{Op: diff.Insert, Text: text(&c.New.Blocks[ch.New])}}, "", c.SelfChange(ch))
	case ch.New < 0:
		old := text(&c.Old.Blocks[ch.Old])
		return marked([]diff.Span{{Op: diff.Delete, Text: old}}, old, c.SelfChange(ch))
	case ch.Kind == plat.Content || ch.Kind == plat.Advertisement || ch.Kind == plat.Invisible:
		old := text(&c.Old.Blocks[ch.Old])
		return marked(diff.Words(old, text(&c.New.Blocks[ch.New])), old, c.SelfChange(ch))
	}
	return nil
}

// Attributes returns the readable attributes in which a change's block differs.
func (c *Comparison) Attributes(ch *plat.Change) []diff.Attribute {
	if ch.Old < 0 || ch.New < 0 {
		return nil
	}
	was, is := &c.Old.Blocks[ch.Old], &c.New.Blocks[ch.New]
	if was.Hash == is.Hash || was.Content == nil || is.Content == nil {
		return nil
	}
	return diff.Attributes(was.Content, is.Content)
}

// Reasons returns the reasons why a change is volatile, or nil for other kinds.
func (c *Comparison) Reasons(ch *plat.Change) []string {
	if ch.Kind != plat.Volatile || ch.Old < 0 || ch.New < 0 {
		return nil
	}
	reasons, _ := diff.Volatile(c.Old.Blocks[ch.Old].Content, c.New.Blocks[ch.New].Content)
	out := make([]string, len(reasons))
	for i, r := range reasons {
		out[i] = string(r)
	}
	return out
}
