package main

import (
	"context"
	"errors"
	"io"
	"net"
	"time"
)

// delayed listens in front of the server at to and answers as if it were far
// away: a new connection carries nothing for one round trip, and every byte is
// half a round trip under way, in both directions. It delays bytes and knows no
// protocol, so that streams, WebSockets and TLS pass as they do on a network.
func delayed(ctx context.Context, to string, roundTrip time.Duration) (addr string, err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	context.AfterFunc(ctx, func() { l.Close() })
	go func() {
		for {
			near, err := l.Accept()
			if errors.Is(err, net.ErrClosed) {
				return
			}
			if err == nil {
				go relay(near.(*net.TCPConn), to, roundTrip)
			}
		}
	}()
	return l.Addr().String(), nil
}

// relay joins a connection with one to the server.
func relay(near *net.TCPConn, to string, roundTrip time.Duration) {
	defer near.Close()
	time.Sleep(roundTrip)
	c, err := net.Dial("tcp", to)
	if err != nil {
		return
	}
	far := c.(*net.TCPConn)
	defer far.Close()
	done := make(chan struct{})
	go func() {
		defer close(done)
		late(far, near, roundTrip/2)
	}()
	late(near, far, roundTrip/2)
	<-done
}

// late copies what arrives on from to another connection, each part by as much
// later, and the end of it too.
func late(to, from *net.TCPConn, by time.Duration) {
	type part struct {
		data []byte
		due  time.Time
	}
	way := make(chan part, 4096)
	go func() {
		defer close(way)
		for {
			b := make([]byte, 16<<10)
			n, err := from.Read(b)
			way <- part{b[:n], time.Now().Add(by)}
			if err != nil {
				if err != io.EOF { // reset: the other side must not wait
					to.SetLinger(0)
				}
				return
			}
		}
	}()
	failed := false
	for p := range way {
		time.Sleep(time.Until(p.due))
		if failed || len(p.data) == 0 {
			continue
		}
		if _, err := to.Write(p.data); err != nil {
			failed = true
			from.CloseRead()
		}
	}
	to.CloseWrite()
}
