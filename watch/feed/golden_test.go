package feed

import (
	"flag"
	"os"
	"testing"
	"time"

	"plat/plat"
	"plat/storage/history"
)

var update = flag.Bool("update", false, "rewrite testdata")

// ofChanges returns a feed with every part that a feed of changes can have.
func ofChanges() *Feed {
	at := time.Date(2026, 10, 30, 6, 30, 15, 0, time.UTC)
	one, two := "one <b>bold</b> & \"more\"\nsecond line", "two \x01 ]]> 北京"
	d := &history.Diff{URL: "http://a.test/?x=1&y=2", Old: 4, New: 5, NewTaken: at, Changes: []history.ChangeInfo{
		{Kind: plat.Content, Label: plat.LabelMain, Lineage: 3, Topic: "A topic <i>", NewText: &two, OldText: &one,
			Words: []history.Word{{Op: "equal", Text: "the "}, {Op: "delete", Text: "one\n"}, {Op: "insert", Text: "two <x>"}}},
		{Kind: plat.Content, Label: plat.LabelMain, Lineage: 3, NewText: &one},
		{Kind: plat.Same, Lineage: 9},
		{Kind: plat.Removed, Label: plat.LabelAdvertisement, Lineage: 7, OldText: &one, SelfChange: "a clock"},
		{Kind: plat.Added, Label: plat.LabelNavigation, Lineage: 8},
	}}
	f := &Feed{ID: "http://a.test/#plat", Title: "Changes of <a>", Self: "http://b.test/feed?x&y", Home: "http://b.test/url", Updated: at,
		Suppressed: 2, All: "http://b.test/feed?all=true"}
	f.Entries = entries(d)
	return f
}

func TestFeedsOfChangesStayAsTheyAre(t *testing.T) {
	for name, format := range Formats {
		got, err := format.Marshal(ofChanges())
		if err != nil {
			t.Fatal(err)
		}
		file := "testdata/changes." + name
		if *update {
			if err := os.WriteFile(file, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Errorf("%s is\n%s\nwant\n%s", name, got, want)
		}
	}
}
