package watch

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"plat/segment/markup"
)

// further shapes are lists in the middle of long texts, none of which is a list of news by its entries.
var furtherShapes = []struct{ name, before, entry, after string }{
	{"bulleted texts", "<h2>What the mill has</h2><ul>", "<li>{title}</li>", "</ul>"},
	{"nested in an item", "<ol><li><p>The mill has these:</p><ul>", "<li>{title}</li>", "</ul></li></ol>"},
	{"cards", `<div class="grid">`, `<div class="card"><h3>{title}</h3><p>It belongs to the mill, and the miller keeps it in good order all the year.</p></div>`, "</div>"},
	{"terms", "<dl>", "<dt>{title}</dt><dd>It belongs to the mill, and the miller keeps it in order.</dd>", "</dl>"},
	{"rows", "<table><tr><th>Thing</th><th>Keeper</th></tr>", "<tr><td>{title}</td><td>miller</td></tr>", "</table>"},
}

var millThings = []string{"The upper wheel of oak", "A pair of granite stones", "The weir with its gate", "A barn for sacks"}

func furtherPage(t *testing.T, k int, intro string, titles ...string) *Page {
	t.Helper()
	s := furtherShapes[k]
	var b strings.Builder
	for _, title := range titles {
		b.WriteString(strings.ReplaceAll(s.entry, "{title}", title))
	}
	return textPage(t, frame(`<main block="main 1"><h1>The mill</h1>`+intro+prose+s.before+b.String()+s.after+prose+"</main>", false))
}

// textPage is a page whose blocks have their texts.
func textPage(t *testing.T, src string) *Page {
	t.Helper()
	p := pageOf(t, pageURL, src)
	for i := range p.Blocks {
		if b := &p.Blocks[i]; b.Leaf() {
			b.Text = markup.Text(b.Content, nil)
		}
	}
	return p
}

// lookAfter examines a page whose previous version is known.
func lookAfter(t *testing.T, m *Memory, before, p *Page) (told []string) {
	t.Helper()
	p.Before = func() (string, error) { return Text(before.Blocks), nil }
	told, _ = look(t, m, p)
	return told
}

func TestAnEntryAddedToAnyListOfTheMainPartIsTold(t *testing.T) {
	for k, s := range furtherShapes {
		t.Run(s.name, func(t *testing.T) {
			for at := range len(millThings) + 1 {
				first := furtherPage(t, k, "", millThings...)
				m := New()
				look(t, m, first)
				second := furtherPage(t, k, "", slices.Insert(slices.Clone(millThings), at, "A flour chest from Prague")...)
				if told := lookAfter(t, m, first, second); len(told) != 1 || !strings.HasPrefix(told[0], "new A flour chest from Prague") {
					t.Errorf("at %d: told %q", at, told)
				}
				if told := lookAfter(t, m, second, furtherPage(t, k, "", slices.Insert(slices.Clone(millThings), at, "A flour chest from Prague")...)); len(told) > 0 {
					t.Errorf("at %d: told again %q", at, told)
				}
			}
		})
	}
}

func TestARevisedPageTellsNoEntriesOfFurtherLists(t *testing.T) {
	const added = "A flour chest from Prague"
	for _, tc := range []struct {
		name, was, intro string
		titles           []string
	}{
		{"a new paragraph beside it", "", "<p>In spring the whole mill was painted in white.</p>", append([]string{added}, millThings...)},
		{"a sentence that is gone", "<p>In winter it is closed to visitors.</p>", "", append([]string{added}, millThings...)},
		{"an entry that is exchanged", "", "", append([]string{added}, millThings[1:]...)},
		{"an entry in different words", "", "", append([]string{"The upper wheel of old oak"}, millThings[1:]...)},
		{"a different order", "", "", []string{millThings[2], millThings[0], millThings[3], millThings[1]}},
		{"most are new", "", "", append([]string{added, "A cat", "The eel trap of iron", "A cart with two wheels", "The bell of 1802"}, millThings...)},
		{"several places", "", "", []string{millThings[0], added, millThings[1], millThings[2], "The eel trap of iron", millThings[3]}},
		{"a text that stood elsewhere", "<p>" + added + "</p>", "<p>" + added + "</p>", append([]string{added}, millThings...)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			first := furtherPage(t, 0, tc.was, millThings...)
			m := New()
			look(t, m, first)
			if told := lookAfter(t, m, first, furtherPage(t, 0, tc.intro, tc.titles...)); len(told) > 0 {
				t.Errorf("told %q", told)
			}
		})
	}
}

// A section that a table of contents names belongs to a document; others are entries, wherever they are added.
func TestSectionsOfDocumentsAreNoEntries(t *testing.T) {
	page := func(contents bool, titles ...string) *Page {
		var links, sections strings.Builder
		for _, title := range titles {
			id := strings.ReplaceAll(title, " ", "-")
			fmt.Fprintf(&links, `<li><a href="#%s">%s</a></li>`, id, title)
			fmt.Fprintf(&sections, `<h2 id="%s">%s</h2><p>It belongs to the mill, and the miller keeps it in good order. %[2]s is old.</p>`+prose, id, title)
		}
		if !contents {
			links.Reset()
		}
		return textPage(t, frame(`<main block="main 1"><article><ul>`+links.String()+`</ul>`+sections.String()+"</article>"+prose+"</main>", false))
	}
	for at := range len(millThings) + 1 {
		for contents, want := range map[bool]int{false: 1, true: 0} {
			first := page(contents, millThings...)
			m := New()
			look(t, m, first)
			if told := lookAfter(t, m, first, page(contents, slices.Insert(slices.Clone(millThings), at, "A flour chest")...)); len(told) != want {
				t.Errorf("at %d, with contents %v: told %q, want %d", at, contents, told, want)
			}
		}
	}
}

// grown looks at a page of entries, then at the page with more of them before, and returns the titles that are reported.
func grown(t *testing.T, page func(entries string) *Page, entry func(i int) string) []string {
	t.Helper()
	out := ""
	for i := 1; i < 6; i++ {
		out += entry(i)
	}
	first := page(out)
	m := New()
	look(t, m, first)
	return lookAfter(t, m, first, page(entry(0)+out))
}

func TestWhichAdditionsToFurtherListsAreTold(t *testing.T) {
	things := []string{"A flour chest from Prague", "The upper wheel of oak", "A pair of granite stones", "The weir with its gate", "A barn for sacks", "A cart without wheels"}
	main := func(before, after string) func(entries string) *Page {
		return func(entries string) *Page {
			return textPage(t, frame(`<main block="main 1"><h1>The mill</h1>`+prose+before+entries+after+prose+"</main>", false))
		}
	}
	for _, tc := range []struct {
		name  string
		page  func(entries string) *Page
		entry func(i int) string
		want  int
	}{
		{"an entry whose heading one more has", main("", ""), func(i int) string {
			return "<h3>" + []string{"In the mill", "In the yard", "In the mill", "In the weir", "In the barn", "In the attic"}[i] + "</h3><p>" + things[i] + "</p>"
		}, 1},
		{"an entry with a few lines of an older text", main("<p>It is kept dry.</p>", ""), func(i int) string {
			return "<h3>" + things[i] + "</h3><p>The old miller has kept it since the year of the flood, with " + things[i] + ".</p><ul><li>It is kept dry" + strings.Repeat(" and warm", i) + "</li></ul>"
		}, 1},
		{"a section with a list of links that is smaller than its text", main("", ""), func(i int) string {
			return "<h3>" + things[i] + "</h3><p>The old miller has kept " + things[i] + " since the year of the flood, and nobody else may use it. In winter it is in the barn, and in summer it is beside the wheel, in the shade.</p>" +
				fmt.Sprintf(`<ul><li><a href="/keeper/%d">Keeper %[1]c of it</a></li></ul>`, 'a'+i)
		}, 1},
		{"links to places on the page, in a long text", main(strings.Repeat(prose, 12)+"<ul>", "</ul>"), func(i int) string { return fmt.Sprintf(`<li><a href="#%d">%s</a></li>`, i, things[i]) }, 0},
		{"a short list in a long text", main(strings.Repeat(prose, 12)+"<ul>", "</ul>"), func(i int) string { return "<li>" + things[i] + "</li>" }, 1},
		{"a short list in a very long text", main(strings.Repeat(prose, 60)+"<ul>", "</ul>"), func(i int) string { return "<li>" + things[i] + "</li>" }, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if told := grown(t, tc.page, tc.entry); len(told) != tc.want || tc.want > 0 && !strings.HasPrefix(told[0], "new "+things[0]) && !strings.Contains(told[0], "In the mill") {
				t.Errorf("told %q, want %d", told, tc.want)
			}
		})
	}
}

// An entry more may change the label of a block. The list is followed nevertheless, and a list that had the label before is none.
func TestAListIsFollowedWhenItsBlocksGetOtherLabels(t *testing.T) {
	page := func(label string) func(titles ...string) *Page {
		return func(titles ...string) *Page {
			var b strings.Builder
			for _, title := range titles {
				fmt.Fprintf(&b, "<div>%s</div>", title)
			}
			return textPage(t, frame(`<div block="main 1"><h1>The mill</h1>`+prose+`</div><div block="`+label+` 2">`+b.String()+"</div>", false))
		}
	}
	more := append([]string{"A flour chest from Prague"}, millThings...)
	for _, label := range []string{"navigation", "sidebar", "comments"} {
		m := New()
		first := page("main")(millThings...)
		look(t, m, first)
		if told := lookAfter(t, memoryOf(t, bytesOf(t, m)), first, page(label)(more...)); len(told) != 1 {
			t.Errorf("%s: told %q, want the new entry", label, told)
		}
		m = New()
		first = page(label)(millThings...)
		look(t, m, first)
		if told := lookAfter(t, m, first, page(label)(more...)); len(told) != 0 {
			t.Errorf("%s from the first: told %q", label, told)
		}
	}
	// A list of news is not broken by it.
	blog := func(label string, n int) *Page {
		return textPage(t, frame(`<div block="`+label+` 1"><ul>`+counted(n, `<li><a href="/story/%[1]d">The story of number %[1]d and the mill</a></li>`)+`</ul></div>`, false))
	}
	m := New()
	first := blog("main", 8)
	look(t, m, first)
	second := blog("navigation", 9)
	second.Before = func() (string, error) { return Text(first.Blocks), nil }
	if told, broken := look(t, m, second); len(told) != 1 || broken != "" {
		t.Errorf("told %q, broken %q, want one entry", told, broken)
	}
}

// A list that was further, and is chosen now because an entry more makes it one, tells the entry.
func TestAListThatIsChosenLaterTellsWhatIsAdded(t *testing.T) {
	page := func(titles ...string) *Page {
		var b strings.Builder
		for i, title := range titles {
			fmt.Fprintf(&b, "<li><p>%s</p><p>Of the year %c</p></li>", title, 'a'+i)
		}
		news := counted(5, `<li><a href="/story/%[1]d">The story of number %[1]d and the mill</a></li>`)
		return textPage(t, frame(`<div block="main 1"><h1>The mill</h1><ol>`+b.String()+`</ol><div><ul>`+news+`</ul></div></div>`, false))
	}
	first := page(millThings...)
	m := New()
	look(t, m, first)
	second := page(append(slices.Clone(millThings), "A flour chest from Prague")...)
	for p, want := range map[*Page]int{first: 1, second: 2} {
		if lists, err := chosen(p, Options{}); err != nil || len(lists) != want {
			t.Fatalf("%d lists, %v; want %d that are chosen", len(lists), err, want)
		}
	}
	if told := lookAfter(t, m, first, second); len(told) != 1 {
		t.Errorf("told %q, want the new entry", told)
	}
}

// Without the text of the version before it, nothing is known of further lists. A list in a menu or a side column is none.
func TestFurtherListsNeedTheVersionBeforeAndTheMainPart(t *testing.T) {
	m := New()
	look(t, m, furtherPage(t, 0, "", millThings...))
	if told, _ := look(t, m, furtherPage(t, 0, "", append([]string{"A flour chest"}, millThings...)...)); len(told) > 0 {
		t.Errorf("told %q", told)
	}
	side := func(titles ...string) *Page {
		var b strings.Builder
		for _, title := range titles {
			fmt.Fprintf(&b, "<li>%s</li>", title)
		}
		return textPage(t, frame(`<main block="main 1"><h1>The mill</h1>`+prose+`</main><aside block="sidebar 2"><ul>`+b.String()+"</ul></aside>", false))
	}
	first := side(millThings...)
	m = New()
	look(t, m, first)
	if told := lookAfter(t, m, first, side(append([]string{"A flour chest"}, millThings...)...)); len(told) > 0 {
		t.Errorf("in a side column: told %q", told)
	}
}
