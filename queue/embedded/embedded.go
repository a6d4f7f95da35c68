// Package embedded is a Redis inside this process, for one machine: miniredis behind a listener of
// its own.
//
// miniredis is made for tests, and trusts its clients: an empty command ends the process, and it
// allocates as much for a value as a client announces. So no client speaks to it. A [Server]
// parses commands itself, with limits ([readCommand]), accepts only those that the frontier and
// its monitoring need (commands.go), and has miniredis execute these. It answers input that is not
// a command with an error, and closes the connection.
//
// Addresses that other machines can reach need a password. Clients give it by AUTH or HELLO, as
// the user "default"; until then, they may send only a few bytes.
//
// Scripts can cause damage that no recover undoes: return a table that holds itself, or overflow
// the stack. So a Server runs those only that it was started with, and these only for a time.
//
// Clients that may send commands are trusted not to overload the server: they can keep the server
// busy, and fill the memory.
package embedded

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/alicebob/miniredis/v2/server"

	"plat/browser/connections"
)

// Limits of all clients together.
const (
	// maxClients is the limit of connections; fewer where the process may open few files, see
	// [connections.Share]. A worker has some dozens.
	maxClients = 1000

	// maxStrangers is the limit of connections without the required password, at most half of all.
	maxStrangers = 100

	// maxHeld is the limit of bytes in incomplete commands and unsent replies, beyond the own room
	// of each connection.
	maxHeld = 256 << 20
)

// loginTime is the time limit for giving the password.
const loginTime = 10 * time.Second

// Server is the Redis. It is not persistent.
type Server struct {
	m        *miniredis.Miniredis
	commands *server.Server // of m
	listener *connections.Listener
	password string
	times    times
	room     room
	scripts  map[string]bool // texts of the scripts that it runs
	turn     sync.Mutex      // held while a command is carried out that does not wait
	until    time.Time       // when it has to be done; guarded by turn

	clients atomic.Int64

	mu     sync.Mutex
	open   map[net.Conn]struct{} // guarded by mu; nil: closed
	within sync.WaitGroup        // of connections and of the listener
}

// bounds are limits of clients; tests have less.
type bounds struct {
	times
	clients int // connections
}

// times are the time limits of clients; tests use shorter ones.
type times struct {
	login   time.Duration // to give the password
	command time.Duration // to send the rest of a command that has begun, or to read replies
	script  time.Duration // to run; plat's clients wait for 5 s
}

// ErrOpen is the error for an address that other machines can reach, without a password.
var ErrOpen = errors.New("other machines can reach it, so it needs a password")

// Start starts a Redis that listens at an address such as "127.0.0.1:6390"; port 0 is any. An
// empty password means no password, which only a loopback address may have. It runs the scripts
// with these texts only. It logs when it has no room for connections; log may be nil.
func Start(addr, password string, log *slog.Logger, scripts ...string) (*Server, error) {
	t := times{login: loginTime, command: time.Minute, script: 30 * time.Second}
	return start(addr, password, bounds{t, connections.Share(maxClients)}, log, scripts...)
}

func start(addr, password string, b bounds, log *slog.Logger, scripts ...string) (*Server, error) {
	if password == "" && !onLoopback(addr) {
		return nil, fmt.Errorf("the embedded Redis at %s: %w", addr, ErrOpen)
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("the embedded Redis cannot listen at %s: %w; use another address", addr, err)
	}
	if at := l.Addr().(*net.TCPAddr); password == "" && !at.IP.IsLoopback() { // as a name may turn out
		l.Close()
		return nil, fmt.Errorf("the embedded Redis at %s: %w", at, ErrOpen)
	}
	o := connections.Options{Name: "the embedded Redis", Most: b.clients, Refusal: []byte("-ERR max number of clients reached\r\n"), Log: log}
	if password != "" {
		o.Waiting = min(maxStrangers, b.clients/2)
	}
	s := &Server{m: miniredis.NewMiniRedis(), listener: connections.Limit(l, o), password: password, times: b.times, scripts: map[string]bool{}, open: map[net.Conn]struct{}{}}
	for _, text := range scripts {
		s.scripts[text] = true
	}
	s.room.free.Store(maxHeld)
	// It starts without a listener by its first connection, which is not needed.
	c, err := s.m.Dial()
	if err != nil {
		l.Close()
		return nil, fmt.Errorf("the embedded Redis cannot start: %w", err)
	}
	c.Close()
	s.commands = s.m.Server()
	s.commands.SetPreHook(s.before)
	s.within.Go(s.accept)
	return s, nil
}

// onLoopback reports whether only this machine can reach an address to listen at.
func onLoopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}

// URL returns the address for clients on this machine, with the password.
func (s *Server) URL() string {
	u := url.URL{Scheme: "redis", Host: s.Addr(), Path: "/0"}
	if s.password != "" {
		u.User = url.UserPassword("default", s.password)
	}
	return u.String()
}

// Addr returns host and port where this machine reaches the server.
func (s *Server) Addr() string {
	at := s.listener.Addr().(*net.TCPAddr).AddrPort()
	ip := at.Addr().Unmap()
	switch {
	case !ip.IsUnspecified():
	case ip.Is4():
		ip = netip.AddrFrom4([4]byte{127, 0, 0, 1})
	default:
		ip = netip.IPv6Loopback()
	}
	return netip.AddrPortFrom(ip, at.Port()).String()
}

// Port returns the port where it listens.
func (s *Server) Port() uint16 { return s.listener.Addr().(*net.TCPAddr).AddrPort().Port() }

// SetTime stops the server's clock at t, for simulations.
func (s *Server) SetTime(t time.Time) { s.m.SetTime(t) }

// Dial connects this process to the server: without the network, without the password, and
// regardless of the number of clients.
func (s *Server) Dial(context.Context, string, string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	if !s.serve(theirs, true) {
		ours.Close()
		return nil, net.ErrClosed
	}
	return ours, nil
}

// Close ends all connections and discards the data.
func (s *Server) Close() error {
	err := s.listener.Close()
	s.mu.Lock()
	open := s.open
	s.open = nil
	s.mu.Unlock()
	for c := range open {
		c.Close()
	}
	s.m.CtxCancel() // ends commands that wait, which use the server until then
	s.within.Wait()
	s.m.Close()
	return err
}

// accept serves clients until the listener is closed.
func (s *Server) accept() {
	for {
		c, err := s.listener.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil:
			time.Sleep(50 * time.Millisecond) // too many open files, as the listener says: some are closed soon
			continue
		}
		if !s.serve(c, false) {
			return
		}
	}
}

// serve serves a connection in the background. It returns false if the server is closed.
func (s *Server) serve(c net.Conn, trusted bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == nil {
		c.Close()
		return false
	}
	known := trusted || s.password == ""
	s.open[c] = struct{}{}
	session := newSession(s, c, trusted, known)
	s.within.Go(func() {
		session.run()
		s.mu.Lock()
		delete(s.open, c)
		s.mu.Unlock()
	})
	return true
}

// Turned returns how many connections were closed or refused because there were too many.
func (s *Server) Turned() int64 { return s.listener.Turned() }

// room is the memory that all connections share.
type room struct{ free atomic.Int64 }

// take reserves n bytes of it, if they are free.
func (r *room) take(n int) bool {
	if r.free.Add(int64(-n)) >= 0 {
		return true
	}
	r.give(n)
	return false
}

func (r *room) give(n int) { r.free.Add(int64(n)) }
