package nearest

import "testing"

func TestEditsAreCounted(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"abc", "abc", 0}, {"", "abc", 3}, {"abc", "", 3}, {"abc", "abd", 1}, {"abc", "acb", 1}, {"abc", "ab", 1}, {"kitten", "sitting", 3}} {
		if got := edits(tc.a, tc.b); got != tc.want {
			t.Errorf("%q to %q: %d, want %d", tc.a, tc.b, got, tc.want)
		}
	}
}

func TestTheNearestIsFoundUnlessItIsFar(t *testing.T) {
	names := []string{"archive", "crawl", "diff", "up", "watch", "watch-for", "migrate"}
	for name, want := range map[string]string{"archve": "archive", "crwal": "crawl", "dif": "diff", "pu": "up", "fetch": "", "": "", "archived": "archive", "migr": "migrate", "wat": "", "mi": ""} {
		if got := Of(name, names); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	if got := Question("Archve", "plat ", names); got != " (did you mean plat archive?)" {
		t.Errorf("%q", got)
	}
	if got := Question("fetch", "", names); got != "" {
		t.Errorf("%q", got)
	}
}
