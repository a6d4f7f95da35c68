package mongo

import (
	"crypto/tls"
	"encoding/binary"
	"errors"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// replicaSet imitates a MongoDB replica set in front of the test server: two members with the same data,
// of which one is the primary. It answers hello as a MongoDB 7 does, keeps the answers of retryable
// writes, as a primary does, and fails the writes that a test chooses.
type replicaSet struct {
	upstream string // host and port of the test server
	members  [2]*member
	election time.Duration // during which there is no primary
	single   bool          // it is no set, but one server, which has neither sessions nor failovers

	login  bool             // commands need a login
	logins func(d bson.Raw) // observes logins, if not nil
	lags   atomic.Bool      // the secondary has no documents yet

	// fail chooses the failure of a write command. It is not called for a repeated one.
	fail func(name, collection string) failure
	// between, if not nil, is called when a failing write was applied, before its client hears of the failure.
	between func()
	wire    int32 // version of the protocol
	// seen observes every command before it is answered.
	seen func(m *member, primary bool, c *wireCommand)

	mu      sync.Mutex
	primary int           // index in members, -1 during an election
	version int64         // counter of topologyVersion
	changed chan struct{} // closed with the next version
	writes  map[string]*retryable
	failed  map[failure]int
	resent  int // statements of retryable writes that were answered from memory

	stop chan struct{}
	all  sync.WaitGroup
}

type member struct {
	net.Listener
	rs      *replicaSet
	i       int
	process bson.ObjectID
}

// retryable is the last retryable write of a session.
type retryable struct {
	txn   int64
	done  int      // statements that were applied
	reply bson.Raw // their answer
	whole bool     // all were applied
}

// failure is a failure of a write command.
type failure int

const (
	works        failure = iota
	refuses              // answers that it is not the primary, and is not
	stepsDown            // steps down before it applies the command
	applied              // applies it, then steps down
	appliedAlone         // the same, and reports that only of the write concern
	appliedHalf          // applies half of the statements, then steps down
	cutBefore            // cuts the connection before it applies the command
	cutAfter             // applies it, then cuts the connection
	cutHalf              // applies half of the statements, then cuts the connection
	failures
)

func (f failure) String() string {
	return [...]string{"works", "10107 before", "189 before", "189 after", "189 of the write concern", "189 halfway", "cut before", "cut after", "cut halfway"}[f]
}

// half reports whether only half of the statements are applied.
func (f failure) half() bool { return f == appliedHalf || f == cutHalf }

// cuts reports whether the connection is cut.
func (f failure) cuts() bool { return f >= cutBefore }

// notPrimary, steppedDown and notReadable are codes of MongoDB's error_codes.yml.
const notPrimary, steppedDown, notReadable = 10107, 189, 13435

var codeNames = map[int32]string{notPrimary: "NotWritablePrimary", steppedDown: "PrimarySteppedDown", notReadable: "NotPrimaryNoSecondaryOk",
	unauthorized: "Unauthorized", authenticationFailed: "AuthenticationFailed"}

// newReplicaSet starts a replica set that the test stops at its end. Its fields may be changed before
// it gets its first command.
func newReplicaSet(t testing.TB) *replicaSet { return newTLSReplicaSet(t, nil) }

// newTLSReplicaSet starts a replica set that requires TLS, unless secure is nil.
func newTLSReplicaSet(t testing.TB, secure *tls.Config) *replicaSet {
	t.Helper()
	rs := &replicaSet{upstream: serverAddress(t), election: 10 * time.Millisecond, wire: bulkWrites - 1, version: 1, changed: make(chan struct{}),
		writes: map[string]*retryable{}, failed: map[failure]int{}, stop: make(chan struct{})}
	for i := range rs.members {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		if secure != nil {
			l = tls.NewListener(l, secure)
		}
		rs.members[i] = &member{l, rs, i, bson.NewObjectID()}
		rs.all.Go(rs.members[i].serve)
	}
	t.Cleanup(func() {
		close(rs.stop)
		for _, m := range rs.members {
			m.Close()
		}
		rs.all.Wait()
	})
	return rs
}

// serverAddress returns host and port of the test server.
func serverAddress(t testing.TB) string {
	t.Helper()
	requireServer(t)
	rest, ok := strings.CutPrefix(server, "mongodb://127.0.0.1:")
	port, _, _ := strings.Cut(rest, "/")
	if !ok {
		t.Skip("the server of PLAT_TEST_MONGODB_URI is not this machine's")
	}
	return "127.0.0.1:" + port
}

// uri returns the address of the set, with options.
func (rs *replicaSet) uri(options string) string {
	if rs.single {
		return "mongodb://" + rs.members[0].Addr().String() + "/?" + options
	}
	return "mongodb://" + rs.members[0].Addr().String() + "," + rs.members[1].Addr().String() + "/?replicaSet=rs0" + options
}

// stepDown makes the other member the primary, after the election.
func (rs *replicaSet) stepDown() {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if rs.primary < 0 {
		return
	}
	next := (rs.primary + 1) % len(rs.members)
	rs.elect(-1)
	time.AfterFunc(rs.election, func() {
		rs.mu.Lock()
		defer rs.mu.Unlock()
		rs.elect(next)
	})
}

// elect sets the primary. rs.mu is held.
func (rs *replicaSet) elect(i int) {
	rs.primary = i
	rs.version++
	close(rs.changed)
	rs.changed = make(chan struct{})
}

func (m *member) serve() {
	for {
		conn, err := m.Accept()
		if err != nil {
			return
		}
		m.rs.all.Go(func() {
			defer conn.Close()
			c := &wireConn{Conn: conn, upstream: m.rs.upstream}
			defer c.closeUp()
			ended := make(chan struct{})
			defer close(ended)
			go func() {
				select {
				case <-m.rs.stop:
					conn.Close()
				case <-ended:
				}
			}()
			for m.answer(c) == nil {
			}
		})
	}
}

// wireConn is the connection of a client, with one to the test server once it needs it.
type wireConn struct {
	net.Conn
	upstream string
	up       net.Conn
	user     string // who has logged in
}

func (c *wireConn) closeUp() {
	if c.up != nil {
		c.up.Close()
	}
}

// ask sends a command with some of its documents to the test server.
func (c *wireConn) ask(command *wireCommand, docs []bson.Raw) (bson.Raw, error) {
	if c.up == nil {
		var err error
		if c.up, err = net.Dial("tcp", c.upstream); err != nil {
			return nil, err
		}
	}
	return command.send(c.up, docs)
}

var errCut = errors.New("the connection is cut on purpose")

// answer answers one message.
func (m *member) answer(conn *wireConn) error {
	raw, err := readWire(conn)
	if err != nil {
		return err
	}
	c := parseWire(raw)
	if c == nil {
		return errors.New("not a command")
	}
	rs := m.rs
	rs.mu.Lock()
	primary := rs.primary == m.i
	rs.mu.Unlock()
	if rs.seen != nil {
		rs.seen(m, primary, c)
	}
	var reply bson.Raw
	switch {
	case c.isHello():
		reply = m.hello(c)
	case c.name() == "authenticate", c.name() == "saslStart":
		reply = m.login(conn, c)
	case rs.login && conn.user == "":
		reply = m.refusal(unauthorized, false)
	case c.isWrite():
		if reply, err = m.write(c, conn); err != nil {
			return err
		}
	case !primary && c.reads() && !c.secondaryOK():
		reply = m.refusal(notReadable, false)
	case !primary && rs.lags.Load() && c.name() == "find":
		reply = marshal(bson.D{{Key: "cursor", Value: bson.D{{Key: "firstBatch", Value: bson.A{}}, {Key: "id", Value: int64(0)}, {Key: "ns", Value: "none.none"}}}, {Key: "ok", Value: 1.0}})
	default:
		if reply, err = conn.ask(c, c.docs); err != nil {
			return err
		}
	}
	_, err = conn.Write(c.reply(reply))
	return err
}

// hello describes the set. A request that knows a topologyVersion is answered when there is a newer one,
// or after the time that it gives.
func (m *member) hello(c *wireCommand) bson.Raw {
	rs := m.rs
	rs.mu.Lock()
	if known, ok := c.body.Lookup("topologyVersion", "counter").AsInt64OK(); ok {
		ms, _ := c.body.Lookup("maxAwaitTimeMS").AsInt64OK()
		for end := time.After(time.Duration(ms) * time.Millisecond); rs.version == known; {
			changed := rs.changed
			rs.mu.Unlock()
			select {
			case <-changed:
			case <-rs.stop:
				known = -1
			case <-end:
				known = -1
			}
			rs.mu.Lock()
		}
	}
	defer rs.mu.Unlock()
	if rs.single {
		return marshal(bson.D{{Key: "helloOk", Value: true}, {Key: "ismaster", Value: true}, {Key: "isWritablePrimary", Value: true}, {Key: "maxBsonObjectSize", Value: int32(16 << 20)},
			{Key: "maxMessageSizeBytes", Value: int32(48_000_000)}, {Key: "maxWriteBatchSize", Value: int32(100_000)}, {Key: "minWireVersion", Value: int32(0)}, {Key: "maxWireVersion", Value: rs.wire}, {Key: "ok", Value: 1.0}})
	}
	d := bson.D{{Key: "helloOk", Value: true}, {Key: "ismaster", Value: rs.primary == m.i}, {Key: "isWritablePrimary", Value: rs.primary == m.i}, {Key: "secondary", Value: rs.primary != m.i},
		{Key: "setName", Value: "rs0"}, {Key: "setVersion", Value: int32(1)}, {Key: "me", Value: m.Addr().String()},
		{Key: "hosts", Value: bson.A{rs.members[0].Addr().String(), rs.members[1].Addr().String()}}}
	if rs.primary >= 0 {
		d = append(d, bson.E{Key: "primary", Value: rs.members[rs.primary].Addr().String()})
	}
	if rs.primary == m.i {
		election := bson.ObjectID{}
		binary.BigEndian.PutUint64(election[4:], uint64(rs.version))
		d = append(d, bson.E{Key: "electionId", Value: election})
	}
	now := bson.NewDateTimeFromTime(time.Now())
	d = append(d, bson.E{Key: "lastWrite", Value: bson.D{{Key: "lastWriteDate", Value: now}}}, bson.E{Key: "topologyVersion", Value: m.topologyVersion()},
		bson.E{Key: "maxBsonObjectSize", Value: int32(16 << 20)}, bson.E{Key: "maxMessageSizeBytes", Value: int32(48_000_000)}, bson.E{Key: "maxWriteBatchSize", Value: int32(100_000)},
		bson.E{Key: "localTime", Value: now}, bson.E{Key: "logicalSessionTimeoutMinutes", Value: int32(30)}, bson.E{Key: "connectionId", Value: int32(1)},
		bson.E{Key: "minWireVersion", Value: int32(0)}, bson.E{Key: "maxWireVersion", Value: rs.wire}, bson.E{Key: "readOnly", Value: false}, bson.E{Key: "ok", Value: 1.0})
	return marshal(d)
}

// login answers a login: by the certificate of the client. Others have a wrong password.
func (m *member) login(conn *wireConn, c *wireCommand) bson.Raw {
	if m.rs.logins != nil {
		m.rs.logins(c.body)
	}
	secure, ok := conn.Conn.(*tls.Conn)
	if mechanism, _ := c.body.Lookup("mechanism").StringValueOK(); !ok || mechanism != "MONGODB-X509" || len(secure.ConnectionState().PeerCertificates) == 0 {
		return m.refusal(authenticationFailed, false)
	}
	conn.user = secure.ConnectionState().PeerCertificates[0].Subject.String()
	return marshal(bson.D{{Key: "dbname", Value: "$external"}, {Key: "user", Value: conn.user}, {Key: "ok", Value: 1.0}})
}

// topologyVersion is called with rs.mu held.
func (m *member) topologyVersion() bson.D {
	return bson.D{{Key: "processId", Value: m.process}, {Key: "counter", Value: m.rs.version}}
}

// refusal returns the answer to a command that fails with a code.
func (m *member) refusal(code int32, retryable bool) bson.Raw {
	m.rs.mu.Lock()
	defer m.rs.mu.Unlock()
	d := bson.D{{Key: "topologyVersion", Value: m.topologyVersion()}, {Key: "ok", Value: 0.0}, {Key: "errmsg", Value: codeNames[code]}, {Key: "code", Value: code}, {Key: "codeName", Value: codeNames[code]}}
	return marshal(labelled(d, retryable))
}

// labelled adds the label that a server gives to errors of retryable writes.
func labelled(d bson.D, retryable bool) bson.D {
	if retryable {
		d = append(d, bson.E{Key: "errorLabels", Value: bson.A{"RetryableWriteError"}})
	}
	return d
}

// write answers a write command.
func (m *member) write(c *wireCommand, conn *wireConn) (bson.Raw, error) {
	rs := m.rs
	session, txn, canRetry := c.retryable()
	rs.mu.Lock()
	primary := rs.primary == m.i
	was := rs.writes[session]
	again := canRetry && was != nil && was.txn == txn
	f := works
	if primary && !again && rs.fail != nil {
		if f = rs.fail(c.name(), c.collection()); f != works {
			rs.failed[f]++
		}
	}
	if canRetry && primary && !again {
		was = &retryable{txn: txn}
		rs.writes[session] = was
	}
	if again && primary {
		rs.resent += was.done
	}
	rs.mu.Unlock()
	if !canRetry {
		was = &retryable{}
	}
	switch {
	case !primary:
		return m.refusal(notPrimary, canRetry), nil
	case f == refuses:
		rs.stepDown()
		return m.refusal(notPrimary, canRetry), nil
	case f == stepsDown:
		rs.stepDown()
		return m.refusal(steppedDown, canRetry), nil
	case f == cutBefore:
		return nil, errCut
	}
	if err := was.apply(c, conn, f.half()); err != nil {
		return nil, err
	}
	if f != works && rs.between != nil {
		rs.between()
	}
	switch {
	case f == works:
		return was.reply, nil
	case f.cuts():
		return nil, errCut
	}
	rs.stepDown()
	if f != appliedAlone {
		return m.refusal(steppedDown, canRetry), nil
	}
	var d bson.D
	if err := bson.Unmarshal(was.reply, &d); err != nil {
		return nil, err
	}
	rs.mu.Lock()
	defer rs.mu.Unlock()
	d = append(d, bson.E{Key: "writeConcernError", Value: bson.D{{Key: "code", Value: int32(steppedDown)}, {Key: "codeName", Value: codeNames[steppedDown]}, {Key: "errmsg", Value: codeNames[steppedDown]}}},
		bson.E{Key: "topologyVersion", Value: m.topologyVersion()})
	return marshal(labelled(d, canRetry)), nil
}

// apply applies the statements that were not applied before, or the first half of them.
func (w *retryable) apply(c *wireCommand, conn *wireConn, half bool) error {
	if w.whole {
		return nil
	}
	docs := c.docs[min(w.done, len(c.docs)):]
	if half && len(docs) > 1 {
		docs = docs[:len(docs)/2]
	}
	reply, err := conn.ask(c, docs)
	if err != nil {
		return err
	}
	if w.done > 0 {
		if reply, err = joined(w.reply, reply, w.done); err != nil {
			return err
		}
	}
	w.reply = reply
	w.done += len(docs)
	_, failed := reply.LookupErr("writeErrors")
	n, _ := reply.Lookup("nErrors").AsInt64OK() // of bulkWrite
	w.whole = w.done == len(c.docs) || failed == nil || n > 0
	return nil
}

// joined returns the answer to the statements of two answers, where the second begins after some.
func joined(a, b bson.Raw, after int) (bson.Raw, error) {
	var x, y bson.D
	if err := errors.Join(bson.Unmarshal(a, &x), bson.Unmarshal(b, &y)); err != nil {
		return nil, err
	}
	for _, e := range y {
		at := slices.IndexFunc(x, func(was bson.E) bool { return was.Key == e.Key })
		if at < 0 {
			x, at = append(x, bson.E{Key: e.Key}), len(x)
		}
		switch v := e.Value.(type) {
		case int32:
			was, _ := x[at].Value.(int32)
			x[at].Value = was + v
		case bson.A: // upserted, writeErrors
			was, _ := x[at].Value.(bson.A)
			x[at].Value = append(was, shifted(v, after)...)
		case bson.D: // the cursor of bulkWrite
			was := x[at].Value.(bson.D)
			was[1].Value = append(was[1].Value.(bson.A), shifted(v[1].Value.(bson.A), after)...)
		default:
			x[at].Value = v
		}
	}
	return marshal(x), nil
}

// shifted adds to the indexes of statements.
func shifted(results bson.A, by int) bson.A {
	for _, r := range results {
		d := r.(bson.D)
		for i := range d {
			if d[i].Key == "index" || d[i].Key == "idx" {
				d[i].Value = d[i].Value.(int32) + int32(by)
			}
		}
	}
	return results
}
