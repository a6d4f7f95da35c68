package notify

import (
	"context"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestAnHourOfVirtualTimeWithTheRealSender runs loop, sender and an HTTP server over pipes.
func TestAnHourOfVirtualTimeWithTheRealSender(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &pipes{conns: make(chan net.Conn), end: make(chan struct{})}
		start := time.Now()
		var ids []string
		srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			if time.Since(start) < time.Hour {
				w.WriteHeader(502)
				return
			}
			ids = append(ids, r.Header.Get("Webhook-Id"))
		})}
		served := make(chan struct{})
		go func() {
			defer close(served)
			srv.Serve(l)
		}()
		s, err := New(Options{Dial: l.dial})
		if err != nil {
			t.Fatal(err)
		}
		box := newMemory("a")
		id := box.post("a", "x", 1)
		running(t, box, s, Loop{}, 3*time.Hour)
		if !slices.Equal(ids, []string{id}) || !slices.Equal(box.sent, []string{id}) {
			t.Errorf("arrived %v, sent %v, left %v", ids, box.sent, box.messages)
		}
		s.Close()
		srv.Close()
		<-served
	})
}

type pipes struct {
	conns chan net.Conn
	end   chan struct{}
	once  sync.Once
}

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case p.conns <- far:
		return near, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.end:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.end) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }
