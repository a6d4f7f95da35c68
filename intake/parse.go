package intake

import (
	"context"
	"io"

	"plat"
	"plat/queue"
)

// A chunk is a number of lines that are parsed.
type chunk struct {
	jobs    []plat.Job
	refused []refusal
	lines   int64 // read so far
	bytes   int64 // read so far
	ended   bool  // the list
	err     error // of reading, and then it is the last chunk
}

type refusal struct {
	line int
	err  error
}

// Lines of a chunk, and chunks that wait to be taken.
const (
	firstChunk = firstBatch
	maxChunk   = 1000
	ahead      = maxBatch / maxChunk / 2
)

// parse parses the lines of r until it ends, or ctx does; then the channel is closed.
func parse(ctx context.Context, r io.Reader, job func(text string) (plat.Job, error)) <-chan *chunk {
	out := make(chan *chunk, ahead)
	go func() {
		defer close(out)
		c, size := &chunk{}, firstChunk
		send := func() error {
			select {
			case out <- c:
				c = &chunk{jobs: make([]plat.Job, 0, size), lines: c.lines, bytes: c.bytes}
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		err := queue.EachSeed(r, func(l queue.Line) error {
			c.lines, c.bytes = int64(l.N), l.End
			j, err := plat.Job{}, l.Err
			if err == nil {
				j, err = job(l.Text)
			}
			if err != nil {
				c.refused = append(c.refused, refusal{l.N, err})
			} else {
				c.jobs = append(c.jobs, j)
			}
			if len(c.jobs)+len(c.refused) < size {
				return ctx.Err()
			}
			size = min(2*size, maxChunk)
			return send()
		})
		if ctx.Err() == nil {
			c.err, c.ended = err, err == nil
			send()
		}
	}()
	return out
}
