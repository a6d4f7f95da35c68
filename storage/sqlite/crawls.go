package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"plat/plat"
	"plat/storage"
)

// crawlDetails holds the fields of a crawl that queries do not use, as JSON.
type crawlDetails struct {
	Seeds   []string      `json:"seeds,omitempty"`
	Order   string        `json:"order,omitempty"`
	Pages   int           `json:"pages,omitempty"`
	PerHost int           `json:"per_host,omitempty"`
	Least   float64       `json:"least,omitempty"`
	Keep    bool          `json:"keep,omitempty"`
	Near    string        `json:"near,omitempty"` // no effect since related words did not help
	Scope   string        `json:"scope,omitempty"`
	Revisit plat.Schedule `json:"revisit,omitzero"`
	Resumed int           `json:"resumed,omitempty"`
	Labels  []crawlLabel  `json:"labels,omitempty"`
}

type crawlLabel struct {
	URL     string    `json:"url"`
	Belongs bool      `json:"belongs,omitempty"`
	Time    time.Time `json:"time,omitzero"`
}

func detailsOf(c *plat.Crawl) ([]byte, error) {
	d := crawlDetails{c.Seeds, c.Order, c.Pages, c.PerHost, c.Least, c.Keep, c.Near, c.Scope, c.Revisit, c.Resumed, nil}
	for _, l := range c.Labels {
		if !l.Time.IsZero() {
			l.Time = instant(millis(l.Time))
		}
		d.Labels = append(d.Labels, crawlLabel(l))
	}
	return json.Marshal(d)
}

// into puts the details into a crawl.
func (d *crawlDetails) into(c *plat.Crawl) {
	c.Seeds, c.Order, c.Pages, c.PerHost, c.Least, c.Keep, c.Near, c.Scope, c.Revisit, c.Resumed = d.Seeds, d.Order, d.Pages, d.PerHost, d.Least, d.Keep, d.Near, d.Scope, d.Revisit, d.Resumed
	for _, l := range d.Labels {
		c.Labels = append(c.Labels, plat.CrawlLabel(l))
	}
}

// PutCrawl stores a crawl.
func (s *Store) PutCrawl(ctx context.Context, c *plat.Crawl) error {
	err := storage.CheckCrawl(c)
	if err == nil {
		err = s.transact(ctx, func(tx *txn) error { return s.putCrawl(ctx, tx, c) })
	}
	if err != nil {
		return fmt.Errorf("sqlite: put the crawl %q: %w", c.ID, advise(s.path, err))
	}
	c.Revision++
	return nil
}

func (s *Store) putCrawl(ctx context.Context, tx *txn, c *plat.Crawl) error {
	text, err := detailsOf(c)
	if err != nil {
		return err
	}
	if err := s.fault("crawl"); err != nil {
		return err
	}
	query := "UPDATE crawls SET revision = ?2 + 1, title = ?3, topic = ?4, state = ?5, reason = ?6, made = ?7, details = ?8 WHERE name = ?1 AND revision = ?2"
	if c.Revision == 0 {
		query = "INSERT INTO crawls (name, revision, title, topic, state, reason, made, details) VALUES (?1, ?2 + 1, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (name) DO NOTHING"
	}
	res, err := tx.ExecContext(ctx, query, c.ID, c.Revision, c.Name, c.Topic, c.State, c.Reason, orNull(c.Made), string(text))
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 1 {
		return err
	}
	return fmt.Errorf("it was changed meanwhile: %w", plat.ErrConflict)
}

// Crawl returns a crawl.
func (s *Store) Crawl(ctx context.Context, id string) (*plat.Crawl, error) {
	c, err := s.crawl(ctx, id)
	if err != nil {
		return nil, notFound(err, "crawl %q", id)
	}
	return c, nil
}

func (s *Store) crawl(ctx context.Context, id string) (*plat.Crawl, error) {
	if s.format < withCrawls {
		return nil, plat.ErrNotFound
	}
	c := &plat.Crawl{ID: id}
	var made sql.NullInt64
	var text []byte
	err := s.read.QueryRowContext(ctx, "SELECT revision, title, topic, state, reason, made, details FROM crawls WHERE name = ?", id).
		Scan(&c.Revision, &c.Name, &c.Topic, &c.State, &c.Reason, &made, &text)
	if err != nil {
		return nil, err
	}
	c.Made = orZero(made)
	var d crawlDetails
	if err := json.Unmarshal(text, &d); err != nil {
		return nil, fmt.Errorf("%w: %w", err, plat.ErrCorrupt)
	}
	d.into(c)
	return c, nil
}

// Crawls yields all crawls. They are read one by one, because a crawl may have many labels.
func (s *Store) Crawls(ctx context.Context) iter.Seq2[*plat.Crawl, error] {
	return func(yield func(*plat.Crawl, error) bool) {
		if s.format < withCrawls {
			return
		}
		var names []string
		err := rows(ctx, s.read, func(scan func(...any) error) error {
			var name string
			err := scan(&name)
			names = append(names, name)
			return err
		}, "SELECT name FROM crawls ORDER BY name")
		if err != nil {
			yield(nil, fmt.Errorf("sqlite: crawls: %w", advise(s.path, err)))
			return
		}
		for _, name := range names {
			c, err := s.Crawl(ctx, name)
			if errors.Is(err, plat.ErrNotFound) { // removed in the meantime
				continue
			}
			if !yield(c, err) || err != nil {
				return
			}
		}
	}
}

// crawlRow returns the number of a crawl's row, or sql.ErrNoRows.
func crawlRow(ctx context.Context, q querier, name string) (id int64, err error) {
	return id, q.QueryRowContext(ctx, "SELECT id FROM crawls WHERE name = ?", name).Scan(&id)
}

// RemoveCrawl removes a crawl, its pages and its report.
func (s *Store) RemoveCrawl(ctx context.Context, name string) error {
	err := s.transact(ctx, func(tx *txn) error {
		id, err := crawlRow(ctx, tx, name)
		if err != nil {
			return err
		}
		for _, query := range []string{
			"DELETE FROM crawl_readings WHERE page IN (SELECT id FROM crawl_pages WHERE crawl = ?)",
			"DELETE FROM crawl_pages WHERE crawl = ?",
			"DELETE FROM crawl_reports WHERE crawl = ?",
			"DELETE FROM crawls WHERE id = ?",
		} {
			if err := s.fault("remove crawl"); err != nil {
				return err
			}
			if _, err := tx.ExecContext(ctx, query, id); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return notFound(err, "remove the crawl %q", name)
	}
	return nil
}

// PutReport stores the report on a crawl.
func (s *Store) PutReport(ctx context.Context, crawl string, report []byte) error {
	err := storage.CheckCrawlReport(report)
	if err == nil {
		err = s.transact(ctx, func(tx *txn) error {
			id, err := crawlRow(ctx, tx, crawl)
			if err == nil {
				err = s.fault("report")
			}
			if err == nil {
				_, err = tx.ExecContext(ctx, "INSERT OR REPLACE INTO crawl_reports (crawl, data) VALUES (?, ?)", id, report)
			}
			return err
		})
	}
	if err != nil {
		return notFound(err, "put the report on the crawl %q", crawl)
	}
	return nil
}

// Report returns the report on a crawl.
func (s *Store) Report(ctx context.Context, crawl string) (report []byte, err error) {
	if s.format < withCrawls {
		return nil, nil
	}
	err = s.read.QueryRowContext(ctx, "SELECT r.data FROM crawl_reports r JOIN crawls c ON c.id = r.crawl WHERE c.name = ?", crawl).Scan(&report)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return nil, fmt.Errorf("sqlite: report on the crawl %q: %w", crawl, advise(s.path, err))
	}
	return report, nil
}

// Ask stores the pages that a crawl requests, and returns the new ones.
func (s *Store) Ask(ctx context.Context, pages []plat.CrawlPage) (stored []string, err error) {
	if len(pages) == 0 {
		return nil, nil
	}
	if err = storage.CheckAsked(pages); err == nil {
		err = s.transact(ctx, func(tx *txn) (err error) {
			stored, err = s.ask(ctx, tx, pages)
			return err
		})
	}
	if err != nil {
		return nil, notFound(err, "ask for pages of the crawl %q", pages[0].Crawl)
	}
	return stored, nil
}

func (s *Store) ask(ctx context.Context, tx *txn, pages []plat.CrawlPage) (stored []string, err error) {
	crawl, err := crawlRow(ctx, tx, pages[0].Crawl)
	if err != nil {
		return nil, err
	}
	pages = slices.SortedFunc(slices.Values(pages), func(a, b plat.CrawlPage) int { return cmp.Compare(a.N, b.N) })
	for i := range pages {
		p := &pages[i]
		if err := s.fault("ask"); err != nil {
			return nil, err
		}
		res, err := tx.ExecContext(ctx, "INSERT INTO crawl_pages (crawl, n, url, score, source, asked) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
			crawl, p.N, p.URL, p.Score, p.From, orNull(p.Asked))
		if err != nil {
			return nil, err
		}
		n, err := res.RowsAffected()
		if n > 0 {
			stored = append(stored, p.URL)
			continue
		}
		if err == nil {
			err = tx.QueryRowContext(ctx, "SELECT count(*) FROM crawl_pages WHERE crawl = ? AND n = ? AND url = ?", crawl, p.N, p.URL).Scan(&n)
		}
		if err != nil {
			return nil, err
		}
		if n == 0 {
			return nil, fmt.Errorf("page %d or %.200q was requested with a different URL or number: %w", p.N, p.URL, plat.ErrConflict)
		}
	}
	return stored, nil
}

// Answer stores the findings of a visit.
func (s *Store) Answer(ctx context.Context, p *plat.CrawlPage) error {
	err := storage.CheckAnswer(p)
	if err == nil {
		err = s.transact(ctx, func(tx *txn) error { return s.answer(ctx, tx, p) })
	}
	if err != nil {
		return notFound(err, "answer of %.200q for the crawl %q", p.URL, p.Crawl)
	}
	return nil
}

func (s *Store) answer(ctx context.Context, tx *txn, p *plat.CrawlPage) error {
	var id int64
	var visited sql.NullInt64
	var was plat.CrawlPage
	err := tx.QueryRowContext(ctx, "SELECT p.id, p.visited, p.outcome FROM crawl_pages p JOIN crawls c ON c.id = p.crawl WHERE c.name = ? AND p.url = ?", p.Crawl, p.URL).Scan(&id, &visited, &was.Outcome)
	if err != nil {
		return err
	}
	if was.Visited = orZero(visited); !storage.Supersedes(&was, p) {
		return nil
	}
	if err := s.fault("answer"); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, "UPDATE crawl_pages SET visited = ?, outcome = ?, relevance = ?, version = ?, title = ? WHERE id = ?",
		orNull(p.Visited), p.Outcome, p.Relevance, p.Version, p.Title, id)
	if err != nil {
		return err
	}
	if err := s.fault("reading"); err != nil {
		return err
	}
	if len(p.Reading) == 0 {
		_, err = tx.ExecContext(ctx, "DELETE FROM crawl_readings WHERE page = ?", id)
	} else {
		_, err = tx.ExecContext(ctx, "INSERT OR REPLACE INTO crawl_readings (page, data) VALUES (?, ?)", id, p.Reading)
	}
	return err
}

const crawlPageColumns = "p.n, p.url, p.score, p.source, p.asked, p.visited, p.outcome, p.relevance, p.version, p.title"

// Queries for pages, without and with their readings.
const (
	fromCrawlPages    = "SELECT " + crawlPageColumns + ", NULL FROM crawls c JOIN crawl_pages p ON p.crawl = c.id WHERE c.name = ?1 AND "
	fromCrawlReadings = "SELECT " + crawlPageColumns + ", r.data FROM crawls c JOIN crawl_pages p ON p.crawl = c.id LEFT JOIN crawl_readings r ON r.page = p.id WHERE c.name = ?1 AND "
)

// maxReadings limits the readings in memory in bytes, not counting the last one.
const maxReadings = 8 << 20

// errFull ends a query early.
var errFull = errors.New("enough was read")

// crawlPages reads pages of a crawl, at most page; more reports whether there may be more.
func (s *Store) crawlPages(ctx context.Context, crawl, query string, args ...any) (all []*plat.CrawlPage, more bool, err error) {
	size := 0
	err = rows(ctx, s.read, func(scan func(...any) error) error {
		p := &plat.CrawlPage{Crawl: crawl}
		var asked, visited sql.NullInt64
		err := scan(&p.N, &p.URL, &p.Score, &p.From, &asked, &visited, &p.Outcome, &p.Relevance, &p.Version, &p.Title, &p.Reading)
		p.Asked, p.Visited = orZero(asked), orZero(visited)
		all = append(all, p)
		if size += len(p.Reading); err == nil && size > maxReadings {
			err = errFull
		}
		return err
	}, query, append([]any{crawl}, args...)...)
	if errors.Is(err, errFull) {
		return all, true, nil
	}
	return all, len(all) == page, err
}

// Asked yields the pages that a crawl has requested.
func (s *Store) Asked(ctx context.Context, crawl string, after int, readings bool) iter.Seq2[*plat.CrawlPage, error] {
	return func(yield func(*plat.CrawlPage, error) bool) {
		if s.format < withCrawls {
			return
		}
		query := fromCrawlPages
		if readings {
			query = fromCrawlReadings
		}
		query += "p.n > ?2 ORDER BY p.n LIMIT ?3"
		for last := after; ; {
			got, more, err := s.crawlPages(ctx, crawl, query, last, page)
			if err != nil {
				yield(nil, fmt.Errorf("sqlite: pages of the crawl %q: %w", crawl, advise(s.path, err)))
				return
			}
			for _, p := range got {
				if !yield(p, nil) {
					return
				}
				last = p.N
			}
			if !more {
				return
			}
		}
	}
}

// Answers returns pages with an answer.
func (s *Store) Answers(ctx context.Context, crawl string, urls []string) ([]*plat.CrawlPage, error) {
	if s.format < withCrawls {
		return nil, nil
	}
	var all []*plat.CrawlPage
	// One by one: sorting many would take all their readings at once.
	for _, url := range slices.Compact(slices.Sorted(slices.Values(urls))) {
		got, _, err := s.crawlPages(ctx, crawl, fromCrawlReadings+"p.url = ?2 AND p.visited IS NOT NULL", url)
		if err != nil {
			return nil, fmt.Errorf("sqlite: answers for the crawl %q: %w", crawl, advise(s.path, err))
		}
		all = append(all, got...)
	}
	slices.SortFunc(all, func(a, b *plat.CrawlPage) int { return cmp.Compare(a.N, b.N) })
	return all, nil
}

// AskedFor returns a page that a crawl has requested.
func (s *Store) AskedFor(ctx context.Context, crawl, url string) (*plat.CrawlPage, error) {
	var got []*plat.CrawlPage
	var err error
	if s.format >= withCrawls {
		got, _, err = s.crawlPages(ctx, crawl, fromCrawlReadings+"p.url = ?2", url)
	}
	if err == nil && len(got) == 0 {
		err = plat.ErrNotFound
	}
	if err != nil {
		return nil, notFound(err, "page %.200q of the crawl %q", url, crawl)
	}
	return got[0], nil
}
