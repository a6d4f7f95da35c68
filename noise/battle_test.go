package noise_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
)

// proverbs are what pages show some of.
var proverbs = []string{
	"Brevity is the soul of wit", "All the world is a stage, so they say", "What is past is prologue", "Some rise by sin",
	"Be bold, and mighty forces come", "Never say never again", "The early bird catches the worm", "Still waters run deep",
}

// invented returns a text that is hardly ever the same.
func invented(r *rand.Rand) string {
	words := strings.Fields("harbour mole herring net ferry crew gull tide lamp rope sail coast pilot cargo anchor deck storm buoy")
	n := 4 + r.IntN(6)
	for i := range n {
		words[i] = words[i+r.IntN(len(words)-i)]
	}
	return strings.Join(words[:n], " ")
}

// some returns n of a list, in its order.
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

// A habit is what a page does by itself: blocks, the first of which holds a text that
// somebody writes.
type habit struct {
	name string
	show func(r *rand.Rand, n int, text string) []string // n counts the looks
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
		all := []string{text, "People also like these"}
		for _, i := range r.Perm(30)[:3] {
			all = append(all, fmt.Sprintf("%s, says fisherman %c%d", proverbs[i%8], 'A'+i%5, i))
		}
		return all
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
}

// A deed is what somebody does to a page: it changes the text, or the blocks after it.
type deed struct {
	name string
	do   func(text string, fixed []string) (string, []string)
}

var deeds = []deed{
	{"price", func(t string, f []string) (string, []string) { return strings.Replace(t, "14", "15", 1), f }},
	{"negation", func(t string, f []string) (string, []string) { return strings.Replace(t, " is ", " is not ", 1), f }},
	{"word less", func(t string, f []string) (string, []string) { return strings.Replace(t, " big", "", 1), f }},
	{"sentence more", func(t string, f []string) (string, []string) { return t + " Dogs must stay outside.", f }},
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

// What pages do by themselves is no news after the first visits, and what somebody does
// there is, whenever it comes.
func TestHabitsAndDeeds(t *testing.T) {
	const visits, runs = 14, 26
	verbose := os.Getenv("PLAT_VERBOSE") != ""
	var early, late, all, missed, deedsDone, looks int
	lates, misses := map[string]int{}, map[string]int{}
	for _, h := range habits {
		for _, d := range deeds {
			for run := range runs {
				r := rand.New(rand.NewPCG(uint64(run), 7))
				s := newSite(t)
				text, fixed := written, beside
				n, when := 0, 1+run%(visits-2)
				for v := range visits {
					deed := v == when || v == when+4
					switch {
					case v == when:
						text, fixed = d.do(text, fixed)
					case deed:
						text, fixed = written, beside // it is undone
					}
					news := s.visit(func(int) []string {
						n++
						return append(h.show(r, n, text), fixed...)
					})
					switch {
					case deed:
						if deedsDone++; news == 0 {
							missed++
							misses[fmt.Sprintf("%s: %s (run %d, visit %d)", h.name, d.name, run, v)]++
						}
					case v == 0:
					case v == 1:
						if all++; news > 0 {
							early++
							lates[h.name+" at the second"]++
						}
					default:
						if all++; news > 0 {
							late++
							lates[fmt.Sprintf("%s at visit %d", h.name, v)]++
						}
					}
				}
				looks += s.looks
			}
		}
	}
	t.Logf("%d visits: false alarms at the second %d, later %d; %d looks; %d deeds, missed %d", all, early, late, looks, deedsDone, missed)
	if verbose {
		for _, m := range []map[string]int{lates, misses} {
			for k, n := range m {
				t.Log(n, k)
			}
		}
	}
}
