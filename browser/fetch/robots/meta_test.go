package robots_test

import (
	"testing"

	"plat/browser/fetch/robots"
)

func TestMeta(t *testing.T) {
	const i, f, a = "noindex", "nofollow", "noarchive"
	for _, tc := range []struct {
		content string
		want    []string
	}{
		{"", nil},
		{"noindex", []string{i}},
		{" NoIndex ,NOFOLLOW", []string{i, f}},
		{"noindex nofollow", []string{i, f}},
		{"none", []string{i, f}},
		{"noarchive", []string{a}},
		{"nocache", []string{a}},
		{"all", nil},
		{"index, follow", nil},
		{"noindex, index", []string{i}},
		{"noindexed, no index, follow", nil},
		{"nosnippet, noimageindex, notranslate, noodp", nil},
		{"max-snippet:20, noindex, max-image-preview: large", []string{i}},
		{"max-image-preview: noindex", nil},
		{"unavailable_after: 25 Jun 2010 15:00:00 PST", nil},
		{"unavailable_after: Saturday, 30-Jun-07 14:30:00 EST, noarchive", []string{a}},
		{"unavailable_after: 2030-01-01T00:00:00Z, none", []string{i, f}},
		{"unavailable_after: 25 Jun, 15:00:00, noindex", []string{i}},
		{"plat: noindex", []string{i}},
		{"PLAT : noindex, nofollow", []string{i, f}},
		{"googlebot: noindex", nil},
		{"otherbot: noindex, nofollow", nil},
		{"noarchive, otherbot: noindex, nofollow", []string{a}},
		{"otherbot: none, plat: noarchive", []string{a}},
		{"otherbot: none, *: noarchive", []string{a}},
		{"mj12bot: noindex", nil},
		{"*: noindex", []string{i}},
		{"plat: unavailable_after: 1 Jan 2030 00:00:00 GMT, noindex", []string{i}},
		{"googlebot: unavailable_after: 1 Jan 2030 00:00:00 GMT, noindex", nil},
		{":::,,:noindex,\x00", nil},
	} {
		var want robots.Directives
		for _, w := range tc.want {
			want = want.Or(robots.Directives{NoIndex: w == i, NoFollow: w == f, NoArchive: w == a})
		}
		got := robots.Meta(tc.content, "plat")
		if got != want {
			t.Errorf("Meta(%q) = %+v, want %+v", tc.content, got, want)
		}
	}
}
