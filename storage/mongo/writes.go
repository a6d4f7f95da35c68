package mongo

import (
	"context"
	"errors"
	"maps"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// writes is a list of writes of several collections, which are done in order, and no longer after an
// error. A server from MongoDB 8 on takes them in one command, an older one those of a collection in a row.
type writes struct {
	s     *Store
	ops   []write
	bytes int

	once    bool     // an interrupted write is not repeated
	toCount []string // hosts that have to be counted afterwards
}

// write is a write of one document.
type write struct {
	c     *mongo.Collection
	model mongo.WriteModel

	// Concurrent upserts of a document may fail with a duplicate key. again repeats the write then;
	// the others are done, because the document is there.
	again bool

	// An interrupted write may have been applied. fallback takes its place then, if it cannot be applied twice, and
	// the host is counted.
	fallback mongo.WriteModel
	host     string
}

// maxWrites limits the bytes of new documents in one command. A message has at most 48 MB.
const maxWrites = 8 << 20

// bulkWrites is the first version of MongoDB's protocol with bulk writes of several collections: that
// of MongoDB 8.0.
const bulkWrites = 25

// learnServer asks the server what it can, and for its time.
func (s *Store) learnServer(ctx context.Context) error {
	hello, err := s.hello(ctx)
	s.bulk = hello.Wire >= bulkWrites
	return err
}

type helloReply struct {
	Wire number    `bson:"maxWireVersion"`
	Time time.Time `bson:"localTime"`
}

// hello asks the server for its time, and more. The driver repeats no such command.
func (s *Store) hello(ctx context.Context) (r helloReply, err error) {
	err = s.survive(ctx, func() error {
		asked := s.clock.wall()
		err := s.client.Database("admin").RunCommand(ctx, bson.D{{Key: "hello", Value: 1}}).Decode(&r)
		if err == nil {
			s.clock.set(r.Time, asked)
		}
		return err
	})
	return r, err
}

func (s *Store) newWrites() *writes { return &writes{s: s} }

// update adds an update of one document, by its _id.
func (w *writes) update(c *mongo.Collection, id string, update bson.D) {
	w.ops = append(w.ops, write{c: c, model: updateByID(id, update)})
}

func updateByID(id string, update bson.D) *mongo.UpdateOneModel {
	return mongo.NewUpdateOneModel().SetFilter(byID(id)).SetUpdate(update)
}

// updateHost adds an update that counts jobs of a host. fallback takes its place if it may have been applied; nil if
// the update makes the host be counted itself.
func (w *writes) updateHost(id string, update, fallback bson.D) {
	op := write{c: w.s.hosts, model: updateByID(id, update), host: id}
	if fallback == nil {
		w.toCount = append(w.toCount, id)
	} else {
		op.fallback = updateByID(id, fallback)
	}
	w.ops = append(w.ops, op)
}

// upsert adds an update of a document that is inserted if it is missing.
func (w *writes) upsert(c *mongo.Collection, id string, update bson.D, again bool) {
	w.ops = append(w.ops, write{c: c, model: updateByID(id, update).SetUpsert(true), again: again})
}

// add adds the insertion of a document, unless it is there.
func (w *writes) add(c *mongo.Collection, id string, doc any) {
	w.upsert(c, id, bson.D{{Key: "$setOnInsert", Value: doc}}, false)
}

// insert adds the insertion of a document. If the document is there, the server stops: do sends the writes after it
// in a further command, or, if it is the last, reports false.
func (w *writes) insert(c *mongo.Collection, doc any) {
	w.ops = append(w.ops, write{c: c, model: mongo.NewInsertOneModel().SetDocument(doc)})
}

// replace adds the replacement of the document that a filter selects.
func (w *writes) replace(c *mongo.Collection, filter bson.D, doc any, upsert bool) {
	w.ops = append(w.ops, write{c: c, model: mongo.NewReplaceOneModel().SetFilter(filter).SetReplacement(doc).SetUpsert(upsert)})
}

// grow counts bytes of new documents, and does the writes when there are many.
func (w *writes) grow(ctx context.Context, bytes int) error {
	if w.bytes += bytes; w.bytes < maxWrites && len(w.ops) < batch {
		return nil
	}
	_, err := w.do(ctx)
	return err
}

// do does the writes, and empties the list. It reports whether the last one found or inserted its document. An older
// server reports that only for all writes of its collection at the end of the list.
func (w *writes) do(ctx context.Context) (last bool, err error) {
	all := func() (err error) {
		for len(w.ops) > 0 && err == nil {
			done := 0
			if w.s.bulk {
				done, last, err = w.together(ctx)
			} else {
				done, last, err = w.one(ctx)
			}
			switch {
			case unacknowledged(err):
				done = 0 // a failover may revert the writes before a duplicate too
			case mongo.IsDuplicateKeyError(err):
				err, last = nil, false
				if !w.ops[done].again {
					done++
				}
			}
			if w.ops = w.ops[done:]; err != nil {
				w.doubt()
			}
		}
		return err
	}
	if w.once {
		err = all()
	} else {
		err = w.s.survive(ctx, all)
	}
	for len(w.toCount) > 0 && err == nil {
		err = w.s.survive(ctx, func() error { return w.s.recount(ctx, w.toCount[0]) })
		w.toCount = w.toCount[1:]
	}
	w.bytes = 0
	return last, err
}

// unacknowledged reports whether writes were applied, but perhaps not by as many members as the write concern says.
func unacknowledged(err error) bool {
	e, ok := errors.AsType[mongo.BulkWriteException](err)
	return ok && e.WriteConcernError != nil
}

// doubt prepares the writes for their repetition, although each may have been applied.
func (w *writes) doubt() {
	for i := range w.ops {
		if op := &w.ops[i]; op.fallback != nil {
			op.model, op.fallback = op.fallback, nil
			w.toCount = append(w.toCount, op.host)
		}
	}
}

// one does the first writes, which are of one collection, and returns how many succeeded. They are followed by
// one that failed, if the error says so.
func (w *writes) one(ctx context.Context) (done int, last bool, err error) {
	var models []mongo.WriteModel
	for _, op := range w.ops {
		if op.c != w.ops[0].c {
			break
		}
		models = append(models, op.model)
	}
	r, err := w.ops[0].c.BulkWrite(ctx, models)
	if failed, ok := errors.AsType[mongo.BulkWriteException](err); ok && len(failed.WriteErrors) == 1 {
		return failed.WriteErrors[0].Index, false, err
	}
	if err != nil {
		return 0, false, err
	}
	return len(models), r.MatchedCount+r.UpsertedCount+r.InsertedCount == int64(len(models)), nil
}

// together does all writes.
func (w *writes) together(ctx context.Context) (done int, last bool, err error) {
	all := make([]mongo.ClientBulkWrite, len(w.ops))
	for i, op := range w.ops {
		all[i] = mongo.ClientBulkWrite{Database: w.s.db.Name(), Collection: op.c.Name(), Model: clientModel(op.model)}
	}
	r, err := w.s.client.BulkWrite(ctx, all, options.ClientBulkWrite().SetVerboseResults(true))
	if failed, ok := errors.AsType[mongo.ClientBulkWriteException](err); ok && len(failed.WriteErrors) == 1 {
		for i := range maps.Keys(failed.WriteErrors) {
			return i, false, single(err)
		}
	}
	if err != nil {
		return 0, false, single(err)
	}
	_, last = r.InsertResults[len(all)-1]
	if u, ok := r.UpdateResults[len(all)-1]; ok {
		last = u.MatchedCount > 0 || u.UpsertedID != nil
	}
	return len(all), last, nil
}

// single returns an error of writes of several collections as one of a single collection, which has codes and
// labels that the driver's functions know.
func single(err error) error {
	e, ok := errors.AsType[mongo.ClientBulkWriteException](err)
	if !ok {
		return err
	}
	var is mongo.BulkWriteException
	for _, x := range e.WriteErrors {
		is.WriteErrors = append(is.WriteErrors, mongo.BulkWriteError{WriteError: x})
	}
	if len(e.WriteConcernErrors) > 0 {
		is.WriteConcernError = &e.WriteConcernErrors[0]
	}
	if x := e.WriteError; x != nil && len(is.WriteErrors) == 0 {
		return mongo.CommandError{Code: int32(x.Code), Message: x.Message, Raw: x.Raw}
	}
	return is
}

// clientModel converts a write of one collection to one of several.
func clientModel(m mongo.WriteModel) mongo.ClientWriteModel {
	switch m := m.(type) {
	case *mongo.InsertOneModel:
		return mongo.NewClientInsertOneModel().SetDocument(m.Document)
	case *mongo.ReplaceOneModel:
		return mongo.NewClientReplaceOneModel().SetFilter(m.Filter).SetReplacement(m.Replacement).SetUpsert(*m.Upsert)
	case *mongo.UpdateOneModel:
		is := mongo.NewClientUpdateOneModel().SetFilter(m.Filter).SetUpdate(m.Update)
		if m.Upsert != nil {
			is.SetUpsert(*m.Upsert)
		}
		return is
	}
	panic("a write of an unknown type")
}
