package output

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"plat/cmd/plat/terminal"
	"plat/diff/rules"
	"plat/plat"
	"plat/storage"
	"plat/storage/history"
)

// NewsRules lists rules as YAML.
func NewsRules(s *terminal.Screen, set rules.Set, asJSON bool) {
	switch {
	case asJSON:
		for i := range set {
			s.JSON(&set[i])
		}
	case len(set) == 0:
		s.Print("no rules")
	default:
		s.Print(strings.TrimRight(set.YAML(), "\n"))
	}
}

// ruled is the part of a store that rules are kept in, and pages that they hold for.
type ruled interface {
	storage.Notes
	Version(ctx context.Context, url string, n int) (*plat.Version, error)
	Layout(ctx context.Context, h plat.Hash) (plat.Layout, error)
	Contents(ctx context.Context, hashes []plat.Hash) ([][]byte, error)
}

// AddRules keeps rules, and says of how much of its page each is.
func AddRules(ctx context.Context, s *terminal.Screen, store ruled, set rules.Set, asJSON bool) error {
	for i := range set {
		r := &set[i]
		said, err := touches(ctx, store, r)
		if err != nil {
			return err
		}
		name, text := r.Note()
		if err := store.SetNote(ctx, name, text); err != nil {
			return err
		}
		if asJSON {
			s.JSON(r)
		} else {
			s.Print(r.String() + s.Paint(terminal.Faint, said))
		}
	}
	return nil
}

// touches says how many blocks of the last version of its page a rule is of.
func touches(ctx context.Context, store ruled, r *rules.Rule) (string, error) {
	if strings.Contains(r.URL, "*") || !strings.Contains(r.URL, "://") {
		return "", nil
	}
	v, err := store.Version(ctx, r.URL, 0)
	switch {
	case errors.Is(err, plat.ErrNotFound):
		return "; the page is not archived yet", nil
	case err != nil:
		return "", fmt.Errorf("%s: %w", r.URL, err)
	}
	if err := history.LoadAll(ctx, store, v.Blocks); err != nil {
		return "", fmt.Errorf("%s: %w", r.URL, err)
	}
	l, err := store.Layout(ctx, v.Layout)
	if err != nil {
		return "", fmt.Errorf("%s: %w", r.URL, err)
	}
	n := r.Touches(rules.Side{Blocks: v.Blocks, Layout: &l})
	if n == 0 && r.Block != 0 {
		return "", fmt.Errorf("the last version of %s has no block %d; plat show %[1]s lists its blocks", r.URL, r.Block)
	}
	return "; it holds for " + terminal.Counted(n, "block") + " of the last version", nil
}

// RemoveRules removes rules. It returns an error for an unknown rule.
func RemoveRules(ctx context.Context, s *terminal.Screen, store storage.Notes, set rules.Set, asJSON bool) error {
	for i := range set {
		r := &set[i]
		name, _ := r.Note()
		known, err := store.Notes(ctx, name)
		if err == nil && known[name] == "" {
			err = fmt.Errorf("no such rule: %s; plat rules lists them", r)
		}
		if err == nil {
			err = store.SetNote(ctx, name, "")
		}
		if err != nil {
			return err
		}
		if asJSON {
			s.JSON(r)
		} else {
			s.Print("removed: " + r.String())
		}
	}
	return nil
}
