package watch

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html/atom"

	"plat/plat"
)

// TestLinesThatAreAddedAndGone compares the lines of two versions.
func TestLinesThatAreAddedAndGone(t *testing.T) {
	const was = "The wheel of oak\nOpen on 12 days\nA barn\nA barn, and a weir"
	for _, tc := range []struct {
		name, before, now string
		added             string
		gone              bool
	}{
		{"the same", was, was, "", false},
		{"a line more", was, was + "\nA flour chest", "A flour chest", false},
		{"two more, the first one before", was, "A pond\n" + was + "\nA flour chest", "A pond|A flour chest", false},
		{"a line less", was, strings.Replace(was, "A barn\n", "", 1), "", true},
		{"a line more and one less", was, strings.Replace(was, "A barn\n", "A pond\n", 1), "", true},
		{"different numbers", was, strings.Replace(was, "12", "13", 1), "", false},
		{"different numbers and a line more", was, strings.Replace(was, "12", "13", 1) + "\nA flour chest", "A flour chest", false},
		{"a sign less", was + "\n—", was, "", false},
		{"four characters", was, was + "\nGate", "Gate", false},
		{"three characters", was, was + "\nOil", "", false},
		{"words that a line has", was, was + "\nand a weir", "", false},
		{"a part of a word", was, was + "\nwhee", "whee", false},
		{"a line once more", was, was + "\nA barn", "", false},
		{"from no text", "", "A flour chest", "A flour chest", false},
		{"to no text", "A flour chest", "", "", true},
		{"a line with a number more", was, was + "\nOpen on 13 nights", "Open on 13 nights", false},
		{"a line that differs by its number", was, was + "\nOpen on 13 days", "Open on 13 days", false},
	} {
		s := linesOf(tc.before, tc.now)
		if got := strings.Join(s.added, "|"); got != tc.added || s.gone != tc.gone {
			t.Errorf("%s: added %q, gone %v; want %q, %v", tc.name, got, s.gone, tc.added, tc.gone)
		}
	}
	for n, want := range map[int]int{maxAdded - 1: maxAdded - 1, maxAdded: maxAdded, maxAdded + 1: maxAdded + 1, maxAdded + 9: maxAdded + 1} {
		var b strings.Builder
		for i := range n {
			b.WriteString("\nThing ")
			for _, d := range fmt.Sprint(i) { // as words: lines that differ in numbers are one
				b.WriteString(string('a'+d-'0') + "x ")
			}
		}
		if s := linesOf(was, was+b.String()); len(s.added) != want {
			t.Errorf("%d lines more: %d are added, want %d", n, len(s.added), want)
		}
	}
}

// TestAnEntryIsNewIfItsFirstLineAndMostCharactersAre also checks that its lines are those that the page shows.
func TestAnEntryIsNewIfItsFirstLineAndMostCharactersAre(t *testing.T) {
	const was = "The wheel of oak\nabcd\nabcde\nabcdef\nSeen by 12 people"
	s := linesOf(was, was+"\nvwxyz\nA flour chest\nIt is from Prague")
	for lines, want := range map[string]bool{
		"A flour chest": true, "A flour chest|It is from Prague": true,
		"vwxyz|abcd": true, "vwxyz|abcde": false, "vwxyz|abcdef": false, "abcd|vwxyz": false,
		"vwxyz|A flour chest|abcd|abcde": true, "The wheel of oak": false, "the wheel": false, "": false,
		"A flour chest|of a page that differs": false, "not there": false, "vwxyz|A flour": true,
	} {
		var all []string
		if lines != "" {
			all = strings.Split(lines, "|")
		}
		if got := s.mostlyNew(all); got != want {
			t.Errorf("%q is new: %v", lines, got)
		}
	}
	for line, want := range map[string]bool{"The wheel of oak": true, "the WHEEL": true, "whee": false, "A flour chest": false, "Seen by 13 people": false} {
		if s.has(line) != want {
			t.Errorf("the version before has %q: %v", line, !want)
		}
	}
	counted := linesOf(was, strings.Replace(was, "12", "13", 1)+"\nA flour chest")
	if !counted.has("Seen by 13 people") || counted.has("A flour chest") {
		t.Error("lines with different numbers")
	}
	// After too much of a search, all lines count as there.
	for left, want := range map[int]int{len(s.text()) - 1: 1, len(s.text()): 2, 2*len(s.text()) - 1: 2} {
		s.left = left
		n := 0
		for !s.has("A flour chest") {
			n++
		}
		if n != want {
			t.Errorf("with %d bytes left for a text of %d, a new line is searched %d times, want %d", left, len(s.text()), n, want)
		}
	}
}

// TestAPageHasOnlyGrownIfAllNewLinesAreInItsNewEntries allows for lines that join entries with each other, or with what was
// there.
func TestAPageHasOnlyGrownIfAllNewLinesAreInItsNewEntries(t *testing.T) {
	for _, tc := range []struct {
		added, text string // lines
		want        bool
	}{
		{"", "A flour chest", true},
		{"A flour chest", "A flour chest", true},
		{"A flour chest", "See: a flour chest, of oak", true},
		{"A flour chest", "A flour chests", false},
		{"A flour chest|A pond", "A flour chest", false},
		{"A flour chest|A pond", "A flour chest\nA pond", true},
		{"A flour chest · A pond", "A flour chest\nA pond", true},
		{"A pond · A flour chest", "A flour chest\nA pond", true},
		{"A flour chest · The wheel of oak", "A flour chest", true},
		{"A wheel · A flour chest", "A flour chest", false},
		{"A flour chest of oak", "A flour chest", true},  // "of oak" was there
		{"A flour chest of elm", "A flour chest", false}, // "of elm" was not
		{"A flour chest or two", "A flour\nA flour chest", false},
		{"A flour chest of oak", "A flour\nA flour chest", true}, // the longer one comes first
		{"A flour chest, oil", "Oil\nA flour chest", false},      // too short to be a part
		{"A flour chest, gate", "Gate\nA flour chest", true},
	} {
		s := linesOf("The wheel of oak", "")
		s.added = strings.FieldsFunc(tc.added, func(r rune) bool { return r == '|' })
		if got := s.onlyGrew(tc.text); got != tc.want {
			t.Errorf("%q with the entries %q: %v", tc.added, tc.text, got)
		}
	}
}

// itemsOf returns the list of the items of a page.
func itemsOf(t *testing.T, src string) (*tree, *list) {
	t.Helper()
	tr := treeOf(t, src)
	for _, l := range tr.lists() {
		if tag := tr.nodes[l.records[0].first].tag; tag == atom.Li || tag == atom.Tr {
			tr.fill(l)
			return tr, l
		}
	}
	t.Fatal("no list")
	return nil, nil
}

// TestNewEntriesAreTogether: a revised page has new entries at several places.
func TestNewEntriesAreTogether(t *testing.T) {
	for fresh, want := range map[string]string{ // in the middle, and only at an end; / begins a list of one more parent
		"+---": "true true", "++--": "true true", "---+": "true true", "--++": "true true", "+--+": "true true", "++-+": "true true",
		"-+--": "true false", "-++-": "true false", "--+-": "true false",
		"-+-+": "false false", "+-+-": "false false", "-+-+-": "false false", "-+-++-": "false false",
		"+---/----": "true true", "---+/----": "true true", "----/+---": "true true", "----/---+": "true true", "----/-+--": "true false",
		"---+/+---": "false false", "+---/+---": "false false", "-+--/---+": "false false",
	} {
		src, is := "", []bool{}
		for part := range strings.SplitSeq(fresh, "/") {
			src += "<ul>"
			for i, c := range part {
				src += fmt.Sprintf("<li>Thing %c</li>", 'a'+rune(i))
				is = append(is, c == '+')
			}
			src += "</ul>"
		}
		tr, l := itemsOf(t, src)
		if got := fmt.Sprint(tr.together(l, is, false), " ", tr.together(l, is, true)); got != want {
			t.Errorf("%s: %s, want %s", fresh, got, want)
		}
	}
}

// TestLinesThatIdentifyEntries: those that other entries have, and those of dates and numbers, do not.
func TestLinesThatIdentifyEntries(t *testing.T) {
	many := ""
	for i := range maxOwn + 2 {
		many += fmt.Sprintf("<p>Line of letter %c</p>", 'a'+i)
	}
	tr, l := itemsOf(t, `<ul><li><p>The wheel</p><p>of the mill</p><p>The wheel</p><p>3 May 2026</p></li><li><p>The weir</p><p>of the mill</p><p>Read more</p><p>4,711</p></li><li><p>Gate</p><p>Oil</p></li><li>`+many+`</li></ul>`)
	var got []string
	for _, lines := range l.ownLines(tr, func(int) bool { return true }) {
		got = append(got, strings.Join(lines, "|"))
	}
	var last []string
	for i := range maxOwn {
		last = append(last, fmt.Sprintf("Line of letter %c", 'a'+i))
	}
	if want := []string{"The wheel|The wheel", "The weir", "Gate", strings.Join(last, "|")}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if own := l.ownLines(tr, func(i int) bool { return i == 1 }); own[0] != nil || len(own[1]) != 1 || own[2] != nil {
		t.Errorf("of the second entry alone: %q", own)
	}
}

// TestTextsThatMayBePartsOfNewLines counts texts before each node. A text of many is found nowhere, and counts.
func TestTextsThatMayBePartsOfNewLines(t *testing.T) {
	touched := func(src string, added ...string) string {
		tr := treeOf(t, src)
		n := tr.touched(added)
		var out []string
		for i := range tr.nodes {
			if n[i+1] > n[i] {
				out = append(out, tr.nodes[i].text[:min(len(tr.nodes[i].text), 20)])
			}
		}
		return strings.Join(out, "|")
	}
	const src = `<p>The wheel</p><p>of oak, a barn and a weir</p><p>Neigh</p><p>Neighbourhoods</p><p>A barn <b>for</b> sacks</p><p>…</p>`
	for added, want := range map[string]string{
		"The wheel": "The wheel", "The wheel of the mill": "The wheel", "the wheels": "", "A barn": "of oak, a barn and a|A barn ", "Barn for sacks": "for| sacks",
		"Our neighbourhoodsmen": "Neighbourhoods", "Our neighs": "", "nothing of it": "",
	} {
		if got := touched(src, added); got != want {
			t.Errorf("%q touches %q, want %q", added, got, want)
		}
	}
	if got := touched(src, "The wheel", "Neigh"); got != "The wheel|Neigh" {
		t.Errorf("two lines touch %q", got)
	}
	long := "<p>" + strings.Repeat("of oak and elm ", 50_000) + "</p><p>Not touched</p>"
	lines := strings.Split(strings.TrimSpace(counted(maxAdded, "Thing %d of many\n")), "\n")
	if got := touched(long, lines[:20]...); got != "" {
		t.Errorf("twenty lines touch %q", got)
	}
	if got := touched(long, lines...); got != "Not touched" {
		t.Errorf("the search in a page that is made to be slow is not limited: %q", got)
	}
}

// TestAListGrowsByAtMostAsManyAsItHad: more are a new list, and more than maxAdded lines are a new page.
func TestAListGrowsByAtMostAsManyAsItHad(t *testing.T) {
	titles := func(n int) (out []string) {
		for i := range n {
			out = append(out, fmt.Sprintf("Thing of %c%c%[1]c and the mill", 'a'+i%26, 'a'+i/26))
		}
		return out
	}
	page := func(long int, titles []string) *Page {
		return textPage(t, frame(`<main block="main 1"><h1>The mill</h1>`+strings.Repeat(prose, long)+"<ul><li>"+strings.Join(titles, "</li><li>")+"</li></ul>"+prose+"</main>", false))
	}
	for _, tc := range []struct{ was, more, want int }{{2, 1, 0}, {3, 1, 1}, {3, 3, 3}, {3, 4, 0}, {4, 4, 4}, {5, 6, 0}, {maxAdded + 9, maxAdded, maxAdded}, {maxAdded + 9, maxAdded + 1, 0}} {
		all := titles(tc.was + tc.more)
		first := page(1+tc.was/4, all[tc.more:])
		m := New()
		look(t, m, first)
		if told := lookAfter(t, m, first, page(1+tc.was/4, all)); len(told) != tc.want {
			t.Errorf("%d more than %d: told %d, want %d", tc.more, tc.was, len(told), tc.want)
		}
	}
}

// TestNewItemsInsideOfNewEntriesAreParts of these. Other items follow the entries.
func TestNewItemsInsideOfNewEntriesAreParts(t *testing.T) {
	entries := make([]Entry, 5)
	for i := range entries {
		entries[i].Title = string(rune('a' + i))
	}
	l := &list{entries: entries, records: []record{{1, 4}, {4, 9}, {9, 12}, {12, 15}, {20, 30}}}
	items := func(all ...int) (out []Item) {
		for _, i := range all {
			out = append(out, Item{Kind: plat.ItemNew, Entry: entries[i], at: &entries[i]})
		}
		return out
	}
	titles := func(all []Item) (s string) {
		for _, it := range all {
			s += it.Title
		}
		return s
	}
	outer := Entry{Title: "X"}
	over := func(from, end int32) []found { return []found{{record: record{from, end}, Entry: &outer}} }
	for _, tc := range []struct {
		all  []found
		want string
	}{{nil, "abcde"}, {over(15, 20), "Xabcde"}, {over(4, 12), "Xade"}, {over(3, 9), "Xacde"}, {over(5, 10), "Xabde"}, {over(12, 21), "Xabc"}, {append(over(1, 2), over(20, 21)...), "XXbcd"}} {
		if got := titles(withAppeared(items(0, 1, 2, 3, 4), tc.all, []*list{l})); got != tc.want {
			t.Errorf("%v: %s, want %s", tc.all, got, tc.want)
		}
	}
	changed := items(0, 1)
	changed[1].Kind = plat.ItemChanged
	changed = append(changed, Item{Kind: plat.ItemNew, Entry: Entry{Title: "y"}})
	if got := titles(withAppeared(changed, over(1, 30), []*list{l})); got != "Xby" {
		t.Errorf("items that are not new, or in no list: %s", got)
	}
}
