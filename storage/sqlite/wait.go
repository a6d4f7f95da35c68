package sqlite

import (
	"context"
	"errors"
	"fmt"
	"time"

	sqlite3 "modernc.org/sqlite/lib"
)

// ErrBusy is returned if another process keeps a file locked for longer than Options.Busy.
var ErrBusy = errors.New("in use by another process")

const (
	// lockTimeout is how long SQLite waits for a lock by itself, without looking at a
	// context: between two of its waits we do.
	lockTimeout = 200 * time.Millisecond

	// sayAfter is how long a lock is waited for before that is said: processes that share
	// an archive wait for each other's commits all the time.
	sayAfter = time.Second
)

// patience is how long a store waits for other processes, and whom it tells.
type patience struct {
	limit   time.Duration
	waiting func(path string, limit time.Duration) // may be nil
}

// wait calls f again and again while the file at path is locked by another process, until the
// limit.
func (p patience) wait(ctx context.Context, path string, f func() error) error {
	began, said := time.Now(), false
	for {
		err := f()
		if !isBusy(err) {
			return err
		}
		waited := time.Since(began) // one attempt may take longer than all are meant to
		if waited >= min(sayAfter, p.limit/2) && !said && p.waiting != nil {
			said = true
			p.waiting(path, p.limit)
		}
		if waited >= p.limit {
			return fmt.Errorf("%s is %w, which was waited for %v; end that process, or try again when it is done", path, ErrBusy, p.limit)
		}
		select {
		case <-time.After(10 * time.Millisecond): // some locks SQLite does not wait for
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// errRead says that another process reads what is still in the log of a file.
var errRead = errors.New("the log is being read")

// isBusy reports whether SQLite has found a file locked, or its log in use.
func isBusy(err error) bool {
	if errors.Is(err, errRead) {
		return true
	}
	switch resultOf(err) {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return true
	}
	return false
}
