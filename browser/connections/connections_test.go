package connections

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// journal is a log.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer // guarded by mu
}

func (j *journal) Write(line []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(line)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

func listen(t *testing.T, most, waiting int) (*Listener, *journal) {
	t.Helper()
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	j := &journal{}
	l := Limit(inner, Options{Name: "the test", Most: most, Waiting: waiting, Refusal: []byte("full\n"), Log: slog.New(slog.NewTextHandler(j, nil))})
	t.Cleanup(func() { l.Close() })
	return l, j
}

// dial returns both ends of a connection from a loopback address.
func dial(t *testing.T, l *Listener, from string) (ours net.Conn, theirs *Conn) {
	t.Helper()
	ours = begin(t, l, from)
	c, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return ours, c.(*Conn)
}

func begin(t *testing.T, l *Listener, from string) net.Conn {
	t.Helper()
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	c, err := d.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(10 * time.Second))
	return c
}

// ended reports whether the other end has closed a connection, or reset it if it had not read everything.
func ended(c net.Conn) bool {
	c.SetReadDeadline(time.Now().Add(10 * time.Second))
	_, err := c.Read(make([]byte, 1))
	return err != nil && !errors.Is(err, os.ErrDeadlineExceeded)
}

func alive(t *testing.T, ours net.Conn, theirs *Conn) {
	t.Helper()
	if _, err := theirs.Write([]byte("x")); err != nil {
		t.Errorf("a connection is closed: %v", err)
		return
	}
	if _, err := ours.Read(make([]byte, 1)); err != nil {
		t.Errorf("a connection is closed: %v", err)
	}
}

func TestTheConnectionThatHasWaitedLongestMakesRoom(t *testing.T) {
	l, j := listen(t, 3, 0)
	busy, busyEnd := dial(t, l, "127.0.0.1")
	busyEnd.Begin()
	idle, idleEnd := dial(t, l, "127.0.0.1")
	idleEnd.Begin()
	old, _ := dial(t, l, "127.0.0.1")
	idleEnd.End() // it waits since now
	dial(t, l, "127.0.0.1")
	if !ended(old) {
		t.Error("the oldest connection that waits is open")
	}
	alive(t, idle, idleEnd)
	dial(t, l, "127.0.0.1")
	if !ended(idle) {
		t.Error("the connection that waits after an answer is open")
	}
	alive(t, busy, busyEnd)
	if open, waiting := l.Counts(); open != 3 || waiting != 2 || l.Turned() != 2 {
		t.Errorf("%d connections, %d wait, %d were turned away", open, waiting, l.Turned())
	}
	if n := strings.Count(j.String(), "\n"); n != 1 || !strings.Contains(j.String(), "level=WARN") || !strings.Contains(j.String(), "connections to the test are closed or refused: the maximum number is open") {
		t.Errorf("%d lines in the log: %s", n, j)
	}
}

func TestAnAddressWithManyConnectionsKeepsNoOtherOut(t *testing.T) {
	l, _ := listen(t, 4, 0)
	one, oneEnd := dial(t, l, "127.0.0.2") // the oldest
	for range 10 {
		dial(t, l, "127.0.0.3")
	}
	alive(t, one, oneEnd)
	if open, _ := l.Counts(); open != 4 {
		t.Errorf("%d connections", open)
	}
}

func TestIfAllAreBusyTheNextIsToldSo(t *testing.T) {
	l, _ := listen(t, 2, 0)
	var busy []*Conn
	for range 2 {
		_, c := dial(t, l, "127.0.0.1")
		c.Begin()
		busy = append(busy, c)
	}
	accepted := make(chan net.Conn, 1)
	go func() {
		c, err := l.Accept()
		if err != nil {
			t.Error(err)
		}
		accepted <- c
	}()
	for range 10 {
		c := begin(t, l, "127.0.0.1")
		io.WriteString(c, "GET / HTTP/1.1\r\n") // the request is not read, and the answer arrives all the same
		if got, err := io.ReadAll(c); err != nil || string(got) != "full\n" {
			t.Errorf("%q, %v", got, err)
		}
		c.Close()
	}
	busy[0].Close()
	busy[0].Close() // again
	c := begin(t, l, "127.0.0.1")
	alive(t, c, (<-accepted).(*Conn))
	if open, waiting := l.Counts(); open != 2 || waiting != 1 {
		t.Errorf("%d connections, %d wait", open, waiting)
	}
}

func TestFewerMayWait(t *testing.T) {
	l, _ := listen(t, 5, 2)
	first, _ := dial(t, l, "127.0.0.1")
	dial(t, l, "127.0.0.1")
	_, c := dial(t, l, "127.0.0.1")
	if !ended(first) {
		t.Error("three wait")
	}
	c.Begin()
	dial(t, l, "127.0.0.1")
	if open, waiting := l.Counts(); open != 3 || waiting != 2 {
		t.Errorf("%d connections, %d wait", open, waiting)
	}
}

func TestAnAnswerIsSentWhole(t *testing.T) {
	l, _ := listen(t, 1, 0)
	entered, leave := make(chan struct{}), make(chan struct{})
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/wait" {
			entered <- struct{}{}
			<-leave
		}
		fmt.Fprintln(w, strings.Repeat("x", 1000))
	})}
	done := make(chan struct{})
	go func() { l.Serve(s); close(done) }()
	defer func() { s.Close(); <-done }()
	// Half a request is evicted for a whole one, whose connection stays until it is answered.
	half := begin(t, l, "127.0.0.1")
	io.WriteString(half, "GET / HTTP/1.1\r\nHost: ")
	whole := begin(t, l, "127.0.0.1")
	io.WriteString(whole, "GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
	<-entered
	if !ended(half) {
		t.Error("half a request is waited for, though there is no room")
	}
	refused := begin(t, l, "127.0.0.1")
	if got, err := io.ReadAll(refused); err != nil || string(got) != "full\n" {
		t.Errorf("while all are busy: %q, %v", got, err)
	}
	leave <- struct{}{}
	r, err := http.ReadResponse(bufio.NewReader(whole), nil)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := io.ReadAll(r.Body); err != nil || len(b) != 1001 {
		t.Errorf("%d bytes, %v", len(b), err)
	}
	// Its connection soon waits, and then the next client takes its place.
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		if _, waiting := l.Counts(); waiting == 1 {
			break
		} else if time.Now().After(end) {
			t.Fatal("an answered connection does not wait")
		}
	}
	next := begin(t, l, "127.0.0.1")
	io.WriteString(next, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
	if r, err := http.ReadResponse(bufio.NewReader(next), nil); err != nil || r.StatusCode != 200 {
		t.Errorf("%v, %v", r, err)
	}
}

// failing is a listener that has no file descriptor for its next connection.
type failing struct {
	net.Listener
	next bool
}

func (f *failing) Accept() (net.Conn, error) {
	if f.next {
		f.next = false
		return nil, &net.OpError{Op: "accept", Err: syscall.EMFILE}
	}
	return f.Listener.Accept()
}

func TestWithoutDescriptorsAConnectionIsClosedAndTheLogSaysSo(t *testing.T) {
	l, j := listen(t, 100, 0)
	old, _ := dial(t, l, "127.0.0.1")
	l.Listener = &failing{l.Listener, true}
	if _, err := l.Accept(); err == nil {
		t.Fatal("there is a connection without a descriptor")
	}
	if !ended(old) {
		t.Error("the connection that waits is open")
	}
	if !strings.Contains(j.String(), "reached its limit of open files") || !strings.Contains(j.String(), "open_files_limit=") {
		t.Errorf("the log has %q", j)
	}
	dial(t, l, "127.0.0.1")
}

func TestListenersShareTheDescriptors(t *testing.T) {
	n := Descriptors()
	if n < 64 {
		t.Fatalf("%d descriptors", n)
	}
	if got := Share(1 << 30); got != n/4 {
		t.Errorf("of %d files a listener may have %d", n, got)
	}
	if got := Share(20); got != min(20, n/4) {
		t.Errorf("a listener of at most 20 has %d", got)
	}
}

// A server reads the rest of a body before it answers. A client that does not send it does not lock
// out new clients.
func TestAClientThatSendsNoBodyMakesRoom(t *testing.T) {
	l, _ := listen(t, 1, 0)
	l.settle = 50 * time.Millisecond
	entered := make(chan struct{}, 100)
	s := &http.Server{ReadTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		entered <- struct{}{}
		w.WriteHeader(http.StatusUnauthorized)
	})}
	done := make(chan struct{})
	go func() { l.Serve(s); close(done) }()
	defer func() { s.Close(); <-done }()
	io.WriteString(begin(t, l, "127.0.0.1"), "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nhalf")
	<-entered
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		c := begin(t, l, "127.0.0.1")
		io.WriteString(c, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
		if r, err := http.ReadResponse(bufio.NewReader(c), nil); err == nil && r.StatusCode == http.StatusUnauthorized {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the next client is not answered")
		}
	}
}
