package revalidate

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"plat/plat"
)

func TestWhatLooksLikeAToken(t *testing.T) {
	for run, want := range map[string]bool{
		"123456789":         true,
		"12345678":          false,
		"a1B2c3D4e5F6g7H":   false, // fifteen
		"a1B2c3D4e5F6g7H8":  true,
		"1a2baaaaaaaaaaaa":  false, // it turns three times
		"1a2b333333333333":  true,
		"abCDefGHijKLmnOP":  false, // no digits
		"1-2-3-4-5-6-7-8-9": false, // no letters
		"abcdefghijklmnop":  false,
		"ab-12-CD-34-ef-56": true,
	} {
		if got := randomLooking([]byte(run)); got != want {
			t.Errorf("%q: %v", run, got)
		}
	}
	for _, c := range "azAZ09+/=-_" {
		if !tokenByte(byte(c)) {
			t.Errorf("%q ends a token", c)
		}
	}
	for _, c := range "`{@[:.,\" " {
		if tokenByte(byte(c)) {
			t.Errorf("%q is part of a token", c)
		}
	}
	if s := ReadSource([]byte(strings.Repeat(`<p id="1763812345">`, maxTokens))); len(s.Tokens) != maxTokens {
		t.Errorf("of %d tokens %d are kept", maxTokens, len(s.Tokens))
	}
	a, b := ReadSource([]byte("<b>1763812345</b>")), ReadSource([]byte("<b></b>"))
	if a.Skeleton == b.Skeleton {
		t.Error("a token and nothing are the same")
	}
}

func TestTagsOfScriptsAreCounted(t *testing.T) {
	for html, want := range map[string]int{"": 0, "<script": 1, "<scrip": 0, "a<SCRIPT><<script x": 2, "<script>1</script><b>": 1, "x<": 0} {
		if got := countTag([]byte(html), "<script"); got != want {
			t.Errorf("%q: %d, want %d", html, got, want)
		}
	}
}

func TestWhatIsObservedOfALoad(t *testing.T) {
	date := noon.Add(-time.Hour).Format(http.TimeFormat)
	for _, tc := range []struct {
		name string
		l    plat.Load
		by   By
		why  Reason
	}{
		{"a tag", plat.Load{Status: 200, ETag: `"a"`, LastModified: date}, ByETag, NoReason},
		{"a date", plat.Load{Status: 200, LastModified: date}, ByModified, NoReason},
		{"neither", plat.Load{Status: 200}, Unknown, NoReason},
		{"an image of data", plat.Load{URL: "data:,x", Status: 200}, Unknown, Unreadable},
		{"by http", plat.Load{URL: "http://a.test/", Status: 200}, Unknown, NoReason},
		{"nothing new", plat.Load{Status: 304, ETag: `"a"`}, ByETag, NoReason},
		{"an error", plat.Load{Status: 400, ETag: `"a"`, Vary: "*"}, ByFailure, NoReason},
		{"a redirect", plat.Load{Status: 300, Location: "/b"}, ByRedirect, NoReason},
		{"a redirect with a tag", plat.Load{Status: 302, Location: "/b", ETag: `"a"`}, ByRedirect, NoReason},
		{"a redirect to nowhere", plat.Load{Status: 302, ETag: `"a"`}, Unknown, Unreadable},
		{"a redirect for some", plat.Load{Status: 302, Location: "/b", Vary: "*"}, Unknown, Varies},
		{"no status", plat.Load{ETag: `"a"`}, ByFailure, NoReason},
		{"the last redirect", plat.Load{Status: 399, Location: "/b"}, ByRedirect, NoReason},
		{"an answer before the answer", plat.Load{Status: 199}, Unknown, Unreadable},
		{"another encoding", plat.Load{Status: 200, Vary: "Accept-Encoding", ETag: `"a"`}, ByETag, NoReason},
		{"an event stream", plat.Load{Status: 200, ContentType: " Text/Event-Stream "}, Unknown, Live},
	} {
		if tc.l.URL == "" {
			tc.l.URL = "https://a.test/x"
		}
		tc.l.Method, tc.l.Kind = "GET", plat.LoadStyle
		r, why := loaded(&tc.l, noon, false)
		if r.By != tc.by || why != tc.why || r.Mark.IsZero() != (tc.by == Unknown) || r.URL != tc.l.URL || r.Kind != tc.l.Kind {
			t.Errorf("%s: %+v, %q", tc.name, r, why)
		}
	}
	l := plat.Load{URL: "http://a.test/", Method: "GET", Kind: plat.LoadStyle, Status: 200, Cached: true, CacheControl: "max-age=60", Age: "10"}
	if r, _ := loaded(&l, noon, false); !r.cached || !r.Fresh.Equal(noon.Add(50*time.Second)) {
		t.Errorf("what the browser had is %+v", r)
	}
	l = plat.Load{URL: "http://a.test/", Method: "GET", Kind: plat.LoadStyle, Status: 200, Expires: noon.Format(http.TimeFormat), Date: noon.Add(-time.Minute).Format(http.TimeFormat)}
	if r, _ := loaded(&l, noon, false); !r.Fresh.Equal(noon.Add(time.Minute)) {
		t.Errorf("by Expires fresh until %v", r.Fresh)
	}
	l = plat.Load{URL: "http://a.test/", Method: "GET", Status: 200, Vary: "Cookie"}
	if _, why := loaded(&l, noon, true); why != Varies {
		t.Errorf("with cookies: %q", why)
	}
}

func TestWhatIsObservedOfAPage(t *testing.T) {
	load := func(url string, kind plat.LoadKind) plat.Load {
		return plat.Load{URL: url, Method: "GET", Kind: kind, Status: 200, ETag: `"a"`}
	}
	page := func(loads ...plat.Load) *plat.Snapshot {
		return &plat.Snapshot{Status: 200, ContentType: "text/html", FinalURL: "http://a.test/", Taken: noon, LoadsKnown: true,
			Header: [][2]string{{"etag", `"page"`}, {"last-modified", noon.Add(-time.Hour).Format(http.TimeFormat)}},
			Nodes:  []plat.Node{{Kind: plat.DocumentNode, Parent: -1, End: 2}, {Kind: plat.ElementNode, Name: "p", End: 2}}, Loads: loads}
	}
	r := Observe(page(load("http://a.test/b", plat.LoadStyle), load("http://a.test/a", plat.LoadImage)))
	if r.Document.By != ByETag || r.Document.ETag != `"page"` || !r.Document.Modified.Equal(noon.Add(-time.Hour)) || r.Chain != ChainMark(nil, "http://a.test/") || !r.Inert {
		t.Errorf("the document is %+v", r)
	}
	if len(r.Loads) != 2 || r.Loads[0].URL != "http://a.test/a" || r.Loads[1].URL != "http://a.test/b" {
		t.Errorf("the loads are %+v", r.Loads)
	}
	s := page(load("http://a.test/a", plat.LoadStyle), load("http://a.test/b", plat.LoadData), load("http://a.test/c", plat.LoadData))
	if r := Observe(s); r.Unfit != NoReason || len(r.Loads) != 3 {
		t.Errorf("data from two addresses: %q", r.Unfit)
	}
	var all []plat.Load
	for i := range MaxLoads {
		all = append(all, load("http://a.test/"+strings.Repeat("x", i), plat.LoadStyle))
	}
	if r := Observe(page(all...)); r.Unfit != NoReason || len(r.Loads) != MaxLoads {
		t.Errorf("as many as may be: %q, %d", r.Unfit, len(r.Loads))
	}
	s = page()
	s.Settled, s.ContentType, s.LoadsKnown = plat.SettledLimit, "image/png", false
	if r := Observe(s); r.Unfit != Restless {
		t.Errorf("the first reason counts: %q", r.Unfit)
	}
	s = page(plat.Load{URL: "http://a.test/", Method: "POST", Status: 200}, plat.Load{Kind: plat.LoadLive})
	s.Nodes = append(s.Nodes, plat.Node{Kind: plat.DocumentNode})
	if r := Observe(s); r.Unfit != Framed || r.Loads != nil {
		t.Errorf("of a frame and what it sends the frame counts: %q", r.Unfit)
	}
	s = page()
	s.Nodes[1].Name, s.Nodes[1].Attrs = "meta", []plat.Attr{{Name: "http-equiv", Value: "refresh"}}
	if Observe(s).Inert {
		t.Error("a page that reloads itself is inert")
	}
	s = page()
	s.Nodes = append(s.Nodes, plat.Node{Kind: plat.ElementNode, Name: "video"}, plat.Node{Kind: plat.ElementNode, Name: "p"})
	if Observe(s).Inert {
		t.Error("what follows makes a page inert again")
	}
	s = page()
	s.Nodes[1].Name, s.Nodes[1].Attrs = "video", []plat.Attr{{Name: "type", Value: "application/json"}}
	if Observe(s).Inert {
		t.Error("a type makes what is no script inert")
	}
}
