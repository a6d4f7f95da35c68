package mongo

import (
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// A write finds its document there, and the server says that the writes before it may be reverted, as the failover does: they
// are repeated.
func TestADuplicateDoesNotHideTheWriteConcern(t *testing.T) {
	t.Parallel()
	notes, sent := func(s *Store) *mongo.Collection { return s.notes }, func(s *Store) *mongo.Collection { return s.sent }
	for wire, of := range map[int32]func(s *Store) *mongo.Collection{bulkWrites - 1: notes, bulkWrites: notes, bulkWrites + 1: sent} {
		rs, _, other := behindFailures(t)
		rs.wire = wire
		s := openAt(t, rs.uri("&retryWrites=false"), Options{Database: other.db.Name()})
		if _, err := other.notes.InsertOne(t.Context(), bson.D{{Key: "_id", Value: "b"}, {Key: "text", Value: "x"}}); err != nil {
			t.Fatal(err)
		}
		failed := 0
		rs.fail = func(string, string) failure {
			if failed++; failed == 1 {
				return appliedAlone
			}
			return works
		}
		rs.between = func() {
			if r, err := of(other).DeleteOne(t.Context(), byID("a")); err != nil || r.DeletedCount != 1 {
				t.Errorf("the first write was not applied: %v", err)
			}
		}
		w := s.newWrites()
		w.insert(of(s), bson.D{{Key: "_id", Value: "a"}, {Key: "text", Value: "x"}})
		w.insert(s.notes, bson.D{{Key: "_id", Value: "b"}, {Key: "text", Value: "y"}})
		w.insert(s.notes, bson.D{{Key: "_id", Value: "c"}, {Key: "text", Value: "z"}})
		if last, err := w.do(t.Context()); err != nil || !last {
			t.Errorf("do = %v, %v", last, err)
		}
		if n, err := of(other).CountDocuments(t.Context(), byID("a")); err != nil || n != 1 {
			t.Errorf("protocol %d: the first write is lost: %v", wire, err)
		}
		if n, err := other.Notes(t.Context(), "b"); err != nil || n["b"] != "x" {
			t.Errorf("protocol %d: the notes are %v, %v", wire, n, err)
		}
	}
}
