package history

import (
	"context"
	"fmt"

	"plat/plat"
	"plat/storage"
)

// Habit counts the versions up to a given one in which a block had a self-change for the same
// reason. Differences between two renderings, and rules learned from these, count as one
// reason.
type Habit struct {
	Since int `json:"since"` // the first such version
	Times int `json:"times"` // number of such versions
}

// String returns a text such as "in 3 versions since version 2", or the empty string for a
// single version.
func (h Habit) String() string {
	if h.Times < 2 {
		return ""
	}
	return fmt.Sprintf("in %d versions since version %d", h.Times, h.Since)
}

// Explained is [Between] with habits loaded.
func Explained(ctx context.Context, store interface {
	reader
	storage.Versions
}, url string, old, now int) (*Comparison, error) {
	c, err := Between(ctx, store, url, old, now)
	if err != nil {
		return nil, err
	}
	return c, c.LoadHabits(ctx, store)
}

// LoadHabits loads the habits of the blocks with self-changes in a comparison.
func (c *Comparison) LoadHabits(ctx context.Context, store storage.Versions) error {
	v := c.New
	if v.N != c.Old.N+1 {
		return nil
	}
	all, reasons := map[int32]Habit{}, map[int32]string{}
	reason := func(own *plat.SelfChange) string {
		if own.Why == "learned" {
			return "two-look"
		}
		return own.Why
	}
	for i := range v.SelfChanges {
		if own := &v.SelfChanges[i]; own.Lineage > 0 {
			all[own.Lineage], reasons[own.Lineage] = Habit{}, reason(own)
		}
	}
	if len(all) == 0 {
		return nil
	}
	for w, err := range store.Versions(ctx, v.URL) {
		if err != nil {
			return err
		}
		if w.N > v.N {
			break
		}
		for i := range w.SelfChanges {
			l := w.SelfChanges[i].Lineage
			if h, ok := all[l]; ok && reasons[l] == reason(&w.SelfChanges[i]) {
				if h.Times++; h.Since == 0 {
					h.Since = w.N
				}
				all[l] = h
			}
		}
	}
	c.habits = all
	return nil
}

// Why returns the reason why a change, or a part of it, is not news, with the habit of its
// block if that is loaded.
func (c *Comparison) Why(ch *plat.Change) string {
	own := c.SelfChange(ch)
	if own == nil {
		return ""
	}
	return c.habits[ch.Lineage].why(own.Why)
}

func (h Habit) why(reason string) string {
	if since := h.String(); since != "" {
		return plat.ReasonText(reason) + " (" + since + ")"
	}
	return plat.ReasonText(reason)
}
