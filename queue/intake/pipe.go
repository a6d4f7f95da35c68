package intake

import (
	"context"
	"fmt"
	"io"
	"time"
)

// A pipe reads a list that can be read only once, and that may be slow, or silent for ever. Its
// reader ends with ctx; the goroutine that reads the source ends after its next bytes, or with the
// process.
type pipe struct {
	ctx    context.Context
	idle   func() error // called by Read when no bytes have arrived for a while; may be nil
	chunks chan []byte
	failed error  // of the source, or io.EOF; set before chunks is closed
	rest   []byte // read from the source, and not yet returned
	ended  context.CancelFunc
}

// slow is the time for which a partial batch waits for more lines.
const slow = time.Second

// newPipe begins to read r. end must follow.
func newPipe(ctx context.Context, r io.Reader, idle func() error) *pipe {
	p := &pipe{idle: idle, chunks: make(chan []byte, 4)}
	p.ctx, p.ended = context.WithCancel(ctx)
	go func() {
		defer close(p.chunks)
		for p.failed == nil {
			b := make([]byte, 64<<10)
			n, err := r.Read(b)
			p.failed = err
			if n == 0 {
				continue
			}
			select {
			case p.chunks <- b[:n]:
			case <-p.ctx.Done():
				p.failed = context.Cause(p.ctx)
			}
		}
	}()
	return p
}

func (p *pipe) end() { p.ended() }

// head returns the beginning of the list, which is read again by Read: so many bytes, or all if it
// is shorter. A list that does not arrive that far within a second of its first bytes cannot be
// identified by its beginning: the next time it may stop elsewhere.
func (p *pipe) head(most int) (head []byte, known bool, err error) {
	var late <-chan time.Time
	for len(p.rest) < most {
		select {
		case b, ok := <-p.chunks:
			switch {
			case ok:
				p.rest = append(p.rest, b...)
			case p.failed == io.EOF:
				return p.rest, true, nil
			default:
				return nil, false, p.failed
			}
			if late == nil {
				late = time.After(slow)
			}
		case <-late:
			return nil, false, nil
		case <-p.ctx.Done():
			return nil, false, context.Cause(p.ctx)
		}
	}
	return p.rest[:most], true, nil
}

// Read returns the bytes that have arrived. While none arrive, it calls idle.
func (p *pipe) Read(b []byte) (int, error) {
	idle := time.NewTimer(slow)
	defer idle.Stop()
	for len(p.rest) == 0 {
		select {
		case chunk, ok := <-p.chunks:
			if !ok {
				if p.failed == io.EOF {
					return 0, io.EOF
				}
				return 0, fmt.Errorf("read the list: %w", p.failed)
			}
			p.rest = chunk
		case <-idle.C:
			if p.idle != nil {
				if err := p.idle(); err != nil {
					return 0, err
				}
			}
		case <-p.ctx.Done():
			return 0, context.Cause(p.ctx)
		}
	}
	n := copy(b, p.rest)
	p.rest = p.rest[n:]
	return n, nil
}
