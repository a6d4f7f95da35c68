package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"plat/plat"
	"plat/storage/wire"
)

// Visits are stored in runs, some dozens to a row, each as a difference to the
// previous one: about ten bytes each instead of forty in a row of its own. A run
// longer than runBytes is split in two, so that a late visit costs no more than one
// in order.
const runBytes = 480 // two rows in a kilobyte, the largest row that SQLite keeps on a page without overflow

// Fields in which a visit differs from the previous one, bits of its mask.
const (
	visitBytes = 1 << iota
	visitVersion
	visitStatus
	visitOutcome
	visitError
	visitSettles
	visitNext
	visitSkipped // has no value
)

// outcomes is the order for [wire.PutName].
var outcomes = [...]plat.Outcome{plat.OutcomeNew, plat.OutcomeChanged, plat.OutcomeUnchanged, plat.OutcomeUnsupported, plat.OutcomeRefused,
	plat.OutcomeGone, plat.OutcomeHTTPError, plat.OutcomeUnreachable, plat.OutcomeTimeout, plat.OutcomeTooLarge, plat.OutcomeBadURL,
	plat.OutcomeRedirects, plat.OutcomeDownload, plat.OutcomeCrashed, plat.OutcomeBlank, plat.OutcomeInterrupted, plat.OutcomeError}

// encodeVisits encodes a run of URL id after a checksum, in order of time; the first
// visit is at the row's start.
func encodeVisits(run []plat.Visit, id int64) []byte {
	w := wire.Writer{B: make([]byte, sumLen)}
	prev := plat.Visit{}
	var due time.Time // the last Next: usually the Settles of the following visit
	var gap int64     // from that visit's Time to its Next: usually constant
	for i := range run {
		v := &run[i]
		if i > 0 {
			w.Uint(uint64(millis(v.Time) - millis(prev.Time)))
		}
		var rec wire.Writer
		var mask uint64
		put := func(field uint64, differs bool) bool {
			if differs {
				mask |= field
			}
			return differs
		}
		rec.Int(int64(v.Duration / time.Millisecond))
		if put(visitBytes, v.Bytes != prev.Bytes) {
			rec.Int(v.Bytes - prev.Bytes)
		}
		if put(visitVersion, v.Version != prev.Version) {
			rec.Int(int64(v.Version) - int64(prev.Version))
		}
		if put(visitStatus, v.Status != prev.Status) {
			rec.Int(int64(v.Status))
		}
		if put(visitOutcome, v.Outcome != prev.Outcome) {
			wire.PutName(&rec, outcomes[:], v.Outcome)
		}
		if put(visitError, v.Error != "") {
			rec.TextAs(v.Error, prev.Error)
		}
		if put(visitSettles, !v.Settles.IsZero()) {
			rec.Int(millis(v.Settles) - millis(dueAt(due, v)))
		}
		if put(visitNext, !v.Next.IsZero()) {
			was := gap
			due, gap = v.Next, millis(v.Next)-millis(v.Time)
			rec.Int(gap - was)
		}
		put(visitSkipped, v.Skipped)
		w.Uint(mask)
		w.B = append(w.B, rec.B...)
		prev = *v
	}
	setSum(w.B, id, millis(run[0].Time))
	return w.B
}

// dueAt returns the predicted Settles of v.
func dueAt(due time.Time, v *plat.Visit) time.Time {
	if due.IsZero() {
		return v.Time
	}
	return due
}

func decodeVisits(b []byte, id int64, url string, start int64) ([]plat.Visit, error) {
	if !hasSum(b, id, start) {
		return nil, fmt.Errorf("visits of %s from %s have a wrong checksum: %w", url, instant(start).Format(time.RFC3339), plat.ErrCorrupt)
	}
	r := &wire.Reader{B: b[sumLen:]}
	var run []plat.Visit
	prev, at := plat.Visit{URL: url}, start
	var due time.Time
	var gap int64
	for len(r.B) > 0 {
		v := prev
		if len(run) > 0 {
			d := r.Uint()
			if at += int64(d); int64(d) < 0 || at < start {
				r.Fail("visit time out of range")
			}
		}
		mask := r.Uint()
		v.Time = instant(at)
		v.Duration = r.Duration()
		if mask&visitBytes != 0 {
			v.Bytes += r.Int()
		}
		if mask&visitVersion != 0 {
			v.Version += int(r.Int())
		}
		if mask&visitStatus != 0 {
			v.Status = int(r.Int())
		}
		if mask&visitOutcome != 0 {
			v.Outcome = wire.NameOf(r, outcomes[:], "outcome")
		}
		v.Error, v.Skipped = "", mask&visitSkipped != 0
		if mask&visitError != 0 {
			v.Error = r.TextAs(prev.Error)
		}
		v.Settles, v.Next = time.Time{}, time.Time{}
		if mask&visitSettles != 0 {
			v.Settles = instant(millis(dueAt(due, &v)) + r.Int())
		}
		if mask&visitNext != 0 {
			gap += r.Int()
			v.Next = instant(at + gap)
		}
		if !v.Next.IsZero() {
			due = v.Next
		}
		run = append(run, v)
		prev = v
	}
	if r.Err != nil {
		return nil, fmt.Errorf("visits of %s from %s: %w", url, instant(start).Format(time.RFC3339), r.Err)
	}
	return run, nil
}

// addVisit inserts v into its run, and reports whether it was new.
func (s *Store) addVisit(ctx context.Context, tx *txn, url int64, v *plat.Visit) (bool, error) {
	at := millis(v.Time)
	var start int64
	var data []byte
	// The run that begins at or before the visit, else the first.
	err := tx.QueryRowContext(ctx, "SELECT start, data FROM visits WHERE url = ? AND start <= ? ORDER BY start DESC LIMIT 1", url, at).Scan(&start, &data)
	if errors.Is(err, sql.ErrNoRows) {
		err = tx.QueryRowContext(ctx, "SELECT start, data FROM visits WHERE url = ? ORDER BY start LIMIT 1", url).Scan(&start, &data)
	}
	none := errors.Is(err, sql.ErrNoRows)
	if err != nil && !none {
		return false, err
	}
	var run []plat.Visit
	if !none {
		if run, err = decodeVisits(data, url, v.URL, start); err != nil {
			return false, err
		}
	}
	i, there := slices.BinarySearchFunc(run, at, func(x plat.Visit, at int64) int { return int(min(1, max(-1, millis(x.Time)-at))) })
	if there {
		return false, nil
	}
	run = slices.Insert(run, i, *v)
	b := encodeVisits(run, url)
	if err := s.fault("visit"); err != nil {
		return false, err
	}
	put := func(run []plat.Visit, b []byte) error {
		_, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO visits (url, start, data) VALUES (?, ?, ?)", url, millis(run[0].Time), b)
		return err
	}
	if !none && millis(run[0].Time) != start {
		if _, err := tx.ExecContext(ctx, "DELETE FROM visits WHERE url = ? AND start = ?", url, start); err != nil {
			return false, err
		}
	}
	if len(b) <= runBytes || len(run) == 1 {
		return true, put(run, b)
	}
	// For visits in order of time, the usual case, keep full runs full.
	cut := len(run) / 2
	if i == len(run)-1 {
		cut = i
	}
	for _, part := range [][]plat.Visit{run[:cut], run[cut:]} {
		if err := put(part, encodeVisits(part, url)); err != nil {
			return false, err
		}
	}
	return true, nil
}

// Visits yields the visits of url, latest first.
func (s *Store) Visits(ctx context.Context, url string, limit int) iter.Seq2[plat.Visit, error] {
	return func(yield func(plat.Visit, error) bool) {
		left := limit
		before := int64(1<<63 - 1)
		for {
			var id, start int64
			var data []byte
			err := s.read.QueryRowContext(ctx, `SELECT v.url, v.start, v.data FROM visits v WHERE v.url = (SELECT id FROM urls WHERE url = ?) AND v.start < ?
				ORDER BY v.start DESC LIMIT 1`, url, before).Scan(&id, &start, &data)
			if errors.Is(err, sql.ErrNoRows) {
				return
			}
			var run []plat.Visit
			if err == nil {
				run, err = decodeVisits(data, id, url, start)
			}
			if err != nil {
				yield(plat.Visit{}, fmt.Errorf("sqlite: visits: %w", err))
				return
			}
			for _, v := range slices.Backward(run) {
				if millis(v.Time) >= before {
					continue // the run was split since the last row was read
				}
				if !yield(v, nil) {
					return
				}
				if left--; left == 0 {
					return
				}
			}
			before = start
		}
	}
}
