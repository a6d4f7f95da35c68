//go:build !race

package workers_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"plat/diff/noise"
	"plat/plat"
)

// drawn are parts of pages of which each request, or a script, shows one of several.
var drawn = map[string]func(m moment) string{
	"greeting": func(m moment) string {
		return fmt.Sprintf("<p>Hello, visitor %d, and welcome to the quay!</p>", 1000+m.r.IntN(9000))
	},
	"sponsor": func(m moment) string {
		return "<p>" + []string{"Supported by the rope makers of the old quay", "Brought to you by Lindqvist Paints", "Thanks to our partner, Baltic Freight", "Our sponsor: the Savings Bank of the Coast",
			"Made possible by readers like you", "Powered by wind from the Northern Array", "With kind support of Marine Insurance Ltd", "This page belongs to Hansen and Sons"}[m.n%8] + "</p>"
	},
	"testimonial": func(m moment) string {
		return "<section><h3>Our guests say</h3><blockquote>" + stories[m.n%12] + "</blockquote><cite>" + cities[m.n%8] + "</cite></section>"
	},
	"quote of a script": func(m moment) string {
		return fmt.Sprintf(`<blockquote id="q"></blockquote><script>q.textContent = ["%s"][%d]</script>`, strings.Join(slices.Concat(quotes, stories), `", "`), m.n*7%20)
	},
	"counter": func(m moment) string {
		return fmt.Sprintf("<p>%d other people are looking at this ferry right now</p>", 3+m.n)
	},
}

// A part that a page draws anew is no news after the first visits, and beside a block that an author removes
// only that block is. It is stored with the version, with its reason.
func TestPartsThatAPageDraws(t *testing.T) {
	slow(t)
	for name, part := range drawn {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &notice{seed: uint64(7 + 1000*other), noise: part, part: "<p>Dogs are allowed on board.</p>"}
			l := newLooker(t, noise.New, p)
			for v := range 5 {
				if v > 0 {
					time.Sleep(50 * time.Millisecond) // visits of one instant are one
				}
				if news, r := l.visit(); v > 1 && news != "" {
					t.Errorf("visit %d: %s is news; %+v", v+1, news, r)
				}
			}
			p.mu.Lock()
			p.part = ""
			p.mu.Unlock()
			time.Sleep(50 * time.Millisecond)
			if _, r := l.visit(); r.Changes[plat.Removed] != 1 || r.Changes[plat.Content]+r.Changes[plat.Added] > 0 || !r.Stored {
				t.Fatalf("a block less: %v is news; %+v", r.Changes, r)
			}
			v, err := l.store.Version(t.Context(), l.page.URL+"/", 0)
			if err != nil || len(v.SelfChanges) == 0 {
				t.Errorf("by itself %+v, %v", v.SelfChanges, err)
			}
			for _, x := range v.SelfChanges {
				if x.Why == "" {
					t.Errorf("no reason: %+v", x)
				}
			}
		})
	}
}

// A price and a headline are news each time, also where other parts vary: back and forth, and new.
func TestNewsBesidePartsThatAPageDraws(t *testing.T) {
	slow(t)
	p := &notice{seed: 7, noise: drawn["sponsor"], part: "<p>Ticket 14.50 € a person</p>"}
	l := newLooker(t, noise.New, p)
	l.visit()
	for v := range 6 {
		p.mu.Lock()
		p.part = fmt.Sprintf("<p>Ticket %s € a person</p><h2>%s</h2>", []string{"12.80", "14.50"}[v%2], stories[v])
		p.mu.Unlock()
		time.Sleep(50 * time.Millisecond)
		if news, r := l.visit(); news != "2 content" && v > 0 {
			t.Errorf("visit %d: %q is news; %+v", v+2, news, r)
		}
	}
}
