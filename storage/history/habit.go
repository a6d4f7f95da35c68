package history

import (
	"context"
	"fmt"

	"plat/plat"
	"plat/storage"
)

// Habit says in which versions a block has varied by itself for the same reason, up to one of
// them. What two looks have shown and what was learned from them is one reason.
type Habit struct {
	Since int `json:"since"` // the first of them
	Times int `json:"times"` // how many they are
}

// String is "in 3 versions since version 2", empty for one alone.
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

// LoadHabits notes since when the blocks have varied by themselves that do so in a comparison.
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

// Why says in words why a change, or a part of it, is no news, and since when its block has
// varied by itself if that was loaded.
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
