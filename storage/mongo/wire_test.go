package mongo

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// wireCommand is a command of the wire protocol: an OP_MSG, or the OP_QUERY with which a driver says hello.
type wireCommand struct {
	id    uint32
	query bool
	body  bson.Raw
	seq   string // name of the sequence of documents
	docs  []bson.Raw
	rest  []byte // the section of a second sequence, of bulkWrite
}

const wireReply, wireQuery, wireMsg = 1, 2004, 2013

// readWire reads a message: its first four bytes are its length.
func readWire(r io.Reader) ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint32(head[:])
	if n < 16 || n > 64<<20 {
		return nil, errors.New("invalid message length")
	}
	b := append(make([]byte, 0, n), head[:]...)[:n]
	_, err := io.ReadFull(r, b[4:])
	return b, err
}

// parseWire returns nil for messages of other kinds.
func parseWire(m []byte) *wireCommand {
	c := &wireCommand{id: binary.LittleEndian.Uint32(m[4:])}
	rest := m[16:]
	switch binary.LittleEndian.Uint32(m[12:]) {
	case wireQuery:
		end := slices.Index(rest[4:], 0)
		c.query, c.body = true, bson.Raw(rest[4+end+9:])
	case wireMsg:
		for rest = rest[4:]; len(rest) > 0; {
			n := binary.LittleEndian.Uint32(rest[1:])
			section := rest[1 : 1+n]
			if rest[0] == 0 {
				c.body = bson.Raw(section)
			} else if c.seq != "" {
				c.rest = rest[:1+n]
			} else {
				end := slices.Index(section[4:], 0)
				c.seq = string(section[4 : 4+end])
				for docs := section[4+end+1:]; len(docs) > 0; docs = docs[binary.LittleEndian.Uint32(docs):] {
					c.docs = append(c.docs, bson.Raw(docs[:binary.LittleEndian.Uint32(docs)]))
				}
			}
			rest = rest[1+n:]
		}
	}
	if c.body == nil || c.body.Validate() != nil {
		return nil
	}
	return c
}

func (c *wireCommand) name() string { return c.body.Index(0).Key() }

func (c *wireCommand) collection() string {
	s, _ := c.body.Index(0).Value().StringValueOK()
	return s
}

func (c *wireCommand) isHello() bool {
	return c.query || slices.Contains([]string{"hello", "isMaster", "ismaster"}, c.name())
}

func (c *wireCommand) isWrite() bool {
	return slices.Contains([]string{"insert", "update", "delete", "findAndModify", "bulkWrite", "create", "createIndexes", "drop", "dropIndexes"}, c.name())
}

// reads reports whether only the primary answers the command, unless its read preference says otherwise.
func (c *wireCommand) reads() bool {
	return !slices.Contains([]string{"ping", "buildInfo", "endSessions", "getMore", "killCursors"}, c.name())
}

// preference returns the read preference of a command.
func (c *wireCommand) preference() string {
	mode, ok := c.body.Lookup("$readPreference", "mode").StringValueOK()
	if !ok {
		return "primary"
	}
	return mode
}

func (c *wireCommand) secondaryOK() bool { return c.preference() != "primary" }

// retryable returns the session and the number of a retryable write.
func (c *wireCommand) retryable() (session string, txn int64, ok bool) {
	txn, ok = c.body.Lookup("txnNumber").AsInt64OK()
	_, id, _ := c.body.Lookup("lsid", "id").BinaryOK()
	return string(id), txn, ok
}

// send sends the command with some of its documents, as a server without sessions and members gets it,
// and returns the answer.
func (c *wireCommand) send(up net.Conn, docs []bson.Raw) (bson.Raw, error) {
	body := []byte{0, 0, 0, 0}
	elements, err := c.body.Elements()
	if err != nil {
		return nil, err
	}
	for _, e := range elements {
		if !slices.Contains([]string{"lsid", "txnNumber", "$clusterTime", "$readPreference", "writeConcern"}, e.Key()) {
			body = append(body, e...)
		}
	}
	body = append(body, 0)
	binary.LittleEndian.PutUint32(body, uint32(len(body)))
	m := append(make([]byte, 16), 0, 0, 0, 0, 0)
	m = append(m, body...)
	if c.seq != "" {
		at := len(m) + 1
		m = append(append(append(m, 1, 0, 0, 0, 0), c.seq...), 0)
		for _, d := range docs {
			m = append(m, d...)
		}
		binary.LittleEndian.PutUint32(m[at:], uint32(len(m)-at))
		m = append(m, c.rest...)
	}
	if _, err := up.Write(header(m, c.id, 0, wireMsg)); err != nil {
		return nil, err
	}
	answer, err := readWire(up)
	if err != nil {
		return nil, err
	}
	if r := parseWire(answer); r != nil {
		return r.body, nil
	}
	return nil, errors.New("unreadable answer")
}

// reply returns the message that answers c.
func (c *wireCommand) reply(body bson.Raw) []byte {
	if c.query {
		m := append(make([]byte, 16+20), body...)
		m[16+16] = 1 // number of documents
		return header(m, 0, c.id, wireReply)
	}
	return header(append(append(make([]byte, 16), 0, 0, 0, 0, 0), body...), 0, c.id, wireMsg)
}

// header fills the header of a message.
func header(m []byte, id, to, op uint32) []byte {
	for i, v := range []uint32{uint32(len(m)), id, to, op} {
		binary.LittleEndian.PutUint32(m[4*i:], v)
	}
	return m
}

func marshal(d bson.D) bson.Raw {
	b, err := bson.Marshal(d)
	if err != nil {
		panic(err)
	}
	return b
}
