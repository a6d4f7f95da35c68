package plat_test

import (
	"errors"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"plat/plat"
)

func TestRectangles(t *testing.T) {
	r := plat.Rect{X: 10, Y: 20, W: 30, H: 40}
	if r.Empty() || r.Area() != 1200 || r.String() != "10,20 30×40" {
		t.Errorf("%v: empty %v, area %v", r, r.Empty(), r.Area())
	}
	for _, e := range []plat.Rect{{}, {W: 1}, {H: 1}, {W: -1, H: 1}, {W: 1, H: -1}, {W: -2, H: -2}} {
		if !e.Empty() || e.Area() != 0 || r.Union(e) != r || e.Union(r) != r || r.Intersect(e) != (plat.Rect{}) {
			t.Errorf("%v is not empty: area %v, union %v and %v, intersection %v", e, e.Area(), r.Union(e), e.Union(r), r.Intersect(e))
		}
	}
	for _, tc := range []struct{ s, union, common plat.Rect }{
		{plat.Rect{X: 0, Y: 0, W: 15, H: 25}, plat.Rect{X: 0, Y: 0, W: 40, H: 60}, plat.Rect{X: 10, Y: 20, W: 5, H: 5}},
		{plat.Rect{X: 20, Y: 30, W: 5, H: 5}, r, plat.Rect{X: 20, Y: 30, W: 5, H: 5}},
		{plat.Rect{X: 40, Y: 20, W: 5, H: 5}, plat.Rect{X: 10, Y: 20, W: 35, H: 40}, plat.Rect{}}, // beside it
		{plat.Rect{X: 10, Y: 60, W: 5, H: 5}, plat.Rect{X: 10, Y: 20, W: 30, H: 45}, plat.Rect{}}, // below it
		{plat.Rect{X: 100, Y: 100, W: 1, H: 1}, plat.Rect{X: 10, Y: 20, W: 91, H: 81}, plat.Rect{}},
	} {
		if r.Union(tc.s) != tc.union || tc.s.Union(r) != tc.union {
			t.Errorf("union with %v: %v and %v, want %v", tc.s, r.Union(tc.s), tc.s.Union(r), tc.union)
		}
		if r.Intersect(tc.s) != tc.common || tc.s.Intersect(r) != tc.common {
			t.Errorf("intersection with %v: %v and %v, want %v", tc.s, r.Intersect(tc.s), tc.s.Intersect(r), tc.common)
		}
	}
}

func TestColors(t *testing.T) {
	c := plat.RGBA(0x12, 0x34, 0x56, 0x78)
	if r, g, b, a := c.Channels(); r != 0x12 || g != 0x34 || b != 0x56 || a != 0x78 || c.String() != "#12345678" {
		t.Errorf("%s has the channels %x %x %x %x", c, r, g, b, a)
	}
	red, blue, clear := plat.RGBA(255, 0, 0, 255), plat.RGBA(0, 0, 255, 255), plat.RGBA(9, 9, 9, 0)
	if red.String() != "#ff0000" {
		t.Errorf("red is %s", red)
	}
	for _, tc := range []struct{ top, below, want plat.Color }{
		{red, blue, red},
		{clear, blue, blue},
		{plat.RGBA(255, 0, 0, 128), blue, plat.RGBA(128, 0, 127, 255)},
		{plat.RGBA(255, 0, 0, 51), blue, plat.RGBA(51, 0, 204, 255)},
		{plat.RGBA(255, 0, 0, 128), clear, plat.RGBA(255, 0, 0, 128)},
		{plat.RGBA(255, 0, 0, 128), plat.RGBA(0, 0, 255, 128), plat.RGBA(170, 0, 85, 192)},
	} {
		if got := tc.top.Over(tc.below); got != tc.want {
			t.Errorf("%s over %s is %s, want %s", tc.top, tc.below, got, tc.want)
		}
	}
	for s, want := range map[plat.Style]bool{{Background: clear}: false, {Background: red}: true, {Background: clear, BackgroundImage: true}: true} {
		if s.Painted() != want {
			t.Errorf("%+v is painted: %v", s, s.Painted())
		}
	}
}

func TestWhenASiteWantsToBeAskedAgain(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	for _, tc := range []struct {
		status int
		name   string
		value  string
		want   time.Duration
	}{
		{429, "retry-after", " 30 ", 30 * time.Second},
		{503, "Retry-After", "30", 30 * time.Second},
		{200, "Retry-After", "30", 0},
		{503, "Retry", "30", 0},
		{503, "Retry-After", "-30", 0},
		{503, "Retry-After", "99999999", 1 << 20 * time.Second},
		{503, "Retry-After", now.Add(time.Minute).Format(http.TimeFormat), time.Minute},
		{503, "Retry-After", now.Add(-time.Minute).Format(http.TimeFormat), 0},
		{503, "Retry-After", now.AddDate(1, 0, 0).Format(http.TimeFormat), 1 << 20 * time.Second},
		{503, "Retry-After", "soon", 0},
	} {
		s := plat.Snapshot{Status: tc.status, Header: [][2]string{{"date", "x"}, {tc.name, tc.value}}}
		if got := s.RetryAfter(now); got != tc.want {
			t.Errorf("%d with %s: %s: %v, want %v", tc.status, tc.name, tc.value, got, tc.want)
		}
	}
}

func TestNodesAndSettledPages(t *testing.T) {
	n := plat.Node{Attrs: []plat.Attr{{Name: "id", Value: "a"}, {Name: "class", Value: "b"}}}
	if v, ok := n.Attr("class"); v != "b" || !ok {
		t.Errorf("class is %q, %v", v, ok)
	}
	if v, ok := n.Attr("style"); v != "" || ok {
		t.Errorf("style is %q, %v", v, ok)
	}
	for s, want := range map[plat.Settled]bool{plat.SettledStalled: true, plat.SettledLimit: true, plat.SettledLoading: true, "": false} {
		if s.Short() != want {
			t.Errorf("%q is short: %v", s, s.Short())
		}
	}
}

func TestHashesAreReadAsTheyAreWritten(t *testing.T) {
	h := plat.HashOf([]byte("words"))
	if got, err := plat.ParseHash(h.String()); err != nil || got != h || h.Short() != h.String()[:12] {
		t.Errorf("%s is read as %s, %v", h, got, err)
	}
	for _, bad := range []string{"", h.String()[:62], h.String() + "00", strings.Repeat("x", 64)} {
		if got, err := plat.ParseHash(bad); err == nil || !got.IsZero() {
			t.Errorf("%q is the hash %s", bad, got)
		}
	}
	for _, h := range []plat.Hash{{}, h} {
		b, err := h.MarshalText()
		again := plat.HashOf([]byte("others"))
		if err != nil || again.UnmarshalText(b) != nil || again != h || (len(b) == 0) != h.IsZero() {
			t.Errorf("%s is written as %q, read as %s, %v", h, b, again, err)
		}
	}
	if new(plat.Hash).UnmarshalText([]byte("x")) == nil {
		t.Error("x is a hash")
	}
}

func TestLayoutsAreReadAsTheyAreWritten(t *testing.T) {
	for _, l := range []plat.Layout{{}, {HTML: []byte("<p></p>")}, {HTML: []byte("<p></p>"), Slots: []int32{0, 3, 3, 7}}} {
		got, err := plat.UnmarshalLayout(l.Marshal())
		if err != nil || string(got.HTML) != string(l.HTML) || !reflect.DeepEqual(got.Slots, l.Slots) || got.Sum() != l.Sum() {
			t.Errorf("%+v is read as %+v, %v", l, got, err)
		}
	}
	for name, bad := range map[string][]byte{
		"nothing":                      {},
		"an endless number":            {0x80},
		"more slots than bytes":        {2, 0},
		"a slot without number":        {1, 0x80},
		"a slot after the end":         {1, 3, 'a', 'b'},
		"a slot that is far away":      append([]byte{1}, 0x80, 0x80, 0x80, 0x80, 0x08, 'a'),
		"a slot that is farther still": append([]byte{1}, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 'a'),
	} {
		if l, err := plat.UnmarshalLayout(bad); !errors.Is(err, plat.ErrCorrupt) {
			t.Errorf("%s is %+v, %v", name, l, err)
		}
	}
	if l, err := plat.UnmarshalLayout([]byte{1, 2, 'a', 'b'}); err != nil || l.Slots[0] != 2 {
		t.Errorf("a slot at the end is %+v, %v", l, err)
	}
}

func TestAddressesOfVersion4AsBrowsersReadThem(t *testing.T) {
	for name, want := range map[string]string{
		"127.0.0.1": "127.0.0.1", "127.1": "127.0.0.1", "127.0.1": "127.0.0.1", "2130706433": "127.0.0.1", "0x7f000001": "127.0.0.1",
		"0x7f.1": "127.0.0.1", "0177.0.0.1": "127.0.0.1", "0x.0x.0x.0x": "0.0.0.0", "0": "0.0.0.0", "00": "0.0.0.0", "4294967295": "255.255.255.255",
		"1.2.65535": "1.2.255.255", "1.16777215": "1.255.255.255", "255.255.255.255": "255.255.255.255", "a.b": "", "1.": "", "": "", "a.1b": "", "1.0xg": "",
		"256.0.0.1": "bad", "1.256.0.1": "bad", "1.2.3.256": "bad", "1.2.65536": "bad", "1.16777216": "bad", "4294967296": "bad", "1.2.3.4.5": "bad", "1.2.3.4.0": "bad", "0.0.0.0.0.0": "bad",
		"a.1": "bad", "1..1": "bad", "08": "bad", "1.2.3.09": "bad", "99999999999999999999": "bad", "a.0xf": "bad", "0xfffffffffffffffffffff": "bad",
	} {
		addr, numeric, ok := plat.ParseIPv4(name)
		switch got := addr.String(); {
		case want == "" && (numeric || ok), want == "bad" && (!numeric || ok), want != "" && want != "bad" && (!numeric || !ok || got != want):
			t.Errorf("%q is %v, numeric %v, ok %v; want %q", name, addr, numeric, ok, want)
		}
	}
}

func TestPartsOfHosts(t *testing.T) {
	for at, want := range map[string]string{
		"https://a.test/x": "a.test", "https://a.test?x": "a.test", "https://a.test:81": "a.test:81", "https://[::1]:81/": "[::1]:81", "a.test": "",
	} {
		if got := plat.HostOf(at); got != want {
			t.Errorf("the host of %s is %q, want %q", at, got, want)
		}
	}
	for host, want := range map[string]string{
		"www.example.co.uk": "example.co.uk", "example.co.uk": "example.co.uk", "co.uk": "", "localhost": "", "127.0.0.1": "", "[::1]": "", "a.b.test": "b.test",
	} {
		domain := want
		if want == "" {
			domain = host
		}
		if got := plat.DomainOf(host); got != domain || plat.HasDomain(host) != (want != "") {
			t.Errorf("the domain of %s is %s, has one %v; want %q", host, got, plat.HasDomain(host), want)
		}
	}
}

func TestURLsAtTheirEdges(t *testing.T) {
	for raw, want := range map[string]string{
		"https://a.test/azAZ09-._~":                     "https://a.test/azAZ09-._~",
		"https://a.test/%61%7A%41%5A%30%39%2D%2e%5f%7E": "https://a.test/azAZ09-._~",
		"https://a.test/%60%7b%40%5B%2F%3A":             "https://a.test/%60%7B%40%5B%2F%3A",
		"https://a.test/a/..":                           "https://a.test/",
		"https://a.test/a/b/../":                        "https://a.test/a/",
		"https://a.test/a/b/..":                         "https://a.test/a/",
		"https://a.test/a/.":                            "https://a.test/a/",
		"https://a.test/a/./b":                          "https://a.test/a/b",
		"https://a.test/../../a":                        "https://a.test/a",
		"\x00 https://a.te\nst/\tx\r\f":                 "https://a.test/x",
		"https://" + strings.Repeat("a", 63) + ".test/": "https://" + strings.Repeat("a", 63) + ".test/",
	} {
		if got, err := plat.Canonical(raw, nil); err != nil || got != want {
			t.Errorf("%q is %q, %v; want %q", raw, got, err, want)
		}
	}
	for _, raw := range []string{
		"https://" + strings.Repeat("a", 64) + ".test/", "https://a..test/", "https://./", "https://\xff.test/", "https://" + strings.Repeat("a.", 127) + "aa/",
		"https://[::1%25eth0]/", "https:// /",
	} {
		if got, err := plat.Canonical(raw, nil); !errors.Is(err, plat.ErrBadURL) {
			t.Errorf("%q is %q, %v", raw, got, err)
		}
	}
}

func TestKindsThatAreNews(t *testing.T) {
	news := map[plat.Kind]bool{plat.Added: true, plat.Removed: true, plat.Content: true, plat.Link: true, plat.Image: true, plat.Format: true}
	for _, k := range plat.Kinds {
		if k.News() != news[k] {
			t.Errorf("%s is news: %v", k, k.News())
		}
		first, later := plat.Version{N: 1, Oldest: true}, plat.Version{N: 2, Changes: map[plat.Kind]int{k: 1}}
		if !first.News() || later.News() != news[k] {
			t.Errorf("a version with %s is news: %v", k, later.News())
		}
	}
	if v := (plat.Version{N: 2, Changes: map[plat.Kind]int{plat.Content: 0}}); v.News() || v.Previous() != 1 {
		t.Error("a version without changes is news")
	}
	c := plat.Changes{Layout: plat.Format, Blocks: []plat.Change{{Kind: plat.Content}, {Kind: plat.Same}, {Kind: plat.Content}, {Kind: plat.Moved}}}
	if got := c.Count(); !reflect.DeepEqual(got, map[plat.Kind]int{plat.Content: 2, plat.Moved: 1, plat.Format: 1}) {
		t.Errorf("counts %v", got)
	}
	for _, layout := range []plat.Kind{"", plat.Same, plat.Content} {
		c.Layout = layout
		if got := c.Count(); !reflect.DeepEqual(got, map[plat.Kind]int{plat.Content: 2, plat.Moved: 1}) {
			t.Errorf("with a layout that is %q: %v", layout, got)
		}
	}
}

func TestOutcomesThatFailed(t *testing.T) {
	for o, want := range map[plat.Outcome]bool{
		"": false, plat.OutcomeNew: false, plat.OutcomeChanged: false, plat.OutcomeUnchanged: false, plat.OutcomeBlank: false, plat.OutcomeAlias: false,
		plat.OutcomeOffTopic: false, plat.OutcomeCloaked: false, plat.OutcomeFetched: false,
		plat.OutcomeInterrupted: true, plat.OutcomeMoved: true, plat.OutcomeLogin: true, plat.OutcomeError: true, plat.OutcomePartial: true, "of tomorrow": true,
	} {
		if o.Failed() != want {
			t.Errorf("%q failed: %v", o, o.Failed())
		}
	}
	cause := errors.New("cause")
	e := &plat.VisitError{Outcome: plat.OutcomeMoved, Err: cause}
	if !errors.Is(e, cause) || e.Error() != "moved: cause" {
		t.Errorf("%v", e)
	}
	s := &plat.SettledError{URL: "https://a.test/"}
	if !errors.Is(s, plat.ErrSettled) || errors.Is(s, plat.ErrNotFound) || !strings.HasSuffix(s.Error(), ": https://a.test/") {
		t.Errorf("%v", s)
	}
}

func TestWhichVersionsOfAURLAreKept(t *testing.T) {
	for _, tc := range []struct {
		st                 plat.URLState
		oldest, kept, next int
		gone               bool
	}{
		{plat.URLState{}, 1, 0, 1, false},
		{plat.URLState{Head: 3}, 1, 3, 4, false},
		{plat.URLState{Head: 3, Forgotten: 2}, 3, 1, 4, false},
		{plat.URLState{Forgotten: 3, ForgottenAt: time.Unix(1, 0)}, 4, 0, 4, true},
		{plat.URLState{Forgotten: 3}, 4, 0, 4, false},
		{plat.URLState{Forgotten: 3, ForgottenAt: time.Unix(1, 0), Visits: 1}, 4, 0, 4, false},
		{plat.URLState{Head: 4, Forgotten: 3, ForgottenAt: time.Unix(1, 0)}, 4, 1, 5, false},
	} {
		s := tc.st
		if s.Oldest() != tc.oldest || s.Kept() != tc.kept || s.Next() != tc.next || s.Gone() != tc.gone {
			t.Errorf("%+v: oldest %d, kept %d, next %d, gone %v", s, s.Oldest(), s.Kept(), s.Next(), s.Gone())
		}
	}
}

func TestSelfChanges(t *testing.T) {
	all := []plat.SelfChange{
		{Lineage: 0, Kind: plat.Image, Why: "learned", New: []plat.Range{{From: 1, To: 3}}},
		{Lineage: 0, Kind: plat.Format, Why: "clock", New: []plat.Range{{From: 5, To: 6}}},
		{Lineage: 4, Kind: plat.Content, Why: "date"},
		{Lineage: 7, Kind: plat.Same, Why: "age"},
		{Lineage: 9, Kind: plat.Content, Why: "x", New: []plat.Range{{From: 8, To: 9}}},
	}
	for i, want := range []string{"", "learned", "learned", "", "", "", "", "", ""} {
		if got := plat.SelfChangedFile(all, i); got != want {
			t.Errorf("file %d: %q, want %q", i, got, want)
		}
	}
	for lineage, why := range map[int32]string{-1: "", 0: "", 4: "date", 5: "", 7: "age"} {
		x := plat.SelfChangeOf(all, lineage)
		if (x == nil) != (why == "") || x != nil && x.Why != why {
			t.Errorf("lineage %d: %+v", lineage, x)
		}
		if x.Suppressed() != (why == "date") {
			t.Errorf("lineage %d is suppressed: %v", lineage, x.Suppressed())
		}
	}
	if got := plat.SuppressedKinds(all); !reflect.DeepEqual(got, map[plat.Kind]int{plat.Image: 1, plat.Format: 1, plat.Content: 2}) {
		t.Errorf("kinds %v", got)
	}
	if plat.ReasonText("clock") == "clock" || plat.ReasonText("of tomorrow") != "of tomorrow" {
		t.Error("a reason is in words, and an unknown one stays")
	}
}

func TestArticlesThatAreEqual(t *testing.T) {
	base := plat.Article{Kind: plat.KindArticle, Title: "t", Date: "2026", Sum: 1, Authors: []string{"a"}, Text: []plat.Passage{{From: 1}}}
	var none *plat.Article
	if !none.Equal(nil) || none.Equal(&base) || base.Equal(nil) || none.Clone() != nil {
		t.Error("nil equals nil alone")
	}
	c := base.Clone()
	if !c.Equal(&base) {
		t.Error("a copy is another")
	}
	c.Authors[0], c.Text[0].From = "b", 2
	if base.Authors[0] != "a" || base.Text[0].From != 1 {
		t.Error("a copy shares its lists")
	}
	for name, change := range map[string]func(*plat.Article){
		"kind": func(a *plat.Article) { a.Kind = plat.KindList }, "title": func(a *plat.Article) { a.Title = "" }, "date": func(a *plat.Article) { a.Date = "" },
		"sum": func(a *plat.Article) { a.Sum = 2 }, "authors": func(a *plat.Article) { a.Authors = nil }, "text": func(a *plat.Article) { a.Text[0].To = 9 },
	} {
		c := base.Clone()
		change(c)
		if c.Equal(&base) || base.Equal(c) {
			t.Errorf("another %s is equal", name)
		}
	}
	if plat.Gap(plat.Gaps).String() != "" || plat.Gap(plat.Gaps-1).String() == "" {
		t.Error("a gap has no text, or one beyond the last has")
	}
}

func TestPlansOfTwoFetchesReadBothScopes(t *testing.T) {
	p := plat.Plan{Kind: plat.FetchJob, Scope: "a"}
	for _, s := range []string{"b", "a", "b", ""} {
		p.Merge(plat.Plan{Kind: plat.FetchJob, Scope: s})
	}
	if p.Scope != "a\nb" || !p.HasScope("a") || !p.HasScope("b") || !p.HasScope("") || p.HasScope("c") || p.HasScope("a\nb") {
		t.Errorf("scope %q", p.Scope)
	}
	p.Merge(plat.Plan{Kind: plat.FetchJob, Scope: strings.Repeat("x", 4<<10-3)})
	if p.Scope != "a\nb" {
		t.Errorf("scopes of %d bytes", len(p.Scope))
	}
	p.Merge(plat.Plan{Kind: plat.FetchJob, Scope: strings.Repeat("x", 4<<10-4)})
	if len(p.Scope) != 4<<10 {
		t.Errorf("the most there may be is %d bytes", len(p.Scope))
	}
	q := plat.Plan{Kind: plat.FetchJob, Scope: "a"}
	if q.Merge(plat.Plan{Kind: plat.RenderJob, Scope: "b"}); q.Scope != "a" || q.Kind != plat.RenderJob {
		t.Errorf("with a page: %+v", q)
	}
	r := plat.Plan{Kind: plat.RenderJob, Scope: "a"}
	if r.Merge(plat.Plan{Kind: plat.FetchJob, Scope: "b"}); r.Scope != "a" || r.Kind != plat.RenderJob {
		t.Errorf("of a page: %+v", r)
	}
}

func TestLaterTimes(t *testing.T) {
	a, b := time.Unix(1, 0), time.Unix(2, 0)
	if plat.Later(a, b) != b || plat.Later(b, a) != b || plat.Later(time.Time{}, a) != a {
		t.Error("the earlier time is returned")
	}
	i := plat.Item{Seen: b}
	if i.When() != b {
		t.Error("an item without a date is not of when it was seen")
	}
	if i.Dated = a; i.When() != a {
		t.Error("an item with a date is not of that")
	}
	if x, y := plat.NewID(), plat.NewID(); x == y || len(x) != 13 || strings.Trim(x, "abcdefghijklmnopqrstuvwxyz234567") != "" {
		t.Errorf("IDs %q and %q", x, y)
	}
}

func TestRulesHaveNames(t *testing.T) {
	for r, want := range map[plat.Rule]string{plat.RuleRoot: "the page", plat.RuleGather: "gathered", plat.RuleSeparator: "separator", plat.RuleOverlay: "overlay", 3: "rule 3"} {
		if got := r.String(); got != want {
			t.Errorf("rule %d is %q, want %q", r, got, want)
		}
	}
	if (&plat.Block{Slot: -1}).Leaf() || !(&plat.Block{Slot: 0}).Leaf() {
		t.Error("a block is a leaf if it has a slot")
	}
}

// Stores and older versions of plat rely on these.
func TestLimitsOfWhatIsStored(t *testing.T) {
	if plat.MaxMemory != 4096 || plat.MaxPolicyMemory != 1024 {
		t.Errorf("a visit stores %d bytes, its policy %d", plat.MaxMemory, plat.MaxPolicyMemory)
	}
}
