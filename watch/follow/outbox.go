package follow

import (
	"context"
	"fmt"
	"slices"

	"plat/plat"
	"plat/storage"
	"plat/watch/notify"
)

// OutboxStore is the part of an archive that an Outbox uses.
type OutboxStore interface {
	storage.Subscriptions
	storage.Outbox
}

// Outbox is the archive's outbox for [notify.Deliver], which also loads the items of messages.
type Outbox struct{ OutboxStore }

// Channel returns a channel by name, or plat.ErrNotFound.
func (o Outbox) Channel(ctx context.Context, name string) (*plat.Channel, error) {
	for c, err := range o.Channels(ctx) {
		if err != nil {
			return nil, err
		}
		if c.Name == name {
			return c, nil
		}
	}
	return nil, fmt.Errorf("channel %q: %w", name, plat.ErrNotFound)
}

// Load returns a message with its items and subscriptions. Deleted ones are left out.
func (o Outbox) Load(ctx context.Context, m *plat.Message) (*notify.Delivery, error) {
	d := &notify.Delivery{Message: *m}
	place := make(map[string]int, len(m.Items))
	for i, id := range m.Items {
		place[id] = i
	}
	of := map[string]bool{}
	for part := range slices.Chunk(m.Items, storage.MaxItems) {
		for it, err := range o.Items(ctx, storage.ItemQuery{IDs: part, Limit: len(part)}) {
			if err != nil {
				return nil, err
			}
			d.Items = append(d.Items, *it)
			of[it.Subscription] = true
		}
	}
	slices.SortStableFunc(d.Items, func(a, b plat.Item) int { return place[a.ID] - place[b.ID] })
	if len(of) == 0 {
		return d, nil
	}
	var ids []string
	for id := range of {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for s, err := range o.Subscriptions(ctx, storage.Which{IDs: ids}) {
		if err != nil {
			return nil, err
		}
		d.Subscriptions = append(d.Subscriptions, s.Subscription)
	}
	return d, nil
}
