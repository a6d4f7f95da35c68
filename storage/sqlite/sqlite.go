// Package sqlite keeps an archive in one SQLite file: the store for a laptop, and
// for everybody who wants an archive to be a file.
//
// The file is in WAL mode, so readers never wait for the writer, and several
// processes may have it open. Every method that writes is one transaction.
//
// Contents and block trees are stored as what they add to those before, in
// chains of bounded length; pack.go and tree.go say how, docs/format.md byte by byte. [Store.Size] counts pages
// in use, which is what the file would take after a VACUUM of its free pages.
//
// The search index is a file of its own, that of the archive with "-search" behind
// its name, made when somebody searches: see searchFile.
package sqlite

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"plat"
	"plat/storage"
	"plat/storage/delta"
)

// The tables: of URLs and versions, of resources, and of memories.
var (
	//go:embed schema.sql
	schema string
	//go:embed resource.sql
	resourceSchema string
	//go:embed memory.sql
	memorySchema string
)

// applicationID marks the file as ours ("plat"); format is the version of schema
// and encodings, written as user_version.
const (
	applicationID = 0x706c6174
	format        = 6
)

// What a format was the first to have.
const (
	withJobs      = 2
	withResources = 3
	withMemories  = 4 // and why pages were taken when they were, and what was done before: in the trees
	withFolds     = 5 // which parts of blocks are folded: in the trees
	withPlans     = 6
)

// upgrades bring the tables of the format before to each format. What is in the
// rows stays as it is.
var upgrades = map[int64]string{
	withJobs: `
ALTER TABLE urls ADD COLUMN due      INTEGER;
ALTER TABLE urls ADD COLUMN settled  INTEGER;
ALTER TABLE urls ADD COLUMN priority REAL    NOT NULL DEFAULT 0;
ALTER TABLE urls ADD COLUMN depth    INTEGER NOT NULL DEFAULT 0;
ALTER TABLE urls ADD COLUMN scope    TEXT    NOT NULL DEFAULT '';
ALTER TABLE urls ADD COLUMN every    INTEGER NOT NULL DEFAULT 0;
`,
	withResources: resourceSchema,
	withMemories:  memorySchema,
	withFolds:     "", // a tree says itself what it has
	withPlans: `
ALTER TABLE urls ADD COLUMN plan TEXT NOT NULL DEFAULT '';
UPDATE urls SET plan = ` + oldPlan + ` WHERE depth <> 0 OR scope <> '' OR every <> 0;
ALTER TABLE urls DROP COLUMN depth;
ALTER TABLE urls DROP COLUMN scope;
ALTER TABLE urls DROP COLUMN every;
`}

// Options of a store. The zero Options are good for most.
type Options struct {
	// Readers is how many reads run at once; 0 means 8.
	Readers int

	// ReadOnly opens an archive that is there without writing a byte: what would
	// write fails with [ErrReadOnly]. It is for files, and folders, that cannot
	// be written. In such a folder SQLite cannot keep its log, and the file is
	// read as one that nobody writes to; if another user does all the same, a
	// read may fail, and has to be done again.
	ReadOnly bool

	// Busy is how long to wait for another process that writes; 0 means 30 s.
	Busy time.Duration

	// Fault, if not nil, is called before every write of a transaction, with the
	// name of what is written next, and fails the transaction by an error. Tests
	// use it to stop, or to kill the process, anywhere.
	Fault func(step string) error
}

// ErrReadOnly is returned by Open where file or folder cannot be written and
// Options.ReadOnly is not set, and by all that would write where it is.
var ErrReadOnly = errors.New("the archive is read-only")

// Store is an archive in a file.
type Store struct {
	path   string
	format int64   // of the file
	jobs   string  // what states are read from: jobColumns, or those of an older format
	write  *sql.DB // one connection; nil: read only
	read   *prepared
	fault  func(step string) error
	coder  delta.Coder
	busy   time.Duration
	index  searchFile
}

var _ storage.Store = (*Store)(nil)

// Open opens the archive at path, which it makes if nothing is there. One of an
// older format is brought to that of today, or, read-only, read as it is. A file
// that is something else, or was written by a newer plat, is refused.
func Open(path string, o Options) (*Store, error) {
	if o.Readers <= 0 {
		o.Readers = 8
	}
	if o.Busy <= 0 {
		o.Busy = 30 * time.Second
	}
	if o.Fault == nil {
		o.Fault = func(string) error { return nil }
	}
	if err := checkPath(path, o.ReadOnly); err != nil {
		return nil, fmt.Errorf("sqlite: %w", err)
	}
	s := &Store{path: path, format: format, jobs: jobColumns, fault: o.Fault, busy: o.Busy}
	if o.ReadOnly {
		if err := s.openReadOnly(o.Busy); err != nil {
			return nil, fmt.Errorf("sqlite: %w", told(path, err))
		}
	} else {
		var err error
		if s.write, err = open(path, o.Busy, "immediate"); err != nil {
			return nil, fmt.Errorf("sqlite: %w", told(path, err))
		}
		s.write.SetMaxOpenConns(1)
		if err = s.prepare(); err != nil {
			s.write.Close()
			return nil, fmt.Errorf("sqlite: %w", told(path, err))
		}
		read, err := open(path, o.Busy, "deferred")
		if err != nil {
			s.write.Close()
			return nil, fmt.Errorf("sqlite: %w", told(path, err))
		}
		s.read = &prepared{DB: read}
	}
	s.read.SetMaxOpenConns(o.Readers)
	s.read.SetMaxIdleConns(o.Readers)
	return s, nil
}

// open returns connections whose transactions begin as lock says; with deferred
// ones nothing can be written. The flags are SQLite's own, as "mode=ro".
func open(path string, busy time.Duration, lock string, flags ...string) (*sql.DB, error) {
	q := url.Values{"_txlock": {lock}, "_pragma": {
		fmt.Sprintf("busy_timeout(%d)", busy.Milliseconds()),
		"synchronous(NORMAL)", // WAL: a power cut may lose the last commits, never the file
		"foreign_keys(OFF)",   // every reference is checked by Verify; here they are documentation
		"cache_size(-8192)",
		"temp_store(MEMORY)",
	}}
	if lock == "deferred" {
		q["_pragma"] = append(q["_pragma"], "query_only(ON)")
	}
	for _, f := range flags {
		name, value, _ := strings.Cut(f, "=")
		q.Set(name, value)
	}
	return sql.Open("sqlite", (&url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: q.Encode()}).String())
}

// prepare makes the tables, or checks that they are ours. A file that is not is
// left as it is.
func (s *Store) prepare() error {
	ctx := context.Background()
	is, err := ours(ctx, s.write)
	if err != nil || is == format {
		return err
	}
	if is != fresh {
		return s.upgrade(ctx)
	}
	// In this order: once in WAL mode, a file keeps its page size. (The driver
	// runs pragmas of a data source name in alphabetical order.)
	for _, pragma := range []string{"page_size = 4096", "auto_vacuum = INCREMENTAL", "journal_mode = WAL"} {
		if _, err := s.write.ExecContext(ctx, "PRAGMA "+pragma); err != nil {
			return err
		}
	}
	return s.transact(ctx, func(tx *txn) error {
		// Another process may have come first.
		if is, err := ours(ctx, tx); err != nil || is != fresh {
			return err
		}
		_, err := tx.tx.ExecContext(ctx, schema+resourceSchema+memorySchema+fmt.Sprintf("PRAGMA application_id=%d; PRAGMA user_version=%d;", applicationID, format))
		return err
	})
}

// upgrade brings a file of an older format to that of today, or fails and leaves it.
func (s *Store) upgrade(ctx context.Context) error {
	return s.transact(ctx, func(tx *txn) error {
		// Another process may have come first.
		is, err := ours(ctx, tx)
		if err != nil {
			return err
		}
		for is++; is <= format; is++ {
			if err := s.fault("upgrade"); err != nil {
				return err
			}
			if _, err := tx.tx.ExecContext(ctx, upgrades[is]+fmt.Sprintf("PRAGMA user_version=%d;", is)); err != nil {
				return err
			}
		}
		return nil
	})
}

// fresh is the format of a file that is still empty.
const fresh = 0

// ours returns the format of a file; an error says that it is of others, or of a
// format that this plat does not read.
func ours(ctx context.Context, q querier) (is int64, err error) {
	var id, version, tables int64
	// One after the other: what keeps the first from being read keeps all.
	for _, x := range []struct {
		query string
		into  *int64
	}{{"PRAGMA application_id", &id}, {"PRAGMA user_version", &version}, {"SELECT count(*) FROM sqlite_master", &tables}} {
		if err := q.QueryRowContext(ctx, x.query).Scan(x.into); err != nil {
			return 0, err
		}
	}
	switch {
	case tables == 0:
		return fresh, nil
	case id != applicationID:
		return 0, errors.New("this is a database of something else; name another file")
	case version < 1 || version > format:
		return 0, fmt.Errorf("written in format %d, this plat reads %d and older; use the plat that wrote it", version, format)
	}
	return version, nil
}

// transact runs f in a write transaction.
func (s *Store) transact(ctx context.Context, f func(*txn) error) error {
	if s.write == nil {
		return fmt.Errorf("%w: it was opened so; open it for writing", ErrReadOnly)
	}
	tx, err := s.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // after Commit this does nothing
	if err := f(&txn{tx, map[string]*sql.Stmt{}}); err != nil {
		return err
	}
	if err := s.fault("commit"); err != nil {
		return err
	}
	return tx.Commit()
}

// Probe writes the format once more: a page of the log, so a full disk shows too.
func (s *Store) Probe(ctx context.Context) error {
	err := s.transact(ctx, func(tx *txn) error {
		_, err := tx.tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version=%d", format))
		return err
	})
	if err != nil {
		return fmt.Errorf("sqlite: %w", told(s.path, err))
	}
	return nil
}

// Close writes the log back into the file and closes it.
func (s *Store) Close() error {
	err := s.index.close()
	if s.write == nil {
		return errors.Join(err, s.read.Close())
	}
	return errors.Join(err, s.read.Close(), s.write.Close())
}

// Size returns the bytes of the pages in use.
func (s *Store) Size(ctx context.Context) (int64, error) {
	var pages, free, size int64
	for _, x := range []struct {
		pragma string
		into   *int64
	}{{"page_count", &pages}, {"freelist_count", &free}, {"page_size", &size}} {
		if err := s.read.QueryRowContext(ctx, "PRAGMA "+x.pragma).Scan(x.into); err != nil {
			return 0, fmt.Errorf("sqlite: size: %w", told(s.path, err))
		}
	}
	return (pages - free) * size, nil
}

// rows calls f for every row of a query.
func rows(ctx context.Context, q querier, f func(scan func(...any) error) error, query string, args ...any) error {
	r, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer r.Close()
	for r.Next() {
		if err := f(r.Scan); err != nil {
			return err
		}
	}
	return r.Err()
}

// notFound turns the absence of a row into plat.ErrNotFound.
func notFound(err error, format string, args ...any) error {
	if errors.Is(err, sql.ErrNoRows) {
		err = plat.ErrNotFound
	}
	return fmt.Errorf("sqlite: "+format+": %w", append(args, err)...)
}

func millis(t time.Time) int64   { return t.UnixMilli() }
func instant(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

// orNull is an instant that may be none.
func orNull(t time.Time) sql.NullInt64 {
	return sql.NullInt64{Int64: millis(t), Valid: !t.IsZero()}
}

func orZero(ms sql.NullInt64) time.Time {
	if !ms.Valid {
		return time.Time{}
	}
	return instant(ms.Int64)
}
