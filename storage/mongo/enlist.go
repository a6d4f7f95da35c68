package mongo

import (
	"context"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"plat"
	"plat/storage"
)

// enlistBatch is the number of jobs per bulk write.
const enlistBatch = 1000

// Enlist adds jobs: one read and one bulk write per batch. Each URL is one document,
// written by compare-and-swap; conflicting ones are merged again. A crash leaves some
// URLs unchanged, and repeating the call completes it.
func (s *Store) Enlist(ctx context.Context, jobs []plat.Job) error {
	if err := storage.CheckJobs(jobs); err != nil {
		return fmt.Errorf("mongo: %w", err)
	}
	for done := 0; done < len(jobs); done += enlistBatch {
		for again := true; again; {
			var err error
			if again, err = s.enlist(ctx, jobs[done:min(done+enlistBatch, len(jobs))]); err != nil {
				return fmt.Errorf("mongo: enlist %d jobs (%d done): %w", len(jobs), done, err)
			}
		}
	}
	return nil
}

// enlist merges jobs into their documents. again reports that a concurrent write made
// some of them fail.
func (s *Store) enlist(ctx context.Context, jobs []plat.Job) (again bool, err error) {
	docs, err := s.urlsOf(ctx, jobs)
	if err != nil {
		return false, err
	}
	var changed []*urlDoc // each once
	isChanged := map[*urlDoc]bool{}
	for i := range jobs {
		j := &jobs[i]
		d := docs[urlID(j.URL)]
		if d == nil {
			d = newURLDoc(j.URL)
			docs[d.ID] = d
		}
		if string(d.URL) != j.URL {
			return false, fmt.Errorf("%s has the _id of %s: %w", d.URL, j.URL, plat.ErrCorrupt)
		}
		st, err := d.state()
		if err != nil {
			return false, err
		}
		if !storage.Merge(&st, j) {
			continue
		}
		d.Due, d.Priority = st.Due, float64(st.Priority)
		if err := d.setPlan(st.Plan); err != nil {
			return false, err
		}
		if !isChanged[d] {
			isChanged[d] = true
			changed = append(changed, d)
		}
	}
	if len(changed) == 0 {
		return false, nil
	}
	models := make([]mongo.WriteModel, len(changed))
	for i, d := range changed {
		models[i] = enlisted(d)
	}
	r, err := s.urls.BulkWrite(ctx, models, options.BulkWrite().SetOrdered(false))
	if mongo.IsDuplicateKeyError(err) {
		return true, nil // the others are written, or fail with their own error on retry
	}
	if err != nil {
		return false, err
	}
	return r.InsertedCount+r.MatchedCount < int64(len(models)), nil
}

// enlisted returns the update of the job's fields, conditional on the revision read.
func enlisted(d *urlDoc) mongo.WriteModel {
	was := d.Rev
	d.Rev++
	if was == 0 {
		return mongo.NewInsertOneModel().SetDocument(d)
	}
	set := bson.D{{Key: "rev", Value: d.Rev}, {Key: "priority", Value: d.Priority}}
	unset := bson.D{{Key: "depth"}, {Key: "scope"}, {Key: "every_ms"}} // see movePlan
	if d.Plan != nil {
		set = append(set, bson.E{Key: "plan", Value: d.Plan})
	} else {
		unset = append(unset, bson.E{Key: "plan"})
	}
	if !d.Due.IsZero() { // no job removes it
		set = append(set, bson.E{Key: "due", Value: d.Due})
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
	cur, err := s.urls.Find(ctx, bson.D{{Key: "_id", Value: bson.D{{Key: "$in", Value: ids}}}},
		options.Find().SetProjection(bson.D{{Key: "terms", Value: 0}, {Key: "recent", Value: 0}, {Key: "latest", Value: 0}}).SetBatchSize(int32(len(ids))))
	var got []urlDoc
	if err == nil {
		err = cur.All(ctx, &got)
	}
	if err != nil {
		return nil, err
	}
	docs := make(map[string]*urlDoc, len(jobs))
	for i := range got {
		docs[got[i].ID] = &got[i]
	}
	return docs, nil
}
