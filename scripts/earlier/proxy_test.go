package earlier

import (
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"slices"
	"sync"
	"testing"
	"time"
)

// writeProxy passes the messages of MongoDB's protocol to a server, until a number of writes has come: then it calls a
// function, before that write or after it, and passes nothing more.
type writeProxy struct {
	l  net.Listener
	to string

	mu   sync.Mutex
	left int  // writes until then
	late bool // after the write
	cut  func()
}

func newWriteProxy(t *testing.T, to string) *writeProxy {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &writeProxy{l: l, to: to}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go p.pass(c)
		}
	}()
	return p
}

func (p *writeProxy) addr() string { return p.l.Addr().String() }

// arm lets so many writes pass.
func (p *writeProxy) arm(writes int, late bool, cut func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.left, p.late, p.cut = writes, late, cut
}

func (p *writeProxy) pass(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", p.to)
	if err != nil {
		return
	}
	defer server.Close()
	go func() { io.Copy(client, server); client.Close() }()
	for {
		m, err := message(client)
		if err != nil || !p.send(server, m) {
			return
		}
	}
}

// send sends a message, unless it is the write.
func (p *writeProxy) send(server net.Conn, m []byte) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if isWrite(m) {
		p.left--
	}
	if p.left >= 0 {
		_, err := server.Write(m)
		return err == nil
	}
	if p.late && p.left == -1 {
		server.Write(m)
		time.Sleep(100 * time.Millisecond) // in which the server applies it
	}
	p.cut()
	return false
}

// message reads a message.
func message(r io.Reader) ([]byte, error) {
	var size [4]byte
	if _, err := io.ReadFull(r, size[:]); err != nil {
		return nil, err
	}
	m := make([]byte, binary.LittleEndian.Uint32(size[:]))
	copy(m, size[:])
	_, err := io.ReadFull(r, m[4:])
	return m, err
}

// isWrite says whether a message is a command that writes: its name is the first field of the document that begins
// after header, flags and the kind of the section.
func isWrite(m []byte) bool {
	const opMsg, begin = 2013, 16 + 4 + 1 + 4 + 1
	if len(m) < begin || binary.LittleEndian.Uint32(m[12:]) != opMsg {
		return false
	}
	name, _, _ := bytes.Cut(m[begin:], []byte{0})
	return slices.Contains([]string{"insert", "update", "delete", "findAndModify", "bulkWrite", "createIndexes", "dropIndexes", "drop"}, string(name))
}
