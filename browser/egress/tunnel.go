package egress

import (
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"time"
)

const (
	// lastWords is how long one direction of a tunnel may go on after the other
	// has ended. Some protocols close one side first; none of them needs long.
	lastWords = 30 * time.Second

	// bulk is how much is spliced in the kernel at a time, and bulkWait how long
	// that may take, once a tunnel has filled a whole buffer. Between two pieces
	// the bytes are counted and the page's activity is noted.
	bulk     = 256 << 10
	bulkWait = 20 * time.Millisecond
)

// tunnel answers CONNECT: bytes both ways, RFC 9110 section 9.3.6. TLS stays
// between browser and server.
func (l *Lane) tunnel(w http.ResponseWriter, r *http.Request, c *client) {
	far := l.openTunnel(w, r, c)
	if far == nil {
		return
	}
	defer far.Close()
	defer c.page.drop(far, false)
	near, early, err := hijack(w)
	if err != nil {
		return
	}
	defer near.Close()
	if _, err := io.WriteString(near, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	pump(c, far, early)
}

// openTunnel connects to the target of r, or answers why not and returns nil.
// The request is in flight so long. The connection is the page's: it dies with it.
func (l *Lane) openTunnel(w http.ResponseWriter, r *http.Request, c *client) net.Conn {
	defer c.page.done()
	t, e := parseHostPort(r.RequestURI)
	if e != nil {
		l.answer(w, c.page, nil, e.at(r.RequestURI))
		return nil
	}
	far, e := l.g.dial(r.Context(), t)
	if e != nil {
		l.answer(w, c.page, nil, e)
		return nil
	}
	if !c.page.add(far, false, 0) {
		far.Close()
		panic(http.ErrAbortHandler)
	}
	c.page.reached(t.String())
	return far
}

// switchProtocols passes a 101 on and becomes a tunnel, RFC 9110 section 7.8.
func (l *Lane) switchProtocols(w http.ResponseWriter, c *client, resp *http.Response) {
	far, ok := resp.Body.(io.ReadWriteCloser)
	if !ok {
		panic(http.ErrAbortHandler)
	}
	defer far.Close()
	near, early, err := hijack(w)
	if err != nil {
		return
	}
	defer near.Close()
	h := endToEnd(resp.Header)
	h.Del(verdict)
	h["Connection"], h["Upgrade"] = []string{"Upgrade"}, []string{"websocket"}
	head := http.Response{StatusCode: http.StatusSwitchingProtocols, ProtoMajor: 1, ProtoMinor: 1, Header: h}
	if head.Write(near) != nil {
		return
	}
	pump(c, far, early)
}

// hijack takes the browser's connection from the server, with what the browser
// sent without waiting for the answer.
func hijack(w http.ResponseWriter) (net.Conn, []byte, error) {
	near, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return nil, nil, err
	}
	near.SetDeadline(time.Time{}) // that of reading the header still stands
	early, _ := buffered.Reader.Peek(buffered.Reader.Buffered())
	return near, early, nil
}

// pump copies both ways until both have ended.
func pump(near *client, far io.ReadWriteCloser, early []byte) {
	var up sync.WaitGroup
	up.Go(func() {
		_, err := far.Write(early)
		if err == nil {
			err = copyUp(far, near)
		}
		hangUp(far, near, err)
	})
	hangUp(near, far, copyDown(near, far))
	up.Wait()
}

// hangUp tells to that from has ended, and gives the way back a while to end
// too. After an error there is nothing to wait for.
func hangUp(to, from io.ReadWriteCloser, err error) {
	if half, ok := to.(interface{ CloseWrite() error }); ok && err == nil && half.CloseWrite() == nil {
		if d, ok := to.(interface{ SetReadDeadline(time.Time) error }); ok {
			d.SetReadDeadline(time.Now().Add(lastWords))
			return
		}
	}
	to.Close()
	from.Close()
}

// copyUp copies what the browser says; client counts it.
func copyUp(far io.Writer, near *client) error {
	buf := buffers.Get().(*[32 << 10]byte)
	defer buffers.Put(buf)
	for {
		n, err := near.Read(buf[:])
		if n > 0 {
			if _, err := far.Write(buf[:n]); err != nil {
				return err
			}
		}
		if err != nil {
			return notEOF(err)
		}
	}
}

// copyDown copies what the server says. Small answers go through a buffer; once
// one is filled, the kernel moves the bytes without showing them (splice).
func copyDown(near *client, far io.Reader) error {
	buf := buffers.Get().(*[32 << 10]byte)
	defer buffers.Put(buf)
	tcp, _ := far.(*net.TCPConn)
	for {
		n, err := far.Read(buf[:])
		if n > 0 {
			if _, err := near.Write(buf[:n]); err != nil {
				return err
			}
		}
		if err != nil {
			return notEOF(err)
		}
		if n == len(buf) && tcp != nil {
			if err := splice(near, tcp); err != nil {
				return notEOF(err)
			}
		}
	}
}

// splice moves pieces while they come fast. It returns nil when there is
// a pause, and io.EOF at the end.
func splice(near *client, far *net.TCPConn) error {
	defer far.SetReadDeadline(time.Time{})
	for near.page.roomFor(bulk) {
		far.SetReadDeadline(time.Now().Add(bulkWait))
		n, err := near.tcp.ReadFrom(&io.LimitedReader{R: far, N: bulk})
		if n > 0 {
			near.page.in.Add(n)
			near.page.touch()
		}
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			return nil
		case err != nil:
			return err
		case n < bulk:
			return io.EOF
		}
	}
	return nil
}

func notEOF(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}
