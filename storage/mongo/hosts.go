package mongo

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"plat/plat"
	"plat/storage"
)

// hostDoc is a document of hosts: a summary of the jobs and visits of a host, derived from its URLs.
//
// There are no transactions, so a hostWriter writes a host before and after its URLs. The first
// write announces the change: it makes the host ready, or schedules its waking, and enters the
// writer in Writers. The second write counts the change, announces it again, and removes the
// writer. Load reads a host's jobs and then updates its readiness by compare-and-swap on Rev.
// If there are writers, it may have missed jobs, so it schedules a later check even for a host
// without jobs. So no job is ever missed, wherever a writer crashes; at worst a host is loaded
// in vain.
//
// A writer that is still entered after writeGrace has crashed, and its changes may not be
// counted. Then, or if a writer does not know the effect of its write (Recount), the next Load,
// or GC, counts the host's URLs again. The result is exact if Rev has not changed in the
// meantime and there are no writers.
type hostDoc struct {
	ID      string               `bson:"_id"` // see hostKey
	Host    text                 `bson:"host"`
	Rev     int64                `bson:"rev"`             // grows with every write to the fields below, except Clock: see nextRev
	Order   string               `bson:"order,omitempty"` // see orderKey; absent: not ready
	Next    time.Time            `bson:"next,omitempty"`  // time at which it has to be woken
	Jobs    int64                `bson:"jobs"`            // number of URLs with a job
	Backlog int64                `bson:"backlog"`         // number of these that were never visited
	Dead    int64                `bson:"dead"`            // number of dead URLs
	Clock   time.Time            `bson:"clock,omitempty"` // earliest time of the next visit
	Sums    sums                 `bson:",inline"`
	Writers map[string]time.Time `bson:"writers,omitempty"`
	Recount bool                 `bson:"recount,omitempty"`
}

// sums are what is summed up over the visited URLs of a host: see storage.SiteStats.
type sums struct {
	URLs          int64 `bson:"urls,omitempty"`
	Visits        int64 `bson:"visits,omitempty"`
	Versions      int64 `bson:"versions,omitempty"`
	PageBytes     int64 `bson:"page_bytes,omitempty"`
	StoredBytes   int64 `bson:"stored_bytes,omitempty"`
	PictureBytes  int64 `bson:"picture_bytes,omitempty"`
	ResourceBytes int64 `bson:"resource_bytes,omitempty"`
}

// sumsOf returns what a URL adds to the sums of its host.
func sumsOf(d *urlDoc) sums {
	if d.Visits == 0 {
		return sums{}
	}
	return sums{1, int64(d.Visits), int64(d.Changes), d.PageBytes, d.StoredBytes, d.PictureBytes, d.ResourceBytes}
}

// plus adds o, times a factor.
func (s sums) plus(o sums, times int64) sums {
	return sums{s.URLs + times*o.URLs, s.Visits + times*o.Visits, s.Versions + times*o.Versions, s.PageBytes + times*o.PageBytes,
		s.StoredBytes + times*o.StoredBytes, s.PictureBytes + times*o.PictureBytes, s.ResourceBytes + times*o.ResourceBytes}
}

// fields returns the sums as fields of a document.
func (s sums) fields() bson.D {
	return bson.D{{Key: "urls", Value: s.URLs}, {Key: "visits", Value: s.Visits}, {Key: "versions", Value: s.Versions}, {Key: "page_bytes", Value: s.PageBytes},
		{Key: "stored_bytes", Value: s.StoredBytes}, {Key: "picture_bytes", Value: s.PictureBytes}, {Key: "resource_bytes", Value: s.ResourceBytes}}
}

// writeGrace is the maximum duration of a write to a URL, from the announcement to the end. A
// command waits up to half a minute for a server.
const writeGrace = 2 * time.Minute

// hostKey returns the _id of a host, which is also the prefix of its keys. Hosts of canonical
// URLs are used unchanged. Hosts with any other character are replaced by their hash, because a
// space ends a host in keys, and BSON strings are UTF-8.
func hostKey(host string) string {
	plain := host != "" && len(host) <= 255 && strings.IndexFunc(host, func(r rune) bool { return r <= ' ' || r >= 0x7f || r == '"' || r == '\\' }) < 0
	if plain {
		return host
	}
	return "sha256:" + plat.HashOf([]byte(host)).String()[:32]
}

// stamp returns milliseconds with 15 digits that sort as text: 100000000000000 is
// 1970. Times before the year -1198 or after 30,000 are cut.
func stamp(t time.Time) string {
	return fmt.Sprintf("%015d", max(0, min(t.UnixMilli()+1e14, 1e15-1)))
}

// The lists of a host's URLs in urls.todo, each after the host and a space.
const (
	backlogList = "b" // by rank, then due, then order of enlisting
	timedList   = "t" // by earliest time of their visit
	deadList    = "x" // dead URLs
)

// todoKey returns the place of a URL among those of its host that have a job or are dead, or ""
// for the rest. Keys with the same prefix are a range of one index. seq orders URLs with equal
// times.
func todoKey(host string, st *plat.URLState, seq int64) string {
	at := storage.Timed(st)
	switch {
	case !st.Dead.IsZero():
		return listKey(hostKey(host), deadList) + stamp(st.Dead)
	case st.Due.IsZero():
		return ""
	case at.IsZero():
		return fmt.Sprintf("%s%04d %s %016d", listKey(hostKey(host), backlogList), storage.Rank(st.Priority), stamp(st.Due), seq)
	}
	return fmt.Sprintf("%s%s %016d", listKey(hostKey(host), timedList), stamp(at), seq)
}

func listKey(id, list string) string { return id + " " + list + " " }

// within returns a filter for the keys of a list, starting at from.
func within(from, list string) bson.D {
	return bson.D{{Key: "todo", Value: bson.D{{Key: "$gte", Value: from}, {Key: "$lt", Value: strings.TrimSuffix(list, " ") + "!"}}}}
}

// orderKey returns the sort key of a ready host: by rank, start of the wait, and name.
func orderKey(rank int, since time.Time, id string) string {
	return fmt.Sprintf("%04d %s %s", rank, stamp(since), id)
}

// parseOrder returns rank and time of an orderKey.
func parseOrder(order string) (rank int, since time.Time, err error) {
	var ms int64
	if _, err := fmt.Sscanf(order, "%d %d", &rank, &ms); err != nil {
		return 0, since, fmt.Errorf("the order %q: %w", order, plat.ErrCorrupt)
	}
	return rank, time.UnixMilli(ms - 1e14).UTC(), nil
}

// jobInto sets the fields of a state that belong to its job, without the plan.
func (d *urlDoc) jobInto(st *plat.URLState) {
	st.Due, st.Settled, st.Dead = d.Due.UTC(), d.Settled.UTC(), d.Died.UTC()
	st.Priority, st.Attempts, st.Throttled = float32(d.Priority), d.Attempts, d.Throttled
	// A job in the backlog has no At, so a job with At that was never settled is a retry, even
	// if it is due at that time.
	st.NotBefore = time.Time{}
	if !d.At.IsZero() && (d.Settled.IsZero() || !d.At.Equal(d.Due)) {
		st.NotBefore = d.At.UTC()
	}
}

// setJob sets these fields from a state. seq is used for a URL that never had a job.
func (d *urlDoc) setJob(st *plat.URLState, seq int64) {
	d.Due, d.Settled, d.Died = orZero(st.Due), orZero(st.Settled), orZero(st.Dead)
	d.Priority, d.Attempts, d.Throttled = float64(st.Priority), st.Attempts, st.Throttled
	d.At = orZero(storage.Timed(st))
	if d.Seq == 0 && !d.Due.IsZero() {
		d.Seq = seq
	}
	d.Todo = todoKey(string(d.Host), st, d.Seq)
}

// readHost returns the document of a host, or nil.
func (s *Store) readHost(ctx context.Context, id string) (*hostDoc, error) {
	var d hostDoc
	err := s.hosts.FindOne(ctx, byID(id)).Decode(&d)
	if errors.Is(err, mongo.ErrNoDocuments) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &d, nil
}

// writing returns the time for which the host's writers may still be active. crashed reports
// that all of them have crashed.
func (s *Store) writing(d *hostDoc) (left time.Duration, crashed bool) {
	now := s.clock.before(s.clock.wall())
	for _, since := range d.Writers {
		left = max(left, s.grace-now.Sub(since))
	}
	return left, left <= 0 && len(d.Writers) > 0
}

// hostView holds the jobs of a host that can be visited.
type hostView struct {
	timed, backlog []waitingJob
	next           time.Time // time of the next timed job
}

type waitingJob struct {
	storage.Waiting
	seq int64
}

func (v *hostView) all() []waitingJob { return slices.Concat(v.timed, v.backlog) }

// rank returns the rank of the most urgent job that was read. ok is false if no job waits.
func (v *hostView) rank() (rank int, ok bool) {
	rank = math.MaxInt
	for _, w := range v.all() {
		rank = min(rank, storage.Rank(w.Priority))
	}
	return rank, rank < math.MaxInt
}

func (v *hostView) wakeAt(t time.Time) {
	if v.next.IsZero() || t.Before(v.next) {
		v.next = t
	}
}

// view reads the jobs of a host that can be visited at now: the longest waiting of the timed
// jobs that are due, the most urgent of the backlog, and the time of the next job.
func (s *Store) view(ctx context.Context, id string, now time.Time, timed, backlog int) (*hostView, error) {
	v := &hostView{}
	seen := map[string]bool{}
	read := func(filter bson.D, limit int) ([]urlDoc, error) {
		got, err := findAll[urlDoc](ctx, s.urls, filter, options.Find().SetSort(bson.D{{Key: "todo", Value: 1}}).SetLimit(int64(limit)).SetBatchSize(int32(limit)).SetProjection(
			bson.D{{Key: "url", Value: 1}, {Key: "due", Value: 1}, {Key: "at", Value: 1}, {Key: "settled", Value: 1}, {Key: "priority", Value: 1},
				{Key: "attempts", Value: 1}, {Key: "throttled", Value: 1}, {Key: "seq", Value: 1}, {Key: "todo", Value: 1},
				{Key: "visits", Value: 1}, {Key: "plan.schedule.budget", Value: 1}}))
		return got, err
	}
	add := func(to *[]waitingJob, d *urlDoc, since time.Time) {
		if seen[d.ID] {
			return // it moved between the lists in the meantime
		}
		seen[d.ID] = true
		w := waitingJob{storage.Waiting{Since: since.UTC(), LoadedJob: storage.LoadedJob{URL: string(d.URL), Due: d.Due.UTC(), Priority: float32(d.Priority),
			Attempts: d.Attempts, Throttled: d.Throttled}}, d.Seq}
		if d.Visits > 0 && d.hasBudget() {
			w.State = &plat.URLState{} // to be read
		}
		*to = append(*to, w)
	}
	list := listKey(id, timedList)
	after := list + stamp(now) + "!" // after all keys with the same stamp
	got, err := read(bson.D{{Key: "todo", Value: bson.D{{Key: "$gte", Value: list}, {Key: "$lt", Value: after}}}}, timed)
	for i := range got {
		add(&v.timed, &got[i], got[i].At)
	}
	if err == nil {
		got, err = read(within(after, list), 1)
	}
	if err == nil && len(got) > 0 {
		v.wakeAt(got[0].At)
	}
	// Within a rank, jobs that can be visited come first, so the first that cannot ends it.
	list = listKey(id, backlogList)
	for from := list; err == nil && len(v.backlog) < backlog; {
		limit := backlog - len(v.backlog)
		got, err = read(within(from, list), limit)
		more := len(got) == limit
		for i := range got {
			d := &got[i]
			from = d.Todo + "!"
			if d.Due.After(now) {
				v.wakeAt(d.Due)
				from, more = fmt.Sprintf("%s%04d ", list, storage.Rank(float32(d.Priority))+1), true
				break
			}
			add(&v.backlog, d, d.Due)
		}
		if !more {
			break
		}
	}
	return v, err
}

// hasBudget reports whether a URL's plan has a budget.
func (d *urlDoc) hasBudget() bool {
	var schedule bson.D
	for _, e := range d.Plan {
		if e.Key == "schedule" {
			schedule, _ = e.Value.(bson.D)
		}
	}
	return slices.ContainsFunc(schedule, func(e bson.E) bool { return e.Key == "budget" && e.Value != "" })
}

// maxRefresh limits the attempts of refresh. A row that changes all the time keeps the state of
// its writers, which is never too late.
const maxRefresh = 5

// refresh reads the jobs of a host that can be visited, and updates its row. It returns nil if
// the host does not exist. A woken host that was ready keeps its order.
func (s *Store) refresh(ctx context.Context, id string, now time.Time, timed, backlog int, wake bool) (d *hostDoc, v *hostView, err error) {
	err = s.survive(ctx, func() error {
		d, v, err = s.refreshOnce(ctx, id, now, timed, backlog, wake)
		return err
	})
	return d, v, err
}

func (s *Store) refreshOnce(ctx context.Context, id string, now time.Time, timed, backlog int, wake bool) (d *hostDoc, v *hostView, err error) {
	for try := range maxRefresh {
		if d, err = s.readHost(ctx, id); err != nil || d == nil {
			return nil, nil, err
		}
		if v, err = s.view(ctx, id, now, timed, backlog); err != nil {
			return nil, nil, err
		}
		set, unset := bson.D{{Key: "rev", Value: nextRev(d.Rev)}}, bson.D{}
		left, crashed := s.writing(d)
		if rank, ok := v.rank(); ok {
			order := orderKey(rank, now, id)
			if wake && d.Order != "" {
				order = min(order, d.Order)
			}
			set = append(set, bson.E{Key: "order", Value: order})
		} else {
			unset = append(unset, bson.E{Key: "order", Value: ""})
			if left > 0 {
				v.wakeAt(now.Add(left.Truncate(time.Millisecond) + time.Millisecond))
			}
		}
		if v.next.IsZero() {
			unset = append(unset, bson.E{Key: "next", Value: ""})
		} else {
			set = append(set, bson.E{Key: "next", Value: instant(v.next)})
		}
		// Counting takes long, and is not repeated here if it met a writer.
		if left <= 0 && (crashed || d.Recount) && try == 0 {
			counts, err := s.count(ctx, id, string(d.Host))
			if err != nil {
				return nil, nil, err
			}
			set = append(set, counts...)
			unset = append(unset, countedFields...)
		}
		if ok, err := s.writeHost(ctx, d, set, unset); err != nil || ok {
			return d, v, err
		}
	}
	return d, v, nil
}

// countedFields are the fields that request the counting of a host.
var countedFields = bson.D{{Key: "writers", Value: ""}, {Key: "recount", Value: ""}}

// writeHost updates a host's document if it is unchanged since d was read.
func (s *Store) writeHost(ctx context.Context, d *hostDoc, set, unset bson.D) (bool, error) {
	update := bson.D{{Key: "$set", Value: set}}
	if len(unset) > 0 {
		update = append(update, bson.E{Key: "$unset", Value: unset})
	}
	r, err := s.hosts.UpdateOne(ctx, bson.D{{Key: "_id", Value: d.ID}, {Key: "rev", Value: d.Rev}}, update)
	return err == nil && r.MatchedCount == 1, err
}

// count counts the URLs of a host, and returns the fields to set.
func (s *Store) count(ctx context.Context, id, host string) (bson.D, error) {
	var n [3]int64
	for i, list := range []string{backlogList, timedList, deadList} {
		var err error
		if n[i], err = s.urls.CountDocuments(ctx, within(listKey(id, list), listKey(id, list))); err != nil {
			return nil, err
		}
	}
	all, err := s.sumUp(ctx, host)
	return append(bson.D{{Key: "jobs", Value: n[0] + n[1]}, {Key: "backlog", Value: n[0]}, {Key: "dead", Value: n[2]}}, all.fields()...), err
}

// sumUp sums up the visited URLs of a host.
func (s *Store) sumUp(ctx context.Context, host string) (all sums, err error) {
	cur, err := s.urls.Find(ctx, bson.D{{Key: "host", Value: text(host)}}, options.Find().SetBatchSize(1000).SetProjection(bson.D{
		{Key: "visits", Value: 1}, {Key: "changes", Value: 1}, {Key: "page_bytes", Value: 1}, {Key: "stored_bytes", Value: 1}, {Key: "picture_bytes", Value: 1}, {Key: "resource_bytes", Value: 1}}))
	if err != nil {
		return all, err
	}
	defer cur.Close(context.WithoutCancel(ctx))
	for cur.Next(ctx) {
		var d urlDoc
		if err := cur.Decode(&d); err != nil {
			return all, undecodable(s.urls, cur.Current, err)
		}
		all = all.plus(sumsOf(&d), 1)
	}
	return all, cur.Err()
}

// countAllHosts counts the URLs of all hosts. It goes from host to host by the index of urls.
func (s *Store) countAllHosts(ctx context.Context) error {
	after := bson.D{{Key: "$gte", Value: ""}}
	for {
		got, err := findAll[urlDoc](ctx, s.urls, bson.D{{Key: "host", Value: after}}, options.Find().SetSort(bson.D{{Key: "host", Value: 1}, {Key: "url", Value: 1}}).
			SetLimit(1).SetProjection(bson.D{{Key: "host", Value: 1}}))
		if err != nil || len(got) == 0 {
			return err
		}
		host := string(got[0].Host)
		w := s.newWrites()
		w.upsert(s.hosts, hostKey(host), bson.D{{Key: "$setOnInsert", Value: append(bson.D{{Key: "host", Value: got[0].Host}}, noJobs...)},
			{Key: "$set", Value: bson.D{{Key: "recount", Value: true}}}, {Key: "$inc", Value: bson.D{{Key: "rev", Value: nextRev(0)}}}}, true)
		w.toCount = append(w.toCount, hostKey(host))
		if _, err := w.do(ctx); err != nil {
			return err
		}
		after = bson.D{{Key: "$gt", Value: got[0].Host}}
	}
}

// recount counts the URLs of a host with such fields. If there are writers, it leaves that to
// them, or to Load.
func (s *Store) recount(ctx context.Context, id string) error {
	for range maxRefresh {
		d, err := s.readHost(ctx, id)
		if err != nil || d == nil {
			return err
		}
		left, crashed := s.writing(d)
		if left > 0 || !crashed && !d.Recount {
			return nil
		}
		counts, err := s.count(ctx, id, string(d.Host))
		if err != nil {
			return err
		}
		if ok, err := s.writeHost(ctx, d, append(counts, bson.E{Key: "rev", Value: nextRev(d.Rev)}), countedFields); err != nil || ok {
			return err
		}
	}
	return nil
}

// recountAll counts the URLs of all hosts with such fields.
func (s *Store) recountAll(ctx context.Context) error {
	var ids []string
	err := each(ctx, s.hosts, bson.D{{Key: "writers", Value: 1}, {Key: "recount", Value: 1}}, nil, func(d *hostDoc) error {
		if len(d.Writers) > 0 || d.Recount {
			ids = append(ids, d.ID)
		}
		return nil
	})
	for i := 0; err == nil && i < len(ids); i++ {
		err = s.survive(ctx, func() error { return s.recount(ctx, ids[i]) })
	}
	return err
}
