package mongo

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// collection returns a new collection of the server, without any check of plans. Its database is dropped at the end.
func collection(t *testing.T) *mongo.Collection {
	t.Helper()
	requireServer(t)
	client, err := mongo.Connect(options.Client().ApplyURI(server))
	if err != nil {
		t.Fatal(err)
	}
	db := client.Database(fmt.Sprintf("plat_test_%d_%d", os.Getpid(), databases.Add(1)))
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := errors.Join(db.Drop(ctx), client.Disconnect(ctx)); err != nil {
			t.Errorf("Drop: %v", err)
		}
	})
	return db.Collection("documents")
}

// The server of the tests performs deletes by _id in its own way (storage/mongo/ferretdb/delete.go), but not below
// $and, where FerretDB performs them. Both delete the same documents.
func TestDeletesByIDDeleteWhatTheirFilterMatches(t *testing.T) {
	t.Parallel()
	c := collection(t)
	at := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	values := []any{nil, at, at.Add(time.Millisecond), at.Add(-time.Hour), at.UnixMilli(), "x", "y", "", true, false, 1.5,
		bson.D{}, bson.D{{Key: "a", Value: "x"}}, bson.A{}, bson.A{at.Add(-time.Hour), "x"}, bson.A{true}}
	ids := []string{"", "a", "b:1", "c;2", "d e", `e"q`, `f\`, "g'", "h$in", "ü"}
	var docs []any
	for _, id := range ids {
		for i, v := range values {
			d := bson.D{{Key: "_id", Value: fmt.Sprint(id, i)}, {Key: "other", Value: at}}
			if docs = append(docs, append(d, bson.E{Key: "field", Value: v})); i == 0 {
				docs[len(docs)-1] = d // without the field
			}
		}
	}
	docs = append(docs, bson.D{{Key: "_id", Value: 7}, {Key: "field", Value: at}}, bson.D{{Key: "_id", Value: ""}, {Key: "field", Value: at}})
	conditions := []bson.D{
		{},
		{{Key: "field", Value: at}}, {{Key: "field", Value: "x"}}, {{Key: "field", Value: ""}}, {{Key: "field", Value: true}}, {{Key: "field", Value: false}},
		{{Key: "field", Value: nil}}, {{Key: "field", Value: at.UnixMilli()}}, {{Key: "field", Value: bson.D{{Key: "a", Value: "x"}}}}, {{Key: "field", Value: bson.D{}}},
		{{Key: "field.a", Value: "x"}},
		{{Key: "field", Value: bson.D{{Key: "$lt", Value: at}}}}, {{Key: "field", Value: bson.D{{Key: "$lte", Value: at}}}},
		{{Key: "field", Value: bson.D{{Key: "$gt", Value: at}}}}, {{Key: "field", Value: bson.D{{Key: "$gte", Value: at}}}},
		{{Key: "field", Value: bson.D{{Key: "$gte", Value: at}, {Key: "$lt", Value: at.Add(time.Millisecond)}}}},
		{{Key: "field", Value: bson.D{{Key: "$ne", Value: at}}}}, {{Key: "field", Value: bson.D{{Key: "$lt", Value: "y"}}}},
		{{Key: "other", Value: at}, {Key: "field", Value: bson.D{{Key: "$lt", Value: at}}}},
		{{Key: "other", Value: bson.D{{Key: "$gt", Value: at}}}, {Key: "field", Value: bson.D{{Key: "$lt", Value: at}}}},
		{{Key: "other", Value: bson.D{{Key: "$gt", Value: at}}}, {Key: "field", Value: "x"}},
		{{Key: "absent", Value: "x"}},
	}
	left := func() (all []string) {
		t.Helper()
		var docs []bson.M
		cur, err := c.Find(t.Context(), bson.D{}, options.Find().SetProjection(bson.D{{Key: "_id", Value: 1}}))
		if err == nil {
			err = cur.All(t.Context(), &docs)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range docs {
			all = append(all, fmt.Sprint(d["_id"]))
		}
		slices.Sort(all)
		return all
	}
	r := rand.New(rand.NewPCG(1, 2))
	deleted := int64(0)
	for _, more := range conditions {
		var some, arrays bson.A
		for _, d := range docs {
			id, isText := d.(bson.D)[0].Value.(string)
			if _, isArray := d.(bson.D)[len(d.(bson.D))-1].Value.(bson.A); isArray {
				arrays = append(arrays, id)
			} else if isText && r.IntN(3) > 0 {
				some = append(some, id)
			}
		}
		some = append(some, "missing", some[0])
		one := some[r.IntN(len(some))]
		in := func(ids ...bson.A) bson.D {
			return bson.D{{Key: "$in", Value: append(bson.A{}, slices.Concat(ids...)...)}}
		}
		for name, by := range map[string]any{"one": one, "none": in(bson.A{}), "several": in(some), "arrays too": in(some, arrays), "a number too": in(bson.A{7}, some)} {
			filter := append(bson.D{{Key: "_id", Value: by}}, more...)
			var n [2]int64
			var rest [2][]string
			for i, f := range []bson.D{filter, {{Key: "$and", Value: bson.A{filter}}}} {
				if _, err := c.DeleteMany(t.Context(), bson.D{}); err != nil {
					t.Fatal(err)
				}
				if _, err := c.InsertMany(t.Context(), docs); err != nil {
					t.Fatal(err)
				}
				d, err := c.DeleteMany(t.Context(), f)
				if err != nil {
					t.Fatalf("%v: %v", f, err)
				}
				n[i], rest[i] = d.DeletedCount, left()
			}
			if n[0] != n[1] || !slices.Equal(rest[0], rest[1]) {
				t.Errorf("by %s _id and %v: %d deleted, %d by $and; left\n%q\n%q", name, more, n[0], n[1], rest[0], rest[1])
			}
			deleted += n[0]
		}
	}
	if deleted == 0 {
		t.Error("nothing was deleted")
	}
}

// A delete by _id reads the documents that it names, also if it has further conditions, not the collection.
func TestDeletesByIDDoNotScan(t *testing.T) {
	if deny == nil {
		t.Skip("PLAT_TEST_MONGODB_URI names a server that has its own index")
	}
	c := collection(t)
	at := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	const docs, tries = 10_000, 5
	var all []any
	for i := range docs {
		all = append(all, bson.D{{Key: "_id", Value: fmt.Sprintf("%06d", i)}, {Key: "written", Value: at}})
	}
	if _, err := c.InsertMany(t.Context(), all); err != nil {
		t.Fatal(err)
	}
	// fastest returns the least time of some tries to delete ten documents each, from the first on.
	fastest := func(first int, of func(bson.D) bson.D) time.Duration {
		least := time.Hour
		for try := range tries {
			var ids []string
			for i := range 10 {
				ids = append(ids, fmt.Sprintf("%06d", first+try*10+i))
			}
			filter := append(byIDs(ids), bson.E{Key: "written", Value: bson.D{{Key: "$lt", Value: at.Add(time.Hour)}}})
			begin := time.Now()
			r, err := c.DeleteMany(t.Context(), of(filter))
			least = min(least, time.Since(begin))
			if err != nil || r.DeletedCount != 10 {
				t.Fatalf("%+v, %v; want ten deleted", r, err)
			}
		}
		return least
	}
	scan := fastest(0, func(filter bson.D) bson.D { return bson.D{{Key: "$and", Value: bson.A{filter}}} })
	byID := fastest(docs/2, func(filter bson.D) bson.D { return filter })
	t.Logf("ten of %d documents: by _id %v, by scan %v", docs, byID, scan)
	if byID > scan/3 {
		t.Errorf("a delete by _id takes %v, a scan %v", byID, scan)
	}
}
