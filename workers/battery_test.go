//go:build !race

package workers_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
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
	"clock, ISO":            func(m moment) string { return m.at.UTC().Format("<p>Server time: 2006-01-02T15:04:05Z</p>") },
	"clock, by script": func(m moment) string {
		return `<p>Now: <b id="now"></b></p><script>const f = () => { now.textContent = new Date().toISOString() }; f(); setInterval(f, 1000)</script>`
	},
	"clock, 12 hours": func(m moment) string { return m.at.Format("<p>Local time 3:04:05 PM</p>") },
	"date and time":   func(m moment) string { return m.at.Format("<p>Printed on 2 January 2006 at 15:04:05</p>") },
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
