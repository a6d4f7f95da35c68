package mongo

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
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

// spansOf returns all documents of spans, as text.
func spansOf(t *testing.T, s *Store) (all []string) {
	t.Helper()
	cur, err := s.spans.Find(t.Context(), bson.D{})
	var docs []spanDoc
	if err == nil {
		err = cur.All(t.Context(), &docs)
	}
	if err != nil {
		t.Fatal(err)
	}
	for i := range docs {
		all = append(all, fmt.Sprintf("%+v", docs[i]))
	}
	slices.Sort(all)
	return all
}

// Spans that a crashed process wrote without recording them are overwritten.
func TestIndexContinuesAfterACrash(t *testing.T) {
	const url = "https://a.test/"
	s := committed(t, 12, url)
	if err := s.Index(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	want := spansOf(t, s)
	for _, n := range []int{0, 1, 5, 11} {
		searched := bson.D{{Key: "$set", Value: bson.D{{Key: "unsearched", Value: true}, {Key: "searched", Value: n}}}}
		if n == 0 {
			searched = bson.D{{Key: "$set", Value: bson.D{{Key: "unsearched", Value: true}}}, {Key: "$unset", Value: bson.D{{Key: "searched", Value: ""}}}}
		}
		if _, err := s.urls.UpdateOne(t.Context(), bson.D{{Key: "_id", Value: urlID(url)}}, searched); err != nil {
			t.Fatal(err)
		}
		// Half of the later spans had been written.
		if _, err := s.spans.DeleteMany(t.Context(), bson.D{{Key: "first", Value: bson.D{{Key: "$gt", Value: max(n, 7)}}}}); err != nil {
			t.Fatal(err)
		}
		if err := s.Index(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		if got := spansOf(t, s); !slices.Equal(got, want) {
			t.Errorf("continued after version %d there are %d spans, want %d, or they differ", n, len(got), len(want))
		}
		u, err := s.readURL(t.Context(), url)
		if err != nil || u.Searched != 12 || u.Unsearched {
			t.Errorf("the URL is %+v, %v", u, err)
		}
	}
}

func TestArchivesFromBeforeTheIndexAreIndexed(t *testing.T) {
	s := committed(t, 1, "https://a.test/", "https://b.test/")
	if _, err := s.urls.UpdateMany(t.Context(), bson.D{}, bson.D{{Key: "$unset", Value: bson.D{{Key: "unsearched", Value: ""}}}}); err != nil {
		t.Fatal(err)
	}
	if err := s.urls.Indexes().DropOne(t.Context(), "unsearched_1"); err != nil {
		t.Fatal(err)
	}
	again, err := Open(t.Context(), server, Options{Database: s.db.Name()})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if r, err := again.Search(t.Context(), storage.Search{}); err != nil || r.Behind != 2 {
		t.Errorf("before Index: %+v, %v; want 2 behind", r, err)
	}
	if err := again.Index(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if r, err := again.Search(t.Context(), storage.Search{Limit: 1}); err != nil || r.Behind != 0 || r.Total == 0 {
		t.Errorf("after Index: %+v, %v", r, err)
	}
}

func TestIndexSkipsUnreadableURLs(t *testing.T) {
	s := open(t, Options{})
	again := func(t testing.TB) storage.Store {
		s, err := Open(t.Context(), server, Options{Database: s.db.Name()})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	}
	gone := map[string]bson.D{}
	harm := func(t testing.TB, url string) {
		var doc bson.D
		last := options.FindOneAndDelete().SetSort(bson.D{{Key: "n", Value: -1}})
		if err := s.versions.FindOneAndDelete(t.Context(), bson.D{{Key: "url", Value: url}}, last).Decode(&doc); err != nil {
			t.Fatal(err)
		}
		gone[url] = doc
	}
	mend := func(t testing.TB, url string) {
		if _, err := s.versions.InsertOne(t.Context(), gone[url]); err != nil {
			t.Fatal(err)
		}
	}
	storagetest.Unreadable(t, again, harm, mend)
}

func TestPhrasesOfFrequentWordsAreSearchedInTheLatest(t *testing.T) {
	s := open(t, Options{})
	var docs []spanDoc
	for i := range 10 {
		docs = append(docs, spanDoc{ID: fmt.Sprint(i), Since: time.UnixMilli(int64(i)), Text: "the cause of it", Terms: []string{"cause", "it", "of", "the"}})
	}
	docs[2].Text = "it of the cause"
	if _, err := s.spans.InsertMany(t.Context(), docs); err != nil {
		t.Fatal(err)
	}
	q := storage.Search{Words: `"of the"`}
	for _, tc := range []struct {
		read, found int
		more        bool
	}{{10, 1, false}, {9, 1, true}, {8, 1, true}, {7, 0, true}, {1, 0, true}} {
		found, more, err := s.candidates(t.Context(), &q, storage.Ask(q.Words), tc.read)
		if err != nil || len(found) != tc.found || more != tc.more {
			t.Errorf("of 10 spans %d are read: %d are found, more: %v, %v; want %d, %v", tc.read, len(found), more, err, tc.found, tc.more)
		}
	}
}
