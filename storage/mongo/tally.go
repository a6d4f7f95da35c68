package mongo

import (
	"go.mongodb.org/mongo-driver/v2/mongo"

	"plat/storage"
)

// tally counts the data that a call writes. After an interruption, the next attempt finds data of the previous one stored, and
// counts them too.
type tally struct {
	storage.Written
	sent map[string]int64 // bytes by collection and _id, of documents that this call stores, or may have stored
}

func newTally() *tally { return &tally{sent: map[string]int64{}} }

// keyOf names a document in tally.sent.
func keyOf(c *mongo.Collection, id string) string { return c.Name() + " " + id }

// put returns the bytes of a document if this attempt has stored it, or an interrupted one may have.
func (w *tally) put(c *mongo.Collection, id string, bytes int64, stored bool, err error) int64 {
	key := keyOf(c, id)
	if stored || err != nil {
		w.sent[key] = bytes
	}
	return w.sent[key]
}
