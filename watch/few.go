package watch

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/net/html/atom"
)

// few keeps the entries of a list that has too few for its class, if a heading such as "Latest" announces them, and
// returns their class; none if no heading does.
func (t *tree) few(l *list, classes []class) class {
	announced := map[int32]bool{} // by parent of the records
	on := make([]bool, len(l.records))
	best, n := none, 0
	for i, r := range l.records {
		if classes[i] < linking {
			continue
		}
		up := t.nodes[r.first].parent
		yes, known := announced[up]
		if !known {
			yes = announces(t.before(r.first))
			announced[up] = yes
		}
		if on[i] = yes; yes {
			n++
			if best == none || classes[i] < best {
				best = classes[i]
			}
		}
	}
	if n == 0 || n == 1 && t.nodes[l.records[slices.Index(on, true)].first].tag != atom.Li {
		return none
	}
	l.keep(func(i int) bool { return on[i] })
	l.few = true
	return best
}

// leastScheduled is the minimum number of rows of a schedule.
const leastScheduled = 3

// scheduled reports whether most entries of a list begin with a day of the week or have a line that is a time of day, as those of programmes
// and timetables.
func (l *list) scheduled() bool {
	return l.share(func(e *Entry) bool {
		first, _, _ := strings.Cut(e.lines[0], " ")
		return isWeekday(strings.TrimRight(first, ".,")) || slices.ContainsFunc(e.lines[:min(len(e.lines), maxExtra)], func(line string) bool {
			return count(line) <= maxClock && clock.MatchString(line)
		})
	}) > .5
}

// maxClock limits a line that is a time of day, or a period, in characters.
const maxClock = 15

// left returns the class of a list that was chosen before and has too few entries now, if all are articles or dated entries.
func (t *tree) left(l *list, g *region) class {
	if !l.known || g.chosen || t.feed || len(l.entries) == 0 {
		return none
	}
	least := article
	for i := range l.entries {
		least = min(least, t.classOf(l, i, false))
	}
	if least < dated {
		return none
	}
	return least
}

// feedClass keeps the entries of a list if it is that of the page of a feed: the articles of the main part. They are
// entries however few they are.
func (t *tree) feedClass(l *list) class {
	l.keep(func(i int) bool {
		n := &t.nodes[l.records[i].first]
		return n.tag == atom.Article && n.parent >= 0 && t.nodes[n.parent].tag == atom.Main
	})
	if len(l.entries) == 0 {
		return none
	}
	n := map[string]int{}
	for i := range l.records {
		n[t.ids[l.records[i].first]]++
	}
	for i := range l.entries {
		if id := t.ids[l.records[i].first]; id != "" && n[id] == 1 {
			e := &l.entries[i]
			e.id, e.extra = id, mix(e.extra, id)
		}
	}
	return article
}

// maxHeading limits a heading that announces a list, in characters.
const maxHeading = 40

// before returns the short text right before a record, or before the elements that begin with it.
func (t *tree) before(i int32) string {
	for range 4 {
		up := t.nodes[i].parent
		if up < 0 {
			return ""
		}
		last := int32(-1)
		for c := up + 1; c < i; c = t.nodes[c].end {
			last = c
		}
		if last >= 0 {
			if text := t.textOf(last); count(text) <= maxHeading && !t.menu(last) {
				return text
			}
			return ""
		}
		i = up
	}
	return ""
}

// menu reports whether a subtree has several links and hardly anything else.
func (t *tree) menu(i int32) bool {
	links := 0
	for c := i; c < t.nodes[i].end; c++ {
		if n := &t.nodes[c]; n.tag == atom.A && n.href != "" {
			links++
		}
	}
	return links > 1 && t.bar(i)
}

// announces reports whether a heading says that news follows: it begins or ends with such words.
func announces(heading string) bool {
	key := titleKey(heading)
	if key == "" {
		return false
	}
	for _, w := range announcing {
		if key == w || strings.HasPrefix(key, w+" ") || strings.HasSuffix(key, " "+w) {
			return true
		}
	}
	return slices.ContainsFunc(announcingParts, func(w string) bool { return strings.Contains(key, w) })
}

// announcing are words of headings above news.
var announcing = func() (all []string) {
	for w := range strings.SplitSeq(`news|latest|newest|recent|recently|what s new|whats new|updates|announcements|upcoming|events|headlines|press releases|notices|blog posts|recent posts|`+
		`aktuelles|aktuell|neues|neuigkeiten|nachrichten|neueste|mitteilungen|pressemitteilungen|bekanntmachungen|veranstaltungen|termine|`+
		`actualités|actualites|actus|dernières|dernieres|derniers|nouveautés|nouvelles|communiqués|événements|à la une|noticias|novedades|últimas|últimos|actualidad|avisos|eventos|`+
		`notizie|novità|ultime|ultimi|avvisi|eventi|notícias|novidades|destaques|nieuws|laatste|actueel|nyheter|nyheder|nyt|aktuellt|aktuelt|senaste|seneste|siste|uutiset|ajankohtaista|`+
		`aktualności|nowości|najnowsze|ogłoszenia|aktuality|novinky|oznámení|oznamy|hírek|știri|noutăți|vijesti|novosti|novice|obavijesti|uudised|naujienos|jaunumi|`+
		`νέα|ανακοινώσεις|haberler|duyurular|новости|последние|объявления|анонсы|новини|оголошення|новините|вести|أخبار|الأخبار|חדשות|tin tức|tin mới|berita|terbaru|समाचार`, "|") {
		all = append(all, titleKey(w))
	}
	return all
}()

// announcingParts are such words of languages that are written without blanks between words.
var announcingParts = []string{"新着", "最新", "ニュース", "お知らせ", "新闻", "新聞", "公告", "通知公告", "动态", "새소식", "공지", "뉴스", "소식", "ข่าว"}

// A Passed list is one whose new entries are not reported.
type Passed struct {
	Heading string   `json:"heading,omitempty"` // the short text before its first entry
	First   string   `json:"first"`             // title of the first entry
	Titles  []string `json:"titles"`            // of the first entries
	Entries int      `json:"entries"`
	Why     string   `json:"why"`

	// Block is the lineage of the smallest block around its entries: choosing it has them watched. 0: the page is not
	// archived, or only the whole page contains them all.
	Block int32 `json:"block,omitempty"`

	at record // its first entry
}

// maxTitles limits the entries that name a list.
const maxTitles = 3

// headingOf returns the heading of a list: the short text before its first entry, unless the entry begins with a heading.
func (t *tree) headingOf(l *list) string {
	if l.headed {
		return ""
	}
	return t.before(l.records[0].first)
}

// maxPassed limits the number of lists in Passed.
const maxPassed = 10

// passed returns the lists that a page has beside the chosen ones, those of boilerplate last, and the largest first.
func (t *tree) passed(chosen []*list, g *region) (out []Passed) {
	told, inside := map[string]bool{}, make([]bool, len(t.nodes))
	place := map[string]int{} // in out, by title of the first entry
	for _, l := range chosen {
		for i := range l.entries {
			told[l.entries[i].Title] = true
			for k := l.records[i].first; k < l.records[i].end; k++ {
				inside[k] = true
			}
		}
	}
	for _, l := range t.lists() {
		if t.fill(l); len(l.entries) == 0 || told[l.entries[0].Title] || inside[l.records[0].first] {
			continue
		}
		why := ""
		if linked := l.linked(); len(l.entries) >= least[linking] && linked*2 > len(l.entries) {
			why = t.why(l, g)
		}
		if why == "" {
			why = t.tooFew(l, g)
		}
		if why == "" {
			continue
		}
		p := Passed{Heading: t.headingOf(l), First: l.entries[0].Title, Entries: len(l.entries), Why: why, Block: t.around(l), at: l.records[0]}
		for i := range l.entries[:min(len(l.entries), maxTitles)] {
			p.Titles = append(p.Titles, l.entries[i].Title)
		}
		if at, known := place[p.First]; !known {
			place[p.First] = len(out)
			out = append(out, p)
		} else if p.Entries > out[at].Entries {
			out[at] = p
		}
	}
	all := slices.Clone(out)
	out = slices.DeleteFunc(out, func(p Passed) bool { // a part of the page around a list
		return p.Entries == 1 && slices.ContainsFunc(all, func(q Passed) bool { return q.Entries > 1 && p.at.first <= q.at.first && q.at.end <= p.at.end })
	})
	slices.SortStableFunc(out, func(a, b Passed) int {
		return cmp.Or(cmp.Compare(rank(a.Why), rank(b.Why)), cmp.Compare(b.Entries, a.Entries))
	})
	return out[:min(len(out), maxPassed)]
}

// rank puts lists of boilerplate after the others.
func rank(why string) int {
	if strings.HasPrefix(why, inLabel) {
		return 1
	}
	return 0
}

// linked returns how many titles are links.
func (l *list) linked() (n int) {
	for i := range l.entries {
		if l.entries[i].linked {
			n++
		}
	}
	return n
}

// tooFew keeps the entries of a list that would be items if there were more of them, and returns the reason why they are
// not, or the empty string.
func (t *tree) tooFew(l *list, g *region) string {
	best := none
	classes := make([]class, len(l.entries))
	for i := range l.entries {
		if classes[i] = t.classOf(l, i, true); !g.has(l.entries[i].Block) {
			classes[i] = none
		}
		best = max(best, classes[i])
	}
	if best >= row && len(l.entries) >= least[best] && l.distinct(keyOf) < .5 {
		return alikeTitles
	}
	if best < row || len(l.entries) > maxFew {
		return ""
	}
	out := 0
	for i := range l.entries {
		if e := &l.entries[i]; e.outer || t.boilerplate(e.Block) {
			out++
		}
	}
	l.keep(func(i int) bool { return classes[i] >= row })
	n := len(l.entries)
	switch {
	case n >= least[best]:
		return ""
	case out > 0 && n == 1: // as a link in a header
		return ""
	case out > 0:
		return t.why(l, g)
	case n == 1 && best < dated && t.nodes[l.records[0].first].tag != atom.Li:
		return ""
	case n == 1:
		return fmt.Sprintf("it is a single one, and %d %s make a list", least[best], best)
	}
	return fmt.Sprintf("they are only %d, and %d %s make a list", n, least[best], best)
}

// maxFew limits the entries of a list that has too few of them.
const maxFew = 8

// around returns the lineage of the smallest block that contains all entries of a list, without the whole page.
func (t *tree) around(l *list) int32 {
	at := l.entries[0].Block
	for i := range l.entries {
		in := map[int32]bool{}
		for b := l.entries[i].Block; b >= 0; b = t.blocks[b].Parent {
			in[b] = true
		}
		for at >= 0 && !in[at] {
			at = t.blocks[at].Parent
		}
	}
	if at < 0 || t.blocks[at].Parent < 0 {
		return 0
	}
	return t.blocks[at].Lineage
}
