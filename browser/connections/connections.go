// Package connections bounds the connections of listeners, so that the clients of one cannot take all
// file descriptors of the process: a browser, the archive and other listeners need them too.
//
//	l := connections.Limit(listener, connections.Options{Name: "the web interface", Most: connections.Share(1000)})
//	err := l.Serve(server) // an [http.Server]; other servers call Accept, [Conn.Begin] and [Conn.End]
//
// A connection waits until its client has sent a whole request, and again after the answer. If there is
// no room for a new connection, the one that has waited longest is closed, of the address
// that has most of them: clients that hold connections and send nothing, or half a request, do not
// lock out new clients. If no connection waits, the new one is refused, with an answer that gives
// the reason.
package connections

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"syscall"
	"time"
)

const (
	least      = 16                     // connections, however few descriptors there are
	logEvery   = time.Minute            // least interval between two log lines of a listener
	lingerTime = 200 * time.Millisecond // for a refused client to receive the answer
	lingering  = 16                     // such clients at a time; more get no answer
	settleTime = time.Second            // for the end of an answer to be sent
)

// Descriptors returns the maximum number of open files of this process (RLIMIT_NOFILE); 0 if
// unknown.
func Descriptors() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0
	}
	return int(min(limit.Cur, 1<<30))
}

// Share returns the maximum number of connections of a listener: most, or a quarter of the maximum
// number of open files if that is less, but at least 16. Two listeners leave half for other files.
func Share(most int) int {
	if n := Descriptors(); n > 0 {
		most = min(most, max(least, n/4))
	}
	return most
}

// Options configure the limit of a listener.
type Options struct {
	Name    string       // of the listener, for the log: "the web interface"
	Most    int          // connections
	Waiting int          // of these that may wait; 0: all
	Refusal []byte       // the answer to a refused client
	Log     *slog.Logger // logs the limit; nil: no log
}

// Listener is a listener whose connections are bounded. It is safe for concurrent use.
type Listener struct {
	net.Listener
	o         Options
	settle    time.Duration  // settleTime, tests have less
	lingering chan struct{}  // full while the maximum number of refused clients linger
	within    sync.WaitGroup // refused clients

	mu     sync.Mutex
	open   map[*Conn]struct{}
	of     map[netip.Prefix]int // connections of an address
	wait   int                  // connections that wait
	turned int64                // connections closed or refused for lack of room
	told   int64                // of these, those already logged
	last   time.Time            // line in the log
}

// Limit bounds the connections that a TCP listener accepts.
func Limit(l net.Listener, o Options) *Listener {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Waiting == 0 {
		o.Waiting = o.Most
	}
	return &Listener{Listener: l, o: o, settle: settleTime, lingering: make(chan struct{}, lingering), open: map[*Conn]struct{}{}, of: map[netip.Prefix]int{}}
}

// Conn is a connection of a [Listener].
type Conn struct {
	*net.TCPConn
	l    *Listener
	from netip.Prefix

	busy, gone bool      // guarded by l.mu
	since      time.Time // it waits; guarded by l.mu
	answered   time.Time // when the handler returned, while busy; else zero; guarded by l.mu
}

// waits reports whether the connection may be closed to make room. After its handler, a server
// still sends the end of the answer, and before that reads a body that the handler has not read: a
// client that does not send it waits. c.l.mu is held.
func (c *Conn) waits() bool {
	return !c.busy || !c.answered.IsZero() && time.Since(c.answered) > c.l.settle
}

// Accept returns the next connection for which there is room, as a [*Conn] that waits.
func (l *Listener) Accept() (net.Conn, error) {
	for {
		accepted, err := l.Listener.Accept()
		if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
			l.exhausted()
		}
		if err != nil {
			return nil, err
		}
		tcp, ok := accepted.(*net.TCPConn)
		if !ok {
			accepted.Close()
			return nil, fmt.Errorf("a connection of type %T: only TCP is bounded", accepted)
		}
		c := &Conn{TCPConn: tcp, l: l, from: addressOf(tcp), since: time.Now()}
		if l.enter(c) {
			return c, nil
		}
		l.refuse(tcp)
	}
}

// addressOf returns the address of a client: for IPv6 the /64 network that one client commonly has.
func addressOf(c *net.TCPConn) netip.Prefix {
	at, ok := c.RemoteAddr().(*net.TCPAddr)
	if !ok {
		return netip.Prefix{}
	}
	ip := at.AddrPort().Addr().Unmap().WithZone("")
	bits := ip.BitLen()
	if ip.Is6() {
		bits = 64
	}
	p, _ := ip.Prefix(bits) // the zero prefix if there is no address
	return p
}

// enter makes room for a connection and counts it; false if there is no room.
func (l *Listener) enter(c *Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.open) >= l.o.Most || l.wait >= l.o.Waiting {
		l.note("the maximum number is open")
		if !l.evict() {
			return false
		}
	}
	l.open[c] = struct{}{}
	l.of[c.from]++
	l.wait++
	return true
}

// evict closes the connection that has waited longest, of the address with most connections that
// has one; false if no connection waits. l.mu is held.
func (l *Listener) evict() bool {
	var oldest *Conn
	for c := range l.open {
		switch {
		case !c.waits():
		case oldest == nil, l.of[c.from] > l.of[oldest.from], l.of[c.from] == l.of[oldest.from] && c.since.Before(oldest.since):
			oldest = c
		}
	}
	if oldest == nil {
		return false
	}
	oldest.leave()
	oldest.TCPConn.Close()
	return true
}

// exhausted closes a connection that waits, because the process can open no file.
func (l *Listener) exhausted() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.note("this process has reached its limit of open files")
	l.evict()
}

// note counts a connection that is turned away, and logs it at most once per logEvery. l.mu is
// held.
func (l *Listener) note(why string) {
	l.turned++
	if now := time.Now(); l.last.IsZero() || now.Sub(l.last) >= logEvery {
		l.o.Log.Warn("connections to "+l.o.Name+" are closed or refused: "+why+"; end the clients that hold them, or raise the limit of open files (ulimit -n)",
			"connections", len(l.open), "waiting", l.wait, "most", l.o.Most, "turned_away", l.turned-l.told, "open_files_limit", Descriptors())
		l.last, l.told = now, l.turned
	}
}

// refuse answers a client for which there is no room, and closes its connection. Unread data
// would make the system drop the answer, so it reads some of the client's data.
func (l *Listener) refuse(c *net.TCPConn) {
	select {
	case l.lingering <- struct{}{}:
	default:
		c.SetLinger(0)
		c.Close()
		return
	}
	l.within.Go(func() {
		defer func() { <-l.lingering }()
		defer c.Close()
		c.SetDeadline(time.Now().Add(lingerTime))
		if _, err := c.Write(l.o.Refusal); err != nil {
			return
		}
		c.CloseWrite()
		b := make([]byte, 4<<10)
		for range 16 {
			if _, err := c.Read(b); err != nil {
				return
			}
		}
	})
}

// Close stops listening; connections remain. It waits for clients that are being refused.
func (l *Listener) Close() error {
	err := l.Listener.Close()
	l.within.Wait()
	return err
}

// Turned returns the number of connections closed or refused for lack of room.
func (l *Listener) Turned() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.turned
}

// Counts returns the number of open connections, and the number of these that wait.
func (l *Listener) Counts() (open, waiting int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.open), l.wait
}

// Begin marks the request as received: until [Conn.End] the connection is not closed to make room.
func (c *Conn) Begin() {
	c.l.mu.Lock()
	defer c.l.mu.Unlock()
	c.answered = time.Time{}
	if !c.busy && !c.gone {
		c.busy = true
		c.l.wait--
	}
}

// returned notes that the handler of the request has returned.
func (c *Conn) returned() {
	c.l.mu.Lock()
	defer c.l.mu.Unlock()
	c.answered = time.Now()
}

// End notes that the request is answered: the connection waits again.
func (c *Conn) End() {
	c.l.mu.Lock()
	defer c.l.mu.Unlock()
	if c.busy && !c.gone {
		c.busy, c.since = false, time.Now()
		c.l.wait++
	}
}

// leave counts a connection no longer. c.l.mu is held.
func (c *Conn) leave() {
	if c.gone {
		return
	}
	c.gone = true
	delete(c.l.open, c)
	if c.l.of[c.from]--; c.l.of[c.from] == 0 {
		delete(c.l.of, c.from)
	}
	if !c.busy {
		c.l.wait--
	}
}

// Close closes the connection. It may be called several times, and on an evicted connection.
func (c *Conn) Close() error {
	c.l.mu.Lock()
	c.leave()
	c.l.mu.Unlock()
	return c.TCPConn.Close()
}

type key struct{}

// Serve serves HTTP at the listener until the server is closed, with the errors of [http.Server.Serve]. It
// sets the server's ConnContext and ConnState, and wraps its handler, to know which connections wait.
func (l *Listener) Serve(s *http.Server) error {
	h := s.Handler
	s.ConnContext = func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, key{}, c) }
	s.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c, ok := r.Context().Value(key{}).(*Conn); ok {
			c.Begin()
			defer c.returned()
		}
		h.ServeHTTP(w, r)
	})
	s.ConnState = func(c net.Conn, state http.ConnState) {
		if c, ok := c.(*Conn); ok && state == http.StateIdle { // all of the answer is sent
			c.End()
		}
	}
	return s.Serve(l)
}
