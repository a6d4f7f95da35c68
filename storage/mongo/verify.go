package mongo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"plat/plat"
	"plat/storage"
	"plat/storage/sorted"
)

// checker collects the findings of Verify. It has a page of documents in memory, and the block versions of one
// URL; what is compared over the whole archive is sorted in temporary files.
type checker struct {
	*storage.Checker
	s *Store
}

func (c *checker) unreadable(err error) {
	c.Step(1)
	c.foreign(err)
}

// foreign reports a document that plat has not written.
func (c *checker) foreign(err error) {
	c.Broke("%v; a different application wrote to it: restore it from a backup, or remove it", err)
}

// Verify checks everything. It reads the versions before the contents, so that
// contents of concurrent commits are not reported as missing.
func (s *Store) Verify(ctx context.Context, progress func(done, total int64)) (storage.Report, error) {
	c := &checker{storage.NewChecker(progress), s}
	for _, coll := range []*mongo.Collection{s.urls, s.hosts, s.versions, s.blocks, s.layouts, s.screenshots, s.manifests, s.resources, s.subscriptions, s.crawls, s.crawlPages} {
		n, err := coll.EstimatedDocumentCount(ctx)
		if err != nil {
			return c.Report, errorf("mongo: verify: %w", err)
		}
		c.Expect(n)
	}
	refs := newReferences(ctx)
	defer refs.close()
	err := c.versions(ctx, refs)
	const notRestored = "the version cannot be restored"
	if err == nil {
		err = c.contents(ctx, s.blocks, refs.blocks, &c.Report.Blocks, "block", notRestored)
	}
	if err == nil {
		err = c.contents(ctx, s.layouts, refs.layouts, &c.Report.Layouts, "layout", notRestored)
	}
	if err == nil {
		err = c.checkPictures(ctx, refs.pictures)
	}
	if err == nil {
		err = c.checkManifests(ctx, refs)
	}
	if err == nil {
		err = c.contents(ctx, s.resources, refs.resources, &c.Report.Resources, "resource", "the version is shown without it")
	}
	if err == nil {
		err = c.subscriptions(ctx)
	}
	if err == nil {
		err = c.crawls(ctx)
	}
	if err != nil {
		return c.Report, errorf("mongo: verify: %w", err)
	}
	c.End()
	return c.Report, nil
}

// subscriptions checks that the memories of all pages exist. It does not check counts: after a
// crash, the repeated examination corrects them.
func (c *checker) subscriptions(ctx context.Context) error {
	return each(ctx, c.s.subscriptions, bson.D{{Key: "gone", Value: 1}, {Key: "pages.memory", Value: 1}}, c.unreadable, func(d *subscriptionDoc) error {
		c.Step(1)
		if d.Gone || len(d.memories()) == 0 {
			return nil
		}
		switch _, err := c.s.remembered(ctx, d.ID); {
		case errors.Is(err, plat.ErrCorrupt):
			c.Broke("subscription %s: %v; its news are not sent", d.ID, err)
		case err != nil && !errors.Is(err, plat.ErrNotFound): // removed in the meantime
			return err
		}
		return nil
	})
}

// crawls checks that focused crawls and their pages can be read and found. Pages of a removed
// crawl are unreferenced.
func (c *checker) crawls(ctx context.Context) error {
	pages := map[string]int64{} // by crawl
	err := each(ctx, c.s.crawlPages, withoutReading, c.unreadable, func(d *crawlPageDoc) error {
		c.Step(1)
		pages[d.Crawl]++
		if d.ID != crawlPageID(d.Crawl, d.URL) {
			c.Broke("the document %s of crawl_pages is for %s of the crawl %s, which has a different _id; it cannot be found", d.ID, d.URL, d.Crawl)
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = each(ctx, c.s.crawls, nil, c.unreadable, func(d *crawlDoc) error {
		c.Step(1)
		if d.Gone {
			return nil
		}
		delete(pages, d.ID)
		if _, err := d.crawl(); err != nil {
			c.Broke("crawl %s: %v; it cannot be shown or continued", d.ID, err)
		}
		return nil
	})
	for _, n := range pages {
		c.Report.Unreferenced += n
	}
	return err
}

// references are the ids to which versions refer, with their referrers.
type references struct {
	blocks, layouts, pictures, manifests, resources *sorted.Set
}

func newReferences(ctx context.Context) *references {
	return &references{sorted.New(ctx), sorted.New(ctx), sorted.New(ctx), sorted.New(ctx), sorted.New(ctx)}
}

func (r *references) close() {
	for _, s := range []*sorted.Set{r.blocks, r.layouts, r.pictures, r.manifests, r.resources} {
		s.Close()
	}
}

// each calls f for every document of a collection, sorted by _id. A document that
// cannot be decoded ends it or, if bad is not nil, is passed to bad as an error.
func each[T any](ctx context.Context, coll *mongo.Collection, projection bson.D, bad func(error), f func(*T) error) error {
	for raw, err := range raws(ctx, coll, projection) {
		if err != nil {
			return err
		}
		var d T
		if err := bson.Unmarshal(raw, &d); err != nil {
			if err = undecodable(coll, raw, err); bad == nil {
				return err
			}
			bad(err)
			continue
		}
		if err := f(&d); err != nil {
			return err
		}
	}
	return nil
}

// raws yields the documents of a collection, sorted by _id. Each is valid until the next.
func raws(ctx context.Context, coll *mongo.Collection, projection bson.D) iter.Seq2[bson.Raw, error] {
	return func(yield func(bson.Raw, error) bool) {
		opts := options.Find().SetSort(bson.D{{Key: "_id", Value: 1}}).SetBatchSize(64)
		if projection != nil {
			opts.SetProjection(projection)
		}
		cur, err := coll.Find(ctx, bson.D{}, opts)
		if err != nil {
			yield(nil, err)
			return
		}
		defer cur.Close(context.WithoutCancel(ctx))
		for cur.Next(ctx) {
			if !yield(cur.Current, nil) {
				return
			}
		}
		if err := cur.Err(); err != nil {
			yield(nil, err)
		}
	}
}

// versionWalk reads versions beside urls: the _id of a version begins with that of its URL.
type versionWalk struct {
	next func() (bson.Raw, error, bool)
	stop func()
	raw  bson.Raw
	err  error
	more bool
}

func (s *Store) walkVersions(ctx context.Context, projection bson.D) *versionWalk {
	w := &versionWalk{}
	w.next, w.stop = iter.Pull2(raws(ctx, s.versions, projection))
	w.raw, w.err, w.more = w.next()
	return w
}

// until passes the versions before an _id, or all for "".
func (w *versionWalk) until(end string, f func(bson.Raw) error) error {
	for ; w.more && w.err == nil; w.raw, w.err, w.more = w.next() {
		if id, _ := w.raw.Lookup("_id").StringValueOK(); end != "" && id >= end {
			break
		}
		if err := f(w.raw); err != nil {
			return err
		}
	}
	return w.err
}

// versions checks every URL with its visits, versions and block versions, and adds what they refer to.
func (c *checker) versions(ctx context.Context, refs *references) error {
	jobs := sorted.New(ctx)
	defer jobs.Close()
	all := c.s.walkVersions(ctx, withoutVisit)
	defer all.stop()
	until := func(end string, f func(bson.Raw) error) error {
		return all.until(end, func(raw bson.Raw) error {
			c.Step(1)
			return f(raw)
		})
	}
	unknown := func(bson.Raw) error { c.Report.Unreferenced++; return nil } // of a commit in progress, or an interrupted one
	err := each(ctx, c.s.urls, nil, c.unreadable, func(u *urlDoc) error {
		c.job(u, jobs)
		c.Step(1)
		c.Report.URLs++
		if u.ID != urlID(string(u.URL)) {
			c.Broke("the document %s of urls is for %s, which has a different _id; it cannot be found", u.ID, u.URL)
		}
		if err := until(u.ID+":", unknown); err != nil {
			return err
		}
		of := newVersionChecker(c, u, refs)
		if err := until(u.ID+";", func(raw bson.Raw) error { return of.version(ctx, raw) }); err != nil {
			return err
		}
		if err := of.end(ctx); err != nil {
			return err
		}
		return c.visits(ctx, u)
	})
	if err == nil {
		err = until("", unknown)
	}
	if err == nil {
		err = c.hosts(ctx, jobs)
	}
	return err
}

// What a URL adds to its host, as values of a sorted set: by _id of the host.
const jobWaits, jobIsTimed, urlIsDead, urlIsVisited = "b", "t", "x", "v"

// job checks the place of a URL in the list of its host, and adds what it adds to the host.
func (c *checker) job(u *urlDoc, jobs *sorted.Set) {
	want := *u
	var st plat.URLState
	u.jobInto(&st)
	want.setJob(&st, 0)
	if u.Todo != want.Todo || !u.At.Equal(want.At) {
		c.Broke("the job of %s is listed as %q, at %v, and should be as %q, at %v; it is visited too late, or never", u.URL, u.Todo, u.At, want.Todo, want.At)
	}
	host := hostKey(string(u.Host))
	if x := sumsOf(u); x.URLs > 0 {
		jobs.Add(host, fmt.Sprintf("%s %s %d %d %d %d %d %d", urlIsVisited, u.ID, x.Visits, x.Versions, x.PageBytes, x.StoredBytes, x.PictureBytes, x.ResourceBytes))
	}
	list, start := jobIsTimed, storage.Timed(&st)
	switch {
	case !st.Dead.IsZero():
		list, start = urlIsDead, st.Dead
	case st.Due.IsZero():
		return
	case start.IsZero():
		list, start = jobWaits, st.Due
	}
	jobs.Add(host, fmt.Sprintf("%s %d %s", list, start.UnixMilli(), u.ID))
}

// countJob adds a value of the sorted set to the expected row of its host.
func (d *hostDoc) countJob(value string) {
	if x := (sums{URLs: 1}); strings.HasPrefix(value, urlIsVisited) {
		var id string
		_, _ = fmt.Sscanf(value[1:], "%s %d %d %d %d %d %d", &id, &x.Visits, &x.Versions, &x.PageBytes, &x.StoredBytes, &x.PictureBytes, &x.ResourceBytes)
		d.Sums = d.Sums.plus(x, 1)
		return
	}
	list, rest, _ := strings.Cut(value, " ")
	text, _, _ := strings.Cut(rest, " ")
	ms, _ := strconv.ParseInt(text, 10, 64)
	switch list {
	case urlIsDead:
		d.Dead++
		return
	case jobWaits:
		d.Backlog++
	}
	d.Jobs++
	if start := time.UnixMilli(ms).UTC(); d.Next.IsZero() || start.Before(d.Next) {
		d.Next = start
	}
}

// hosts checks that hosts with jobs will be visited, and checks their counts. It skips hosts
// with active writers. Hosts with incomplete counts after a crash are marked, and counted again
// when their jobs are loaded.
func (c *checker) hosts(ctx context.Context, jobs *sorted.Set) error {
	var suspect []string
	unknown := func(id, _ string) { suspect = append(suspect, id) }
	all := jobs.Read()
	defer all.Close()
	err := each(ctx, c.s.hosts, nil, c.unreadable, func(d *hostDoc) error {
		c.Step(1)
		var want hostDoc
		_, err := all.To(d.ID, unknown, func(_, value string) { want.countJob(value) })
		if fault(d, &want) != "" {
			suspect = append(suspect, d.ID)
		}
		return err
	})
	if err == nil {
		err = all.End(unknown)
	}
	if err != nil {
		return err
	}
	// The URLs of a suspect host may have changed since they were read.
	for _, id := range slices.Sorted(slices.Values(suspect)) {
		for try := 0; ; try++ {
			d, err := c.s.readHost(ctx, id)
			if err != nil {
				return err
			}
			if d == nil {
				d = &hostDoc{}
			}
			want, err := c.s.hostJobs(ctx, id, cmp.Or(string(d.Host), id))
			if err != nil {
				return err
			}
			now, err := c.s.readHost(ctx, id)
			if err != nil {
				return err
			}
			if now != nil && now.Rev != d.Rev && try < maxRefresh {
				continue
			}
			if what := fault(d, want); what != "" && (now == nil || now.Rev == d.Rev) {
				c.Broke("the host %s %s", id, what)
			}
			break
		}
	}
	return nil
}

// hostJobs computes the expected row of a host.
func (s *Store) hostJobs(ctx context.Context, id, host string) (*hostDoc, error) {
	counts, err := s.count(ctx, id, host)
	if err != nil {
		return nil, err
	}
	b, err := bson.Marshal(counts)
	d := &hostDoc{}
	if err == nil {
		err = bson.Unmarshal(b, d)
	}
	if err != nil {
		return nil, err
	}
	v, err := s.view(ctx, id, never, 1, 1)
	for _, w := range v.all() {
		if d.Next.IsZero() || w.Since.Before(d.Next) {
			d.Next = w.Since
		}
	}
	return d, err
}

// wakeIt is the advice for having a host's row rewritten.
const wakeIt = "set next: ISODate(0) in its document of hosts, and plat corrects it"

// fault compares the row of a host with the expected one. For the backlog, the most urgent job
// represents all: if it is visited in time, the rest are read then.
func fault(d, want *hostDoc) string {
	switch {
	case want.Jobs > 0 && d.Order == "" && d.Next.IsZero():
		return "has jobs, and is neither ready nor to be woken; they are never visited; " + wakeIt
	case len(d.Writers) > 0, d.Recount:
		return ""
	case want.Jobs > 0 && d.Order == "" && d.Next.After(want.Next):
		return fmt.Sprintf("has a job for %v, and is woken at %v only; "+wakeIt, want.Next, d.Next)
	case d.Jobs != want.Jobs || d.Backlog != want.Backlog || d.Dead != want.Dead:
		return fmt.Sprintf("counts %d jobs, %d of them in the backlog, and %d dead URLs, but has %d, %d and %d; set recount: true in its document of hosts, and they are counted when its jobs are next loaded",
			d.Jobs, d.Backlog, d.Dead, want.Jobs, want.Backlog, want.Dead)
	case d.Sums != want.Sums:
		return fmt.Sprintf("sums up its visited URLs as %+v, and they are %+v; statistics are wrong: run plat reindex", d.Sums, want.Sums)
	}
	return ""
}
