package noise_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// sponsored are texts of which a page shows one at a time.
var sponsored = []string{
	"Supported by the rope makers of the old quay", "This page is sponsored by Lindqvist Paints", "Thanks to our partner, Baltic Freight", "Brought to you by Hansen and Sons, ship chandlers",
	"Our sponsor: the Savings Bank of the Coast", "Made possible by readers like you", "Powered by wind from the Northern Array", "With kind support of Marine Insurance Ltd",
}

var (
	guests = []string{"The best ferry I ever took, and the coffee was hot.|Anna, Lund", "My children still talk about the seals we saw.|Peter, Kiel", "Great crew, calm seas, fair prices.|Maria",
		"We come back every summer since our wedding.|The Olsens, Bergen", "Could not be happier with the cabin and the view.|Jo", "A little late, but friendly beyond belief.|Karin, Oslo",
		"Booking was easy and the refund arrived in two days.|Tom, Leeds", "I would recommend the night crossing to anyone.|Yuki", "Food for vegans too, which surprised us.|Lea and Max",
		"They found my lost hat and sent it home by mail.|Ernest, Hamburg", "Clean, quick and on time, three years in a row.|Priya", "Our dog had a better trip than we did!|Sam, Dublin"}
	sayings = strings.Split("A rolling stone gathers no moss.|Actions speak louder than words.|All that glitters is not gold.|Better late than never.|Birds of a feather flock together.|Curiosity killed the cat.|"+
		"Every cloud has a silver lining.|Fortune favours the bold.|Good things come to those who wait.|Haste makes waste.|Hope for the best, prepare for the worst.|If it is not broken, do not fix it.|Ignorance is bliss.|"+
		"It is no use crying over spilt milk.|Knowledge is power.|Let sleeping dogs lie.|Look before you leap.|Many hands make light work.|Necessity is the mother of invention.|No man is an island.|"+
		"Practice makes perfect.|Rome was not built in a day.|Slow and steady wins the race.|Strike while the iron is hot.|The grass is always greener on the other side.|The pen is mightier than the sword.|"+
		"There is no place like home.|Time and tide wait for no man.|Too many cooks spoil the broth.|Two heads are better than one.|Variety is the spice of life.|Where there is smoke, there is fire.|You reap what you sow.", "|")
	names = strings.Fields("Anna Bert Carl Dora Emil Frida Georg Hanna Ivar Jens Karl Lena Mats Nora Olaf Pia Rosa Sven Tilda Uwe")
)

// watching is a sentence with a counter, of which some numbers are words.
func watching(r *rand.Rand) string {
	switch n := r.IntN(12); n {
	case 0:
		return "Nobody else is looking at this ferry right now"
	case 1:
		return "One other guest is looking at this ferry right now"
	default:
		return fmt.Sprintf("%d other guests are looking at this ferry right now", n)
	}
}

// greets are parts of a page with a different text in each rendering. most limits the visits that are news, of a
// thousand after the second.
var greets = []struct {
	habit
	most int
}{
	{habit{"visitor's number", func(r *rand.Rand, n int, text string) []string {
		return []string{text, fmt.Sprintf("Hello, visitor %d!", 1000+r.IntN(9000))}
	}}, 0},
	{habit{"visitor's name before the text", func(r *rand.Rand, n int, text string) []string {
		return []string{"Welcome back, " + names[r.IntN(20)] + ". " + text}
	}}, 0},
	{habit{"sponsor of eight", func(r *rand.Rand, n int, text string) []string { return []string{text, sponsored[r.IntN(8)]} }}, 5},
	{habit{"sponsor of eight in turn", func(r *rand.Rand, n int, text string) []string { return []string{text, sponsored[n%8]} }}, 0},
	{habit{"testimonial with its author, two blocks", func(r *rand.Rand, n int, text string) []string {
		return append([]string{text, "What our guests say"}, strings.Split(guests[r.IntN(12)], "|")...)
	}}, 19},
	{habit{"testimonial with its author, lines", func(r *rand.Rand, n int, text string) []string {
		return []string{text, strings.ReplaceAll(guests[r.IntN(12)], "|", "\n")}
	}}, 16},
	{habit{"testimonial with its author, lines below a heading", func(r *rand.Rand, n int, text string) []string {
		return []string{text, "What our guests say\n" + strings.ReplaceAll(guests[r.IntN(12)], "|", "\n")}
	}}, 10},
	{habit{"quote that a script draws", func(r *rand.Rand, n int, text string) []string { return []string{text, sayings[r.IntN(len(sayings))]} }}, 6},
	{habit{"quote below a heading", func(r *rand.Rand, n int, text string) []string {
		return []string{text, "Quote of the day\n" + sayings[r.IntN(len(sayings))]}
	}}, 6},
	{habit{"counter in a sentence", func(r *rand.Rand, n int, text string) []string {
		return []string{text + fmt.Sprintf(" %d people are looking at this ferry right now.", 2+r.IntN(40))}
	}}, 0},
	{habit{"counter in a sentence with words", func(r *rand.Rand, n int, text string) []string { return []string{text, watching(r)} }}, 14},
}

// The first showing of a variant is no news where the page has proved to vary, and beside an author's
// edit only the edit is marked: also if a block comes or goes beside a quote.
func TestFirstShowingsOfVariants(t *testing.T) {
	var edits []deed
	for _, d := range deeds {
		if slices.Contains([]string{"price", "negation", "price beside", "letter", "block less", "block more"}, d.name) {
			edits = append(edits, d)
		}
	}
	const sites, visits = 36, 20
	for _, h := range greets {
		told, marked, right := 0, 0, 0
		for seed := range sites {
			r := seeded(seed)
			for _, edit := range []bool{false, true} {
				s, n := newSite(t), 0
				text, fixed := written, beside
				for v := range visits {
					wasText, wasFixed := text, fixed
					edited := edit && v == 2+seed%(visits-4)
					if edited {
						text, fixed = edits[seed%len(edits)].do(text, fixed)
					}
					news := s.changes(func(int) []string {
						n++
						return append(h.show(r, n, text), fixed...)
					})
					if v > 1 && !edit && len(news) > 0 {
						told++
					}
					if !edited {
						continue
					}
					gone := append(without([]string{wasText}, []string{text}), without(wasFixed, fixed)...)
					came := append(without([]string{text}, []string{wasText}), without(fixed, wasFixed)...)
					all, theirs := 0, 0
					for _, x := range news {
						m, k := found([]newsItem{x}, gone, came)
						if theirs += k; k == 0 {
							m, _ = found([]newsItem{x}, []string{x.old}, []string{x.new})
						}
						all += m
					}
					if theirs == 0 {
						t.Errorf("%s: %s is missed at visit %d of page %d", h.name, edits[seed%len(edits)].name, v, seed)
					}
					marked, right = marked+all, right+theirs
				}
			}
		}
		of := sites * (visits - 2)
		t.Logf("%s: %d of %d visits are news; of %d words marked beside an edit, %d are of the edit", h.name, told, of, marked, right)
		if 1000*told > h.most*of || 100*right < 92*marked {
			t.Errorf("%s: more than there used to be", h.name)
		}
	}
}

// A server that lags behind shows the headline before at times: new headlines are news however often that
// happens, in a block, in the lines of one, and in blocks that come and go.
func TestHeadlinesOfServersThatLag(t *testing.T) {
	for name, show := range map[string]func(v int) []string{
		"a block":         func(v int) []string { return []string{titles[v], still} },
		"lines":           func(v int) []string { return []string{strings.Join(titles[v:v+3], "\n"), still} },
		"blocks":          func(v int) []string { return append([]string{"News of today"}, append(titles[v:v+3:v+3], still)...) },
		"below a heading": func(v int) []string { return []string{"News of today\n" + titles[v], still} },
	} {
		s, told := newSite(t), 0
		for v := range 27 {
			news := s.visit(func(i int) []string { return show(v - i%2*(v%3%2)) })
			if v > 0 && v%3 != 1 {
				told += min(1, news)
			}
		}
		if told != 17 {
			t.Errorf("%s: %d of 17 headlines are news", name, told)
		}
	}
}
