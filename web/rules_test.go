package web

import (
	"encoding/json"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"plat/diff/rules"
	"plat/storage/history"
)

// heldBack returns a version of a page that has self-changes beside news.
func heldBack(t *testing.T, s *Server) *history.Diff {
	t.Helper()
	for n := 2; n <= 60; n += 2 {
		d, err := s.compared(t.Context(), long, n-1, n)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range d.Changes {
			if c.SelfChange != "" && c.Kind.News() && len(d.Counts) > 0 {
				return d
			}
		}
	}
	t.Fatal("no version has both")
	return nil
}

func TestWhatAPageChangesByItselfIsAClickAway(t *testing.T) {
	s := New(Options{Store: made(t)})
	d := heldBack(t, s)
	page := get(s, "GET", "/diff"+param("url", long, "new", strconv.Itoa(d.New)), "Accept", "text/html").Body.String()
	news, held, ok := strings.Cut(page, "<details")
	if !ok || !strings.Contains(held, "that the page makes by itself") || !strings.Contains(held, "it has varied there before") || strings.Contains(news, "it has varied") {
		t.Errorf("the comparison is\n%s", page)
	}
	if page := get(s, "GET", "/url"+param("url", long), "Accept", "text/html").Body.String(); !strings.Contains(page, "by itself") {
		t.Error("the list of versions does not count what is held back")
	}
	few, all := read(t, s, "json", "url", long, "limit", "500"), read(t, s, "json", "url", long, "limit", "500", "all", "true")
	if len(few.Items) >= len(all.Items) || !strings.Contains(few.Description, "that the page makes by itself: "+here+"/feed/json?") || strings.Contains(all.Description, "by itself") {
		t.Errorf("%d items of %d; %s; %s", len(few.Items), len(all.Items), few.Description, all.Description)
	}
	count := func(pairs ...string) (n, own int) {
		var list struct {
			Items []struct {
				ByItself string `json:"by_itself"`
			}
		}
		w := get(s, "GET", apiRoot+"/blocks"+param(append([]string{"prefix", long, "limit", "500"}, pairs...)...))
		if err := json.Unmarshal(w.Body.Bytes(), &list); err != nil {
			t.Fatalf("%v: %s", err, w.Body)
		}
		for _, x := range list.Items {
			if x.ByItself != "" {
				own++
			}
		}
		return len(list.Items), own
	}
	old, oldOwn := count()
	news2, newsOwn := count("since", "2000-01-01")
	every, everyOwn := count("since", "2000-01-01", "all", "true")
	if oldOwn == 0 || newsOwn != 0 || everyOwn != oldOwn || every != old || news2 != every-everyOwn {
		t.Errorf("%d blocks (%d by themselves), since a day %d (%d), all %d (%d)", old, oldOwn, news2, newsOwn, every, everyOwn)
	}
}

func TestABlockIsIgnoredByAClick(t *testing.T) {
	s := New(Options{Store: made(t)})
	post := func(form url.Values, origin string) int {
		r := httptest.NewRequest("POST", "/rule", strings.NewReader(form.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Sec-Fetch-Site", origin)
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		return w.Code
	}
	form := func(do string) url.Values { return url.Values{"url": {long}, "lineage": {"2"}, "do": {do}} }
	shows := func(want string) {
		t.Helper()
		if page := get(s, "GET", "/block"+param("url", long, "lineage", "2"), "Accept", "text/html").Body.String(); !strings.Contains(page, want) {
			t.Errorf("the page of the block does not say %q", want)
		}
	}
	shows("unless the page makes them by itself")
	for _, x := range []struct{ do, says, rule string }{
		{doIgnore, "Changes of this block are not news", `{"url":"` + long + `","block":2}`},
		{doWatch, "Each change of this block is news", `{"url":"` + long + `","block":2,"watch":true}`},
		{doNeither, "unless the page makes them by itself", ""},
	} {
		if code := post(form(x.do), "same-origin"); code != 303 {
			t.Fatalf("%s is answered with %d", x.do, code)
		}
		shows(x.says)
		var list struct{ Items []json.RawMessage }
		body := get(s, "GET", apiRoot+"/rules"+param("url", long)).Body.Bytes()
		if err := json.Unmarshal(body, &list); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range list.Items {
			var rule rules.Rule
			if json.Unmarshal(r, &rule) != nil || rule.URL != long {
				t.Errorf("rule %s", r)
			}
			rule.URL = ""
			b, _ := json.Marshal(&rule)
			got = append(got, string(b))
		}
		want := strings.Replace(x.rule, `"url":"`+long+`"`, `"url":""`, 1)
		if strings.Join(got, " ") != want {
			t.Errorf("after %s the rules are %v, want %s", x.do, got, want)
		}
	}
	if code := post(form(doIgnore), "cross-site"); code != 403 {
		t.Errorf("another site's form is answered with %d", code)
	}
	for _, bad := range []url.Values{form("nothing"), {"url": {long}, "do": {doIgnore}}, {"url": {":"}, "lineage": {"2"}, "do": {doIgnore}}, {"url": {long}, "lineage": {"2"}, "do": {doIgnore}, "x": {"1"}}} {
		if code := post(bad, "same-origin"); code != 400 {
			t.Errorf("%v is answered with %d", bad, code)
		}
	}
}
