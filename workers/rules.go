package workers

import (
	"context"
	"fmt"
	"sync"
	"time"

	"plat/diff/noise"
	"plat/diff/rules"
)

// ruleTime is the greatest age of the rules in use.
const ruleTime = 10 * time.Second

// A ruleBook has the rules of an archive.
type ruleBook struct {
	mu   sync.Mutex
	all  rules.Set
	read time.Time
}

// rulesOf returns the rules that hold for a URL.
func (w *Worker) rulesOf(ctx context.Context, url string) (rules.Set, error) {
	w.rules.mu.Lock()
	defer w.rules.mu.Unlock()
	if now := w.now(); w.rules.read.IsZero() || now.Sub(w.rules.read) > ruleTime || now.Before(w.rules.read) {
		notes, err := w.store.Notes(ctx, rules.Prefix)
		if err != nil {
			return nil, fmt.Errorf("read the rules: %w", err)
		}
		w.rules.all, _ = rules.FromNotes(notes) // those that a newer plat has written do not hold
		w.rules.read = now
	}
	return w.rules.all.For(url), nil
}

// given returns the verdicts of rules on the changes of a page.
func (w *Worker) given(ctx context.Context, set rules.Set, page *dividedPage, last *lastVersion) (*noise.Given, error) {
	old, now := rules.Side{Blocks: last.version.Blocks}, rules.Side{Blocks: page.Blocks, Layout: &page.Layout}
	if set.Selects() {
		l, err := w.store.Layout(ctx, last.version.Layout)
		if err != nil {
			return nil, fmt.Errorf("read the last layout: %w", err)
		}
		old.Layout = &l
	}
	return set.Given(old, now), nil
}
