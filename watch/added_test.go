package watch

import (
	"slices"
	"strings"
	"testing"

	"plat/plat"
	"plat/plat/calendar"
)

// TestADateThatIsNewIsNews in a line that is added, and, in a chosen block, where a day to come takes the place of an earlier one.
// Stamps and lines that stay are none. Lines are divided by bars, and checks by semicolons; the day of the visits is 1 May 2026.
func TestADateThatIsNewIsNews(t *testing.T) {
	for _, tc := range []struct {
		name, lines string
		whole       string // news of the last check of the page; empty: none
		chosen      string // news of the last check of its chosen block
	}{
		{"a line more", "Skip day on 12.04.2026|Skip day on 14.03.2026;Skip day on 10.05.2026|Skip day on 12.04.2026|Skip day on 14.03.2026", "Skip day on 10.05.2026", "Skip day on 10.05.2026"},
		{"a past line more", "Report of 12.03.2026|Call us;Report of 12.03.2026|Report of 14.04.2026|Call us", "Report of 14.04.2026", "Report of 14.04.2026"},
		{"two lines more", "Sale on 2026-04-12;Sale on 2026-04-12|Sale on 2026-04-19|Sale on 2026-04-26", "Sale on 2026-04-19/Sale on 2026-04-26", "Sale on 2026-04-19/Sale on 2026-04-26"},
		{"the first two", "Nothing is planned;Sale on 2026-06-12|Sale on 2026-06-19", "Sale on 2026-06-12/Sale on 2026-06-19", "Sale on 2026-06-12/Sale on 2026-06-19"},
		{"the next appointment", "The next tour begins on 4 May 2026, 10:20;The next tour begins on 9 May 2026, 8:00", "", "The next tour begins on 9 May 2026, 8:00"},
		{"a deadline in a line of its own", "Apply until|31.05.2026;Apply until|30.06.2026", "", "30.06.2026"},
		{"an hour of a day to come", "Ferry: 2026-05-02 10:00;Ferry: 2026-05-02 11:30", "", "Ferry: 2026-05-02 11:30"},
		{"it stays", "The next tour begins on 9 May 2026;The next tour begins on 9 May 2026", "", ""},
		{"it comes back", "Tour on 9 May 2026|Call us;Tour on 9 May 2026|Call us;Call us|Tour on 9 May 2026", "", ""},
		{"a stamp", "Updated on 30.04.2026|Call us;Updated on 01.05.2026|Call us", "", ""},
		{"the day of the visit", "2026-04-30, 8:00;2026-05-01, 9:00", "", ""},
		{"one that passes", "Tour on 29 April 2026|Tour on 9 May 2026;Tour on 9 May 2026", "", ""},
		{"the day of an edition and a line less", "Edition of 29.04.2026|Edition of 28.04.2026;Edition of 30.04.2026", "", ""},
	} {
		for chosen, want := range map[bool]string{false: tc.whole, true: tc.chosen} {
			m := New()
			got := ""
			for check := range strings.SplitSeq(tc.lines, ";") {
				p := textPage(t, `<body><div block="main 5"><p>`+strings.ReplaceAll(check, "|", "</p><p>")+`</p></div><footer block="footer 6"><p>As of `+check[len(check)-4:]+`, 3.5.2026</p></footer></body>`)
				for i := range p.Blocks {
					p.Blocks[i].Parent = min(int32(i)-1, 0)
				}
				p.Day = calendar.Day{Year: 2026, Month: 5, Day: 1}
				opt := Options{Text: true}
				if chosen {
					opt = Options{Blocks: []int32{5}, Text: true}
				}
				r, err := m.Look(p, opt)
				if err != nil {
					t.Fatal(err)
				}
				got = ""
				for _, it := range r.Items {
					if it.Kind == plat.ItemText {
						got += strings.ReplaceAll(it.Excerpt, "\n", "/")
					}
				}
				m = memoryOf(t, bytesOf(t, m))
			}
			if got != want {
				t.Errorf("%s, chosen %v: told %q, want %q", tc.name, chosen, got, want)
			}
		}
	}
}

// TestDatesOfAnEarlierMemoryAreKnown: it has lines, and not their dates.
func TestDatesOfAnEarlierMemoryAreKnown(t *testing.T) {
	p := textPage(t, `<body><div block="main 5"><p>Tour on 9 May 2026</p></div></body>`)
	tr, err := read(p)
	if err != nil {
		t.Fatal(err)
	}
	g := &region{chosen: true, today: calendar.Day{Year: 2026, Month: 5, Day: 1}}
	m := New()
	m.lines = []uint64{g.key("Tour on 4 May 2026"), g.key("Call us")}
	if it := m.text(tr, g); it != nil || !slices.Equal(m.dates, []uint64{sum(titleKey("Tour on 9 May 2026"))}) {
		t.Errorf("told %v, dates %v", it, m.dates)
	}
}
