package watch

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// emptyPage is a page with the content of its list, which may be a notice that there is none.
func emptyPage(t *testing.T, list string) *Page {
	return textPage(t, `<html><body><header block="header 1"><a href="/">The mill</a></header><main block="main 3"><h1>Courses</h1><p>We teach what millers know, in the old barn.</p><p>Write to us if you like to come.</p>`+list+`</main><footer block="footer 4"><p>Mill Lane 4</p></footer></body></html>`)
}

// TestTheFirstEntryOfAListIsTold on a page that had none, in the ways in which people write one; so are the following ones, each once.
func TestTheFirstEntryOfAListIsTold(t *testing.T) {
	for _, tc := range []struct{ name, notice, open, form, end string }{
		{"a linked heading in a grid", "<p>Keine Kurse geplant.</p>", `<div class="grid">`, `<div class="course"><h3><a href="/c/{0}">{1}</a></h3><p>With {0}.</p></div>`, "</div>"},
		{"rows below a header", "", "<table><tr><th>Course</th><th>Teacher</th></tr>", `<tr><td><a href="/c/{0}">{1}</a></td><td>{0}</td></tr>`, "</table>"},
		{"rows in the place of one", "<table><tr><th>Course</th><th>Teacher</th></tr><tr><td colspan=2>Aucun résultat trouvé.</td></tr></table>", "<table><tr><th>Course</th><th>Teacher</th></tr>", `<tr><td>{1}</td><td>{0}</td></tr>`, "</table>"},
		{"a list without entries", "<ul></ul>", "<ul>", `<li><a href="/c/{0}">{1}</a>, with {0}</li>`, "</ul>"},
		{"dates", "<p>目前没有课程。</p>", "", `<div class="e"><time>2026-05-04</time> <span>{1}</span></div>`, ""},
		{"texts", "<p>At the moment nothing is planned.</p>", "<ul>", `<li>{1} with {0}</li>`, "</ul>"},
		{"headings with a text", "<p>No courses at present.</p>", "", `<h3>{1}</h3><p>It is held by {0}, on two evenings.</p>`, ""},
	} {
		all := []string{"Ada|Grinding for beginners", "Bela|Stones and how to dress them", "Cora|Water wheels repaired", "Dora|Sieves of silk"}
		list := func(n int) *Page {
			if n == 0 {
				if tc.notice == "" {
					return emptyPage(t, tc.open+tc.end)
				}
				return emptyPage(t, tc.notice)
			}
			newest := slices.Clone(all[:n])
			slices.Reverse(newest)
			return emptyPage(t, tc.open+rowsOf(tc.form, newest)+tc.end)
		}
		m := New()
		before := list(0)
		look(t, m, before)
		for n := 1; n <= len(all); n++ {
			_, title, _ := strings.Cut(all[n-1], "|")
			now := list(n)
			if told := lookAfter(t, m, before, now); len(told) != 1 || !strings.Contains(told[0], title) {
				t.Errorf("%s: with %d entries: told %q", tc.name, n, told)
			}
			if m = memoryOf(t, bytesOf(t, m)); len(lookAfter(t, m, now, list(n))) > 0 {
				t.Errorf("%s: with %d entries: told again", tc.name, n)
			}
			before = now
		}
	}
}

// TestAListThatWasEmptyBeginsAgain: what is in it then is told, unless it was there earlier.
func TestAListThatWasEmptyBeginsAgain(t *testing.T) {
	const job = `<article><h2><a href="/j/{0}">{0} wanted</a></h2><p>Apply in writing.</p></article>`
	page := func(names string) *Page {
		if names == "" {
			return emptyPage(t, "<p>No open positions.</p>")
		}
		return emptyPage(t, rowsOf(job, strings.Split(names, " ")))
	}
	for _, tc := range []struct {
		name, checks string // names of the entries of each check
		told         string // names told at each check
	}{
		{"empty for one check", "Cook Miller Baker;;Porter;Clerk Porter;Guard Clerk Porter", ";;Porter;Clerk;Guard"},
		{"empty for long", "Cook Miller Baker;;;;Porter;Clerk Porter", ";;;;Porter;Clerk"},
		{"an earlier one comes back", "Cook Miller Baker;;;Cook;Clerk Cook", ";;;;Clerk"},
		{"one is left, and replaced", "Cook Miller Baker;Cook;Porter;Clerk", ";;Porter;Clerk"},
		{"one is left of many", "Cook Miller Baker Smith Guide Diver;Cook;Cook;Porter", ";;;Porter"},
		{"three at once", "Cook Miller Baker;;;Porter Clerk Guard", ";;;Porter Clerk Guard"},
	} {
		m := New()
		var before *Page
		want := strings.Split(tc.told, ";")
		for k, names := range strings.Split(tc.checks, ";") {
			p := page(names)
			if b := before; b != nil {
				p.Before = func() (string, error) { return Text(b.Blocks), nil }
			}
			told, _ := look(t, m, p)
			var got []string
			for _, line := range told {
				if name, ok := strings.CutPrefix(line, "new "); ok {
					got = append(got, name[:strings.IndexByte(name, ' ')])
				}
			}
			if strings.Join(got, " ") != want[k] {
				t.Errorf("%s: check %d: told %q, want %q", tc.name, k+1, told, want[k])
			}
			m, before = memoryOf(t, bytesOf(t, m)), p
		}
	}
}

// TestWhatBeginsNoList is not told: parts of the text, of boilerplate, and what takes the place of something else.
func TestWhatBeginsNoList(t *testing.T) {
	const text = "<p>The barn is behind the mill, and has a stove.</p>"
	for _, tc := range []struct{ name, was, is string }{
		{"a paragraph more", text, text + "<p>Bring your own apron, and shoes that may get wet.</p>"},
		{"a paragraph changed", text, "<p>The barn is beside the mill, and has two stoves.</p>"},
		{"a section of a document", text, text + "<h2>Arrival</h2><p>Take the bus to the bridge, and walk along the river.</p>"},
		{"a teaser changed", `<div class="teaser"><h3><a href="/s">Summer in the mill</a></h3><p>Come and see.</p></div>`, `<div class="teaser"><h3><a href="/w">Winter in the mill</a></h3><p>Stay and see.</p></div>`},
		{"a counter", "<p>3 visitors</p>", "<p>4 visitors</p>"},
		{"a counter more", text, text + "<div><span>Visitors: 412</span></div>"},
		{"a link in a text", text, text + `<p>You find more in <a href="/a">our book</a>, which is sold here.</p>`},
		{"a linked heading in a side column", text, text + `<aside><h3><a href="/s">Summer in the mill</a></h3><p>Come and see.</p></aside>`},
		{"an entry of a menu", text + `<nav><ul><li><a href="/">Home</a></li></ul></nav>`, text + `<nav><ul><li><a href="/">Home</a></li><li><a href="/shop">Our new shop</a></li></ul></nav>`},
		{"a place on the page", text, text + `<ul><li><a href="#way">The way to us</a></li></ul>`},
		{"a notice, and then a text", "<p>No courses at present.</p>", "<p>All courses begin again in May.</p>"},
		{"a notice comes", text, text + "<p>No courses at present.</p>"},
		{"an entry beside a changed text", text, `<p>The barn is beside the mill.</p><ul><li><a href="/c">Grinding for beginners</a></li></ul>`},
		{"what was there in the text", "<p>Grinding for beginners</p>", `<ul><li><a href="/c">Grinding for beginners</a></li></ul>`},
		{"a button", text, text + `<ul><li><a href="/more">Read more</a></li></ul>`},
	} {
		m := New()
		before := emptyPage(t, tc.was)
		look(t, m, before)
		for range 2 {
			now := emptyPage(t, tc.is)
			if told := lookAfter(t, m, before, now); len(told) > 0 {
				t.Errorf("%s: told %q", tc.name, told)
			}
			before = now
		}
	}
	// At the first check, and after a page that is not known, nothing begins.
	m := New()
	if told, _ := look(t, m, emptyPage(t, `<ul><li><a href="/c">Grinding for beginners</a></li></ul>`)); len(told) > 0 {
		t.Errorf("at first: told %q", told)
	}
	if told, _ := look(t, m, emptyPage(t, `<ul><li><a href="/c">Sieves of silk</a></li></ul>`)); len(told) > 0 {
		t.Errorf("without the text before: told %q", told)
	}
}

// TestWhichLinesSayThatThereIsNothing in several languages.
func TestWhichLinesSayThatThereIsNothing(t *testing.T) {
	for line, want := range map[string]bool{
		"No open positions.": true, "Es gibt derzeit keine Ausschreibungen.": true, "Aucune offre": true, "Não há vagas": true, "0 Treffer": true, "Brak ofert": true,
		"該当する記事はありません。": true, "暂无数据": true, "Нет новостей": true, "등록된 글이 없습니다": true, "Kayıt bulunamadı.": true, "NONE": true,
		"Cook wanted": false, "Northern lights": false, "10 results": false, "": false, "Knots and ropes": false, "Nonet for winds": false,
		"We could not be happier: " + fmt.Sprint(strings.Repeat("the mill turns and turns. ", 5)): false,
	} {
		if got := saysNothing(line); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
}
