// Package sqlite stores an archive in one SQLite file. It suits laptops and every
// user who wants an archive to be a file.
//
// The file is in WAL mode, so readers never wait for the writer, and several
// processes may have it open. Every writing method is one transaction.
//
// Contents and block trees are delta-encoded in chains of bounded length: see pack.go and
// tree.go, and docs/format.md for every byte. [Store.Size] counts pages in use, which is the
// file size after a VACUUM of its free pages.
//
// The search index is a separate file, that of the archive with the suffix "-search",
// created by the first search: see searchFile.
package sqlite

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"plat/plat"
	"plat/storage"
	"plat/storage/delta"
)

// The tables of URLs and versions, resources, memories, hosts and jobs, aliases, subscriptions,
// focused crawls, forgotten versions, and contents that may return.
var (
	//go:embed schema.sql
	schema string
	//go:embed resource.sql
	resourceSchema string
	//go:embed memory.sql
	memorySchema string
	//go:embed jobs.sql
	jobsSchema string
	//go:embed addresses.sql
	addressSchema string
	//go:embed subscriptions.sql
	subscriptionSchema string
	//go:embed crawls.sql
	crawlSchema string
	//go:embed forget.sql
	forgetSchema string
	//go:embed past.sql
	pastSchema string
)

// applicationID marks the file as ours ("plat"); format is the version of schema
// and encodings, written as user_version.
const (
	applicationID = 0x706c6174
	format        = 16
)

// The first format with each feature.
const (
	withJobs      = 2
	withResources = 3
	withMemories  = 4 // and Settled and Steps, in the trees
	withFolds     = 5 // folded parts of blocks, in the trees
	withPlans     = 6
	withHosts     = 7 // hosts list their jobs
	withAddresses = 8
	withItself    = 9 // self-changes, in the trees

	withSubscriptions = 10
	withCrawls        = 11
	withForgetting    = 12 // versions begin after the forgotten ones; articles, in the trees
	withRoles         = 13 // roles of blocks and kinds of their contents, in the trees
	withVerbatim      = 14 // passages of articles that keep the blanks of code, in the trees
	withChanges       = 15 // changes of blocks, in the trees
	withPast          = 16 // contents that left their lineage
)

// upgrades migrate the tables from the previous format to each format. Data in the
// rows stays unchanged.
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
	withFolds:     "", // trees are self-describing
	withPlans: `
ALTER TABLE urls ADD COLUMN plan TEXT NOT NULL DEFAULT '';
UPDATE urls SET plan = ` + oldPlan + ` WHERE depth <> 0 OR scope <> '' OR every <> 0;
ALTER TABLE urls DROP COLUMN depth;
ALTER TABLE urls DROP COLUMN scope;
ALTER TABLE urls DROP COLUMN every;
`,
	withHosts:     jobsSchema,
	withAddresses: addressSchema,
	withItself:    "", // trees are self-describing

	withSubscriptions: subscriptionSchema,
	withCrawls:        crawlSchema,
	withForgetting:    forgetSchema,
	withRoles:         "", // trees are self-describing
	withVerbatim:      "", // trees are self-describing
	withChanges:       "", // trees are self-describing
	withPast:          pastSchema,
}

// Options of a store. The zero value suits most uses.
type Options struct {
	// Readers is the number of concurrent reads; 0 means 8.
	Readers int

	// ReadOnly opens an existing archive without writing a byte: writes fail with
	// [ErrReadOnly]. It is for files, and folders, that cannot be written. In such a folder
	// SQLite cannot keep its log and reads the file as immutable; if a different user writes to
	// it nevertheless, a read may fail and must be retried.
	ReadOnly bool

	// Existing opens only a file that already contains an archive. A file without tables is an
	// error, and does not change. It is for commands that do not create an archive.
	Existing bool

	// Busy limits the wait for a process that has locked a file; 0 means 30 s. After that, the
	// error is [ErrBusy].
	Busy time.Duration

	// Waiting, if not nil, is called once for every such wait that does not end at once.
	Waiting func(path string, limit time.Duration)

	// Fault, if not nil, is called before every write of a transaction with the name
	// of the step, and an error aborts the transaction. Tests use it to fail, or to
	// kill the process, at any write.
	Fault func(step string) error
}

// ErrReadOnly is returned by Open if file or folder cannot be written and
// Options.ReadOnly is not set, and by all writes if it is set.
var ErrReadOnly = errors.New("the archive is read-only")

// Store is an archive in a file.
type Store struct {
	path   string
	format int64       // format of the file
	was    int64       // its format when it was opened
	jobs   string      // columns of states: jobColumns, or the columns of an older format
	write  *connection // nil if read-only
	read   *prepared
	fault  func(step string) error
	coder  delta.Coder
	busy   patience
	index  searchFile
}

var (
	_ storage.Store         = (*Store)(nil)
	_ storage.Subscriptions = (*Store)(nil)
	_ storage.Outbox        = (*Store)(nil)
	_ storage.Crawls        = (*Store)(nil)
)

// Open opens the archive at path, or creates it. It upgrades an older format, but reads it
// unchanged if read-only. It rejects other files, and those written by a newer plat.
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
	s := &Store{path: path, format: format, jobs: jobColumns, fault: o.Fault, busy: patience{o.Busy, o.Waiting}}
	ctx := context.Background()
	if o.ReadOnly {
		if err := s.busy.wait(ctx, path, func() error { return s.openReadOnly(ctx) }); err != nil {
			return nil, fmt.Errorf("sqlite: %w", advise(path, err))
		}
	} else {
		if err := create(path, privateMode); err != nil {
			return nil, fmt.Errorf("sqlite: %w", advise(path, err))
		}
		write, err := open(path, lockTimeout, "immediate")
		if err != nil {
			return nil, fmt.Errorf("sqlite: %w", advise(path, err))
		}
		s.write = newConnection(write, path, s.busy)
		if err = s.busy.wait(ctx, path, func() error { return s.prepare(ctx, o.Existing) }); err != nil {
			s.write.Close()
			return nil, fmt.Errorf("sqlite: %w", advise(path, err))
		}
		read, err := open(path, o.Busy, "deferred")
		if err != nil {
			s.write.Close()
			return nil, fmt.Errorf("sqlite: %w", advise(path, err))
		}
		s.read = &prepared{DB: read}
	}
	s.read.SetMaxOpenConns(o.Readers)
	s.read.SetMaxIdleConns(o.Readers)
	return s, nil
}

// Page caches of a connection, in KiB. A list of unsorted URLs touches all pages of the indexes
// of urls: importing a million URLs takes a quarter less time than with 8 MiB.
const (
	writeCache = 32 << 10
	readCache  = 8 << 10
)

// open returns connections whose transactions begin in mode lock; "deferred" ones are
// read-only. The flags are SQLite's own, such as "mode=ro".
func open(path string, busy time.Duration, lock string, flags ...string) (*sql.DB, error) {
	q := url.Values{"_txlock": {lock}, "_pragma": {
		fmt.Sprintf("busy_timeout(%d)", busy.Milliseconds()),
		"synchronous(NORMAL)", // in WAL mode a power failure may lose the last commits, but does not corrupt the file
		"foreign_keys(OFF)",   // references are checked by Verify; in the schema they are documentation
		"temp_store(MEMORY)",
	}}
	cache := writeCache
	if lock == "deferred" {
		cache = readCache
		q["_pragma"] = append(q["_pragma"], "query_only(ON)")
	}
	q["_pragma"] = append(q["_pragma"], fmt.Sprintf("cache_size(-%d)", cache))
	for _, f := range flags {
		name, value, _ := strings.Cut(f, "=")
		q.Set(name, value)
	}
	// A path that begins with two slashes would be read as a host.
	return sql.Open("sqlite", (&url.URL{Scheme: "file", Opaque: (&url.URL{Path: filepath.Clean(path)}).EscapedPath(), RawQuery: q.Encode()}).String())
}

// prepare creates the tables, unless they must exist, or checks that they are plat's. It
// leaves other files unchanged.
func (s *Store) prepare(ctx context.Context, existing bool) error {
	is, err := ours(ctx, s.write)
	if s.was = is; is == fresh {
		s.was = format
	}
	switch {
	case err != nil || is == format:
		return err
	case is != fresh:
		return s.upgrade(ctx)
	case existing:
		return errEmpty
	}
	// The order matters: a file in WAL mode cannot change its page size. (The driver
	// runs pragmas of a data source name in alphabetical order.)
	for _, pragma := range []string{"page_size = 4096", "auto_vacuum = INCREMENTAL", "journal_mode = WAL"} {
		if _, err := s.write.ExecContext(ctx, "PRAGMA "+pragma); err != nil {
			return err
		}
	}
	return s.transact(ctx, func(tx *txn) error {
		// A concurrent process may have created them first.
		if is, err := ours(ctx, tx); err != nil || is != fresh {
			return err
		}
		_, err := tx.tx.ExecContext(ctx, schema+resourceSchema+memorySchema+jobsSchema+addressSchema+subscriptionSchema+crawlSchema+forgetSchema+pastSchema+fmt.Sprintf("PRAGMA application_id=%d; PRAGMA user_version=%d;", applicationID, format))
		return err
	})
}

// upgrade migrates a file to the current format, atomically.
func (s *Store) upgrade(ctx context.Context) error {
	return s.transact(ctx, func(tx *txn) error {
		// A concurrent process may have upgraded it first.
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

// fresh is the format of an empty file.
const fresh = 0

// ours returns the format of a file, or an error if it belongs to a different application or
// has a format that this plat cannot read.
func ours(ctx context.Context, q querier) (is int64, err error) {
	var id, version, tables int64
	// The queries run in sequence: an error of the first applies to all.
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
		return 0, errors.New("this is a database of a different application; name a different file")
	case version < 1 || version > format:
		return 0, fmt.Errorf("written in format %d, this plat reads at most %d; use the plat that wrote it", version, format)
	}
	return version, nil
}

// ReadOnly reports whether writes fail, see [Options.ReadOnly].
func (s *Store) ReadOnly() bool { return s.write == nil }

// transact runs f in a write transaction.
func (s *Store) transact(ctx context.Context, f func(*txn) error) error {
	if s.write == nil {
		return fmt.Errorf("%w: open it for writing", ErrReadOnly)
	}
	t, err := s.write.begin(ctx)
	if err != nil {
		return err
	}
	defer s.write.end()
	defer t.tx.Rollback() // no-op after Commit
	if err := f(t); err != nil {
		return err
	}
	if err := s.writeHosts(ctx, t); err != nil {
		return err
	}
	if err := s.fault("commit"); err != nil {
		return err
	}
	return t.tx.Commit()
}

// Probe rewrites the format number. That writes one page of the log, so that a full disk is
// detected too.
func (s *Store) Probe(ctx context.Context) error {
	err := s.transact(ctx, func(tx *txn) error {
		is, err := ours(ctx, tx) // a newer plat may have upgraded the file
		if err != nil {
			return err
		}
		_, err = tx.tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version=%d", is))
		return err
	})
	if err != nil {
		return fmt.Errorf("sqlite: %w", advise(s.path, err))
	}
	return nil
}

// Close checkpoints the log into the file and closes it.
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
			return 0, fmt.Errorf("sqlite: size: %w", advise(s.path, err))
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

// notFound converts sql.ErrNoRows to plat.ErrNotFound.
func notFound(err error, format string, args ...any) error {
	if errors.Is(err, sql.ErrNoRows) {
		err = plat.ErrNotFound
	}
	return fmt.Errorf("sqlite: "+format+": %w", append(args, err)...)
}

func millis(t time.Time) int64   { return t.UnixMilli() }
func instant(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

// orNull converts the zero time to NULL.
func orNull(t time.Time) sql.NullInt64 {
	return sql.NullInt64{Int64: millis(t), Valid: !t.IsZero()}
}

func orZero(ms sql.NullInt64) time.Time {
	if !ms.Valid {
		return time.Time{}
	}
	return instant(ms.Int64)
}
