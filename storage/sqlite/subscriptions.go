package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"plat/plat"
	"plat/storage"
)

// details holds the fields of a subscription that queries do not use, as JSON.
type details struct {
	Blocks []int32         `json:"blocks,omitempty"`
	Muted  []int32         `json:"muted,omitempty"`
	Labels []plat.Label    `json:"labels,omitempty"`
	Kinds  []plat.ItemKind `json:"kinds,omitempty"`
	Match  []string        `json:"match,omitempty"`
	Except []string        `json:"except,omitempty"`
	Tags   []string        `json:"tags,omitempty"`
	Tell   []string        `json:"tell,omitempty"`
	Digest string          `json:"digest,omitempty"`
	Feeds  []string        `json:"feeds,omitempty"`
}

// subscriptionRow is a row of subscriptions.
type subscriptionRow struct {
	storage.Subscribed
	id int64
}

const subscriptionColumns = `s.id, s.name, s.url, s.title, s.depth, s.folder, s.paused, s.made, s.details, s.broken, s.since, s.entries, s.read_to, s.items, s.latest, s.unread`

func (r *subscriptionRow) scan(scan func(...any) error) error {
	var made, since, readTo, latest sql.NullInt64
	var text string
	if err := scan(&r.id, &r.ID, &r.URL, &r.Title, &r.Depth, &r.Group, &r.Paused, &made, &text, &r.Broken, &since, &r.Entries, &readTo, &r.Items, &latest, &r.Unread); err != nil {
		return err
	}
	var d details
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		return fmt.Errorf("subscription %s: %w: %w", r.ID, err, plat.ErrCorrupt)
	}
	r.Blocks, r.Muted, r.Labels, r.Kinds, r.Match, r.Except, r.Tags, r.Tell, r.Digest, r.Feeds = d.Blocks, d.Muted, d.Labels, d.Kinds, d.Match, d.Except, d.Tags, d.Tell, d.Digest, d.Feeds
	r.Made, r.Since, r.ReadTo, r.Latest = orZero(made), orZero(since), orZero(readTo), orZero(latest)
	return nil
}

// Subscribe stores a subscription.
func (s *Store) Subscribe(ctx context.Context, sub *plat.Subscription) error {
	err := storage.CheckSubscription(sub)
	if err == nil {
		err = s.transact(ctx, func(tx *txn) error { return s.subscribe(ctx, tx, sub) })
	}
	if err != nil {
		return fmt.Errorf("sqlite: subscribe: %w", advise(s.path, err))
	}
	return nil
}

func (s *Store) subscribe(ctx context.Context, tx *txn, sub *plat.Subscription) error {
	text, err := json.Marshal(details{sub.Blocks, sub.Muted, sub.Labels, sub.Kinds, sub.Match, sub.Except, sub.Tags, sub.Tell, sub.Digest, sub.Feeds})
	if err != nil {
		return err
	}
	var was subscriptionRow
	var before details
	var old string
	err = tx.QueryRowContext(ctx, "SELECT id, url, depth, details FROM subscriptions WHERE name = ?", sub.ID).Scan(&was.id, &was.URL, &was.Depth, &old)
	known := err == nil
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	if known {
		if err := json.Unmarshal([]byte(old), &before); err != nil {
			return fmt.Errorf("subscription %s: %w: %w", sub.ID, err, plat.ErrCorrupt)
		}
		was.Feeds = before.Feeds
	}
	if known && !storage.SamePages(&was.Subscription, sub) {
		if err := s.forgetPages(ctx, tx, was.id); err != nil {
			return err
		}
	}
	if err := s.fault("subscription"); err != nil {
		return err
	}
	err = tx.QueryRowContext(ctx, `INSERT INTO subscriptions (name, url, title, depth, folder, paused, made, details) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (name) DO UPDATE SET url = excluded.url, title = excluded.title, depth = excluded.depth, folder = excluded.folder,
			paused = excluded.paused, made = excluded.made, details = excluded.details RETURNING id`,
		sub.ID, sub.URL, sub.Title, sub.Depth, sub.Group, sub.Paused, orNull(sub.Made), string(text)).Scan(&was.id)
	if err != nil {
		return err
	}
	if err := s.fault("tags"); err != nil {
		return err
	}
	if known {
		if _, err := tx.ExecContext(ctx, "DELETE FROM tags WHERE subscription = ?", was.id); err != nil {
			return err
		}
	}
	for _, tag := range sub.Tags {
		if _, err := tx.ExecContext(ctx, "INSERT OR IGNORE INTO tags (tag, subscription) VALUES (?, ?)", tag, was.id); err != nil {
			return err
		}
	}
	return nil
}

// forgetPages removes the pages of a subscription.
func (s *Store) forgetPages(ctx context.Context, tx *txn, id int64) error {
	if err := s.fault("pages"); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "DELETE FROM followed_memories WHERE page IN (SELECT id FROM followed WHERE subscription = ?)", id); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, "DELETE FROM followed WHERE subscription = ?", id)
	return err
}

// Unsubscribe removes a subscription, its items and its messages.
func (s *Store) Unsubscribe(ctx context.Context, name string) error {
	err := s.transact(ctx, func(tx *txn) error {
		var id int64
		if err := tx.QueryRowContext(ctx, "SELECT id FROM subscriptions WHERE name = ?", name).Scan(&id); err != nil {
			return err
		}
		if err := s.forgetPages(ctx, tx, id); err != nil {
			return err
		}
		for _, x := range []struct {
			query string
			arg   any
		}{
			{"DELETE FROM messages WHERE subscription = ?", name},
			{"DELETE FROM items WHERE subscription = ?", id},
			{"DELETE FROM tags WHERE subscription = ?", id},
			{"DELETE FROM subscriptions WHERE id = ?", id},
		} {
			if err := s.fault("unsubscribe"); err != nil {
				return err
			}
			if _, err := tx.ExecContext(ctx, x.query, x.arg); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return notFound(err, "unsubscribe %q", name)
	}
	return nil
}

// Subscription returns a subscription with the memories of its pages.
func (s *Store) Subscription(ctx context.Context, name string) (*storage.Subscribed, error) {
	if s.format < withSubscriptions {
		return nil, notFound(sql.ErrNoRows, "subscription %q", name)
	}
	// One transaction, so that pages and memories come from the same examination.
	tx, err := s.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, fmt.Errorf("sqlite: subscription %q: %w", name, advise(s.path, err))
	}
	defer tx.Rollback()
	r, err := subscribed(ctx, tx, name)
	if err == nil {
		err = rows(ctx, tx, func(scan func(...any) error) error {
			var p plat.FollowedPage
			err := scan(&p.URL, &p.Depth, &p.Examined, &p.Memory)
			r.Pages = append(r.Pages, p)
			return err
		}, "SELECT f.url, f.depth, f.examined, m.data FROM followed f LEFT JOIN followed_memories m ON m.page = f.id WHERE f.subscription = ? ORDER BY f.place", r.id)
	}
	if err != nil {
		return nil, notFound(err, "subscription %q", name)
	}
	return &r.Subscribed, nil
}

// subscribed reads the row of a subscription.
func subscribed(ctx context.Context, q querier, name string) (*subscriptionRow, error) {
	var r subscriptionRow
	return &r, r.scan(q.QueryRowContext(ctx, "SELECT "+subscriptionColumns+" FROM subscriptions s WHERE s.name = ?", name).Scan)
}

// whichOf returns the condition of the selected subscriptions.
func whichOf(w *storage.Which) (cond string, args []any) {
	conds := []string{"true"}
	and := func(cond string, arg any) {
		conds, args = append(conds, cond), append(args, arg)
	}
	if len(w.IDs) > 0 {
		and("s.name IN (SELECT value FROM json_each(?))", jsonOf(w.IDs))
	}
	if w.URL != "" {
		and("s.url = ?", w.URL)
	}
	if w.Group != "" {
		and("s.folder = ? AND s.folder <> ''", w.Group)
	}
	if w.Tag != "" {
		and("s.id IN (SELECT subscription FROM tags WHERE tag = ?)", w.Tag)
	}
	return strings.Join(conds, " AND "), args
}

// jsonOf formats a list for json_each.
func jsonOf[T string | int64](list []T) string {
	if list == nil {
		return "[]"
	}
	b, _ := json.Marshal(list) // it cannot fail for texts and numbers
	return string(b)
}

// Subscriptions yields subscriptions without the memories of their pages.
func (s *Store) Subscriptions(ctx context.Context, which storage.Which) iter.Seq2[*storage.Subscribed, error] {
	return func(yield func(*storage.Subscribed, error) bool) {
		if s.format < withSubscriptions {
			return
		}
		cond, args := whichOf(&which)
		for after := ""; ; {
			got, err := s.subscriptions(ctx, cond+" AND s.name > ?", slices.Concat(args, []any{after, page}))
			if err != nil {
				yield(nil, fmt.Errorf("sqlite: subscriptions: %w", advise(s.path, err)))
				return
			}
			for _, r := range got {
				if !yield(&r.Subscribed, nil) {
					return
				}
			}
			if len(got) < page {
				return
			}
			after = got[len(got)-1].ID
		}
	}
}

// subscriptions reads some subscriptions and their pages.
func (s *Store) subscriptions(ctx context.Context, cond string, args []any) ([]*subscriptionRow, error) {
	var all []*subscriptionRow
	var ids []int64
	byID := map[int64]*subscriptionRow{}
	err := rows(ctx, s.read.DB, func(scan func(...any) error) error {
		r := new(subscriptionRow)
		err := r.scan(scan)
		all, ids = append(all, r), append(ids, r.id)
		byID[r.id] = r
		return err
	}, "SELECT "+subscriptionColumns+" FROM subscriptions s WHERE "+cond+" ORDER BY s.name LIMIT ?", args...)
	if err != nil {
		return nil, err
	}
	return all, rows(ctx, s.read, func(scan func(...any) error) error {
		var id int64
		var p plat.FollowedPage
		err := scan(&id, &p.URL, &p.Depth, &p.Examined)
		if r := byID[id]; r != nil {
			r.Pages = append(r.Pages, p)
		}
		return err
	}, "SELECT subscription, url, depth, examined FROM followed WHERE subscription IN (SELECT value FROM json_each(?)) ORDER BY subscription, place", jsonOf(ids))
}

// Behind yields subscriptions that have pages with new versions.
func (s *Store) Behind(ctx context.Context, limit int) iter.Seq2[*storage.Subscribed, error] {
	return func(yield func(*storage.Subscribed, error) bool) {
		if s.format < withSubscriptions {
			return
		}
		if limit <= 0 {
			limit = -1
		}
		var names []string
		err := rows(ctx, s.read, func(scan func(...any) error) error {
			var name string
			err := scan(&name)
			names = append(names, name)
			return err
		}, `SELECT s.name FROM subscriptions s WHERE s.paused = 0 AND (
			EXISTS (SELECT 1 FROM followed f JOIN urls u ON u.url = f.url WHERE f.subscription = s.id AND u.head > f.examined) OR
			NOT EXISTS (SELECT 1 FROM followed f WHERE f.subscription = s.id) AND EXISTS (SELECT 1 FROM urls u WHERE u.url = s.url AND u.head > 0))
			ORDER BY s.name LIMIT ?`, limit)
		if err != nil {
			yield(nil, fmt.Errorf("sqlite: subscriptions that are behind: %w", advise(s.path, err)))
			return
		}
		for _, name := range names {
			// One by one: memories may be large.
			sub, err := s.Subscription(ctx, name)
			if errors.Is(err, plat.ErrNotFound) {
				continue
			}
			if !yield(sub, err) || err != nil {
				return
			}
		}
	}
}

// Examined stores the result of examining a subscription.
func (s *Store) Examined(ctx context.Context, e *storage.Examination) error {
	err := e.Check()
	if err == nil {
		err = s.transact(ctx, func(tx *txn) error { return s.examined(ctx, tx, e) })
	}
	if err != nil {
		return notFound(err, "examination of the subscription %q", e.ID)
	}
	return nil
}

func (s *Store) examined(ctx context.Context, tx *txn, e *storage.Examination) error {
	r, err := subscribed(ctx, tx, e.ID)
	if err != nil {
		return err
	}
	ids := map[string]int64{} // ids of pages
	err = rows(ctx, tx, func(scan func(...any) error) error {
		var p plat.FollowedPage
		var id int64
		err := scan(&id, &p.URL, &p.Examined)
		r.Pages = append(r.Pages, p)
		ids[p.URL] = id
		return err
	}, "SELECT id, url, examined FROM followed WHERE subscription = ?", r.id)
	if err != nil {
		return err
	}
	if !e.Fits(&r.Subscribed) {
		return fmt.Errorf("it was examined, or changed, meanwhile: %w", plat.ErrConflict)
	}
	items, unread, latest, err := s.addItems(ctx, tx, r, e.Items)
	if err != nil {
		return err
	}
	if err := s.post(ctx, tx, e.Messages); err != nil {
		return err
	}
	if err := s.follow(ctx, tx, r.id, ids, e.Following.Pages); err != nil {
		return err
	}
	if err := s.fault("following"); err != nil {
		return err
	}
	f := &e.Following
	_, err = tx.ExecContext(ctx, "UPDATE subscriptions SET broken = ?, since = ?, entries = ?, items = items + ?, unread = unread + ?, latest = ? WHERE id = ?",
		f.Broken, orNull(f.Since), f.Entries, items, unread, orNull(latest), r.id)
	return err
}

// addItems stores the items that are not stored yet, and counts them.
func (s *Store) addItems(ctx context.Context, tx *txn, r *subscriptionRow, items []plat.Item) (added, unread int, latest time.Time, err error) {
	latest = r.Latest
	for i := range items {
		it := &items[i]
		if err := s.fault("item"); err != nil {
			return 0, 0, latest, err
		}
		res, err := tx.ExecContext(ctx, `INSERT INTO items (name, subscription, kind, title, url, excerpt, dated, page, version, lineage, seen)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (name) DO NOTHING`,
			it.ID, r.id, it.Kind, it.Title, it.URL, it.Excerpt, orNull(it.Dated), it.Page, it.Version, it.Lineage, millis(it.Seen))
		if err != nil {
			return 0, 0, latest, err
		}
		n, err := res.RowsAffected()
		if err != nil {
			return 0, 0, latest, err
		}
		if n == 0 {
			continue
		}
		added++
		seen := instant(millis(it.Seen))
		if seen.After(r.ReadTo) {
			unread++
		}
		latest = plat.Later(latest, seen)
	}
	return added, unread, latest, nil
}

// follow stores the pages of a subscription. ids are the ids of its previous rows.
func (s *Store) follow(ctx context.Context, tx *txn, sub int64, ids map[string]int64, pages []plat.FollowedPage) error {
	for i := range pages {
		p := &pages[i]
		if err := s.fault("page"); err != nil {
			return err
		}
		id, known := ids[p.URL]
		delete(ids, p.URL)
		var err error
		if known {
			_, err = tx.ExecContext(ctx, "UPDATE followed SET place = ?1, depth = ?2, examined = ?3 WHERE id = ?4 AND (place, depth, examined) <> (?1, ?2, ?3)", i, p.Depth, p.Examined, id)
		} else {
			err = tx.QueryRowContext(ctx, "INSERT INTO followed (subscription, place, url, depth, examined) VALUES (?, ?, ?, ?, ?) RETURNING id", sub, i, p.URL, p.Depth, p.Examined).Scan(&id)
		}
		if err == nil {
			err = s.rememberPage(ctx, tx, id, known, p.Memory)
		}
		if err != nil {
			return err
		}
	}
	for _, id := range ids { // no longer followed
		if err := s.fault("page"); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "DELETE FROM followed WHERE id = ?", id); err != nil {
			return err
		}
		if err := s.rememberPage(ctx, tx, id, true, nil); err != nil {
			return err
		}
	}
	return nil
}

// rememberPage stores the memory of a page, if it has changed.
func (s *Store) rememberPage(ctx context.Context, tx *txn, id int64, known bool, memory []byte) error {
	if known {
		var was []byte
		err := tx.QueryRowContext(ctx, "SELECT data FROM followed_memories WHERE page = ?", id).Scan(&was)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		if bytes.Equal(was, memory) {
			return nil
		}
	}
	if err := s.fault("memory"); err != nil {
		return err
	}
	if len(memory) == 0 {
		_, err := tx.ExecContext(ctx, "DELETE FROM followed_memories WHERE page = ?", id)
		return err
	}
	_, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO followed_memories (page, data) VALUES (?, ?)", id, memory)
	return err
}

// Read stores the time up to which items are read.
func (s *Store) Read(ctx context.Context, name string, to time.Time) error {
	err := s.transact(ctx, func(tx *txn) error {
		if err := s.fault("read"); err != nil {
			return err
		}
		var id int64
		return tx.QueryRowContext(ctx, `UPDATE subscriptions AS s SET read_to = ?2, unread = (SELECT count(*) FROM items WHERE subscription = s.id AND seen > ifnull(?2, -1 << 62))
			WHERE s.name = ?1 RETURNING id`, name, orNull(to)).Scan(&id)
	})
	if err != nil {
		return notFound(err, "read items of the subscription %q", name)
	}
	return nil
}
