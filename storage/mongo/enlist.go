package mongo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"plat/plat"
	"plat/storage"
)

// enlistBatch is the number of jobs per bulk write. Hosts are written twice per batch.
const enlistBatch = 5000

// Enlist adds jobs, by batches: one read, and one write each for hosts, new URLs, known URLs
// and again hosts; see [hostDoc]. Each URL is one document, written by compare-and-swap;
// conflicting ones are merged again. A crash leaves some URLs unchanged, and repeating the call
// completes it.
func (s *Store) Enlist(ctx context.Context, jobs []plat.Job, how storage.Intake) (storage.Enlisted, error) {
	if err := storage.CheckJobs(jobs); err != nil {
		return storage.Enlisted{}, errorf("mongo: %w", err)
	}
	in := intake{s: s, how: how, tried: map[string]tried{}}
	for done := 0; done < len(jobs); done += enlistBatch {
		for batch := jobs[done:min(done+enlistBatch, len(jobs))]; len(batch) > 0; {
			var err error
			if batch, err = in.enlist(ctx, batch); err != nil {
				return storage.Enlisted{}, errorf("mongo: enlist %d jobs (%d done): %w", len(jobs), done, s.advise(err))
			}
		}
	}
	return in.Enlisted, nil
}

// intake is the state of one call of Enlist. Neighbours in a list often have the same plan.
type intake struct {
	storage.Enlisted
	s       *Store
	how     storage.Intake
	plan    plat.Plan // the last one encoded
	planDoc bson.D

	tried   map[string]tried // by _id
	repeats int              // interrupted writes
}

// tried is a write of a URL that may have succeeded, so that the URL is merged again. Its change was reported.
type tried struct {
	rev int64     // of the document that was written
	due time.Time // of its job
}

// visited reports whether the job that may have been written was settled since: merged again, it would be a new one.
func (t tried) visited(st *plat.URLState) bool {
	return !t.due.IsZero() && !st.Settled.IsZero() && !storage.ToSettle(st.Settled, t.due)
}

func (in *intake) setPlan(d *urlDoc, p plat.Plan) error {
	if p == in.plan {
		d.Plan, d.OldDepth, d.OldScope, d.OldEvery = in.planDoc, 0, "", 0
		return nil
	}
	err := d.setPlan(p)
	in.plan, in.planDoc = p, d.Plan
	return err
}

// urlChange is a document of urls with its state before and after a change.
type urlChange struct {
	*urlDoc
	jobs    []plat.Job
	was, is plat.URLState
	changed bool
	known   bool // the document existed
}

// enlist merges jobs into their documents. It returns those that met concurrent
// writes, to be merged again.
func (in *intake) enlist(ctx context.Context, jobs []plat.Job) (again []plat.Job, err error) {
	docs, err := in.s.urlsOf(ctx, jobs)
	if err != nil {
		return nil, err
	}
	changed, err := in.merge(docs, jobs)
	if err != nil {
		return nil, err
	}
	failed, err := in.s.writeJobs(ctx, changed)
	unknown := isUnknown(err) && in.repeats < in.s.repeats && ctx.Err() == nil
	if unknown { // any of them may have been written
		in.repeats++
		failed = make(map[*urlChange]bool, len(changed))
		for _, x := range changed {
			failed[x] = true
		}
	} else if err != nil {
		return nil, err
	}
	for _, x := range changed {
		if failed[x] {
			again = append(again, x.jobs...)
		}
		if failed[x] && !x.known && !unknown {
			continue
		}
		// A job that may have been written is reported now, because the next attempt may find
		// nothing to change.
		t, before := in.tried[x.ID]
		if failed[x] {
			if !before {
				t.due = x.is.Due
			}
			in.tried[x.ID] = tried{x.Rev, t.due}
		}
		if storage.Sooner(&x.was, &x.is) && !before {
			in.Jobs = append(in.Jobs, plat.Job{URL: x.is.URL, Due: x.is.Due, Priority: x.is.Priority})
			if x.was.Due.IsZero() && x.was.Settled.IsZero() {
				in.New++
			}
		}
	}
	return again, nil
}

// merge merges jobs into documents by _id, and returns the changes.
func (in *intake) merge(docs map[string]*urlDoc, jobs []plat.Job) (changed []*urlChange, err error) {
	changes := make(map[string]*urlChange, len(jobs))
	var all []*urlChange
	for i := range jobs {
		j := &jobs[i]
		id := urlID(j.URL)
		x := changes[id]
		if x == nil {
			d := docs[id]
			if d == nil && in.how.Known() {
				continue
			}
			if d == nil {
				d = newURLDoc(j.URL)
			}
			if t, ok := in.tried[id]; ok && d.Rev == t.rev {
				continue // it was written
			}
			if string(d.URL) != j.URL {
				return nil, fmt.Errorf("%s has the _id of %s: %w", d.URL, j.URL, plat.ErrCorrupt)
			}
			st, err := d.state()
			if err != nil {
				return nil, err
			}
			x = &urlChange{urlDoc: d, was: st, is: st}
			changes[id] = x
			all = append(all, x)
		}
		x.jobs = append(x.jobs, *j)
		if storage.Merge(&x.is, j, in.how) {
			x.changed = true
		}
		if is, was := &x.is, &x.was; in.tried[id].visited(was) {
			is.Due, is.NotBefore, is.Attempts, is.Throttled, is.Dead = was.Due, was.NotBefore, was.Attempts, was.Throttled, was.Dead
			x.changed = *is != *was
		}
	}
	seq := time.Now().UnixMicro()
	for i, x := range all {
		if !x.changed {
			continue
		}
		if x.is.Plan != x.was.Plan {
			if err := in.setPlan(x.urlDoc, x.is.Plan); err != nil {
				return nil, err
			}
		}
		x.setJob(&x.is, seq+int64(i))
		changed = append(changed, x)
	}
	return changed, nil
}

// writeJobs writes the jobs of documents, and their hosts. It returns the documents that may
// not have been written because of concurrent writes. For new documents that is certain.
func (s *Store) writeJobs(ctx context.Context, changed []*urlChange) (failed map[*urlChange]bool, err error) {
	if len(changed) == 0 {
		return nil, nil
	}
	w := s.newWriter()
	defer func() {
		if interrupted(err) {
			if w.abandon(ctx) == nil { // the hosts are counted again
				err = &unknownError{err}
			}
		}
	}()
	var fresh []*urlChange
	var inserts []any
	var known []*urlChange
	var updates []mongo.WriteModel
	for _, x := range changed {
		w.row(string(x.Host)).change.Add(storage.ChangeOf(&x.was, &x.is))
		if x.Rev == 0 {
			x.Rev = nextRev(0)
			fresh, inserts = append(fresh, x), append(inserts, x.urlDoc)
		} else {
			x.known = true
			known, updates = append(known, x), append(updates, updateJob(x.urlDoc))
		}
	}
	if err := w.announce(ctx); err != nil {
		return nil, err
	}
	failed = map[*urlChange]bool{}
	if len(inserts) > 0 {
		_, err := s.urls.InsertMany(ctx, inserts, options.InsertMany().SetOrdered(false))
		if e, ok := errors.AsType[mongo.BulkWriteException](err); ok && e.WriteConcernError == nil && len(e.WriteErrors) > 0 {
			err = nil
			for _, x := range e.WriteErrors {
				if !mongo.IsDuplicateKeyError(x) {
					return nil, x
				}
				failed[fresh[x.Index]] = true
			}
		}
		if err != nil {
			return nil, err
		}
	}
	if len(updates) > 0 {
		r, err := s.urls.BulkWrite(ctx, updates, options.BulkWrite().SetOrdered(false))
		if err != nil {
			return nil, err
		}
		if r.MatchedCount < int64(len(updates)) {
			for _, x := range known {
				failed[x] = true // possibly: the server does not report individual failures
			}
		}
	}
	for _, x := range changed {
		row, c := w.row(string(x.Host)), storage.ChangeOf(&x.was, &x.is)
		switch {
		case !failed[x]:
			row.done.Add(c)
		case x.known && (c.Backlog != 0 || c.Timed != 0 || c.Dead != 0):
			row.unknown = true
		}
	}
	return failed, w.close(ctx)
}

// updateJob returns the update of the job's fields, conditional on the revision read.
func updateJob(d *urlDoc) mongo.WriteModel {
	was := d.Rev
	d.Rev = nextRev(was)
	set := bson.D{{Key: "rev", Value: d.Rev}}
	unset := bson.D{{Key: "depth", Value: ""}, {Key: "scope", Value: ""}, {Key: "every_ms", Value: ""}} // see movePlan
	for _, f := range []struct {
		key   string
		value any
		has   bool
	}{
		{"due", d.Due, !d.Due.IsZero()}, {"settled", d.Settled, !d.Settled.IsZero()}, {"priority", d.Priority, d.Priority != 0}, {"plan", d.Plan, d.Plan != nil},
		{"at", d.At, !d.At.IsZero()}, {"attempts", d.Attempts, d.Attempts != 0}, {"throttled", d.Throttled, d.Throttled != 0},
		{"died", d.Died, !d.Died.IsZero()}, {"seq", d.Seq, d.Seq != 0}, {"todo", d.Todo, d.Todo != ""},
	} {
		if f.has {
			set = append(set, bson.E{Key: f.key, Value: f.value})
		} else {
			unset = append(unset, bson.E{Key: f.key, Value: ""})
		}
	}
	return mongo.NewUpdateOneModel().SetFilter(bson.D{{Key: "_id", Value: d.ID}, {Key: "rev", Value: was}}).
		SetUpdate(bson.D{{Key: "$set", Value: set}, {Key: "$unset", Value: unset}})
}

// urlsOf returns the documents of the jobs' URLs, by _id, without large fields;
// missing ones are omitted.
func (s *Store) urlsOf(ctx context.Context, jobs []plat.Job) (map[string]*urlDoc, error) {
	ids := make([]string, len(jobs))
	for i := range jobs {
		ids[i] = urlID(jobs[i].URL)
	}
	got, err := findAll[urlDoc](ctx, s.urls, byIDs(ids),
		options.Find().SetProjection(withoutLarge).SetBatchSize(int32(len(ids))))
	if err != nil {
		return nil, err
	}
	docs := make(map[string]*urlDoc, len(jobs))
	for i := range got {
		docs[got[i].ID] = &got[i]
	}
	return docs, nil
}

// withoutLarge excludes large fields that jobs do not need.
var withoutLarge = bson.D{{Key: "terms", Value: 0}, {Key: "recent", Value: 0}, {Key: "latest", Value: 0}, {Key: "memory", Value: 0}}

// listJobs completes the documents of an archive from before jobs were listed by host,
// and creates those of hosts. If interrupted, it continues.
func (s *Store) listJobs(ctx context.Context) error {
	unlisted := bson.D{{Key: "due", Value: bson.D{{Key: "$exists", Value: true}}}, {Key: "todo", Value: bson.D{{Key: "$exists", Value: false}}}}
	repeats := 0
	write := func(batch []*urlChange) error {
		_, err := s.writeJobs(ctx, batch)
		if isUnknown(err) && repeats < s.repeats { // the next pass lists the rest
			repeats++
			pause(ctx, repeats)
			return nil
		}
		return err
	}
	for again := true; again; { // until no document had a concurrent write
		again = false
		var batch []*urlChange
		for d, err := range s.urlDocs(ctx, unlisted, withoutLarge) {
			if err != nil {
				return errorf("mongo: list jobs: %w", err)
			}
			if err := d.movePlan(); err != nil {
				return errorf("mongo: list jobs: %w", err)
			}
			x := &urlChange{urlDoc: d}
			d.jobInto(&x.is)
			d.setJob(&x.is, time.Now().UnixMicro())
			if batch, again = append(batch, x), true; len(batch) == enlistBatch {
				if err := write(batch); err != nil {
					return errorf("mongo: list jobs: %w", err)
				}
				batch = nil
			}
		}
		if err := write(batch); err != nil {
			return errorf("mongo: list jobs: %w", err)
		}
	}
	return nil
}
