package mongo

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"plat/plat"
	"plat/storage"
)

// checker collects the findings of Verify. In memory it has a map entry for each content,
// layout and picture, and a page of documents.
type checker struct {
	*storage.Checker
	s        *Store
	blocks   map[string]*mark
	layouts  map[string]*mark
	pictures map[string]*mark

	manifests, resources map[string]*mark
}

// mark is the state of a content.
type mark struct {
	base string
	used bool
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
	c := &checker{Checker: storage.NewChecker(progress), s: s, blocks: map[string]*mark{}, layouts: map[string]*mark{}, pictures: map[string]*mark{},
		manifests: map[string]*mark{}, resources: map[string]*mark{}}
	for _, coll := range []*mongo.Collection{s.urls, s.hosts, s.versions, s.blocks, s.layouts, s.screenshots, s.manifests, s.resources, s.subscriptions, s.crawls, s.crawlPages} {
		n, err := coll.EstimatedDocumentCount(ctx)
		if err != nil {
			return c.Report, errorf("mongo: verify: %w", err)
		}
		c.Expect(n)
	}
	refs, err := c.versions(ctx)
	if err == nil {
		err = c.contents(ctx, s.blocks, c.blocks, &c.Report.Blocks, "block")
	}
	if err == nil {
		err = c.contents(ctx, s.layouts, c.layouts, &c.Report.Layouts, "layout")
	}
	if err == nil {
		err = c.checkPictures(ctx)
	}
	if err == nil {
		err = c.checkManifests(ctx, refs)
	}
	if err == nil {
		err = c.contents(ctx, s.resources, c.resources, &c.Report.Resources, "resource")
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
	c.check(refs)
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

// references maps referenced ids to their first referrer.
type references struct {
	blocks, layouts, pictures, manifests, resources map[string]string
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

// versions checks every URL with its visits, versions and block versions. It reads urls and
// versions side by side: the _id of a version begins with that of its URL.
func (c *checker) versions(ctx context.Context) (*references, error) {
	refs := &references{map[string]string{}, map[string]string{}, map[string]string{}, map[string]string{}, map[string]string{}}
	jobs := hostJobs{}
	next, stop := iter.Pull2(raws(ctx, c.s.versions, withoutVisit))
	defer stop()
	raw, err, more := next()
	// until passes the versions before end to f.
	until := func(end string, f func(bson.Raw) error) error {
		for ; more && err == nil; raw, err, more = next() {
			if id, _ := raw.Lookup("_id").StringValueOK(); end != "" && id >= end {
				break
			}
			c.Step(1)
			if err := f(raw); err != nil {
				return err
			}
		}
		return err
	}
	unknown := func(bson.Raw) error { c.Report.Unreferenced++; return nil } // of a commit in progress, or an interrupted one
	if err != nil {
		return nil, err
	}
	failed := each(ctx, c.s.urls, nil, c.unreadable, func(u *urlDoc) error {
		if err := c.job(u, jobs); err != nil {
			return err
		}
		c.Step(1)
		c.Report.URLs++
		if u.ID != urlID(string(u.URL)) {
			c.Broke("the document %s of urls is for %s, which has a different _id; it cannot be found", u.ID, u.URL)
		}
		if err := until(u.ID+":", unknown); err != nil {
			return err
		}
		of := versionChecker{c: c, u: u, refs: refs, want: map[string]*blockVersionDoc{}}
		if err := until(u.ID+";", func(raw bson.Raw) error { return of.version(ctx, raw) }); err != nil {
			return err
		}
		if err := of.end(ctx); err != nil {
			return err
		}
		return c.visits(ctx, u)
	})
	if failed == nil {
		failed = until("", unknown)
	}
	if failed == nil {
		failed = c.hosts(ctx, jobs)
	}
	return refs, failed
}

// hostJobs holds, by _id of a host, the numbers of URLs that have a job, are in the backlog and
// are dead, and the earliest time of a visit.
type hostJobs map[string]*hostDoc

// job checks the place of a URL in the list of its host, and counts it there.
func (c *checker) job(u *urlDoc, hosts hostJobs) error {
	want := *u
	var st plat.URLState
	u.jobInto(&st)
	want.setJob(&st, 0)
	if u.Todo != want.Todo || !u.At.Equal(want.At) {
		c.Broke("the job of %s is listed as %q, at %v, and should be as %q, at %v; it is visited too late, or never", u.URL, u.Todo, u.At, want.Todo, want.At)
	}
	id := hostKey(string(u.Host))
	h := hosts[id]
	if h == nil {
		h = &hostDoc{ID: id}
		hosts[id] = h
	}
	start := storage.Timed(&st)
	switch {
	case !st.Dead.IsZero():
		h.Dead++
		return nil
	case st.Due.IsZero():
		return nil
	case start.IsZero():
		h.Backlog++
		start = st.Due
	}
	h.Jobs++
	if h.Next.IsZero() || start.Before(h.Next) {
		h.Next = start
	}
	return nil
}

// hosts checks that hosts with jobs will be visited, and checks their counts. It skips hosts
// with active writers. Hosts with incomplete counts after a crash are marked, and counted again
// when their jobs are loaded.
func (c *checker) hosts(ctx context.Context, jobs hostJobs) error {
	var suspect []string
	check := func(d *hostDoc) {
		want := jobs[d.ID]
		if want == nil {
			want = &hostDoc{}
		}
		delete(jobs, d.ID)
		if fault(d, want) != "" {
			suspect = append(suspect, d.ID)
		}
	}
	err := each(ctx, c.s.hosts, nil, c.unreadable, func(d *hostDoc) error {
		c.Step(1)
		check(d)
		return nil
	})
	if err != nil {
		return err
	}
	for id, h := range jobs {
		if h.Jobs+h.Dead > 0 {
			suspect = append(suspect, id)
		}
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
			want, err := c.s.hostJobs(ctx, id)
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
func (s *Store) hostJobs(ctx context.Context, id string) (*hostDoc, error) {
	counts, err := s.count(ctx, id)
	if err != nil {
		return nil, err
	}
	d := &hostDoc{}
	for i, n := range []*int64{&d.Jobs, &d.Backlog, &d.Dead} {
		*n = counts[i].Value.(int64)
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
	}
	return ""
}

func (c *checker) visits(ctx context.Context, u *urlDoc) error {
	n := 0
	for _, err := range c.s.Visits(ctx, string(u.URL), 0) {
		if err != nil {
			return err
		}
		n++
	}
	if n != u.Visits {
		// A visit may have been recorded since u was read.
		now, err := c.s.readURL(ctx, string(u.URL))
		if err != nil {
			return err
		}
		if now == nil || now.Rev == u.Rev {
			c.Broke("%s counts %d visits, but %d are stored", u.URL, u.Visits, n)
		}
	}
	return nil
}

// contents decodes every document of blocks or layouts: first those without a base, then those
// that depend on these.
func (c *checker) contents(ctx context.Context, coll *mongo.Collection, marks map[string]*mark, count *int64, what string) error {
	layout := coll == c.s.layouts
	rest := map[string][]string{} // by base
	check := func(docs map[string]*contentDoc, d *contentDoc) {
		d.layout = layout
		if _, err := c.s.content(docs, d.ID); err != nil {
			c.Broke("the %s %.12s is damaged (%v); remove its document from %s, and the next visit that finds it stores it again", what, d.ID, err, coll.Name())
		}
	}
	// Two passes: documents without a base, then, by base, those that depend on them.
	err := each(ctx, coll, nil, c.unreadable, func(d *contentDoc) error {
		c.Step(1)
		*count++
		marks[d.ID] = &mark{base: d.Base}
		if d.Base != "" {
			rest[d.Base] = append(rest[d.Base], d.ID)
			return nil
		}
		if !d.Large.IsZero() {
			docs, err := c.s.documents(ctx, coll, []string{d.ID})
			if err != nil || docs[d.ID] == nil {
				return err
			}
			d = docs[d.ID]
		}
		check(map[string]*contentDoc{d.ID: d}, d)
		return nil
	})
	if err != nil {
		return err
	}
	for base, ids := range rest {
		for len(ids) > 0 {
			n := min(batch, len(ids))
			docs, err := c.s.documents(ctx, coll, append([]string{base}, ids[:n]...))
			if err != nil {
				return err
			}
			for _, id := range ids[:n] {
				if d := docs[id]; d != nil {
					check(docs, d)
				}
			}
			ids = ids[n:]
		}
	}
	return nil
}

func (c *checker) checkPictures(ctx context.Context) error {
	return each(ctx, c.s.screenshots, nil, c.unreadable, func(d *pictureDoc) error {
		c.Step(1)
		c.Report.Pictures++
		c.pictures[d.ID] = &mark{}
		if !d.Large.IsZero() {
			var err error
			if d.Data, err = c.s.readLarge(ctx, d.Large); err != nil && !errors.Is(err, plat.ErrCorrupt) {
				return err
			}
		}
		if plat.HashOf(d.Data).String() != d.ID {
			c.Broke("the picture %.12s does not match its hash; it is lost, but its version is not", d.ID)
		}
		return nil
	})
}

// check compares the existing with the referenced documents.
func (c *checker) check(refs *references) {
	for _, x := range []struct {
		refs  map[string]string
		marks map[string]*mark
		what  string
		lost  string
	}{
		{refs.blocks, c.blocks, "block", "the version cannot be restored"},
		{refs.layouts, c.layouts, "layout", "the version cannot be restored"},
		{refs.pictures, c.pictures, "picture", "the version can be restored"},
		{refs.manifests, c.manifests, "manifest", "the version is shown without its resources"},
		{refs.resources, c.resources, "resource", "the version is shown without it"},
	} {
		for id, who := range x.refs {
			if m := x.marks[id]; m == nil {
				c.Broke("the %s %.12s of %s is missing; %s", x.what, id, who, x.lost)
			} else {
				m.used = true
				if b := x.marks[m.base]; b != nil {
					b.used = true
				}
			}
		}
		for _, m := range x.marks {
			if !m.used {
				c.Report.Unreferenced++
			}
		}
	}
}
