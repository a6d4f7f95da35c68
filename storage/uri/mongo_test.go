package uri

import (
	"encoding/binary"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// empty is a MongoDB server without documents. It notes the names of the commands.
type empty struct {
	net.Listener
	mu   sync.Mutex
	seen []string
}

func newEmpty(t *testing.T) *empty {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	e := &empty{Listener: l}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				for e.answer(c) == nil {
				}
			}()
		}
	}()
	return e
}

// answer replies to one message: an OP_MSG with a command, or an OP_QUERY (2004), by which the driver says hello.
func (e *empty) answer(c net.Conn) error {
	head := make([]byte, 16)
	if _, err := io.ReadFull(c, head); err != nil {
		return err
	}
	body := make([]byte, binary.LittleEndian.Uint32(head)-16)
	if _, err := io.ReadFull(c, body); err != nil {
		return err
	}
	query := binary.LittleEndian.Uint32(head[12:]) == 2004
	name := "hello"
	if !query {
		elements, err := bson.Raw(body[5:]).Elements()
		if err != nil {
			return err
		}
		name = elements[0].Key()
	}
	e.mu.Lock()
	e.seen = append(e.seen, name)
	e.mu.Unlock()
	reply, err := bson.Marshal(bson.D{
		{Key: "ok", Value: 1.0}, {Key: "isWritablePrimary", Value: true}, {Key: "ismaster", Value: true}, {Key: "minWireVersion", Value: int32(0)}, {Key: "maxWireVersion", Value: int32(21)},
		{Key: "cursor", Value: bson.D{{Key: "id", Value: int64(0)}, {Key: "ns", Value: "db.c"}, {Key: "firstBatch", Value: bson.A{}}}}})
	if err != nil {
		return err
	}
	out := make([]byte, 16, 64)
	binary.LittleEndian.PutUint32(out[8:], binary.LittleEndian.Uint32(head[4:])) // the message that it answers
	if query {
		binary.LittleEndian.PutUint32(out[12:], 1)
		out = append(out, make([]byte, 16)...) // flags (4), cursor (8), start (4)
		out = append(out, 1, 0, 0, 0)          // number of documents
	} else {
		binary.LittleEndian.PutUint32(out[12:], 2013)
		out = append(out, 0, 0, 0, 0, 0) // flags, kind of section
	}
	out = append(out, reply...)
	binary.LittleEndian.PutUint32(out, uint32(len(out)))
	_, err = c.Write(out)
	return err
}

func TestOnlyACommandThatMakesAnArchiveFillsAnEmptyDatabase(t *testing.T) {
	e := newEmpty(t)
	name := "mongodb://" + e.Addr().String() + "/typo"
	for _, use := range []Use{Reads, Writes, Migrates} {
		s, err := Open(t.Context(), name, use, Options{})
		if err == nil {
			s.Close()
		}
		if want := "store: there is no archive at " + name + "; make one with plat archive URL"; err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("use %d: %v, want %q", use, err, want)
		}
	}
	e.mu.Lock()
	seen := slices.Clone(e.seen)
	e.mu.Unlock()
	for _, c := range seen {
		if !slices.Contains([]string{"hello", "ping", "find", "endSessions"}, c) {
			t.Errorf("the command %s was sent to an empty database", c)
		}
	}
	if s, err := Open(t.Context(), name, Creates, Options{}); err == nil {
		s.Close()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if !slices.Contains(e.seen, "create") {
		t.Errorf("the commands were %q, want that an archive is created", e.seen)
	}
}
