package mongo

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"plat"
	"plat/storage"
	"plat/storage/storagetest"
)

// committed makes a store with some versions of each URL.
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

// spansOf are all documents of spans, as text.
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

// What somebody wrote who died before it counted is written over.
func TestAnIndexIsTakenUpWhereItsWriterDied(t *testing.T) {
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
		// Of what came after, it had half.
		if _, err := s.spans.DeleteMany(t.Context(), bson.D{{Key: "first", Value: bson.D{{Key: "$gt", Value: max(n, 7)}}}}); err != nil {
			t.Fatal(err)
		}
		if err := s.Index(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		if got := spansOf(t, s); !slices.Equal(got, want) {
			t.Errorf("taken up after version %d there are %d spans, want %d, or they differ", n, len(got), len(want))
		}
		u, err := s.readURL(t.Context(), url)
		if err != nil || u.Searched != 12 || u.Unsearched {
			t.Errorf("the URL is %+v, %v", u, err)
		}
	}
}

func TestAnArchiveFromBeforeTheIndexIsIndexed(t *testing.T) {
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

func TestAURLThatCannotBeReadIsPassedOverByTheIndex(t *testing.T) {
	s := committed(t, 1, "https://a.test/", "https://b.test/", "https://c.test/")
	if _, err := s.versions.DeleteOne(t.Context(), bson.D{{Key: "_id", Value: versionID("https://b.test/", 1)}}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := s.Index(t.Context(), nil); !errors.Is(err, plat.ErrCorrupt) || !strings.Contains(err.Error(), "https://b.test/") || !strings.Contains(err.Error(), "run plat verify") {
			t.Errorf("Index = %v, want plat.ErrCorrupt, b.test and what to do", err)
		}
		for host, found := range map[string]bool{"a.test": true, "b.test": false, "c.test": true} {
			if r, err := s.Search(t.Context(), storage.Search{Host: host, Limit: 1}); err != nil || r.Total > 0 != found || r.Behind != 1 {
				t.Errorf("%s: %+v, %v", host, r, err)
			}
		}
	}
}
