package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"plat/fixtures/history"
	"plat/plat"
	"plat/segment/markup"
	"plat/storage"
	archived "plat/storage/history"
	"plat/storage/sqlite"
	"plat/workers"
)

// confirm is the time until the next visit after an answer that is probably not the page.
const confirm = time.Millisecond

// doubted are the outcomes of such visits.
var doubted = map[plat.Outcome]bool{
	plat.OutcomeBlank: true, plat.OutcomeMoved: true, plat.OutcomeLogin: true, plat.OutcomeBlocked: true, plat.OutcomeMaintenance: true,
	plat.OutcomeMissing: true, plat.OutcomeReplaced: true, plat.OutcomePartial: true,
}

// doubts counts visits by outcome.
type doubts map[plat.Outcome]int

func (d doubts) String() string {
	if len(d) == 0 {
		return "none"
	}
	var all []string
	for _, o := range slices.Sorted(maps.Keys(d)) {
		all = append(all, fmt.Sprint(d[o], " ", o))
	}
	return strings.Join(all, ", ")
}

// bench archives one set.
type bench struct {
	*result
	store  *sqlite.Store
	worker *workers.Worker
	render *renderer

	mu   sync.Mutex
	last map[string]seen // by URL
}

// seen is the result of the previous visit.
type seen struct {
	text   string // visible characters
	sum    plat.Hash
	blocks *stable
}

// visit makes one visit and compares the reported change with the visible text.
// It is long because of its counters.
func (b *bench) visit(ctx context.Context, base string, v history.Visit) error {
	url, err := plat.Canonical(base+strings.TrimSuffix(v.Page.Path, "index.html"), nil)
	if err != nil {
		return err
	}
	key := fmt.Sprintf("%s-%s", v.Page.Site.At(v.Page.Path, v.Time), strings.NewReplacer("/", "_", ":", "").Replace(v.Page.ID+v.Time.Format(time.RFC3339)))
	record := &recorded{key: key, at: v.Time, first: 1, ahead: time.Until(v.Time)}
	ctx = context.WithValue(ctx, visitKey{}, record)
	rep, err := b.worker.Visit(ctx, plat.Job{URL: url})
	var failed *plat.VisitError
	if errors.As(err, &failed) && doubted[failed.Outcome] {
		// It is hardly the page that was there before. It stays so, and is a version then.
		b.mu.Lock()
		b.Doubted[failed.Outcome]++
		b.site(url).Looks += rep.Looks
		b.mu.Unlock()
		time.Sleep(2 * confirm)
		record.first = record.looks + 1
		rep, err = b.worker.Visit(ctx, plat.Job{URL: url})
	}
	if errors.As(err, &failed) && !failed.Retry {
		// The page redirects to one that is not in the record.
		b.render.take(key)
		b.mu.Lock()
		defer b.mu.Unlock()
		b.Visits++
		b.Failed++
		b.note("%s at %s: %v", url, v.Time.Format(time.DateOnly), err)
		return nil
	}
	if err != nil {
		return err
	}
	snap := b.render.take(key)
	if !rep.Stored && len(rep.SelfChanges) > 0 {
		// The page differs from the last version, but no version is stored: second looks prove that
		// all differences are self-changes.
		b.mu.Lock()
		defer b.mu.Unlock()
		b.Visits++
		b.Unchanged++
		told := b.site(url)
		told.Looks, told.Unstored = told.Looks+rep.Looks, told.Unstored+1
		b.note("%s at %s: not stored, all by itself: %v", url, v.Time.Format(time.DateOnly), rep.SelfChanges)
		return nil
	}
	blocks, cut, err := look(ctx, b, url, snap)
	if err != nil {
		return err
	}
	now := seen{visibleText(snap), plat.HashOf(markup.Serialize(snap)), blocks}

	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range cut {
		if cut[i].Leaf() {
			b.Leaves++
		}
	}
	b.Visits++
	b.PageBytes += rep.PageBytes
	b.site(url).Looks += rep.Looks
	b.LeastCoverage = min(b.LeastCoverage, rep.Coverage)
	if rep.Stored {
		b.Versions++
		if err := b.Texts.ofVersion(ctx, b.store, url, rep.Version, snap); err != nil {
			return err
		}
	} else {
		b.Unchanged++
	}
	was, again := b.last[url]
	b.last[url] = now
	if !again {
		return nil
	}
	if was.sum == now.sum && was.text == now.text {
		if rep.Stored {
			b.IdlesStored++
			b.note("%s at %s: nothing changed, and a version was stored: %v", url, v.Time.Format(time.DateOnly), rep.Changes)
		}
		return nil
	}
	b.Pairs++
	b.Kept.hold(was.blocks, cut)
	loud := 0
	for _, k := range []plat.Kind{plat.Content, plat.Added, plat.Removed, plat.Moved, plat.Advertisement, plat.Format, plat.Link, plat.Image} {
		loud += rep.Changes[k] + rep.SelfChanges[k]
	}
	if was.text == now.text {
		b.SameText++
		if rep.Changes[plat.Content] == 0 {
			return nil
		}
		// Folded text is not part of the visible text.
		seen, err := b.seenChange(ctx, url, rep.Version)
		if err != nil {
			return err
		}
		if seen != "" {
			b.FalseContent++
			b.note("%s at %s: same visible text, reported %v: %s", url, v.Time.Format(time.DateOnly), rep.Changes, seen)
		}
		return nil
	}
	b.OtherText++
	if !isNews(rep.Changes) {
		b.Quiet++
	}
	if loud == 0 {
		b.Missed++
		b.note("%s at %s: other visible text, reported %v", url, v.Time.Format(time.DateOnly), rep.Changes)
	}
	return nil
}

func isNews(changes map[plat.Kind]int) bool {
	v := plat.Version{Changes: changes}
	return v.News()
}

// seenChange returns a content change reported as shown, in version n of a URL;
// empty if absent.
func (b *bench) seenChange(ctx context.Context, url string, n int) (string, error) {
	c, err := archived.Between(ctx, b.store, url, n-1, n)
	if err != nil {
		return "", err
	}
	for i := range c.Blocks {
		if ch := &c.Blocks[i]; ch.Kind == plat.Content && !ch.Folded && !c.Suppressed(ch) {
			return fmt.Sprint(c.Words(ch)), nil
		}
	}
	return "", nil
}

func (b *bench) note(format string, args ...any) {
	if *list {
		b.Mismatches = append(b.Mismatches, fmt.Sprintf(format, args...))
	}
}

// visibleText is every visible character except white space, in document order:
// from the DOM and its boxes alone.
func visibleText(s *plat.Snapshot) string {
	var out strings.Builder
	clear := make([]bool, len(s.Nodes)) // transparent, with all below
	for i := range s.Nodes {
		n := &s.Nodes[i]
		clear[i] = n.Parent >= 0 && clear[n.Parent]
		if !n.HasBox {
			continue
		}
		st := &s.Styles[n.Style]
		if n.Kind == plat.ElementNode && st.Opacity == 0 {
			clear[i] = true
		}
		if n.Kind != plat.TextNode || clear[i] || st.Hidden || n.Box.W <= 0 || n.Box.H <= 0 || n.Box.X+n.Box.W <= 0 || n.Box.Y+n.Box.H <= 0 {
			continue
		}
		for _, r := range n.Value {
			if !unicode.IsSpace(r) && !unicode.Is(unicode.Cf, r) {
				out.WriteRune(r)
			}
		}
	}
	return out.String()
}

type visitKey struct{}

// recorded is a visit that is made again: under which name its renderings are kept, and when
// it was.
type recorded struct {
	key   string
	at    time.Time
	looks int           // so far
	first int           // which of them is the page that is archived
	later time.Duration // the record's clock against that of the renderings
	ahead time.Duration // and against ours
}

// dated is a store in which visits are dated by the record.
type dated struct{ beside }

func (d dated) Record(ctx context.Context, v plat.Visit, pageBytes int64) error {
	v.Time = v.Time.Add(ctx.Value(visitKey{}).(*recorded).ahead)
	return d.beside.Record(ctx, v, pageBytes)
}

func (d dated) Commit(ctx context.Context, c *storage.Commit) (storage.Written, error) {
	by := *c
	by.Visit.Time = by.Visit.Time.Add(ctx.Value(visitKey{}).(*recorded).ahead)
	return d.beside.Commit(ctx, &by)
}
