package main

import (
	"bytes"
	"encoding/binary"
	"errors"

	"go.mongodb.org/mongo-driver/bson"
)

// FerretDB 1.24 over SQLite uses its index only for the filter {_id: "x"}, and scans the
// collection for every other filter: a visit to the thousandth page would take seconds. So
// commands that MongoDB answers by its index on _id are rewritten into equivalent ones:
//
//   - find {_id: {$in: [...]}} becomes a find for each
//   - find {_id: {$gte: "x", $lt: "y"}}, sorted and limited, or of few documents,
//     becomes an SQLite query for the _id, and a find for each; likewise sorted and
//     limited ranges of the indexed fields todo, at, died and url of urls, order and next of hosts
//   - an aggregate that only counts such a range becomes an SQLite query
//   - each update {_id: "x", rev: 7} becomes find {_id: "x"}, a comparison of rev,
//     and update {_id: "x"}: proxy.pass serializes writes
//   - a delete {_id: {$in: [...]}, written: {$lt: t}} becomes a find for each, a comparison of
//     written, and one delete of many {_id: "x"}: see command.deletes
//   - several updates in one command become one command each: FerretDB keeps a
//     connection to SQLite for each document until the end, and blocks when it has
//     no more
//
// c is the parsed message m, or nil if unknown; ask sends a command and returns its reply.
func byID(m []byte, c *command, x *indexer, ask func([]byte) ([]byte, error)) (reply []byte, err error) {
	switch {
	case c == nil:
	case c.name() == "find":
		reply, err = c.findMany(x, ask)
	case c.name() == "update":
		reply, err = c.updates(ask)
	case c.name() == "delete":
		reply, err = c.deletes(x, ask)
	case c.name() == "aggregate":
		reply, err = c.count(x)
	}
	if reply != nil || err != nil {
		return reply, err
	}
	return ask(m)
}

// command is an OP_MSG: a body, and sequences of documents, at most one but in bulkWrite.
type command struct {
	id   uint32
	body bson.Raw
	seq  string // name of the first sequence
	docs []bson.Raw
	seqs map[string][]bson.Raw // all
}

// parse returns nil for unknown messages.
func parse(m []byte) *command {
	if len(m) < 26 || binary.LittleEndian.Uint32(m[12:]) != opMsg || binary.LittleEndian.Uint32(m[16:]) != 0 {
		return nil
	}
	c := &command{id: binary.LittleEndian.Uint32(m[4:])}
	for rest := m[20:]; len(rest) > 0; {
		kind := rest[0]
		doc, after, ok := document(rest[1:])
		switch {
		case kind == 0 && ok && c.body == nil:
			c.body, rest = doc, after
		case kind == 1 && len(rest) >= 5:
			n := binary.LittleEndian.Uint32(rest[1:5])
			if n < 6 || int64(n) > int64(len(rest)-1) {
				return nil
			}
			section := rest[5 : 1+n]
			rest = rest[1+n:]
			name, section, _ := bytes.Cut(section, []byte{0})
			var docs []bson.Raw
			for len(section) > 0 {
				doc, after, ok := document(section)
				if !ok {
					return nil
				}
				docs, section = append(docs, doc), after
			}
			if c.seqs == nil {
				c.seqs, c.seq, c.docs = map[string][]bson.Raw{}, string(name), docs
			}
			c.seqs[string(name)] = docs
		default:
			return nil
		}
	}
	if c.body == nil || c.body.Validate() != nil {
		return nil
	}
	return c
}

// document splits off a document.
func document(b []byte) (doc bson.Raw, rest []byte, ok bool) {
	if len(b) < 5 {
		return nil, nil, false
	}
	n := binary.LittleEndian.Uint32(b)
	if n < 5 || int64(n) > int64(len(b)) {
		return nil, nil, false
	}
	return bson.Raw(b[:n]), b[n:], true
}

func (c *command) name() string { return c.body.Index(0).Key() }

func (c *command) collection() string { s, _ := c.body.Index(0).Value().StringValueOK(); return s }

func (c *command) database() string { s, _ := c.body.Lookup("$db").StringValueOK(); return s }

// findMany answers a find by several _id, or by a sorted range of a field, nil for
// other commands.
func (c *command) findMany(x *indexer, ask func([]byte) ([]byte, error)) ([]byte, error) {
	filter, ok := c.body.Lookup("filter").DocumentOK()
	if !ok || has(c.body, "skip") {
		return nil, nil
	}
	field, by, ok := only(filter)
	if !ok {
		return nil, nil
	}
	var ids []string
	if list, isList := by.Lookup("$in").ArrayOK(); isList && field == "_id" && isOnly(by, "$in") && !has(c.body, "limit") && !has(c.body, "sort") {
		if ids, ok = texts(list); ok {
			ids = x.existing(c.database(), c.collection(), ids)
		}
	} else {
		ids, ok = c.inRange(x, field, by)
	}
	if !ok {
		return nil, nil
	}
	projection, _ := c.body.Lookup("projection").DocumentOK()
	const most = 12 << 20 // bytes of one batch
	found, size := bson.A{}, 0
	for _, id := range ids {
		reply, doc, err := c.find(id, projection, ask)
		if err != nil || reply != nil {
			return reply, err
		}
		if doc != nil {
			found = append(found, doc)
			size += len(doc)
		}
		if size > most {
			return nil, nil
		}
	}
	ns := c.database() + "." + c.collection()
	return c.reply(bson.D{{Key: "cursor", Value: bson.D{{Key: "firstBatch", Value: found}, {Key: "id", Value: int64(0)}, {Key: "ns", Value: ns}}}, {Key: "ok", Value: 1.0}})
}

// texts returns the distinct strings of a list. ok is false if it contains a different type.
func texts(list bson.Raw) (all []string, ok bool) {
	values, err := list.Values()
	if err != nil {
		return nil, false
	}
	seen := map[string]bool{}
	for _, v := range values {
		id, ok := v.StringValueOK()
		if !ok {
			return nil, false
		}
		if !seen[id] {
			seen[id] = true
			all = append(all, id)
		}
	}
	return all, true
}

// only returns the name of a document's only field, and its value, if that is a
// document.
func only(filter bson.Raw) (field string, by bson.Raw, ok bool) {
	e, err := filter.Elements()
	if err != nil || len(e) != 1 {
		return "", nil, false
	}
	by, ok = e[0].Value().DocumentOK()
	return e[0].Key(), by, ok
}

// boundsOf returns the bounds of a range, strings or milliseconds.
func boundsOf(by bson.Raw) (where map[string]any, ok bool) {
	bounds, err := by.Elements()
	if err != nil {
		return nil, false
	}
	where = map[string]any{}
	for _, b := range bounds {
		if v, isText := b.Value().StringValueOK(); isText {
			where[b.Key()] = v
		} else if v, isDate := b.Value().DateTimeOK(); isDate {
			where[b.Key()] = v
		} else {
			return nil, false
		}
	}
	return where, true
}

// few is the number of documents up to which a find for each is faster than a scan.
const few = 1000

// inRange gets the _id of a find by range from the indexer.
func (c *command) inRange(x *indexer, field string, by bson.Raw) (ids []string, ok bool) {
	where, ok := boundsOf(by)
	if !ok {
		return nil, false
	}
	limit, limited := c.body.Lookup("limit").AsInt64OK()
	order, sorted := c.body.Lookup("sort").DocumentOK()
	switch {
	case limited && (limit <= 0 || limit > 20_000):
		return nil, false
	case !sorted && field == "_id" && !limited:
		ids, ok = x.ids(c.database(), c.collection(), field, where, false, few+1)
		return ids, ok && len(ids) <= few
	case !sorted || !limited || !isOnly(order, field):
		return nil, false
	}
	direction, ok := order.Lookup(field).AsInt64OK()
	if !ok {
		return nil, false
	}
	return x.ids(c.database(), c.collection(), field, where, direction < 0, limit)
}

// count answers an aggregate as drivers send it to count documents in a range, nil for
// other commands.
func (c *command) count(x *indexer) ([]byte, error) {
	var p struct {
		Pipeline []struct {
			Match bson.Raw `bson:"$match"`
			Limit int64    `bson:"$limit"`
			Group struct {
				ID any            `bson:"_id"`
				N  map[string]any `bson:"n"`
			} `bson:"$group"`
		} `bson:"pipeline"`
	}
	if bson.Unmarshal(c.body, &p) != nil {
		return nil, nil
	}
	stages, limit := p.Pipeline, int64(-1)
	if len(stages) == 3 && stages[1].Limit > 0 {
		limit = stages[1].Limit
		stages = append(stages[:1:1], stages[2])
	}
	if len(stages) != 2 || stages[0].Match == nil || len(stages[1].Group.N) != 1 {
		return nil, nil
	}
	one, isID := stages[1].Group.ID.(int32)
	sum, isSum := stages[1].Group.N["$sum"].(int32)
	field, by, ok := only(stages[0].Match)
	if !isID || one != 1 || !isSum || sum != 1 || !ok {
		return nil, nil
	}
	where, ok := boundsOf(by)
	if !ok {
		return nil, nil
	}
	n, ok := x.count(c.database(), c.collection(), field, where, limit)
	if !ok {
		return nil, nil
	}
	found := bson.A{}
	if n > 0 {
		found = append(found, bson.D{{Key: "_id", Value: int32(1)}, {Key: "n", Value: n}})
	}
	ns := c.database() + "." + c.collection()
	return c.reply(bson.D{{Key: "cursor", Value: bson.D{{Key: "firstBatch", Value: found}, {Key: "id", Value: int64(0)}, {Key: "ns", Value: ns}}}, {Key: "ok", Value: 1.0}})
}

// find returns the document with an _id in c's collection, with a projection unless that is nil, or
// the reply if that is an error.
func (c *command) find(id string, projection bson.Raw, ask func([]byte) ([]byte, error)) (reply []byte, doc bson.Raw, err error) {
	q := bson.D{
		{Key: "find", Value: c.body.Index(0).Value()},
		{Key: "filter", Value: bson.D{{Key: "_id", Value: id}}},
		{Key: "$db", Value: c.body.Lookup("$db")},
	}
	if projection != nil {
		q = append(q, bson.E{Key: "projection", Value: projection})
	}
	reply, err = c.ask(q, ask)
	if err != nil {
		return nil, nil, err
	}
	r := parse(reply)
	if r == nil {
		return nil, nil, errors.New("unreadable reply")
	}
	batch, ok := r.body.Lookup("cursor", "firstBatch").ArrayOK()
	if !ok {
		return reply, nil, nil
	}
	if doc, err := batch.IndexErr(0); err == nil {
		return nil, doc.Value().Document(), nil
	}
	return nil, nil, nil
}

// update is an update of one document by _id, or by _id and a number.
type update struct {
	id, key string // key is that of the number, if any
	number  int64
	upsert  bool
	u       bson.RawValue
}

// updatesByID returns c's updates; false if c is a different command, or one of its updates has other conditions.
func (c *command) updatesByID() ([]update, bool) {
	if c.seq != "updates" {
		return nil, false
	}
	all := make([]update, len(c.docs))
	for i, u := range c.docs {
		q, ok := u.Lookup("q").DocumentOK()
		fields, err := u.Elements()
		if err != nil || !ok || isTrue(u, "multi") {
			return nil, false
		}
		for _, f := range fields {
			if k := f.Key(); k != "q" && k != "u" && k != "upsert" && k != "multi" {
				return nil, false
			}
		}
		conditions, err := q.Elements()
		if err != nil || len(conditions) == 0 || len(conditions) > 2 || conditions[0].Key() != "_id" {
			return nil, false
		}
		x := update{upsert: isTrue(u, "upsert"), u: u.Lookup("u")}
		if x.id, ok = conditions[0].Value().StringValueOK(); !ok {
			return nil, false
		}
		if len(conditions) == 2 {
			if x.number, ok = conditions[1].Value().AsInt64OK(); !ok || x.upsert {
				return nil, false
			}
			x.key = conditions[1].Key()
		}
		all[i] = x
	}
	return all, true
}

// updates performs updates by _id, or by _id and a number each. It returns nil for other commands.
func (c *command) updates(ask func([]byte) ([]byte, error)) ([]byte, error) {
	all, ok := c.updatesByID()
	if !ok {
		return nil, nil
	}
	var body bson.D
	if err := bson.Unmarshal(c.body, &body); err != nil {
		return nil, err
	}
	var n, modified int64
	upserted := bson.A{}
	for i, x := range all {
		if x.key != "" {
			reply, doc, err := c.find(x.id, nil, ask)
			if err != nil || reply != nil {
				return reply, err
			}
			if doc == nil {
				continue
			}
			if is, ok := doc.Lookup(x.key).AsInt64OK(); !ok || is != x.number {
				continue
			}
		}
		reply, err := c.ask(append(body[:len(body):len(body)], bson.E{Key: "updates", Value: bson.A{bson.D{
			{Key: "q", Value: bson.D{{Key: "_id", Value: x.id}}}, {Key: "u", Value: x.u}, {Key: "upsert", Value: x.upsert}}}}), ask)
		if err != nil {
			return nil, err
		}
		r := parse(reply)
		if r == nil {
			return nil, errors.New("unreadable reply")
		}
		if has(r.body, "writeErrors") || !has(r.body, "n") {
			return reply, nil
		}
		n += r.body.Lookup("n").AsInt64()
		modified += r.body.Lookup("nModified").AsInt64()
		if has(r.body, "upserted") {
			upserted = append(upserted, bson.D{{Key: "index", Value: int32(i)}, {Key: "_id", Value: x.id}})
		}
	}
	done := bson.D{{Key: "n", Value: int32(n)}, {Key: "nModified", Value: int32(modified)}}
	if len(upserted) > 0 {
		done = append(done, bson.E{Key: "upserted", Value: upserted})
	}
	return c.reply(append(done, bson.E{Key: "ok", Value: 1.0}))
}

// ask sends a command with c's request id.
func (c *command) ask(body any, ask func([]byte) ([]byte, error)) ([]byte, error) {
	m, err := c.message(body, 0)
	if err != nil {
		return nil, err
	}
	return ask(m)
}

func (c *command) reply(body any) ([]byte, error) { return c.message(body, c.id) }

// message builds an OP_MSG, as a new request or in reply to one.
func (c *command) message(body any, to uint32) ([]byte, error) {
	b, err := bson.Marshal(body)
	if err != nil {
		return nil, err
	}
	m := make([]byte, 21, 21+len(b))
	binary.LittleEndian.PutUint32(m, uint32(21+len(b)))
	binary.LittleEndian.PutUint32(m[4:], c.id)
	binary.LittleEndian.PutUint32(m[8:], to)
	binary.LittleEndian.PutUint32(m[12:], opMsg)
	return append(m, b...), nil
}

func has(doc bson.Raw, key string) bool {
	_, err := doc.LookupErr(key)
	return err == nil
}

func isTrue(doc bson.Raw, key string) bool {
	b, ok := doc.Lookup(key).BooleanOK()
	return ok && b
}

// isOnly reports whether a document has exactly one field, with that name.
func isOnly(doc bson.Raw, key string) bool {
	e, err := doc.Elements()
	return err == nil && len(e) == 1 && e[0].Key() == key
}
