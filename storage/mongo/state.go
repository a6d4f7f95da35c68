package mongo

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"plat/plat"
	"plat/storage"
)

// page is the number of documents that a sequence reads at a time. Between two pages it holds
// no cursor, so the loop's body may be slow.
const page = 256

// findAll reads the documents that match a filter.
func findAll[T any](ctx context.Context, c *mongo.Collection, filter bson.D, how ...options.Lister[options.FindOptions]) (got []T, err error) {
	cur, err := c.Find(ctx, filter, how...)
	if err == nil {
		err = cur.All(ctx, &got)
	}
	return got, err
}

// findIDs returns the _ids of the documents that match a filter: all, or, with a limit, the lowest ones in order.
func findIDs(ctx context.Context, c *mongo.Collection, filter bson.D, limit int64) ([]string, error) {
	how := options.Find().SetProjection(bson.D{{Key: "_id", Value: 1}})
	if limit > 0 {
		how.SetSort(bson.D{{Key: "_id", Value: 1}}).SetLimit(limit)
	}
	got, err := findAll[struct {
		ID string `bson:"_id"`
	}](ctx, c, filter, how)
	ids := make([]string, len(got))
	for i := range got {
		ids[i] = got[i].ID
	}
	return ids, err
}

// byID returns the filter for a document.
func byID(id string) bson.D { return bson.D{{Key: "_id", Value: id}} }

// byIDs returns the filter for some documents.
func byIDs(ids []string) bson.D {
	return bson.D{{Key: "_id", Value: bson.D{{Key: "$in", Value: ids}}}}
}

// readURL returns the document of a URL, or nil.
func (s *Store) readURL(ctx context.Context, url string) (*urlDoc, error) {
	var d urlDoc
	err := s.urls.FindOne(ctx, byID(urlID(url))).Decode(&d)
	switch {
	case errors.Is(err, mongo.ErrNoDocuments):
		return nil, nil
	case err != nil:
		return nil, err
	case string(d.URL) != url:
		return nil, fmt.Errorf("%s has the _id of %s: %w", d.URL, url, plat.ErrCorrupt)
	}
	return &d, nil
}

// maxRecent is the number of counted visits in a URL's document. A visit is counted before its
// document is written; if the writer crashes in between, a repeated Record within that many
// visits does not count it twice.
const maxRecent = 8

// counted reports whether a visit is among the recently counted ones.
func (d *urlDoc) counted(v *visitDoc) bool { return slices.ContainsFunc(d.Recent, v.Time.Equal) }

// takes reports whether v has no job, or an unsettled one.
func (d *urlDoc) takes(v *visitDoc) bool {
	return storage.Takes(&plat.URLState{Settled: d.Settled}, &plat.Visit{Settles: v.Settles})
}

// settle settles the job of v, if it has one.
func (d *urlDoc) settle(v *visitDoc) {
	var st plat.URLState
	d.jobInto(&st)
	storage.Settle(&st, &plat.Visit{Time: v.Time, Outcome: plat.Outcome(v.Outcome), Settles: v.Settles, Next: v.Next, Unkept: v.unkept})
	d.setJob(&st, time.Now().UnixMicro())
}

// remember stores v's Memory, if it is not empty.
func (d *urlDoc) remember(v *visitDoc) {
	if v.memory != "" {
		d.Memory = []byte(v.memory)
	}
}

// count adds a visit to the state, unless it was counted already.
func (d *urlDoc) count(v *visitDoc, pageBytes int64) {
	if d.counted(v) {
		return
	}
	if len(d.Recent) >= maxRecent {
		d.Recent = d.Recent[len(d.Recent)-maxRecent+1:]
	}
	d.Recent = append(d.Recent, v.Time)
	d.remember(v)
	d.Latest = v
	st := plat.URLState{First: d.First, Last: d.Last, Status: d.Status, Outcome: plat.Outcome(d.Outcome), Visits: d.Visits, PageBytes: d.PageBytes}
	storage.Count(&st, &plat.Visit{Time: v.Time, Status: v.Status, Outcome: plat.Outcome(v.Outcome)}, pageBytes)
	d.First, d.Last, d.Status, d.Outcome, d.Visits, d.PageBytes = st.First, st.Last, st.Status, text(st.Outcome), st.Visits, st.PageBytes
}

// Record stores a visit that found no new version: one compare-and-swap of the URL's
// document counts it and settles its job, then its own document is written.
//
// After a crash between the two writes, the job is settled nevertheless, and the next visit
// writes the missing document from the copy in the URL's document.
func (s *Store) Record(ctx context.Context, v plat.Visit, pageBytes int64) error {
	if v.URL == "" {
		return errors.New("mongo: record: a visit without URL")
	}
	if err := storage.CheckMemory(v.Memory); err != nil {
		return errorf("mongo: record visit of %q: %w", v.URL, err)
	}
	err := s.checkFormat(ctx)
	if err == nil {
		err = s.checkMain(ctx, v.Main)
	}
	if err != nil {
		return errorf("mongo: record visit of %q: %w", v.URL, err)
	}
	d := newVisitDoc(&v)
	if v.Unkept {
		if err := s.recordUnkept(ctx, v.URL, &d); err != nil {
			return errorf("mongo: record visit of %q: %w", v.URL, err)
		}
		return nil
	}
	var counted bool
	var pending *urlDoc // the document, if the head's block versions may be incomplete
	after := s.newWrites()
	err = s.change(ctx, v.URL, d.clock, func(u *urlDoc, _ bool) (bool, error) {
		if counted = u.counted(&d); counted {
			return false, nil
		}
		// A visit after the last one was not recorded before.
		if !d.Time.After(u.Last) {
			is, err := s.recorded(ctx, d.ID)
			if err != nil || is {
				return false, err // it is counted before it is written
			}
		}
		if st := u.numbers(); storage.Outlived(&v, &st) {
			return false, nil
		}
		if !u.takes(&d) {
			return false, errSettled(u)
		}
		counted = true
		u.count(&d, pageBytes)
		u.settle(&d)
		if v.Main != "" && u.Head == 0 {
			u.Main = text(v.Main)
		}
		if pending = nil; u.Pending && u.Head > 0 && u.Unreadable != u.Head {
			pending = u
		}
		return true, nil
	}, after)
	if err == nil && counted {
		after.add(s.visits, d.ID, &d)
	}
	_, failed := after.do(ctx)
	if err = errors.Join(err, failed); err == nil && counted {
		s.written.put(v.URL, d.ID)
	}
	if err == nil && counted && pending != nil {
		err = s.survive(ctx, func() error { return s.completePending(ctx, pending) })
	}
	if err != nil {
		return errorf("mongo: record visit of %q: %w", v.URL, err)
	}
	return nil
}

// completePending completes the block versions of a URL whose document is marked, and removes the mark.
func (s *Store) completePending(ctx context.Context, d *urlDoc) error {
	if d.Attach != nil {
		return s.completeAttach(ctx, string(d.URL))
	}
	u := pendingURL{ID: d.ID, URL: d.URL, Head: d.Head, Forgotten: d.Forgotten, Rev: d.Rev}
	_, err := s.complete(ctx, string(d.URL), func() {})
	switch {
	case errors.Is(err, plat.ErrCorrupt), errors.Is(err, plat.ErrNotFound):
		return s.unreadable(ctx, &u) // Verify tells of it
	case err != nil:
		return err
	}
	u.page = u.Head
	return s.settled(ctx, []pendingURL{u})
}

// recorded reports whether the document of a visit exists.
func (s *Store) recorded(ctx context.Context, id string) (bool, error) {
	err := s.visits.FindOne(ctx, byID(id), options.FindOne().SetProjection(bson.D{{Key: "_id", Value: 1}})).Err()
	if errors.Is(err, mongo.ErrNoDocuments) {
		return false, nil
	}
	return err == nil, err
}

// recordUnkept settles the job of a visit and stores its Memory, and changes nothing
// else.
func (s *Store) recordUnkept(ctx context.Context, url string, d *visitDoc) error {
	return s.changeURL(ctx, url, d.clock, func(u *urlDoc, mine bool) (bool, error) {
		switch {
		case u.takes(d):
		case mine && u.Settled.Equal(d.Settles):
			return false, nil // settled, by this call
		default:
			return false, errSettled(u)
		}
		u.remember(d)
		u.settle(d)
		return true, nil
	})
}

// SwapMemory replaces the memory of a URL if it still equals was, by one compare-and-swap of
// its document.
func (s *Store) SwapMemory(ctx context.Context, url, was, memory string) (swapped bool, err error) {
	if err = storage.CheckMemory(memory); err == nil {
		err = s.changeURL(ctx, url, time.Time{}, func(u *urlDoc, mine bool) (bool, error) {
			if u.Rev == 0 {
				return false, plat.ErrNotFound
			}
			if swapped = mine && string(u.Memory) == memory; swapped {
				return false, nil
			}
			swapped = string(u.Memory) == was
			u.Memory = []byte(memory)
			return swapped && memory != was, nil
		})
	}
	if err != nil {
		return false, errorf("mongo: memory of %q: %w", url, err)
	}
	return swapped, nil
}

// putVisit inserts a visit's document, unless it exists.
func (s *Store) putVisit(ctx context.Context, d *visitDoc) error {
	err := s.survive(ctx, func() error {
		_, err := s.visits.InsertOne(ctx, d)
		return err
	})
	if mongo.IsDuplicateKeyError(err) {
		err = nil
	}
	if err == nil {
		s.written.put(string(d.URL), d.ID)
	}
	return err
}

// State returns the state of a URL.
func (s *Store) State(ctx context.Context, url string) (plat.URLState, error) {
	d, err := s.readURL(ctx, url)
	if err == nil && d == nil {
		err = plat.ErrNotFound
	}
	if err != nil {
		return plat.URLState{}, errorf("mongo: state of %q: %w", url, err)
	}
	st, err := d.state()
	if err != nil {
		return plat.URLState{}, errorf("mongo: %w", err)
	}
	s.states.put(d)
	return st, nil
}

// prefixed returns a filter for texts with a prefix, as a range: from the prefix up to the
// first text after all that begin with it.
func prefixed(field, prefix string) bson.D {
	d := bson.D{{Key: "$gte", Value: prefix}}
	// Increment the last character: order by bytes and by characters is the same in
	// UTF-8. The highest character has no successor; drop it.
	r := []rune(prefix)
	for i := len(r) - 1; i >= 0; i-- {
		if next := r[i] + 1; next <= 0x10ffff {
			if next == 0xd800 {
				next = 0xe000
			}
			d = append(d, bson.E{Key: "$lt", Value: string(append(r[:i:i], next))})
			break
		}
	}
	return bson.D{{Key: field, Value: d}}
}

// States yields the states of all URLs with a prefix.
func (s *Store) States(ctx context.Context, prefix, after string) iter.Seq2[plat.URLState, error] {
	return func(yield func(plat.URLState, error) bool) {
		within := prefixed("url", prefix)
		if after >= prefix && after != "" {
			within = beyond(within, text(after))
		}
		for d, err := range s.urlDocs(ctx, within, bson.D{{Key: "recent", Value: 0}, {Key: "latest", Value: 0}, {Key: "memory", Value: 0}}) {
			if err != nil {
				yield(plat.URLState{}, errorf("mongo: states: %w", err))
				return
			}
			st, err := d.state()
			if err != nil {
				yield(plat.URLState{}, errorf("mongo: states: %w", err))
				return
			}
			if !yield(st, nil) {
				return
			}
		}
	}
}

// beyond narrows a filter of urls to those after url, which is not below the filter's own
// range.
func beyond(filter bson.D, url text) bson.D {
	from := bson.E{Key: "$gt", Value: url}
	if len(filter) == 1 && filter[0].Key == "url" {
		if within, ok := filter[0].Value.(bson.D); ok { // one range, as an index has it
			to := slices.DeleteFunc(slices.Clone(within), func(e bson.E) bool { return e.Key == "$gt" || e.Key == "$gte" })
			return bson.D{{Key: "url", Value: append(bson.D{from}, to...)}}
		}
	}
	return bson.D{{Key: "$and", Value: bson.A{filter, bson.D{{Key: "url", Value: bson.D{from}}}}}}
}

// urlDocs yields documents of urls in order of URL.
func (s *Store) urlDocs(ctx context.Context, filter, projection bson.D) iter.Seq2[*urlDoc, error] {
	return byURL(ctx, s.urls, filter, nil, projection, page, func(d *urlDoc) text { return d.URL })
}

// byURL yields documents in order of URL: those in a range that match a filter. It reads a few first,
// because callers often need no more, and at most most at a time.
func byURL[T any](ctx context.Context, c *mongo.Collection, urls, filter, projection bson.D, most int, urlOf func(*T) text) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		for after, n := urls, most/16; ; n = min(4*n, most) {
			opts := options.Find().SetSort(bson.D{{Key: "url", Value: 1}}).SetLimit(int64(n)).SetBatchSize(int32(n))
			if projection != nil {
				opts.SetProjection(projection)
			}
			got, err := findAll[T](ctx, c, append(slices.Clip(after), filter...), opts)
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range got {
				if !yield(&got[i], nil) {
					return
				}
			}
			if len(got) < n {
				return
			}
			after = beyond(urls, urlOf(&got[len(got)-1]))
		}
	}
}

// Visits yields the visits of url, latest first: the documents of visits, and the one
// in the URL's document, if its writer crashed before it wrote its own.
func (s *Store) Visits(ctx context.Context, url string, limit int) iter.Seq2[plat.Visit, error] {
	return func(yield func(plat.Visit, error) bool) {
		fail := func(err error) { yield(plat.Visit{}, errorf("mongo: visits of %q: %w", url, err)) }
		var latest *visitDoc
		u, err := s.readURL(ctx, url)
		if err != nil {
			fail(err)
			return
		}
		if u != nil {
			latest = u.Latest
		}
		left := limit // 0: all
		give := func(d *visitDoc) bool {
			if !yield(d.visit(), nil) {
				return false
			}
			left--
			return limit == 0 || left > 0
		}
		before := urlID(url) + ";" // ';' is the successor of ':' in ASCII
		for {
			n := page
			if limit > 0 {
				n = min(n, left)
			}
			got, err := findAll[visitDoc](ctx, s.visits, bson.D{{Key: "_id", Value: bson.D{{Key: "$gt", Value: urlID(url) + ":"}, {Key: "$lt", Value: before}}}},
				options.Find().SetSort(bson.D{{Key: "_id", Value: -1}}).SetLimit(int64(n)).SetBatchSize(int32(n)))
			if err != nil {
				fail(err)
				return
			}
			for i := range got {
				if latest != nil && latest.ID >= got[i].ID {
					own := latest.ID == got[i].ID
					if !own && !give(latest) {
						return
					}
					latest = nil
				}
				if !give(&got[i]) {
					return
				}
			}
			if len(got) < n {
				break
			}
			before = got[len(got)-1].ID
		}
		if latest != nil {
			give(latest)
		}
	}
}

// Stats returns one row per visited host, from the documents of hosts.
func (s *Store) Stats(ctx context.Context) ([]storage.SiteStats, error) {
	got, err := findAll[hostDoc](ctx, s.hosts, bson.D{{Key: "visits", Value: bson.D{{Key: "$gt", Value: 0}}}}, options.Find().SetProjection(
		append(bson.D{{Key: "host", Value: 1}}, shown(sums{}.fields())...)))
	if err != nil {
		return nil, errorf("mongo: stats: %w", err)
	}
	out := make([]storage.SiteStats, len(got))
	for i := range got {
		x := &got[i].Sums
		out[i] = storage.SiteStats{Host: string(got[i].Host), URLs: int(x.URLs), Visits: int(x.Visits), Versions: int(x.Versions), PageBytes: x.PageBytes,
			StoredBytes: x.StoredBytes, PictureBytes: x.PictureBytes, ResourceBytes: x.ResourceBytes}
	}
	slices.SortFunc(out, func(a, b storage.SiteStats) int { return strings.Compare(a.Host, b.Host) })
	return out, nil
}

// shown returns the projection to some fields.
func shown(fields bson.D) bson.D {
	for i := range fields {
		fields[i].Value = 1
	}
	return fields
}
