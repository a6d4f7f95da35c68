package intake

import (
	"context"
	"io"
	"log/slog"
	"time"
)

// logEvery is the interval at which the log reports progress.
const logEvery = 5 * time.Second

// Logged is Take for a process with workers: it waits while the archive or the frontier is
// unavailable, and logs the progress and the result. It also passes them to say, for display: say
// may be nil, err is the reason for an early end.
func (l *List) Logged(ctx context.Context, log *slog.Logger, s ListStore, q Frontier, r io.Reader, say func(p Progress, ended bool, err error)) {
	if say == nil {
		say = func(Progress, bool, error) {}
	}
	attrs := func(p Progress) []any {
		return []any{"taken", p.URLs, "new", p.New, "refused", p.Refused, "passed_over", p.Skipped, "took", p.Spent.Round(time.Millisecond)}
	}
	said, waiting := time.Now(), false
	l.Progress = func(p Progress) {
		waiting = false
		if time.Since(said) > logEvery {
			said = time.Now()
			log.Info("reading the list", attrs(p)...)
			say(p, false, nil)
		}
	}
	l.Waiting = func(err error) {
		if !waiting {
			log.Warn("reading the list waits", "error", err)
		}
		waiting = true
	}
	p, err := l.Take(ctx, s, q, r)
	switch {
	case ctx.Err() != nil:
		err = context.Cause(ctx)
		log.Info("the list was interrupted; give it again to continue", attrs(p)...)
	case err != nil:
		log.Error("the list was not read to its end", append(attrs(p), "error", err)...)
		return
	case p.Left > 0 && p.New == 0:
		log.Info("the list was read before; it starts over with --again, or when no URL of the archive waits for a visit",
			append(attrs(p), "waiting", p.Left)...)
	default:
		log.Info("the list was read", attrs(p)...)
	}
	say(p, true, err)
}
