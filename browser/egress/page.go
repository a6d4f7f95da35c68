package egress

import (
	"context"
	"errors"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"plat/plat"
)

// Limits of the data kept per page, because the page controls its amount.
const (
	maxRefusals     = 256
	maxFailures     = 1024
	maxExchanges    = 256
	maxExchangeURL  = 64 << 10 // bytes of an exchange's URL
	maxHeaderMemory = 1 << 20  // bytes of response headers, of all exchanges together
)

// Refusal is a target that was refused.
type Refusal struct {
	Host string // "host:port"; as written by the page if it is invalid
	Why  string // one word, see Error.Why
}

// Stats are a page's counters.
type Stats struct {
	BytesIn  int64     // to the browser: responses with headers, TLS records
	BytesOut int64     // from the browser
	Requests int       // plain-http requests and tunnels requested; requests inside a tunnel are not visible
	Refusals int       // of Requests, those refused
	Refused  []Refusal // their targets, each once, at most 256
	Tunnels  int       // of Requests, tunnels opened
	Shut     []string  // "host:port" of each tunnel that could not be opened, at most 256
	Capped   bool      // the byte limit was reached and all connections closed
}

// Exchange is a plain-http request and its response. Traffic inside a tunnel is
// not visible, so https pages have no exchanges.
type Exchange struct {
	URL        string // absolute, as requested by the browser: no fragment, no credentials; at most 64 KiB
	Method     string
	Accept     string // the request's header of that name
	Dest       string // its Sec-Fetch-Dest; "serviceworker" also if only the header Service-Worker is set
	Navigation bool   // requested as a document, of the page or of a frame
	Status     int    // 0 if there was no response, or one that only the browser can read; see the package
	// Header is the response's, without connection-specific fields. It is nil
	// past 1 MiB of headers on a page. Location is the target of a redirect.
	Header http.Header
	Err    error // an *Error if there was no response
	Cut    bool  // the response's body ended before its end
	// Garbled says that the body is not in the Content-Encoding of the header: a browser shows nothing of it.
	Garbled bool
}

// Activity tells whether a page is still loading.
type Activity struct {
	// InFlight counts plain-http requests until the end of their responses, and
	// tunnels being opened. An open tunnel does not count: requests inside are
	// not visible.
	InFlight int
	// Waiting counts connections of the browser on which it has sent the last bytes, at least
	// leastAsked: a request without an answer. In a tunnel this is an estimate: all data counts as
	// the answer, even the end of a handshake, or the answer to a different request.
	Waiting int
	// Last is when a byte last moved in either direction, or a request began or
	// ended; initially the time of Reset.
	Last time.Time
}

// page is the state of a lane between two resets.
type page struct {
	// ctx is the page's scope, like that of a request: everything done for the
	// page runs under it. Its cause is the reason why the page ended.
	ctx    context.Context
	cancel context.CancelCauseFunc

	limit     int64     // of bytes to the browser, ≤ 0: no limit
	offline   bool      // every request is refused
	recording Recording // has the responses; nil: the network has them
	in        atomic.Int64
	out       atomic.Int64
	start     time.Time
	last      atomic.Int64 // of activity, ns since start
	waiting   atomic.Int32 // see [Activity.Waiting]
	cutShort  atomic.Bool  // a document was cut off

	mu        sync.Mutex // guards everything below
	over      bool
	conns     map[net.Conn]struct{}
	clients   int // conns that are the browser's
	busy      int
	idle      chan struct{} // closed while busy is 0
	requests  int
	refusals  int
	refused   []Refusal
	tunnels   int
	shut      []string
	failures  map[plat.Hash]*Error // see failureOf
	exchanges []Exchange
	memory    int // bytes of headers in exchanges
}

func newPage(limit int64) *page {
	ctx, cancel := context.WithCancelCause(context.Background())
	p := &page{
		ctx: ctx, cancel: cancel, limit: limit, start: time.Now(),
		conns: map[net.Conn]struct{}{}, idle: make(chan struct{}), failures: map[plat.Hash]*Error{},
	}
	close(p.idle)
	return p
}

// touch records activity now.
func (p *page) touch() { p.last.Store(int64(time.Since(p.start))) }

// admit counts n bytes for the browser and returns how many of them may pass.
func (p *page) admit(n int) int {
	sum := p.in.Add(int64(n))
	if p.limit <= 0 || sum <= p.limit {
		return n
	}
	over := int(min(sum-p.limit, int64(n)))
	p.in.Add(int64(-over))
	return n - over
}

// add registers a connection with the page, to be closed with it. It returns
// false if the page has ended or has max clients already.
func (p *page) add(c net.Conn, client bool, max int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over || client && p.clients >= max {
		return false
	}
	if client {
		p.clients++
	}
	p.conns[c] = struct{}{}
	return true
}

func (p *page) drop(c net.Conn, client bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, ok := p.conns[c]; ok {
		delete(p.conns, c)
		if client {
			p.clients--
		}
	}
}

// end closes all of the page's connections. The first cause is kept.
func (p *page) end(cause error) {
	p.mu.Lock()
	if p.over {
		p.mu.Unlock()
		return
	}
	p.over = true
	conns := make([]net.Conn, 0, len(p.conns))
	for c := range p.conns {
		conns = append(conns, c)
	}
	p.mu.Unlock()
	p.cancel(cause)
	for _, c := range conns {
		cut(c)
	}
}

// cut resets a connection: an orderly close could be mistaken for the end of a
// truncated response.
func cut(c net.Conn) {
	if t, ok := c.(interface{ SetLinger(int) error }); ok {
		t.SetLinger(0)
	}
	c.Close()
}

// begin counts a request as in flight, until done.
func (p *page) begin() {
	p.touch()
	p.mu.Lock()
	p.requests++
	if p.busy++; p.busy == 1 {
		p.idle = make(chan struct{})
	}
	p.mu.Unlock()
}

func (p *page) done() {
	p.touch()
	p.mu.Lock()
	if p.busy--; p.busy == 0 {
		close(p.idle)
	}
	p.mu.Unlock()
}

// quiet waits until nothing has been in flight and nothing has moved for d.
func (p *page) quiet(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	for {
		p.mu.Lock()
		busy, idle := p.busy, p.idle
		p.mu.Unlock()
		wait := idle
		if busy == 0 {
			rest := d - time.Since(p.start) + time.Duration(p.last.Load())
			if rest <= 0 && p.ctx.Err() == nil {
				return nil
			}
			timer.Reset(rest)
			wait = nil
		}
		select {
		case <-wait:
		case <-timer.C:
		case <-p.ctx.Done():
			return context.Cause(p.ctx)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (p *page) activity() Activity {
	p.mu.Lock()
	defer p.mu.Unlock()
	return Activity{InFlight: p.busy, Waiting: int(p.waiting.Load()), Last: p.start.Add(time.Duration(p.last.Load()))}
}

func (p *page) stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	return Stats{
		BytesIn: p.in.Load(), BytesOut: p.out.Load(), Requests: p.requests, Refusals: p.refusals,
		Refused: slices.Clone(p.refused), Tunnels: p.tunnels, Shut: slices.Clone(p.shut), Capped: errors.Is(context.Cause(p.ctx), ErrCapped),
	}
}

// tunnelled records the outcome of opening a tunnel.
func (p *page) tunnelled(target string, open bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if open {
		p.tunnels++
	} else if len(p.shut) < maxRefusals {
		p.shut = append(p.shut, target)
	}
}

// fail records why a target was not reached, under the key of the requested document or of the
// tunnel. The key is zero if the request is not for a document.
func (p *page) fail(e *Error, key plat.Hash) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if errors.Is(e, ErrRefused) {
		p.refusals++
		if r := (Refusal{Host: e.Target, Why: e.Why}); len(p.refused) < maxRefusals && !slices.Contains(p.refused, r) {
			p.refused = append(p.refused, r)
		}
	}
	if _, known := p.failures[key]; key != (plat.Hash{}) && (known || len(p.failures) < maxFailures) {
		p.failures[key] = e
	}
}

func (p *page) failure(key plat.Hash) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if e := p.failures[key]; e != nil {
		return e
	}
	return nil
}

func (p *page) record(x Exchange) (i int) {
	size := 0
	for name, values := range x.Header {
		size += len(name)
		for _, v := range values {
			size += len(v)
		}
	}
	x.URL = x.URL[:min(len(x.URL), maxExchangeURL)]
	p.mu.Lock()
	defer p.mu.Unlock()
	most := maxExchanges
	if x.Navigation {
		most *= 2 // cut documents must be found on pages with any number of pictures
	}
	if len(p.exchanges) >= most {
		return -1
	}
	if p.memory += size; p.memory > maxHeaderMemory {
		x.Header = nil
	}
	p.exchanges = append(p.exchanges, x)
	return len(p.exchanges) - 1
}

// garbled notes that the body of a recorded exchange is not in its Content-Encoding.
func (p *page) garbled(i int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if i >= 0 {
		p.exchanges[i].Garbled = true
	}
}

// cut notes that the body of a recorded exchange ended before its end.
func (p *page) cut(i int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if i < 0 {
		return
	}
	if p.exchanges[i].Cut = true; p.exchanges[i].Navigation {
		p.cutShort.Store(true)
	}
}
