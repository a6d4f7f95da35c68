package watch

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// notice is an entry of a list without links.
type notice struct{ title, date, more string }

var notices = []notice{
	{"Paint for the lighthouse", "1 April 2026", "Two coats of it, before the summer."}, {"Two scales for the basin", "28 March 2026", "They weigh up to forty tonnes."},
	{"Gravel, forty tonnes", "20 March 2026", "For the path along the dike."}, {"Rope of four hundred metres", "11 March 2026", "Hemp, not nylon."},
	{"Night watch for the quay", "2 March 2026", "From ten to six."}, {"Cleaning of the fish hall", "20 February 2026", "After each market."},
}

// linkless are the ways in which people write a list without links. Each writes all entries; dated shapes show dates.
var linkless = map[string]struct {
	dated bool
	write func(all []notice) string
}{
	"paragraphs that begin with a date": {true, eachNotice(`<p>{date} – {title}</p>`)},
	"lines with a date between":         {true, func(all []notice) string { return "<p>" + eachNotice("{date}: {title}<br>")(all) + "</p>" }},
	"lines that end in a date":          {true, func(all []notice) string { return "<div>" + eachNotice("{title}, {date}<br>\n")(all) + "</div>" }},
	"items that end in a date":          {true, func(all []notice) string { return "<ul>" + eachNotice("<li>{title} ({date})</li>")(all) + "</ul>" }},
	"items with a date apart": {true, func(all []notice) string {
		return "<ol>" + eachNotice("<li>{title} <small>{date}</small></li>")(all) + "</ol>"
	}},
	"cards with a date":                   {true, eachNotice(`<div class="card"><div class="t">{title}</div><div class="d">{date}</div><button>Read more</button></div>`)},
	"articles with a time":                {true, eachNotice(`<article><h3>{title}</h3><time>{date}</time><p>{more}</p></article>`)},
	"sections with the date above":        {true, eachNotice(`<section><span>{date}</span><h4>{title}</h4><p>{more}</p></section>`)},
	"headings, then a date":               {true, eachNotice(`<h3>{title}</h3><p>{date}</p><p>{more}</p>`)},
	"headings that link to their own row": {true, eachNotice(`<div class="row" id="x{id}"><h3><a href="#x{id}">{title}</a></h3><div>{date}</div><div>{more}</div></div>`)},
	"terms that are dates": {true, func(all []notice) string {
		return "<dl>" + eachNotice("<dt>{date}</dt><dd>{title}</dd>")(all) + "</dl>"
	}},
	"a table with the date first":       {true, table("<tr><td>{date}</td><td>{title}</td><td>{more}</td></tr>")},
	"a table with a running number":     {true, rows("<tr><td>{n}</td><td>{title}</td><td>{date}</td></tr>")},
	"a table with a number and no date": {false, rows("<tr><td>{n}.</td><td>{title}</td><td>{more}</td></tr>")},
	"a table with a kind that repeats":  {false, table("<tr><td>Tender</td><td>{title}</td><td>{more}</td></tr>")},
	"items":                             {false, func(all []notice) string { return "<ul>" + eachNotice("<li>{title}</li>")(all) + "</ul>" }},
	"cards":                             {false, eachNotice(`<div class="card"><b>{title}</b><div>{more}</div></div>`)},
	"articles":                          {false, eachNotice(`<article><h3>{title}</h3><p>{more}</p></article>`)},
	"headings with a line":              {false, eachNotice(`<h3>{title}</h3><p>{more}</p>`)},
	"bold lines as headings":            {false, eachNotice(`<p><strong>{title}</strong></p><p>{more}</p>`)},
	"bold lines in the middle":          {false, eachNotice(`<center><b>{title}</b></center><center>{more}</center>`)},
	"rules between":                     {false, eachNotice(`<p>{title}</p><p>{more}</p><hr>`)},
	"empty lines between": {true, func(all []notice) string {
		return "<div>" + eachNotice(`{title}<br>{date}<br>{more}<br><br>`)(all) + "</div>"
	}},
	"empty lines between, in old markup": {true, eachNotice(`<font size="2"><b>{date}</b></font><br><font size="2">{title}</font><br><br>`)},
	"cells that take turns": {true, func(all []notice) string {
		return `<div class="grid">` + eachNotice(`<div>{date}</div><div>{title}</div><div>{more}</div>`)(all) + "</div>"
	}},
	"values with names":          {true, eachNotice(`<div><span>Title:</span> {title}</div><div><span>Until:</span> {date}</div>`)},
	"quotes":                     {false, eachNotice(`<blockquote><p>{title}</p><footer>{more}</footer></blockquote>`)},
	"paragraphs with a bold day": {true, eachNotice(`<p><strong>{date}</strong> {title}</p>`)},
	"a list for each entry":      {true, eachNotice(`<ul><li>{title}</li><li>{date}</li></ul>`)},
	"links that lead nowhere": {false, func(all []notice) string {
		return "<ul>" + eachNotice(`<li><a href="#">{title}</a></li>`)(all) + "</ul>"
	}},
	"folded texts": {false, eachNotice(`<details><summary>{title}</summary><p>{more}</p></details>`)},
}

func eachNotice(format string) func(all []notice) string {
	return func(all []notice) string {
		var b strings.Builder
		for i, n := range all {
			strings.NewReplacer("{title}", n.title, "{date}", n.date, "{more}", n.more, "{n}", fmt.Sprint(i+1), "{id}", n.title[:3]).WriteString(&b, format)
		}
		return b.String()
	}
}

func table(row string) func(all []notice) string {
	return func(all []notice) string { return "<table>" + eachNotice(row)(all) + "</table>" }
}

func rows(row string) func(all []notice) string {
	return func(all []notice) string {
		return "<table><tr><th>No.</th><th>Subject</th><th>Until</th></tr>" + eachNotice(row)(all) + "</table>"
	}
}

func noticePage(t *testing.T, list string) *Page {
	return pageOf(t, pageURL, `<html lang="en"><body><header block="header 1"><a href="/">Gazette</a></header><nav block="navigation 2"><a href="/a">Home</a> <a href="/b">About us</a></nav>
<main block="main 3"><h1>Notices</h1>`+list+`</main><footer block="footer 4"><p>Wharf Lane 4 · Imprint</p></footer></body></html>`)
}

func TestListsWithoutLinks(t *testing.T) {
	for name, s := range linkless {
		t.Run(name, func(t *testing.T) {
			for _, fresh := range []notice{{"A gate is bought", "9 April 2026", "For the harbour office."}, {"Wörter für das Schild am Hafen", "12 April 2026", "In two languages."}} {
				m := New()
				if told, broken := look(t, m, noticePage(t, s.write(notices))); len(told) > 0 || broken != "" {
					t.Fatalf("first: %q, %s", told, broken)
				}
				if told, broken := look(t, m, noticePage(t, s.write(notices))); len(told) > 0 || broken != "" {
					t.Errorf("unchanged: %q, %s", told, broken)
				}
				for at, next := range [][]notice{slices.Insert(slices.Clone(notices), 0, fresh), slices.Insert(slices.Clone(notices), 0, fresh)} {
					told, broken := look(t, m, noticePage(t, s.write(next)))
					if at == 0 && (len(told) != 1 || !strings.Contains(told[0], fresh.title) || strings.Contains(told[0], "04-") != s.dated && s.dated) || at == 1 && len(told) > 0 || broken != "" {
						t.Errorf("look %d: %q, %s, want %q once", at, told, broken, fresh.title)
					}
				}
				if told, _ := look(t, m, noticePage(t, s.write(slices.Insert(slices.Clone(notices[:5]), 0, fresh)))); len(told) > 0 {
					t.Errorf("the last one has gone: %q", told)
				}
			}
		})
	}
}

// Entries of one title are different entries where their further text or their date differs.
func TestEntriesOfOneTitle(t *testing.T) {
	jobs := []notice{{"Warehouse assistant", "1 April 2026", "Bergen"}, {"Cook", "2 March 2026", "Oslo"}, {"Night porter", "3 March 2026", "Bergen"}, {"Lamp keeper", "4 March 2026", "Utsira"}}
	for name, write := range map[string]func(all []notice) string{
		"table": table("<tr><td>{title}</td><td>{more}</td><td>full time</td></tr><tr><th>a</th></tr>"), "rows": table("<tr><td>{title}</td><td>{more}</td></tr>"),
		"items":    func(all []notice) string { return "<ul>" + eachNotice("<li>{title}<br>{more}</li>")(all) + "</ul>" },
		"cards":    eachNotice(`<div class="card"><h3>{title}</h3><p>{more}</p></div>`),
		"notices":  eachNotice(`<div class="card"><h3>{title}</h3><p class="date">{date}</p><p>{more}</p></div>`),
		"own rows": eachNotice(`<article><h3><a href="#{n}">{title}</a></h3><p>{more} {date}</p></article>`),
	} {
		t.Run(name, func(t *testing.T) {
			all := append(slices.Clone(jobs), notice{"Gardener", "5 March 2026", "Oslo"})
			m := New()
			look(t, m, noticePage(t, write(all)))
			all = slices.Insert(all, 0, notice{"Warehouse assistant", "9 April 2026", "Stavanger"})
			if told, _ := look(t, m, noticePage(t, write(all))); len(told) != 1 || !strings.Contains(told[0], "Warehouse assistant") {
				t.Errorf("the same title in a different town: %q", told)
			}
			if told, _ := look(t, m, noticePage(t, write(all))); len(told) > 0 {
				t.Errorf("nothing new: %q", told)
			}
			b, err := m.MarshalBinary()
			if err != nil {
				t.Fatal(err)
			}
			if err := m.UnmarshalBinary(b); err != nil {
				t.Fatal(err)
			}
			if told, _ := look(t, m, noticePage(t, write(all))); len(told) > 0 {
				t.Errorf("nothing new, after the memory was stored: %q", told)
			}
		})
	}
}

// The first entries of a list that was empty are new, and a page that is written anew has none.
func TestTheFirstEntriesOfAList(t *testing.T) {
	none := `<p>Here are the notices of the harbour office. There are none at present.</p><p>Ask at the gate, or write to us. We answer within two days.</p><p>The office is open from eight to four, and closed on Sundays.</p>`
	lists := func(all []notice) string {
		return none + eachNotice(`<article><h3>{title}</h3><time>{date}</time><p>{more}</p></article>`)(all)
	}
	texts := map[*Page]string{}
	page := func(src string, before *Page) *Page {
		p := noticePage(t, src)
		for i := range p.Blocks {
			p.Blocks[i].Text = strings.TrimSpace(markupText(p.Blocks[i].Content))
		}
		texts[p] = Text(p.Blocks)
		p.Before = func() (string, error) { return texts[before], nil }
		return p
	}
	m := New()
	first := page(none, nil)
	if told, broken := look(t, m, first); len(told) > 0 || broken == "" {
		t.Fatalf("an empty list: %q, %q", told, broken)
	}
	begun := page(lists(notices[:3]), first)
	if told, broken := look(t, m, begun); len(told) != 3 || broken != "" {
		t.Errorf("three entries: %q, %q", told, broken)
	}
	again := New()
	look(t, again, first)
	if told, _ := look(t, again, page(strings.ReplaceAll(lists(notices[:3]), none, "<p>Quite a different page.</p>"), first)); len(told) > 0 {
		t.Errorf("a page that is written anew: %q", told)
	}
	items := func(all []notice) string { return "<ul>" + eachNotice("<li>{title}</li>")(all) + "</ul>" }
	several := New()
	short := page(items(notices[:4]), nil)
	look(t, several, short)
	if told, _ := look(t, several, page(items(append(slices.Clone(notices[:4]), notices[4], notices[5])), short)); len(told) != 2 {
		t.Errorf("two more at once in a list without links: %q", told)
	}
	long := New()
	look(t, long, first)
	if told, _ := look(t, long, page(lists(notices), first)); len(told) > 0 {
		t.Errorf("a long list at once: %q", told)
	}
}

// A memory from before rows of tables had these titles learns them, once.
func TestAnOlderMemoryLearnsTitles(t *testing.T) {
	write := rows("<tr><td>{n}</td><td>{title}</td><td>{date}</td></tr>")
	m := New()
	look(t, m, noticePage(t, write(notices)))
	for i := range m.seen.marks {
		m.seen.marks[i].title ^= 1 // other titles
	}
	b, err := m.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	all := slices.Insert(slices.Clone(notices), 0, notice{"A gate is bought", "9 April 2026", ""})
	for _, older := range []bool{false, true} {
		m := New()
		if err := m.UnmarshalBinary(b); err != nil {
			t.Fatal(err)
		}
		if m.older = older; !older {
			if told, _ := look(t, m, noticePage(t, write(notices))); len(told) != len(notices) {
				t.Errorf("a memory of this plat: %q", told)
			}
			continue
		}
		kept, err := m.MarshalBinary() // of a check that found the list broken
		if err != nil {
			t.Fatal(err)
		}
		if err := m.UnmarshalBinary(kept); err != nil || !m.older {
			t.Fatalf("stored without a check: %v, %v", m.older, err)
		}
		if told, _ := look(t, m, noticePage(t, write(notices))); len(told) > 0 {
			t.Errorf("an older memory: %q", told)
		}
		if told, _ := look(t, m, noticePage(t, write(all))); len(told) != 1 {
			t.Errorf("after an older memory: %q", told)
		}
	}
}

// markupText returns the text of HTML, a line for each paragraph and the like.
func markupText(html []byte) string {
	var b strings.Builder
	tag := false
	for _, r := range string(html) {
		switch {
		case r == '<':
			tag = true
			b.WriteByte('\n')
		case r == '>':
			tag = false
		case !tag:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// The order of day and month is that of the page's other dates, else that of its language.
func TestTheOrderOfDayAndMonth(t *testing.T) {
	for _, tc := range []struct{ lang, other, want string }{
		{"en-US", "10/26/2026", "2026-11-05"}, {"en", "10/26/2026", "2026-11-05"}, {"en-US", "26/10/2026", "2026-05-11"}, {"en", "26/10/2026", "2026-05-11"},
		{"en-US", "10/9/2026", "2026-11-05"}, {"en-GB", "10/9/2026", "2026-05-11"}, {"fr", "10/9/2026", "2026-05-11"},
	} {
		src := fmt.Sprintf(`<html lang=%q><body><main block="main 1"><ul><li><a href="/a">Lighthouse lit again</a> 11/05/2026</li><li><a href="/b">A bridge is closed</a> %s</li><li><a href="/c">Ferry sold</a> 3/4/2026</li></ul></main></body></html>`, tc.lang, tc.other)
		lists, err := chosen(pageOf(t, pageURL, src), Options{})
		if err != nil || len(lists) != 1 || lists[0].Entries[0].Dated.String() != tc.want {
			t.Errorf("%s beside %s: %+v, %v, want %s", tc.lang, tc.other, lists, err, tc.want)
		}
	}
}
