package main

import (
	"context"
	"errors"
	"io"
	"net"
	"time"
)

// delayed is a proxy in front of the server at to that simulates network
// latency: a new connection carries no data for one round trip, and every byte
// takes half a round trip, in both directions. It delays raw bytes, so streams,
// WebSockets and TLS behave as on a network.
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

// relay connects a connection to the server.
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

// late copies from one connection to a second with a delay, including the end of
// the stream.
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
				if err != io.EOF { // reset: close the other side immediately
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
