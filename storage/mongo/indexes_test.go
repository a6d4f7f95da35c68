package mongo

import (
	"reflect"
	"slices"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// Indexes without documents that lack a field are sparse if they have one field, and partial if they have
// several, because a sparse one has entries for documents with any of them.
func TestIndexesOfSomeDocuments(t *testing.T) {
	yes := true
	for _, x := range []struct {
		index   index
		partial bool
		want    options.IndexOptions
	}{
		{on("a", "b"), true, options.IndexOptions{}},
		{on("a").with("a"), true, options.IndexOptions{Sparse: &yes}},
		{on("a", "b").with("b"), true, options.IndexOptions{PartialFilterExpression: bson.D{{Key: "b", Value: bson.D{{Key: "$exists", Value: true}}}}}},
		{on("a", "b").with("b"), false, options.IndexOptions{}},
		{index{keys: on("a").keys, unique: true}, true, options.IndexOptions{Unique: &yes}},
	} {
		var got options.IndexOptions
		m := x.index.model(x.partial)
		for _, set := range m.Options.List() {
			if err := set(&got); err != nil {
				t.Fatal(err)
			}
		}
		if !reflect.DeepEqual(got, x.want) || !reflect.DeepEqual(m.Keys, x.index.keys) {
			t.Errorf("%v, partial indexes %v: %v %+v, want %+v", x.index, x.partial, m.Keys, got, x.want)
		}
	}
}

// An archive of an older plat gets the indexes that it lacks when it is indexed again.
func TestReindexCreatesMissingIndexes(t *testing.T) {
	s := open(t, Options{})
	const lost = "host_1_until_1"
	if err := s.blockVersions.Indexes().DropOne(t.Context(), lost); err != nil {
		t.Fatal(err)
	}
	if is := indexesOf(t, s.blockVersions); slices.Contains(is, "{host: 1, until: 1}") {
		t.Fatalf("%s was not dropped: %v", lost, is)
	}
	if err := s.Reindex(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if is := indexesOf(t, s.blockVersions); !slices.Contains(is, "{host: 1, until: 1}") {
		t.Errorf("after Reindex there is no {host: 1, until: 1}, but %v", is)
	}
}
