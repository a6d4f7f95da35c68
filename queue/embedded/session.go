package embedded

import (
	"bufio"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/alicebob/miniredis/v2/server"

	"plat/browser/connections"
)

// session is one connection. A goroutine reads commands, one carries them out, and one sends the
// replies: a client that does not read must not block the server, which writes replies while it is
// locked.
type session struct {
	s       *Server
	conn    net.Conn
	trusted bool // of this process
	known   atomic.Bool
	since   time.Time
	peer    *server.Peer
	out     *replies

	mu      sync.Mutex
	stopped bool // guarded by mu: no more reads
}

func newSession(s *Server, c net.Conn, trusted, known bool) *session {
	x := &session{s: s, conn: c, trusted: trusted, since: time.Now()}
	x.known.Store(known)
	x.out = newReplies(c, &s.room, s.times.command)
	x.peer = server.NewPeer(bufio.NewWriter(x.out))
	if !trusted {
		s.clients.Add(1)
	}
	return x
}

// run serves the connection until it ends.
func (x *session) run() {
	var at sync.WaitGroup
	commands := make(chan []string)
	failed := error(nil) // set before commands is closed
	at.Go(func() {
		defer close(commands)
		failed = x.read(commands)
		// A client that has left must not wait in a blocking command: any command wakes those.
		x.peer.Close()
		x.s.commands.Dispatch(server.NewPeer(bufio.NewWriter(nowhere{})), []string{"PING"})
	})
	at.Go(x.out.send)
	over := false // closed by a command; later commands are dropped
	for words := range commands {
		if over {
			continue
		}
		x.do(words)
		x.peer.Flush()
		if over = x.peer.Closed(); over {
			x.stopReading()
		}
	}
	if e, ok := errors.AsType[protocolError](failed); ok {
		x.peer.WriteError("ERR " + e.Error())
		x.peer.Flush()
	}
	x.out.end()
	at.Wait()
	x.hangUp()
	if !x.trusted {
		x.s.clients.Add(-1)
	}
}

// read reads commands until the connection ends or sends invalid input.
func (x *session) read(commands chan<- []string) error {
	r := bufio.NewReader(x.conn)
	for {
		limit, known := strangerLimits, x.known.Load()
		if known {
			limit = knownLimits
			// A client may be silent for any time between commands.
			x.readUntil(time.Time{})
		} else {
			x.readUntil(x.since.Add(x.s.times.login))
		}
		if _, err := r.Peek(1); err != nil {
			return err
		}
		if known {
			x.readUntil(time.Now().Add(x.s.times.command))
		}
		words, err := readCommand(r, limit, &x.s.room)
		if err != nil {
			return err
		}
		if known {
			x.stays()
		}
		commands <- words
		if !known { // the next one may be read only when it is clear whether the client is known
			commands <- nil
		}
		if x.peer.Closed() {
			return nil
		}
	}
}

// stays keeps the connection of a client that has sent a command from being closed to make room:
// clients of Redis are silent for long.
func (x *session) stays() {
	if c, ok := x.conn.(*connections.Conn); ok {
		c.Begin()
	}
}

// do carries out a command.
func (x *session) do(words []string) {
	if words == nil {
		return // the one before is done
	}
	if words = x.login(words); words == nil {
		return // answered
	}
	if why := x.s.refusal(words); why != "" {
		x.peer.WriteError(why)
		return
	}
	x.s.carryOut(x.peer, words)
}

// readUntil sets the deadline for the client.
func (x *session) readUntil(t time.Time) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.stopped {
		x.conn.SetReadDeadline(t)
	}
}

// stopReading makes read return.
func (x *session) stopReading() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.stopped = true
	x.conn.SetReadDeadline(time.Unix(1, 0))
}

// hangUp closes the connection. Unread input would make the system drop the reply that explains
// why, so hangUp reads some of it.
func (x *session) hangUp() {
	if c, ok := x.conn.(*connections.Conn); ok {
		c.CloseWrite()
		c.SetReadDeadline(time.Now().Add(200 * time.Millisecond))
		b := make([]byte, 4<<10)
		for range 16 {
			if _, err := c.Read(b); err != nil {
				break
			}
		}
	}
	x.conn.Close()
}

// nowhere is a writer for unwanted replies.
type nowhere struct{}

func (nowhere) Write(b []byte) (int, error) { return len(b), nil }
