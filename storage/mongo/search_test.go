package mongo

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/event"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"plat/storage"
	"plat/storage/storagetest"
)

// committed returns a store with some versions of each URL.
func committed(t *testing.T, versions int, urls ...string) *Store {
	t.Helper()
	s := open(t, Options{})
	for i, url := range urls {
		p := storagetest.NewPage(url, uint64(i+1))
		for range versions {
			if _, err := s.Commit(t.Context(), p.Next()); err != nil {
				t.Fatal(err)
			}
		}
	}
	return s
}

// derivedIn returns the documents of a collection as sorted JSON, without the build, and with their fields in order: a document
// that is inserted has them in another order than one that is replaced.
func derivedIn(t testing.TB, c *mongo.Collection) (all []string) {
	t.Helper()
	docs, err := findAll[bson.D](t.Context(), c, bson.D{}, options.Find().SetProjection(withoutBuild))
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range docs {
		slices.SortFunc(d, func(a, b bson.E) int { return strings.Compare(a.Key, b.Key) })
		b, err := bson.MarshalExtJSON(d, true, false)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(b))
	}
	slices.Sort(all)
	return all
}

// withoutBuild excludes the field that says when a document was derived.
var withoutBuild = bson.D{{Key: "build", Value: 0}}

// blockVersionsOf returns all documents of block_versions, as text.
func blockVersionsOf(t *testing.T, s *Store) []string {
	t.Helper()
	return derivedIn(t, s.blockVersions)
}

// A commit writes its block versions from memory; Index writes the same from what is stored, after
// any crash.
func TestBlockVersionsThatACrashLeftAreCompleted(t *testing.T) {
	const url = "https://a.test/"
	s := committed(t, 12, url)
	want := blockVersionsOf(t, s)
	page, err := s.pages.FindOne(t.Context(), bson.D{}, options.FindOne().SetProjection(withoutBuild)).Raw()
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 1, 5, 11} {
		if err := s.Reindex(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		// Rewind to version n, of whose successors half of the beginnings had been written.
		set := bson.D{{Key: "$set", Value: bson.D{{Key: "pending", Value: true}, {Key: "head", Value: max(n, 1)}}}}
		if _, err := s.urls.UpdateOne(t.Context(), bson.D{}, set); err != nil {
			t.Fatal(err)
		}
		_, err := s.pages.DeleteMany(t.Context(), bson.D{})
		if _, more := s.blockVersions.DeleteMany(t.Context(), bson.D{}); err != nil || more != nil {
			t.Fatal(err, more)
		}
		if s.recent.clear(); n > 0 {
			if err := s.Index(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := s.urls.UpdateOne(t.Context(), bson.D{}, bson.D{{Key: "$set", Value: bson.D{{Key: "pending", Value: true}, {Key: "head", Value: 12}}}}); err != nil {
			t.Fatal(err)
		}
		u, err := s.readURL(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		for i, text := range want {
			var d bson.D
			if err := bson.UnmarshalExtJSON([]byte(text), true, &d); err != nil {
				t.Fatal(err)
			}
			first := 0
			keys := bson.D{}
			for _, e := range d {
				switch e.Key {
				case "first":
					first = int(e.Value.(int32))
				case "gone", "until", "ended":
					continue
				}
				keys = append(keys, e)
			}
			if first > n && first <= 8 && i%2 == 0 {
				if _, err := s.blockVersions.InsertOne(t.Context(), append(keys, bson.E{Key: "build", Value: u.Build})); err != nil {
					t.Fatal(err)
				}
			}
		}
		if r, err := s.Search(t.Context(), storage.Search{}); err != nil || r.Behind != 1 {
			t.Errorf("after version %d Search = %d behind, %v; want 1", n, r.Behind, err)
		}
		steps := int64(0)
		if err := s.Index(t.Context(), func(done, total int64) {
			if steps = done; total != int64(12-n) {
				t.Errorf("%d of %d versions are indexed, want %d", done, total, 12-n)
			}
		}); err != nil || steps != int64(12-n) {
			t.Errorf("Index after version %d = %v, with %d steps", n, err, steps)
		}
		if got := blockVersionsOf(t, s); !slices.Equal(got, want) {
			t.Errorf("continued after version %d there are %d block versions, want %d, or they differ", n, len(got), len(want))
		}
		if is, err := s.pages.FindOne(t.Context(), bson.D{}, options.FindOne().SetProjection(withoutBuild)).Raw(); err != nil || is.String() != page.String() {
			t.Errorf("continued after version %d the page is\n%v, %v, want\n%v", n, is, err, page)
		}
		if u, err := s.readURL(t.Context(), url); err != nil || u.Pending {
			t.Errorf("the URL is %+v, %v", u, err)
		}
	}
}

func TestPhrasesOfFrequentWordsAreSearchedInTheLatest(t *testing.T) {
	s := open(t, Options{})
	var docs []blockVersionDoc
	for i := range 10 {
		docs = append(docs, blockVersionDoc{ID: fmt.Sprint(i), Since: time.UnixMilli(int64(i)), Text: "the cause of it", Terms: []string{"cause", "it", "of", "the"}})
	}
	docs[2].Text = "it of the cause"
	if _, err := s.blockVersions.InsertMany(t.Context(), docs); err != nil {
		t.Fatal(err)
	}
	q := storage.Search{Words: `"of the"`}
	for _, tc := range []struct {
		read, found int
		more        bool
	}{{10, 1, false}, {9, 1, true}, {8, 1, true}, {7, 0, true}, {1, 0, true}} {
		found, more, err := s.candidates(t.Context(), &q, storage.Ask(q.Words), nil, tc.read, 0)
		if err != nil || len(found) != tc.found || more != tc.more {
			t.Errorf("of 10 spans %d are read: %d are found, more: %v, %v; want %d, %v", tc.read, len(found), more, err, tc.found, tc.more)
		}
	}
}

// The server looks up the first word that it is given: the one that the fewest spans have.
func TestTheRarestWordComesFirst(t *testing.T) {
	var sent []string
	s := open(t, Options{Monitor: &event.CommandMonitor{Started: func(_ context.Context, e *event.CommandStartedEvent) {
		if all, ok := e.Command.Lookup("filter", "terms", "$all").ArrayOK(); ok {
			sent = append(sent, all.String())
		}
	}}})
	if _, err := s.Commit(t.Context(), storagetest.NewPage("https://a.test/", 1).Next()); err != nil {
		t.Fatal(err)
	}
	is, err := findAll[blockVersionDoc](t.Context(), s.blockVersions, bson.D{})
	if err != nil {
		t.Fatal(err)
	}
	var docs []blockVersionDoc
	for i := range 20 {
		d := is[0]
		d.ID, d.Text, d.Terms = fmt.Sprint(i), "the cause", []string{"cause", "the"}
		if i%5 == 0 {
			d.Text, d.Terms = "the cause zebra", []string{"cause", "the", "zebra"}
		}
		if i%2 == 0 {
			d.Text, d.Terms = d.Text+" mule", append(d.Terms, "mule")
		}
		docs = append(docs, d)
	}
	if _, err := s.blockVersions.InsertMany(t.Context(), docs); err != nil {
		t.Fatal(err)
	}
	const want = `["zebra","mule","the"]`
	r, err := s.Search(t.Context(), storage.Search{Words: "the mule zebra the"})
	if err != nil || r.Total != 2 || !slices.Equal(sent, []string{want}) {
		t.Errorf("Search = %+v, %v; sent %q, want %s", r, err, sent, want)
	}
	sent = nil
	for _, err := range s.Find(t.Context(), storage.BlockQuery{Topic: "the zebra mule"}) {
		if err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(sent, []string{want}) {
		t.Errorf("Find sent %q, want %s", sent, want)
	}
}
