package article

import (
	"strings"
	"testing"
)

func TestWhoLooksLikeAPerson(t *testing.T) {
	for s, want := range map[string]bool{
		"The Rivers": false, "the Rivers Ann": false, "Theo Rivers": true, "Lead Writer": false, "Ann Writer": false, "Professor Rivers": true, "Ann Professor": false, "Projektleiterin Ann": false, "Leiterin Ann": true, "Ann Gazette": false, "Ann Inc.": false, "Ann Comments": false, "Ann, Ltd": false,
		"Ann rivers": false, "Ann van": true, "ann Rivers": false, "van Rivers": true, "Ann de la Rivers": true, "ann de la Rivers": false, "Ann B. de la": true, "a b Rivers Stone": true, "a b c Rivers": false, "山田 太郎": true, "山田太郎": true, "山": false, "山田太郎山": false, "山田太a": false, "新闻网": false, "人民日报": false, "编辑部": false, "记者": false, "作者": false,
		"Ann a.test": false, "Ann A.Test": true, "Ann J.": true, "Ann J.r": true, "Ann x.y.Z": false, "Ann 'Rivers": false, "Ann O'Rivers": true, "“Ann Rivers": false, "Ann: Rivers": false, "Ann/Bob Rivers": false, "Ann Rivers!": false, "Ann Rivers?": false, "Ann #Rivers": false, "Ann_B Rivers": false, "Ann & Rivers": false, "Ann | Rivers": false,
	} {
		if got := looksLikePerson(s); got != want {
			t.Errorf("%q looks like a person: %v", s, got)
		}
	}
	for s, want := range map[string]bool{"Ann Rivers": false, "Harbour Gazette": true, "Harbour Gazette,": true, "admin": true, "Published": true, "Posts by": true, "": false, "Ann Press.": true} {
		if looksLikeFirm(s) != want {
			t.Errorf("%q looks like a firm: %v", s, !want)
		}
	}
	for s, want := range map[string]bool{"Writer": true, "lead writer,": true, "Professor Ann": false, "Ann, professor": true, "Projektleiterin": true, "Chefredakteur": true, "Leiter": false, "rewriter": false, "": false} {
		if isOffice(s) != want {
			t.Errorf("%q is an office: %v", s, !want)
		}
	}
	for s, want := range map[string]string{
		"Ann Rivers Environment reporter": "Ann Rivers", "Chief Correspondent Ann Rivers": "Ann Rivers", "Ann Rivers reporter": "Ann Rivers reporter", "reporter Ann": "reporter Ann", "reporter Ann Rivers Stone": "Ann Rivers Stone", "writer Ann Rivers editor reporter": "writer Ann", "Ann": "Ann", "reporter": "reporter",
	} {
		if got := withoutOffice(s); got != want {
			t.Errorf("%q without the office is %q, want %q", s, got, want)
		}
	}
	for s, want := range map[string]string{
		"ANN RIVERS Harbour Gazette": "ANN RIVERS", "ANN Harbour Gazette": "ANN Harbour Gazette", "ANN RIVERS": "ANN RIVERS", "ANN RIVERS Stone": "ANN RIVERS Stone", "ANN B RIVERS Daily": "ANN B RIVERS Daily", "ANN RIVERS Record/Press": "ANN RIVERS", "Ann RIVERS Daily": "Ann RIVERS Daily", "山田 太郎 daily": "山田 太郎 daily",
	} {
		if got := inCapitals(s); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
	for s, want := range map[string]string{"The Gazette": "gazette", "the gazette": "gazette", "The": "the", "The ": "the", "Theo": "theo", "Gazette, The": "gazettethe", "": ""} {
		if got := bareSite(s); got != want {
			t.Errorf("the site %q is %q, want %q", s, got, want)
		}
	}
}

func TestPersonsAmongNames(t *testing.T) {
	sites := map[string]bool{"": true, bareSite("Rivers Works"): true}
	many := strings.TrimSuffix(strings.Repeat("diver;", maxPersons), ";")
	var all []string
	for i := range maxAuthors + 2 {
		all = append(all, "Ann Rivers"+string(rune('a'+i)))
	}
	for names, want := range map[string]string{
		"Ann Rivers;Bob Stone": "Ann Rivers;Bob Stone", "Ann Rivers;ann rivers;Ann Rivers": "Ann Rivers", "Ann Rivers;Lead Writer;Bob Stone": "Ann Rivers", "Lead Writer;Ann Rivers": "Ann Rivers", "Lead Writer Ann Rivers;Bob Stone": "Ann Rivers;Bob Stone", "Rivers Works;Ann Rivers": "Ann Rivers", "The Rivers Works": "", "diver;Ann Rivers": "Ann Rivers", "": "", "ANN RIVERS Daily Press": "ANN RIVERS",
		many + ";Ann Rivers": "", strings.TrimPrefix(many, "diver;") + ";Ann Rivers": "Ann Rivers", strings.Join(all, ";"): strings.Join(all[:maxAuthors], ";"),
	} {
		if got := strings.Join(persons(strings.Split(names, ";"), sites), ";"); got != want {
			t.Errorf("of %.80q the persons %q, want %q", names, got, want)
		}
	}
}

func TestNamesOfOneWord(t *testing.T) {
	for name, want := range map[string]string{
		"admiral42": "admiral42", "IANS": "IANS", "Harbour Works": "Harbour Works", "One Two Three Four": "One Two Three Four", "One Two Three Four Five": "", "": "", "42": "", "Find me": "", "Ann van Rivers": "Ann van Rivers", "quay quay.test": "quay quay.test", "Ann: x": "", "Who?": "", "Go!": "", "Writer": "", "Published": "", "admin3": "", "comments": "",
		strings.Repeat("x", 40): strings.Repeat("x", 40), strings.Repeat("x", 41): "", "3 May 2026": "", "by quay7": "quay7", "“quay7”": "quay7",
	} {
		if got := strings.Join(oneName([]string{name, "other"}), "|"); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
	if oneName(nil) != nil {
		t.Error("of no names there is one")
	}
}

func TestHowBylinesAreSplit(t *testing.T) {
	for s, want := range map[string]string{
		"Ann Rivers <ann at quay.test>": "Ann Rivers", "An <x>": "An <x>", "Ann <x>": "Ann", "Ann Rivers@annrivers": "Ann Rivers", "Ann@x": "Ann@x", "Anna@x": "Anna", "Ann Rivers ann@quay.test": "Ann Rivers", "Ann Rivers ann@quay": "Ann Rivers ann", "Al ann@quay.test": "Al ann",
		"Ann Rivers/dpa": "Ann Rivers|dpa", "det/dpa": "det/dpa", "Ann Rivers|Bob Stone": "Ann Rivers|Bob Stone", "Ann Rivers | Bob|Cy": "Ann Rivers", "admiral42": "admiral42", "Ann Rivers 42": "Ann Rivers", "Ann 42": "Ann", "Al 42": "Al 42", "Ann42 Rivers": "Ann42 Rivers", "Anna42 Rivers": "Anna", "Ann Rivers, May 3": "Ann Rivers", "Ann May 3": "Ann", "May 3": "May",
		"张三 编辑：李四": "张三", "编辑：李四": "", "张三 欧阳小明": "张三|欧阳小明", "张三 Ann": "张三 Ann", "张三、李四": "张三|李四", "Ann Rivers und Bob": "Ann Rivers|Bob", "Ann y Bob": "Ann|Bob", "Ann; Bob": "Ann|Bob", "Ann with Bob": "Ann|Bob", "Ann + Bob": "Ann|Bob",
		"Ann Rivers, MD": "Ann Rivers, MD", "MD, Ann": "MD|Ann", "Ann, PhD, MD": "Ann, PhD, MD", "Ann, , Bob": "Ann|Bob", "Ann Rivers on Monday": "Ann Rivers", "A on B": "A on B", "Al on B": "Al", "Ann Rivers – Quay": "Ann Rivers", "Ann\nRivers": "Ann", "http://a.test": "",
	} {
		if got := strings.Join(splitNames(s), "|"); got != want {
			t.Errorf("%q is split into %q, want %q", s, got, want)
		}
	}
	long := strings.Repeat("x", 57)
	for s, want := range map[string]string{
		"By Ann": "Ann", "by\nAnn": "Ann", "by:Ann": "Ann", "By": "", "By ": "Ann"[:0], "Byron": "", "ByRon": "Ron", "Byron Ann": "", "VonAnn": "Ann", "Vonn": "", "作者：张三": "张三", "作者/张三": "张三", "by/Ann": "", "Text von Ann": "Ann", "Review by Ann": "Ann", "Eine Glosse von Ann": "Ann", "A b by Ann": "",
		"Posted by Ann": "Ann", "Posted in Quays by Ann": "Ann", "Published for all by Ann": "Ann", "Seen by Ann": "", "3 May 2026 by Ann": "Ann", "3 May 2026\nby Ann": "Ann", "posted " + long + " 3 May 2026 by Ann": "Ann", "posted " + long + "xxxxxxx 3 May 2026 by Ann": "",
	} {
		got, ok := afterByline(s)
		if !ok {
			got = ""
		}
		if got != want || !ok && got != "" {
			t.Errorf("behind the byline of %q is %q, want %q", s, got, want)
		}
	}
	for part, want := range map[string]string{"News by Ann Rivers": "Ann Rivers", "One two three by Ann": "Ann", "One two three four by Ann": "", "Notizen von Ann": "Ann", "by Ann": "", "News at Ann": ""} {
		if got, ok := behind(part); got != want || ok != (want != "") {
			t.Errorf("behind the topic of %q is %q, want %q", part, got, want)
		}
	}
	for src, want := range map[string]string{
		`<a rel="author" href="/x">Ann Rivers</a>`: "Ann Rivers", `<a rel="nofollow author">Ann Rivers</a>`: "Ann Rivers", `<a rel="coauthor">Ann Rivers</a>`: "", `<b class="x fn">Ann Rivers</b>`: "Ann Rivers", `<b class="fnx">Ann Rivers</b>`: "", `<b class="p-author">Ann Rivers</b>`: "Ann Rivers", `<b class="h-card"><i><u>Ann Rivers</u></i></b>`: "Ann Rivers", `<b class="h-card"><i><u><s>Ann Rivers</s></u></i></b>`: "",
		`<b itemprop="author">Ann Rivers</b>`: "Ann Rivers", `<b itemprop="name">Ann Rivers</b>`: "", `<a href="/author/ann">Ann Rivers</a>`: "Ann Rivers", `<a href="/authors/ann/">Ann Rivers</a>`: "Ann Rivers", `<a href="/author/">Ann Rivers</a>`: "", `<a href="/author/ann/posts">Ann Rivers</a>`: "", `<a href="/@ann?x">Ann Rivers</a>`: "Ann Rivers", `<b href="/author/ann">Ann Rivers</b>`: "", `<a href="/author/` + strings.Repeat("x", maxName) + `">Ann Rivers</a>`: "",
		`<a href="/author/ann">Ann Rivers</a> and <a href="/author/bob">Bob Stone</a>`: "Ann Rivers|Bob Stone",
	} {
		page := textOf(t, "<p>"+src+"</p>")
		if got := strings.Join(page.linked(&page.all[0]), "|"); got != want {
			t.Errorf("%.70s: linked are %q, want %q", src, got, want)
		}
	}
}

// A line names its author without a word if it is one of bylines, or right below the title with a date and a time to read.
func TestLinesThatNameTheirAuthors(t *testing.T) {
	for src, want := range map[string]bool{
		`<p class="byline">Ann Rivers</p>`: true, `<p class="byline"><a href="/x">Ann</a> Rivers</p>`: false, `<p>Ann Rivers</p>`: false, `<p>Ann Rivers, 3 May 2026, 5 min read</p>`: true, `<p>Ann Rivers, 3 May 2026</p>`: false, `<p>Ann Rivers, 5 min read</p>`: false, `<p><a href="/x">Ann</a> Rivers, 3 May 2026, 5 min read</p>`: false,
	} {
		page := textOf(t, "<p>x</p>"+src+"<p>"+worded(60)+"</p>")
		q := &page.all[1]
		l, _ := readLine(page.spaced(q), page.dates())
		for title, near := range map[int]bool{-1: true, 0: true, 1: false, -2: false} {
			marked := strings.Contains(src, "byline")
			if got := page.named(q, &l, 1, title); got != (want && (marked || near)) {
				t.Errorf("%s, with the title at %d: %v", src, title, got)
			}
		}
	}
}
