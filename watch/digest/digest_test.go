package digest

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode"

	"plat/plat"
)

var to = time.Date(2026, 11, 2, 7, 30, 0, 0, time.UTC)

func some() ([]plat.Subscription, []plat.Item) {
	at := to.Add(-time.Hour)
	return []plat.Subscription{
			{ID: "s1", URL: "https://a.test/", Title: "Harbour", Group: "News"},
			{ID: "s2", URL: "https://b.test/", Group: "News"},
			{ID: "s3", URL: "https://c.test/", Title: "Alone"},
			{ID: "s4", URL: "https://d.test/", Title: "Quiet", Group: "Art"},
			{ID: "s5", URL: "https://e.test/", Title: "Exhibitions", Group: "Art"},
		}, []plat.Item{
			{ID: "1", Subscription: "s1", Kind: plat.ItemNew, Title: "Tide tables", URL: "https://a.test/tides", Excerpt: "Low water\nat ten", Seen: at},
			{ID: "2", Subscription: "s1", Kind: plat.ItemChanged, Title: "Opening hours", URL: "https://a.test/hours", Excerpt: "at nine", Seen: at.Add(time.Minute)},
			{ID: "3", Subscription: "s2", Kind: plat.ItemRemoved, Title: "A notice", Seen: at},
			{ID: "4", Subscription: "s3", Kind: plat.ItemText, Excerpt: "Words\x1b[31m that\u202e were added", Seen: at},
			{ID: "5", Subscription: "s5", Kind: plat.ItemNew, URL: "https://e.test/1", Seen: to.Add(-24 * time.Hour)},
			{ID: "6", Subscription: "s5", Kind: plat.ItemNew, Title: "Too late", Seen: to},
			{ID: "7", Subscription: "s4", Kind: plat.ItemNew, Title: "Too early", Seen: to.Add(-24*time.Hour - 1)},
			{ID: "8", Subscription: "other", Kind: plat.ItemNew, Title: "Of another", Seen: at},
			{ID: "1", Subscription: "s1", Kind: plat.ItemNew, Title: "Twice", Seen: at},
			{ID: "9", Subscription: "s4", Kind: plat.ItemPresent, Title: "Of the first look", Seen: at},
		}
}

func TestADigestAsText(t *testing.T) {
	subs, items := some()
	got := New("Morning", to.Add(-24*time.Hour), to, subs, items).Text()
	want := `Morning: 2 new, 1 changed, 1 gone, 1 added text on 4 pages
Sun 1 Nov 2026 07:30 to Mon 2 Nov 2026 07:30 UTC

== Art (1 new)

Exhibitions (1 new)
https://e.test/

- https://e.test/1
  https://e.test/1

== News (1 new, 1 changed, 1 gone)

Harbour (1 new, 1 changed)
https://a.test/

- Changed: Opening hours
  at nine
  https://a.test/hours

- Tide tables
  Low water at ten
  https://a.test/tides

https://b.test/ (1 gone)
https://b.test/

- Gone: A notice

== Others (1 added text)

Alone (1 added text)
https://c.test/

- Words[31m that were added
`
	if got != want {
		t.Errorf("the text is\n%s\nwant\n%s", got, want)
	}
}

func TestADigestDoesNotDependOnTheOrderOfItems(t *testing.T) {
	subs, items := some()
	items = items[:8] // the ninth is the first again, with a different title
	want := New("x", to.Add(-24*time.Hour), to, subs, items)
	if want.Counts != (Counts{2, 1, 1, 1}) || want.Sections != 4 || len(want.Groups) != 3 || want.Groups[2].Name != "" {
		t.Errorf("the digest is %+v", want)
	}
	for range 50 {
		rand.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
		rand.Shuffle(len(subs), func(i, j int) { subs[i], subs[j] = subs[j], subs[i] })
		if got := New("x", to.Add(-24*time.Hour), to, append(subs, subs[0]), items); !reflect.DeepEqual(got, want) {
			t.Fatalf("%+v\nwant\n%+v", got, want)
		}
	}
}

func TestTheIDIsOfNameAndPeriod(t *testing.T) {
	from := to.Add(-time.Hour)
	id := New("x", from, to, nil, nil).ID
	if berlin := to.In(time.FixedZone("CET", 3600)); New("x", from, berlin, nil, nil).ID != id || id != "g2jlmvvkdazok65xtxl55sbub4" {
		t.Errorf("the ID has become %s", id)
	}
	for _, other := range []*Digest{New("y", from, to, nil, nil), New("x", from.Add(1), to, nil, nil), New("x", from, to.Add(1), nil, nil)} {
		if other.ID == id {
			t.Errorf("%+v has the same ID", other)
		}
	}
}

func TestADigestWithoutItemsSaysSo(t *testing.T) {
	d := New("", to.Add(-time.Hour), to, nil, nil)
	if got := d.Title(); got != "nothing new" {
		t.Errorf("the title is %q", got)
	}
	if got := New("Morning", to, to, nil, nil).Title(); got != "Morning: nothing new" {
		t.Errorf("the title is %q", got)
	}
}

func TestALongDigestIsShortened(t *testing.T) {
	var items []plat.Item
	for i := range 200 {
		items = append(items, plat.Item{ID: fmt.Sprint(i), Subscription: "s", Kind: plat.ItemNew, Title: strings.Repeat("title ", 1<<14), Excerpt: strings.Repeat("x", 1<<16), Seen: to.Add(-1)})
	}
	text := New("x", to.Add(-time.Hour), to, []plat.Subscription{{ID: "s", URL: "https://a.test/"}}, items).Text()
	if len(text) > 40_000 || !strings.Contains(text, "… and 150 more\n") || !strings.Contains(text, "200 new on 1 page\n") {
		t.Errorf("the text has %d bytes: %.200s", len(text), text)
	}
}

// Every item of the period is in the digest once; text of a page cannot forge a line.
func FuzzNew(f *testing.F) {
	f.Add("name", "group", "a title", "an excerpt\nof lines", "https://a.test/", uint8(3))
	f.Add("\x00", "== x", "\r\n== forged", "\u2028- y", "\u202e", uint8(200))
	f.Fuzz(func(t *testing.T, name, group, title, text, url string, n uint8) {
		subs := []plat.Subscription{{ID: "a", URL: "https://a.test/", Title: "Of " + title, Group: group}, {ID: "b", URL: "https://b.test/"}}
		var items []plat.Item
		for i := range int(n) {
			items = append(items, plat.Item{ID: fmt.Sprint(i), Subscription: string(rune('a' + i%2)), Kind: plat.ItemKind(text), Title: title, Excerpt: text, URL: url, Seen: to.Add(time.Duration(-i-1) * time.Second)})
		}
		d := New(name, to.Add(-time.Hour), to, subs, items)
		found := 0
		for _, g := range d.Groups {
			for _, s := range g.Sections {
				found += len(s.Items)
			}
		}
		if found != int(n) || d.Counts.Total() != int(n) {
			t.Fatalf("%d of %d items, %+v", found, n, d.Counts)
		}
		out := d.Text()
		for _, r := range out {
			if unicode.IsControl(r) && r != '\n' || r == '\u2028' || r == '\u202e' {
				t.Fatalf("%q has %q", out, r)
			}
		}
		if got := strings.Count(out, "\n- "); got != min((int(n)+1)/2, maxItems)+min(int(n)/2, maxItems) {
			t.Fatalf("%d items in\n%s", got, out)
		}
	})
}

func TestCountsAreSums(t *testing.T) {
	c := Counts{New: 1, Changed: 20, Removed: 300, Text: 4000}
	if c.Total() != 4321 || c.String() != "1 new, 20 changed, 300 gone, 4000 added texts" {
		t.Errorf("%d: %s", c.Total(), c)
	}
	var sum Counts
	for _, k := range []plat.ItemKind{plat.ItemNew, plat.ItemChanged, plat.ItemChanged, plat.ItemRemoved, plat.ItemText, plat.ItemText, "of tomorrow"} {
		sum.add(k)
	}
	if sum != (Counts{New: 2, Changed: 2, Removed: 1, Text: 2}) || (Counts{Text: 1}).String() != "1 added text" || (Counts{}).String() != "nothing new" {
		t.Errorf("sum %+v, %s", sum, sum)
	}
}
