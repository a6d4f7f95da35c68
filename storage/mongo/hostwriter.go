package mongo

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

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
	change  storage.Change // the change of jobs, which is announced before it is written
	sums    sums           // the change of the sums, which comes with it
	clock   time.Time
	open    bool           // announced: the writer is entered
	done    storage.Change // the change of jobs, once it is written
	summed  sums           // the change of the sums, once it is written
	unknown bool           // the effect of the write is unknown
}

var noChange = storage.Change{Priority: -1}

// noJobs are the counts of a host without jobs.
var noJobs = bson.D{{Key: "jobs", Value: int64(0)}, {Key: "backlog", Value: int64(0)}, {Key: "dead", Value: int64(0)}}

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
	all := w.s.newWrites()
	w.addAnnouncements(all)
	if _, err := all.do(ctx); err != nil {
		return fmt.Errorf("announce jobs: %w", err)
	}
	return nil
}

// addAnnouncements adds the writes of announce.
func (w *hostWriter) addAnnouncements(all *writes) {
	for _, host := range slices.Sorted(maps.Keys(w.rows)) {
		r, id := w.rows[host], hostKey(host)
		isNew := bson.D{{Key: "host", Value: text(host)}}
		var update bson.D
		if r.change != noChange || r.sums != (sums{}) {
			r.open = true
			update = bson.D{{Key: "$set", Value: bson.D{{Key: "writers." + w.token, Value: instant(w.s.clock.now())}}}, {Key: "$inc", Value: append(bson.D{{Key: "rev", Value: nextRev(0)}}, noJobs...)}}
			if least := w.announces(id, &r.change); len(least) > 0 {
				update = append(update, bson.E{Key: "$min", Value: least})
			}
		} else {
			isNew = append(append(isNew, bson.E{Key: "rev", Value: int64(0)}), noJobs...)
		}
		if !r.clock.IsZero() {
			update = append(update, bson.E{Key: "$max", Value: bson.D{{Key: "clock", Value: r.clock}}})
		}
		if len(update) > 0 {
			all.upsert(w.s.hosts, id, append(update, bson.E{Key: "$setOnInsert", Value: isNew}), true)
		}
	}
}

// close counts the written changes, and removes the writer.
func (w *hostWriter) close(ctx context.Context) error {
	all := w.s.newWrites()
	w.addCounts(all)
	if _, err := all.do(ctx); err != nil {
		return fmt.Errorf("count jobs: %w", err)
	}
	return nil
}

// addCounts adds the writes of close. If one has an unknown effect, all URLs of its host are counted.
func (w *hostWriter) addCounts(all *writes) {
	for _, host := range slices.Sorted(maps.Keys(w.rows)) {
		r, id := w.rows[host], hostKey(host)
		if !r.open {
			continue
		}
		left := bson.D{{Key: "$unset", Value: bson.D{{Key: "writers." + w.token, Value: ""}}}}
		inc := bson.D{{Key: "rev", Value: nextRev(0)}}
		fallback := append(left[:1:1], bson.E{Key: "$set", Value: bson.D{{Key: "recount", Value: true}}}, bson.E{Key: "$inc", Value: inc})
		if least := w.announces(id, &r.change); len(least) > 0 {
			fallback = append(fallback, bson.E{Key: "$min", Value: least})
		}
		if r.unknown {
			all.updateHost(id, fallback, nil)
			continue
		}
		c := &r.done
		for _, n := range []struct {
			field string
			more  int
		}{{"jobs", c.Backlog + c.Timed}, {"backlog", c.Backlog}, {"dead", c.Dead}} {
			if n.more != 0 {
				inc = append(inc, bson.E{Key: n.field, Value: int64(n.more)})
			}
		}
		for _, f := range r.summed.fields() {
			if f.Value != int64(0) {
				inc = append(inc, f)
			}
		}
		update := append(left, bson.E{Key: "$inc", Value: inc})
		if least := w.announces(id, c); len(least) > 0 {
			update = append(update, bson.E{Key: "$min", Value: least})
		}
		all.updateHost(id, update, fallback)
	}
}

// abandon removes the writer after a write with an unknown effect, and counts all URLs of the hosts.
func (w *hostWriter) abandon(ctx context.Context) error {
	for _, r := range w.rows {
		r.unknown = true
	}
	return w.close(ctx)
}
