package mongo

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"plat/storage"
)

// hostWriter writes the hosts' documents before and after a write to URLs.
type hostWriter struct {
	s     *Store
	token string
	now   time.Time
	rows  map[string]*hostRow // by host
}

// hostRow is the state of a hostWriter for a host.
type hostRow struct {
	change  storage.Change // change to announce
	clock   time.Time
	open    bool           // announced: the writer is entered
	done    storage.Change // written changes
	recount bool           // the effect of the write is unknown
}

var noChange = storage.Change{Priority: -1}

func (s *Store) newWriter() *hostWriter {
	return &hostWriter{s: s, token: bson.NewObjectID().Hex(), now: time.Now(), rows: map[string]*hostRow{}}
}

func (w *hostWriter) row(host string) *hostRow {
	r := w.rows[host]
	if r == nil {
		r = &hostRow{change: noChange, done: noChange}
		w.rows[host] = r
	}
	return r
}

// announces adds the updates which ensure that the jobs of a change are seen.
func (w *hostWriter) announces(id string, c *storage.Change) (least bson.D) {
	if c.Priority >= 0 || c.Backlog > 0 {
		least = append(least, bson.E{Key: "order", Value: orderKey(storage.Rank(c.Priority), w.now, id)})
	}
	if !c.Next.IsZero() {
		least = append(least, bson.E{Key: "next", Value: instant(c.Next)})
	}
	return least
}

// announce writes the hosts before their URLs. It may be repeated.
func (w *hostWriter) announce(ctx context.Context) error {
	var models []mongo.WriteModel
	for _, host := range slices.Sorted(maps.Keys(w.rows)) {
		r, id := w.rows[host], hostKey(host)
		isNew := bson.D{{Key: "host", Value: text(host)}}
		counts := bson.D{{Key: "jobs", Value: int64(0)}, {Key: "backlog", Value: int64(0)}, {Key: "dead", Value: int64(0)}}
		var update bson.D
		if r.change != noChange {
			r.open = true
			update = bson.D{{Key: "$set", Value: bson.D{{Key: "writers." + w.token, Value: instant(w.now)}}}, {Key: "$inc", Value: append(bson.D{{Key: "rev", Value: int64(1)}}, counts...)}}
			if least := w.announces(id, &r.change); len(least) > 0 {
				update = append(update, bson.E{Key: "$min", Value: least})
			}
		} else {
			isNew = append(append(isNew, bson.E{Key: "rev", Value: int64(0)}), counts...)
		}
		if !r.clock.IsZero() {
			update = append(update, bson.E{Key: "$max", Value: bson.D{{Key: "clock", Value: r.clock}}})
		}
		if len(update) == 0 {
			continue
		}
		update = append(update, bson.E{Key: "$setOnInsert", Value: isNew})
		models = append(models, mongo.NewUpdateOneModel().SetFilter(bson.D{{Key: "_id", Value: id}}).SetUpdate(update).SetUpsert(true))
	}
	if len(models) == 0 {
		return nil
	}
	err := w.s.survive(ctx, func() error {
		_, err := w.s.hosts.BulkWrite(ctx, models, options.BulkWrite().SetOrdered(false))
		if mongo.IsDuplicateKeyError(err) { // concurrent upserts of the same host
			_, err = w.s.hosts.BulkWrite(ctx, models, options.BulkWrite().SetOrdered(false))
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("announce jobs: %w", err)
	}
	return nil
}

// close counts the written changes, and removes the writer. If it does not know whether that was done,
// it counts all URLs of the hosts.
func (w *hostWriter) close(ctx context.Context) error {
	return w.s.survive(ctx, func() error {
		err := w.count(ctx)
		if w.s.interrupted(err) {
			w.unsure()
		}
		return err
	})
}

func (w *hostWriter) count(ctx context.Context) error {
	var models []mongo.WriteModel
	var recount []string
	for _, host := range slices.Sorted(maps.Keys(w.rows)) {
		r, id := w.rows[host], hostKey(host)
		if !r.open {
			continue
		}
		inc := bson.D{{Key: "rev", Value: int64(1)}}
		update := bson.D{{Key: "$unset", Value: bson.D{{Key: "writers." + w.token, Value: ""}}}}
		c := &r.done
		if r.recount {
			c = &r.change
			update = append(update, bson.E{Key: "$set", Value: bson.D{{Key: "recount", Value: true}}})
			recount = append(recount, id)
		} else {
			for _, n := range []struct {
				field string
				more  int
			}{{"jobs", c.Backlog + c.Timed}, {"backlog", c.Backlog}, {"dead", c.Dead}} {
				if n.more != 0 {
					inc = append(inc, bson.E{Key: n.field, Value: int64(n.more)})
				}
			}
		}
		if least := w.announces(id, c); len(least) > 0 {
			update = append(update, bson.E{Key: "$min", Value: least})
		}
		update = append(update, bson.E{Key: "$inc", Value: inc})
		models = append(models, mongo.NewUpdateOneModel().SetFilter(bson.D{{Key: "_id", Value: id}}).SetUpdate(update))
	}
	if len(models) == 0 {
		return nil
	}
	if _, err := w.s.hosts.BulkWrite(ctx, models, options.BulkWrite().SetOrdered(false)); err != nil {
		return fmt.Errorf("count jobs: %w", err)
	}
	for _, id := range recount {
		if err := w.s.recount(ctx, id); err != nil {
			return fmt.Errorf("count jobs: %w", err)
		}
	}
	return nil
}

// abandon removes the writer after a write with an unknown effect, and counts all URLs of the hosts.
func (w *hostWriter) abandon(ctx context.Context) error {
	w.unsure()
	return w.close(ctx)
}

func (w *hostWriter) unsure() {
	for _, r := range w.rows {
		r.recount = true
	}
}
