package intake

import (
	"context"
	"fmt"
	"io"
	"time"

	"plat/plat"
	"plat/queue"
)

// Inbox receives seeds for an archive that is elsewhere; see [queue.Queue].
type Inbox interface {
	Put(ctx context.Context, jobs []plat.Job) error
	InboxLen(ctx context.Context) (int64, error)
}

// fullInbox is the number of entries in the inbox at which a list waits, so that a long one does
// not fill Redis.
const fullInbox = 20_000

// Push puts a list into the inbox, from where workers take it.
func (l *List) Push(ctx context.Context, q Inbox, r io.Reader) (p Progress, err error) {
	p.Begun = time.Now()
	var jobs []plat.Job
	flush := func() error {
		if len(jobs) == 0 {
			return nil
		}
		if err := l.room(ctx, q); err != nil {
			return err
		}
		if err := q.Put(ctx, jobs); err != nil {
			return err
		}
		p.URLs += int64(len(jobs))
		jobs = jobs[:0]
		if p.Spent = time.Since(p.Begun); l.Progress != nil {
			l.Progress(p)
		}
		return nil
	}
	from := newPipe(ctx, r, flush)
	defer from.end()
	err = queue.EachSeed(from, func(line queue.Line) error {
		p.Lines, p.Bytes = int64(line.N), line.End
		j, err := plat.Job{}, line.Err
		if err == nil {
			j, err = l.Parse(line.Text)
		}
		if err != nil {
			p.Refused++
			if l.Refused != nil {
				l.Refused(line.N, err)
			}
			return ctx.Err()
		}
		if jobs = append(jobs, j); len(jobs) < 1000 {
			return ctx.Err()
		}
		return flush()
	})
	if err == nil {
		err = flush()
	}
	return p, err
}

// room waits until the inbox has room.
func (l *List) room(ctx context.Context, q Inbox) error {
	for told := false; ; {
		n, err := q.InboxLen(ctx)
		if err != nil {
			return fmt.Errorf("read the inbox: %w", err)
		}
		if n < fullInbox {
			return nil
		}
		if !told && l.Full != nil {
			told = true
			l.Full()
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
