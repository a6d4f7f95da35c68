package attributes_test

import (
	"slices"
	"testing"

	"plat/diff/noise/attributes"
)

func TestRetargeted(t *testing.T) {
	const was = `<p><a href="/timetable">Timetable</a> of <a href="/a">boats</a> <a href="/b">boats</a></p>`
	for _, tc := range []struct {
		name, now, look string
		want            []string
	}{
		{"nothing", was, was, nil},
		{"elsewhere", `<div><a class="x" href="/other">Time<b>table</b></a></div>`, `<a href="/other"> Timetable </a>`, []string{"Timetable"}},
		{"elsewhere at each look", `<a href="/other">Timetable</a>`, `<a href="/third">Timetable</a>`, nil},
		{"not in the second rendering", `<a href="/other">Timetable</a>`, `<a href="/timetable">Timetable</a>`, nil},
		{"another text", `<a href="/other">Prices</a>`, `<a href="/other">Prices</a>`, nil},
		{"two links with one text", `<a href="/c">boats</a>`, `<a href="/c">boats</a>`, nil},
		{"a token", `<a href="/timetable?sid=8d1f5c2ab7e94c03a6d2">Timetable</a>`, `<a href="/timetable?sid=8d1f5c2ab7e94c03a6d2">Timetable</a>`, []string{"Timetable"}},
		{"no end", `<a href="/other">Timetable`, `<a href="/other">Timetable`, nil},
	} {
		got := attributes.Retargeted([]byte(was), []byte(tc.now), []byte(tc.look))
		if !slices.Equal(got, tc.want) {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
	token := func(id string) []byte { return []byte(`<a href="/t?sid=` + id + `">Timetable</a>`) }
	if got := attributes.Retargeted(token("8d1f5c2ab7e94c03a6d2"), token("0b7c3e9f1a5d48e2b6c4"), token("0b7c3e9f1a5d48e2b6c4")); got != nil {
		t.Errorf("another token is elsewhere: %q", got)
	}
}

func TestTokens(t *testing.T) {
	for _, tc := range []struct {
		x, y string
		want bool
	}{
		{"/order/8d1f5c2ab7e94c03", "/order/0b7c3e9f1a5d48e2", true},
		{"/order/8d1f5c2ab7e94c03?n=4f8a9b2c7d6e1f0a#top", "/order/0b7c3e9f1a5d48e2?n=9c1d2e3f4a5b6c7d#top", true},
		{"/order/8d1f5c2ab7e94c03", "/pay/0b7c3e9f1a5d48e2", false},
		{"/order/8d1f5c2ab7e94c03", "/order/new", false},
		{"/order/8d1f5c2ab7e94c03", "/order", false},
		{"/order", "/pay", false},
	} {
		if got := attributes.Tokens(tc.x, tc.y); got != tc.want {
			t.Errorf("%s, %s: %v, want %v", tc.x, tc.y, got, tc.want)
		}
	}
}
