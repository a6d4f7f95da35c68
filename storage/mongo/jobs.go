package mongo

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"
	"sync"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"plat/plat"
	"plat/storage"
)

// Defer postpones jobs that failed or are not worth a visit yet, or marks them dead.
func (s *Store) Defer(ctx context.Context, all ...storage.Deferral) error {
	passed := make([]error, len(all)) // errors of skipped jobs
	err := parallel(len(all), func(i int) error {
		err := s.put(ctx, &all[i])
		if errors.Is(err, plat.ErrNotFound) || errors.Is(err, plat.ErrSettled) {
			passed[i], err = err, nil
		}
		return err
	})
	return cmp.Or(err, errors.Join(passed...))
}

// put applies a Deferral.
func (s *Store) put(ctx context.Context, d *storage.Deferral) error {
	err := s.changeURL(ctx, d.URL, orZero(d.Clock), func(u *urlDoc, mine bool) (bool, error) {
		if u.Rev == 0 {
			return false, plat.ErrNotFound
		}
		var st plat.URLState
		u.jobInto(&st)
		switch {
		case d.Put(&st):
		case mine && d.At.IsZero() && st.Settled.Equal(instant(d.Due)):
			return false, nil // settled, by this call
		default:
			return false, errSettled(u)
		}
		u.setJob(&st, time.Now().UnixMicro())
		return true, nil
	})
	if err != nil {
		return errorf("mongo: put off %q: %w", d.URL, err)
	}
	return nil
}

// parallel calls f for 0 to n-1, some at a time, and returns the first error.
func parallel(n int, f func(i int) error) error {
	const workers = 8
	var all sync.WaitGroup
	errs := make([]error, min(n, workers))
	for k := range errs {
		all.Go(func() {
			for i := k; i < n && errs[k] == nil; i += workers {
				errs[k] = f(i)
			}
		})
	}
	all.Wait()
	return cmp.Or(errs...)
}

// maxWoken limits the due jobs of a host that determine its urgency.
const maxWoken = 100

// All times are between these.
var ever, never = time.UnixMilli(-8e15), time.UnixMilli(8e15)

// Wake makes hosts ready that have a job whose time has come.
func (s *Store) Wake(ctx context.Context, now time.Time, limit int) (woken map[string]float32, next time.Time, err error) {
	first := func(until bson.E, limit int) ([]hostDoc, error) {
		return findAll[hostDoc](ctx, s.hosts, bson.D{{Key: "next", Value: bson.D{{Key: "$gte", Value: ever}, until}}},
			options.Find().SetSort(bson.D{{Key: "next", Value: 1}}).SetLimit(int64(limit)).SetBatchSize(int32(limit)).SetProjection(bson.D{{Key: "host", Value: 1}, {Key: "next", Value: 1}}))
	}
	due, err := first(bson.E{Key: "$lte", Value: now}, limit)
	if err == nil {
		var mu sync.Mutex
		woken = make(map[string]float32, len(due))
		err = parallel(len(due), func(i int) error {
			_, v, err := s.refresh(ctx, due[i].ID, now, maxWoken, 1, true)
			if err == nil && v != nil {
				rank, ok := v.rank()
				if !ok {
					rank = storage.Rank(0) // a write to it is in progress
				}
				mu.Lock()
				woken[string(due[i].Host)] = storage.PriorityOf(rank)
				mu.Unlock()
			}
			return err
		})
	}
	var coming []hostDoc
	if err == nil {
		coming, err = first(bson.E{Key: "$lt", Value: never}, 1)
	}
	if err != nil {
		return woken, time.Time{}, errorf("mongo: wake hosts: %w", s.advise(err))
	}
	if len(coming) > 0 {
		next = coming[0].Next.UTC()
	}
	return woken, next, nil
}

// Ready returns ready hosts in order.
func (s *Store) Ready(ctx context.Context, after storage.ReadyHost, limit int) ([]storage.ReadyHost, error) {
	from := ""
	if after.Row != 0 {
		from = orderKey(storage.Rank(after.Priority), after.Since, hostKey(after.Host))
	}
	got, err := findAll[hostDoc](ctx, s.hosts, bson.D{{Key: "order", Value: bson.D{{Key: "$gt", Value: from}}}}, options.Find().SetSort(bson.D{{Key: "order", Value: 1}}).
		SetLimit(int64(limit)).SetBatchSize(int32(limit)).SetProjection(bson.D{{Key: "host", Value: 1}, {Key: "order", Value: 1}}))
	all := make([]storage.ReadyHost, len(got))
	for i := 0; err == nil && i < len(got); i++ {
		var rank int
		var since time.Time
		rank, since, err = parseOrder(got[i].Order)
		all[i] = storage.ReadyHost{Host: string(got[i].Host), Priority: storage.PriorityOf(rank), Since: since, Row: 1}
	}
	if err != nil {
		return nil, errorf("mongo: ready hosts: %w", s.advise(err))
	}
	return all, nil
}

// Load returns the jobs of hosts.
func (s *Store) Load(ctx context.Context, now time.Time, hosts []storage.HostLimit) ([]storage.HostJobs, error) {
	all := make([]storage.HostJobs, len(hosts))
	err := parallel(len(hosts), func(i int) error {
		h := hosts[i]
		all[i].Host = h.Host
		d, v, err := s.refresh(ctx, hostKey(h.Host), now, h.Limit+1, h.Limit+1, false)
		if err != nil || d == nil {
			return err
		}
		// Jobs with the same start of wait are in order of enlisting, which InOrder keeps.
		waiting := v.all()
		slices.SortStableFunc(waiting, func(a, b waitingJob) int { return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.seq, b.seq)) })
		jobs := make([]storage.Waiting, len(waiting))
		for k := range waiting {
			jobs[k] = waiting[k].Waiting
		}
		all[i].Jobs, all[i].More = storage.InOrder(h.Limit, jobs)
		all[i].Clock = d.Clock.UTC()
		return s.readStates(ctx, all[i].Jobs)
	})
	if err != nil {
		return nil, errorf("mongo: load jobs: %w", s.advise(err))
	}
	return all, nil
}

// readStates reads the states of jobs whose State is set.
func (s *Store) readStates(ctx context.Context, jobs []storage.LoadedJob) error {
	at := map[string]int{}
	var ids []string
	for i := range jobs {
		if jobs[i].State != nil {
			id := urlID(jobs[i].URL)
			at[id], ids = i, append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	cur, err := s.urls.Find(ctx, byIDs(ids),
		options.Find().SetProjection(bson.D{{Key: "terms", Value: 0}, {Key: "recent", Value: 0}, {Key: "latest", Value: 0}}))
	if err != nil {
		return err
	}
	defer cur.Close(ctx)
	for cur.Next(ctx) {
		var d urlDoc
		if err := cur.Decode(&d); err != nil {
			return err
		}
		j := &jobs[at[d.ID]]
		st, err := d.state()
		if err == nil && st.URL != j.URL {
			err = plat.ErrCorrupt
		}
		switch j.State = &st; {
		case errors.Is(err, plat.ErrCorrupt), errors.Is(err, plat.ErrNewer): // its visit will report that
			j.State = nil
		case err != nil:
			return err
		}
	}
	return cur.Err()
}

// Counts returns the numbers of jobs, from the documents of hosts. Concurrent writes may be
// counted in part.
func (s *Store) Counts(ctx context.Context, now time.Time) (c storage.JobCounts, err error) {
	var jobs int64
	// FerretDB 1.24 computes one sum at a time.
	for field, n := range map[string]*int64{"jobs": &jobs, "backlog": &c.Backlog, "dead": &c.Dead} {
		if err == nil {
			*n, err = s.sum(ctx, field)
		}
	}
	if err == nil {
		c.Hosts, err = s.hosts.CountDocuments(ctx, bson.D{{Key: "jobs", Value: bson.D{{Key: "$gt", Value: 0}}}})
	}
	if err == nil {
		c.Due, err = s.urls.CountDocuments(ctx, bson.D{{Key: "at", Value: bson.D{{Key: "$gte", Value: ever}, {Key: "$lte", Value: now}}}}, options.Count().SetLimit(storage.MaxDue))
	}
	if err != nil {
		return storage.JobCounts{}, errorf("mongo: count jobs: %w", s.advise(err))
	}
	c.Later = max(0, jobs-c.Backlog-c.Due)
	return c, nil
}

// sum adds up a field of all hosts.
func (s *Store) sum(ctx context.Context, field string) (int64, error) {
	cur, err := s.hosts.Aggregate(ctx, bson.A{bson.D{{Key: "$group", Value: bson.D{{Key: "_id", Value: nil}, {Key: "n", Value: bson.D{{Key: "$sum", Value: "$" + field}}}}}}})
	var got []struct {
		N number `bson:"n"`
	}
	if err == nil {
		err = cur.All(ctx, &got)
	}
	if err != nil || len(got) == 0 {
		return 0, err
	}
	return int64(got[0].N), nil
}

// HostCounts returns the numbers of jobs of hosts.
func (s *Store) HostCounts(ctx context.Context, limit int) ([]storage.HostCount, error) {
	some := bson.D{{Key: "$gt", Value: 0}}
	got, err := findAll[hostDoc](ctx, s.hosts, bson.D{{Key: "$or", Value: bson.A{bson.D{{Key: "jobs", Value: some}}, bson.D{{Key: "dead", Value: some}}}}},
		options.Find().SetSort(bson.D{{Key: "jobs", Value: -1}, {Key: "dead", Value: -1}, {Key: "_id", Value: 1}}).SetLimit(int64(limit)))
	if err != nil {
		return nil, errorf("mongo: count jobs: %w", s.advise(err))
	}
	all := make([]storage.HostCount, len(got))
	for i, d := range got {
		all[i] = storage.HostCount{Host: string(d.Host), Backlog: d.Backlog, Timed: d.Jobs - d.Backlog, Dead: d.Dead, Clock: d.Clock.UTC()}
	}
	return all, nil
}

// Dead yields the dead URLs.
func (s *Store) Dead(ctx context.Context) iter.Seq2[storage.DeadURL, error] {
	return func(yield func(storage.DeadURL, error) bool) {
		before := never
		seen := map[string]bool{} // URLs that died at the same time
		for {
			limit := page + len(seen)
			got, err := findAll[urlDoc](ctx, s.urls, bson.D{{Key: "died", Value: bson.D{{Key: "$gte", Value: ever}, {Key: "$lte", Value: before}}}},
				options.Find().SetSort(bson.D{{Key: "died", Value: -1}}).SetLimit(int64(limit)).SetBatchSize(int32(limit)).SetProjection(
					bson.D{{Key: "url", Value: 1}, {Key: "died", Value: 1}, {Key: "outcome", Value: 1}, {Key: "attempts", Value: 1}, {Key: "last", Value: 1}, {Key: "latest", Value: 1}}))
			for i := 0; err == nil && i < len(got); i++ {
				d := &got[i]
				if seen[d.ID] {
					continue
				}
				if !d.Died.Equal(before) {
					clear(seen)
					before = d.Died
				}
				seen[d.ID] = true
				x := storage.DeadURL{URL: string(d.URL), Outcome: plat.Outcome(d.Outcome), Attempts: d.Attempts, Time: d.Died.UTC()}
				if x.Error, err = s.lastError(ctx, d); err == nil && !yield(x, nil) {
					return
				}
			}
			if err != nil {
				yield(storage.DeadURL{}, errorf("mongo: dead URLs: %w", err))
				return
			}
			if len(got) < limit {
				return
			}
		}
	}
}

// lastError returns the error of a URL's last visit.
func (s *Store) lastError(ctx context.Context, d *urlDoc) (string, error) {
	if d.Latest != nil && !d.Latest.Time.Before(d.Last) {
		return string(d.Latest.Error), nil
	}
	for v, err := range s.Visits(ctx, string(d.URL), 1) {
		return v.Error, err
	}
	return "", nil
}

// noteDoc is a document of notes.
type noteDoc struct {
	ID   string `bson:"_id"` // name of the note
	Text text   `bson:"text"`
}

// Notes returns the notes whose names begin with prefix.
func (s *Store) Notes(ctx context.Context, prefix string) (map[string]string, error) {
	all := map[string]string{}
	got, err := findAll[noteDoc](ctx, s.notes, prefixed("_id", prefix))
	if err != nil {
		return nil, errorf("mongo: notes: %w", s.advise(err))
	}
	for _, n := range got {
		if n.ID == formatNote {
			continue
		}
		all[n.ID] = string(n.Text)
	}
	return all, nil
}

// SetNote writes a note.
func (s *Store) SetNote(ctx context.Context, name, value string) error {
	var err error
	if value == "" {
		_, err = s.deleteOne(ctx, s.notes, byID(name))
	} else {
		err = s.upsert(ctx, s.notes, name, noteDoc{ID: name, Text: text(value)})
	}
	if err != nil {
		return errorf("mongo: note %q: %w", name, s.advise(err))
	}
	return nil
}

// ReplaceNote writes a note if its text is old, or if old is empty and there is none.
func (s *Store) ReplaceNote(ctx context.Context, name, old, value string) (bool, error) {
	n, tries := int64(0), 0
	err := s.survive(ctx, func() error {
		tries++
		if old == "" {
			_, err := s.notes.InsertOne(ctx, noteDoc{ID: name, Text: text(value)})
			if n = 1; mongo.IsDuplicateKeyError(err) {
				n, err = 0, nil
			}
			return err
		}
		r, err := s.notes.UpdateOne(ctx, bson.D{{Key: "_id", Value: name}, {Key: "text", Value: text(old)}}, bson.D{{Key: "$set", Value: bson.D{{Key: "text", Value: text(value)}}}})
		if err == nil {
			n = r.MatchedCount
		}
		return err
	})
	if err == nil && n == 0 && tries > 1 { // perhaps by the interrupted write
		n, err = s.notes.CountDocuments(ctx, bson.D{{Key: "_id", Value: name}, {Key: "text", Value: text(value)}})
	}
	if err != nil {
		return false, errorf("mongo: note %q: %w", name, s.advise(err))
	}
	return n > 0, nil
}
