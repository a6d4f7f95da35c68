package article

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"plat/plat"
	"plat/plat/calendar"
)

// beside returns a page that has 60 words of prose too: names of elements around most of a page are not trusted.
func beside(t *testing.T, src string) *text { return textOf(t, src+"<p>"+worded(60)+".</p>") }

func TestNamesInMicrodata(t *testing.T) {
	long := strings.Repeat("x", maxItem)
	talk := `<div class="comments"><p>` + worded(100) + `</p><b itemprop="author">Ann Rivers</b></div>`
	for src, want := range map[string]string{
		`<b itemprop="author">Ann Rivers</b>`: "Ann Rivers", `<b property="schema:author">Ann Rivers</b>`: "Ann Rivers", `<b property="author">Ann</b>`: "Ann", `<b itemprop="coauthor">Ann</b>`: "", `<b itemprop="author name">Ann</b>`: "", `<b class="x" rel="author">Ann</b>`: "",
		`<meta itemprop="author" content="Ann"><b itemprop="author">Bob</b>`: "Bob", `<link itemprop="author" href="/a">`: "", `<b itemprop="author"></b><i itemprop="author">Bob</i>`: "Bob",
		`<b itemprop="author">Ann</b><i itemprop="author">Bob</i>`: "Ann", `<div itemscope><b itemprop="author">Ann</b><i itemprop="author">Bob</i></div>`: "Ann|Bob", `<div itemscope><b itemprop="author">Ann</b><p itemscope><i itemprop="author">Bob</i></p></div>`: "Ann",
		`<div itemscope><b itemprop="author"><i itemprop="author">Ann</i></b><i itemprop="author">Bob</i></div>`: "Ann|Bob",
		`<b itemprop="author"><i itemprop="name" content=" Ann  Rivers ">x</i></b>`:                              "Ann Rivers", `<b itemprop="author">by <i itemprop="name">Ann</i></b>`: "Ann", `<b itemprop="author">by <i itemprop="url">Ann</i></b>`: "Ann", `<b itemprop="name author">Ann</b>`: "",
		`<b itemprop="author">` + long + `</b>`: long, `<b itemprop="author">` + long + `x</b>`: "", `<b itemprop="author">` + long + `<i>x</i></b>`: "", `<b itemprop="author"><i itemprop="name" content="` + long + `x">x</i></b>`: long,
		`<b itemprop="author">Ann<script>x</script></b>`: "Ann", `<aside><b itemprop="author">Ann</b></aside>`: "", `<footer><b itemprop="author">Ann</b></footer>`: "", `<div class="related"><b itemprop="author">Ann</b></div>`: "",
		talk: "Ann Rivers", `<p>` + worded(90) + `</p>` + talk: "", `<div itemscope>` + strings.Repeat(`<b itemprop="author">Ann</b>`, maxAuthors+2) + `</div>`: strings.TrimSuffix(strings.Repeat("Ann|", maxAuthors), "|"),
	} {
		if got := strings.Join(beside(t, src).itemAuthors(), "|"); got != want {
			t.Errorf("%.90s: %q, want %q", src, got, want)
		}
	}
	for src, want := range map[string]string{
		`<p>The blog of <b property="cc:attributionName">Ann Rivers</b></p>`: "Ann Rivers", `<p>of <a rel="cc:attributionURL" href="/">Ann</a></p>`: "Ann", `<p>of <a rel="license" href="/">Ann</a></p>`: "", `<b property="cc:license">Ann</b>`: "", `<b property="cc:attributionName">Ann</b><b property="cc:attributionName">Bob</b>`: "Ann",
	} {
		if got := textOf(t, src).licensor(); got != want {
			t.Errorf("%s: the license names %q, want %q", src, got, want)
		}
	}
}

func TestOwnersOfSites(t *testing.T) {
	for _, tc := range []struct{ site, given, title, want string }{
		{"Ann Rivers", "Ann", "", "Ann Rivers"}, {"Ann Rivers", "ann", "", "Ann Rivers"}, {"Ann Rivers", "Bob", "", ""}, {"Ann Rivers", "", "", ""}, {"Dr. Ann Rivers", "", "", "Dr. Ann Rivers"}, {"Dr. Ann Rivers", "Ann", "", ""}, {"Professor Rivers", "", "", "Professor Rivers"},
		{"Ann", "Ann", "", ""}, {"Ann B. Rivers Stone", "Ann", "", "Ann B. Rivers Stone"}, {"Ann B. C. Rivers Stone", "Ann", "", ""}, {"", "Ann", "Pier – Ann Rivers", "Ann Rivers"}, {"Ann the diver", "Ann", "", ""},
	} {
		d := &declared{meta: map[string][]string{"og:site_name": {tc.site}}}
		if got := d.owner(tc.given, tc.title); got != tc.want {
			t.Errorf("%q of %q, %q: %q, want %q", tc.given, tc.site, tc.title, got, tc.want)
		}
	}
	// What a title has behind its headline names the site, within limits.
	long := strings.Repeat("x", maxDeclared-len(" – Quay"))
	for _, tc := range []struct{ headline, title, want string }{
		{"", "Pier – Quay", "Quay"}, {"", "Pier | Quay", "Quay"}, {"", "Pier - Quay - Works", "Works"}, {"", " – Quay", ""}, {"", "– Quay", ""}, {"Pier – Quay", "Pier – Quay", ""}, {"Pier", "Pier – Quay", "Quay"}, {"", "Pier-Quay", ""},
		{"", long + " – Quay", "Quay"}, {"", long + "xx – Quay", "Qu"},
	} {
		d := &declared{meta: map[string][]string{}}
		d.headline = tc.headline
		names := slices.DeleteFunc(d.siteNames(tc.title), func(s string) bool { return s == "" })
		if got := strings.Join(names, "|"); got != tc.want {
			t.Errorf("%.30q with the headline %q: %q, want %q", tc.title, tc.headline, got, tc.want)
		}
	}
}

func TestAuthorsThatThePageAgreesOn(t *testing.T) {
	by := func(name string) string { return `<p class="author">` + name + `</p>` }
	for src, want := range map[string]string{
		by("Ann Rivers"): "Ann Rivers", by("Ann Rivers") + by("Ann Rivers"): "Ann Rivers", by("Ann Rivers") + by("Bob Stone"): "", by("nobody") + by("Ann Rivers"): "Ann Rivers", by("Ann Rivers") + by("nobody"): "Ann Rivers", "<p>Ann Rivers</p>": "", by("Harbour Gazette"): "",
		by("Ann Rivers, Bob Stone, a diver"): "Ann Rivers|Bob Stone", by("Ann Rivers, " + worded(maxCredit-2)): "Ann Rivers", by("Ann Rivers, " + worded(maxCredit-1)): "", `<aside>` + by("Ann Rivers") + `</aside>`: "", `<nav>` + by("Ann Rivers") + `</nav>`: "", `<footer>` + by("Ann Rivers") + `</footer>`: "", `<form>` + by("Ann Rivers") + `</form>`: "", `<div class="comments">` + by("Ann Rivers") + `</div>`: "", `<div class="related">` + by("Ann Rivers") + `</div>`: "", `<div class="advertisement">` + by("Ann Rivers") + `</div>`: "",
	} {
		if got := strings.Join(beside(t, src).markedAuthors(map[string]bool{"": true, bareSite("Harbour Gazette"): true}), "|"); got != want {
			t.Errorf("%s: %q, want %q", src, got, want)
		}
	}
	for names, want := range map[string]string{"": "", "Ann Rivers": "Ann Rivers", "Ann Rivers;diver;Bob Stone": "Ann Rivers", "diver;Ann Rivers": "", "Ann Rivers;Bob Stone": "Ann Rivers|Bob Stone"} {
		if got := strings.Join(firstPersons(strings.Split(names, ";"), map[string]bool{"": true}), "|"); got != want {
			t.Errorf("of %q the persons %q, want %q", names, got, want)
		}
	}
}

func TestTheFirstPostOfAForum(t *testing.T) {
	post := func(class, user, day, more string) string {
		return `<div class="` + class + `"><p class="author">` + user + `</p><p class="date">` + day + `</p>` + more + `</div>`
	}
	prose := `<p>` + worded(60) + `.</p>`
	const comment, day = "comment", "17 February 2015"
	handle := strings.Repeat("x", maxHandle)
	for src, want := range map[string]string{
		post(comment, "rurutia", day, prose): "rurutia 2015-02-17", post(comment, "rurutia", day, prose) + post(comment, "quay7", "18 February 2015", prose): "rurutia 2015-02-17", "<p>Piers</p>" + post(comment, "rurutia", day, prose): "rurutia 2015-02-17",
		post("text", "rurutia", day, prose): " ", `<div class="comment">` + prose + `</div>` + post(comment, "rurutia", day, prose): " ", post(comment, "Ann Rivers", day, prose): " 2015-02-17", post(comment, handle, day, prose): handle + " 2015-02-17", post(comment, handle+"x", day, prose): " 2015-02-17", post(comment, "a:b", day, prose): " 2015-02-17",
		post(comment, "rurutia", "long ago", prose): "rurutia ", `<p>` + worded(35) + `.</p>` + post(comment, "rurutia", day, prose): "rurutia 2015-02-17", `<p>` + worded(45) + `.</p>` + post(comment, "rurutia", day, prose): " ",
		`<div class="comment"><aside>` + post("x", "quay7", "1 May 2015", "") + `</aside></div>` + post(comment, "rurutia", day, prose): "rurutia 2015-02-17", `<div class="comment"><nav>` + post("x", "quay7", "1 May 2015", "") + `</nav></div>` + post(comment, "rurutia", day, prose): "rurutia 2015-02-17", `<div class="comment"><form>` + post("x", "quay7", "1 May 2015", "") + `</form></div>` + post(comment, "rurutia", day, prose): "rurutia 2015-02-17",
	} {
		page := textOf(t, src+"<p>"+worded(20)+".</p>")
		got := strings.Join(page.firstPoster(0), "|") + " " + page.firstPost(0, calendar.Style{})
		if got != want {
			t.Errorf("%.80s: %q, want %q", src, got, want)
		}
		if again := strings.Join(page.firstPoster(-1), "|") + " " + page.firstPost(-1, calendar.Style{}); again != want {
			t.Errorf("%.80s: without a title %q", src, again)
		}
		if page.firstPoster(99) != nil || page.firstPost(99, calendar.Style{}) != "" {
			t.Errorf("%.80s: above the title", src)
		}
	}
}

func TestDaysOfThePage(t *testing.T) {
	first := `<p>First published on 26 Sep 2012.</p>`
	x := func(n int) string { return strings.Repeat("<p>x</p>", n) }
	for i, tc := range []struct {
		src        string
		begin, end int
		want       string
	}{
		{first + x(9), 0, 9, "2012-09-26"}, {x(7) + first + x(20), 10, 20, "2012-09-26"}, {x(6) + first + x(20), 10, 20, ""}, {x(12) + first + x(20), 10, 20, "2012-09-26"}, {x(13) + first + x(20), 10, 20, ""}, {x(17) + first + x(20), 10, 20, ""}, {x(18) + first + x(20), 10, 20, "2012-09-26"}, {x(25) + first + x(20), 10, 20, "2012-09-26"}, {x(26) + first + x(20), 10, 20, ""},
		{`<p>Published on 26 Sep 2012.</p>`, 0, 1, ""}, {`<p>First published: 26 Sep 2012, changed 1 May 2013</p>`, 0, 1, "2012-09-26"}, {`<p>On 1 May 2013; first published on, 26 Sep 2012</p>`, 0, 1, "2012-09-26"}, {`<p>First published ` + worded(2) + ` 26 Sep 2012</p>`, 0, 1, ""}, {`<div class="comments">` + first + `</div>`, 0, 1, ""}, {`<div class="related">` + first + `</div>`, 0, 1, ""}, {`<nav>` + first + `</nav>`, 0, 1, ""},
		{`<p>First published on 26 Sep 2012` + strings.Repeat(".", calendar.MaxText-len("First published on 26 Sep 2012")) + `</p>`, 0, 1, "2012-09-26"}, {`<p>First published on 26 Sep 2012` + strings.Repeat(".", calendar.MaxText-len("First published on 26 Sep 2012")+1) + `</p>`, 0, 1, ""},
	} {
		if got := beside(t, tc.src).originalDate(tc.begin, tc.end, calendar.Style{}); got != tc.want {
			t.Errorf("case %d, %.60s: first published %q, want %q", i, tc.src, got, tc.want)
		}
	}
	date := func(s string) string { return `<p class="date">` + s + `</p>` }
	for i, tc := range []struct {
		src        string
		begin, end int
		want       string
	}{
		{date("26 Sep 2012") + x(3), 1, 3, "2012-09-26"}, {x(3) + date("26 Sep 2012"), 0, 3, "2012-09-26"}, {x(1) + date("26 Sep 2012") + x(3), 0, 4, ""}, {date("26 Sep 2012") + date("26 Sep 2012") + x(3), 2, 4, "2012-09-26"}, {date("26 Sep 2012") + date("27 Sep 2012") + x(3), 2, 4, ""}, {date("26 Sep 2012") + x(3) + date("27 Sep 2012"), 1, 4, "2012-09-26"}, {date("26 Sep 2012") + date("27 Sep 2012") + x(3) + date("1 May 2013"), 2, 4, "2013-05-01"},
		{"<p>26 Sep 2012</p>" + x(3), 1, 3, ""}, {`<p><time datetime="2012-09-26">x</time></p>` + x(3), 1, 3, "2012-09-26"}, {`<aside>` + date("26 Sep 2012") + `</aside>` + x(3), 1, 3, ""}, {`<footer>` + date("26 Sep 2012") + `</footer>` + x(3), 1, 3, ""}, {`<div class="comments">` + date("26 Sep 2012") + `</div>` + x(3), 1, 3, ""}, {`<figcaption>` + date("26 Sep 2012") + `</figcaption>` + x(3), 1, 3, ""}, {date("26 Sep 2012"), 9, 9, "2012-09-26"},
	} {
		if got := beside(t, tc.src).markedDate(tc.begin, tc.end, calendar.Style{}); got != tc.want {
			t.Errorf("case %d, %.60s: marked %q, want %q", i, tc.src, got, tc.want)
		}
	}
	const changed = `<p>Last updated on 10 July 2015</p>`
	for i, tc := range []struct {
		src  string
		end  int
		want string
	}{
		{x(2) + changed, 2, "2015-07-10"}, {x(2) + changed + x(1), 3, ""}, {x(40) + changed, 2, "2015-07-10"}, {x(2) + `<p>Published on 10 July 2015</p>`, 2, ""}, {x(2) + `<p>10 July 2015</p>` + changed, 2, "2015-07-10"}, {x(2) + `<div class="comments">` + changed + `</div>`, 2, ""}, {x(2) + `<div class="related">` + changed + `</div>`, 2, ""}, {x(2) + `<p>Last updated on 10 July 2015, ` + worded(maxLine) + `</p>`, 2, ""}, {changed, 9, ""},
	} {
		if got := beside(t, tc.src).lastChange(tc.end, calendar.Style{}); got != tc.want {
			t.Errorf("case %d, %.60s: changed %q, want %q", i, tc.src, got, tc.want)
		}
	}
}

// TestWhatSaysWhoWroteAText: its summary, its ends, a label in its second half, a box about the author, brackets at its end.
func TestWhatSaysWhoWroteAText(t *testing.T) {
	x := func(n int) string { return strings.Repeat("<p>x</p>", n) }
	const wrote, label, box, brackets = `<p>This article was written by Ann Rivers.</p>`, `<p>Author: Ann Rivers</p>`, `<p>About the author</p><p>Ann Rivers</p>`, `<p>It is so. (Ann Rivers)</p>`
	for i, tc := range []struct {
		src        string
		begin, end int
		want       bool
	}{
		{wrote + x(9), 0, 9, true}, {x(2) + wrote + x(9), 0, 10, true}, {x(3) + wrote + x(9), 0, 10, false}, {x(7) + wrote + x(9), 0, 10, true}, {x(6) + wrote + x(9), 0, 10, false}, {x(10) + wrote + x(9), 0, 10, false}, {x(2) + wrote + x(9), 5, 12, true}, {x(1) + wrote + x(9), 5, 12, false},
		{x(5) + label + x(9), 0, 10, true}, {x(4) + label + x(9), 0, 10, false}, {x(9) + label + x(9), 0, 10, true}, {x(10) + label + x(9), 0, 10, false}, {x(6) + `<p>Author Ann Rivers</p>` + x(9), 0, 10, false}, {x(6) + `<p>Author: nobody</p>` + x(9), 0, 10, false},
		{x(2) + box + x(9), 0, 4, true}, {x(4+maxAfter-2) + box, 0, 4, true}, {x(4+maxAfter-1) + box, 0, 4, false}, {x(9) + `<p>About the author:</p><p>Ann Rivers<br>Diver</p>` + x(3), 0, 4, true}, {x(9) + `<div class="related">` + box + `</div>`, 0, 4, false}, {x(9) + `<p>About the author</p><p>Ann Rivers, ` + worded(maxLine) + `</p>`, 0, 4, false}, {x(9) + `<p>About the author</p>`, 0, 10, false}, {x(9) + `<p>About the pier</p><p>Ann Rivers</p>`, 0, 10, false},
		{x(9) + brackets, 0, 10, true}, {x(7) + brackets + x(2), 0, 10, true}, {x(6) + brackets + x(3), 0, 10, false}, {x(10) + brackets, 0, 10, true}, {x(9) + `<p>It is so (Ann Rivers)</p>`, 0, 10, false}, {x(9) + `<p>It is so. (Ann Rivers) Or not.</p>`, 0, 10, false}, {brackets, 0, 1, true}, {x(9) + `<p>It is so. (Harbour works)</p>`, 0, 10, false},
	} {
		got := beside(t, tc.src).saidToWrite(&declared{}, tc.begin, tc.end, map[string]bool{"": true})
		if want := map[bool]string{true: "[Ann Rivers]", false: "[]"}[tc.want]; fmt.Sprint(got) != want {
			t.Errorf("case %d, %.80s: %q, want %s", i, tc.src, got, want)
		}
	}
	for _, summary := range []string{"description", "og:description"} {
		d := &declared{meta: map[string][]string{summary: {"A story written by Ann Rivers"}}}
		if got := textOf(t, x(9)).saidToWrite(d, 0, 9, map[string]bool{"": true}); len(got) != 1 {
			t.Errorf("the %s: %q", summary, got)
		}
	}
}

// The probabilities of a page are those of its passages; a page without nodes has none, and no title.
func TestProbabilitiesOfNodes(t *testing.T) {
	s := rendered(t, `<title>The pier closes</title><h1>The pier closes</h1>`+tail)
	r := Look(s)
	main := r.Main()
	if len(main) != len(s.Nodes) {
		t.Fatalf("%d probabilities of %d nodes", len(main), len(s.Nodes))
	}
	texts := 0
	for i := range r.all {
		q := &r.all[i]
		for n := q.first; n <= q.last; n++ {
			if main[n] != r.main[i] {
				t.Errorf("node %d has %v, its passage %v", n, main[n], r.main[i])
			}
			texts++
		}
	}
	others := 0
	for _, p := range main {
		if p == 0 {
			others++
		}
	}
	if texts == 0 || others < len(main)-texts {
		t.Errorf("%d nodes of passages, %d without a probability, of %d", texts, others, len(main))
	}
	if Title(s) != "The pier closes" {
		t.Errorf("the title is %q", Title(s))
	}
	empty := Look(&plat.Snapshot{})
	if empty.Main() != nil || Title(&plat.Snapshot{}) != "" || empty.Article(&plat.Page{}).Text != "" || Extract(&plat.Snapshot{}).Title != "" {
		t.Error("a page without nodes")
	}
}

// Titles of one word, and those that are only the site's name, are used if there is nothing else.
func TestWhichDeclaredTitlesSaySomething(t *testing.T) {
	for _, tc := range []struct {
		meta  map[string][]string
		title string
		want  string // the declared ones, and the fallback behind a slash
	}{
		{nil, "The pier", "The pier/"}, {nil, "Pier", "/Pier"}, {nil, "", "/"}, {map[string][]string{"og:title": {"The pier closes"}}, "Pier", "The pier closes/Pier"}, {map[string][]string{"og:title": {"Pier"}}, "The pier", "The pier/Pier"}, {map[string][]string{"og:title": {"Pier"}, "twitter:title": {"Quay"}}, "", "/Pier"},
		{map[string][]string{"og:title": {"Harbour Gazette"}, "og:site_name": {"Harbour Gazette"}}, "The pier – Harbour Gazette", "The pier/Harbour Gazette"}, {map[string][]string{"og:title": {"A pier"}, "dc.title": {"Two piers"}}, "The pier", "A pier|Two piers|The pier/"},
	} {
		d := &declared{meta: tc.meta}
		all, fallback := d.titles(tc.title)
		var got []string
		for _, a := range all {
			got = append(got, a.text)
		}
		if s := strings.Join(got, "|") + "/" + fallback; s != tc.want {
			t.Errorf("%v, %q: %q, want %q", tc.meta, tc.title, s, tc.want)
		}
	}
}
