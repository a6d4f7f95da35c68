package egress

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"plat/fixtures/tcp"
)

func TestQuietMeansNothingInFlightAndNothingMoving(t *testing.T) {
	const d = 500 * time.Millisecond
	for _, tc := range []struct {
		name string
		load func(p *page) // the page's actions, from time 0
		want time.Duration // when it is quiet
	}{
		{"an empty page is quiet after the pause", func(*page) {}, d},
		{"a request holds it up until the pause after its end", func(p *page) {
			p.begin()
			time.Sleep(3 * time.Second)
			p.done()
		}, 3*time.Second + d},
		{"two requests that overlap are waited for", func(p *page) {
			p.begin()
			time.Sleep(time.Second)
			p.begin()
			time.Sleep(time.Second)
			p.done()
			time.Sleep(time.Second)
			p.done()
		}, 3*time.Second + d},
		{"a request within the pause starts it anew", func(p *page) {
			p.begin()
			p.done()
			time.Sleep(d - 1)
			p.begin()
			time.Sleep(time.Second)
			p.done()
		}, d - 1 + time.Second + d},
		{"bytes in a tunnel start it anew", func(p *page) {
			for range 10 {
				time.Sleep(d - 1)
				p.touch()
			}
		}, 10*(d-1) + d},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPage(0)
				start := time.Now()
				var wg sync.WaitGroup
				wg.Go(func() { tc.load(p) })
				if err := p.quiet(t.Context(), d); err != nil {
					t.Fatal(err)
				}
				if got := time.Since(start); got != tc.want {
					t.Errorf("quiet after %v, want %v", got, tc.want)
				}
				wg.Wait()
				p.end(ErrStopped)
			})
		})
	}
}

func TestQuietEndsWithThePageOrItsCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gaveUp := errors.New("gave up")
		for _, tc := range []struct {
			name string
			end  func(p *page, cancel context.CancelCauseFunc)
			want error
		}{
			{"stopped", func(p *page, _ context.CancelCauseFunc) { p.end(ErrStopped) }, ErrStopped},
			{"capped", func(p *page, _ context.CancelCauseFunc) { p.end(ErrCapped) }, ErrCapped},
			{"capped, then stopped", func(p *page, _ context.CancelCauseFunc) { p.end(ErrCapped); p.end(ErrStopped) }, ErrCapped},
			{"its caller", func(_ *page, cancel context.CancelCauseFunc) { cancel(gaveUp) }, gaveUp},
		} {
			for _, busy := range []bool{true, false} {
				p := newPage(0)
				if busy {
					p.begin()
				}
				ctx, cancel := context.WithCancelCause(t.Context())
				go func() {
					time.Sleep(time.Second)
					tc.end(p, cancel)
				}()
				if err := p.quiet(ctx, time.Hour); !errors.Is(err, tc.want) {
					t.Errorf("%s, busy %v: %v, want %v", tc.name, busy, err, tc.want)
				}
				cancel(nil)
				synctest.Wait()
			}
		}
	})
}

func TestAnEndedPageIsNeverQuiet(t *testing.T) {
	if err := stoppedPage().quiet(t.Context(), 0); !errors.Is(err, ErrStopped) {
		t.Errorf("quiet = %v, want ErrStopped", err)
	}
}

func TestBytesAreTakenUpToTheLimitAndNoFurther(t *testing.T) {
	p := newPage(1000)
	var wg sync.WaitGroup
	var mu sync.Mutex
	sum := 0
	for range 8 {
		wg.Go(func() {
			for range 100 {
				n := p.admit(7)
				mu.Lock()
				sum += n
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if in := p.in.Load(); sum != 1000 || in != 1000 {
		t.Errorf("%d bytes passed, %d counted, want 1000", sum, in)
	}
	p = newPage(0)
	if n := p.admit(1 << 30); n != 1<<30 {
		t.Errorf("without a limit %d bytes pass", n)
	}
}

func TestTheDataKeptPerPageIsBounded(t *testing.T) {
	p := newPage(0)
	large := strings.Repeat("x", 100<<10)
	for i := range 5000 {
		e := refusal("private", "").at(fmt.Sprintf("10.0.%d.%d:80", i/256, i%256))
		p.fail(e, tunnelKey(e.Target))
		p.fail(e, tunnelKey(e.Target))
		p.record(Exchange{URL: large, Header: http.Header{"X": {large}}})
	}
	s := p.stats()
	if len(s.Refused) != maxRefusals || s.Refusals != 10000 {
		t.Errorf("%d refusals listed, %d counted", len(s.Refused), s.Refusals)
	}
	if len(p.failures) != maxFailures || len(p.exchanges) != maxExchanges {
		t.Errorf("%d failures, %d exchanges", len(p.failures), len(p.exchanges))
	}
	for range maxExchanges + 1 {
		p.record(Exchange{Navigation: true})
	}
	if len(p.exchanges) != 2*maxExchanges {
		t.Errorf("%d exchanges with documents, want %d", len(p.exchanges), 2*maxExchanges)
	}
	kept := 0
	for _, x := range p.exchanges {
		if len(x.URL) > maxExchangeURL {
			t.Fatalf("a URL of %d bytes is kept", len(x.URL))
		}
		if x.Header != nil {
			kept++
		}
	}
	if kept != 10 {
		t.Errorf("%d headers of 100 KiB kept, want 10 within 1 MiB", kept)
	}
}

// A request waits until it has an answer, in plain http and in a tunnel. Data too short for a
// request does not wait, nor does a connection that ends.
func TestWhatIsNotAnsweredIsCounted(t *testing.T) {
	answer := make(chan struct{})
	noMore := sync.OnceFunc(func() { close(answer) })
	defer noMore() // avoids a hang if the test fails
	site := serve(t, func(w http.ResponseWriter, r *http.Request) { <-answer })
	held := tcp.Listen(t, func(c net.Conn) { // answers each request once it may
		b := make([]byte, 1024)
		for {
			if _, err := c.Read(b); err != nil {
				return
			}
			if _, ok := <-answer; !ok {
				return
			}
			io.WriteString(c, "answer")
		}
	})
	l := newPageOn(t, newGuard(t, local()), 0)
	defer l.Close()
	waiting := func(what string, want int) {
		t.Helper()
		for end := time.Now().Add(5 * time.Second); l.Idle().Waiting != want; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%s: %d wait for an answer, want %d", what, l.Idle().Waiting, want)
			}
		}
	}
	plain, tunnel := dialLane(t, l), dialLane(t, l)
	tunnel.connectTo(t, held)
	waiting("an open tunnel", 0)
	io.WriteString(plain, "GET "+site.URL+"/ HTTP/1.1\r\nHost: x\r\nAccept: text/html, application/xhtml+xml\r\n\r\n")
	waiting("a request", 1)
	answer <- struct{}{}
	waiting("a request with an answer", 0)

	answered := func() {
		t.Helper()
		answer <- struct{}{}
		if _, err := io.ReadFull(tunnel.r, make([]byte, len("answer"))); err != nil {
			t.Fatal(err)
		}
	}
	io.WriteString(tunnel, strings.Repeat("x", leastAsked))
	waiting("a request in a tunnel", 1)
	answered()
	waiting("one with an answer", 0)
	before := l.Stats().BytesOut
	io.WriteString(tunnel, strings.Repeat("x", leastAsked-1))
	for end := time.Now().Add(5 * time.Second); l.Stats().BytesOut == before; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("what is no request has not been read")
		}
	}
	if n := l.Idle().Waiting; n != 0 {
		t.Errorf("what is no request: %d wait for an answer", n)
	}
	answered()
	io.WriteString(tunnel, strings.Repeat("x", leastAsked))
	waiting("another one", 1)
	tunnel.Close()
	noMore()
	waiting("a tunnel that has ended", 0)
}
