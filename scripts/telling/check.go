package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"maps"
	"slices"
	"strings"

	"plat/plat"
	"plat/storage"
	"plat/watch/follow"
)

// check reads the archive again, and compares its items with the messages.
func (t *trial) check(ctx context.Context) error {
	if err := t.settled(ctx); err != nil {
		return err
	}
	subs, err := t.subscriptions(ctx)
	if err != nil {
		return err
	}
	if err := t.feeds(ctx, subs); err != nil {
		return err
	}
	t.kill("")
	said := map[string][]string{} // by message
	channel := map[string]string{}
	items, versions := 0, 0
	var wrong []string
	complain := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	for _, s := range subs {
		all, n, err := t.again(ctx, s)
		if err != nil {
			return err
		}
		versions += n
		stored, err := t.items(ctx, s.ID)
		if err != nil {
			return err
		}
		found := map[string]bool{}
		for _, e := range all {
			for i := range e.Items {
				if e.Items[i].Kind != "present" {
					found[e.Items[i].ID] = true
				}
			}
			for i := range e.Messages {
				m := &e.Messages[i]
				said[m.ID], channel[m.ID] = m.Items, m.Channel
			}
		}
		items += len(found)
		if !maps.Equal(found, stored) {
			complain("%s: %d items are stored, %d are found", s.URL, len(stored), len(found))
		}
	}
	for name, got := range map[string]*received{"hook": &t.hook.received, "mail": &t.mail.received} {
		want := map[string][]string{}
		for id, items := range said {
			if channel[id] == name {
				want[id] = items
			}
		}
		got.compare(name, want, complain)
	}
	log.Printf("%d pages, %d versions, %d items; plat was killed:", len(subs), versions, items)
	for _, when := range slices.Sorted(maps.Keys(t.kills)) {
		log.Printf("%6d times %s", t.kills[when], when)
	}
	if items == 0 {
		complain("no item was found: nothing was tried")
	}
	if len(wrong) > 0 {
		return errors.New(strings.Join(wrong, "\n"))
	}
	log.Print("nothing lost, nothing told twice")
	return nil
}

// compare compares the messages received on a channel with the expected ones.
func (got *received) compare(name string, want map[string][]string, complain func(string, ...any)) {
	in := map[string]string{} // item: message
	for id, items := range want {
		have, ok := got.messages[id]
		if !ok {
			complain("%s: message %s of %d items was not told", name, id, len(items))
		}
		if have != nil && !slices.Equal(have, items) {
			complain("%s: message %s told of %v, not of %v", name, id, have, items)
		}
		for _, it := range items {
			if in[it] != "" && in[it] != id {
				complain("%s: item %s is in messages %s and %s", name, it, in[it], id)
			}
			in[it] = id
		}
	}
	for id := range got.messages {
		if _, ok := want[id]; !ok {
			complain("%s: message %s was told, but nothing says so", name, id)
		}
	}
	for _, w := range got.wrong {
		complain("%s: %s", name, w)
	}
	log.Printf("%-5s %4d messages with %d items, %d of them sent again under their ID", name, len(want), len(in), got.repeated)
}

// again examines a subscription from the first version on. Nothing is stored.
func (t *trial) again(ctx context.Context, s *storage.Subscribed) (all []*follow.Found, versions int, err error) {
	f := &follow.Follower{Store: t.store}
	again := *s
	again.Following = plat.Following{} // as if it had never been examined
	for {
		found, err := f.Examine(ctx, &again)
		if err != nil {
			return nil, 0, err
		}
		n := 0
		for _, p := range found.Following.Pages {
			n += p.Examined - found.Was[p.URL]
		}
		if n == 0 {
			return all, versions, nil
		}
		versions += n
		all = append(all, found)
		again.Following = found.Following
	}
}
