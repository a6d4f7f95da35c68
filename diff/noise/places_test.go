package noise_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"plat/diff"
	"plat/diff/noise"
	"plat/plat"
)

// The target of a link and hidden text are compared beside words that vary.
func TestWhatIsNotShownBesideACounter(t *testing.T) {
	block := func(views int, html string) []plat.Block {
		all := paragraphs(fmt.Sprintf("Views %d", views))
		b := &all[1]
		b.Content = []byte(fmt.Sprintf(html, views))
		b.Hash = plat.HashOf(b.Content)
		return all
	}
	for name, c := range map[string][2]string{
		"a link's target beside a counter":              {`<p>Views %d <a href="/pay-ann"></a></p>`, `<p>Views %d <a href="/pay-eve"></a></p>`},
		"a link's target beside another attribute":      {`<p class="c%d"><a href="/pay-ann"></a></p>`, `<p class="c%d"><a href="/pay-eve"></a></p>`},
		"a link's target, and an image that is another": {`<p>Views %[1]d <img src="b%[1]d.jpg"><a href="/ann"></a></p>`, `<p>Views %[1]d <img src="b%[1]d.jpg"><a href="/eve"></a></p>`},
	} {
		layout := &plat.Layout{HTML: []byte("<body></body>"), Slots: []int32{6}}
		side := func(b []plat.Block, lineages int32) diff.Side {
			return diff.Side{Layout: layout, Blocks: b, Lineages: lineages}
		}
		old, now, again := block(5, c[0]), block(6, c[1]), block(7, c[1])
		n := diff.First(old)
		res := diff.Compare(side(old, n), side(now, 0))
		r := diff.Compare(side(now, res.Lineages), side(again, 0))
		var m noise.Mask
		at := time.Date(2026, 11, 24, 3, 0, 0, 0, time.UTC)
		w, err := noise.Weigh(noise.New, noise.Look{Blocks: old, At: at}, noise.Look{Blocks: now, At: at}, &res.Changes, &m, nil, func() (*noise.Again, error) {
			return &noise.Again{Look: noise.Look{Blocks: again, At: at}, Changes: r.Changes}, nil
		})
		if err != nil || w.All || len(res.Blocks) != 1 {
			t.Errorf("%s: %+v, %d changes are news, %v", name, w, len(res.Blocks), err)
		}
	}
}

// One variant has a line within a block, the other has it as a block of its own, and an author
// changes a number in both.
func TestAChangeInVariantsThatAreDividedOtherwise(t *testing.T) {
	show := func(stock, n int) []string {
		if n%2 == 0 {
			return []string{"Berths", fmt.Sprintf("In stock: %d Get all stories by mail, no charge", stock), still}
		}
		return []string{"Berths", fmt.Sprintf("In stock: %d Join our newsletter for free, every week\n", stock) + still}
	}
	for first := range 2 {
		s, n := newSite(t), first
		for v := range 8 {
			stock := 1 - v/4
			if news := s.visit(func(int) []string { n++; return show(stock, n) }); (news > 0) != (v == 4) {
				t.Errorf("first %d, visit %d: %d blocks are news", first, v, news)
			}
		}
	}
}

// A new block with a counter is news, too, also if its words appear elsewhere on the page.
func TestANewBlockWithACounter(t *testing.T) {
	const closed = "On Mondays the museum is closed for cleaning, so come on another day."
	for _, words := range []string{"Sold out %d", "Cancelled! %d readers", "the museum is closed %d views"} {
		s, n := newSite(t), 3000
		s.visit(func(int) []string { return []string{closed, still} })
		if news := s.visit(func(int) []string { n++; return []string{closed, fmt.Sprintf(words, n), still} }); news != 1 {
			t.Errorf("%q: %d blocks are news", words, news)
		}
	}
}

// A new block that both renderings show is news, however short it is.
func TestAShortBlockThatIsNew(t *testing.T) {
	for _, words := range []string{"Closed", "Sold out", "Doors are closed"} {
		s := newSite(t)
		s.visit(func(int) []string { return []string{"Tickets for the concert", still} })
		if news := s.visit(func(int) []string { return []string{"Tickets for the concert", words, still} }); news != 1 || s.looks == 0 {
			t.Errorf("%q: %d blocks are news after %d second renderings", words, news, s.looks)
		}
	}
}

// "17 + 42" and "42 + 63" share a number by chance: each is at a position where numbers vary.
func TestNumbersThatStandElsewhere(t *testing.T) {
	s := newSite(t)
	visits := [][]string{{"17 + 42"}, {"42 + 63", "55 + 12", "31 + 84"}, {"63 + 19", "20 + 71", "48 + 90"}}
	for v, looks := range visits {
		news := s.visit(func(i int) []string { return []string{still, "How much is " + looks[min(i, len(looks)-1)] + "?"} })
		if news > 0 {
			t.Errorf("visit %d: %d blocks are news", v, news)
		}
	}
	if news := s.visit(func(i int) []string {
		return []string{still, []string{"How much is 19 - 55?", "How much is 71 - 64?"}[i%2]}
	}); news == 0 {
		t.Error("minus is no news")
	}
}

// The third rendering shows the two quotes of the first in a different order, by chance: the second
// has shown that the quotes vary.
func TestAnOrderThatIsChance(t *testing.T) {
	s := newSite(t)
	const know, mad = "We know what we are, but know not what we may be.", "Though this be madness, yet there is method in it."
	s.visit(func(int) []string {
		return []string{still, "Readers say\n12 cabins left What is past is prologue, so read on.\n12 cabins left All the world is a stage for us."}
	})
	news := s.changes(func(i int) []string {
		return [][]string{
			{still, "Readers say\nSold out " + know + "\nSold out " + mad},
			{still, "Readers say\nSold out Brevity is the soul of wit, they say.", "Sold out Some rise by sin, and some by virtue fall."},
			{still, "Readers say\nSold out " + mad + "\nSold out " + know},
		}[i]
	})
	var marked []string
	for _, n := range news {
		for _, e := range n.edits {
			if text := n.new[e.New.From:e.New.To]; e.Why == "" && text != "" {
				marked = append(marked, text)
			}
		}
	}
	if s.looks != 2 || !slices.Equal(slices.Compact(marked), []string{"Sold out"}) {
		t.Errorf("%q is marked after %d looks", marked, s.looks)
	}
}

// The second rendering makes a block of its own of a line within a larger block of the first: the
// words that both share are news.
func TestALineThatIsABlockInTheSecondLook(t *testing.T) {
	s := newSite(t)
	const lamp = "At night a lamp burns on the northern one, and the pilots say that they find it by its colour alone."
	get, join := " Get all stories by mail, no charge", " Join our newsletter for free, every week"
	for range 4 {
		s.visit(func(i int) []string {
			return []string{"12 cabins left" + []string{get, join}[i%2] + "\n" + lamp, still}
		})
	}
	looks := [][]string{{"Sold out" + join + "\n" + lamp, still}, {"Sold out" + get, lamp, still}}
	if news := s.visit(func(i int) []string { return looks[min(i, 1)] }); news == 0 {
		t.Error("sold out is no news")
	}
}

// A sentence that was always before the quotes is not one of them: two renderings that differ after
// it do not prove that the page removed it.
func TestASentenceThatStoodBeforeQuotes(t *testing.T) {
	quotes := []string{"To be or not to be, that is the question.", "Brevity is the soul of wit, they say.", "All the world is a stage for us.",
		"Some rise by sin, and some by virtue fall.", "The course of true love never did run smooth.", "What is past is prologue, so read on.",
		"We know what we are, but know not what we may be.", "Though this be madness, yet there is method in it."}
	s := newSite(t)
	show := func(before string, looks ...[2]int) func(int) []string {
		return func(i int) []string {
			q := looks[min(i, len(looks)-1)]
			return []string{"Readers say\n" + before + quotes[q[0]] + "\n" + before + quotes[q[1]], still}
		}
	}
	const before = "We sail at dawn. Bring warm clothes. "
	s.visit(show(before, [2]int{7, 4}))
	s.visit(show(before, [2]int{3, 1}, [2]int{4, 0}))
	s.visit(show(before, [2]int{1, 2}, [2]int{5, 3}))
	s.visit(show(before, [2]int{0, 7}, [2]int{6, 4}))
	if news := s.visit(show("We sail at dawn. ", [2]int{5, 5}, [2]int{6, 2})); news == 0 {
		t.Error("a sentence less is no news")
	}
}

// Links with one text, "Read more", lead where the quotes beside them lead: without a rendering to
// show that they vary, they are no more news than the quotes are.
func TestLinksThatVaryWithTheirBlocks(t *testing.T) {
	alarms := func(link func(quote int) string) (all int) {
		s, n := newSite(t), 0
		for range 20 {
			all += min(1, s.visit(func(int) []string {
				n++
				k := (n*n + n/3) % 8
				blocks := []string{still, "<p>" + proverbs[k] + ` <a href="` + link(k) + `">Read more</a></p>`}
				if n%2 == 0 {
					blocks = append(blocks, "<p>"+proverbs[(k+3)%8]+"</p>")
				}
				return append(blocks, "The end of it all")
			}))
		}
		return all
	}
	same := alarms(func(int) string { return "/quotes" })
	if each := alarms(func(quote int) string { return fmt.Sprint("/quotes/", quote) }); each > same {
		t.Errorf("%d visits with news, %d if all links lead to one place", each, same)
	}
}

// Addresses of links, forms and frames with a different token in each rendering are not news, even
// without a rendering to show it, nor after an author has changed one. That change is news if readers
// follow the address or send data to it.
func TestAddressesThatVary(t *testing.T) {
	for name, c := range map[string]struct {
		block string
		news  int // the address differs, beside its token
	}{
		"a link":          {`<p><a href="/%s/%s">Your name</a></p>`, 1},
		"a form":          {`<p><form action="/%s/%s">Your name <input></form></p>`, 1},
		"a button":        {`<p>Your name <button formaction="/%s/%s">Send</button></p>`, 1},
		"a frame":         {`<p>The map <iframe src="/%s/%s"></iframe></p>`, 0},
		"an object":       {`<p>The map <object data="/%s/%s"></object></p>`, 0},
		"an embedded one": {`<p>The map <embed src="/%s/%s"></p>`, 0},
	} {
		for how, token := range map[string]func(n int) string{
			"numbers": func(n int) string { return fmt.Sprint(1000 + n*7919%8999) },
			"hashes":  func(n int) string { return plat.HashOf([]byte{byte(n)}).String()[:16] },
		} {
			s, n, to := newSite(t), 0, "send"
			look := func(int) []string {
				n++
				return []string{still, fmt.Sprintf(c.block, to, token(n)), "The end of it all"}
			}
			visits := func(when string) {
				for v := range 40 {
					if news := s.visit(look); news > 0 {
						t.Errorf("%s, %s: visit %d %s: %d blocks are news", name, how, v, when, news)
					}
				}
			}
			visits("at first")
			to = "pay"
			if news := s.visit(look); news != c.news {
				t.Errorf("%s, %s: of another address %d blocks are news, want %d", name, how, news, c.news)
			}
			visits("afterwards")
		}
	}
}
