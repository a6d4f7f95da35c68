package web

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"plat/storage/sqlite/sqlitetest"
	"plat/storage/storagetest"
	"plat/web/memento"
	"plat/web/memento/mementotest"
)

// asked is a URL whose spelling a server must keep.
const asked = "http://a.test/p//q?u=http://b.test/%2F&x="

// dated is an archive of one page, with a version at each of the given times.
func dated(t testing.TB, times ...time.Time) *Server {
	t.Helper()
	store := sqlitetest.Open(t)
	p := storagetest.NewPage(asked, 1)
	for _, at := range times {
		c := p.Next()
		c.Version.Taken, c.Visit.Time = at, at
		if _, err := store.Commit(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	return New(Options{Store: store})
}

func utc(y int, m time.Month, d, h, min, s int) time.Time {
	return time.Date(y, m, d, h, min, s, 0, time.UTC)
}

// fourVersions span three years; the last two share one second.
func fourVersions(t testing.TB) *Server {
	return dated(t, utc(2013, 5, 31, 20, 35, 0), utc(2014, 1, 26, 20, 8, 4), utc(2014, 1, 27, 17, 12, 39), utc(2014, 1, 27, 17, 12, 39).Add(300*time.Millisecond))
}

const here = "http://example.com" // the host in httptest requests

func memento3(t *testing.T, header string, rels map[string]string) {
	t.Helper()
	want := map[string]string{
		asked:                                 `rel="original"`,
		here + "/timegate/" + asked:           `rel="timegate"`,
		here + "/timemap/link/" + asked:       `rel="timemap"; type="application/link-format"`,
		here + "/web/20130531203500/" + asked: fmt.Sprintf(`rel="%s"; datetime="Fri, 31 May 2013 20:35:00 GMT"`, rels["2013"]),
		here + "/web/20140126200804/" + asked: fmt.Sprintf(`rel="%s"; datetime="Sun, 26 Jan 2014 20:08:04 GMT"`, rels["26"]),
		here + "/web/20140127171239/" + asked: fmt.Sprintf(`rel="%s"; datetime="Mon, 27 Jan 2014 17:12:39 GMT"`, rels["27"]),
	}
	got := mementotest.Links(t, header)
	for target, params := range want {
		if got[target] != params {
			t.Errorf("<%s> is %s; want %s", target, got[target], params)
		}
	}
	if len(got) != len(want) {
		t.Errorf("there are %d links: %v", len(got), got)
	}
}

// After pywb's tests/test_memento.py: its clients must get the same results
// here.
func TestATimegateRedirectsToTheNearestMemento(t *testing.T) {
	s := fourVersions(t)
	for _, tc := range []struct{ name, accept, want string }{
		{"no time is the last one", "", "20140127171239"},
		{"a time of a memento is that one", "Sun, 26 Jan 2014 20:08:04 GMT", "20140126200804"},
		{"a time without a zone is GMT", "Sun, 26 Jan 2014 20:08:04", "20140126200804"},
		{"a time between two is the nearest", "Mon, 27 Jan 2014 06:00:00 GMT", "20140126200804"},
		{"a time before the first is the first", "Thu, 31 May 1990 20:35:00 GMT", "20130531203500"},
		{"a time after the last is the last", "Thu, 31 May 2040 20:35:00 GMT", "20140127171239"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := get(s, "GET", "/timegate/"+asked, "Accept-Datetime", tc.accept)
			if w.Code != 302 || w.Header().Get("Location") != "/web/"+tc.want+"/"+asked {
				t.Errorf("%d %s; want 302 and %s", w.Code, w.Header().Get("Location"), tc.want)
			}
			if w.Header().Get("Vary") != "accept-datetime" || w.Header().Get("Memento-Datetime") != "" {
				t.Errorf("headers of a TimeGate are %v", w.Header())
			}
			rels := map[string]map[string]string{
				"20130531203500": {"2013": "first memento", "26": "next memento", "27": "last memento"},
				"20140126200804": {"2013": "first prev memento", "26": "memento", "27": "last next memento"},
				"20140127171239": {"2013": "first memento", "26": "prev memento", "27": "last memento"},
			}
			memento3(t, w.Header().Get("Link"), rels[tc.want])
		})
	}
	for _, bad := range []string{"Sun", "Sun, abc", "2014-01-26", "Sun, 26 Jan 2014 20:08:04 CET"} {
		if w := get(s, "GET", "/timegate/"+asked, "Accept-Datetime", bad); w.Code != 400 {
			t.Errorf("Accept-Datetime: %s: %d", bad, w.Code)
		}
	}
	if w := get(s, "GET", "/timegate/http://none.test/"); w.Code != 404 {
		t.Errorf("a TimeGate for what is not there: %d", w.Code)
	}
	if w := get(s, "GET", "/timegate/nothing"); w.Code != 400 {
		t.Errorf("a TimeGate for no URL: %d", w.Code)
	}
	if w := get(s, "POST", "/timegate/"+asked); w.Code != 405 {
		t.Errorf("POST to a TimeGate: %d", w.Code)
	}
}

func TestAMementoSaysWhenItWasTaken(t *testing.T) {
	s := fourVersions(t)
	for _, mod := range []string{"", "mp_", "id_"} {
		w := get(s, "GET", "/web/20140126200804"+mod+"/"+asked)
		if w.Code != 200 || w.Header().Get("Memento-Datetime") != "Sun, 26 Jan 2014 20:08:04 GMT" || strings.Contains(strings.ToLower(w.Header().Get("Vary")), "datetime") {
			t.Errorf("%s: %d %v", mod, w.Code, w.Header())
		}
		memento3(t, w.Header().Get("Link"), map[string]string{"2013": "first prev memento", "26": "memento", "27": "last next memento"})
		if head := get(s, "HEAD", "/web/20140126200804"+mod+"/"+asked); head.Code != 200 || head.Header().Get("Memento-Datetime") == "" {
			t.Errorf("HEAD %s: %d %v", mod, head.Code, head.Header())
		}
	}
}

func TestOtherTimesRedirectToTheNearestMemento(t *testing.T) {
	s := fourVersions(t)
	for at, want := range map[string]string{
		"2014":            "20140127171239", // the last one of the period
		"2013":            "20130531203500",
		"201401":          "20140127171239",
		"20140126":        "20140126200804",
		"2014012620":      "20140126200804",
		"201401262008":    "20140126200804",
		"20140126200803":  "20140126200804",
		"20140126200805":  "20140126200804",
		"19000101000000":  "20130531203500",
		"20990101000000":  "20140127171239",
		"99991231235959":  "20140127171239",
		"9999":            "20140127171239",
		"00010101000000":  "20130531203500",
		"2014012620mp_":   "20140126200804mp_",
		"201401262008id_": "20140126200804id_",
	} {
		w := get(s, "GET", "/web/"+at+"/"+asked)
		if w.Code != 302 || w.Header().Get("Location") != "/web/"+want+"/"+asked || w.Header().Get("Vary") != "" || w.Header().Get("Memento-Datetime") != "" {
			t.Errorf("/web/%s/: %d %v; want %s", at, w.Code, w.Header(), want)
		}
	}
	// A different spelling of the URL redirects to the canonical one.
	if w := get(s, "GET", "/web/20140126200804/"+strings.Replace(asked, "a.test", "A.TEST:80", 1)); w.Header().Get("Location") != "/web/20140126200804/"+asked {
		t.Errorf("another spelling: %d %v", w.Code, w.Header())
	}
	for _, bad := range []string{"x", "20140126200804", "201", "20141399/" + asked, "20140126200804xx_/" + asked, "99999999999999/" + asked, "20140126200804/", "20140126200804/javascript:alert(1)"} {
		if w := get(s, "GET", "/web/"+bad); w.Code != 400 {
			t.Errorf("/web/%s: %d", bad, w.Code)
		}
	}
}

func TestTheLastVersionWithinASecondIsTheMemento(t *testing.T) {
	s := fourVersions(t)
	last, err := s.Store.Version(t.Context(), asked, 4)
	if err != nil {
		t.Fatal(err)
	}
	page := get(s, "GET", "/api/v1/page"+param("url", asked, "version", "4"))
	answer := get(s, "GET", strings.Replace(memento.Path(last.URL, last.Taken), "/http", "id_/http", 1))
	if answer.Code != 200 || answer.Body.String() != page.Body.String() {
		t.Errorf("the memento is another page: %d", answer.Code)
	}
}

// Clock skew between machines can make a version older than its predecessor.
func TestMementosAreInTheOrderOfTheirTimes(t *testing.T) {
	s := dated(t, utc(2020, 1, 1, 0, 0, 9), utc(2020, 1, 1, 0, 0, 5), utc(2020, 1, 1, 0, 0, 12))
	m, err := s.mementosOf(t.Context(), asked)
	if err != nil || fmt.Sprint(m.N) != "[2 1 3]" {
		t.Errorf("%v, %v", m, err)
	}
	if w := get(s, "GET", "/timegate/"+asked, "Accept-Datetime", "Wed, 01 Jan 2020 00:00:04 GMT"); !strings.Contains(w.Header().Get("Location"), "20200101000005") {
		t.Errorf("the nearest is %s", w.Header().Get("Location"))
	}
}

func TestATimemapListsAllMementos(t *testing.T) {
	s := fourVersions(t)
	w := get(s, "GET", "/timemap/link/"+asked)
	if w.Code != 200 || w.Header().Get("Content-Type") != "application/link-format" {
		t.Fatalf("%d %v", w.Code, w.Header())
	}
	want := `<` + asked + `>; rel="original",
<http://example.com/timemap/link/` + asked + `>; rel="self"; type="application/link-format"; from="Fri, 31 May 2013 20:35:00 GMT"; until="Mon, 27 Jan 2014 17:12:39 GMT",
<http://example.com/timegate/` + asked + `>; rel="timegate",
<http://example.com/web/20130531203500/` + asked + `>; rel="first memento"; datetime="Fri, 31 May 2013 20:35:00 GMT",
<http://example.com/web/20140126200804/` + asked + `>; rel="memento"; datetime="Sun, 26 Jan 2014 20:08:04 GMT",
<http://example.com/web/20140127171239/` + asked + `>; rel="last memento"; datetime="Mon, 27 Jan 2014 17:12:39 GMT"
`
	if w.Body.String() != want {
		t.Errorf("the TimeMap is\n%s\nwant\n%s", w.Body, want)
	}
	var info memento.TimeMap
	j := get(s, "GET", "/timemap/json/"+asked)
	if err := json.Unmarshal(j.Body.Bytes(), &info); err != nil || j.Header().Get("Content-Type") != "application/json" {
		t.Fatal(err, j.Header())
	}
	if l := info.Mementos.List; len(l) != 3 || l[1].URI != here+"/web/20140126200804/"+asked || !l[1].Time.Equal(utc(2014, 1, 26, 20, 8, 4)) || info.Mementos.Last != l[2] {
		t.Errorf("the TimeMap in JSON is %+v", info)
	}
	for _, bad := range []string{"link/2/" + asked, "link/http://none.test/"} {
		if w := get(s, "GET", "/timemap/"+bad); w.Code != 404 {
			t.Errorf("/timemap/%s: %d", bad, w.Code)
		}
	}
	for _, bad := range []string{"cdxj/" + asked, "link/", "link/0/" + asked, asked} {
		if w := get(s, "GET", "/timemap/"+bad); w.Code != 400 {
			t.Errorf("/timemap/%s: %d", bad, w.Code)
		}
	}
}

// No request can inject headers: URLs never end a header or begin a new one.
func FuzzMementoRequests(f *testing.F) {
	f.Add("/web/", "20140126200804/"+asked)
	f.Add("/web/", "2014id_/http://a.test/../../etc/passwd")
	f.Add("/timemap/", "link/2/http://a.test/%0d%0aX: y")
	f.Add("/timegate/", `http://a.test/">,<http://evil.test/>; rel="memento`)
	f.Add("/timegate/", "http:/a.test/%zz")
	s := fourVersions(f)
	f.Fuzz(func(t *testing.T, kind, rest string) {
		if kind != "/web/" && kind != "/timegate/" && kind != "/timemap/" {
			return
		}
		r := httptest.NewRequest("GET", "/", nil)
		r.RequestURI = kind + rest
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code >= 500 {
			t.Fatalf("%d %.200s", w.Code, w.Body)
		}
		for _, values := range w.Header() {
			for _, v := range values {
				if strings.ContainsAny(v, "\r\n\x00") {
					t.Fatalf("a header is %q", v)
				}
			}
		}
		if link := w.Header().Get("Link"); link != "" {
			mementotest.Links(t, link)
		}
		if loc := w.Header().Get("Location"); loc != "" && !strings.HasPrefix(loc, "/web/") {
			t.Fatalf("it leads to %q", loc)
		}
	})
}
