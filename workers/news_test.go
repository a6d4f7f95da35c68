//go:build !race

// With a browser, one visit follows another: the race detector has nothing to find here, and need not
// build the browser.

package workers_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"plat/diff"
	"plat/diff/noise"
	"plat/fixtures"
	"plat/plat"
	"plat/segment/markup"
	"plat/storage/history"
	"plat/storage/sqlite"
	"plat/storage/sqlite/sqlitetest"
	"plat/workers"
)

// A moment is one request for a page of the battery.
type moment struct {
	n  int // requests so far
	r  *rand.Rand
	at time.Time
}

func (m moment) pick(from []string) string { return from[m.r.IntN(len(from))] }

// some are n of a list, in its order.
func (m moment) some(n int, of []string) []string {
	chosen := map[int]bool{}
	for _, i := range m.r.Perm(len(of))[:n] {
		chosen[i] = true
	}
	var all []string
	for i, s := range of {
		if chosen[i] {
			all = append(all, s)
		}
	}
	return all
}

func (m moment) shuffled(of []string) []string {
	var all []string
	for _, i := range m.r.Perm(len(of)) {
		all = append(all, of[i])
	}
	return all
}

func list(items []string) string {
	return "<ul><li>" + strings.Join(items, "</li><li>") + "</li></ul>"
}

var (
	quotes = []string{"To be or not to be, that is the question.", "Brevity is the soul of wit, they say.", "All the world is a stage for us.",
		"Some rise by sin, and some by virtue fall.", "The course of true love never did run smooth.", "What is past is prologue, so read on.",
		"We know what we are, but know not what we may be.", "Though this be madness, yet there is method in it."}
	stories = []string{"North pier closes for the winter", "Ferry line to the islands resumes", "Harbour master retires after forty years", "New crane arrives from Rotterdam",
		"Fish prices fall for a third week", "School wins the regatta again", "Storm damages the old lighthouse", "Council votes on the quay road",
		"Museum shows maps of the coast", "Choir sings in the customs hall", "Sailmakers look for apprentices", "Tide tables for spring are out"}
	cities = []string{"Oslo", "Lima", "Hanoi", "Perth", "Turin", "Accra", "Quito", "Malmö"}
)

// noises are self-changes of pages.
var noises = map[string]func(m moment) string{
	"view counter":          func(m moment) string { return fmt.Sprintf("<p>%d views</p>", 14000+m.n) },
	"view counter, grouped": func(m moment) string { return fmt.Sprintf("<p>Seen 14,%03d times so far</p>", m.n) },
	"clock":                 func(m moment) string { return m.at.Format("<p>It is 15:04:05 now</p>") },
	"clock, 12 hours":       func(m moment) string { return m.at.Format("<p>Local time 3:04:05 PM</p>") },
	"date and time":         func(m moment) string { return m.at.Format("<p>Printed on 2 January 2006 at 15:04:05</p>") },
	"age": func(m moment) string {
		return fmt.Sprintf("<p>Posted %d seconds ago by the editor</p>", 100+int(m.at.Sub(battery)/time.Second))
	},
	"alter": func(m moment) string {
		return fmt.Sprintf("<p>vor %d Sekunden</p>", 100+int(m.at.Sub(battery)/time.Second))
	},
	"countdown": func(m moment) string { return "<p>Sale ends in " + left(90*time.Minute-m.at.Sub(battery)) + "</p>" },
	"generated in": func(m moment) string {
		return fmt.Sprintf("<p>Page generated in 0.%03d seconds</p>", 100+m.r.IntN(800))
	},
	"queries": func(m moment) string {
		return fmt.Sprintf("<p>%d queries, %d kB of memory</p>", 20+m.r.IntN(60), 4000+m.r.IntN(900))
	},
	"visitors": func(m moment) string { return fmt.Sprintf("<p>%d visitors are online</p>", 100+m.r.IntN(900)) },
	"members, guests": func(m moment) string {
		return fmt.Sprintf("<p>%d members and %d guests</p>", 10+m.r.IntN(90), 100+m.r.IntN(900))
	},
	"quote":    func(m moment) string { return "<blockquote>" + m.pick(quotes) + "</blockquote>" },
	"tip":      func(m moment) string { return "<aside><h3>Tip of the day</h3><p>" + m.pick(quotes) + "</p></aside>" },
	"trending": func(m moment) string { return "<aside><h3>Trending</h3>" + list(m.some(4, stories)) + "</aside>" },
	"related":  func(m moment) string { return "<aside><h3>Read also</h3>" + list(m.shuffled(stories)[:3]) + "</aside>" },
	"shuffled": func(m moment) string { return "<section><h3>Partners</h3>" + list(m.shuffled(cities)) + "</section>" },
	"variants": func(m moment) string {
		if m.n%2 == 0 {
			return "<p>Join our newsletter for free, every week</p>"
		}
		return "<p>Get all stories by mail, no charge</p>"
	},
	"likes":   func(m moment) string { return fmt.Sprintf("<p>%d likes, %d shares</p>", 500+2*m.n, 80+m.n) },
	"ticker":  func(m moment) string { return fmt.Sprintf("<p>Gold %d.%02d ▲</p>", 1900+m.r.IntN(50), m.r.IntN(100)) },
	"weather": func(m moment) string { return fmt.Sprintf("<p>Wind %d.%d m/s</p>", 2+m.r.IntN(9), m.r.IntN(10)) },
	"request": func(m moment) string { return fmt.Sprintf("<p>Request %08x-%04x</p>", m.r.Uint32(), m.r.IntN(1<<16)) },
	"server":  func(m moment) string { return fmt.Sprintf("<p>Served by web-%02d</p>", m.r.IntN(100)) },
	"captcha": func(m moment) string {
		return fmt.Sprintf("<p>How much is %d + %d?</p>", 10+m.r.IntN(90), 10+m.r.IntN(90))
	},
	"uptime":       func(m moment) string { return "<p>Up for " + left(100*time.Hour+m.at.Sub(battery)) + "</p>" },
	"load":         func(m moment) string { return fmt.Sprintf("<p>Load %d.%02d</p>", m.r.IntN(9), m.r.IntN(100)) },
	"pages viewed": func(m moment) string { return fmt.Sprintf("<p>You have read %d pages today</p>", m.n+3) },
	"last visitor": func(m moment) string {
		return fmt.Sprintf("<p>Last guest: number %d from %s</p>", m.r.IntN(1000), m.pick(cities))
	},
	"poll": func(m moment) string {
		a := 20 + m.r.IntN(60)
		return fmt.Sprintf("<p>Yes %d %%, no %d %%</p>", a, 100-a)
	},
	"sponsor":        func(m moment) string { return m.pick([]string{"", "<p>Brought to you by the rope makers</p>"}) + "" },
	"counter in all": func(m moment) string { return fmt.Sprintf("<p>%d</p>", 99000+m.n*7) },
	"id and class": func(m moment) string {
		return fmt.Sprintf(`<p id="p%d" class="c-%06x">Same words</p>`, m.r.IntN(1e6), m.r.IntN(1<<24))
	},
	"several": func(m moment) string {
		return fmt.Sprintf("<p>%d views · %s · served by web-%02d</p>", 14000+m.n, m.at.Format("15:04:05"), m.r.IntN(100))
	},
	"table": func(m moment) string {
		return fmt.Sprintf("<table><tr><th>Berth</th><th>Boats</th></tr><tr><td>North</td><td>%d</td></tr><tr><td>South</td><td>%d</td></tr></table>", 10+m.r.IntN(90), 10+m.r.IntN(90))
	},
	"times": func(m moment) string { return m.at.Format("<p>现在时间 15时04分05秒</p>") },
	"greeting": func(m moment) string {
		return "<p>" + m.pick([]string{"Welcome", "Hello there", "Nice to see you", "Ahoy", "Good to have you", "Come in"}) + ", stranger</p>"
	},
	"gallery": func(m moment) string { return "<section>" + list(m.shuffled(quotes)[:2]) + "</section>" },
	"testimonials": func(m moment) string {
		return "<section><h3>Readers say</h3><p>" + m.pick(quotes) + "</p><p>" + m.pick(quotes) + "</p></section>"
	},
	"ping":  func(m moment) string { return fmt.Sprintf("<footer><p>Ping %d ms</p></footer>", 10+m.r.IntN(190)) },
	"build": func(m moment) string { return fmt.Sprintf("<footer><p>Build %07x</p></footer>", m.r.IntN(1<<28)) },
}

// truths are small changes by an author: before, after.
var truths = map[string][2]string{
	"digit of a price":  {"<p>Ticket 14.50 € a person</p>", "<p>Ticket 14.80 € a person</p>"},
	"negation":          {"<p>Dogs are allowed on board.</p>", "<p>Dogs are not allowed on board.</p>"},
	"date moved":        {"<p>The ferry leaves on 4 March 2031.</p>", "<p>The ferry leaves on 5 March 2031.</p>"},
	"time moved":        {"<p>Doors open at 19:00.</p>", "<p>Doors open at 19:30.</p>"},
	"letter":            {"<p>Captain Meyer steers.</p>", "<p>Captain Mayer steers.</p>"},
	"stock":             {"<p>In stock: 1</p>", "<p>In stock: 0</p>"},
	"sold out":          {"<p>12 cabins left</p>", "<p>Sold out</p>"},
	"link's target":     {`<p><a href="/timetable">Timetable</a></p>`, `<p><a href="/other">Timetable</a></p>`},
	"sentence added":    {"<p>We sail at dawn.</p>", "<p>We sail at dawn. Bring warm clothes.</p>"},
	"sentence removed":  {"<p>We sail at dawn. Bring warm clothes.</p>", "<p>We sail at dawn.</p>"},
	"item added":        {list(cities[:3]), list(cities[:4])},
	"item removed":      {list(cities[:4]), list(cities[:3])},
	"phone":             {"<p>Call 030 555 1234</p>", "<p>Call 030 555 1235</p>"},
	"score":             {"<p>Harbour 2 : 1 Town</p>", "<p>Harbour 2 : 2 Town</p>"},
	"version":           {"<p>Release 2.4.1 is out</p>", "<p>Release 2.4.2 is out</p>"},
	"name in a heading": {"<h2>Anna Berg elected</h2>", "<h2>Anna Borg elected</h2>"},
	"cell of a table":   {"<table><tr><td>Adults</td><td>12</td></tr></table>", "<table><tr><td>Adults</td><td>13</td></tr></table>"},
	"deadline":          {"<p>Apply until 1 May 2031</p>", "<p>Apply until 15 May 2031</p>"},
	"percentage":        {"<p>Interest is 3.5 % a year</p>", "<p>Interest is 3.6 % a year</p>"},
	"whole paragraph":   {"<p>The old menu has soup.</p>", "<p>Today there is grilled fish with salad.</p>"},
}

// other is PLAT_SEED, 0 by default: with each seed pages show different random parts, and a change is
// beside different noise.
var other = func() int { n, _ := strconv.Atoi(os.Getenv("PLAT_SEED")); return n }()

// battery is the time at which the tests begin: ages and countdowns of pages count from it.
var battery = time.Now().Truncate(time.Second)

func left(d time.Duration) string {
	s := int(d / time.Second)
	return fmt.Sprintf("%02d:%02d:%02d", s/3600, s/60%60, s%60)
}

// A notice is one page: noise, and a part that an author changes.
type notice struct {
	*httptest.Server
	mu    sync.Mutex
	n     int
	seed  uint64
	noise func(m moment) string // may be nil
	part  string
	same  bool // the part is in the same element as the noise

	served []string // pages
}

func (p *notice) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/" {
		http.NotFound(w, r)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.n++
	m := moment{p.n, rand.New(rand.NewPCG(p.seed, uint64(p.n))), time.Now()}
	noise := p.noise(m)
	beside := ""
	if p.same {
		noise, beside = "<div>"+strings.ReplaceAll(noise, "<p>", "<p>"+strings.TrimSuffix(strings.TrimPrefix(p.part, "<p>"), "</p>")+" "), "</div>"
	} else {
		beside = "<section>" + p.part + "</section>"
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	page := fmt.Sprintf(`<!DOCTYPE html><html lang="en"><title>Harbour notice</title><body>
<header><h1>The harbour notice</h1><nav><a href="/a">Ships</a> <a href="/b">Quays</a> <a href="/c">Tides</a></nav></header>
<main><p>The harbour lies behind two moles that were built when the town still lived on herring, and every boat that comes in passes between them.</p>
%s
<p>At night a lamp burns on the northern one, and the pilots say that they find it by its colour alone in any weather but fog.</p>%s</main>
<footer><p>Written by the people of the harbour.</p></footer></body></html>`, noise, beside)
	p.served = append(p.served, page)
	w.Write([]byte(page))
}

// looker visits a page of the battery.
type looker struct {
	*workers.Worker
	t     *testing.T
	page  *notice
	store *sqlite.Store

	seen   string          // text of the page at the visit before
	lines  map[string]bool // that it had at any visit
	others others          // reports of simpler monitors
}

// others has the reports of simpler monitors: of those that compare a hash of the text, or of the
// text without digits, and of changedetection.io, which compares a hash of the text's lines
// without white space, and shows the lines that differ; with its option "only trigger when
// unique lines appear" it reports only lines that it has never seen (its
// processors/text_json_diff/processor.py).
type others struct {
	text, noDigits, lines, unique bool
	shown                         []string // the other lines
}

var digits = regexp.MustCompile(`[0-9]+`)

func (l *looker) compare(text string) (o others) {
	old, new := strings.Split(l.seen, "\n"), strings.Split(text, "\n")
	o.text = l.seen != text
	o.noDigits = digits.ReplaceAllString(l.seen, "") != digits.ReplaceAllString(text, "")
	o.lines = strings.Join(strings.Fields(l.seen), "") != strings.Join(strings.Fields(text), "")
	i, j := 0, 0
	for _, r := range append(diff.LCS(old, new), diff.Run{A: len(old), B: len(new)}) {
		o.shown = append(append(o.shown, old[i:r.A]...), new[j:r.B]...)
		i, j = r.A+r.N, r.B+r.N
	}
	for _, s := range new {
		o.unique = o.unique || o.lines && !l.lines[s]
		l.lines[s] = true
	}
	return o
}

func newLooker(t *testing.T, how noise.When, p *notice) *looker {
	return newLookerWith(t, workers.Options{News: workers.News{SecondLook: how}}, p)
}

func newLookerWith(t *testing.T, o workers.Options, p *notice) *looker {
	t.Helper()
	pool := thePool(t)
	store := sqlitetest.Open(t)
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	return &looker{Worker: workers.New(chrome{pool}, store, describer(t), o), t: t, page: p, store: store, lines: map[string]bool{}}
}

// visit returns the news of a visit.
func (l *looker) visit() (news string, r workers.Report) {
	l.t.Helper()
	l.page.mu.Lock()
	before := len(l.page.served)
	l.page.mu.Unlock()
	r, err := l.Visit(l.t.Context(), plat.Job{URL: l.page.URL + "/"})
	if err != nil {
		l.t.Fatal(err)
	}
	l.page.mu.Lock()
	text := markup.Text([]byte(l.page.served[before]), nil)
	l.page.mu.Unlock()
	l.others, l.seen = l.compare(text), text
	var all []string
	for _, k := range []plat.Kind{plat.Added, plat.Removed, plat.Content, plat.Format} {
		if n := r.Changes[k]; n > 0 {
			all = append(all, fmt.Sprint(n, " ", k))
		}
	}
	return strings.Join(all, ", "), r
}

// marks compares the last version with its predecessor. It returns the number of words that are
// marked as news, and the number of those that an author has written or removed; then the same for
// the lines that changedetection.io shows.
func (l *looker) marks(n int, was, is string) (marked, right, byLine, rightByLine int) {
	l.t.Helper()
	c, err := history.Between(l.t.Context(), l.store, l.page.URL+"/", n-1, n)
	if err != nil {
		l.t.Fatal(err)
	}
	theirs := map[string]bool{} // the page may have the part twice
	for _, s := range diff.Words(markup.Text([]byte(was), nil), markup.Text([]byte(is), nil)) {
		for _, w := range tokens(s.Text) {
			theirs[s.Op.String()+" "+w] = true
		}
	}
	for _, s := range l.others.shown {
		for _, w := range tokens(s) {
			if byLine++; theirs["delete "+w] || theirs["insert "+w] {
				rightByLine++
			}
		}
	}
	for _, ch := range c.Info().Changes {
		if os.Getenv("PLAT_VERBOSE") != "" {
			l.t.Logf("%s #%d by itself %q: %+v", ch.Kind, ch.Lineage, ch.SelfChange, ch.Words)
		}
		if ch.SelfChange != "" || !ch.Kind.News() {
			continue
		}
		for _, s := range ch.Words {
			if s.Op == "equal" || s.SelfChange {
				continue
			}
			for _, w := range tokens(s.Text) {
				if marked++; theirs[s.Op+" "+w] {
					right++
				} else {
					l.t.Logf("marked, and not theirs: %s %q", s.Op, w)
				}
			}
		}
	}
	return marked, right, byLine, rightByLine
}

// tokens are the words of a text, and its marks.
func tokens(s string) (all []string) {
	for _, w := range diff.Split(s) {
		all = append(all, s[w[0]:w[1]])
	}
	return all
}

// hard are noises that are counted as news now and then: docs/noise.md says so.
var hard = map[string]bool{"testimonials": true} // some of many, by their lengths in one block or in several

// Self-changes are no news, neither at first nor later.
func TestWhatPagesDoByThemselvesIsNoNews(t *testing.T) {
	visits := 3 + 4/fixtures.OneIn(4) // 7 of all pages with PLAT_LONG=1
	slow(t)
	var mu sync.Mutex
	var second, later, ofHard, looks, versions, all int
	var text, noDigits, lines, unique [2]int // reports of simpler monitors: at the second visit, later
	t.Run("pages", func(t *testing.T) {
		for i, name := range slices.Sorted(maps.Keys(noises)) {
			if i%fixtures.OneIn(9) != 0 {
				continue
			}
			make := noises[name]
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				l := newLooker(t, noise.New, &notice{seed: uint64(len(name) + 1000*other), noise: make, part: "<p>Nothing else changes.</p>"})
				l.visit()
				for n := 2; n <= visits; n++ {
					time.Sleep(time.Second)
					news, r := l.visit()
					mu.Lock()
					if news != "" && n == 2 {
						second++
						t.Logf("%s, visit 2: %s", name, news)
					} else if news != "" {
						if hard[name] {
							ofHard++
						} else {
							later++
						}
						t.Logf("%s, visit %d: %s; by itself %v, %d more looks", name, n, news, r.SelfChanges, r.Looks)
					}
					for of, reports := range map[*[2]int]bool{&text: l.others.text, &noDigits: l.others.noDigits, &lines: l.others.lines, &unique: l.others.unique} {
						if reports {
							of[min(n-2, 1)]++
						}
					}
					looks += r.Looks
					if r.Stored {
						versions++
					}
					if n == 2 {
						all++
					}
					mu.Unlock()
				}
			})
		}
	})
	t.Logf("%d pages, %d visits each after the first: false alarms at the second %d, later %d, and %d of the kind that docs/noise.md names; %d second looks, %d versions", all, visits-1, second, later, ofHard, looks, versions)
	t.Logf("on the same visits a hash of the text reports %d at the second and %d later, one of the text without digits %d and %d", text[0], text[1], noDigits[0], noDigits[1])
	t.Logf("changedetection.io's way reports %d and %d, and %d and %d if only lines count that it has never seen", lines[0], lines[1], unique[0], unique[1])
	if second > max(1, 3*all/100) || later > 0 {
		t.Errorf("%d false alarms at the second visit, %d later", second, later)
	}
}

// The mask of a URL may be damaged, or of a different version of plat: it is learned again
// from the versions, and changes by an author are news meanwhile.
func TestWhatWasLearnedIsDamaged(t *testing.T) {
	slow(t)
	for name, damage := range map[string]func(string) string{
		"no mask":       func(string) string { return "no mask" },
		"a format once": func(s string) string { return "\x01" + s[1:] },
		"half":          func(s string) string { return s[:len(s)-3] },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLooker(t, noise.New, &notice{seed: 3, noise: noises["view counter"], part: truths["stock"][0]})
			for range 3 {
				l.visit()
			}
			state, err := l.store.State(t.Context(), l.page.URL+"/")
			if err != nil {
				t.Fatal(err)
			}
			memory, err := plat.DecodeMemory(state.Memory)
			if err != nil || memory.Noise == "" {
				t.Fatalf("nothing was learned: %v", err)
			}
			memory.Noise = damage(memory.Noise)
			if _, err := noise.DecodeMask(memory.Noise); err == nil {
				t.Fatal("it is not damaged")
			}
			v := plat.Visit{URL: state.URL, Time: time.Now(), Outcome: plat.OutcomeUnchanged, Version: state.Head, Memory: memory.Encode()}
			if err := l.store.Record(t.Context(), v, 0); err != nil {
				t.Fatal(err)
			}
			time.Sleep(10 * time.Millisecond) // visits of one instant are one
			if news, r := l.visit(); news != "" || r.Looks != 0 {
				t.Errorf("%s is news after %d second looks: nothing was learned anew", news, r.Looks)
			}
			l.page.mu.Lock()
			l.page.part = truths["stock"][1]
			l.page.mu.Unlock()
			if news, r := l.visit(); news != "1 content" {
				t.Errorf("stock 1 → 0: %q is news, %+v", news, r)
			}
		})
	}
}

// Versions of proven self-changes are stored only with the option KeepNoise, and they are no
// news.
func TestNoiseIsKeptIfAskedFor(t *testing.T) {
	slow(t)
	for keep, stored := range map[bool]int{false: 3, true: 4} {
		l := newLookerWith(t, workers.Options{News: workers.News{SecondLook: noise.New, KeepNoise: keep}}, &notice{seed: 3, noise: noises["view counter"], part: truths["stock"][0]})
		for range 4 {
			if news, r := l.visit(); news != "" && r.Version > 1 {
				t.Errorf("keep %v: %s is news", keep, news)
			}
		}
		v, err := l.store.Version(t.Context(), l.page.URL+"/", 0)
		if err != nil || v.N != stored {
			t.Fatalf("keep %v: %d versions, want %d: %v", keep, v.N, stored, err)
		}
		if keep && (v.News() || plat.SuppressedKinds(v.SelfChanges)[plat.Content] != 1) {
			t.Errorf("changes %v, by itself %+v", v.Changes, v.SelfChanges)
		}
		l.page.mu.Lock()
		l.page.part = truths["stock"][1]
		l.page.mu.Unlock()
		if news, _ := l.visit(); news != "1 content" {
			t.Errorf("keep %v: %q is news", keep, news)
		}
	}
}

// leastTheirs is the least percentage of the words marked beside a true change that are a part of
// it, in any order in which the pages show their variants and quotes.
const leastTheirs = 90

// Changes by an author are news, beside noise of all kinds, at once and after some visits.
func TestWhatSomebodyChangesIsNewsBesideNoise(t *testing.T) {
	slow(t)
	var mu sync.Mutex
	missed, all := 0, 0
	var text, noDigits, lines, unique int // changes that simpler monitors miss
	var marked, right int                 // words
	var byLine, rightByLine int           // words of the lines that changedetection.io shows
	kinds := slices.Sorted(maps.Keys(noises))
	t.Run("pages", func(t *testing.T) {
		i := 11 * other
		for n, name := range slices.Sorted(maps.Keys(truths)) {
			c := truths[name]
			i++
			if (n+1)%fixtures.OneIn(9) != 0 {
				continue
			}
			for k := range 4 {
				learned, same := 3*(k%2), k >= 2 && strings.HasPrefix(c[0], "<p>")
				beside := kinds[(7*i+3*k)%len(kinds)]
				for same && !strings.Contains(noises[beside](moment{r: rand.New(rand.NewPCG(1, 2)), at: battery}), "<p>") {
					i++
					beside = kinds[(7*i+3*k)%len(kinds)]
				}
				t.Run(fmt.Sprintf("%s with %s after %d, same block %v", name, beside, learned, same), func(t *testing.T) {
					t.Parallel()
					p := &notice{seed: uint64(i + 1000*other), noise: noises[beside], part: c[0], same: same}
					l := newLooker(t, noise.New, p)
					l.visit()
					for range learned {
						time.Sleep(300 * time.Millisecond)
						l.visit()
					}
					p.mu.Lock()
					p.part = c[1]
					p.mu.Unlock()
					time.Sleep(300 * time.Millisecond)
					news, r := l.visit()
					mu.Lock()
					defer mu.Unlock()
					for of, reports := range map[*int]bool{&text: l.others.text, &noDigits: l.others.noDigits, &lines: l.others.lines, &unique: l.others.unique} {
						if !reports {
							*of++
						}
					}
					if all++; news == "" || !r.Stored {
						missed++
						t.Errorf("missed: %+v", r)
						return
					}
					m, n, k, o := l.marks(r.Version, c[0], c[1])
					marked, right, byLine, rightByLine = marked+m, right+n, byLine+k, rightByLine+o
				})
			}
		}
	})
	t.Logf("%d true changes, %d missed; a hash of the text misses %d, one without digits %d, changedetection.io's way %d, and %d if only lines count that it has never seen", all, missed, text, noDigits, lines, unique)
	t.Logf("%d words are marked, and %d of these are theirs (%.1f %%)", marked, right, 100*float64(right)/float64(max(1, marked)))
	t.Logf("of %d words in the lines that changedetection.io shows %d are theirs (%.1f %%)", byLine, rightByLine, 100*float64(rightByLine)/float64(max(1, byLine)))
	if 100*right < leastTheirs*marked {
		t.Errorf("%d of %d words that are marked are theirs", right, marked)
	}
}

// However often a page is rendered, each version has one picture at most, and every stored picture
// belongs to a version.
func TestAVersionHasOnePictureAtMost(t *testing.T) {
	l := newLookerWith(t, workers.Options{News: workers.News{SecondLook: noise.Always}, Capture: workers.Capture{Pictures: true}}, &notice{seed: 5, noise: noises["view counter"], part: truths["stock"][0]})
	looks := 0
	for range 4 {
		_, r := l.visit()
		looks += r.Looks
	}
	got, err := l.store.Verify(t.Context(), nil)
	if err != nil || looks == 0 || got.Pictures == 0 || got.Pictures > got.Versions || got.Unreferenced > 0 || got.BrokenTotal > 0 {
		t.Errorf("after %d more looks: %+v, %v; want one picture a version at most, and no other", looks, got, err)
	}
}
