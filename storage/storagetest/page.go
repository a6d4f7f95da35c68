package storagetest

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"plat/plat"
	"plat/storage"
)

// Page is a synthetic page with a history: sections of blocks such as a segmenter produces, a
// few of which change in every version. Equal seeds give equal histories.
type Page struct {
	URL string

	r        *rand.Rand
	taken    time.Time
	layout   plat.Layout
	sections [][]leaf
	lineages int32
	last     *plat.Version
	before   plat.Hash // layout of the last version
}

type leaf struct {
	lineage int32
	words   []string
	html    []byte
	label   plat.Label
	because string
	height  float32
	old     plat.Hash
}

// Slow is for servers that take milliseconds to read a version of dozens of blocks: pages have
// about ten blocks, and a third of hundreds of similar cases run. It has to be set before the
// first page is made.
var Slow bool

// NewPage returns a page of some dozens of blocks, of about ten with [Slow].
func NewPage(url string, seed uint64) *Page {
	p := &Page{URL: url, r: rand.New(rand.NewPCG(seed, 42)), taken: time.Date(2019, 3, 1, 8, 0, 0, 0, time.UTC).Add(time.Duration(seed%1000) * time.Minute)}
	sections, leaves := 3+p.r.IntN(4), 9
	if Slow {
		sections, leaves = 2+p.r.IntN(2), 3
	}
	for range sections {
		var sec []leaf
		for range 3 + p.r.IntN(leaves) {
			sec = append(sec, p.newLeaf())
		}
		p.sections = append(p.sections, sec)
	}
	p.newLayout()
	return p
}

var vocabulary = strings.Fields(`the of and a to in is you that it he was for on are as with his they at be this have from or one had by word but not
	what all were we when your can said there use an each which she do how their if will up other about out many then them these so some her would
	make like him into time has look two more write go see number no way could people my than first water been call who oil its now find long down
	day did get come made may part release version download security documentation community 新闻 档案 网页 存储 今日 北京 大学 版本 下载 Ärger naïve
	Москва новости ελληνικά été 🙂 &amp; &lt;b&gt;`)

var labels = []plat.Label{plat.LabelMain, plat.LabelHeading, plat.LabelNavigation, plat.LabelList, plat.LabelAdvertisement, plat.LabelFooter, plat.LabelOther}

func (p *Page) newLeaf() leaf {
	p.lineages++
	l := leaf{lineage: p.lineages, label: labels[p.r.IntN(len(labels))], height: float32(20+p.r.IntN(400)) + float32(p.r.IntN(64))/64}
	for range 5 + p.r.IntN(80) {
		// Common words are frequent, as in real text.
		l.words = append(l.words, vocabulary[min(p.r.IntN(len(vocabulary)), p.r.IntN(len(vocabulary)))])
	}
	l.render(p)
	return l
}

func (l *leaf) render(p *Page) {
	l.html = fmt.Appendf(nil, `<div class="block b-%d" data-kind="%s"><h3>%s</h3><p>%s</p></div>`,
		l.lineage, l.label, strings.Join(l.words[:2], " "), strings.Join(l.words, " "))
	l.because = fmt.Sprintf("links %.2f, words %d", float64(p.r.IntN(100))/100, len(l.words))
}

func (p *Page) newLayout() {
	html := []byte("<!DOCTYPE html><html><head><title>" + p.URL + "</title>")
	for range 20 {
		html = fmt.Appendf(html, "<meta name=%q content=%q>", vocabulary[p.r.IntN(40)], vocabulary[p.r.IntN(40)])
	}
	html = append(html, "</head><body>"...)
	p.layout = plat.Layout{}
	for i := range p.sections {
		html = fmt.Appendf(html, "<section id=s%d>", i)
		p.layout.Slots = append(p.layout.Slots, int32(len(html)))
		html = append(html, "</section>"...)
	}
	p.layout.HTML = append(html, "</body></html>"...)
}

// Next changes the page a little and returns the commit of its next version.
func (p *Page) Next() *storage.Commit {
	if p.last != nil {
		p.change()
	}
	return p.commit()
}

func (p *Page) change() {
	p.taken = p.taken.Add(time.Duration(1+p.r.IntN(100000)) * time.Second)
	for range 1 + p.r.IntN(3) {
		sec := &p.sections[p.r.IntN(len(p.sections))]
		i := 0
		if len(*sec) > 0 {
			i = p.r.IntN(len(*sec))
		}
		switch k := p.r.IntN(10); {
		case len(*sec) == 0 || k == 0:
			*sec = slices.Insert(*sec, i, p.newLeaf())
		case k == 1 && len(*sec) > 1: // pages have no empty slots
			*sec = slices.Delete(*sec, i, i+1)
		case k == 2:
			j := p.r.IntN(len(*sec))
			(*sec)[i], (*sec)[j] = (*sec)[j], (*sec)[i]
		case k == 3: // a block disappears and later returns
			l := &(*sec)[i]
			words := l.words
			l.words = slices.Concat(words[len(words)/2:], words[:len(words)/2])
			l.render(p)
		default:
			l := &(*sec)[i]
			l.words = slices.Clone(l.words)
			l.words[p.r.IntN(len(l.words))] = vocabulary[p.r.IntN(len(vocabulary))]
			l.height += float32(p.r.IntN(3)) * 18
			l.render(p)
		}
	}
	if p.r.IntN(20) == 0 {
		p.newLayout()
	}
}

func (p *Page) commit() *storage.Commit {
	n := 1
	if p.last != nil {
		n = p.last.N + 1
	}
	status := 200
	v := &plat.Version{
		URL: p.URL, N: n, Taken: p.taken, Layout: p.layout.Sum(), Level: 3, Profile: "visual",
		Coverage: 1 - float64(p.r.IntN(100))/1e4, Lineages: p.lineages,
		Capture: plat.Capture{
			FinalURL: p.URL, Status: status, ContentType: "text/html; charset=utf-8", Title: "Page " + p.URL, Language: "en", Browser: "HeadlessChrome/131.0",
			Width: 1366, Height: 768, WireBytes: int64(p.r.IntN(1 << 20)), Duration: time.Duration(p.r.IntN(5000)) * time.Millisecond,
			Settled: [...]plat.Settled{plat.SettledQuiet, plat.SettledStatic, plat.SettledLimit, ""}[p.r.IntN(4)],
			Header:  [][2]string{{"Content-Type", "text/html; charset=utf-8"}, {"Date", p.taken.Format(time.RFC1123)}, {"Server", "nginx"}},
		},
		Meta: map[string]string{"site": "test", "publisher": "测试"},
	}
	if n > 1 {
		v.Changes = map[plat.Kind]int{plat.Content: 1 + p.r.IntN(3)}
	}
	if n%3 > 0 { // with steps, with different ones, without
		v.Capture.Steps = plat.HashOf([]byte{byte(n % 3)})
	}
	if n%5 == 0 {
		v.Capture.Coarse = 600_000 + int64(n)
	}
	v.Article = p.article(n)
	if n%7 == 0 {
		v.Adjust = []plat.Adjust{{Path: []int32{0, 1, int32(n)}, Split: true}, {Path: []int32{0}}}
	}
	pageBytes := len(p.layout.HTML)
	y := float32(0)
	v.Blocks = append(v.Blocks, plat.Block{Path: nil, Run: 1, Parent: -1, Rule: plat.RuleRoot, Tag: "html", Slot: -1, Lineage: 0})
	for i := range p.sections {
		parent := int32(len(v.Blocks))
		top := y
		v.Blocks = append(v.Blocks, plat.Block{Path: []int32{0, 1, int32(i)}, Run: 1, Parent: 0, Level: 1, Rule: 3, Tag: "section", Slot: -1})
		for j := range p.sections[i] {
			l := &p.sections[i][j]
			h := plat.HashOf(l.html)
			if n%2 == 0 && l.old != h && len(v.SelfChanges) < 2 {
				v.SelfChanges = append(v.SelfChanges, plat.SelfChange{Lineage: l.lineage, Kind: plat.Content, Why: "learned"})
				if len(v.SelfChanges) == 2 {
					v.SelfChanges[1] = plat.SelfChange{Lineage: l.lineage, Kind: plat.Same, Why: "two-look", New: []plat.Range{{From: n, To: n + 4}}}
				}
			}
			base := l.old
			if n == 1 {
				base = plat.Hash{}
			}
			b := plat.Block{
				Path: []int32{0, 1, int32(i), int32(j)}, Run: 1, Parent: parent, Level: 2, Rule: plat.Rule(1 + l.lineage%11), Tag: "div",
				Box: plat.Rect{X: 8, Y: y, W: 1350, H: l.height}, Slot: int32(i), Pos: int32(j), Hash: h, Content: l.html,
				TextLen: int32(len(l.words) * 5), LinkShare: float32(l.lineage%7) / 7, ImageShare: 0.1, Background: plat.RGBA(255, 255, 255, 255),
				Color: plat.RGBA(0, 0, uint8(l.lineage), 255), FontSize: 13.3333, Topic: strings.Join(l.words[:min(4, len(l.words))], " "),
				Label: l.label, Confidence: 0.75, Explanation: l.because, Lineage: l.lineage, Base: base,
			}
			switch {
			case n == 1 || l.old == h:
			case l.old.IsZero():
				b.Change = plat.Added
			default:
				b.Change = []plat.Kind{plat.Content, plat.Link, plat.Image}[l.lineage%3]
			}
			b.Role, b.Holds = b.Implied()
			switch l.lineage % 4 {
			case 1:
				b.Role, b.Holds = plat.RoleNavigation, plat.HoldsList
			case 2:
				b.Holds = cmp.Or(b.Holds, plat.HoldsForm)
			}
			if l.lineage%5 == 0 {
				b.Hidden = []int32{0, 2, 3}
				b.Lead = "\n  "
				b.Box.Y += 0.1 // off the grid of layout units
			}
			v.Blocks = append(v.Blocks, b)
			y += l.height
			pageBytes += len(l.html)
			l.old = h
		}
		v.Blocks[parent].Box = plat.Rect{Y: top, W: 1366, H: y - top}
	}
	v.Blocks[0].Box = plat.Rect{W: 1366, H: y}
	slices.SortFunc(v.SelfChanges, func(a, b plat.SelfChange) int { return cmp.Compare(a.Lineage, b.Lineage) })
	v.Capture.PageBytes = int64(pageBytes)
	c := &storage.Commit{
		Version: v, Layout: p.layout, LayoutBase: p.before,
		Visit: plat.Visit{URL: p.URL, Time: p.taken, Outcome: plat.OutcomeChanged, Version: n, Status: status, Duration: v.Capture.Duration, Bytes: v.Capture.WireBytes},
	}
	if n == 1 {
		c.Visit.Outcome = plat.OutcomeNew
	}
	p.last, p.before = v, v.Layout
	return c
}

// article returns the article of version n: nil, the previous one, or the previous one with a
// different text.
func (p *Page) article(n int) *plat.Article {
	if n%6 == 1 {
		return nil // as in formats without articles
	}
	at := n / 3 * 3
	a := &plat.Article{Title: "Page", Date: "2019-03-01", Sum: uint32(at) * 0x9e3779b1}
	if at%2 == 1 {
		a.Kind, a.Authors = plat.KindArticle, []string{"Ann Rivers", "李明"}
	}
	if at%4 == 2 {
		a.Kind = plat.KindReference
		return a
	}
	for i := range at % 5 {
		a.Text = append(a.Text,
			plat.Passage{Before: plat.Gap(i % plat.Gaps), First: int32(i), Last: int32(i + at%3), From: 10 * i, To: 10*i + at, Line: plat.EmptyLine},
			plat.Passage{Before: plat.Blank, First: plat.Literally, Last: plat.Literally, Literal: "which no block has"},
			plat.Passage{Before: plat.EmptyLine, First: int32(i + 1), Last: int32(i + 1), From: i, To: i + at, Verbatim: true},
			plat.Passage{Before: plat.NewLine, First: plat.OfLayout, Last: plat.OfLayout, From: 3 * i, To: 1000 - i, Line: plat.NewLine})
	}
	return a
}

// Add appends a block with the given content to the first section of the next
// version.
func (p *Page) Add(content []byte, topic string, label plat.Label) {
	p.lineages++
	p.sections[0] = append(p.sections[0], leaf{lineage: p.lineages, words: []string{topic, ""}, html: content, label: label, height: 100})
}
