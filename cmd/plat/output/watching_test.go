package output

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"plat/cmd/plat/terminal"
	"plat/plat"
	"plat/watch"
	"plat/watch/view"
)

// Items of the first visit say so, and those of one visit are in order.
func TestItemsAreInOrder(t *testing.T) {
	at := func(day int) time.Time { return time.Date(2026, 5, day, 0, 0, 0, 0, time.UTC) }
	var out bytes.Buffer
	Items(terminal.NewScreen(&out), []view.Item{
		{Title: "Harbour", Kind: plat.ItemPresent, Seen: at(9), Dated: at(2), Lineage: 1},
		{Title: "Mill", Kind: plat.ItemPresent, Seen: at(9), Lineage: 9},
		{Title: "Choir", Kind: plat.ItemPresent, Seen: at(9), Lineage: 4},
		{Title: "Weir", Kind: plat.ItemPresent, Seen: at(9), Dated: at(3), Lineage: 7},
		{Title: "Ferry", Kind: plat.ItemNew, Seen: at(10), Lineage: 3},
	})
	var titles []string
	for i, line := range strings.Split(strings.TrimSpace(out.String()), "\n") {
		if i%2 == 0 {
			_, title, _ := strings.Cut(line, "  ")
			titles = append(titles, strings.TrimSpace(title))
		}
	}
	if got, want := strings.Join(titles, "|"), "Ferry|from the start: Weir|from the start: Harbour|from the start: Choir|from the start: Mill"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A feed without entries is no page of which a list has to be chosen.
func TestAnEmptyFeedIsNamed(t *testing.T) {
	for feed, want := range map[bool]string{true: "a feed that has no entries now", false: view.Choose} {
		var out bytes.Buffer
		Lists(terminal.NewScreen(&out), "https://port.test/feed", false, &watch.Lists{Feed: feed}, nil, false, false)
		if !strings.HasPrefix(out.String(), want) {
			t.Errorf("a feed %v: %s", feed, out.String())
		}
	}
}
