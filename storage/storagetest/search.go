package storagetest

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"plat/plat"
	"plat/storage"
)

// passage is a synthetic block with chosen words.
type passage struct {
	lineage int32
	label   plat.Label
	topic   string
	html    string
}

// issue returns version n of a URL, captured hours after day.
func issue(url string, n, hours int, passages ...passage) *storage.Commit {
	const html = "<html><body></body></html>"
	v := &plat.Version{URL: url, N: n, Taken: after(hours), Level: 3, Profile: "visual", Coverage: 1, Lineages: 99,
		Blocks:  []plat.Block{{Run: 1, Parent: -1, Tag: "html", Slot: -1}},
		Capture: plat.Capture{FinalURL: url, Status: 200}}
	layout := plat.Layout{HTML: []byte(html)}
	for i, p := range passages {
		layout.Slots = append(layout.Slots, int32(len("<html><body>")))
		v.Blocks = append(v.Blocks, plat.Block{Path: []int32{0, 1, int32(i)}, Run: 1, Parent: 0, Level: 1, Rule: 8, Tag: "div", Slot: int32(i),
			Hash: plat.HashOf([]byte(p.html)), Content: []byte(p.html), Label: p.label, Topic: p.topic, Lineage: p.lineage})
	}
	v.Layout = layout.Sum()
	return &storage.Commit{Version: v, Layout: layout, Visit: plat.Visit{URL: url, Time: v.Taken, Outcome: plat.OutcomeChanged, Version: n, Status: 200}}
}

func index(t testing.TB, s storage.Store) {
	t.Helper()
	if err := s.Index(t.Context(), nil); err != nil {
		t.Fatalf("Index = %v", err)
	}
}

func search(t testing.TB, s storage.Store, q storage.Search) storage.Results {
	t.Helper()
	r, err := s.Search(t.Context(), q)
	if err != nil {
		t.Fatalf("Search(%+v) = %v", q, err)
	}
	return r
}

// names returns the hits as URL, version and lineage, in order.
func names(r storage.Results) string {
	var all []string
	for _, h := range r.Hits {
		all = append(all, fmt.Sprintf("%s@%d/%d", strings.TrimPrefix(h.URL, "https://"), h.First, h.Lineage))
	}
	return strings.Join(all, " ")
}

func testSearch(t *testing.T, open func(testing.TB) storage.Store, size int) {
	t.Run("words", func(t *testing.T) { testSearchWords(t, open(t)) })
	t.Run("a content that disappears and returns has two spans", func(t *testing.T) { testSearchReturns(t, open(t)) })
	t.Run("hits are sorted by score", func(t *testing.T) { testSearchOrder(t, open(t)) })
	t.Run("results equal those of an exhaustive search", func(t *testing.T) { testSearchAll(t, open(t), size) })
	t.Run("pagination is consistent", func(t *testing.T) { testSearchPages(t, open(t), size) })
	t.Run("unindexed URLs are counted as behind", func(t *testing.T) { testIndexBehind(t, open(t)) })
	t.Run("a continued index equals one built in one pass", func(t *testing.T) { testIndexContinued(t, open, size) })
	t.Run("an index built concurrently and interrupted is the same", func(t *testing.T) { testIndexTogether(t, open, size) })
}

func testSearchWords(t *testing.T, s storage.Store) {
	commit(t, s, issue("https://a.test/", 1, 0,
		passage{1, plat.LabelMain, "Ferry times", `<p class="secret">The <b>Harbour</b> ferry leaves at noon.</p><p>No ferry on Sunday, the harbour is closed.</p>`},
		passage{2, plat.LabelFooter, "", "<p>Café Ärger, naïve e-mail don't &amp; Straße co\u00ADoperate</p>"},
		passage{3, plat.LabelMain, "上海新闻", `<div>北京大学今日开放，上海的学生参观。</div>`},
		passage{4, plat.LabelMain, "", `<div>Ｆｕｌｌ ｗｉｄｔｈ 서울에서 Москва</div>`},
		passage{5, plat.LabelMain, "", "<p>Donau\u00ADdampf\u200Bschiff li\u2060n\u200Der می\u200Cخواهم</p><p><ruby>体<rp>(</rp><rt>たい</rt>罰<rt>ばつ</rt></ruby>を禁止</p>"},
	))
	index(t, s)
	for words, want := range map[string]string{
		"ferry":                    "1",
		"FERRY Harbour":            "1",
		"ferry harbor":             "",
		"ferries":                  "",  // no stemming
		"secret":                   "",  // markup
		"times":                    "1", // only in the topic
		`"harbour ferry"`:          "1",
		`"ferry harbour"`:          "",
		`"noon no"`:                "1", // adjacent across markup
		`“harbour ferry” noon`:     "1",
		`"harbour ferry`:           "1", // not closed
		`"ferry times"`:            "1",
		`"times ferry"`:            "",
		`"ferry times harbour"`:    "", // phrases do not span topic and text
		"ferry -sunday":            "",
		"ferry -monday":            "1",
		`harbour -"ferry harbour"`: "1",
		`harbour -"harbour ferry"`: "",
		"cafe arger NAIVE":         "2",
		"café":                     "2",
		"cafe\u0301":               "2",
		"e-mail":                   "2",
		`"mail e"`:                 "",
		"don't":                    "2",
		"don’t":                    "2",
		"cooperate":                "2",
		"donaudampfschiff":         "5",
		"Donau\u200Bdampfschiff":   "5",
		"Donau":                    "",
		"liner":                    "5",
		"میخواهم":                  "5",
		"می\u200Cخواهم":            "5",
		"体罰を禁止":                    "5", // without the reading
		"たいばつ":                     "5",
		"strasse":                  "", // ß is not folded to ss
		"北京":                       "3",
		"京大":                       "3", // part of a name
		"北大":                       "",
		"北京大学 上海":                  "3",
		"北京大学，上海":                  "3", // the comma separates two names
		"上海新闻":                     "3",
		"大学上海":                     "",
		"学":                        "3",
		"北京大学 -上海":                 "",
		"full width":               "4",
		"서울에서":                     "4",
		"москва":                   "4",
		"МОСКВА -Київ":             "4",
	} {
		r := search(t, s, storage.Search{Words: words})
		got := ""
		for _, h := range r.Hits {
			got += fmt.Sprint(h.Lineage)
		}
		if got != want || r.Total != len(want) || r.More || r.Behind != 0 {
			t.Errorf("%s finds blocks %q of %d, want %q", words, got, r.Total, want)
		}
	}
	for _, words := range []string{"", " ", "…", `"`, `""`, "-", "- -", `-""`, "“”", "---", "()"} {
		if r := search(t, s, storage.Search{Words: words}); r.Total != 5 {
			t.Errorf("%q has no words and finds %d, want all 5", words, r.Total)
		}
	}
	if r := search(t, s, storage.Search{Words: "-ferry"}); r.Total != 4 {
		t.Errorf("without ferry there are %d, want 4", r.Total)
	}
	for _, words := range []string{
		`AND`, `ferry OR`, `NOT ferry`, `NEAR(ferry harbour)`, `text:ferry`, `{topic}: ferry`, `ferry*`, `^ferry`, `"ferry" + "harbour"`, `'; DROP TABLE spans`,
		"\x00", "\xff\xfe", `\`, `a"b"c`, `((((`, `"a" "b`, `$all`, `{"$gt": ""}`, strings.Repeat("ferry harbour ", 5000), strings.Repeat("x", 1<<20), strings.Repeat("中", 5000), strings.Repeat("-a ", 5000),
	} {
		if _, err := s.Search(t.Context(), storage.Search{Words: words, URL: words, Host: words, Labels: []plat.Label{plat.Label(words)}}); err != nil {
			t.Errorf("Search(%.40q) = %v", words, err)
		}
		if _, err := s.Search(t.Context(), storage.Search{Words: words}); err != nil {
			t.Errorf("Search(%.40q) = %v", words, err)
		}
	}
}

func testSearchReturns(t *testing.T, s storage.Store) {
	const url = "https://a.test/"
	notice := passage{1, plat.LabelMain, "Notice", "<p>The ferry is late</p>"}
	other := passage{1, plat.LabelMain, "Notice", "<p>All is well</p>"}
	foot := passage{2, plat.LabelFooter, "", "<p>Imprint</p>"}
	commits := []*storage.Commit{issue(url, 1, 0, foot), issue(url, 2, 10, notice, foot), issue(url, 3, 20, notice, foot), issue(url, 4, 30, other, foot), issue(url, 5, 40, notice)}
	for _, c := range commits {
		commit(t, s, c)
	}
	index(t, s)
	block := func(n int) plat.Block {
		b := commits[n-1].Version.Blocks[1]
		b.Content, b.Text = nil, ""
		return b
	}
	h := plat.HashOf([]byte(notice.html))
	want := []storage.Span{
		{URL: url, Lineage: 1, Hash: h, First: 5, Since: after(40), Last: 5, Block: block(5)},
		{URL: url, Lineage: 1, Hash: h, First: 2, Since: after(10), Last: 3, Gone: 4, Until: after(30), Block: block(2)},
	}
	var got []storage.Span
	for _, h := range search(t, s, storage.Search{Words: "ferry"}).Hits {
		got = append(got, h.Span)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("found\n%+v, want\n%+v", got, want)
	}
	for what, tc := range map[string]struct {
		q    storage.Search
		want string
	}{
		"gone":                               {storage.Search{Gone: true}, "a.test/@4/1 a.test/@2/1 a.test/@1/2"},
		"standing":                           {storage.Search{Standing: true}, "a.test/@5/1"},
		"gone and standing":                  {storage.Search{Gone: true, Standing: true}, ""},
		"standing at its first instant":      {storage.Search{Words: "late", Since: after(10), Until: after(10).Add(1)}, "a.test/@2/1"},
		"not yet":                            {storage.Search{Words: "late", Until: after(10)}, ""},
		"no more at the instant it was gone": {storage.Search{Words: "late", Since: after(30), Until: after(40)}, ""},
		"a moment before":                    {storage.Search{Words: "late", Since: after(30).Add(-1), Until: after(40)}, "a.test/@2/1"},
		"from then on":                       {storage.Search{Words: "late", Since: after(31)}, "a.test/@5/1"},
		"in both":                            {storage.Search{Words: "late", Since: after(15), Until: after(50)}, "a.test/@5/1 a.test/@2/1"},
	} {
		if got := names(search(t, s, tc.q)); got != tc.want {
			t.Errorf("%s: found %s, want %s", what, got, tc.want)
		}
	}
	// One more version extends the open spans.
	commit(t, s, issue(url, 6, 50, notice, foot))
	index(t, s)
	if r := search(t, s, storage.Search{Words: "ferry", Standing: true}); len(r.Hits) != 1 || r.Hits[0].Last != 6 {
		t.Errorf("standing since version 5 is %+v, want Last 6", r.Hits)
	}
}

func testSearchOrder(t *testing.T, s storage.Store) {
	commit(t, s, issue("https://a.test/", 1, 0,
		passage{1, plat.LabelMain, "Rain", "<p>It rains and the boats stay in the port for a day or two, they say.</p>"},
		passage{2, plat.LabelMain, "Ferry", "<p>It rains and the ferry stays in the port for a day or two, they say.</p>"},
		passage{3, plat.LabelMain, "Rain", "<p>It rains and the ferry stays in the port for a day or two, they say.</p>"},
		passage{4, plat.LabelMain, "Rain", "<p>It rains and the ferry, the other ferry too, stays in the port, they say.</p>"},
		passage{5, plat.LabelMain, "Rain", "<p>Sun</p>"}, passage{6, plat.LabelMain, "Rain", "<p>Fog</p>"}, passage{7, plat.LabelMain, "Rain", "<p>Ice</p>"}, passage{8, plat.LabelMain, "Rain", "<p>Hail</p>"},
	))
	// As good as 3, but later.
	commit(t, s, issue("https://b.test/", 1, 5, passage{9, plat.LabelMain, "Rain", "<p>It rains and the ferry stays in the port for a day or two, they say.</p>"}))
	index(t, s)
	r := search(t, s, storage.Search{Words: "ferry"})
	if got, want := names(r), "a.test/@1/2 a.test/@1/4 b.test/@1/9 a.test/@1/3"; got != want {
		t.Errorf("found %s, want %s", got, want)
	}
	for i := range r.Hits[1:] {
		if r.Hits[i+1].Score > r.Hits[i].Score || r.Hits[i].Score <= 0 {
			t.Errorf("scores %g, %g are not falling, or none", r.Hits[i].Score, r.Hits[i+1].Score)
		}
	}
	// Without words, the latest come first, within a version in page order.
	if got, want := names(search(t, s, storage.Search{Limit: 3})), "b.test/@1/9 a.test/@1/1 a.test/@1/2"; got != want {
		t.Errorf("without words found %s, want %s", got, want)
	}
}

// many commits histories of several URLs, and returns their spans.
func many(t testing.TB, s storage.Store, size int) (all []*storage.Span, urls []string) {
	for i := range 4 {
		url := fmt.Sprintf("https://%c.test/p%d", 'a'+i/2, i)
		commits := history(t, s, url, uint64(70+i), 4+size/4)
		urls = append(urls, url)
		fold := storage.NewSpans(url, nil)
		for _, c := range commits {
			opened, _ := fold.Add(c.Version)
			all = append(all, opened...)
		}
	}
	return all, urls
}

func testSearchAll(t *testing.T, s storage.Store, size int) {
	all, urls := many(t, s, size)
	index(t, s)
	mid := all[len(all)/2].Since
	for _, q := range []storage.Search{
		{}, {Gone: true}, {Standing: true}, {Words: "the"}, {Words: "the water"}, {Words: "the -of"}, {Words: "-the -of"}, {Words: `"of the"`}, {Words: "北京"}, {Words: "新闻 the"},
		{Words: "новости"}, {Words: "ete"}, {Words: "lt b gt"}, {Host: "a.test"}, {Host: "test"}, {Host: "b.test", Words: "the"}, {URL: "https://a.test/"}, {URL: "https://a.test/p1", Words: "and"},
		{URL: urls[2]}, {URL: urls[2] + "x"}, {URL: "x"}, {Labels: []plat.Label{plat.LabelMain}}, {Labels: []plat.Label{plat.LabelMain, plat.LabelFooter}}, {Labels: []plat.Label{plat.LabelFooter, "none", plat.LabelMain}, Words: "water"}, {Labels: []plat.Label{"none"}}, {Labels: []plat.Label{plat.LabelFooter}, Words: "water", Host: "b.test"},
		{Since: mid}, {Until: mid}, {Since: mid, Until: mid.Add(240 * time.Hour)}, {Since: mid, Until: mid.Add(time.Millisecond), Words: "the"}, {Since: mid, Gone: true}, {Until: mid, Standing: true},
	} {
		want := map[string]bool{}
		for _, sp := range all {
			if answers(sp, &q) {
				want[fmt.Sprintf("%+v", *plainSpan(sp))] = true
			}
		}
		r := search(t, s, q)
		for _, h := range r.Hits {
			if is := fmt.Sprintf("%+v", *plainSpan(&h.Span)); !want[is] {
				t.Errorf("%+v finds %s, which is none of the %d, or is found twice", q, is, len(want))
			} else {
				delete(want, is)
			}
		}
		if len(want) > 0 || r.Total != len(r.Hits) {
			t.Errorf("%+v finds %d, Total %d, and misses %d", q, len(r.Hits), r.Total, len(want))
		}
	}
}

// plainSpan returns a span as stores return it.
func plainSpan(sp *storage.Span) *storage.Span {
	out := *sp
	out.Block.Content, out.Block.Text = nil, ""
	out.Block.Path, out.Block.Hidden, out.Block.Folded = orNil(out.Block.Path), orNil(out.Block.Hidden), orNil(out.Block.Folded)
	return &out
}

// answers reports whether a span matches a search. It is the exhaustive implementation.
func answers(sp *storage.Span, q *storage.Search) bool {
	asked := storage.Ask(q.Words)
	has := func(phrase []string) bool {
		in := func(text string) bool {
			return strings.Contains(" "+strings.Join(storage.Terms(text), " ")+" ", " "+strings.Join(phrase, " ")+" ")
		}
		return in(storage.SearchText(&sp.Block, sp.Block.Content)) || in(sp.Block.Topic)
	}
	switch {
	case q.Host != "" && storage.Host(sp.URL) != q.Host, !strings.HasPrefix(sp.URL, q.URL), len(q.Labels) > 0 && !slices.Contains(q.Labels, sp.Block.Label),
		q.Gone && sp.Gone == 0, q.Standing && sp.Gone > 0,
		!q.Until.IsZero() && !sp.Since.Before(q.Until), !q.Since.IsZero() && sp.Gone > 0 && !sp.Until.After(q.Since):
		return false
	}
	return !slices.ContainsFunc(asked.All, func(p []string) bool { return !has(p) }) && !slices.ContainsFunc(asked.None, has)
}

func testSearchPages(t *testing.T, s storage.Store, size int) {
	many(t, s, size)
	index(t, s)
	for _, q := range []storage.Search{{}, {Words: "the"}, {Words: "the of", Gone: true}} {
		whole := search(t, s, q)
		if len(whole.Hits) < 10 {
			t.Fatalf("%+v finds %d: too few for pagination", q, len(whole.Hits))
		}
		var got []storage.Hit
		for q.Limit = 37; len(got) < whole.Total; q.Offset += q.Limit {
			r := search(t, s, q)
			if r.Total != whole.Total || len(r.Hits) == 0 || len(r.Hits) > q.Limit {
				t.Fatalf("%+v gives %d of %d, want 37 of %d", q, len(r.Hits), r.Total, whole.Total)
			}
			got = append(got, r.Hits...)
		}
		if !reflect.DeepEqual(got, whole.Hits) {
			t.Errorf("%+v: the pages differ from the whole", q)
		}
		for _, offset := range []int{whole.Total, whole.Total + 1, 1 << 40} {
			q.Offset = offset
			if r := search(t, s, q); len(r.Hits) != 0 || r.Total != whole.Total {
				t.Errorf("after the end there are %d of %d", len(r.Hits), r.Total)
			}
		}
	}
}
