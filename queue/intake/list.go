package intake

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"time"

	"plat/plat"
	"plat/queue"
	"plat/storage"
)

// ListStore is the part of an archive that a List uses.
type ListStore interface {
	Store
	Notes(ctx context.Context, prefix string) (map[string]string, error)
	SetNote(ctx context.Context, name, text string) error
	Counts(ctx context.Context, now time.Time) (storage.JobCounts, error)
}

// List is a list of URLs to be visited: one a line, or JSON Lines, see
// [queue.EachSeed].
type List struct {
	// Parse makes a job of a line; see [queue.ParseSeed].
	Parse func(text string) (plat.Job, error)

	// Settings names everything that Parse adds to each line. A list with different settings is a
	// different list.
	Settings string

	// Again makes a list that is given again visit all of its URLs again.
	Again bool

	// Waiting, if not nil, receives errors of the archive or the frontier, and the batch is tried
	// again until ctx ends. Otherwise the error ends Take.
	Waiting func(err error)

	// Full, if not nil, is called when Push waits for room in the inbox.
	Full func()

	// Yield, if not nil, is called with true before a file is read, and with false at its end:
	// visits should leave it the machine meanwhile. A pipe may never end, so it is not called for
	// one.
	Yield func(on bool)

	// MaxRefused, if not 0, is the number of invalid lines in a row that end Take with
	// [ErrNoList]: for untrusted lists.
	MaxRefused int

	// Refused is called for each invalid line, Progress after every batch. Either may be nil.
	Refused  func(line int, err error)
	Progress func(Progress)
}

// ErrNoList is the error for a list with too many invalid lines in a row.
var ErrNoList = errors.New("too many lines in a row are not URLs; send a list with one URL per line")

// Progress is the progress of a list.
type Progress struct {
	Lines   int64         // read, blank ones and comments included
	URLs    int64         // added by this call
	New     int64         // of them without a job before
	Refused int64         // invalid lines
	Bytes   int64         // read
	Skipped int64         // lines that an earlier call has read
	Left    int64         // jobs that wait in the archive, if an earlier call has read the list to its end
	Begun   time.Time     // when the list was first given: its jobs are due since then
	Spent   time.Duration // by this call
}

const (
	firstBatch = 100                     // URLs; small, so that visits begin soon
	maxBatch   = 20_000                  // large, because an unsorted list is read twice as fast as with batches of a thousand
	maxTime    = 3000 * time.Millisecond // visits wait that long for the archive, in SQLite
)

// Take reads a list to its end, and adds its jobs to the archive. It may be called again with the
// same list after any error. If r is a file, it skips lines that an earlier call has read. The
// error is of reading, of the archive, or of the frontier.
func (l *List) Take(ctx context.Context, s ListStore, q Frontier, r io.Reader) (_ Progress, err error) {
	defer func() {
		if err != nil && ctx.Err() != nil && !errors.Is(err, ctx.Err()) {
			err = fmt.Errorf("%w: %w", ctx.Err(), err) // a database may return any error for an interrupted statement
		}
	}()
	t := taking{List: l, s: s, q: q, started: time.Now(), last: time.Now(), sum: sha256.New(), limit: firstBatch}
	if f, ok := r.(file); ok {
		if _, err := f.Seek(0, io.SeekStart); err == nil {
			t.file = f
		}
	}
	var head []byte
	known := true
	if t.file == nil {
		p := newPipe(ctx, r, func() error { return t.some(ctx) })
		defer p.end()
		head, known, err = p.head(headBytes)
		r = p
	} else {
		if l.Yield != nil {
			l.Yield(true)
			defer l.Yield(false)
		}
		head, err = io.ReadAll(io.LimitReader(r, headBytes))
	}
	if err != nil {
		return t.Progress, fmt.Errorf("read the list: %w", err)
	}
	if known && len(head) == 0 {
		return t.Progress, nil // it is empty
	}
	if known {
		t.name = l.named(head)
	}
	again := false
	err = t.persist(ctx, func() (err error) {
		again, err = t.begin(ctx)
		return err
	})
	if err != nil {
		return t.Progress, err
	}
	switch {
	case t.file == nil:
	case again:
		err = t.resume()
	default:
		_, err = t.file.Seek(0, io.SeekStart)
	}
	if err != nil {
		return t.Progress, fmt.Errorf("read the list: %w", err)
	}
	err = queue.EachSeed(r, func(line queue.Line) error { return t.line(ctx, line) })
	if err == nil {
		t.ended = true
		err = t.flush(ctx)
	}
	return t.Progress, err
}

// A file can be read again.
type file interface {
	io.ReaderAt
	io.ReadSeeker
}

// taking is one call of Take.
type taking struct {
	*List
	Progress
	s       ListStore
	q       Frontier
	name    string // of the note
	started time.Time
	file    file // nil: the list can be read only once

	mark  mark      // as noted
	sum   hash.Hash // of the file's first mark.Bytes bytes
	jobs  []plat.Job
	limit int       // of this batch
	last  time.Time // batch
	from  int64     // bytes and lines that were passed over
	lines int64
	ended bool

	// Up to the last line break: the text after it may be the beginning of a line.
	whole, wholeLines int64
	open              bool // that beginning is refused

	refused int // lines in a row
}

// begin reads the note of the list, and reports whether the list is given again.
func (t *taking) begin(ctx context.Context) (again bool, err error) {
	if t.name != "" {
		all, err := t.marks(ctx)
		if err != nil {
			return false, err
		}
		if t.file != nil {
			if name, err := t.continued(all); err != nil {
				return false, fmt.Errorf("read the list: %w", err)
			} else if name != "" {
				t.name = name
			}
		}
		t.mark, again = all[t.name]
	}
	if again = again && !t.Again; again && t.mark.Done {
		// The list starts over only when no job waits, including retries and revisits.
		c, err := t.s.Counts(ctx, time.Now())
		if err != nil {
			return false, err
		}
		t.Left = c.Backlog + c.Due + c.Later
		again = t.Left > 0
	}
	if !again {
		now, err := t.q.Now(ctx)
		if err != nil {
			return false, fmt.Errorf("frontier: %w", err)
		}
		t.mark = mark{Begun: now, Settings: t.settings()}
	}
	t.Progress.Begun = t.mark.Begun
	return again, nil
}

// resume skips the part that an earlier call has read, unless the file has changed there.
func (t *taking) resume() error {
	was := t.mark
	t.mark = mark{Begun: was.Begun, Settings: was.Settings}
	if _, err := t.file.Seek(0, io.SeekStart); err != nil || was.Sum == "" {
		return err
	}
	n, err := io.CopyN(t.sum, t.file, was.Bytes)
	if err != nil && err != io.EOF {
		return err
	}
	if n == was.Bytes && hex.EncodeToString(t.sum.Sum(nil)) == was.Sum {
		t.mark, t.from, t.lines = was, was.Bytes, was.Lines
		t.Lines, t.Bytes, t.Skipped = was.Lines, was.Bytes, was.Lines
		t.whole, t.wholeLines, t.Progress.Refused = was.Bytes, was.Lines, was.Refused
		return nil
	}
	t.sum.Reset()
	_, err = t.file.Seek(0, io.SeekStart)
	return err
}

func (t *taking) line(ctx context.Context, l queue.Line) error {
	if t.Lines, t.Bytes = t.lines+int64(l.N), t.from+l.End; !l.Open {
		t.whole, t.wholeLines = t.Bytes, t.Lines
	}
	var j plat.Job
	err := l.Err
	if err == nil {
		j, err = t.Parse(l.Text)
	}
	if err != nil {
		t.Progress.Refused++
		t.open = l.Open
		if t.List.Refused != nil {
			t.List.Refused(int(t.Lines), err)
		}
		if t.refused++; t.refused == t.MaxRefused {
			return cmp.Or(t.flush(ctx), ErrNoList)
		}
		if time.Since(t.last) >= maxTime {
			return t.flush(ctx) // so that a list without a URL reports its progress
		}
		return ctx.Err()
	}
	t.refused = 0
	j.Due = t.mark.Begun
	t.jobs = append(t.jobs, j)
	if len(t.jobs) < t.limit && (t.file != nil || time.Since(t.last) < slow) {
		return ctx.Err()
	}
	return t.flush(ctx)
}

// some takes the lines that have arrived of a slow list.
func (t *taking) some(ctx context.Context) error {
	if len(t.jobs) == 0 {
		return nil
	}
	return t.flush(ctx)
}

// maxPause is the longest pause before a batch is tried again.
const maxPause = 10 * time.Second

// persist calls f until it succeeds, if the list is to wait for that.
func (t *taking) persist(ctx context.Context, f func() error) error {
	for pause := 100 * time.Millisecond; ; pause = min(2*pause, maxPause) {
		err := f()
		if err == nil || t.Waiting == nil || ctx.Err() != nil || errors.Is(err, plat.ErrCorrupt) {
			return err
		}
		t.Waiting(err)
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return err
		}
	}
}

// flush writes a batch to the archive, and notes the progress.
func (t *taking) flush(ctx context.Context) error {
	began := time.Now()
	if len(t.jobs) > 0 {
		var e storage.Enlisted
		how := storage.Join
		if t.List.Again {
			how = storage.Seed
		}
		err := t.persist(ctx, func() (err error) {
			e, err = t.s.Enlist(ctx, t.jobs, how)
			return err
		})
		if err != nil {
			return fmt.Errorf("enlist: %w", err)
		}
		t.New += int64(e.New)
		// Separate: only the first Enlist returns the new jobs.
		if err := t.persist(ctx, func() error { return tell(ctx, t.q, e.Jobs) }); err != nil {
			return fmt.Errorf("frontier: %w", err)
		}
		t.URLs += int64(len(t.jobs))
		t.jobs = t.jobs[:0]
	}
	if err := t.note(ctx); err != nil {
		return err
	}
	t.last = time.Now()
	switch took := time.Since(began); {
	case took > maxTime:
		t.limit = max(firstBatch, t.limit/2)
	case took < maxTime/2:
		t.limit = min(2*t.limit, maxBatch)
	}
	if t.Spent = time.Since(t.started); t.List.Progress != nil {
		t.List.Progress(t.Progress)
	}
	return nil
}

// note notes the progress in the archive.
func (t *taking) note(ctx context.Context) error {
	if t.name == "" {
		return nil
	}
	if t.file != nil {
		if _, err := io.Copy(t.sum, io.NewSectionReader(t.file, t.mark.Bytes, t.whole-t.mark.Bytes)); err != nil {
			return fmt.Errorf("read the list: %w", err)
		}
		t.mark.Sum = hex.EncodeToString(t.sum.Sum(nil))
	}
	t.mark.Lines, t.mark.Bytes, t.mark.Refused, t.mark.Done = t.wholeLines, t.whole, t.Progress.Refused, t.ended
	if t.open {
		t.mark.Refused--
	}
	text, err := json.Marshal(t.mark)
	if err != nil {
		return err
	}
	return t.persist(ctx, func() error { return t.s.SetNote(ctx, t.name, string(text)) })
}
