package cookies

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

var now = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

const netscapeFile = "# Netscape HTTP Cookie File\r\n" +
	"# https://curl.se/docs/http-cookies.html\r\n\r\n" +
	".example.com\tTRUE\t/\tTRUE\t1900000000\tsid\thush=1\r\n" +
	"#HttpOnly_www.example.com\tFALSE\t/in\tFALSE\t0\tlogin\thush\r\n" +
	"EXAMPLE.org\tfalse\t/\tfalse\t1900000000.5\tempty\t\r\n" +
	"example.org\tFALSE\t/\tFALSE\t-1\tcut\r\n" +
	"old.test\tFALSE\t/\tFALSE\t1000000000\told\thush\r\n" +
	".127.0.0.1\tTRUE\t/\tFALSE\t0\taddress\thush\r\n" +
	".co.uk\tTRUE\t/\tFALSE\t0\tsuffix\thush\r\n" +
	"münchen.test\tFALSE\t/\tFALSE\t\tidn\tschön\r\n"

func TestCookiesTxtIsRead(t *testing.T) {
	f, err := Parse([]byte(netscapeFile), now)
	if err != nil {
		t.Fatal(err)
	}
	later := time.Unix(1900000000, 0).UTC()
	want := []Cookie{
		{Name: "sid", Value: "hush=1", Host: "example.com", Subdomains: true, Path: "/", Secure: true, Expires: later.Add(time.Microsecond)},
		{Name: "login", Value: "hush", Host: "www.example.com", Path: "/in", HTTPOnly: true},
		{Name: "empty", Host: "example.org", Path: "/", Expires: later.Add(500*time.Millisecond + time.Microsecond)},
		{Name: "cut", Host: "example.org", Path: "/"},
		{Name: "address", Value: "hush", Host: "127.0.0.1", Path: "/"},
		{Name: "suffix", Value: "hush", Host: "co.uk", Path: "/"},
		{Name: "idn", Value: "schön", Host: "xn--mnchen-3ya.test", Path: "/"},
	}
	for i, c := range want {
		if i >= len(f.Cookies) || f.Cookies[i] != c {
			t.Errorf("cookie %d is %+v, want %+v", i, f.Cookies[min(i, len(f.Cookies)-1)], c)
		}
	}
	if len(f.Cookies) != len(want) || f.Expired != 1 {
		t.Errorf("%d cookies, %d expired", len(f.Cookies), f.Expired)
	}
}

func TestTheJSONOfExtensionsIsRead(t *testing.T) {
	const editThisCookie = `[
  {"domain": ".example.com", "expirationDate": 1900000000.25, "hostOnly": false, "httpOnly": true, "name": "sid", "path": "/", "sameSite": "no_restriction", "secure": true, "session": false, "storeId": "0", "value": "hush", "id": 1},
  {"domain": "www.example.com", "hostOnly": true, "httpOnly": false, "name": "b", "path": "/x", "sameSite": "unspecified", "secure": false, "session": true, "storeId": "0", "value": "2", "id": 2},
  {"domain": "old.test", "expirationDate": 1000000000, "hostOnly": true, "name": "old", "value": "x"}
]`
	const cookieEditor = `{"url": "https://example.com", "version": 2, "cookies": [
  {"name": "a", "value": "1", "domain": "example.com", "hostOnly": true, "path": "/", "secure": false, "httpOnly": false, "sameSite": null, "session": true, "firstPartyDomain": "", "partitionKey": null, "storeId": null},
  {"name": "c", "value": "3", "domain": ".example.com", "hostOnly": false, "path": "/", "secure": false, "httpOnly": false, "sameSite": "strict", "session": false, "expirationDate": 1900000000}
]}`
	const playwright = `{"cookies":[{"name":"p","value":"1","domain":".example.com","path":"/","expires":1900000000,"httpOnly":true,"secure":true,"sameSite":"Lax"},
{"name":"q","value":"2","domain":"example.com","path":"/","expires":-1,"httpOnly":false,"secure":false,"sameSite":"None"}],"origins":[]}`
	later := time.Unix(1900000000, 0).UTC().Add(time.Microsecond)
	for name, tc := range map[string]struct {
		text    string
		want    []Cookie
		expired int
	}{
		"EditThisCookie": {"\ufeff" + editThisCookie, []Cookie{
			{Name: "sid", Value: "hush", Host: "example.com", Subdomains: true, Path: "/", Expires: later.Add(250 * time.Millisecond), HTTPOnly: true, Secure: true, SameSite: None},
			{Name: "b", Value: "2", Host: "www.example.com", Path: "/x"},
		}, 1},
		"Cookie-Editor": {cookieEditor, []Cookie{
			{Name: "a", Value: "1", Host: "example.com", Path: "/"},
			{Name: "c", Value: "3", Host: "example.com", Subdomains: true, Path: "/", SameSite: Strict, Expires: later},
		}, 0},
		"Playwright": {playwright, []Cookie{
			{Name: "p", Value: "1", Host: "example.com", Subdomains: true, Path: "/", SameSite: Lax, Secure: true, HTTPOnly: true, Expires: later},
			{Name: "q", Value: "2", Host: "example.com", Path: "/"}, // browsers reject None without Secure
		}, 0},
		"none": {"[]", nil, 0},
	} {
		f, err := Parse([]byte(tc.text), now)
		if err != nil || !slices.Equal(f.Cookies, tc.want) || f.Expired != tc.expired {
			t.Errorf("%s: %+v, %v\nwant %+v", name, f, err, tc.want)
		}
	}
}

func TestAFileThatCannotBeReadIsToldByItsLine(t *testing.T) {
	line := func(fields ...string) string { return strings.Join(fields, "\t") + "\n" }
	good := line("a.test", "FALSE", "/", "FALSE", "0", "a", "hush")
	one := func(change string) string {
		return "[\n{\"domain\":\"a.test\",\"name\":\"a\",\"value\":\"hush\"},\n" + change + "\n]"
	}
	for name, tc := range map[string]struct{ text, says string }{
		"too few fields":   {good + "a.test FALSE / FALSE 0 a hush\n", "line 2: there are 1 fields"},
		"too many fields":  {good + line("a.test", "FALSE", "/", "FALSE", "0", "a", "hush", "hush"), "line 2: there are 8"},
		"no boolean":       {line("a.test", "hush", "/", "FALSE", "0", "a", "hush"), "line 1: the second field"},
		"no boolean again": {line("a.test", "TRUE", "/", "hush", "0", "a", "hush"), "line 1: the fourth field"},
		"no time":          {line("a.test", "TRUE", "/", "TRUE", "hush", "a", "hush"), "line 1: the fifth field"},
		"not a number":     {line("a.test", "TRUE", "/", "TRUE", "NaN", "a", "hush"), "line 1: the fifth field"},
		"no domain":        {line("", "TRUE", "/", "TRUE", "0", "a", "hush"), "line 1: the cookie's domain is not a host name"},
		"a URL":            {line("https://hush.test/", "TRUE", "/", "TRUE", "0", "a", "hush"), "line 1: the cookie's domain is not a host name"},
		"a port":           {line("a.test:8080", "TRUE", "/", "TRUE", "0", "a", "hush"), "line 1: the cookie's domain has a port"},
		"the default port": {line("a.test:443", "TRUE", "/", "TRUE", "0", "a", "hush"), "line 1: the cookie's domain is not a host name"},
		"no name":          {line("a.test", "TRUE", "/", "TRUE", "0", "", "hush"), "line 1: the cookie has no name"},
		"a semicolon":      {line("a.test", "TRUE", "/", "TRUE", "0", "a", "hush; Domain=b.test"), "line 1: the cookie's value"},
		"no path":          {line("a.test", "TRUE", "hush", "TRUE", "0", "a", "hush"), "line 1: the cookie's path"},
		"too large":        {line("a.test", "TRUE", "/", "TRUE", "0", "a", strings.Repeat("hush", 1024)), "line 1: the cookie has more than 4096"},
		"insecure prefix":  {line("a.test", "FALSE", "/", "FALSE", "0", "__secure-a", "hush"), "line 1: browsers reject"},
		"host prefix":      {line(".a.test", "TRUE", "/", "TRUE", "0", "__Host-a", "hush"), "line 1: browsers reject"},
		"Latin-1":          {good + line("a.test", "TRUE", "/", "TRUE", "0", "a", "hush\xe9"), "line 2: it is not UTF-8"},
		"too many cookies": {strings.Repeat(good, MaxCookies+1), "line 3001: there are more than 3000 cookies"},
		"too many bytes":   {strings.Repeat("#", MaxFile+1), "more than 4194304 bytes"},

		"a wrong kind":       {one(`{"domain":"a.test","name":"a","value":"hush","secure":"hush"}`), `line 3: "secure" of the cookie is of the wrong kind`},
		"a number":           {one(`{"domain":"a.test","name":"a","value":12345678}`), `line 3: "value" of the cookie is of the wrong kind`},
		"JSON no domain":     {one(`{"Host raw":"https://a.test/","Content raw":"hush"}`), `line 3: there is no "domain"`},
		"JSON of texts":      {one(`"hush"`), "line 3: not a cookie"},
		"JSON of nothing":    {one(`null`), `line 3: there is no "domain"`},
		"JSON cut":           {`[{"domain":"a.test","name":"a","value":"hush`, "line 1: not a cookie, or the JSON ends too early"},
		"JSON cut later":     {"[{\"domain\":\"a.test\",\"name\":\"a\",\"value\":\"hush\"},\n", "line 2: not a cookie, or the JSON ends too early"},
		"no JSON":            {"[\n\n hush]", "line 3: the text is not JSON"},
		"a wrong escape":     {one(`{"domain":"a.test","name":"a","value":"hush\x"}`), "line 3: the text is not JSON"},
		"same site":          {one(`{"domain":"a.test","name":"a","value":"hush","sameSite":"hush"}`), `line 3: "sameSite" is not`},
		"object without":     {`{"hush": []}`, `the object has no "cookies"`},
		"no array":           {"{\n\"cookies\": {\"hush\": 1}}", `line 2: "cookies" is no array`},
		"what follows":       {"[]\nhush", "line 2: there is text after"},
		"what follows again": {"[]\n[]", "line 2: there is text after"},
	} {
		f, err := Parse([]byte(tc.text), now)
		if err == nil {
			t.Errorf("%s: read as %v", name, f.Cookies)
			continue
		}
		if !strings.Contains(err.Error(), tc.says) || strings.Contains(err.Error(), "hush") || strings.Contains(err.Error(), "12345678") {
			t.Errorf("%s: %v, want %q", name, err, tc.says)
		}
	}
}

func TestNoTextOfACookieHasItsValue(t *testing.T) {
	c := Cookie{Name: "sid", Value: "hush", Host: "a.test", Path: "/"}
	for _, text := range []string{fmt.Sprint(c), fmt.Sprintf("%+v %#v %q", c, c, []Cookie{c}), fmt.Sprintf("%v", &File{Cookies: []Cookie{c}})} {
		if strings.Contains(text, "hush") || !strings.Contains(text, "sid of a.test") {
			t.Errorf("it is said to be %q", text)
		}
	}
}

func TestCookiesGoWhereABrowserSendsThem(t *testing.T) {
	j := NewJar([]Cookie{
		{Name: "host", Value: "1", Host: "example.com", Path: "/"},
		{Name: "all", Value: "2 x\"y\"", Host: "example.com", Subdomains: true, Path: "/"},
		{Name: "secure", Value: "3", Host: "example.com", Path: "/", Secure: true},
		{Name: "path", Value: "4", Host: "example.com", Path: "/in"},
		{Name: "third", Value: "5", Host: "other.test", Path: "/", Secure: true, SameSite: None},
		{Name: "first", Value: "6", Host: "other.test", Path: "/", SameSite: Lax},
		{Name: "old", Value: "7", Host: "example.com", Path: "/", Expires: time.Now().Add(-time.Hour)},
		{Name: "six", Value: "8", Host: "[::1]", Path: "/"},
		{Name: "suffix", Value: "9", Host: "github.io", Path: "/"},
	})
	for _, tc := range []struct{ at, page, want string }{
		{"https://example.com/", "", `host=1; all=2 x"y"; secure=3`},
		{"https://example.com:8443/in/x", "", `path=4; host=1; all=2 x"y"; secure=3`},
		{"http://example.com/", "", `host=1; all=2 x"y"`},
		{"https://www.example.com/", "", `all=2 x"y"`},
		{"https://notexample.com/", "", ""},
		{"https://example.com/a.css", "https://www.example.com/", `host=1; all=2 x"y"; secure=3`},
		{"https://example.com/a.css", "http://www.example.com/", ""},
		{"https://example.com/a.css", "https://other.test/", ""},
		{"https://other.test/a.css", "https://example.com/", "third=5"},
		{"https://other.test/a.css", "https://other.test/", "third=5; first=6"},
		{"http://[::1]:81/", "", "six=8"},
		{"https://me.github.io/", "", ""},
	} {
		at, _ := url.Parse(tc.at)
		var page *url.URL
		if tc.page != "" {
			page, _ = url.Parse(tc.page)
		}
		if got := j.For(at, page); got != tc.want {
			t.Errorf("%s from %q: %q, want %q", tc.at, tc.page, got, tc.want)
		}
		if got := NewJar(nil).For(at, page); got != "" {
			t.Errorf("no cookies are %q", got)
		}
	}
}

func TestCookiesThatASiteHasRenewedAreNotGivenAgain(t *testing.T) {
	for _, tc := range [][3]string{
		{"", "a=1; b=2", "a=1; b=2"},
		{"a=9", "a=1; b=2", "a=9; b=2"},
		{"a=9; a=8", "a=1", "a=9; a=8"},
		{"a=9;c", " b=2 ;; ", "a=9; c; b=2"},
		{"a=9", "", "a=9"},
		{"", "", ""},
	} {
		if got := Join(tc[0], tc[1]); got != tc[2] {
			t.Errorf("%q with %q given are %q, want %q", tc[0], tc[1], got, tc[2])
		}
	}
}

// FuzzParse checks that a file is either read, within limits, or rejected with a line number, and
// that the result survives a round trip through JSON.
func FuzzParse(f *testing.F) {
	f.Add([]byte(netscapeFile))
	f.Add([]byte(`[{"domain": ".example.com", "expirationDate": 1900000000.25, "hostOnly": false, "name": "sid", "path": "/", "sameSite": "no_restriction", "secure": true, "value": "x"}]`))
	f.Add([]byte(`{"a": [{}], "cookies": [{"domain": "a.test", "name": "a", "value": "\u00e9", "session": true}]}`))
	f.Add([]byte("[[[[{"))
	said := regexp.MustCompile(`^(line [1-9][0-9]*: |there are more than )[ -~]*$`)
	f.Fuzz(func(t *testing.T, text []byte) {
		file, err := Parse(text, now)
		if err != nil {
			if !said.MatchString(err.Error()) {
				t.Fatalf("it says %q", err)
			}
			return
		}
		if len(file.Cookies) > MaxCookies {
			t.Fatalf("%d cookies", len(file.Cookies))
		}
		var again []map[string]any
		for _, c := range file.Cookies {
			if err := c.check(); err != nil || c.Host == "" || !c.Expires.IsZero() && !c.Expires.After(now) {
				t.Fatalf("%v %v: %v", c, c.Expires, err)
			}
			e := map[string]any{"domain": c.Host, "hostOnly": !c.Subdomains, "path": c.Path, "name": c.Name, "value": c.Value, "secure": c.Secure, "httpOnly": c.HTTPOnly, "sameSite": c.SameSite}
			if !c.Expires.IsZero() {
				e["expirationDate"] = float64(c.Expires.Unix())
			}
			again = append(again, e)
		}
		NewJar(file.Cookies)
		b, err := json.Marshal(again)
		if err != nil || len(again) == 0 {
			return
		}
		second, err := Parse(b, time.Time{})
		if err != nil || len(second.Cookies) != len(file.Cookies) {
			t.Fatalf("%s is read as %v, %v", b, second, err)
		}
		for i, c := range second.Cookies {
			was := file.Cookies[i]
			c.Expires, was.Expires = time.Time{}, time.Time{}
			if c != was {
				t.Fatalf("%+v became %+v", was, c)
			}
		}
	})
}
