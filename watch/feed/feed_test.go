package feed

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"plat/plat"
	"plat/plat/excerpt"
	"plat/storage/history"
	"plat/watch/feed/feedtest"
)

// pages builds fixed addresses.
type pages struct{}

func (pages) Diff(u string, old, now int) string {
	return fmt.Sprintf("http://b.test/diff?url=%s&old=%d&new=%d", url.QueryEscape(u), old, now)
}

func (pages) Block(u string, lineage int32) string {
	return fmt.Sprintf("http://b.test/block?url=%s&lineage=%d", url.QueryEscape(u), lineage)
}

// entries returns the entries of all changes of a comparison.
func entries(d *history.Diff) (all []Entry) {
	for _, c := range Changes(d, 0, pages{}) {
		all = append(all, c.Entry)
	}
	return all
}

func TestAFeedOfHugeChangesIsStillSmall(t *testing.T) {
	f := &Feed{ID: "x", Title: "t", Updated: time.Now()}
	for i := range 500 {
		long := strings.Repeat("<&北\"", 2000)
		d := &history.Diff{URL: "http://a.test/", Old: i + 1, New: i + 2, NewTaken: time.Now(), Changes: []history.ChangeInfo{
			{Kind: plat.Added, Lineage: 1, NewText: &long, Words: []history.Word{{Op: "insert", Text: long}, {Op: "delete", Text: long}}}}}
		f.Entries = append(f.Entries, entries(d)...)
	}
	for name, format := range Formats {
		c := *f
		body, err := format.Marshal(&c)
		if err != nil || len(body) > MaxBytes || len(feedtest.Parse(t, body).Items) < 5 {
			t.Errorf("%s has %d bytes, %v", name, len(body), err)
		}
	}
}

// For any page content, the feed can be parsed and contains that content, apart
// from characters that XML cannot represent.
func FuzzFeedTexts(f *testing.F) {
	f.Add("a title", "some text")
	f.Add("]]></title><script>", "\x00\x01\ufffe <ins> &amp; ]]>")
	f.Add("\xff\xfe", "line\nline\r\n\u2028")
	f.Add(" ", "\U0010ffff\ud7ff")
	f.Fuzz(func(t *testing.T, title, text string) {
		d := &history.Diff{URL: "http://a.test/", Old: 1, New: 2, NewTaken: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), Changes: []history.ChangeInfo{
			{Kind: plat.Content, Lineage: 1, Topic: title, NewText: &text, Words: []history.Word{{Op: "equal", Text: text}, {Op: "insert", Text: title}}}}}
		made := &Feed{ID: "x", Title: excerpt.XML(title), Self: "http://b.test/?" + url.QueryEscape(title), Updated: d.NewTaken, Entries: entries(d)}
		want := strings.Join(strings.Fields(made.Entries[0].Title), " ")
		for name, format := range Formats {
			body, err := format.Marshal(made)
			if err != nil {
				t.Fatal(err)
			}
			if !utf8.Valid(body) {
				t.Fatalf("%s is no UTF-8", name)
			}
			p := feedtest.Parse(t, body)
			if len(p.Items) != 1 {
				t.Fatalf("%s has %d items", name, len(p.Items))
			}
			if got := strings.Join(strings.Fields(p.Items[0].Title), " "); got != want {
				t.Fatalf("%s has the title %q; want %q", name, got, want)
			}
			if html := p.Items[0].Content + p.Items[0].Description; strings.Contains(html, "<script") {
				t.Fatalf("%s has markup of the page: %q", name, html)
			}
		}
	})
}

func TestFilterDefaultsDropNoise(t *testing.T) {
	for _, tc := range []struct {
		name   string
		filter Filter
		kind   plat.Kind
		label  plat.Label
		want   bool
	}{
		{"a change of content", Filter{}, plat.Content, plat.LabelMain, true},
		{"a volatile change", Filter{}, plat.Volatile, plat.LabelMain, false},
		{"hidden text", Filter{}, plat.Invisible, plat.LabelMain, false},
		{"an advertisement", Filter{}, plat.Content, plat.LabelAdvertisement, false},
		{"an advertisement that is asked for by its label", Filter{Labels: []plat.Label{plat.LabelAdvertisement}}, plat.Advertisement, plat.LabelAdvertisement, true},
		{"an advertisement that is asked for by its kind", Filter{Kinds: []plat.Kind{plat.Advertisement}}, plat.Advertisement, plat.LabelAdvertisement, true},
		{"hidden text that is asked for", Filter{Kinds: []plat.Kind{plat.Invisible}}, plat.Invisible, plat.LabelMain, true},
	} {
		f := tc.filter.WithDefaults()
		if got := f.Wants(&Change{Kind: tc.kind, Label: tc.label}); got != tc.want {
			t.Errorf("%s is shown: %v, want %v", tc.name, got, tc.want)
		}
	}
}
