package watch

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/html/atom"
)

// TestTheColumnThatNamesTheRowsOfATable: the first column of texts that differ, before all one of links or of row headers.
func TestTheColumnThatNamesTheRowsOfATable(t *testing.T) {
	long := strings.Repeat("a long text ", 17)
	for _, tc := range []struct{ name, rows, want string }{ // cells are divided by |, a link begins with @, a row header with #
		{"the first", "Oak|11|Elm;Ash|12|Fir;Yew|13|Box", "Oak Ash Yew"},
		{"behind numbers", "11|Oak|x;12|Ash|x;13|Yew|x", "Oak Ash Yew"},
		{"behind dates", "3 May 2026|Oak;4 May 2026|Ash;5 May 2026|Yew", "Oak Ash Yew"},
		{"behind a kind", "tree|Oak;tree|Ash;tree|Yew", "Oak Ash Yew"},
		{"behind long texts", long + "a|Oak;" + long + "b|Ash;" + long + "c|Yew", "Oak Ash Yew"},
		{"the third", "11|tree|Oak;12|tree|Ash;13|tree|Yew", "Oak Ash Yew"},
		{"the second of equals", "11|Oak|Elm;12|Ash|Fir;13|Yew|Box", "Oak Ash Yew"},
		{"links before texts", "11|Elm|@Oak;12|Fir|@Ash;13|Box|@Yew", "Oak/oak Ash/ash Yew/yew"},
		{"row headers before texts", "11|Elm|#Oak;12|Fir|#Ash;13|Box|#Yew", "Oak Ash Yew"},
		{"most of them", "11|Oak;12|Ash;13|Yew;14|Yew", "Oak Ash Yew Yew"},
		{"a first column of which a third is numbers", "Oak|Elm;Ash|Fir;Yew|Box;Lime|Hop;14|Sloe;15|Rye", "Elm Fir Box Hop Sloe Rye"},
		{"a first column of which one of seven is a number", "Oak|Elm;Ash|Fir;Yew|Box;Fig|Hop;Lime|Rye;Pear|Oat;17|Sloe", "Oak Ash Yew Fig Lime Pear 17"},
		{"a row with fewer cells", "11|tree|Oak;12|tree;13|tree|Yew", "Oak 12 Yew"},
		{"a cell without a text", "11|Oak;12|;13|Yew;14|Fig;15|Sloe", "Oak 12 Yew Fig Sloe"},
		{"a cell with a date", "11|Oak, 3 May 2026;12|Ash, 4 May 2026;13|Yew", "Oak Ash Yew"},
		{"two rows", "11|Oak;12|Ash", "11 12"},
		{"no texts", "11|12|3 May 2026;12|13|4 May 2026;13|14|5 May 2026", "11 12 13"},
		{"the last column that is read", strings.ReplaceAll("*@Oak;*@Ash;*@Yew", "*", strings.Repeat("11|", maxColumns-1)), "Oak/oak Ash/ash Yew/yew"},
		{"one column after it", strings.ReplaceAll("*@Oak;*@Ash;*@Yew", "*", strings.Repeat("11|", maxColumns)), "11 11 11"},
	} {
		src := "<table>"
		for row := range strings.SplitSeq(tc.rows, ";") {
			src += "<tr>"
			for cell := range strings.SplitSeq(row, "|") {
				tag := "td"
				if text, is := strings.CutPrefix(cell, "@"); is {
					cell = `<a href="/` + strings.ToLower(text) + `">` + text + "</a>"
				} else if text, is := strings.CutPrefix(cell, "#"); is {
					tag, cell = "th", text
				}
				src += "<" + tag + ">" + cell + "</" + tag + ">"
			}
			src += "</tr>"
		}
		_, l := itemsOf(t, src+"</table>")
		var got []string
		for i := range l.entries {
			e := &l.entries[i]
			title := e.Title
			if e.linked {
				title += strings.TrimPrefix(e.URL, "https://site.test")
			}
			got = append(got, title)
			if e.key != titleKey(e.Title) {
				t.Errorf("%s: %+v", tc.name, e)
			}
		}
		if strings.Join(got, " ") != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}

// TestTheLinkOfACellIsThatOfItsEntry if it has a text. It is a linked title if it has half of the characters.
func TestTheLinkOfACellIsThatOfItsEntry(t *testing.T) {
	for cell, want := range map[string]string{
		`<a href="/a">Oak</a>`: "/a true false", `Oak of <a href="/a">Lindenau</a>`: "/a true false", `The oak <a href="/a">of old</a> Lindenau`: "/a false false",
		`Oaks<a href="/a">Elms</a>`: "/a true false", `Oakes<a href="/a">Elms</a>`: "/a false false",
		`<a href="/a"></a>Oak <a href="/b">of Lindenau</a>`: "/b true false", `<a>Oak</a> <a href="/b">of Lindenau</a>`: "/b true false", `<a href="#a">Oak</a>`: "/news/#a true true",
		`Oak`: " false false", `<a href="javascript:x()">Oak</a>`: " false false",
	} {
		row := func(i int, cell string) string { return fmt.Sprintf("<tr><td>1%d</td><td>%s</td></tr>", i, cell) }
		_, l := itemsOf(t, "<table>"+row(1, cell)+row(2, "Ash of the yard")+row(3, "Yew of the wall")+row(4, "Fig")+"</table>")
		e := &l.entries[0]
		if got := fmt.Sprint(strings.TrimPrefix(e.URL, "https://site.test"), " ", e.linked, " ", e.own); got != want || e.opens || e.heading {
			t.Errorf("%s: %s, want %s", cell, got, want)
		}
	}
}

// TestLinesOfParagraphsAreEntries: those that br elements divide, from three on.
func TestLinesOfParagraphsAreEntries(t *testing.T) {
	for src, want := range map[string]string{
		"a<br>b<br>c": "a|b|c", "a<br>b": "", "a": "", "a<br>b<br>": "a|b", "<br>a<br>b": "a|b", "a<br><br>b<br> <br>c": "a|b|c",
		"<i>a</i> x<br>b <b>y</b><br>c": "ax|by|c", "<i>a<br>b<br>c</i>": "", "<i>a<br>b</i><br>c<br>d": "ab|c|d",
	} {
		tr := treeOf(t, "<p>"+src+"</p>")
		var got []string
		tr.breaks(tr.at("p").first, 0, func(_ uint64, headed bool, r record) {
			text := ""
			for i := r.first; i < r.end; i++ {
				text += strings.TrimSpace(tr.nodes[i].text)
			}
			got = append(got, text)
			if headed {
				t.Error("the line is a heading")
			}
		})
		if strings.Join(got, "|") != want {
			t.Errorf("%s: %q, want %q", src, got, want)
		}
	}
}

// TestPlainEntries are short texts without a link, in elements of which people make lists.
func TestPlainEntries(t *testing.T) {
	titles := func(n int) (out []string) {
		for i := range n {
			out = append(out, fmt.Sprintf("Thing of %c", 'a'+i))
		}
		return out
	}
	words := func(n int) string { return strings.TrimSpace(strings.Repeat("word ", n)) }
	for _, tc := range []struct {
		name string
		form string // of the entries
		n    int
		more string // one entry more, which may be no plain one
		want int
	}{
		{"three", "<li>{title}</li>", 3, "", 0}, {"four", "<li>{title}</li>", 4, "", 4},
		{"with a link", "<li>{title}</li>", 4, `<li><a href="/a">A link</a></li>`, 4}, {"with a place on the page", "<li>{title}</li>", 4, `<li><a href="#a">A place</a></li>`, 5},
		{"a long one", "<li>{title}</li>", 4, "<li>" + strings.Repeat("x", maxPlain) + "</li>", 5}, {"one too long", "<li>{title}</li>", 4, "<li>" + strings.Repeat("x", maxPlain+1) + "</li>", 4},
		{"25 words", "<li>{title}</li>", 4, "<li>" + words(25) + "</li>", 5}, {"26 words", "<li>{title}</li>", 4, "<li>" + words(26) + "</li>", 4},
		{"four lines", "<li>{title}</li>", 4, "<li>Ab<br>Bc<br>Cd<br>De</li>", 5}, {"five lines", "<li>{title}</li>", 4, "<li>Ab<br>Bc<br>Cd<br>De<br>Ef</li>", 4},
		{"a vague title", "<li>{title}</li>", 4, "<li>Read more</li>", 4},
		{"two titles of ten alike", "<li>{title}</li>", 8, "<li>Thing of a</li><li>Thing of b</li>", 10}, {"three", "<li>{title}</li>", 8, "<li>Thing of a</li><li>Thing of b</li><li>Thing of c</li>", 0},
		{"cards", `<div class="c">{title}</div>`, 4, "", 4}, {"articles", "<article>{title}</article>", 4, "", 4}, {"sections", "<section>{title}</section>", 4, "", 4}, {"details", "<details>{title}</details>", 4, "", 4}, {"figures", "<figure>{title}</figure>", 4, "", 4},
		{"paragraphs", "<p>{title}</p>", 4, "", 0}, {"rows", "<tr><td>{title}</td></tr>", 4, "", 0},
	} {
		list := linksTo(tc.form, titles(tc.n)...) + tc.more
		if strings.HasPrefix(tc.form, "<tr") {
			list = "<table>" + list + "</table>"
		}
		tr := treeOf(t, "<main>"+list+"</main>")
		first := atom.Lookup([]byte(tc.form[1:strings.IndexAny(tc.form, " >")]))
		got, text := 0, 0
		for _, l := range tr.lists() {
			if tr.nodes[l.records[0].first].tag != first {
				continue
			}
			tr.fill(l)
			n := len(l.entries)
			if p := tr.plain(l, &region{}); p != nil {
				got, text = len(p.entries), p.text
			}
			if len(l.entries) != n || tr.plain(l, &region{chosen: true}) != nil {
				t.Errorf("%s: the list has changed, or a chosen part has plain lists", tc.name)
			}
		}
		if got != tc.want || (text == 0) != (got == 0) {
			t.Errorf("%s: %d entries of %d characters, want %d", tc.name, got, text, tc.want)
		}
	}
}

// TestTheLineThatNamesAComposedEntry differs in nearly all entries by more than its numbers, and is no person's initials.
func TestTheLineThatNamesAComposedEntry(t *testing.T) {
	of := func(n int, line func(i int) string) *list {
		l := &list{}
		for i := range n {
			e := Entry{}
			e.lines = strings.Split(line(i), "|")
			e.title(e.lines[0])
			l.entries, l.records = append(l.entries, e), append(l.records, record{})
		}
		return l
	}
	letter := func(i int) string { return string(rune('a' + i)) }
	for name, tc := range map[string]struct {
		n    int
		line func(i int) string
		want string // title of the second entry, or empty if the list is none
		left int
	}{
		"the first":              {5, func(i int) string { return letter(i) + " name|text" }, "b name", 5},
		"nine of ten differ":     {10, func(i int) string { return letter(max(i, 1)) + " name|text" + letter(i) }, "b name", 10},
		"eight of ten differ":    {10, func(i int) string { return letter(max(i, 2)) + " name|text " + letter(i) }, "text b", 10},
		"they differ in numbers": {5, func(i int) string { return fmt.Sprint(i, " votes|text ", letter(i)) }, "text b", 5},
		"initials":               {5, func(i int) string { return strings.ToUpper(letter(i)) + "XY|text " + letter(i) }, "text b", 5},
		"four capitals":          {5, func(i int) string { return strings.ToUpper(letter(i)) + "XYZ|text " + letter(i) }, "BXYZ", 5},
		"half are initials": {6, func(i int) string {
			return strings.ToUpper(letter(i)) + strings.Repeat("XYZ", i%2) + "|text " + letter(i)
		}, "BXYZ", 6},
		"a date":                      {5, func(i int) string { return "x|text " + letter(i) + ", 3 May 2026" }, "text b", 5},
		"the fourth":                  {5, func(i int) string { return "x|y|z|text " + letter(i) }, "text b", 5},
		"not the fifth":               {5, func(i int) string { return "x|y|z|u|text " + letter(i) }, "", 5},
		"none":                        {5, func(i int) string { return "x|y" }, "", 5},
		"one of ten without the line": {10, func(i int) string { return strings.TrimSuffix("x|text "+letter(i), strings.Repeat("|text j", i/9)) }, "text b", 9},
		"one of five without it":      {5, func(i int) string { return strings.TrimSuffix("x|text "+letter(i), strings.Repeat("|text e", i/4)) }, "", 5},
	} {
		l := of(tc.n, tc.line)
		title := ""
		if l.byLine(&tree{}) {
			title = l.entries[1].Title
		}
		if title != tc.want || len(l.entries) != tc.left {
			t.Errorf("%s: %q, %d entries; want %q, %d", name, title, len(l.entries), tc.want, tc.left)
		}
	}
}

// TestWhichPlainListIsMostOfAPage: the longest, if it has half of the content.
func TestWhichPlainListIsMostOfAPage(t *testing.T) {
	tr := treeOf(t, `<nav>`+strings.Repeat("n", 70)+`</nav><main><p>`+strings.Repeat("x ", 60)+`</p></main>`)
	if n := tr.contentText(); n != 60 {
		t.Errorf("the content has %d characters, want 60", n)
	}
	for texts, want := range map[string]int{"": 0, "29": 0, "30": 30, "31 40": 40, "40 31": 40, "12 13 14": 0, "30 30": 30} {
		var all []*list
		for s := range strings.FieldsSeq(texts) {
			l := &list{}
			fmt.Sscan(s, &l.text)
			all = append(all, l)
		}
		got := 0
		most := tr.most(all)
		if len(most) > 0 {
			got = most[0].text
		}
		if got != want || got > 0 && texts == "30 30" && most[0] != all[0] {
			t.Errorf("of %q the list of %d characters, want %d", texts, got, want)
		}
	}
}
