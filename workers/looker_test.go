//go:build !race

package workers_test

import (
	"fmt"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	"plat/diff"
	"plat/diff/noise"
	"plat/plat"
	"plat/segment/markup"
	"plat/storage/history"
	"plat/storage/sqlite"
	"plat/storage/sqlite/sqlitetest"
	"plat/workers"
)

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
