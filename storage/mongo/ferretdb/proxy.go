package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
)

// proxy forwards messages of the MongoDB wire protocol, write commands one at a time.
type proxy struct {
	dial  func() (net.Conn, error)
	index indexer
	users users

	denied atomic.Int32 // level of denial: see deny.go
	write  sync.RWMutex // held from a write command until its reply, and from a find to read
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
			l := &login{users: p.users}
			for p.pass(client, server, l) == nil {
			}
		}()
	}
}

// pass forwards one command and its reply.
func (p *proxy) pass(client, server net.Conn, l *login) error {
	m, err := message(client)
	if err != nil {
		return err
	}
	c := parse(m)
	for _, answer := range []func(*command) []byte{l.answer, p.refusal} {
		if reply := answer(c); reply != nil {
			_, err := client.Write(reply)
			return err
		}
	}
	switch {
	case writes(m):
		p.write.Lock()
		defer p.write.Unlock()
	case c != nil && c.name() == "find":
		// byID queries the documents of a range one by one. Without a lock, it would return a
		// document that a concurrent write has moved out of the range.
		p.write.RLock()
		defer p.write.RUnlock()
	}
	do := func(c *command, m []byte) ([]byte, error) {
		reply, err := byID(m, c, &p.index, func(command []byte) ([]byte, error) {
			if _, err := server.Write(command); err != nil {
				return nil, err
			}
			return message(server)
		})
		if err == nil {
			if err := p.keepIndex(c); err != nil {
				fmt.Fprintln(os.Stderr, "ferretdb:", err)
			}
		}
		return reply, err
	}
	var reply []byte
	switch {
	case c != nil && c.name() == "bulkWrite":
		reply, err = c.bulkWrite(do)
	default:
		reply, err = do(c, m)
	}
	if err != nil {
		return err
	}
	if c == nil || c.name() == "hello" || strings.EqualFold(c.name(), "ismaster") { // nil: the first hello of a driver
		makeNewer(reply)
	}
	_, err = client.Write(reply)
	return err
}

// keepIndex indexes a collection that a command may have created.
func (p *proxy) keepIndex(c *command) error {
	if c == nil {
		return nil
	}
	switch c.name() {
	case "create", "createIndexes", "insert", "update", "findAndModify":
		return p.index.index(c.database(), c.collection())
	case "drop", "dropDatabase":
		p.index.forget()
	}
	return nil
}

const opMsg = 2013

// message reads a message: its first four bytes are its length.
func message(r io.Reader) ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint32(head[:])
	if n < 16 || n > 64<<20 {
		return nil, errors.New("invalid message length")
	}
	b := make([]byte, n)
	copy(b, head[:])
	_, err := io.ReadFull(r, b[4:])
	return b, err
}

// writes reports whether a message is a write command: the name of the first field of
// the body of an OP_MSG, after header (16), flags (4), kind of section (1), length of
// the document (4) and type of the field (1).
func writes(m []byte) bool {
	if len(m) < 27 || binary.LittleEndian.Uint32(m[12:]) != opMsg {
		return false
	}
	name, _, _ := bytes.Cut(m[26:], []byte{0})
	switch string(name) {
	case "insert", "update", "delete", "findAndModify", "bulkWrite":
		return true
	}
	return false
}
