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

// A section in the middle of others revises a document; one at an end is new.
func TestSectionsAreAddedAtTheEnds(t *testing.T) {
	section := func(title string) string {
		return "<h2>" + title + "</h2><p>It belongs to the mill, and the miller keeps it in good order.</p>"
	}
	page := func(titles ...string) *Page {
		var b strings.Builder
		for _, title := range titles {
			b.WriteString(section(title))
		}
		return textPage(t, frame(`<main block="main 1"><article>`+b.String()+"</article>"+prose+"</main>", false))
	}
	for at, want := range []int{1, 0, 0, 0, 1} {
		first := page(millThings...)
		m := New()
		look(t, m, first)
		if told := lookAfter(t, m, first, page(slices.Insert(slices.Clone(millThings), at, "A flour chest")...)); len(told) != want {
			t.Errorf("at %d: told %q, want %d", at, told, want)
		}
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
