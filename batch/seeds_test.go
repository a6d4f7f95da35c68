package batch

import (
	"strings"
	"testing"
)

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
}
