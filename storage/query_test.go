package storage

import (
	"errors"
	"slices"
	"testing"
	"time"

	"plat/plat"
)

func TestWords(t *testing.T) {
	for in, want := range map[string][]string{
		"":                          nil,
		" …—!":                      nil,
		"Breaking: Go 1.26 is out!": {"breaking", "go", "1", "26", "is", "out"},
		"北京大学 Wins":                 {"北", "京", "大", "学", "wins"},
		"naïve ÉTÉ Москва":          {"naïve", "été", "москва"},
		"한국어 뉴스":                    {"한국어", "뉴스"},
		"e\u0301te":                 {"e\u0301te"},
	} {
		if got := Words(in); !slices.Equal(got, want) {
			t.Errorf("Words(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestHost(t *testing.T) {
	for url, want := range map[string]string{
		"https://a.test/":           "a.test",
		"https://a.test":            "a.test",
		"http://a.test:8080?x":      "a.test:8080",
		"https://u:p@a.test/x@y":    "a.test",
		"https://[::1]:9/#f":        "[::1]:9",
		"https://a.test/?u=http://": "a.test",
		"no url":                    "",
	} {
		if got := Host(url); got != want {
			t.Errorf("Host(%q) = %q, want %q", url, got, want)
		}
	}
}

func TestSince(t *testing.T) {
	h := func(s string) plat.Hash { return plat.HashOf([]byte(s)) }
	page := func(n int, blocks ...plat.Block) *plat.Version {
		return &plat.Version{N: n, Lineages: 3, Blocks: append([]plat.Block{{Slot: -1, Parent: -1}}, blocks...)}
	}
	prev := page(4, plat.Block{Lineage: 1, Hash: h("a")}, plat.Block{Lineage: 2, Hash: h("b")})
	next := page(5,
		plat.Block{Lineage: 1, Hash: h("a")}, // unchanged
		plat.Block{Lineage: 2, Hash: h("c")}, // changed
		plat.Block{Lineage: 3, Hash: h("d")}, // returned
		plat.Block{Lineage: 4, Hash: h("a")}, // new in this lineage
	)
	asked := 0
	earlier := func(lineage int32, c plat.Hash) (int32, error) {
		asked++
		if lineage == 3 && c == h("d") {
			return 2, nil
		}
		return 0, nil
	}
	got, err := Since(next, prev, []int32{0, 1, 3}, earlier)
	if want := []int32{0, 1, 5, 2, 5}; err != nil || !slices.Equal(got, want) || asked != 2 {
		t.Errorf("Since = %v, %v after %d lookups; want %v after 2", got, err, asked, want)
	}
	if got, err := Since(prev, nil, nil, nil); err != nil || !slices.Equal(got, []int32{0, 4, 4}) {
		t.Errorf("Since without a previous version = %v, %v; want the version's own number", got, err)
	}
	boom := errors.New("boom")
	if _, err := Since(next, prev, []int32{0, 1, 3}, func(int32, plat.Hash) (int32, error) { return 0, boom }); !errors.Is(err, boom) {
		t.Errorf("error = %v, want that of earlier", err)
	}
}

func TestMatch(t *testing.T) {
	day := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	f := &Found{Taken: day, Block: plat.Block{Label: plat.LabelMain, Topic: "Go 1.26 is out"}}
	for _, tc := range []struct {
		q    BlockQuery
		want bool
	}{
		{BlockQuery{}, true},
		{BlockQuery{Labels: []plat.Label{plat.LabelMain}}, true}, {BlockQuery{Labels: []plat.Label{plat.LabelList}}, false},
		{BlockQuery{Topic: "OUT go"}, true}, {BlockQuery{Topic: "go away"}, false}, {BlockQuery{Topic: "!"}, true},
		{BlockQuery{Since: day}, true}, {BlockQuery{Since: day.Add(1)}, false},
		{BlockQuery{Until: day}, false}, {BlockQuery{Until: day.Add(1)}, true},
	} {
		if got := tc.q.Match(f); got != tc.want {
			t.Errorf("%+v matches: %v, want %v", tc.q, got, tc.want)
		}
	}
}
