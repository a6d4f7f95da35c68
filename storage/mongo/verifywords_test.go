package mongo

import (
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"plat/storage/storagetest"
)

// Verify compares the words of block versions with the contents, and the dates of a page with its versions; what differs, Reindex mends.
func TestVerifySeesWrongWordsAndDates(t *testing.T) {
	t.Parallel()
	set := func(field string, value any) bson.D {
		return bson.D{{Key: "$set", Value: bson.D{{Key: field, Value: value}}}}
	}
	linked := bson.D{{Key: "links", Value: bson.D{{Key: "$exists", Value: true}}}}
	for _, tc := range []struct {
		name   string
		of     func(*Store) *mongo.Collection
		which  bson.D
		update bson.D
		want   string
	}{
		{"text", blockVersionsIn, bson.D{}, set("text", "other words"), "other text than its content"},
		{"a word more", blockVersionsIn, bson.D{}, bson.D{{Key: "$push", Value: bson.D{{Key: "terms", Value: "other"}}}}, "other terms than its content"},
		{"no words", blockVersionsIn, bson.D{}, set("terms", bson.A{}), "other terms than its content"},
		{"no links", blockVersionsIn, linked, bson.D{{Key: "$unset", Value: bson.D{{Key: "links", Value: ""}}}}, "other links than its content"},
		{"a link's target", blockVersionsIn, linked, set("links.0.to", "https://other.test/"), "other links than its content"},
		{"when a content began", pagesIn, bson.D{}, set("blocks.3.at", day()), "in the page, block"},
		{"with which version it began", pagesIn, bson.D{}, set("blocks.3.first", 2), "in the page, block"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := open(t, Options{})
			p := storagetest.NewPage("https://a.test/", 5)
			p.Add([]byte(`<p>See <a href="/more">the rest</a></p>`), "the rest", "main")
			for range 3 {
				if _, err := s.Commit(t.Context(), p.Next()); err != nil {
					t.Fatal(err)
				}
			}
			if r, err := s.Verify(t.Context(), nil); err != nil || r.BrokenTotal > 0 {
				t.Fatalf("before: Verify = %+v, %v", r, err)
			}
			if u, err := tc.of(s).UpdateOne(t.Context(), tc.which, tc.update); err != nil || u.ModifiedCount != 1 {
				t.Fatalf("%+v, %v", u, err)
			}
			r, err := s.Verify(t.Context(), nil)
			if err != nil || r.BrokenTotal != 1 || !strings.Contains(r.Broken[0], tc.want) || !strings.Contains(r.Broken[0], "run plat reindex") {
				t.Errorf("Verify = %+v, %v; want %s", r, err, tc.want)
			}
			if err := s.Reindex(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			if r, err := s.Verify(t.Context(), nil); err != nil || r.BrokenTotal > 0 {
				t.Errorf("after Reindex: Verify = %+v, %v", r, err)
			}
		})
	}
}

func blockVersionsIn(s *Store) *mongo.Collection { return s.blockVersions }

func pagesIn(s *Store) *mongo.Collection { return s.pages }
