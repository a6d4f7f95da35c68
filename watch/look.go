package watch

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"plat/plat"
	"plat/plat/calendar"
	"plat/plat/weburl"
)

// Page is a version of a page.
type Page struct {
	URL    string
	Base   *weburl.Base // of its links, see [plat.Version.Base]; nil: URL, in UTF-8
	Layout *plat.Layout
	Blocks []plat.Block // of the version, leaves with their Content and Text
	Day    calendar.Day // of the visit, in UTC; zero: unknown

	// Before returns the text of the previously checked version, or nil if it is unknown. Look
	// calls it where a list appears in a new shape: a new design does not make old entries new.
	Before func() (string, error)
}

// Options restrict the examined part of a page. The zero value selects the whole page.
type Options struct {
	Blocks []int32      // lineages: only these blocks; without a list in them, all text that is added to them
	Muted  []int32      // lineages: nothing in these blocks
	Labels []plat.Label // only blocks with one of these labels
	Text   bool         // report added text beside the entries of lists
	Method Method
}

// Method selects how new entries are distinguished from old ones. All methods but the first
// serve as baselines for measurements.
type Method uint8

// The methods.
const (
	Full     Method = iota // entries that were never seen, in lists that history confirms
	NoVote                 // entries that were never seen
	Improved               // entries that a longest common subsequence inserts and the previous check did not have
	Plain                  // entries that a longest common subsequence inserts
)

// List is a list that was found.
type List struct {
	Kind    string // of its entries: "articles", "dated entries", "links", "rows", "sections", "terms", "entries", "texts"
	Heading string // the short text before its first entry; only [Find] reads it
	Why     string // reason why it was chosen, for users
	Entries []Entry
}

// Titles returns the titles of the first entries, which name a list for users.
func (l *List) Titles() (out []string) {
	for i := range l.Entries[:min(len(l.Entries), maxTitles)] {
		out = append(out, l.Entries[i].Title)
	}
	return out
}

// Item is an entry that is new, changed or removed.
type Item struct {
	Kind plat.ItemKind
	Entry
	Was string // the previous title of a changed entry

	at *Entry
}

// Result is the outcome of a check of a page.
type Result struct {
	Lists []List // in the order of the page

	// Further are the other repeated structures of the main part, which may nest. Entries that are added to them are
	// reported as new, but not as changed or removed.
	Further []List

	Items  []Item // new ones of Further, new and changed ones of Lists, both in the order of the page, then removed ones
	Broken string // reason, for users, why no list of news is followed; empty if all is well

	Leaves []int32 // leaves of the chosen blocks, by index; nil without chosen blocks
}

func (t *tree) shown(lists []*list) []List {
	out := make([]List, len(lists))
	for i, l := range lists {
		out[i] = List{Kind: t.kindOf(l), Why: l.reasons(), Entries: l.entries}
	}
	return out
}

// Look examines the next version of a page, and updates m. The comments of this package call
// that a check.
func (m *Memory) Look(p *Page, opt Options) (*Result, error) {
	if p.Before != nil {
		once := *p
		once.Before = sync.OnceValues(p.Before) // it reads the archive
		p = &once
	}
	t, err := read(p)
	if err != nil {
		return nil, err
	}
	g, ok := m.region(p.Blocks, &opt)
	if !ok {
		return &Result{Broken: "the chosen block is no longer on the page"}, nil
	}
	g.today = p.Day
	lists, more, others := t.choose(&g, m)
	r := &Result{Lists: t.shown(lists), Further: t.shown(more), Leaves: g.chosenLeaves()}
	empty := m.looks > 0 && m.entries == 0
	texts := opt.Text || g.chosen && len(lists) == 0 && m.entries == 0
	if r.Broken = m.broken(lists, t.feed); r.Broken != "" && m.entries > 0 {
		return r, nil
	}
	m.looks++
	if texts {
		r.Broken = ""
	}
	seq := sequence(lists)
	var now []*Entry
	for _, l := range lists {
		for i := range l.entries {
			now = append(now, &l.entries[i])
		}
	}
	unknown, err := m.unknown(t, lists, p, opt.Method, empty, t.feed)
	if err != nil {
		return nil, err
	}
	for _, e := range unknown {
		r.Items = append(r.Items, Item{Kind: plat.ItemNew, Entry: *e, at: e})
	}
	fresh := r.Items
	switch {
	case m.looks == 1:
	case opt.Method >= Improved:
		r.Items = nil
		for _, i := range inserted(keys(m.last), keys(seq), opt.Method == Improved) {
			r.Items = append(r.Items, Item{Kind: plat.ItemNew, Entry: *now[i]})
		}
	default:
		r.Items = slices.DeleteFunc(m.revise(r.Items, seq, now), stillThere(p))
		if opt.Method == Full {
			if err := m.appear(r, t, &g, lists, more, p, fresh); err != nil {
				return nil, err
			}
		}
	}
	m.learn(lists, others)
	m.noteFollowed(lists, more)
	if opt.Method == Full && !texts && r.Broken == "" && m.restless(lists) {
		r.Broken = Restless
	}
	m.older = false
	m.last = seq
	for i, size := 0, 0; i < len(seq); i++ {
		if size += len(seq[i].title) + len(seq[i].url); size > maxLast {
			m.last = seq[:i]
			break
		}
	}
	if texts || g.chosen {
		if it := m.text(t, &g); it != nil && texts {
			r.Items = append(r.Items, *it)
		}
	}
	return r, nil
}

// appear adds the new entries of further lists to the items of a check, or, on a page without any items, the first ones of lists.
func (m *Memory) appear(r *Result, t *tree, g *region, lists, more []*list, p *Page, fresh []Item) error {
	all, err := m.appeared(t, lists, more, p, fresh)
	if err == nil && len(all) == 0 && len(r.Items) == 0 {
		all, err = m.begun(t, g, lists, p)
	}
	if err != nil {
		return err
	}
	r.Items = withAppeared(r.Items, all, lists)
	return nil
}

// unknown returns the entries that were never seen, each once. empty means that the page had no list at the previous check.
func (m *Memory) unknown(t *tree, lists []*list, p *Page, method Method, empty, feed bool) ([]*Entry, error) {
	with := companies(lists)
	var out []*Entry
	var err error
	told := map[string]bool{}
	stood := sync.OnceValues(p.before)
	grown := sync.OnceValues(p.grown)
	for _, l := range lists {
		var now []*Entry
		for i := range l.entries {
			e := &l.entries[i]
			if !m.seen.knows(e, with(l, e)) {
				now = append(now, e)
			}
		}
		only := feed // the page has only grown
		if n := len(now); !only && n > 0 && n <= maxFirst && (empty || l.class == plain) && p.Before != nil {
			if only, err = grown(); err != nil {
				return nil, err
			}
		}
		now, fresh := m.vote(l, now, method, empty && only, only)
		if l.fresh = fresh; method == Full {
			now = t.blank(l, m.pulledIn(l, now))
		}
		if later := m.looks > 1; method == Full && (fresh || later) && len(now) > 0 && p.Before != nil {
			text, err := stood()
			if err != nil {
				return nil, err
			}
			now = slices.DeleteFunc(now, func(e *Entry) bool {
				return fresh && text.has(e.key) && (!with(l, e).title || text.has(titleKey(e.Excerpt))) || later && e.URL == "" && len(e.lines) > 1 && text.has(titleKey(e.Excerpt))
			})
		}
		for _, e := range now {
			if !once(told, e, with(l, e)) {
				out = append(out, e)
			}
		}
	}
	return out, nil
}

// Text returns the text of a version, whose leaves need their Text.
func Text(blocks []plat.Block) string {
	var b strings.Builder
	for i := range blocks {
		if blocks[i].Leaf() {
			b.WriteString(blocks[i].Text)
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// words is a text in the normal form of titleKey, with a blank before and after it.
type words string

func wordsOf(text string) words { return words(" " + titleKey(text) + " ") }

// has reports whether a text contains the key of a title.
func (w words) has(key string) bool { return strings.Contains(string(w), " "+key+" ") }

// before returns the words of the previously checked version.
func (p *Page) before() (words, error) {
	text, err := p.Before()
	return wordsOf(text), err
}

// texts returns the texts of the previously checked version and of this one.
func (p *Page) texts() (before, now string, err error) {
	before, err = p.Before()
	return before, Text(p.Blocks), err
}

// mostLines is the least share of a page's lines that are still there when the page has only grown.
const mostLines = .9

// grown reports whether the page has hardly lost a line since the previously checked version.
func (p *Page) grown() (bool, error) {
	before, text, err := p.texts()
	if err != nil {
		return false, err
	}
	now := map[uint64]bool{}
	for line := range strings.SplitSeq(text, "\n") {
		now[sum(masked(line))] = true
	}
	kept, all := 0, 0
	for line := range strings.SplitSeq(before, "\n") {
		if key := sum(masked(line)); key != 0 && (now[key] || !saysNothing(line)) {
			all++
			if now[key] {
				kept++
			}
		}
	}
	return float64(kept) >= mostLines*float64(all), nil
}

// stillThere reports whether the page still contains the title of a removed item, in a
// different form.
func stillThere(p *Page) func(Item) bool {
	now := sync.OnceValue(func() words { return wordsOf(Text(p.Blocks)) })
	return func(it Item) bool { return it.Kind == plat.ItemRemoved && now().has(titleKey(it.Title)) }
}

// once reports whether the same item was found elsewhere on the page: by its product, by its
// address unless that is shared, or by its title and date. Where its list repeats the title, only an entry without an address is
// found by its title, with its further text.
func once(told map[string]bool, e *Entry, with company) bool {
	name := "t " + e.key + " " + e.Dated.String()
	var names []string
	switch {
	case with.title && e.URL != "" && !with.address && !with.apart:
		told[name] = true
	case with.title:
		names = append(names, name+fmt.Sprintf(" %x", e.extra))
	default:
		names = append(names, name)
	}
	if p := e.product(); p != "" {
		names = append(names, "p "+p)
	}
	if e.URL != "" && !with.address && !with.apart {
		names = append(names, "u "+urlKey(e.URL))
	}
	before := false
	for _, n := range names {
		before = before || told[n]
		told[n] = true
	}
	return before
}

// vote lets history decide on the entries of a list that were never seen. The first check
// learns all of them, and later checks learn a list that appears all at once. A list of links
// whose entries are new at every check, such as adverts and "see also", reports nothing. A list
// is fresh if the previous check did not find it. If first is true, the page had no list and has only grown: then the list
// is no new design of the page, and its entries are new. grown means that the page has only grown.
func (m *Memory) vote(l *list, unknown []*Entry, method Method, first, grown bool) (_ []*Entry, fresh bool) {
	k := m.lists[l.shape]
	fresh = k == nil || k.last < m.looks-1
	if k == nil {
		k = &track{}
		m.lists[l.shape] = k
	}
	k.last = m.looks
	if k.churn++; len(unknown)*5 < len(l.entries)*3 {
		k.churn = 0
	}
	switch {
	case m.looks == 1:
		return nil, fresh
	case method != Full:
	case m.older && len(unknown)*2 > len(l.entries):
		return nil, fresh
	case l.class == plain && (fresh && !first || !grown && len(unknown)*3 > len(l.entries)):
		return nil, fresh
	case fresh && !first && len(unknown) > 2 && len(unknown)*2 > len(l.entries):
		return nil, fresh
	case k.churn > maxChurn && l.class <= linking:
		return nil, fresh
	}
	return unknown, fresh
}

// maxFirst limits the entries of a list that has begun since the previous check: a longer one is a part of the page.
const maxFirst = 5

// maxChurn limits the checks in a row at which most entries of a list may be new.
const maxChurn = 4

// learn stores the entries of the page in the memory.
func (m *Memory) learn(lists []*list, others []mark) {
	now := others
	for _, l := range lists {
		for i := range l.entries {
			now = append(now, markOf(&l.entries[i]))
		}
	}
	m.seen.again(now, maxMarks)
	absent := maxAbsence
	if len(m.lists) > maxLists {
		absent = 0
	}
	maps.DeleteFunc(m.lists, func(_ uint64, k *track) bool { return k.last < m.looks-absent })
}

// maxAbsence is the number of checks without a list after which it is forgotten.
const maxAbsence = 20
