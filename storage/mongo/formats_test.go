package mongo

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"plat/plat"
	"plat/storage/history"
	"plat/storage/storagetest"
)

func TestOlderFormatsCanBeReadAndContinued(t *testing.T) {
	s := open(t, Options{})
	var all map[string][]json.RawMessage
	if err := json.Unmarshal(storagetest.OldMongo(t), &all); err != nil {
		t.Fatal(err)
	}
	for name, docs := range all {
		for _, text := range docs {
			var d bson.D
			if err := bson.UnmarshalExtJSON(text, true, &d); err != nil {
				t.Fatal(err)
			}
			if _, err := s.db.Collection(name).InsertOne(t.Context(), d); err != nil {
				t.Fatal(err)
			}
		}
	}
	forgetJobs(t, s)
	forgetFormat(t, s)
	if _, err := Open(t.Context(), server, Options{Database: s.db.Name()}); !errors.Is(err, plat.ErrOlder) || !strings.Contains(err.Error(), "run plat migrate") {
		t.Errorf("an archive without a note is opened: %v, want plat.ErrOlder and what to do", err)
	}
	s = migrated(t, s.db.Name())
	storagetest.TestOldFormat(t, s, func(url string, n int) ([]byte, error) { return history.Restore(t.Context(), s, url, n) })
	// Documents written since have no old fields.
	n, err := s.urls.CountDocuments(t.Context(), bson.D{{Key: "plan", Value: bson.D{{Key: "$exists", Value: true}}}, {Key: "every_ms", Value: bson.D{{Key: "$exists", Value: true}}}})
	if err != nil || n != 0 {
		t.Errorf("%d documents have both plan and every_ms, %v", n, err)
	}
}
