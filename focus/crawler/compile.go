package crawler

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"plat/focus"
	"plat/focus/topic"
	"plat/plat"
	"plat/segment/label"
	"plat/segment/markup"
)

// A Compiler makes the topics of crawls.
type Compiler struct {
	Describer *label.Describer

	// Archive holds the examples that are pages; nil: there are no such examples.
	Archive interface {
		State(ctx context.Context, url string) (plat.URLState, error)
		Version(ctx context.Context, url string, n int) (*plat.Version, error)
		Contents(ctx context.Context, hashes []plat.Hash) ([][]byte, error)
	}
}

// Compiled is a topic, and the examples that it is calibrated by.
type Compiled struct {
	*focus.Topic
	Examples []focus.Judged
}

// TopicError is an error in the topic or the scope of a crawl: only a user can correct it, and
// trying again does not help.
type TopicError struct{ Err error }

func (e *TopicError) Error() string { return e.Err.Error() }

func (e *TopicError) Unwrap() error { return e.Err }

// Compile reads the topic of a crawl. Examples that are not in the archive are left out, and
// named in missing. The error is a [*TopicError], or the archive's.
func (c *Compiler) Compile(ctx context.Context, crawl *plat.Crawl) (out *Compiled, missing []string, err error) {
	tree, err := topic.Parse(strings.NewReader(crawl.Topic))
	if err != nil {
		return nil, nil, &TopicError{err}
	}
	if len(tree.Roots) == 0 {
		return nil, nil, &TopicError{focus.ErrNoWords}
	}
	root := tree.Roots[0]
	var texts []focus.Text
	for _, t := range root.Texts() {
		texts = append(texts, focus.Text{Stems: c.stems(t.Language, t.Text), Weight: t.Weight})
	}
	out = &Compiled{}
	for _, side := range []struct {
		examples []topic.Example
		belongs  bool
	}{{root.Positive, true}, {root.Negative, false}} {
		for i := range side.examples {
			e := &side.examples[i]
			page, title, err := c.example(ctx, e)
			if errors.Is(err, plat.ErrNotFound) {
				missing = append(missing, e.URL+e.Block.URL)
				continue
			}
			if err != nil {
				return nil, nil, err
			}
			out.Examples = append(out.Examples, focus.Judged{Page: page, Belongs: side.belongs})
			if side.belongs && e.Text == "" {
				// A topic may consist of pages only.
				texts = append(texts, focus.Text{Stems: c.stems("", title), Weight: 1})
			}
		}
	}
	out.Topic, err = focus.NewTopic(texts)
	if err != nil && len(missing) > 0 {
		err = fmt.Errorf("%w; %s: archive it first", err, strings.Join(missing, ", "))
	}
	if err != nil {
		return nil, missing, &TopicError{err}
	}
	return out, missing, nil
}

// stems splits a text in a language, "und" or "" if it is not known.
func (c *Compiler) stems(language, text string) []string {
	if language == topic.Undetermined {
		language = ""
	}
	return stemsOf(c.Describer, language, text)
}

func stemsOf(d *label.Describer, language, text string) (out []string) {
	d.Terms(language, []string{text}).Each(text, func(s string) bool {
		out = append(out, s)
		return true
	})
	return out
}

// example reads an example: its text, the blocks of an archived page except menus, or one of its
// blocks; of these also the page's title.
func (c *Compiler) example(ctx context.Context, e *topic.Example) (p *focus.Page, title string, err error) {
	text := e.Text
	if text == "" {
		if title, text, err = c.archived(ctx, e); err != nil {
			return nil, "", err
		}
		text = title + "\n" + text
	}
	p = &focus.Page{}
	for _, s := range c.stems("", text) {
		p.Words = append(p.Words, focus.TermOf(s))
	}
	return p, title, nil
}

func (c *Compiler) version(ctx context.Context, e *topic.Example) (*plat.Version, error) {
	if c.Archive == nil {
		return nil, plat.ErrNotFound
	}
	u, n := e.URL, 0
	if u == "" {
		u, n = e.Block.URL, e.Block.Version
	}
	if n == 0 {
		state, err := c.Archive.State(ctx, u)
		if err != nil {
			return nil, err
		}
		if n = state.Head; n == 0 {
			return nil, plat.ErrNotFound
		}
	}
	return c.Archive.Version(ctx, u, n)
}

func (c *Compiler) archived(ctx context.Context, e *topic.Example) (title, text string, err error) {
	v, err := c.version(ctx, e)
	if err != nil {
		return "", "", err
	}
	var hashes []plat.Hash
	var hidden [][]int32
	for i := range v.Blocks {
		b := &v.Blocks[i]
		if b.Leaf() && (e.URL == "" && b.Lineage == e.Block.Lineage || e.URL != "" && !label.Boilerplate(b.Label)) {
			hashes = append(hashes, b.Hash)
			hidden = append(hidden, b.Hidden)
		}
	}
	if len(hashes) == 0 {
		return "", "", plat.ErrNotFound
	}
	contents, err := c.Archive.Contents(ctx, hashes)
	if err != nil {
		return "", "", err
	}
	var out []string
	for i, content := range contents {
		out = append(out, markup.Text(content, hidden[i]))
	}
	return v.Capture.Title, strings.Join(out, "\n"), nil
}
