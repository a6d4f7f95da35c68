package sqlite

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"
	"time"

	sqlite3 "modernc.org/sqlite/lib"
)

//go:embed search.sql
var searchSchema string

// searchID marks a file as a search index ("plas"); searchFormat is the version of its schema
// and tokenization. An index of a different format is rebuilt.
const (
	searchID     = 0x706c6173
	searchFormat = 4 // 1 had FNV hashes and no list of unreadable URLs; 2 did not support removing words; 3 split words at zero-width characters and readings
)

// searchFile is the file of the search index. Its name is that of the archive with the suffix
// "-search". A separate file keeps derived data out of the archive, and commits do not wait for
// the index. It is created on first use. If it cannot be written, the index is a temporary
// file.
type searchFile struct {
	mu    sync.Mutex // guards opening and closing
	path  string
	busy  patience
	temp  bool
	write *sql.DB // one connection
	read  *prepared

	// retried means that unreadable URLs, which may have been repaired, were retried since the
	// index was opened.
	retried atomic.Bool
}

// search returns the opened index.
func (s *Store) search(ctx context.Context) (*searchFile, error) {
	x := &s.index
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.read != nil {
		return x, nil
	}
	at := s.path + "-search"
	var err error
	if s.write != nil {
		if err = x.open(ctx, at, s); err == nil {
			return x, nil
		}
	}
	if s.write == nil || denied(err) {
		err = x.openTemp(ctx, at, s)
	}
	if resultOf(err) == sqlite3.SQLITE_NOTADB {
		err = fmt.Errorf("%s is not a search index; delete it to have it rebuilt", at)
	}
	if err != nil {
		return nil, fmt.Errorf("search index: %w", err)
	}
	return x, nil
}

// open opens or creates the index at path.
func (x *searchFile) open(ctx context.Context, path string, s *Store) error {
	mode := fs.FileMode(privateMode)
	if archive, err := os.Stat(s.path); err == nil {
		mode = archive.Mode().Perm() // the same permissions as the archive
	}
	if err := create(path, mode); err != nil {
		return err
	}
	write, err := open(path, lockTimeout, "immediate")
	if err != nil {
		return err
	}
	write.SetMaxOpenConns(1)
	x.path, x.busy, x.write = path, s.busy, write
	if err := x.busy.wait(ctx, path, func() error { return x.prepare(ctx) }); err != nil {
		x.write = nil
		return errors.Join(err, write.Close())
	}
	read, err := open(path, s.busy.limit, "deferred")
	if err != nil {
		x.write = nil
		return errors.Join(err, write.Close())
	}
	x.read = &prepared{DB: read}
	return nil
}

// openTemp creates a temporary index, removed on close, that starts as a copy of the
// one at path, if that can be read.
func (x *searchFile) openTemp(ctx context.Context, path string, s *Store) error {
	f, err := os.CreateTemp("", "plat-search-")
	if err != nil {
		return err
	}
	temp := f.Name()
	if err := f.Close(); err != nil {
		return err
	}
	copyOf(ctx, path, temp, s.busy.limit)
	x.temp = true
	if err := x.open(ctx, temp, s); err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	return nil
}

// copyOf copies the index at path into an empty file. If that fails, the file remains empty,
// and everything is indexed again.
func copyOf(ctx context.Context, path, to string, busy time.Duration) {
	flags := []string{"mode=ro"}
	if _, err := os.Stat(path + "-wal"); errors.Is(err, fs.ErrNotExist) {
		flags = append(flags, "immutable=1") // it is not written to, and SQLite creates no files beside it
	}
	from, err := open(path, busy, "immediate", flags...)
	if err != nil {
		return
	}
	defer from.Close()
	from.ExecContext(ctx, "VACUUM INTO ?", to)
}

// prepare creates the tables, and recreates them if they have a different format.
func (x *searchFile) prepare(ctx context.Context) error {
	var id, version, tables int64
	read := func(q querier) error {
		for query, into := range map[string]*int64{"PRAGMA application_id": &id, "PRAGMA user_version": &version, "SELECT count(*) FROM sqlite_master": &tables} {
			if err := q.QueryRowContext(ctx, query).Scan(into); err != nil {
				return err // only one of the errors: each query waits for a lock
			}
		}
		return nil
	}
	if err := read(x.write); err != nil || id == searchID && version == searchFormat {
		return err
	}
	if tables > 0 && id != searchID {
		return fmt.Errorf("%s is a database of a different application; move it away", x.path)
	}
	if _, err := x.write.ExecContext(ctx, "PRAGMA journal_mode = WAL"); err != nil {
		return err
	}
	return x.transact(ctx, func(tx *txn) error {
		// A concurrent process may have created them first.
		if err := read(tx); err != nil || id == searchID && version == searchFormat {
			return err
		}
		return x.reset(ctx, tx)
	})
}

// reset empties the index.
func (x *searchFile) reset(ctx context.Context, tx *txn) error {
	_, err := tx.tx.ExecContext(ctx, "DROP TABLE IF EXISTS words; DROP TABLE IF EXISTS spans; DROP TABLE IF EXISTS urls; DROP TABLE IF EXISTS mark;"+
		searchSchema+fmt.Sprintf("PRAGMA application_id=%d; PRAGMA user_version=%d;", searchID, searchFormat))
	return err
}

// transact runs f in a write transaction.
func (x *searchFile) transact(ctx context.Context, f func(*txn) error) error {
	var tx *sql.Tx
	err := x.busy.wait(ctx, x.path, func() (err error) { tx, err = x.write.BeginTx(ctx, nil); return err })
	if err != nil {
		return err
	}
	defer tx.Rollback() // no-op after Commit
	if err := f(&txn{tx: tx, stmts: map[string]*sql.Stmt{}}); err != nil {
		return err
	}
	return tx.Commit()
}

func (x *searchFile) close() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.read == nil {
		return nil
	}
	err := errors.Join(x.read.Close(), x.write.Close())
	x.read, x.write = nil, nil
	if x.temp {
		err = errors.Join(err, os.Remove(x.path)) // closing removed its log
	}
	return err
}
