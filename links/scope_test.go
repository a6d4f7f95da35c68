package links

import "testing"

func TestScopesFollow(t *testing.T) {
	const page = "https://www.news.co.uk/a/b"
	for _, tc := range []struct {
		scope string
		depth int
		link  string
		want  bool
	}{
		{"", 0, page, false},
		{"page", 0, page, false},
		{"host", 0, "https://www.news.co.uk/x", true},
		{"host", 0, "http://www.news.co.uk/x", true},
		{"host", 0, "https://www.news.co.uk:8443/x", false},
		{"host", 0, "https://news.co.uk/x", false},
		{"domain", 0, "https://img.news.co.uk:8443/x", true},
		{"domain", 0, "https://other.co.uk/", false},
		{"any", 0, "https://b.test/", true},
		{"prefix=https://www.news.co.uk/a/", 0, "https://www.news.co.uk/a/c", true},
		{"prefix=https://www.news.co.uk/a/", 0, "https://www.news.co.uk/b", false},
		{"prefix", 0, page, false}, // no prefix yet
		{"host depth=2", 1, "https://www.news.co.uk/x", true},
		{"host depth=2", 2, "https://www.news.co.uk/x", false},
		{"any include=/2026/ include=/2025/", 0, "https://b.test/2025/x", true},
		{"any include=/2026/", 0, "https://b.test/2025/x", false},
		{"any include=/2026/ exclude=[.]pdf$", 0, "https://b.test/2026/x.pdf", false},
	} {
		s, err := ParseScope(tc.scope)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Follows(page, tc.depth, tc.link); got != tc.want {
			t.Errorf("%q at depth %d follows %s: %t", tc.scope, tc.depth, tc.link, got)
		}
	}
}
