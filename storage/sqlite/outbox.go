package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"time"

	"plat/plat"
	"plat/storage"
)

// PutChannel stores a channel.
func (s *Store) PutChannel(ctx context.Context, c *plat.Channel) error {
	err := storage.CheckChannel(c)
	if err == nil {
		err = s.transact(ctx, func(tx *txn) error {
			if err := s.fault("channel"); err != nil {
				return err
			}
			var was plat.Channel
			err := tx.QueryRowContext(ctx, "SELECT url, disabled FROM channels WHERE name = ?", c.Name).Scan(&was.URL, &was.Disabled)
			if err != nil && !errors.Is(err, sql.ErrNoRows) {
				return err
			}
			if storage.Mended(&was, c) {
				if _, err := tx.ExecContext(ctx, "UPDATE messages SET due = 0 WHERE channel = ?", c.Name); err != nil {
					return err
				}
			}
			_, err = tx.ExecContext(ctx, "INSERT OR REPLACE INTO channels (name, url, disabled) VALUES (?, ?, ?)", c.Name, c.URL, c.Disabled)
			return err
		})
	}
	if err != nil {
		return fmt.Errorf("sqlite: put a channel: %w", advise(s.path, err))
	}
	return nil
}

// DisableChannel stores the reason why a channel is disabled, unless it has a different URL.
func (s *Store) DisableChannel(ctx context.Context, c *plat.Channel, why string) error {
	err := storage.CheckChannel(&plat.Channel{Name: c.Name, URL: c.URL, Disabled: why})
	if err == nil {
		err = s.transact(ctx, func(tx *txn) error {
			if err := s.fault("channel"); err != nil {
				return err
			}
			_, err := tx.ExecContext(ctx, "UPDATE channels SET disabled = ? WHERE name = ? AND url = ?", why, c.Name, c.URL)
			return err
		})
	}
	if err != nil {
		return fmt.Errorf("sqlite: disable the channel %q: %w", c.Name, advise(s.path, err))
	}
	return nil
}

// RemoveChannel removes a channel and its messages.
func (s *Store) RemoveChannel(ctx context.Context, name string) error {
	err := s.transact(ctx, func(tx *txn) error {
		if err := s.fault("channel"); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "DELETE FROM messages WHERE channel = ?", name); err != nil {
			return err
		}
		return tx.QueryRowContext(ctx, "DELETE FROM channels WHERE name = ? RETURNING name", name).Scan(&name)
	})
	if err != nil {
		return notFound(err, "remove the channel %q", name)
	}
	return nil
}

// Channels yields all channels.
func (s *Store) Channels(ctx context.Context) iter.Seq2[*plat.Channel, error] {
	return func(yield func(*plat.Channel, error) bool) {
		if s.format < withSubscriptions {
			return
		}
		for after := ""; ; {
			var got []*plat.Channel
			err := rows(ctx, s.read, func(scan func(...any) error) error {
				c := new(plat.Channel)
				err := scan(&c.Name, &c.URL, &c.Disabled)
				got = append(got, c)
				return err
			}, "SELECT name, url, disabled FROM channels WHERE name > ? ORDER BY name LIMIT ?", after, page)
			if err != nil {
				yield(nil, fmt.Errorf("sqlite: channels: %w", advise(s.path, err)))
				return
			}
			for _, c := range got {
				if !yield(c, nil) {
					return
				}
			}
			if len(got) < page {
				return
			}
			after = got[len(got)-1].Name
		}
	}
}

// Post stores messages.
func (s *Store) Post(ctx context.Context, all []plat.Message) error {
	err := storage.CheckMessages(all)
	if err == nil {
		err = s.transact(ctx, func(tx *txn) error { return s.post(ctx, tx, all) })
	}
	if err != nil {
		return fmt.Errorf("sqlite: post messages: %w", advise(s.path, err))
	}
	return nil
}

// lane is the queue of messages of a channel and a subscription, which are sent in order.
type lane struct{ channel, subscription string }

func (s *Store) post(ctx context.Context, tx *txn, all []plat.Message) error {
	lanes := map[lane]bool{}
	for i := range all {
		m := &all[i]
		if err := s.fault("message"); err != nil {
			return err
		}
		res, err := tx.ExecContext(ctx, `INSERT INTO messages (name, channel, subscription, items, made, due, attempts, error)
			SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8 WHERE NOT EXISTS (SELECT 1 FROM sent WHERE name = ?1) ON CONFLICT (name) DO NOTHING`,
			m.ID, m.Channel, m.Subscription, jsonOf(m.Items), millis(m.Made), millis(m.Due), m.Attempts, storage.ErrorText(m.Error))
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil {
			return err
		} else if n > 0 {
			lanes[lane{m.Channel, m.Subscription}] = true
		}
	}
	for l := range lanes {
		if err := s.markFirst(ctx, tx, l); err != nil {
			return err
		}
	}
	return nil
}

// markFirst marks the first message of a lane.
func (s *Store) markFirst(ctx context.Context, tx *txn, l lane) error {
	if err := s.fault("first"); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE messages SET first = 0 WHERE channel = ? AND subscription = ? AND first = 1", l.channel, l.subscription); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `UPDATE messages SET first = 1 WHERE id =
		(SELECT id FROM messages WHERE channel = ? AND subscription = ? ORDER BY made, name LIMIT 1)`, l.channel, l.subscription)
	return err
}

// dueMessages is the condition of messages that may be taken at ?1.
const dueMessages = " FROM messages m JOIN channels c ON c.name = m.channel WHERE m.first = 1 AND m.due <= ?1 AND c.disabled = ''"

// Take takes messages that are due.
func (s *Store) Take(ctx context.Context, now time.Time, hold time.Duration, limit int) (all []plat.Message, err error) {
	if s.format < withSubscriptions || limit <= 0 {
		return nil, nil
	}
	var due bool
	err = s.read.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1"+dueMessages+")", millis(now)).Scan(&due)
	if err == nil && due { // usually there is nothing to write
		err = s.transact(ctx, func(tx *txn) error {
			all, err = s.take(ctx, tx, now, hold, limit)
			return err
		})
	}
	if err != nil {
		return nil, fmt.Errorf("sqlite: take messages: %w", advise(s.path, err))
	}
	return all, nil
}

func (s *Store) take(ctx context.Context, tx *txn, now time.Time, hold time.Duration, limit int) (all []plat.Message, err error) {
	until := millis(now.Add(hold))
	err = rows(ctx, tx, func(scan func(...any) error) error {
		var m plat.Message
		var items string
		var made int64
		if err := scan(&m.ID, &m.Channel, &m.Subscription, &items, &made, &m.Attempts, &m.Error); err != nil {
			return err
		}
		m.Made, m.Due, m.Claim = instant(made), instant(until), claim(until)
		if err := json.Unmarshal([]byte(items), &m.Items); err != nil {
			return fmt.Errorf("message %s: %w: %w", m.ID, err, plat.ErrCorrupt)
		}
		all = append(all, m)
		return nil
	}, "SELECT m.name, m.channel, m.subscription, m.items, m.made, m.attempts, m.error"+dueMessages+" ORDER BY m.made, m.name LIMIT ?2", millis(now), limit)
	for i := 0; err == nil && i < len(all); i++ {
		if err = s.fault("take"); err == nil {
			_, err = tx.ExecContext(ctx, "UPDATE messages SET due = ? WHERE name = ?", until, all[i].ID)
		}
	}
	return all, err
}

// claim names the claim of a message that ends at until, in milliseconds: each claim ends later than the ones before it.
func claim(until int64) string { return strconv.FormatInt(until, 10) }

// sentFor is the time for which the IDs of sent messages are kept.
const sentFor = 30 * 24 * time.Hour

// Sent removes a message that was sent, and keeps its ID.
func (s *Store) Sent(ctx context.Context, id string, now time.Time) error {
	err := s.transact(ctx, func(tx *txn) error {
		if err := s.fault("sent"); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "INSERT OR IGNORE INTO sent (name, at) VALUES (?, ?)", id, millis(now)); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "DELETE FROM sent WHERE at < ?", millis(now.Add(-sentFor))); err != nil {
			return err
		}
		if err := s.fault("settle"); err != nil {
			return err
		}
		var l lane
		switch err := tx.QueryRowContext(ctx, "DELETE FROM messages WHERE name = ? RETURNING channel, subscription", id).Scan(&l.channel, &l.subscription); err {
		case nil:
			return s.markFirst(ctx, tx, l)
		case sql.ErrNoRows:
			return nil
		default:
			return err
		}
	})
	if err != nil {
		return fmt.Errorf("sqlite: message %q: %w", id, advise(s.path, err))
	}
	return nil
}

// Failed stores a failed attempt to send a message.
func (s *Store) Failed(ctx context.Context, m *plat.Message) error {
	err := s.transact(ctx, func(tx *txn) error {
		if err := s.fault("failed"); err != nil {
			return err
		}
		var due int64
		err := tx.QueryRowContext(ctx, "SELECT due FROM messages WHERE name = ?", m.ID).Scan(&due)
		if err != nil || claim(due) != m.Claim {
			return err
		}
		_, err = tx.ExecContext(ctx, "UPDATE messages SET attempts = ?, due = ?, error = ?, tried = ? WHERE name = ?",
			m.Attempts, millis(m.Due), storage.ErrorText(m.Error), millis(time.Now()), m.ID)
		return err
	})
	if err != nil {
		return notFound(err, "message %q", m.ID)
	}
	return nil
}

// Backlogs returns the unsent messages by channel.
func (s *Store) Backlogs(ctx context.Context) (map[string]storage.Backlog, error) {
	all := map[string]storage.Backlog{}
	if s.format < withSubscriptions {
		return all, nil
	}
	err := rows(ctx, s.read, func(scan func(...any) error) error {
		var channel string
		var b storage.Backlog
		var oldest int64
		err := scan(&channel, &b.Messages, &oldest, &b.Error)
		b.Oldest = instant(oldest)
		all[channel] = b
		return err
	}, `SELECT channel, count(*), min(made), ifnull((SELECT error FROM messages e WHERE e.channel = m.channel AND e.tried IS NOT NULL ORDER BY e.tried DESC, e.id DESC LIMIT 1), '')
		FROM messages m GROUP BY channel`)
	if err != nil {
		return nil, fmt.Errorf("sqlite: backlogs: %w", advise(s.path, err))
	}
	return all, nil
}
