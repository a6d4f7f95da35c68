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
	// lockTimeout limits a wait for a lock inside SQLite, which ignores contexts. We check the
	// context between two such waits.
	lockTimeout = 200 * time.Millisecond

	// sayAfter is the length of a wait from which it is reported. Shorter ones are normal for
	// processes that share an archive.
	sayAfter = time.Second
)

// patience limits the wait of a store for other processes, and reports long waits.
type patience struct {
	limit   time.Duration
	waiting func(path string, limit time.Duration) // may be nil
}

// wait repeats f while a different process locks the file at path, until the limit.
func (p patience) wait(ctx context.Context, path string, f func() error) error {
	began, said := time.Now(), false
	for {
		err := f()
		if !isBusy(err) {
			return err
		}
		waited := time.Since(began) // a single attempt may exceed the limit
		if waited >= min(sayAfter, p.limit/2) && !said && p.waiting != nil {
			said = true
			p.waiting(path, p.limit)
		}
		if waited >= p.limit {
			return fmt.Errorf("%s is %w, which was waited for %v; end that process, or try again when it is done", path, ErrBusy, p.limit)
		}
		select {
		case <-time.After(10 * time.Millisecond): // SQLite does not wait for some locks
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// errRead is returned while a different process reads the log of a file.
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
