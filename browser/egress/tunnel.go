package egress

import (
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// lastWords limits the time that one direction of a tunnel may continue after the other has ended.
// Some protocols close one side first; they need little time.
const lastWords = 30 * time.Second

// tunnel handles CONNECT: bytes in both directions, RFC 9110 section 9.3.6. TLS
// is end to end between browser and server.
func (l *Lane) tunnel(w http.ResponseWriter, r *http.Request, c *client, asked *head) {
	far := l.openTunnel(w, r, c, asked)
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

// openTunnel connects to the target of r, or responds with the reason and
// returns nil. The request is in flight meanwhile. The connection belongs to
// the page and is closed with it.
func (l *Lane) openTunnel(w http.ResponseWriter, r *http.Request, c *client, asked *head) net.Conn {
	defer c.page.done()
	t, e := parseHostPort(asked.target)
	if e != nil {
		l.answer(w, c.page, nil, e.at(asked.target))
		return nil
	}
	var far net.Conn
	switch {
	case c.page.offline:
		e = offline.at(t.String())
	case c.page.recording != nil:
		far, e = l.g.tls.open(c.page, t)
	default:
		far, e = l.g.dial(r.Context(), t)
	}
	c.page.tunnelled(t.String(), e == nil)
	if e != nil {
		l.answer(w, c.page, nil, e)
		return nil
	}
	if !c.page.add(far, false, 0) {
		far.Close()
		panic(http.ErrAbortHandler)
	}
	return far
}

// switchProtocols forwards a 101 and becomes a tunnel, RFC 9110 section 7.8.
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

// hijack takes the browser's connection from the server, with data that the
// browser sent before the response.
func hijack(w http.ResponseWriter) (net.Conn, []byte, error) {
	near, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return nil, nil, err
	}
	near.SetDeadline(time.Time{}) // clear the deadline for reading the header
	early, _ := buffered.Reader.Peek(buffered.Reader.Buffered())
	return near, early, nil
}

// pump copies in both directions until both have ended.
func pump(near *client, far io.ReadWriteCloser, early []byte) {
	var up sync.WaitGroup
	up.Go(func() {
		_, err := far.Write(early)
		if err == nil {
			err = move(far, near)
		}
		hangUp(far, near, err)
	})
	hangUp(near, far, move(near, far))
	up.Wait()
}

// hangUp signals to to that from has ended, and gives the other direction some
// time to end too. After an error it closes immediately.
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

// move copies until from ends; the browser's side counts the bytes, and ends
// the copy at the page's limit.
//
// The kernel could copy the bytes (splice, through TCPConn.ReadFrom). Measured on loopback that
// saves a fifth of the time for 16 MiB and nothing up to 64 KiB, but bytes are only counted after
// each piece: the limit would be exceeded, and an active page could appear quiet. At network speed
// it would save less than a hundredth of a CPU.
func move(to io.Writer, from io.Reader) error {
	buf := buffers.Get().(*buffer)
	defer buffers.Put(buf)
	for {
		n, err := from.Read(buf[:])
		if n > 0 {
			if _, err := to.Write(buf[:n]); err != nil {
				return err
			}
		}
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
	}
}
