package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"

	"go.mongodb.org/mongo-driver/bson"
)

// bulkVersion is the version of the protocol of MongoDB 8.0, whose servers know the command bulkWrite.
const bulkVersion = 25

// makeNewer changes a reply to hello, in which the server is one of MongoDB 8.0 then.
func makeNewer(reply []byte) {
	field := append([]byte{0x10}, "maxWireVersion\x00"...) // an int32
	if i := bytes.Index(reply, field); i >= 0 && i+len(field)+4 <= len(reply) {
		binary.LittleEndian.PutUint32(reply[i+len(field):], bulkVersion)
	}
}

// bulkWrite does the writes of a command bulkWrite, which FerretDB does not have, in order until one fails: each as
// a command of its own. do does one.
func (c *command) bulkWrite(do func(*command, []byte) ([]byte, error)) ([]byte, error) {
	var db string
	var collections []string
	for _, ns := range c.seqs["nsInfo"] {
		name, _ := ns.Lookup("ns").StringValueOK()
		var collection string
		db, collection, _ = strings.Cut(name, ".")
		collections = append(collections, collection)
	}
	var sums struct{ inserted, matched, modified, upserted, failed int32 }
	results := bson.A{}
	for i, op := range c.seqs["ops"] {
		kind := op.Index(0).Key()
		at, ok := op.Index(0).Value().AsInt64OK()
		if !ok || at < 0 || int(at) >= len(collections) {
			return nil, errors.New("bulkWrite of an unknown collection")
		}
		body := bson.D{{Key: kind, Value: collections[at]}, {Key: "$db", Value: db}}
		one := &command{id: c.id}
		switch kind {
		case "insert":
			one.seq, one.docs = "documents", []bson.Raw{op.Lookup("document").Document()}
		case "update":
			u := bson.D{{Key: "q", Value: op.Lookup("filter")}, {Key: "u", Value: op.Lookup("updateMods")}, {Key: "upsert", Value: isTrue(op, "upsert")}}
			b, err := bson.Marshal(u)
			if err != nil {
				return nil, err
			}
			one.seq, one.docs = "updates", []bson.Raw{b}
		default:
			return nil, errors.New("bulkWrite with " + kind)
		}
		var err error
		if one.body, err = bson.Marshal(body); err != nil {
			return nil, err
		}
		m, err := c.message(append(body, bson.E{Key: one.seq, Value: one.docs}), 0)
		if err != nil {
			return nil, err
		}
		reply, err := do(one, m)
		if err != nil {
			return nil, err
		}
		r := parse(reply)
		if r == nil {
			return nil, errors.New("unreadable reply")
		}
		failed, isFailed := r.body.Lookup("writeErrors").ArrayOK()
		n, ok := r.body.Lookup("n").AsInt64OK()
		if !ok && !isFailed {
			return reply, nil
		}
		result := bson.D{{Key: "ok", Value: 1.0}, {Key: "idx", Value: int32(i)}, {Key: "n", Value: int32(n)}}
		if isFailed {
			e := failed.Index(0).Value().Document()
			result = bson.D{{Key: "ok", Value: 0.0}, {Key: "idx", Value: int32(i)}, {Key: "n", Value: int32(0)},
				{Key: "code", Value: e.Lookup("code")}, {Key: "errmsg", Value: e.Lookup("errmsg")}}
			sums.failed++
		} else if kind == "insert" {
			sums.inserted++
		} else {
			modified := int32(r.body.Lookup("nModified").AsInt64())
			result = append(result, bson.E{Key: "nModified", Value: modified})
			sums.modified += modified
			if up, ok := r.body.Lookup("upserted").ArrayOK(); ok {
				sums.upserted++
				result = append(result, bson.E{Key: "upserted", Value: bson.D{{Key: "_id", Value: up.Index(0).Value().Document().Lookup("_id")}}})
			} else {
				sums.matched += int32(n)
			}
		}
		if results = append(results, result); isFailed {
			break
		}
	}
	return c.reply(bson.D{{Key: "cursor", Value: bson.D{{Key: "id", Value: int64(0)}, {Key: "firstBatch", Value: results}, {Key: "ns", Value: "admin.$cmd.bulkWrite"}}},
		{Key: "nErrors", Value: sums.failed}, {Key: "nInserted", Value: sums.inserted}, {Key: "nMatched", Value: sums.matched},
		{Key: "nModified", Value: sums.modified}, {Key: "nUpserted", Value: sums.upserted}, {Key: "nDeleted", Value: int32(0)}, {Key: "ok", Value: 1.0}})
}
