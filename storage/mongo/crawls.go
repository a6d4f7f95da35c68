package mongo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
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
	Rev int64  `bson:"rev"` // plat.Crawl.Revision; -1: removed
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
	Near    string          `bson:"near,omitempty"` // no effect since related words did not help
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

// crawlReportDoc is a document of crawl_reports.
type crawlReportDoc struct {
	ID   string `bson:"_id"` // of the crawl
	Data []byte `bson:"data"`
}

// crawlDocOf converts a crawl to a document with the next revision.
func crawlDocOf(c *plat.Crawl) (*crawlDoc, error) {
	d := &crawlDoc{ID: c.ID, Rev: nextRev(int64(c.Revision)), Name: c.Name, Topic: c.Topic, Seeds: c.Seeds, Order: c.Order, Pages: c.Pages, PerHost: c.PerHost, Least: c.Least, Keep: c.Keep, Near: c.Near, Scope: c.Scope,
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
		State: plat.CrawlState(d.State), Reason: d.Reason, Made: orZero(d.Made), Resumed: d.Resumed, Revision: int(d.Rev)}
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

// readCrawl returns the fields of a crawl's document that projection selects, or nil if it does
// not exist.
func (s *Store) readCrawl(ctx context.Context, id string, projection bson.D) (*crawlDoc, error) {
	o := options.FindOne()
	if projection != nil {
		o.SetProjection(projection)
	}
	var d crawlDoc
	err := s.crawls.FindOne(ctx, byID(id), o).Decode(&d)
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
	var d *crawlDoc
	if err == nil {
		d, err = crawlDocOf(c)
	}
	if err == nil {
		err = s.putCrawl(ctx, d, int64(c.Revision))
	}
	if err != nil {
		return errorf("mongo: put the crawl %q: %w", c.ID, s.advise(err))
	}
	c.Revision = int(d.Rev)
	return nil
}

// putCrawl stores the document of a crawl if the stored one has the revision was, or, if was is 0, if there is none.
func (s *Store) putCrawl(ctx context.Context, d *crawlDoc, was int64) error {
	conflict := fmt.Errorf("it was changed meanwhile: %w", plat.ErrConflict)
	if was > 0 {
		done, err := s.replace(ctx, s.crawls, d.ID, was, d)
		if err == nil && !done {
			err = conflict
		}
		return err
	}
	for {
		if err := s.insert(ctx, s.crawls, d.ID, d); !mongo.IsDuplicateKeyError(err) || isUnknown(err) {
			return err
		}
		switch err := s.crawlExists(ctx, d.ID); {
		case err == nil:
			return conflict
		case !errors.Is(err, plat.ErrNotFound):
			return err
		}
		if err := s.removeGoneCrawl(ctx, d.ID); err != nil {
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
	gone, err := s.markGone(ctx, s.crawls, id, bson.D{{Key: "$set", Value: bson.D{{Key: "gone", Value: true}, {Key: "rev", Value: -1}}}})
	if err == nil && gone {
		err = s.removeGoneCrawl(ctx, id)
	}
	if err != nil {
		return errorf("mongo: remove the crawl %q: %w", id, s.advise(err))
	}
	return nil
}

// removeGoneCrawl removes the remaining data of a removed crawl.
func (s *Store) removeGoneCrawl(ctx context.Context, id string) error {
	if _, err := s.deleteMany(ctx, s.crawlPages, bson.D{{Key: "crawl", Value: id}}); err != nil {
		return err
	}
	if _, err := s.deleteOne(ctx, s.crawlReports, byID(id)); err != nil {
		return err
	}
	_, err := s.deleteOne(ctx, s.crawls, bson.D{{Key: "_id", Value: id}, {Key: "gone", Value: true}})
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
		err = s.upsert(ctx, s.crawlReports, crawl, crawlReportDoc{crawl, report})
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
		err = s.crawlReports.FindOne(ctx, byID(crawl)).Decode(&d)
	}
	if err != nil && !errors.Is(err, mongo.ErrNoDocuments) && !errors.Is(err, plat.ErrNotFound) {
		return nil, errorf("mongo: report on the crawl %q: %w", crawl, s.advise(err))
	}
	return d.Data, nil
}
