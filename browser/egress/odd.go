package egress

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"sync/atomic"
)

// oddity is a response that only the browser can read: net/http rejects it, or reads what browsers reject.
type oddity struct {
	head []byte // the part received so far
	old  bool   // it has no head (HTTP/0.9)
	cut  bool   // the connection has ended in it, so that the response is not whole, though browsers read it
	*originConn
}

// relay hands on a response that only the browser can read.
func (l *Lane) relay(ctx context.Context, w http.ResponseWriter, p *page, x Exchange, odd *oddity) {
	defer odd.Close()
	at := p.record(x)
	if odd.cut {
		p.cut(at)
	}
	near, _, err := hijack(w)
	if err != nil {
		return
	}
	defer near.Close()
	odd.pass(near, x.Method, func(f *follower) { // before the browser sees the end
		if f.garbled && x.Navigation {
			p.garbled(at)
		}
		if f.short && ctx.Err() == nil {
			p.cut(at)
		}
	})
}

// pass passes on the response byte for byte, until one side ends or it is whole. The browser's connection ends with it,
// since only the browser knows for certain where the response ends. note is called before that.
func (x *oddity) pass(near net.Conn, method string, note func(*follower)) {
	head := x.head
	begins := len(head) - len(bytes.TrimLeft(head, "\r\n"))
	if line := bytes.IndexByte(head[begins:], '\n') + begins; line >= begins && !x.cut && !x.old {
		head = bytes.Join([][]byte{head[:line+1], []byte("Connection: close\r\n"), head[line+1:]}, nil)
	}
	f := x.follow(method)
	_, _ = f.Write(x.head)
	if _, err := near.Write(head); err != nil {
		f.end(false)
		return
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		io.Copy(io.Discard, near) // only to notice its end
		x.Close()
	}()
	far := &lastError{Reader: x.Conn}
	err := move(near, io.TeeReader(far, f))
	left := false
	select {
	case <-ended:
		left = true // the browser does not want the rest
	default:
	}
	f.end(!left && (err == nil || err == far.err))
	reset := !left && far.err != nil && err == far.err && !f.whole.Load()
	f.short = f.short || reset
	note(f)
	if reset {
		cut(near) // the browser would take what has come for all
	}
	near.Close()
	<-ended
}

// lastError is a reader that keeps the error of its last read, unless that is its end.
type lastError struct {
	io.Reader
	err error
}

func (l *lastError) Read(b []byte) (int, error) {
	n, err := l.Reader.Read(b)
	if err != io.EOF {
		l.err = err
	}
	return n, err
}

// A follower reads a response beside the browser, by the same rules. After end, short and garbled are valid.
type follower struct {
	short   bool // it ended before its end
	garbled bool // its body is not in its Content-Encoding
	whole   atomic.Bool

	to   *io.PipeWriter // nil: nothing is followed
	done chan struct{}
	err  error // of the body
}

// follow begins to read what is written to the follower. Once that is a whole response of known length, it ends the
// connection to the server.
func (x *oddity) follow(method string) *follower {
	f := &follower{}
	if x.old || method == http.MethodHead {
		return f
	}
	var from *io.PipeReader
	from, f.to = io.Pipe()
	f.done = make(chan struct{})
	go func() {
		defer close(f.done)
		defer from.Close() // what follows is not read
		resp, err := readLenient(bufio.NewReaderSize(from, readAhead))
		if err != nil {
			return // the browser reports it
		}
		begin := &opening{Reader: resp.Body}
		_, f.err = io.Copy(io.Discard, begin)
		f.garbled = begin.belies(resp.Header["Content-Encoding"])
		if f.err == nil && (resp.ContentLength >= 0 || len(resp.TransferEncoding) > 0) {
			f.whole.Store(true)
			x.Close()
		}
	}()
	return f
}

// Write never fails, and does not wait for a reader that has read all it needs.
func (f *follower) Write(b []byte) (int, error) {
	if f.to != nil {
		_, _ = f.to.Write(b)
	}
	return len(b), nil
}

// end ends the response. complete reports whether all that the server has sent was written.
func (f *follower) end(complete bool) {
	if f.to == nil {
		return
	}
	f.to.Close()
	<-f.done
	f.short = complete && f.err != nil
}
