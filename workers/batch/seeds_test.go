package batch

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestKeysThatSeedsDoNotHaveAreNamed(t *testing.T) {
	s := NewSeeds(nil)
	s.End(s.Read(strings.NewReader(`{"url": "http://a.test/", "priority": 0.7, "scope": "host"}
{"url": "http://b.test/", "colour": "red"}
{"url": "http://c.test/"} {"url": "http://d.test/"}`)))
	for i, want := range []string{"", `line 2 is no JSON with a "url": not a seed: unknown field "colour"`, "line 3"} {
		x, ok := s.next(t.Context())
		if !ok || want == "" && x.Err != nil || want != "" && (x.Err == nil || !strings.Contains(x.Err.Error(), want)) {
			t.Errorf("seed %d: %+v, want %q", i, x, want)
		}
	}
}

func TestSeedsAreReadOnceEach(t *testing.T) {
	list := "\uFEFF# a list\n\nhttp://a.test/\n  http://a.test/#top\r\n{\"url\":\"http://b.test/\",\"depth\":2}\nHTTP://B.test # again\n\thttp://c.test/#part\t#and why\n #http://d.test/\nftp://c.test/\n{\"url\"\n{}\n"
	s := NewSeeds(nil)
	err := s.Read(strings.NewReader(list))
	s.End(err)
	var good, bad []string
	for {
		x, ok := s.next(t.Context())
		if !ok {
			break
		}
		if x.Err != nil {
			bad = append(bad, x.URL)
		} else {
			good = append(good, x.URL)
		}
	}
	if strings.Join(good, " ") != "http://a.test/ http://b.test/ http://c.test/" || strings.Join(bad, " ") != `ftp://c.test/ {"url" {}` {
		t.Errorf("good %q, bad %q", good, bad)
	}
	if n, all, err := s.total(); n != 6 || !all || err != nil {
		t.Errorf("total is %d, %v, %v", n, all, err)
	}
	s = NewSeeds(nil)
	s.End(s.Read(strings.NewReader("http://a.test/" + strings.Repeat("x", 1<<20) + "\nhttp://b.test/")))
	for _, refused := range []bool{true, false} {
		if x, ok := s.next(t.Context()); !ok || refused != (x.Err != nil) || len(x.URL) > 200 {
			t.Errorf("a line that is too long, and the next: %.50s, %v", x.URL, x.Err)
		}
	}

	// Lines that begin alike are refused each, without logins, Go's types and other letters.
	long := `{"url": ["` + strings.Repeat("x", 200) + `"]}`
	s = NewSeeds(nil)
	s.End(s.Read(strings.NewReader(long + "\r" + long + "\r" + `{"url": "http://me:p/hush@a.test/` + "\r{\"url\": \"http://a.test/\xe9\"}\rhttp://a.test/\xe9\rhttp://me:hush@a.test:x/\r")))
	for _, want := range []string{`"url" is a list; write a text`, `"url" is a list; write a text`, "it ends too early", "it is not UTF-8", "it is not UTF-8", "cannot parse its host or port"} {
		x, ok := s.next(t.Context())
		if !ok || x.Err == nil || !strings.Contains(x.Err.Error(), want) || strings.Contains(x.URL+x.Err.Error(), "hush") || !utf8.ValidString(x.URL) {
			t.Errorf("%q: %v, want %q", x.URL, x.Err, want)
		}
	}
}
