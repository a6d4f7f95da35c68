package mongo

import (
	"cmp"
	"context"
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

// crawlPageDoc is a document of crawl_pages. Its _id is derived from the URL, and the index of
// N is unique, so both are requested only once. Each page is written atomically.
type crawlPageDoc struct {
	ID    string    `bson:"_id"` // see crawlPageID
	Rev   int64     `bson:"rev"` // see nextRev
	Crawl string    `bson:"crawl"`
	N     int       `bson:"n"`
	URL   string    `bson:"url"`
	Score float64   `bson:"score,omitempty"`
	From  string    `bson:"from,omitempty"`
	Asked time.Time `bson:"asked,omitempty"`
	Claim string    `bson:"claim,omitempty"` // names the call of Ask that has stored it

	Visited   time.Time `bson:"visited,omitempty"` // absent: no answer yet
	Outcome   string    `bson:"outcome,omitempty"`
	Relevance float64   `bson:"relevance,omitempty"`
	Version   int       `bson:"version,omitempty"`
	Title     string    `bson:"title,omitempty"`
	Reading   []byte    `bson:"reading,omitempty"`
}

func crawlPageID(crawl, url string) string { return crawl + ":" + urlID(url) }

func (d *crawlPageDoc) page() *plat.CrawlPage {
	return &plat.CrawlPage{Crawl: d.Crawl, N: d.N, URL: d.URL, Score: d.Score, From: d.From, Asked: orZero(d.Asked),
		Visited: orZero(d.Visited), Outcome: plat.Outcome(d.Outcome), Relevance: d.Relevance, Version: d.Version, Title: d.Title, Reading: d.Reading}
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
	claim := plat.NewID()
	for repeats := 0; ; {
		docs, own, err := s.notAsked(ctx, pages, claim)
		if len(own) > 0 {
			stored = own
		}
		if err != nil {
			return stored, err
		}
		if len(docs) == 0 {
			break
		}
		_, err = s.crawlPages.InsertMany(ctx, docs) // in order, the lowest N first
		if interrupted(err) && repeats < s.repeats && ctx.Err() == nil {
			repeats++
			pause(ctx, repeats)
			continue // the next pass finds which of them are stored
		}
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
	if len(stored) == 0 {
		return nil, nil
	}
	return stored, s.stillExists(ctx, crawl)
}

// notAsked returns the pages that are not stored, by N, as documents with a claim, and the URLs of those that are stored with
// this claim, by N.
func (s *Store) notAsked(ctx context.Context, pages []plat.CrawlPage, claim string) (docs []any, own []string, err error) {
	crawl := pages[0].Crawl
	missing := make(map[string]*crawlPageDoc, len(pages))
	byN := make(map[int]string, len(pages))
	for i := range pages {
		p := &pages[i]
		d := &crawlPageDoc{ID: crawlPageID(crawl, p.URL), Rev: nextRev(0), Crawl: crawl, N: p.N, URL: p.URL, Score: p.Score, From: p.From, Asked: orZero(p.Asked), Claim: claim}
		missing[d.ID], byN[d.N] = d, d.ID
	}
	order := make([]*crawlPageDoc, 0, len(missing))
	for _, id := range byN {
		order = append(order, missing[id])
	}
	slices.SortFunc(order, func(a, b *crawlPageDoc) int { return cmp.Compare(a.N, b.N) })
	claimed := map[string]bool{} // by _id
	for some := range slices.Chunk(order, 1000) {
		var ids []string
		var ns []int
		for _, d := range some {
			ids, ns = append(ids, d.ID), append(ns, d.N)
		}
		for _, filter := range []bson.D{byIDs(ids), {{Key: "crawl", Value: crawl}, {Key: "n", Value: bson.D{{Key: "$in", Value: ns}}}}} {
			got, failed := findAll[crawlPageDoc](ctx, s.crawlPages, filter, options.Find().SetProjection(bson.D{{Key: "n", Value: 1}, {Key: "claim", Value: 1}}))
			if failed != nil {
				return nil, nil, failed
			}
			for _, is := range got {
				if byN[is.N] != is.ID {
					err = fmt.Errorf("page %d was requested with a different URL: %w", is.N, plat.ErrConflict)
				}
				claimed[is.ID] = is.Claim == claim
				delete(missing, is.ID)
			}
		}
	}
	for _, d := range order {
		if missing[d.ID] != nil {
			docs = append(docs, d)
		} else if claimed[d.ID] {
			own = append(own, d.URL)
		}
	}
	return docs, own, err
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
		err := s.crawlPages.FindOne(ctx, byID(id), options.FindOne().SetProjection(withoutReading)).Decode(&d)
		if errors.Is(err, mongo.ErrNoDocuments) {
			return plat.ErrNotFound
		}
		if err != nil || !storage.Supersedes(d.page(), p) {
			return err
		}
		rev := d.Rev
		d.Rev = nextRev(rev)
		d.Visited, d.Outcome, d.Relevance, d.Version, d.Title, d.Reading = orZero(p.Visited), string(p.Outcome), p.Relevance, p.Version, p.Title, p.Reading
		done, err := s.replace(ctx, s.crawlPages, id, rev, d)
		if isUnknown(err) {
			continue // the page as it is now decides
		}
		if err != nil || done {
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
		got, err := findAll[crawlPageDoc](ctx, s.crawlPages, byIDs(some))
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
		err = s.crawlPages.FindOne(ctx, byID(crawlPageID(crawl, url))).Decode(&d)
	}
	if err != nil {
		return nil, notFound(s.advise(err), "page %.200q of the crawl %q", url, crawl)
	}
	return d.page(), nil
}
