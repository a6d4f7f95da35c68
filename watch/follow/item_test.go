package follow

import (
	"strings"
	"testing"
	"time"

	"plat/plat"
	"plat/plat/calendar"
	"plat/storage"
	"plat/watch"
)

// TestItemsAreStoredAsTheyAreFound: a day is midnight UTC, a version is that which was examined, and texts are cut
// to what a store takes.
func TestItemsAreStoredAsTheyAreFound(t *testing.T) {
	s := &storage.Subscribed{Subscription: plat.Subscription{ID: "sub"}}
	filter, err := NewFilter(&plat.Subscription{Kinds: []plat.ItemKind{plat.ItemNew, plat.ItemChanged}})
	if err != nil {
		t.Fatal(err)
	}
	x := &examiner{s: s, filter: filter, turn: &turn{}}
	v := &plat.Version{N: 7, Taken: time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)}
	v.Blocks = []plat.Block{{Lineage: 3}, {Lineage: 5}}
	found := &watch.Item{Kind: plat.ItemNew, Entry: watch.Entry{
		Title: "News of today", URL: "https://me:secret@a.test/1", Excerpt: "News\nof today\nThe text", Dated: calendar.Day{Year: 2026, Month: 3, Day: 9}, Block: 1,
	}}
	it, ok, err := x.item(found, "https://a.test/", v)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	if it.Title != "News of today" || it.URL != "https://a.test/1" || it.Excerpt != "The text" || it.Lineage != 5 || it.Version != 7 || !it.Seen.Equal(v.Taken) ||
		it.Subscription != "sub" || it.Page != "https://a.test/" || it.Kind != plat.ItemNew || !it.Dated.Equal(time.Date(2026, 3, 9, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("stored as %+v", it)
	}

	// The same new item of a later version is the same item, a change is not.
	later := *v
	later.N++
	if again, _, _ := x.item(found, "https://a.test/", &later); again.ID != it.ID {
		t.Error("an item that is found again gets a new ID")
	}
	changed := *found
	changed.Kind, changed.Was = plat.ItemChanged, "News of yesterday"
	one, _, _ := x.item(&changed, "https://a.test/", v)
	two, _, _ := x.item(&changed, "https://a.test/", &later)
	if one.ID == two.ID || one.ID == it.ID {
		t.Error("changes in two versions have one ID")
	}
	if !strings.HasPrefix(one.Excerpt, "Before: News of yesterday\n") {
		t.Errorf("a change has the text %q", one.Excerpt)
	}
	for _, other := range []func(*watch.Item){
		func(i *watch.Item) { i.Title += "!" }, func(i *watch.Item) { i.URL += "0" }, func(i *watch.Item) { i.Dated.Day++ },
	} {
		i := *found
		other(&i)
		if o, _, _ := x.item(&i, "https://a.test/", v); o.ID == it.ID {
			t.Errorf("%+v has the ID of a different item", i)
		}
	}

	removed := *found
	removed.Kind = plat.ItemRemoved
	if _, ok, err := x.item(&removed, "https://a.test/", v); ok || err != nil {
		t.Errorf("a kind that was not asked for: %v, %v", ok, err)
	}
	none := watch.Item{Kind: plat.ItemNew, Entry: watch.Entry{Title: "x", Block: -1}}
	if it, _, _ := x.item(&none, "p", v); !it.Dated.IsZero() || it.Lineage != 0 {
		t.Errorf("an item without a day and a block has %v and %d", it.Dated, it.Lineage)
	}
	for n, want := range map[int]bool{storage.MaxItemURL: true, storage.MaxItemURL + 1: false} {
		long := none
		long.URL = "https://a.test/" + strings.Repeat("a", n-len("https://a.test/"))
		if it, _, _ := x.item(&long, "p", v); (it.URL != "") != want {
			t.Errorf("a URL of %d bytes is stored with %d", n, len(it.URL))
		}
	}
	broken := none
	broken.URL = "https://a.test/\xff"
	if it, _, _ := x.item(&broken, "p", v); it.URL != "" {
		t.Errorf("a URL that is not UTF-8 is stored as %q", it.URL)
	}
}

func TestTextsAreShortenedByCharacters(t *testing.T) {
	for _, tc := range []struct {
		s    string
		n    int
		want string
	}{{"", 1, ""}, {"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"äöü", 3, "äöü"}, {"äöüß", 3, "äö…"}, {"ab", 1, "…"}, {"a\xffb", 3, "a\uFFFDb"}} {
		if got := shortened(tc.s, tc.n); got != tc.want {
			t.Errorf("%q in %d characters is %q, want %q", tc.s, tc.n, got, tc.want)
		}
	}
}

func TestTitlesAreTakenOffTheirTexts(t *testing.T) {
	for _, tc := range []struct{ text, title, want string }{
		{"A title\nand text", "A title", "and text"}, {" A\n title text", "A title", "text"}, {"A titles text", "A title", "A titles text"},
		{"A title", "A title", ""}, {"text", "", "text"}, {"Some text", "A title", "Some text"}, {"A text", "A title", "A text"},
	} {
		if got := afterTitle(tc.text, tc.title); got != tc.want {
			t.Errorf("%q after %q is %q, want %q", tc.text, tc.title, got, tc.want)
		}
	}
}
