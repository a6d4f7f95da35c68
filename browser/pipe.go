package browser

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

// maxMessage is the most bytes a message from Chrome may have. A snapshot of
// 300,000 nodes has about 40 MB; a full-page picture 60 MB in Base64.
const maxMessage = 512 << 20

// errGone is the cause of everything that fails because the browser is gone.
var errGone = errors.New("the browser is gone")

// errDetached is the cause of everything that fails because the tab is gone.
var errDetached = errors.New("the tab is gone")

// protocolError is Chrome's refusal of a command.
type protocolError struct {
	method  string
	message string
}

func (e *protocolError) Error() string { return e.method + ": " + e.message }

// pipe is our end of Chrome's --remote-debugging-pipe=cbor: a message is a map in
// an envelope; see cbor.go. It is safe for concurrent use.
type pipe struct {
	limit time.Duration // of one call

	wmu sync.Mutex
	w   io.WriteCloser
	buf []byte // guarded by wmu

	mu       sync.Mutex
	next     int32               // guarded by mu
	calls    map[int32]pending   // guarded by mu
	sessions map[string]*session // guarded by mu
	root     *session

	dead chan struct{} // closed when the browser's end is closed
}

type pending struct {
	s     *session
	reply chan reply
	then  func(reply) // if not nil, called instead; see [session.sendThen]
}

type reply struct {
	result  []byte
	failure []byte // the "error" object, if there is one
	err     error
}

// session is one attached target, or the browser itself (id "").
type session struct {
	p    *pipe
	id   string
	gone chan struct{} // closed when the target is gone

	// event is called for each event in order, by the goroutine that reads the
	// pipe: it must return at once and keep nothing of params.
	event func(method string, params []byte)
}

func newPipe(r io.Reader, w io.WriteCloser, limit time.Duration, event func(string, []byte)) *pipe {
	p := &pipe{limit: limit, w: w, calls: map[int32]pending{}, sessions: map[string]*session{}, dead: make(chan struct{})}
	p.root = &session{p: p, gone: make(chan struct{}), event: event}
	go p.read(r)
	return p
}

// attach makes a session for an id that Chrome has given out.
func (p *pipe) attach(id string, event func(string, []byte)) *session {
	s := &session{p: p, id: id, gone: make(chan struct{}), event: event}
	p.mu.Lock()
	p.sessions[id] = s
	p.mu.Unlock()
	return s
}

// detach forgets a session and fails its calls.
func (p *pipe) detach(id string) {
	p.mu.Lock()
	s := p.sessions[id]
	delete(p.sessions, id)
	p.mu.Unlock()
	if s != nil {
		close(s.gone)
	}
}

// read is the goroutine that reads until Chrome closes its end.
func (p *pipe) read(r io.Reader) {
	defer close(p.dead)
	br := bufio.NewReaderSize(r, 256<<10)
	for {
		b, err := br.Peek(7)
		if err != nil {
			return
		}
		header, size, ok := envelope(b)
		if size += header; !ok || size > maxMessage {
			return // and the browser is replaced
		}
		if size <= br.Size() {
			if b, err = br.Peek(size); err != nil {
				return
			}
			p.dispatch(b, false)
			br.Discard(size)
			continue
		}
		// A big message is kept by whoever asked for it; see dispatch.
		b = make([]byte, size)
		if _, err := io.ReadFull(br, b); err != nil {
			return
		}
		p.dispatch(b, true)
	}
}

// message is one DevTools message, its parts still CBOR.
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
	c := cursor{b: b}
	c.object(func(name []byte) {
		switch string(name) {
		case "id":
			m.id = c.int32()
		case "method":
			m.method = c.text()
		case "sessionId":
			m.session = c.text()
		case "params":
			m.params = c.skip()
		case "result":
			m.result = c.skip()
		case "error":
			m.failure = c.skip()
		default:
			c.skip()
		}
	})
	return m, !c.bad && (m.id != 0 || m.method != nil)
}

// dispatch takes one message apart. owned says that nobody else will write to b.
func (p *pipe) dispatch(b []byte, owned bool) {
	m, ok := parseMessage(b)
	if !ok {
		return // nothing can be waiting for what has neither id nor method
	}
	if m.method != nil {
		s := p.root
		if len(m.session) > 0 {
			p.mu.Lock()
			s = p.sessions[string(m.session)]
			p.mu.Unlock()
		} else if string(m.method) == "Target.detachedFromTarget" {
			var e struct {
				SessionID string `json:"sessionId"`
			}
			if unmarshal(m.params, &e) == nil {
				p.detach(e.SessionID)
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
		return // its caller has given up
	}
	if !owned {
		m.result, m.failure = append([]byte(nil), m.result...), append([]byte(nil), m.failure...)
	}
	r := reply{result: m.result, failure: m.failure}
	if c.then != nil {
		c.then(r)
		return
	}
	c.reply <- r
}

// future is a command under way.
type future struct {
	s      *session
	id     int32
	method string
	limit  time.Duration
	reply  chan reply
}

// send writes a command and does not wait for its result.
func (s *session) send(method string, params any) future {
	return s.sendFor(s.p.limit, method, params)
}

// sendFor is send with a limit of its own for the answer.
func (s *session) sendFor(limit time.Duration, method string, params any) future {
	return s.post(limit, method, params, nil)
}

// sendThen writes a command whose reply is given to then, by the goroutine that
// reads the pipe and so before the events that follow: then must return at once.
// It is not called if the browser or the target goes before it answers.
func (s *session) sendThen(method string, params any, then func(reply)) {
	f := s.post(s.p.limit, method, params, then)
	select {
	case r := <-f.reply: // it could not be sent
		then(r)
	default:
	}
}

func (s *session) post(limit time.Duration, method string, params any, then func(reply)) future {
	p := s.p
	f := future{s: s, method: method, limit: limit, reply: make(chan reply, 1)}
	var body []byte
	if params != nil {
		text, err := jsonv2.Marshal(params)
		if err == nil {
			body, err = appendCBOR(nil, text)
		}
		if err != nil {
			f.reply <- reply{err: fmt.Errorf("%s: %w", method, err)}
			return f
		}
	}
	p.mu.Lock()
	p.next++
	f.id = p.next
	p.calls[f.id] = pending{s, f.reply, then}
	p.mu.Unlock()

	p.wmu.Lock()
	p.buf = appendEnvelope(p.buf[:0], func(m []byte) []byte {
		m = append(m, cborMap)
		m = appendHead(appendText(m, "id"), cborUnsigned, uint32(f.id))
		m = appendText(appendText(m, "method"), method)
		if body != nil {
			m = append(appendText(m, "params"), body...)
		}
		if s.id != "" {
			m = appendText(appendText(m, "sessionId"), s.id)
		}
		return append(m, cborEnd)
	})
	_, err := p.w.Write(p.buf)
	p.wmu.Unlock()
	if err != nil {
		f.forget()
		f.reply <- reply{err: fmt.Errorf("%s: %w: %w", method, errGone, err)}
	}
	return f
}

func (f future) forget() {
	f.s.p.mu.Lock()
	delete(f.s.p.calls, f.id)
	f.s.p.mu.Unlock()
}

// wait returns the result, which is nobody else's, or why there is none: a
// *protocolError, errGone, errDetached, or the cause of ctx's end.
func (f future) wait(ctx context.Context) ([]byte, error) {
	select {
	case r := <-f.reply:
		return f.open(r)
	default:
	}
	ctx, cancel := context.WithTimeoutCause(ctx, f.limit, &slowError{f.method, f.limit})
	defer cancel()
	var err error
	select {
	case r := <-f.reply:
		return f.open(r)
	case <-f.s.p.dead:
		err = errGone
	case <-f.s.gone:
		err = errDetached
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	select { // the reply may have come just before the end
	case r := <-f.reply:
		return f.open(r)
	default:
	}
	f.forget()
	return nil, fmt.Errorf("%s: %w", f.method, err)
}

func (f future) open(r reply) ([]byte, error) {
	switch {
	case r.err != nil:
		return nil, r.err
	case r.failure != nil:
		var e struct {
			Message string `json:"message"`
		}
		if err := unmarshal(r.failure, &e); err != nil {
			e.Message = fmt.Sprintf("%q", r.failure)
		}
		return nil, &protocolError{f.method, e.Message}
	}
	return r.result, nil
}

// slowError says that Chrome did not answer a command in time.
type slowError struct {
	method string
	limit  time.Duration
}

func (e *slowError) Error() string {
	return fmt.Sprintf("no answer to %s in %v", e.method, e.limit)
}

func (e *slowError) Timeout() bool { return true }

// call sends a command of cdproto and waits for its result.
func call[P, R any](ctx context.Context, s *session, c cdp.Command[P, R], params P) (R, error) {
	return await(ctx, s.send(c.Method, params), c)
}

// await waits for a command of cdproto that was sent before.
func await[P, R any](ctx context.Context, f future, _ cdp.Command[P, R]) (R, error) {
	var r R
	b, err := f.wait(ctx)
	if err != nil {
		return r, err
	}
	if err := unmarshal(b, &r); err != nil {
		return r, fmt.Errorf("%s: decode the result: %w", f.method, err)
	}
	return r, nil
}
