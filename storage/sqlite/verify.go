package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"math"

	"plat/plat"
	"plat/storage"
	"plat/storage/tree"
)

// checker collects the findings of Verify.
type checker struct {
	*storage.Checker
	s        *Store
	q        *sql.Tx
	refs     *references
	pictures map[plat.Hash]bool // whether referenced

	resources map[plat.Hash]bool          // whether referenced
	manifests map[plat.Hash]plat.Manifest // nil: unreadable
	listed    map[plat.Hash]bool          // referenced manifests
}

// Verify checks a snapshot of the archive; concurrent writes are ignored.
func (s *Store) Verify(ctx context.Context, progress func(done, total int64)) (storage.Report, error) {
	tx, err := s.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return storage.Report{}, fmt.Errorf("sqlite: verify: %w", err)
	}
	defer tx.Rollback()
	c := &checker{Checker: storage.NewChecker(progress), s: s, q: tx, refs: newReferences(ctx), pictures: map[plat.Hash]bool{},
		resources: map[plat.Hash]bool{}, manifests: map[plat.Hash]plat.Manifest{}, listed: map[plat.Hash]bool{}}
	defer c.refs.close()
	var n int64
	err = tx.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM packs) + (SELECT count(*) FROM versions) + (SELECT count(*) FROM pictures)`).Scan(&n)
	c.Expect(n)
	if err == nil && s.format >= withResources {
		err = tx.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM resources) + (SELECT count(*) FROM manifests)`).Scan(&n)
		c.Expect(n)
	}
	if err != nil {
		return c.Report, fmt.Errorf("sqlite: verify: %w", err)
	}
	for _, check := range []func(context.Context) error{c.file, c.packs, c.checkPictures, c.checkResources, c.urls, c.referred, c.hosts, c.addresses, c.subscriptions, c.crawls, c.strays} {
		if err := check(ctx); err != nil {
			return c.Report, fmt.Errorf("sqlite: verify: %w", err)
		}
	}
	return c.Report, nil
}

// file runs SQLite's integrity check.
func (c *checker) file(ctx context.Context) error {
	return rows(ctx, c.q, func(scan func(...any) error) error {
		var line string
		if err := scan(&line); err != nil {
			return err
		}
		if line != "ok" {
			c.Broke("the file itself is damaged: %s; restore it from a backup, or recover it with sqlite3's .recover", line)
		}
		return nil
	}, "PRAGMA integrity_check(100)")
}

// hosts checks that the rows of hosts list the jobs of their URLs.
func (c *checker) hosts(ctx context.Context) error {
	if c.s.format < withHosts {
		return nil
	}
	return rows(ctx, c.q, func(scan func(...any) error) error {
		var host string
		if err := scan(&host); err != nil {
			return err
		}
		c.Broke("the row of %s does not list the jobs of its URLs; they may never be visited", host)
		return nil
	}, `SELECT h.host FROM hosts h LEFT JOIN (SELECT host, count(*) FILTER (WHERE due IS NOT NULL AND at IS NULL) backlog, count(at) timed, count(died) dead,
			max(priority) FILTER (WHERE due IS NOT NULL AND at IS NULL) priority, min(at) at FROM urls GROUP BY host) u ON u.host = h.id
		WHERE h.backlog <> coalesce(u.backlog, 0) OR h.timed <> coalesce(u.timed, 0) OR h.dead <> coalesce(u.dead, 0)
			OR u.at IS NOT NULL AND h.urgency IS NULL AND (h.next IS NULL OR h.next > u.at)
			OR u.backlog > 0 AND h.next IS NULL AND (h.urgency IS NULL OR h.urgency < u.priority)`)
}

// addresses checks that the main URL of every alias exists.
func (c *checker) addresses(ctx context.Context) error {
	if c.s.format < withAddresses {
		return nil
	}
	return rows(ctx, c.q, func(scan func(...any) error) error {
		var url string
		if err := scan(&url); err != nil {
			return err
		}
		c.Broke("%s has versions of its own, or is an address of a page that is missing; it may be found under the wrong one", url)
		return nil
	}, "SELECT url FROM urls u WHERE main IS NOT NULL AND (head > 0 OR NOT EXISTS (SELECT 1 FROM urls m WHERE m.id = u.main))")
}

// subscriptions checks the number of items of subscriptions, and that every row that belongs to
// a subscription or its page refers to an existing one.
func (c *checker) subscriptions(ctx context.Context) error {
	if c.s.format < withSubscriptions {
		return nil
	}
	return c.findings(ctx, []finding{
		{`SELECT s.name FROM subscriptions s LEFT JOIN (SELECT subscription, count(*) items, max(seen) latest FROM items GROUP BY subscription) i ON i.subscription = s.id
			WHERE s.items <> ifnull(i.items, 0) OR s.latest IS NOT i.latest
				OR s.unread <> (SELECT count(*) FROM items u WHERE u.subscription = s.id AND u.seen > ifnull(s.read_to, -1 << 62))`,
			"the subscription %s does not count its items; lists show wrong numbers"},
		{"SELECT name FROM items WHERE subscription NOT IN (SELECT id FROM subscriptions)", "the item %s is of a subscription that is missing; it is not shown"},
		{"SELECT url FROM followed WHERE subscription NOT IN (SELECT id FROM subscriptions)", "the followed page %s is of a subscription that is missing"},
		{"SELECT tag FROM tags WHERE subscription NOT IN (SELECT id FROM subscriptions)", "the tag %s is of a subscription that is missing"},
		{"SELECT page FROM followed_memories WHERE page NOT IN (SELECT id FROM followed)", "the memory of the followed page %s is of a page that is missing"},
		{`SELECT m.name FROM messages m WHERE m.first <> (m.id = (SELECT id FROM messages f WHERE f.channel = m.channel AND f.subscription = m.subscription ORDER BY made, name LIMIT 1))`,
			"the message %s is not in order; it may never be sent"},
	})
}

// crawls checks that focused crawls can be read, and that every row that belongs to a crawl or
// its page refers to an existing one.
func (c *checker) crawls(ctx context.Context) error {
	if c.s.format < withCrawls {
		return nil
	}
	return c.findings(ctx, []finding{
		{"SELECT name FROM crawls WHERE NOT json_valid(details)", "the details of the crawl %s cannot be decoded; it cannot be shown or continued"},
		{"SELECT url FROM crawl_pages WHERE crawl NOT IN (SELECT id FROM crawls)", "%s was requested by a crawl that is missing"},
		{"SELECT page FROM crawl_readings WHERE page NOT IN (SELECT id FROM crawl_pages)", "the reading %s is of a page that is missing"},
		{"SELECT crawl FROM crawl_reports WHERE crawl NOT IN (SELECT id FROM crawls)", "the report %s is on a crawl that is missing"},
	})
}

// finding is a query that yields the names of broken rows, and the message about them.
type finding struct{ query, what string }

func (c *checker) findings(ctx context.Context, all []finding) error {
	for _, x := range all {
		err := rows(ctx, c.q, func(scan func(...any) error) error {
			var name string
			err := scan(&name)
			c.Broke(x.what, name)
			return err
		}, x.query)
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *checker) checkPictures(ctx context.Context) error {
	return rows(ctx, c.q, func(scan func(...any) error) error {
		var id int64
		var hash, data []byte
		if err := scan(&id, &hash, &data); err != nil {
			return err
		}
		c.Step(1)
		c.Report.Pictures++
		h := plat.HashOf(data)
		if string(h[:]) != string(hash) {
			c.Broke("picture %d does not match its hash %.12x; it is lost, but its version is not", id, hash)
			copy(h[:], hash) // it exists, but is damaged
		}
		c.pictures[h] = false
		return nil
	}, "SELECT id, hash, data FROM pictures")
}

// checkedURL is what a row of urls has to agree with.
type checkedURL struct {
	id, host     int64
	url          string
	head, visits int
	forgotten    int
}

// urls checks every URL's versions and visits, some URLs at a time.
func (c *checker) urls(ctx context.Context) error {
	const some = 1000
	for after, more := int64(math.MinInt64), true; more; {
		var all []checkedURL
		err := rows(ctx, c.q, func(scan func(...any) error) error {
			var x checkedURL
			err := scan(&x.id, &x.url, &x.host, &x.head, &x.visits, &x.forgotten)
			all = append(all, x)
			return err
		}, "SELECT u.id, u.url, ifnull(h.id, 0), u.head, u.visits, "+c.s.forgotten()+" FROM urls u LEFT JOIN hosts h ON h.id = u.host WHERE u.id > ? ORDER BY u.id LIMIT ?", after, some)
		if err != nil {
			return err
		}
		for i := range all {
			if err := c.url(ctx, &all[i]); err != nil {
				return err
			}
			after = all[i].id
		}
		more = len(all) == some
	}
	return nil
}

func (c *checker) url(ctx context.Context, u *checkedURL) error {
	c.Report.URLs++
	if u.host == 0 {
		c.Broke("the host of %s is missing; stats and state omit the URL", u.url)
	}
	if u.head == 0 { // only enlisted, or never reached: it has no versions
		return c.visits(ctx, u.id, u.url, u.visits)
	}
	words := map[int32]bool{}
	err := rows(ctx, c.q, func(scan func(...any) error) error {
		var w int32
		err := scan(&w)
		words[w] = true
		return err
	}, "SELECT word FROM words WHERE url = ?", u.id)
	if err != nil {
		return err
	}
	missing := map[int32]bool{}
	next := u.forgotten + 1
	var contents map[plat.Hash]bool
	for next <= u.head {
		err := c.s.trees(ctx, c.q, u.id, u.url, next, u.head, func(t *tree.Tree) (bool, error) {
			contents = c.version(t, contents)
			for w := range wordsOf(t) {
				if !words[w] {
					missing[w] = true
				}
			}
			next = t.N + 1
			return true, nil
		})
		if err == nil {
			break
		}
		if ctx.Err() != nil {
			return err
		}
		// The rest of the chain is lost too; continue after it.
		c.Broke("%v; the versions of %s from %d to %d cannot be shown", err, u.url, next, min(u.head, tree.KeyBefore(next)+tree.KeyEvery-1))
		next = tree.KeyBefore(next) + tree.KeyEvery
	}
	if len(missing) > 0 {
		c.Broke("%d words of %s are not indexed; blocks will not find them", len(missing), u.url)
	}
	return c.visits(ctx, u.id, u.url, u.visits)
}

func (c *checker) visits(ctx context.Context, id int64, url string, want int) error {
	n, last := 0, int64(-1<<63)
	ok := true
	err := rows(ctx, c.q, func(scan func(...any) error) error {
		var start int64
		var data []byte
		if err := scan(&start, &data); err != nil {
			return err
		}
		run, err := decodeVisits(data, id, url, start)
		if err != nil {
			ok = false
			c.Broke("%v; these visits are lost", err)
			return nil
		}
		for i := range run {
			if at := millis(run[i].Time); at <= last {
				c.Broke("the visits of %s are out of order at %s", url, run[i].Time)
			} else {
				last = at
			}
			n++
		}
		return nil
	}, "SELECT start, data FROM visits WHERE url = ? ORDER BY start", id)
	if err == nil && ok && n != want {
		c.Broke("%s counts %d visits, but %d are stored", url, want, n)
	}
	return err
}

// strays counts unreferenced data, and reports versions past their URL's head, which must not
// exist because a commit is one transaction.
func (c *checker) strays(ctx context.Context) error {
	err := rows(ctx, c.q, func(scan func(...any) error) error {
		var n int
		var url string
		err := scan(&n, &url)
		c.Broke("version %d of %s is past the URL's head, or was forgotten; the number of the head is damaged", n, url)
		return err
	}, "SELECT v.n, ifnull(u.url, 'a URL that is not there') FROM versions v LEFT JOIN urls u ON u.id = v.url WHERE u.id IS NULL OR v.n > u.head OR v.n <= "+c.s.forgotten())
	if err != nil {
		return err
	}
	for _, used := range c.pictures {
		if !used {
			c.Report.Unreferenced++
		}
	}
	for _, used := range c.resources {
		if !used {
			c.Report.Unreferenced++
		}
	}
	c.Report.Unreferenced += int64(len(c.manifests) - len(c.listed))
	return c.unneeded(ctx)
}
