package mongo

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"plat/plat"
	"plat/storage"
)

// crawlDoc is a document of crawls. Every write of it is a compare-and-swap on its revision.
type crawlDoc struct {
	ID  string `bson:"_id"`
	Rev int    `bson:"rev"` // plat.Crawl.Revision; -1: removed
	// Gone is set first when a crawl is removed, and the document is removed last. Until then,
	// all remaining data of the crawl is to be removed too.
	Gone bool `bson:"gone,omitempty"`

	Name    string          `bson:"name,omitempty"`
	Topic   string          `bson:"topic,omitempty"`
	Seeds   []string        `bson:"seeds,omitempty"`
	Order   string          `bson:"order,omitempty"`
	Pages   int             `bson:"pages,omitempty"`
	PerHost int             `bson:"per_host,omitempty"`
	Least   float64         `bson:"least,omitempty"`
	Keep    bool            `bson:"keep,omitempty"`
	Near    string          `bson:"near,omitempty"`
	Scope   string          `bson:"scope,omitempty"`
	Revisit bson.D          `bson:"revisit,omitempty"` // JSON of plat.Schedule, as a document
	Labels  []crawlLabelDoc `bson:"labels,omitempty"`
	State   string          `bson:"state"`
	Reason  string          `bson:"reason,omitempty"`
	Made    time.Time       `bson:"made,omitempty"`
	Resumed int             `bson:"resumed,omitempty"`
}

type crawlLabelDoc struct {
	URL     string    `bson:"url"`
	Belongs bool      `bson:"belongs,omitempty"`
	Time    time.Time `bson:"time,omitempty"`
}

// crawlPageDoc is a document of crawl_pages. Its _id is derived from the URL, and the index of
// N is unique, so both are requested only once. Each page is written atomically.
type crawlPageDoc struct {
	ID    string    `bson:"_id"` // see crawlPageID
	Rev   int       `bson:"rev"` // grows by one with every write
	Crawl string    `bson:"crawl"`
	N     int       `bson:"n"`
	URL   string    `bson:"url"`
	Score float64   `bson:"score,omitempty"`
	From  string    `bson:"from,omitempty"`
	Asked time.Time `bson:"asked,omitempty"`

	Visited   time.Time `bson:"visited,omitempty"` // absent: no answer yet
	Outcome   string    `bson:"outcome,omitempty"`
	Relevance float64   `bson:"relevance,omitempty"`
	Version   int       `bson:"version,omitempty"`
	Title     string    `bson:"title,omitempty"`
	Reading   []byte    `bson:"reading,omitempty"`
}

// crawlReportDoc is a document of crawl_reports.
type crawlReportDoc struct {
	ID   string `bson:"_id"` // of the crawl
	Data []byte `bson:"data"`
}

func crawlPageID(crawl, url string) string { return crawl + ":" + urlID(url) }

// crawlDocOf converts a crawl to a document with the next revision.
func crawlDocOf(c *plat.Crawl) (*crawlDoc, error) {
	d := &crawlDoc{ID: c.ID, Rev: c.Revision + 1, Name: c.Name, Topic: c.Topic, Seeds: c.Seeds, Order: c.Order, Pages: c.Pages, PerHost: c.PerHost, Least: c.Least, Keep: c.Keep, Near: c.Near, Scope: c.Scope,
		State: string(c.State), Reason: c.Reason, Made: orZero(c.Made), Resumed: c.Resumed}
	for _, l := range c.Labels {
		d.Labels = append(d.Labels, crawlLabelDoc{l.URL, l.Belongs, orZero(l.Time)})
	}
	if c.Revisit == (plat.Schedule{}) {
		return d, nil
	}
	text, err := json.Marshal(c.Revisit)
	if err != nil {
		return nil, err
	}
	return d, bson.UnmarshalExtJSON(text, false, &d.Revisit)
}

// crawl converts the document.
func (d *crawlDoc) crawl() (*plat.Crawl, error) {
	c := &plat.Crawl{ID: d.ID, Name: d.Name, Topic: d.Topic, Seeds: d.Seeds, Order: d.Order, Pages: d.Pages, PerHost: d.PerHost, Least: d.Least, Keep: d.Keep, Near: d.Near, Scope: d.Scope,
		State: plat.CrawlState(d.State), Reason: d.Reason, Made: orZero(d.Made), Resumed: d.Resumed, Revision: d.Rev}
	for _, l := range d.Labels {
		c.Labels = append(c.Labels, plat.CrawlLabel{URL: l.URL, Belongs: l.Belongs, Time: orZero(l.Time)})
	}
	if len(d.Revisit) == 0 {
		return c, nil
	}
	text, err := bson.MarshalExtJSON(d.Revisit, false, false)
	if err == nil {
		err = json.Unmarshal(text, &c.Revisit)
	}
	if err != nil {
		return nil, fmt.Errorf("revisit: %w: %w", err, plat.ErrCorrupt)
	}
	return c, nil
}

func (d *crawlPageDoc) page() *plat.CrawlPage {
	return &plat.CrawlPage{Crawl: d.Crawl, N: d.N, URL: d.URL, Score: d.Score, From: d.From, Asked: orZero(d.Asked),
		Visited: orZero(d.Visited), Outcome: plat.Outcome(d.Outcome), Relevance: d.Relevance, Version: d.Version, Title: d.Title, Reading: d.Reading}
}

func byKey(id string) bson.D { return bson.D{{Key: "_id", Value: id}} }

// readCrawl returns the fields of a crawl's document that projection selects, or nil if it does
// not exist.
func (s *Store) readCrawl(ctx context.Context, id string, projection bson.D) (*crawlDoc, error) {
	o := options.FindOne()
	if projection != nil {
		o.SetProjection(projection)
	}
	var d crawlDoc
	err := s.crawls.FindOne(ctx, byKey(id), o).Decode(&d)
	if errors.Is(err, mongo.ErrNoDocuments) {
		return nil, nil
	}
	return &d, err
}

// crawlExists returns plat.ErrNotFound if a crawl does not exist or was removed.
func (s *Store) crawlExists(ctx context.Context, id string) error {
	d, err := s.readCrawl(ctx, id, bson.D{{Key: "gone", Value: 1}})
	if err == nil && (d == nil || d.Gone) {
		err = plat.ErrNotFound
	}
	return err
}

// PutCrawl stores a crawl.
func (s *Store) PutCrawl(ctx context.Context, c *plat.Crawl) error {
	err := storage.CheckCrawl(c)
	if err == nil {
		err = s.putCrawl(ctx, c)
	}
	if err != nil {
		return errorf("mongo: put the crawl %q: %w", c.ID, s.advise(err))
	}
	c.Revision++
	return nil
}

func (s *Store) putCrawl(ctx context.Context, c *plat.Crawl) error {
	conflict := fmt.Errorf("it was changed meanwhile: %w", plat.ErrConflict)
	d, err := crawlDocOf(c)
	if err != nil {
		return err
	}
	if c.Revision > 0 {
		r, err := s.crawls.ReplaceOne(ctx, bson.D{{Key: "_id", Value: c.ID}, {Key: "rev", Value: c.Revision}}, d)
		if err == nil && r.MatchedCount == 0 {
			err = conflict
		}
		return err
	}
	for {
		if _, err = s.crawls.InsertOne(ctx, d); !mongo.IsDuplicateKeyError(err) {
			return err
		}
		switch err := s.crawlExists(ctx, c.ID); {
		case err == nil:
			return conflict
		case !errors.Is(err, plat.ErrNotFound):
			return err
		}
		if err := s.removeGoneCrawl(ctx, c.ID); err != nil {
			return err
		}
	}
}

// Crawl returns a crawl.
func (s *Store) Crawl(ctx context.Context, id string) (*plat.Crawl, error) {
	d, err := s.readCrawl(ctx, id, nil)
	if err == nil && (d == nil || d.Gone) {
		err = plat.ErrNotFound
	}
	var c *plat.Crawl
	if err == nil {
		c, err = d.crawl()
	}
	if err != nil {
		return nil, errorf("mongo: crawl %q: %w", id, s.advise(err))
	}
	return c, nil
}

// crawlIDs returns the _id of each crawl that was not removed, in order.
func (s *Store) crawlIDs(ctx context.Context) (ids []string, err error) {
	err = each(ctx, s.crawls, bson.D{{Key: "gone", Value: 1}}, nil, func(d *crawlDoc) error {
		if !d.Gone {
			ids = append(ids, d.ID)
		}
		return nil
	})
	return ids, err
}

// Crawls yields all crawls. They are read one by one, because a crawl may have many labels.
func (s *Store) Crawls(ctx context.Context) iter.Seq2[*plat.Crawl, error] {
	return func(yield func(*plat.Crawl, error) bool) {
		ids, err := s.crawlIDs(ctx)
		if err != nil {
			yield(nil, errorf("mongo: crawls: %w", s.advise(err)))
			return
		}
		for _, id := range ids {
			c, err := s.Crawl(ctx, id)
			if errors.Is(err, plat.ErrNotFound) { // removed in the meantime
				continue
			}
			if !yield(c, err) || err != nil {
				return
			}
		}
	}
}

// RemoveCrawl removes a crawl, its pages and its report.
func (s *Store) RemoveCrawl(ctx context.Context, id string) error {
	d, err := s.readCrawl(ctx, id, bson.D{{Key: "gone", Value: 1}})
	if err == nil && d == nil {
		err = plat.ErrNotFound
	}
	if err == nil && !d.Gone {
		_, err = s.crawls.UpdateOne(ctx, byKey(id), bson.D{{Key: "$set", Value: bson.D{{Key: "gone", Value: true}, {Key: "rev", Value: -1}}}})
	}
	if err == nil {
		err = s.removeGoneCrawl(ctx, id)
	}
	if err != nil {
		return errorf("mongo: remove the crawl %q: %w", id, s.advise(err))
	}
	return nil
}

// removeGoneCrawl removes the remaining data of a removed crawl.
func (s *Store) removeGoneCrawl(ctx context.Context, id string) error {
	if _, err := s.crawlPages.DeleteMany(ctx, bson.D{{Key: "crawl", Value: id}}); err != nil {
		return err
	}
	if _, err := s.crawlReports.DeleteOne(ctx, byKey(id)); err != nil {
		return err
	}
	_, err := s.crawls.DeleteOne(ctx, bson.D{{Key: "_id", Value: id}, {Key: "gone", Value: true}})
	return err
}

// stillExists returns plat.ErrNotFound if a crawl was removed during a write to it, and removes
// the written data.
func (s *Store) stillExists(ctx context.Context, id string) error {
	err := s.crawlExists(ctx, id)
	if errors.Is(err, plat.ErrNotFound) {
		if err := s.removeGoneCrawl(ctx, id); err != nil {
			return err
		}
	}
	return err
}

// PutReport stores the report on a crawl.
func (s *Store) PutReport(ctx context.Context, crawl string, report []byte) error {
	err := storage.CheckCrawlReport(report)
	if err == nil {
		err = s.crawlExists(ctx, crawl)
	}
	if err == nil {
		put := func() error {
			_, err := s.crawlReports.ReplaceOne(ctx, byKey(crawl), crawlReportDoc{crawl, report}, options.Replace().SetUpsert(true))
			return err
		}
		if err = put(); mongo.IsDuplicateKeyError(err) { // concurrent upserts
			err = put()
		}
	}
	if err == nil {
		err = s.stillExists(ctx, crawl)
	}
	if err != nil {
		return errorf("mongo: put the report on the crawl %q: %w", crawl, s.advise(err))
	}
	return nil
}

// Report returns the report on a crawl.
func (s *Store) Report(ctx context.Context, crawl string) ([]byte, error) {
	err := s.crawlExists(ctx, crawl)
	var d crawlReportDoc
	if err == nil {
		err = s.crawlReports.FindOne(ctx, byKey(crawl)).Decode(&d)
	}
	if err != nil && !errors.Is(err, mongo.ErrNoDocuments) && !errors.Is(err, plat.ErrNotFound) {
		return nil, errorf("mongo: report on the crawl %q: %w", crawl, s.advise(err))
	}
	return d.Data, nil
}

// Ask stores the pages that a crawl requests, and returns the new ones.
func (s *Store) Ask(ctx context.Context, pages []plat.CrawlPage) (stored []string, err error) {
	if len(pages) == 0 {
		return nil, nil
	}
	if err = storage.CheckAsked(pages); err == nil {
		stored, err = s.ask(ctx, pages)
	}
	if err != nil {
		return stored, errorf("mongo: ask for pages of the crawl %q: %w", pages[0].Crawl, s.advise(err))
	}
	return stored, nil
}

func (s *Store) ask(ctx context.Context, pages []plat.CrawlPage) (stored []string, err error) {
	crawl := pages[0].Crawl
	if err := s.crawlExists(ctx, crawl); err != nil {
		return nil, err
	}
	for {
		docs, err := s.notAsked(ctx, pages)
		if err != nil || len(docs) == 0 {
			return stored, err
		}
		_, err = s.crawlPages.InsertMany(ctx, docs) // in order, the lowest N first
		done := len(docs)
		if failed, ok := errors.AsType[mongo.BulkWriteException](err); ok && len(failed.WriteErrors) > 0 {
			done = failed.WriteErrors[0].Index
		} else if err != nil {
			return stored, err
		}
		for _, d := range docs[:done] {
			stored = append(stored, d.(*crawlPageDoc).URL)
		}
		switch {
		case err == nil:
			return stored, s.stillExists(ctx, crawl)
		case !mongo.IsDuplicateKeyError(err):
			return stored, err
		}
		// A concurrent process has stored some: the next pass checks whether they are the same.
	}
}

// notAsked returns the pages that are not stored, by N, as documents.
func (s *Store) notAsked(ctx context.Context, pages []plat.CrawlPage) (docs []any, err error) {
	crawl := pages[0].Crawl
	missing := make(map[string]*crawlPageDoc, len(pages))
	byN := make(map[int]string, len(pages))
	for i := range pages {
		p := &pages[i]
		d := &crawlPageDoc{ID: crawlPageID(crawl, p.URL), Rev: 1, Crawl: crawl, N: p.N, URL: p.URL, Score: p.Score, From: p.From, Asked: orZero(p.Asked)}
		missing[d.ID], byN[d.N] = d, d.ID
	}
	order := make([]*crawlPageDoc, 0, len(missing))
	for _, id := range byN {
		order = append(order, missing[id])
	}
	slices.SortFunc(order, func(a, b *crawlPageDoc) int { return cmp.Compare(a.N, b.N) })
	for some := range slices.Chunk(order, 1000) {
		var ids []string
		var ns []int
		for _, d := range some {
			ids, ns = append(ids, d.ID), append(ns, d.N)
		}
		for _, filter := range []bson.D{byIDs(ids), {{Key: "crawl", Value: crawl}, {Key: "n", Value: bson.D{{Key: "$in", Value: ns}}}}} {
			cur, err := s.crawlPages.Find(ctx, filter, options.Find().SetProjection(bson.D{{Key: "n", Value: 1}}))
			var got []crawlPageDoc
			if err == nil {
				err = cur.All(ctx, &got)
			}
			if err != nil {
				return nil, err
			}
			for _, is := range got {
				if byN[is.N] != is.ID {
					return nil, fmt.Errorf("page %d was requested with a different URL: %w", is.N, plat.ErrConflict)
				}
				delete(missing, is.ID)
			}
		}
	}
	for _, d := range order {
		if missing[d.ID] != nil {
			docs = append(docs, d)
		}
	}
	return docs, nil
}

// Answer stores the findings of a visit.
func (s *Store) Answer(ctx context.Context, p *plat.CrawlPage) error {
	err := storage.CheckAnswer(p)
	if err == nil {
		err = s.answer(ctx, p)
	}
	if err != nil {
		return errorf("mongo: answer of %.200q for the crawl %q: %w", p.URL, p.Crawl, s.advise(err))
	}
	return nil
}

func (s *Store) answer(ctx context.Context, p *plat.CrawlPage) error {
	if err := s.crawlExists(ctx, p.Crawl); err != nil {
		return err
	}
	id := crawlPageID(p.Crawl, p.URL)
	for {
		var d crawlPageDoc
		err := s.crawlPages.FindOne(ctx, byKey(id), options.FindOne().SetProjection(withoutReading)).Decode(&d)
		if errors.Is(err, mongo.ErrNoDocuments) {
			return plat.ErrNotFound
		}
		if err != nil || !storage.Supersedes(d.page(), p) {
			return err
		}
		rev := d.Rev
		d.Rev++
		d.Visited, d.Outcome, d.Relevance, d.Version, d.Title, d.Reading = orZero(p.Visited), string(p.Outcome), p.Relevance, p.Version, p.Title, p.Reading
		r, err := s.crawlPages.ReplaceOne(ctx, bson.D{{Key: "_id", Value: id}, {Key: "rev", Value: rev}}, d)
		if err != nil || r.MatchedCount == 1 {
			return err
		}
	}
}

var withoutReading = bson.D{{Key: "reading", Value: 0}}

// maxReadings limits the readings in memory in bytes, not counting the last one.
const maxReadings = 8 << 20

// readCrawlPages returns the pages that a query finds, at most page; more reports whether there
// may be more.
func (s *Store) readCrawlPages(ctx context.Context, filter bson.D, o *options.FindOptionsBuilder) (all []*plat.CrawlPage, more bool, err error) {
	cur, err := s.crawlPages.Find(ctx, filter, o.SetBatchSize(page))
	if err != nil {
		return nil, false, err
	}
	defer cur.Close(context.WithoutCancel(ctx))
	for size := 0; size <= maxReadings; {
		if !cur.Next(ctx) {
			return all, len(all) == page, cur.Err()
		}
		var d crawlPageDoc
		if err := cur.Decode(&d); err != nil {
			return nil, false, fmt.Errorf("document %s of crawl_pages cannot be read (%w): %w", cur.Current.Lookup("_id"), err, plat.ErrCorrupt)
		}
		all = append(all, d.page())
		size += len(d.Reading)
	}
	return all, true, nil
}

// Asked yields the pages that a crawl has requested.
func (s *Store) Asked(ctx context.Context, crawl string, after int, readings bool) iter.Seq2[*plat.CrawlPage, error] {
	return func(yield func(*plat.CrawlPage, error) bool) {
		err := s.crawlExists(ctx, crawl)
		for last, more := after, true; more && err == nil; {
			filter := bson.D{{Key: "crawl", Value: crawl}, {Key: "n", Value: bson.D{{Key: "$gt", Value: last}}}}
			o := options.Find().SetSort(bson.D{{Key: "n", Value: 1}}).SetLimit(page)
			if !readings {
				o.SetProjection(withoutReading)
			}
			var got []*plat.CrawlPage
			got, more, err = s.readCrawlPages(ctx, filter, o)
			for _, p := range got {
				if err == nil && !yield(p, nil) {
					return
				}
				last = p.N
			}
		}
		if err != nil && !errors.Is(err, plat.ErrNotFound) {
			yield(nil, errorf("mongo: pages of the crawl %q: %w", crawl, s.advise(err)))
		}
	}
}

// Answers returns pages with an answer.
func (s *Store) Answers(ctx context.Context, crawl string, urls []string) ([]*plat.CrawlPage, error) {
	all, err := s.answers(ctx, crawl, urls)
	if err != nil && !errors.Is(err, plat.ErrNotFound) {
		return nil, errorf("mongo: answers for the crawl %q: %w", crawl, s.advise(err))
	}
	return all, nil
}

func (s *Store) answers(ctx context.Context, crawl string, urls []string) ([]*plat.CrawlPage, error) {
	if err := s.crawlExists(ctx, crawl); err != nil {
		return nil, err
	}
	ids := make([]string, len(urls))
	for i, url := range urls {
		ids[i] = crawlPageID(crawl, url)
	}
	slices.Sort(ids)
	var all []*plat.CrawlPage
	for some := range slices.Chunk(slices.Compact(ids), page) {
		cur, err := s.crawlPages.Find(ctx, byIDs(some))
		var got []crawlPageDoc
		if err == nil {
			err = cur.All(ctx, &got)
		}
		if err != nil {
			return nil, err
		}
		for i := range got {
			if !got[i].Visited.IsZero() {
				all = append(all, got[i].page())
			}
		}
	}
	slices.SortFunc(all, func(a, b *plat.CrawlPage) int { return cmp.Compare(a.N, b.N) })
	return all, nil
}

// AskedFor returns a page that a crawl has requested.
func (s *Store) AskedFor(ctx context.Context, crawl, url string) (*plat.CrawlPage, error) {
	err := s.crawlExists(ctx, crawl)
	var d crawlPageDoc
	if err == nil {
		err = s.crawlPages.FindOne(ctx, byKey(crawlPageID(crawl, url))).Decode(&d)
	}
	if err != nil {
		return nil, notFound(s.advise(err), "page %.200q of the crawl %q", url, crawl)
	}
	return d.page(), nil
}
