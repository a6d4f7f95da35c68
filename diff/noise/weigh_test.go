package noise_test

import (
	"errors"
	"fmt"
	"html"
	"strings"
	"testing"
	"time"

	"plat/diff"
	"plat/diff/noise"
	"plat/plat"
	"plat/segment/markup"
)

// paragraphs returns the blocks of a page with a paragraph for each text or piece of HTML.
func paragraphs(texts ...string) []plat.Block {
	all := []plat.Block{{Parent: -1, Slot: -1, Tag: "body", Run: 1}}
	for i, s := range texts {
		content := []byte("<p>" + html.EscapeString(s) + "</p>")
		if strings.HasPrefix(s, "<p>") {
			content, s = []byte(s), markup.Text([]byte(s), nil)
		}
		all = append(all, plat.Block{
			Path: []int32{int32(i)}, Run: 1, Level: 1, Tag: "p", Slot: 0, Pos: int32(i), Hash: plat.HashOf(content), Content: content, Text: s,
			TextLen: int32(len(s)),
		})
	}
	return all
}

// A site is one URL and its visits.
type site struct {
	t        *testing.T
	version  []plat.Block
	taken    time.Time
	lineages int32
	mask     noise.Mask
	now      time.Time
	looks    int
	versions int
	past     []past
}

// A past is a version of a site, and its self-changes since the previous version.
type past struct {
	look noise.Look
	own  []plat.SelfChange
}

func newSite(t *testing.T) *site {
	return &site{t: t, now: time.Date(2026, 11, 24, 3, 0, 0, 0, time.UTC)}
}

// visit shows the texts look(i) at rendering i, and returns the number of blocks that are news.
func (s *site) visit(look func(i int) []string) (news int) { return len(s.changes(look)) }

// A newsItem is a block that is news: its text before and after, and the edits.
type newsItem struct {
	old, new string
	edits    []noise.Edit
}

func (s *site) changes(look func(i int) []string) (news []newsItem) {
	s.t.Helper()
	s.now = s.now.Add(time.Hour)
	now := paragraphs(look(0)...)
	layout := &plat.Layout{HTML: []byte("<body></body>"), Slots: []int32{6}}
	if s.version == nil {
		s.lineages, s.version, s.taken, s.versions = diff.First(now), now, s.now, 1
		s.past = []past{{look: noise.Look{Blocks: now, At: s.now}}}
		return nil
	}
	// Only the encoded mask is kept.
	mask, err := noise.DecodeMask(s.mask.Encode())
	if err != nil {
		s.t.Fatal(err)
	}
	s.mask = mask
	s.mask.Visited()
	res := diff.Compare(diff.Side{Layout: layout, Blocks: s.version, Lineages: s.lineages}, diff.Side{Layout: layout, Blocks: now})
	if !res.Differs {
		return nil
	}
	i := 0
	first := noise.Look{Blocks: now, At: s.now}
	w, err := noise.Weigh(noise.New, noise.Look{Blocks: s.version, At: s.taken}, first, &res.Changes, &s.mask, nil, func() (*noise.Again, error) {
		i++
		again := paragraphs(look(i)...)
		r := diff.Compare(diff.Side{Layout: layout, Blocks: now, Lineages: res.Lineages}, diff.Side{Layout: layout, Blocks: again})
		return &noise.Again{Look: noise.Look{Blocks: again, At: s.now.Add(time.Second)}, Changes: r.Changes}, nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
	s.looks += w.Looks
	for i, c := range res.Blocks {
		if c.Kind == plat.Moved {
			continue
		}
		n := newsItem{edits: w.Verdicts[i].Edits}
		if c.Old >= 0 {
			n.old = s.version[c.Old].Text
		}
		if c.New >= 0 {
			n.new = now[c.New].Text
		}
		news = append(news, n)
	}
	if !w.All {
		s.version, s.taken, s.lineages = now, s.now, res.Lineages
		s.versions++
		s.past = append(s.past, past{first, w.SelfChanges})
	}
	return news
}

const still = "The harbour lies behind two moles that were built when the town lived on herring."

func TestAPageThatIsOtherAtEveryLook(t *testing.T) {
	s, n := newSite(t), 0
	for v := range 60 {
		news := s.visit(func(int) []string {
			n++
			return []string{fmt.Sprintf("All of page %d is other words, %x and %x.", n, n*7919, n*104729), fmt.Sprintf("And %d more of them: %x", n, n*15485863)}
		})
		if news > 0 {
			t.Errorf("visit %d: %d blocks are news", v, news)
		}
	}
	if s.looks > 7 {
		t.Errorf("%d second renderings", s.looks)
	}
}

// Two whole pages alternate: at every request, or at every visit.
func TestTwoPagesThatTakeTurns(t *testing.T) {
	pages := [][]string{{"Sign up for letters about ships", still}, {"Buy a ticket for the ferry now", still}}
	s, n := newSite(t), 0
	for v := range 30 {
		if news := s.visit(func(int) []string { n++; return pages[n%2] }); news > 0 {
			t.Errorf("visit %d: %d blocks are news", v, news)
		}
	}
	s = newSite(t)
	all := 0
	for v := range 30 {
		all += min(1, s.visit(func(int) []string { return pages[v%2] }))
	}
	if all != 2 { // each is news once
		t.Errorf("%d visits are news", all)
	}
	if s.versions != 30 || s.looks > 10 {
		t.Errorf("what is the same in two renderings is news: %d versions of 30, %d second renderings", s.versions, s.looks)
	}
}

// Numbers that go up and down are news each time. So are a text that changes back after some visits,
// and an old text that returns beside a different change.
func TestWhatGoesBackAndForthIsNews(t *testing.T) {
	for _, two := range [][2]string{{"In stock: 0", "In stock: 1"}, {"Gate B12 is open", "Gate B14 is open"}, {"三百元", "四百元"}, {"٥٠٠", "٦٠٠"}} {
		s := newSite(t)
		for v := range 12 {
			if news := s.visit(func(int) []string { return []string{two[v%2], still} }); news != 1 && v > 0 {
				t.Errorf("visit %d: %q is no news", v, two[v%2])
			}
		}
	}
	s := newSite(t)
	for v := range 40 {
		show := [][]string{{"All systems work", still}, {"All systems work", "Recall: do not eat this.", still}}[v/5%2]
		if news := s.visit(func(int) []string { return show }); (news > 0) != (v > 0 && v%5 == 0) {
			t.Errorf("visit %d: %d blocks are news", v, news)
		}
	}
	s = newSite(t)
	for v := range 12 {
		if news := s.visit(func(int) []string {
			return []string{[]string{"Open", "Closed"}[v%2], fmt.Sprint("Guests ", 7*v), still}
		}); news != 2 && v > 0 {
			t.Errorf("visit %d: %d blocks are news", v, news)
		}
	}
}

// What changes back after some visits is news, also if these were skipped, if there are no numbers in it, and among several states.
func TestAStateThatLastedIsNewsAgain(t *testing.T) {
	sale := [][]string{{"Oak stool", still}, {"Oak stool", "SALE! while it lasts", still}}
	stock := [][]string{{"In stock, ready to ship", still}, {"Currently sold out", still}}
	four := [][]string{{"In stock", still}, {"Sold out", still}, {"Coming soon", still}, {"Only a few left", still}}
	for _, tc := range []struct {
		name     string
		states   [][]string
		rendered int // visits of a state
		skipped  int // after each of these
	}{
		{"five rendered visits", sale, 5, 0}, {"five skipped visits", sale, 1, 5}, {"five skipped visits, texts that take turns", stock, 1, 5}, {"some of both", stock, 2, 2},
		{"four states in a row", four, 1, 0}, {"four states with skipped visits", four, 1, 5}, {"four states that last", four, 5, 0},
	} {
		s := newSite(t)
		for v := range 24 {
			for k := range tc.rendered {
				show := tc.states[v%len(tc.states)]
				if news := s.visit(func(int) []string { return show }); (news > 0) != (k == 0 && v > 0) {
					t.Errorf("%s: state %d, visit %d: %d blocks are news", tc.name, v, k, news)
				}
				for range tc.skipped {
					s.mask.Skipped()
				}
			}
		}
	}
	s := newSite(t) // states that take turns at every visit are not
	told := 0
	for v := range 24 {
		told += min(1, s.visit(func(int) []string { return sale[v%2] }))
		s.mask.Skipped()
	}
	if told != 2 {
		t.Errorf("two variants: %d visits are news", told)
	}
	n := 0
	counter := func(int) []string { n++; return []string{fmt.Sprintf("Views %d", n), still} }
	s = newSite(t)
	for range 4 {
		s.visit(counter)
	}
	for range 100 {
		s.mask.Skipped()
	}
	if news := s.visit(counter); news > 0 || !s.mask.Varies() {
		t.Errorf("a counter after a hundred skipped visits: %d blocks are news", news)
	}
}

// The target of a link is news even beside texts that alternate.
func TestALinkBesideVariants(t *testing.T) {
	s := newSite(t)
	show := func(v int, target string) func(int) []string {
		return func(int) []string {
			return []string{fmt.Sprintf(`<p>%s <a href="/%s">here</a></p>`, []string{"Buy a ticket for the ferry", "Sign up for letters about ships"}[v%2], target), still}
		}
	}
	for v, want := range []int{0, 1, 1, 0, 0} {
		if news := s.visit(show(v, "ann")); news != want {
			t.Fatalf("visit %d: %d blocks are news, want %d", v, news, want)
		}
	}
	if news := s.visit(show(5, "eve")); news != 1 {
		t.Errorf("another link: %d blocks are news", news)
	}
}

// A counter varies for a month and then stops; a later edit there is news. A second counter begins
// late.
func TestAPlaceThatStopsAndOneThatBegins(t *testing.T) {
	s, n := newSite(t), 0
	counter := func(int) []string { n++; return []string{fmt.Sprintf("Views %d", n), still, "In stock 5"} }
	for v := range 30 {
		if news := s.visit(counter); news > 0 {
			t.Errorf("visit %d: %d blocks are news", v, news)
		}
	}
	fixed := func(views, stock int) func(int) []string {
		return func(int) []string {
			return []string{fmt.Sprintf("Views %d", views), still, fmt.Sprintf("In stock %d", stock)}
		}
	}
	for range 25 {
		s.visit(fixed(1, 5)) // as in the version
	}
	if s.mask.Varies() {
		t.Error("a place that has not varied for 25 visits is remembered")
	}
	if news := s.visit(fixed(2, 5)); news != 1 {
		t.Errorf("the counter, changed once after that: %d blocks are news", news)
	}
	for v := range 20 {
		stock := func(int) []string { n++; return []string{"Views 2", still, fmt.Sprintf("In stock %d", 100+n)} }
		if news := s.visit(stock); news > 0 {
			t.Errorf("a place that begins to vary, visit %d: %d blocks are news", v, news)
		}
	}
	if news := s.visit(func(int) []string {
		n++
		return []string{"Views 2", still + " Now it is a ruin.", fmt.Sprintf("In stock %d", n)}
	}); news != 1 {
		t.Errorf("a sentence beside it: %d blocks are news", news)
	}
}

// A number that changes once or at every visit, and is the same in both renderings, is always news.
func TestWhatTwoLooksShareIsNeverLearned(t *testing.T) {
	s := newSite(t)
	for v := range 40 {
		news := s.visit(func(int) []string { return []string{fmt.Sprintf("Price %d.50", 10+v), still} })
		if v > 0 && news != 1 {
			t.Fatalf("visit %d: %d blocks are news, want the price", v, news)
		}
	}
	if s.looks > 8 {
		t.Errorf("%d second renderings at 40 visits", s.looks)
	}
}

// Clocks that run backwards, of the page or of this machine.
func TestClocksThatRunBackwards(t *testing.T) {
	s, n := newSite(t), 0
	for v := range 20 {
		s.now = s.now.Add(-2 * time.Hour)
		news := s.visit(func(int) []string {
			n++
			return []string{"It is " + s.now.Add(time.Duration(-n)*time.Second).Format("15:04:05"), "Posted 5 minutes ago", still}
		})
		if news > 0 {
			t.Errorf("visit %d: %d blocks are news", v, news)
		}
	}
}

// A mask stays within its limit, however much varies.
func TestAMaskIsBounded(t *testing.T) {
	s, n := newSite(t), 0
	for range 12 {
		s.visit(func(int) []string {
			n++
			var all []string
			for i := range 200 {
				all = append(all, fmt.Sprintf("Row %d of the table has %d boats and %d nets", i, n*i%97, n*i%89))
			}
			return all
		})
		if size := len(s.mask.Encode()); size > noise.MaxMask {
			t.Fatalf("%d bytes", size)
		}
	}
}

// Text that both renderings share is news even within text that varies between them.
func TestAFixedWordBetweenTwoQuotes(t *testing.T) {
	quotes := []string{"Brevity is the soul of wit", "All the world is a stage, so they say", "What is past is prologue", "Some rise by sin", "Be bold, and mighty forces come", "Never say never again"}
	s, n := newSite(t), 0
	text := func(price int) func(int) []string {
		return func(int) []string {
			n++
			return []string{fmt.Sprintf("Quote: %s. The pier is open. Ticket %d euros. The end of it: %s", quotes[n%6], price, quotes[(n/2+3)%6]), still}
		}
	}
	s.visit(text(14))
	if news := s.visit(text(99)); news != 1 {
		t.Errorf("another price at the second visit: %d blocks are news", news)
	}
}

// Blocks of renderings that are not stored leave nothing in the mask that applies to a later block of
// the same lineage.
func TestALineageThatIsUsedAgain(t *testing.T) {
	s, n := newSite(t), 0
	s.visit(func(int) []string { return []string{still} })
	s.visit(func(int) []string {
		n++
		return []string{still, fmt.Sprintf("Banner %x of %x and %x", n*7919, n*104729, n*15485863)}
	})
	price := func(p int) func(int) []string {
		return func(int) []string { return []string{still, fmt.Sprintf("Ticket %d euros", p)} }
	}
	for i, p := range []int{14, 15, 16, 17} {
		if news := s.visit(price(p)); news != 1 {
			t.Errorf("price %d: %d blocks are news", i, news)
		}
	}
}

func TestLooksAtEveryVisitLeaveAMask(t *testing.T) {
	var m noise.Mask
	for range 50 {
		m.Looked()
		if _, err := noise.DecodeMask(m.Encode()); err != nil {
			t.Fatal(err)
		}
	}
}

// Without second renderings every change counts, except for the user's rules.
func TestWithoutLooksOnlyRulesCount(t *testing.T) {
	layout := &plat.Layout{HTML: []byte("<body></body>"), Slots: []int32{6}}
	old, now := paragraphs("It is 14:05:40 now", "Views 5", still), paragraphs("It is 14:05:41 now", "Views 6", still)
	res := diff.Compare(diff.Side{Layout: layout, Blocks: old, Lineages: diff.First(old)}, diff.Side{Layout: layout, Blocks: now})
	at := time.Date(2026, 11, 24, 14, 5, 40, 0, time.UTC)
	given := noise.Given{Ignored: func(c plat.Change) (bool, []plat.Range, []plat.Range) {
		word := []plat.Range{{From: 6, To: 7}}
		return false, word, word
	}}
	w, err := noise.Weigh(noise.Never, noise.Look{Blocks: old, At: at}, noise.Look{Blocks: now, At: at.Add(time.Second)}, &res.Changes, &noise.Mask{}, &given, nil)
	if err != nil || len(res.Blocks) != 1 || res.Blocks[0].Lineage != 1 && now[res.Blocks[0].New].Text != "It is 14:05:41 now" || len(w.SelfChanges) != 1 {
		t.Errorf("%+v, %+v, %v", res.Blocks, w, err)
	}
}

// Markup of the layout that differs between two renderings of a visit as much as between the versions is no news, and from then
// on it is known.
func TestLayoutsThatVary(t *testing.T) {
	at := time.Date(2026, 11, 24, 14, 5, 40, 0, time.UTC)
	layout := &plat.Layout{HTML: []byte("<body></body>"), Slots: []int32{6}}
	old, now := paragraphs("Ticket 14 euros", still), paragraphs("Ticket 15 euros", still)
	for _, tc := range []struct{ between, again, want, later plat.Kind }{
		{plat.Same, plat.Same, plat.Same, plat.Content},
		{plat.Content, plat.Same, plat.Content, plat.Content},
		{plat.Content, plat.Content, plat.Same, plat.Same},
		{plat.Content, plat.Format, plat.Content, plat.Content},
		{plat.Format, plat.Content, plat.Same, plat.Same},
		{plat.Format, plat.Link, plat.Same, plat.Content},
		{plat.Volatile, plat.Same, plat.Volatile, plat.Content},
	} {
		weigh := func(m *noise.Mask, between, again plat.Kind) plat.Kind {
			res := diff.Compare(diff.Side{Layout: layout, Blocks: old, Lineages: diff.First(old)}, diff.Side{Layout: layout, Blocks: now})
			res.Changes.Layout = between
			if _, err := noise.Weigh(noise.New, noise.Look{Blocks: old, At: at}, noise.Look{Blocks: now, At: at.Add(time.Hour)}, &res.Changes, m, nil, func() (*noise.Again, error) {
				return &noise.Again{Look: noise.Look{Blocks: now, At: at.Add(time.Hour)}, Changes: plat.Changes{Layout: again}}, nil
			}); err != nil || len(res.Changes.Blocks) != 1 {
				t.Fatalf("%+v, %v", res.Changes, err)
			}
			return res.Changes.Layout
		}
		var m noise.Mask
		if got := weigh(&m, tc.between, tc.again); got != tc.want {
			t.Errorf("%s between versions and %s between renderings: %s, want %s", tc.between, tc.again, got, tc.want)
		}
		if got := weigh(&m, plat.Content, plat.Same); got != tc.later {
			t.Errorf("after %s between renderings: %s, want %s", tc.again, got, tc.later)
		}
	}
}

// An error of a second rendering ends the comparison.
func TestErrorsOfRenderingsAreReturned(t *testing.T) {
	layout := &plat.Layout{HTML: []byte("<body></body>"), Slots: []int32{6}}
	old, now := paragraphs("Ticket 14 euros", still), paragraphs("Ticket 15 euros", still)
	for _, fail := range []error{errors.New("the tab is gone"), nil} {
		res := diff.Compare(diff.Side{Layout: layout, Blocks: old, Lineages: diff.First(old)}, diff.Side{Layout: layout, Blocks: now})
		w, err := noise.Weigh(noise.New, noise.Look{Blocks: old}, noise.Look{Blocks: now}, &res.Changes, &noise.Mask{}, nil, func() (*noise.Again, error) { return nil, fail })
		if err != fail || w.Looks != 0 || len(res.Changes.Blocks) != 1 {
			t.Errorf("%+v, %v; want %v", w, err, fail)
		}
	}
}
