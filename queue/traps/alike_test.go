package traps

import "testing"

func TestSameTargets(t *testing.T) {
	for _, x := range []struct {
		a, b    string
		varying []string
		want    bool
	}{
		{`<a href="/p/1">x</a>`, `<a href="/p/1">x</a>`, nil, true},
		{`<a href="/p/1">x</a>`, `<a href="/p/2">x</a>`, nil, false},
		{`<a href="/p/1">x</a>`, `<a href="/print/1#top">x</a>`, nil, true},
		{`<a href="/p?sid=1&amp;id=7">x</a>`, `<a href="/p?sid=2&amp;id=7">x</a>`, []string{"sid"}, true},
		{`<a href="/p?sid=1&amp;id=7">x</a>`, `<a href="/p?sid=2&amp;id=8">x</a>`, []string{"sid"}, false},
		{`<a href="/p?sid=1">x</a>`, `<a href="/p?sid=2">x</a>`, nil, false},
		{`<a href="/p/1">x</a>`, `x`, nil, false},
	} {
		if got := SameTargets([]byte(x.a), []byte(x.b), x.varying); got != x.want {
			t.Errorf("SameTargets(%s, %s, %v) = %v", x.a, x.b, x.varying, got)
		}
	}
}

func TestTimes(t *testing.T) {
	for _, x := range []struct {
		a, b string
		n    int
		ok   bool
	}{
		{"served at 12:03:44", "served at 12:04:01.123", 1, true},
		{"from 9:05 (UTC) to 10:00", "from 9:06 (UTC) to 10:01", 2, true},
		{"price 12.30", "price 12.40", 0, false},
		{"room 101", "room 102", 0, false},
		{"the same", "the same", 0, false},
		{"one", "one two", 0, false},
	} {
		if n, ok := Times(x.a, x.b); ok != x.ok || ok && n != x.n {
			t.Errorf("Times(%q, %q) = %d, %v", x.a, x.b, n, ok)
		}
	}
}
