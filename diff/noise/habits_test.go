package noise_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"plat/diff/noise"
	"plat/fixtures"
)

// proverbs are sample texts for pages that show some of them.
var proverbs = []string{
	"Brevity is the soul of wit", "All the world is a stage, so they say", "What is past is prologue", "Some rise by sin",
	"Be bold, and mighty forces come", "Never say never again", "The early bird catches the worm", "Still waters run deep",
}

// invented returns a text that is rarely the same.
func invented(r *rand.Rand) string {
	words := strings.Fields("harbour mole herring net ferry crew gull tide lamp rope sail coast pilot cargo anchor deck storm buoy")
	n := 4 + r.IntN(6)
	for i := range n {
		words[i] = words[i+r.IntN(len(words)-i)]
	}
	return strings.Join(words[:n], " ")
}

// titles holds thirty invented texts.
var titles = func() (all []string) {
	r := rand.New(rand.NewPCG(3, 3))
	for range 30 {
		all = append(all, invented(r))
	}
	return all
}()

// seeded returns a source of random numbers.
func seeded(n int) *rand.Rand { return rand.New(rand.NewPCG(uint64(n), 11)) }

// some returns n elements of a list, in its order.
func some(r *rand.Rand, all []string, n int) []string {
	at := r.Perm(len(all))[:n]
	slices.Sort(at)
	out := make([]string, n)
	for i, k := range at {
		out[i] = all[k]
	}
	return out
}

func shuffle(r *rand.Rand, all []string) []string {
	all = slices.Clone(all)
	r.Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
	return all
}

// A habit is a self-change of a page: show returns its blocks, of which the first contains an
// author's text.
type habit struct {
	name string
	show func(r *rand.Rand, n int, text string) []string // n counts the renderings
}

var habits = []habit{
	{"nothing", func(r *rand.Rand, n int, text string) []string { return []string{text} }},
	{"views", func(r *rand.Rand, n int, text string) []string {
		return []string{fmt.Sprintf("%s Views %d", text, 100+n)}
	}},
	{"two counters in the same words", func(r *rand.Rand, n int, text string) []string {
		return []string{fmt.Sprintf("Adults 20 euros. %s Seen 20 times. Seen %d times.", text, 100+n)}
	}},
	{"visitors online", func(r *rand.Rand, n int, text string) []string {
		return []string{text, fmt.Sprintf("%d visitors online", 3+r.IntN(20))}
	}},
	{"generated in", func(r *rand.Rand, n int, text string) []string {
		return []string{fmt.Sprintf("%s Page generated in 0.%03d s by node %d", text, r.IntN(999), r.IntN(9))}
	}},
	{"request number", func(r *rand.Rand, n int, text string) []string {
		return []string{text, fmt.Sprintf("Request %08x", r.Uint32())}
	}},
	{"quote in a block of its own", func(r *rand.Rand, n int, text string) []string { return []string{text, proverbs[r.IntN(8)]} }},
	{"quote in the block", func(r *rand.Rand, n int, text string) []string {
		return []string{fmt.Sprintf("%s Quote of the day: %s. Read more of them here.", text, proverbs[r.IntN(8)])}
	}},
	{"text between two quotes", func(r *rand.Rand, n int, text string) []string {
		return []string{fmt.Sprintf("First: %s. The pier is open today. %s It rains. The last one: %s.", proverbs[r.IntN(8)], text, proverbs[r.IntN(8)])}
	}},
	{"headline that is never the same", func(r *rand.Rand, n int, text string) []string { return []string{text, invented(r)} }},
	{"sentence that is never the same", func(r *rand.Rand, n int, text string) []string {
		return []string{text + " Advertisement: " + invented(r) + ". End of the advertisement."}
	}},
	{"3 of 8 blocks", func(r *rand.Rand, n int, text string) []string {
		return append([]string{text, "People also like these"}, some(r, proverbs, 3)...)
	}},
	{"3 of 8 in a block", func(r *rand.Rand, n int, text string) []string {
		return []string{text + " Related: " + strings.Join(some(r, proverbs, 3), " / ") + " — all of them are here"}
	}},
	{"3 of 8 lines in a block", func(r *rand.Rand, n int, text string) []string {
		return []string{text + "\nRelated\n" + strings.Join(some(r, proverbs, 3), "\n")}
	}},
	{"2 of 8 lines in any order", func(r *rand.Rand, n int, text string) []string {
		return []string{text, strings.Join(shuffle(r, some(r, proverbs, 2)), "\n")}
	}},
	{"3 of 30 lines in a block", func(r *rand.Rand, n int, text string) []string {
		return []string{text + "\nRelated\n" + strings.Join(some(r, titles, 3), "\n")}
	}},
	{"3 blocks that are never the same", func(r *rand.Rand, n int, text string) []string {
		return []string{text, "Trending now on all channels", invented(r), invented(r), invented(r)}
	}},
	{"3 of 8 blocks in any order", func(r *rand.Rand, n int, text string) []string {
		return append([]string{text, "People also like these"}, shuffle(r, some(r, proverbs, 3))...)
	}},
	{"blocks in another order", func(r *rand.Rand, n int, text string) []string {
		return append([]string{text}, shuffle(r, proverbs)...)
	}},
	{"items of a block in another order", func(r *rand.Rand, n int, text string) []string {
		return []string{strings.Join(shuffle(r, append(slices.Clone(proverbs), text)), " ")}
	}},
	{"banner at times", func(r *rand.Rand, n int, text string) []string {
		if r.IntN(2) == 0 {
			return []string{text, "Subscribe to our letter and win a trip to the sea"}
		}
		return []string{text}
	}},
	{"words at times", func(r *rand.Rand, n int, text string) []string {
		if r.IntN(2) == 0 {
			return []string{text + " You have 3 new messages."}
		}
		return []string{text}
	}},
	{"two variants", func(r *rand.Rand, n int, text string) []string {
		return []string{text + []string{" Buy now and save.", " Order today, it is free of charge."}[r.IntN(2)]}
	}},
	{"3 of 30 blocks", func(r *rand.Rand, n int, text string) []string {
		return append([]string{text, "People also like these"}, some(r, titles, 3)...)
	}},
	{"some of 8 blocks", func(r *rand.Rand, n int, text string) []string {
		return append([]string{text, "People also like these"}, some(r, proverbs, 2+r.IntN(3))...)
	}},
	{"blocks with counters, the best first", func(r *rand.Rand, n int, text string) []string {
		all := []string{text, "Most read of this week"}
		for i, k := range shuffle(r, proverbs) {
			all = append(all, fmt.Sprintf("%s %d reads", k, 900-100*i+r.IntN(90)))
		}
		return all
	}},
	{"a table of counters", func(r *rand.Rand, n int, text string) []string {
		all := []string{text}
		for i, k := range proverbs {
			all = append(all, fmt.Sprintf("%s %d reads %d likes", k, 100*i+n, r.IntN(99)))
		}
		return all
	}},
	{"a counter with its words", func(r *rand.Rand, n int, text string) []string {
		return []string{text + []string{" Nobody is online.", " One guest is online.", fmt.Sprintf(" %d guests are online.", 2+r.IntN(9))}[r.IntN(3)]}
	}},
	{"a banner anywhere", func(r *rand.Rand, n int, text string) []string {
		all := []string{text, "Opening hours are on the door", "Dogs are welcome on the pier"}
		return slices.Insert(all, r.IntN(3), "Subscribe to our letter and win a trip to the sea")
	}},
	{"an advertisement before the text", func(r *rand.Rand, n int, text string) []string {
		return []string{proverbs[r.IntN(8)] + " — " + text}
	}},
	{"a quote after the text", func(r *rand.Rand, n int, text string) []string { return []string{text + " " + proverbs[r.IntN(8)]} }},
	{"a heading, and a quote after the text", func(r *rand.Rand, n int, text string) []string {
		return []string{"Tip of the day\n" + text + " " + proverbs[r.IntN(8)]}
	}},
	{"two quotes after the text", func(r *rand.Rand, n int, text string) []string {
		return []string{"Tips of the day\n" + text + " " + proverbs[r.IntN(8)] + "\n" + text + " " + proverbs[r.IntN(8)]}
	}},
}

// A deed is an author's edit of a page: of the text, or of the blocks after it.
type deed struct {
	name string
	do   func(text string, fixed []string) (string, []string)
}

var deeds = []deed{
	{"price", func(t string, f []string) (string, []string) { return strings.Replace(t, "14", "15", 1), f }},
	{"negation", func(t string, f []string) (string, []string) { return strings.Replace(t, " is ", " is not ", 1), f }},
	{"word less", func(t string, f []string) (string, []string) { return strings.Replace(t, " big", "", 1), f }},
	{"sentence more", func(t string, f []string) (string, []string) { return t + " Dogs must stay outside.", f }},
	{"another text", func(t string, f []string) (string, []string) { return "Sold out", f }},
	{"a word for a text", func(t string, f []string) (string, []string) { return "Closed.", f }},
	{"price beside", func(t string, f []string) (string, []string) {
		f = slices.Clone(f)
		f[0] = strings.Replace(f[0], "20", "21", 1)
		return t, f
	}},
	{"letter", func(t string, f []string) (string, []string) { return strings.Replace(t, "hall", "mall", 1), f }},
	{"word beside", func(t string, f []string) (string, []string) {
		return t, append(slices.Clone(f[:len(f)-1]), strings.Replace(f[len(f)-1], "master", "police", 1))
	}},
	{"block less", func(t string, f []string) (string, []string) { return t, f[1:] }},
	{"block less at the end", func(t string, f []string) (string, []string) { return t, f[:len(f)-1] }},
	{"block more", func(t string, f []string) (string, []string) {
		return t, append([]string{"The museum closes for good on Sunday"}, f...)
	}},
	{"block for a block", func(t string, f []string) (string, []string) {
		return t, append([]string{"A storm warning is in force from noon"}, f[1:]...)
	}},
}

const written = "Ticket 14 euros, the big hall is open."

var beside = []string{"Boats cost 20 euros an hour", still, "Write to the harbour master"}

// found counts the words marked as news in edited blocks, and those of them that belong to the edit:
// they are in one of the texts that are gone, or of the new ones.
func found(news []newsItem, gone, new []string) (marked, right int) {
	for _, n := range news {
		all, theirs := 0, 0
		count := func(text string, in noise.Span, written []string) {
			words := len(strings.Fields(text[in.From:in.To]))
			all += words
			for _, s := range written {
				if at := strings.Index(text, s); at >= 0 && at < in.To && in.From < at+len(s) {
					theirs += words
					return
				}
			}
		}
		if len(n.edits) == 0 { // a block that came or went
			n.edits = []noise.Edit{{Old: noise.Span{To: len(n.old)}, New: noise.Span{To: len(n.new)}}}
		}
		for _, e := range n.edits {
			if e.Why == "" {
				count(n.old, e.Old, gone)
				count(n.new, e.New, new)
			}
		}
		if theirs > 0 {
			marked, right = marked+all, right+theirs
		}
	}
	return marked, right
}

// without returns the strings that only the first list has.
func without(all, others []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(s string) bool { return slices.Contains(others, s) })
}

// A tally sums up the results of many pages.
type tally struct {
	second, later           int // visits without an edit
	falseSecond, falseLater int
	deeds, missed           int
	marked, right           int // words
	looks, sites            int
	most                    int // bytes of the largest mask
	lines                   map[string]int
}

func (c *tally) add(line string) { c.lines[line]++ }

// run visits a page that an author edits and later reverts.
func (c *tally) run(t *testing.T, h habit, d deed, seed, visits int) {
	r := rand.New(rand.NewPCG(uint64(seed), 7))
	s := newSite(t)
	text, fixed := written, beside
	n, when := 0, 1+seed%(visits-2)
	for v := range visits {
		wasText, wasFixed := text, fixed
		switch v {
		case when:
			text, fixed = d.do(text, fixed)
		case when + 4:
			text, fixed = written, beside
		}
		news := s.changes(func(int) []string {
			n++
			return append(h.show(r, n, text), fixed...)
		})
		switch {
		case v == when || v == when+4:
			was, is := without([]string{wasText}, []string{text}), without([]string{text}, []string{wasText})
			marked, right := found(news, append(was, without(wasFixed, fixed)...), append(is, without(fixed, wasFixed)...))
			c.deeds, c.marked, c.right = c.deeds+1, c.marked+marked, c.right+right
			if right == 0 {
				c.missed++
				c.add(fmt.Sprintf("missed: %s with %s (page %d, visit %d)", d.name, h.name, seed, v))
			}
		case v == 1:
			if c.second++; len(news) > 0 {
				c.falseSecond++
				c.add("false alarm at the second visit: " + h.name)
			}
		case v > 1:
			if c.later++; len(news) > 0 {
				c.falseLater++
				c.add("false alarm later: " + h.name)
			}
		}
	}
	c.looks, c.sites, c.most = c.looks+s.looks, c.sites+1, max(c.most, len(s.mask.Encode()))
}

// Self-changes are not news after the first visits, and an author's edit is news at any time. With
// PLAT_VERBOSE, the errors are listed.
func TestHabitsAndDeeds(t *testing.T) {
	const visits = 14
	pages := 2 * (visits - 2) / fixtures.OneIn(8)
	c := tally{lines: map[string]int{}}
	for _, h := range habits {
		for _, d := range deeds {
			for i := range pages {
				c.run(t, h, d, i, visits)
			}
		}
	}
	share := func(n, of int) string {
		return fmt.Sprintf("%d of %d (%.1f %%)", n, of, 100*float64(n)/float64(max(1, of)))
	}
	t.Logf("%d pages with %d habits, %d visits each", c.sites, len(habits), visits)
	t.Logf("false alarms: %s second visits, %s later", share(c.falseSecond, c.second), share(c.falseLater, c.later))
	t.Logf("changes missed: %s; of the words marked, theirs: %s", share(c.missed, c.deeds), share(c.right, c.marked))
	t.Logf("second renderings: %.1f a page; largest mask: %d bytes", float64(c.looks)/float64(c.sites), c.most)
	if os.Getenv("PLAT_VERBOSE") != "" {
		for _, line := range slices.Sorted(maps.Keys(c.lines)) {
			t.Logf("%5d  %s", c.lines[line], line)
		}
	}
	if 200*c.missed > c.deeds || 20*c.falseLater > c.later || 8*c.falseSecond > c.second {
		t.Error("more than there used to be")
	}
}
