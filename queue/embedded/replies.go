package embedded

import (
	"errors"
	"net"
	"sync"
	"time"
)

// maxReplies is the limit of unsent replies of a client, in bytes.
const maxReplies = 64 << 20

// errSlow ends a connection whose client does not read its replies.
var errSlow = errors.New("the client does not read its replies")

// replies are the bytes still to be sent to a client. Writing to them never waits.
type replies struct {
	conn   net.Conn
	shared *room
	within time.Duration // in which a client must read some

	mu     sync.Mutex
	wait   *sync.Cond
	bytes  []byte // guarded by mu, like all that follows
	held   int    // of the shared room
	ended  bool   // no more writes
	failed bool   // the client is gone, or too slow
}

func newReplies(c net.Conn, shared *room, within time.Duration) *replies {
	r := &replies{conn: c, shared: shared, within: within}
	r.wait = sync.NewCond(&r.mu)
	return r
}

// Write adds a part of a reply.
func (r *replies) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failed {
		return 0, errSlow
	}
	size := len(r.bytes) + len(b)
	if more := size - ownRoom - r.held; size > ownRoom && more > 0 {
		if size > maxReplies || !r.shared.take(more) {
			r.fail()
			return 0, errSlow
		}
		r.held += more
	}
	r.bytes = append(r.bytes, b...)
	r.wait.Signal()
	return len(b), nil
}

// fail drops the client. The caller holds mu.
func (r *replies) fail() {
	r.failed = true
	r.shared.give(r.held)
	r.bytes, r.held = nil, 0
	r.conn.Close() // ends its reader and its writer
	r.wait.Signal()
}

// end marks the end of writing.
func (r *replies) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = true
	r.wait.Signal()
}

// send sends until everything written before end is sent.
func (r *replies) send() {
	for {
		r.mu.Lock()
		for len(r.bytes) == 0 && !r.ended && !r.failed {
			r.wait.Wait()
		}
		b, held := r.bytes, r.held
		r.bytes, r.held = nil, 0
		over := r.failed || r.ended && len(b) == 0
		r.mu.Unlock()
		if over {
			return
		}
		err := r.pass(b)
		r.shared.give(held)
		if err != nil {
			r.mu.Lock()
			r.fail()
			r.mu.Unlock()
			return
		}
	}
}

// pass sends bytes to a client that may read them slowly.
func (r *replies) pass(b []byte) error {
	for len(b) > 0 {
		part := b[:min(len(b), 256<<10)]
		r.conn.SetWriteDeadline(time.Now().Add(r.within))
		n, err := r.conn.Write(part)
		if err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}
