package devtools

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
)

// maxMessage is the most bytes of a message from Chrome that are read. A snapshot of
// 300,000 nodes has about 40 MB; a full-page picture 60 MB in Base64. Only a malicious page causes
// longer messages: they are skipped, and the call fails with a [TooLongError].
const maxMessage = 96 << 20

// TooLongError reports an answer of Chrome that exceeds maxMessage.
type TooLongError struct{ Bytes int }

func (e *TooLongError) Error() string {
	return fmt.Sprintf("an answer has %d bytes, more than %d", e.Bytes, maxMessage)
}

// ErrGone is the cause of everything that fails because the browser is gone.
var ErrGone = errors.New("the browser is gone")

// ErrDetached is the cause of everything that fails because the tab is gone.
var ErrDetached = errors.New("the tab is gone")

// ProtocolError is Chrome's refusal of a command.
type ProtocolError struct {
	Method  string
	Message string
}

func (e *ProtocolError) Error() string { return e.Method + ": " + e.Message }

// Pipe is the client's end of Chrome's --remote-debugging-pipe=cbor: a message is a map in
// an envelope; see cbor.go. It is safe for concurrent use.
type Pipe struct {
	limit time.Duration // of one call

	wmu sync.Mutex
	w   io.WriteCloser
	buf []byte // guarded by wmu

	mu       sync.Mutex
	next     int32                  // guarded by mu
	calls    map[int32]callUnderWay // guarded by mu
	sessions map[string]*Session    // guarded by mu
	Root     *Session

	dead chan struct{} // closed when the browser's end is closed
}

type callUnderWay struct {
	s     *Session
	reply chan Reply
	then  func(Reply) // if not nil, called instead; see [Session.SendThen]
}

type Reply struct {
	Result  []byte
	Failure []byte // the "error" object; nil if absent
	Err     error
}

// Session is one attached target, or the browser itself (id "").
type Session struct {
	p    *Pipe
	ID   string
	gone chan struct{} // closed when the target is gone

	// event is called for each event in order, by the goroutine that reads the
	// pipe: it must return at once and must not retain params.
	event func(method string, params []byte)
}

func NewPipe(r io.Reader, w io.WriteCloser, limit time.Duration, event func(string, []byte)) *Pipe {
	p := &Pipe{limit: limit, w: w, calls: map[int32]callUnderWay{}, sessions: map[string]*Session{}, dead: make(chan struct{})}
	p.Root = &Session{p: p, gone: make(chan struct{}), event: event}
	go p.read(r)
	return p
}

// Closed is closed when the browser's end is closed.
func (p *Pipe) Closed() <-chan struct{} { return p.dead }

// Pending counts the sessions, and the calls without an answer: all of them, and those with a
// callback. Tests find leaks with it.
func (p *Pipe) Pending() (sessions, calls, then int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.calls {
		if c.then != nil {
			then++
		}
	}
	return len(p.sessions), len(p.calls), then
}

// Attach returns a session for an id that Chrome has assigned.
func (p *Pipe) Attach(id string, event func(string, []byte)) *Session {
	s := &Session{p: p, ID: id, gone: make(chan struct{}), event: event}
	p.mu.Lock()
	p.sessions[id] = s
	p.mu.Unlock()
	return s
}

// Detach forgets a session and fails its calls.
func (p *Pipe) Detach(id string) {
	p.mu.Lock()
	s := p.sessions[id]
	delete(p.sessions, id)
	p.mu.Unlock()
	if s != nil {
		close(s.gone)
	}
}

// read is the goroutine that reads until Chrome closes its end.
func (p *Pipe) read(r io.Reader) {
	defer close(p.dead)
	br := bufio.NewReaderSize(r, 256<<10)
	for {
		b, err := br.Peek(7)
		if err != nil {
			return
		}
		header, size, ok := envelope(b)
		if !ok {
			return // and the browser is replaced
		}
		if size += header; size > maxMessage {
			if !p.passOver(br, header, size) {
				return
			}
			continue
		}
		if size <= br.Size() {
			if b, err = br.Peek(size); err != nil {
				return
			}
			p.dispatch(b, false)
			br.Discard(size)
			continue
		}
		// The caller keeps a big message; see dispatch.
		b = make([]byte, size)
		if _, err := io.ReadFull(br, b); err != nil {
			return
		}
		p.dispatch(b, true)
	}
}

// passOver skips a message that is too long, and fails the call that it answers; events have no
// call. It reports whether there is more to read.
func (p *Pipe) passOver(br *bufio.Reader, header, size int) bool {
	b, err := br.Peek(header + 64)
	if err != nil {
		return false
	}
	var id int32
	c := Cursor{b: b[header:]}
	c.Object(func(name []byte) { // the rest is cut off
		if string(name) == "id" {
			id = c.Int32()
		} else {
			c.Skip()
		}
	})
	if _, err := br.Discard(size); err != nil {
		return false
	}
	p.mu.Lock()
	call, ok := p.calls[id]
	delete(p.calls, id)
	p.mu.Unlock()
	switch r := (Reply{Err: &TooLongError{size}}); {
	case !ok:
	case call.then != nil:
		call.then(r)
	default:
		call.reply <- r
	}
	return true
}

// message is one DevTools message with its parts in CBOR.
type message struct {
	id      int32
	method  []byte
	session []byte
	params  []byte
	result  []byte
	failure []byte
}

func parseMessage(b []byte) (message, bool) {
	var m message
	c := Cursor{b: b}
	c.Object(func(name []byte) {
		switch string(name) {
		case "id":
			m.id = c.Int32()
		case "method":
			m.method = c.Text()
		case "sessionId":
			m.session = c.Text()
		case "params":
			m.params = c.Skip()
		case "result":
			m.result = c.Skip()
		case "error":
			m.failure = c.Skip()
		default:
			c.Skip()
		}
	})
	return m, !c.bad && (m.id != 0 || m.method != nil)
}

// dispatch parses one message. owned means that b is not reused.
func (p *Pipe) dispatch(b []byte, owned bool) {
	m, ok := parseMessage(b)
	if !ok {
		return // a message with neither id nor method has no recipient
	}
	if m.method != nil {
		s := p.Root
		if len(m.session) > 0 {
			p.mu.Lock()
			s = p.sessions[string(m.session)]
			p.mu.Unlock()
		} else if string(m.method) == "Target.detachedFromTarget" {
			var e struct {
				SessionID string `json:"sessionId"`
			}
			if Unmarshal(m.params, &e) == nil {
				p.Detach(e.SessionID)
			}
		}
		if s != nil && s.event != nil {
			s.event(string(m.method), m.params)
		}
		return
	}
	p.mu.Lock()
	c, ok := p.calls[m.id]
	delete(p.calls, m.id)
	p.mu.Unlock()
	if !ok {
		return // its caller has left
	}
	if !owned {
		m.result, m.failure = append([]byte(nil), m.result...), append([]byte(nil), m.failure...)
	}
	r := Reply{Result: m.result, Failure: m.failure}
	if c.then != nil {
		c.then(r)
		return
	}
	c.reply <- r
}

// Future is a command in flight.
type Future struct {
	s      *Session
	id     int32
	method string
	limit  time.Duration
	reply  chan Reply
}

// Detached is closed when the target is gone.
func (s *Session) Detached() <-chan struct{} { return s.gone }

// Send writes a command and does not wait for its result.
func (s *Session) Send(method string, params any) Future {
	return s.SendFor(s.p.limit, method, params)
}

// SendFor is Send with a separate time limit for the answer.
func (s *Session) SendFor(limit time.Duration, method string, params any) Future {
	return s.post(limit, method, params, nil)
}

// SendThen writes a command and passes its reply to then. The goroutine that reads the pipe calls
// it, before any later event: then must return at once. It is not called if the browser or the
// target ends before the answer.
func (s *Session) SendThen(method string, params any, then func(Reply)) {
	f := s.post(s.p.limit, method, params, then)
	select {
	case r := <-f.reply: // it could not be sent
		then(r)
	default:
	}
}

func (s *Session) post(limit time.Duration, method string, params any, then func(Reply)) Future {
	p := s.p
	f := Future{s: s, method: method, limit: limit, reply: make(chan Reply, 1)}
	var body []byte
	if params != nil {
		text, err := jsonv2.Marshal(params)
		if err == nil {
			body, err = AppendCBOR(nil, text)
		}
		if err != nil {
			f.reply <- Reply{Err: fmt.Errorf("%s: %w", method, err)}
			return f
		}
	}
	p.mu.Lock()
	p.next++
	f.id = p.next
	p.calls[f.id] = callUnderWay{s, f.reply, then}
	p.mu.Unlock()

	p.wmu.Lock()
	p.buf = appendEnvelope(p.buf[:0], func(m []byte) []byte {
		m = append(m, cborMap)
		m = appendHead(appendText(m, "id"), cborUnsigned, uint32(f.id))
		m = appendText(appendText(m, "method"), method)
		if body != nil {
			m = append(appendText(m, "params"), body...)
		}
		if s.ID != "" {
			m = appendText(appendText(m, "sessionId"), s.ID)
		}
		return append(m, cborEnd)
	})
	_, err := p.w.Write(p.buf)
	p.wmu.Unlock()
	if err != nil {
		f.Forget()
		f.reply <- Reply{Err: fmt.Errorf("%s: %w: %w", method, ErrGone, err)}
	}
	return f
}

// Answer returns the channel of the reply; [Future.Open] decodes the reply. Receivers must also
// wait for the session and the pipe to end.
func (f Future) Answer() <-chan Reply { return f.reply }

// Forget stops waiting for the answer.
func (f Future) Forget() {
	f.s.p.mu.Lock()
	delete(f.s.p.calls, f.id)
	f.s.p.mu.Unlock()
}

// Wait returns the result, which the caller owns, or the reason for its absence: a
// *ProtocolError, ErrGone, ErrDetached, or the cause of ctx's end.
func (f Future) Wait(ctx context.Context) ([]byte, error) {
	select {
	case r := <-f.reply:
		return f.Open(r)
	default:
	}
	ctx, cancel := context.WithTimeoutCause(ctx, f.limit, &slowError{f.method, f.limit})
	defer cancel()
	var err error
	select {
	case r := <-f.reply:
		return f.Open(r)
	case <-f.s.p.dead:
		err = ErrGone
	case <-f.s.gone:
		err = ErrDetached
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	select { // the reply may have come just before the end
	case r := <-f.reply:
		return f.Open(r)
	default:
	}
	f.Forget()
	return nil, fmt.Errorf("%s: %w", f.method, err)
}

// Open decodes a reply as Wait does.
func (f Future) Open(r Reply) ([]byte, error) {
	switch {
	case r.Err != nil:
		return nil, r.Err
	case r.Failure != nil:
		var e struct {
			Message string `json:"message"`
		}
		if err := Unmarshal(r.Failure, &e); err != nil {
			e.Message = fmt.Sprintf("%q", r.Failure)
		}
		return nil, &ProtocolError{f.method, e.Message}
	}
	return r.Result, nil
}

// slowError reports that Chrome did not answer a command in time.
type slowError struct {
	method string
	limit  time.Duration
}

func (e *slowError) Error() string {
	return fmt.Sprintf("no answer to %s in %v", e.method, e.limit)
}

func (e *slowError) Timeout() bool { return true }

// Call sends a command of cdproto and waits for its result.
func Call[P, R any](ctx context.Context, s *Session, c cdp.Command[P, R], params P) (R, error) {
	return Await(ctx, s.Send(c.Method, params), c)
}

// Await waits for a command of cdproto that was sent before.
func Await[P, R any](ctx context.Context, f Future, _ cdp.Command[P, R]) (R, error) {
	var r R
	b, err := f.Wait(ctx)
	if err != nil {
		return r, err
	}
	if err := Unmarshal(b, &r); err != nil {
		return r, fmt.Errorf("%s: decode the result: %w", f.method, err)
	}
	return r, nil
}
