package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync"
)

// A proxy passes messages of the MongoDB wire protocol on, those that write one
// at a time.
type proxy struct {
	dial  func() (net.Conn, error)
	write sync.Mutex // held from a command that writes until its reply
}

func (p *proxy) serve(l net.Listener) {
	for {
		client, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer client.Close()
			server, err := p.dial()
			if err != nil {
				return
			}
			defer server.Close()
			for p.pass(client, server) == nil {
			}
		}()
	}
}

// pass passes one command and its reply.
func (p *proxy) pass(client, server net.Conn) error {
	command, err := message(client)
	if err != nil {
		return err
	}
	if writes(command) {
		p.write.Lock()
		defer p.write.Unlock()
	}
	if _, err := server.Write(command); err != nil {
		return err
	}
	reply, err := message(server)
	if err != nil {
		return err
	}
	_, err = client.Write(reply)
	return err
}

// message reads a message: its first four bytes are its length.
func message(r io.Reader) ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint32(head[:])
	if n < 16 || n > 64<<20 {
		return nil, errors.New("a message of impossible length")
	}
	b := make([]byte, n)
	copy(b, head[:])
	_, err := io.ReadFull(r, b[4:])
	return b, err
}

// writes reports whether a message is a command that writes: the name of the
// first field of the body of an OP_MSG, after header (16), flags (4), kind of
// section (1), length of the document (4) and type of the field (1).
func writes(m []byte) bool {
	if len(m) < 27 || binary.LittleEndian.Uint32(m[12:]) != 2013 {
		return false
	}
	name, _, _ := bytes.Cut(m[26:], []byte{0})
	switch string(name) {
	case "insert", "update", "delete", "findAndModify":
		return true
	}
	return false
}
