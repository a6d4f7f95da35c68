package crawler

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"plat/focus"
	"plat/focus/topic"
	"plat/plat"
	"plat/plat/excerpt"
	"plat/queue/links"
	"plat/storage"
)

// ErrSettings is the error of invalid settings; its text says how to correct them.
var ErrSettings = errors.New("the focused crawl cannot begin")

// DefaultPages is the default limit of a crawl's pages.
const DefaultPages = 1000

// maxName is the length of the default name of a crawl, in characters.
const maxName = 60

// Settings are a user's settings for a new crawl: in Crawl its Name, Seeds (canonical), Order,
// Pages, PerHost, Least, Keep, Scope and Revisit, and its topic.
type Settings struct {
	plat.Crawl
	About   string       // in words; empty: Subject says it
	Subject *topic.Topic // with the topics below it; nil: About says it
}

// Fill checks the settings, and completes Topic and Name. The error is [ErrSettings].
func (w *Settings) Fill() error {
	if w.Scope == "any" {
		w.Scope = ""
	}
	w.About, w.Name = strings.TrimSpace(w.About), strings.TrimSpace(w.Name)
	_, err := links.ParseScope(w.Scope)
	switch {
	case w.About != "" && w.Subject != nil:
		return wrong("describe the topic in words, or choose one from the tree, not both")
	case w.About == "" && w.Subject == nil:
		return wrong("describe the topic in words, or choose one from the tree")
	case len(w.Seeds) == 0:
		return wrong("name a URL to begin with")
	case min(w.Pages, w.PerHost) < 0:
		return wrong("pages %d, per host %d: write 0 or more; 0 is no limit", w.Pages, w.PerHost)
	case max(w.Pages, w.PerHost) > MaxPages:
		return wrong("pages %d, per host %d: write at most %d; 0 is no limit", w.Pages, w.PerHost, MaxPages)
	case !(w.Least >= 0 && w.Least <= 1):
		return wrong("least %v: write more than 0, up to 1", w.Least)
	case w.Order != "" && focus.AboutOrder(w.Order) == "":
		return wrong("order %.100q: write one of %s", w.Order, strings.Join(focus.Orders(), ", "))
	case err != nil:
		return wrong("%w", err)
	}
	alone := topic.Topic{ID: "topic", Description: w.About}
	name := w.About
	if w.Subject != nil {
		alone = *w.Subject
		alone.Parent = ""
		name = alone.Name()
	}
	tree, err := topic.New(&alone)
	if err != nil {
		return wrong("%w", err)
	}
	w.Topic = string(tree.YAML())
	if w.Name == "" {
		w.Name = excerpt.Line(strings.Join(strings.Fields(name), " "), maxName)
	}
	return nil
}

func wrong(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrSettings}, args...)...)
}

// Begin stores a new crawl that runs, after trying whether its topic can be compiled. Examples
// that are not in the archive are left out, and named in missing. The error is [ErrSettings], or the
// archive's.
func Begin(ctx context.Context, store storage.Crawls, compiler *Compiler, w *Settings, now time.Time) (c *plat.Crawl, missing []string, err error) {
	if err := w.Fill(); err != nil {
		return nil, nil, err
	}
	_, missing, err = compiler.Compile(ctx, &w.Crawl)
	if _, ok := errors.AsType[*TopicError](err); ok {
		return nil, missing, wrong("%w", err)
	}
	if err != nil {
		return nil, missing, err
	}
	crawl := w.Crawl
	crawl.ID, crawl.State, crawl.Reason, crawl.Made = plat.NewID(), plat.CrawlRuns, "", now.UTC()
	if err := storage.CheckCrawl(&crawl); err != nil {
		return nil, missing, wrong("%w", err)
	}
	return &crawl, missing, store.PutCrawl(ctx, &crawl)
}
