package mongo

import (
	"context"
	"errors"
	"io"
	"net"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/mongo"

	"plat/fixtures/freeport"
)

// sentence checks that an error is one sentence for users.
func sentence(t *testing.T, what string, err error, wants ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("%s: no error", what)
		return
	}
	for _, want := range wants {
		if strings.Count(err.Error(), want) != 1 {
			t.Errorf("%s: %q, want %q in it once", what, err, want)
		}
	}
	for _, never := range []string{"topology", "Type: Unknown", "server selection", "handshake", "hush", "\n", "[-"} {
		if strings.Contains(err.Error(), never) {
			t.Errorf("%s: %q has %q in it", what, err, never)
		}
	}
	if len(err.Error()) > 250 {
		t.Errorf("%s: %d characters: %q", what, len(err.Error()), err)
	}
}

func TestAServerThatIsNotThereIsNamedWithinSeconds(t *testing.T) {
	t.Parallel()
	closed := freeport.Unused(t)
	began := time.Now()
	_, err := Open(t.Context(), "mongodb://me:hush@"+closed+"/plat", Options{Patience: time.Hour})
	if took := time.Since(began); took > 15*time.Second {
		t.Errorf("it was waited for %v", took)
	}
	sentence(t, "nobody listens", err, "MongoDB at "+closed+" does not answer (connection refused); check that it is running")

	_, err = Open(t.Context(), "mongodb://me:hush@"+closed+",127.0.0.1:1/plat", Options{Patience: 3 * time.Second})
	sentence(t, "two servers", err, closed+", 127.0.0.1:1 ", "connection refused")

	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	if _, err = Open(ctx, "mongodb://me:hush@"+closed+"/plat", Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("called off: %v", err)
	}
	sentence(t, "called off", err, "interrupted")
}

func TestAServerThatSaysNothingIsNotWaitedForLong(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			defer c.Close()
			go io.Copy(io.Discard, c)
		}
	}()
	began := time.Now()
	_, err = Open(t.Context(), "mongodb://me:hush@"+l.Addr().String()+"/plat", Options{Patience: 300 * time.Millisecond})
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it was waited for %v", took)
	}
	sentence(t, "it says nothing", err, "MongoDB at "+l.Addr().String(), "check that it is running")
}

// A server answers, but not as the address says.
func TestAServerThatIsAnotherThanTheAddressSays(t *testing.T) {
	t.Parallel()
	requireServer(t)
	for query, want := range map[string]string{
		"replicaSet=rs9": `no server of MongoDB's address belongs to a replica set "rs9"; check replicaSet in the address`,
		"tls=true":       "it ends the connection at once: check whether it wants TLS",
	} {
		uri, err := url.Parse(server)
		if err != nil {
			t.Fatal(err)
		}
		if uri.RawQuery != "" {
			t.Skip("the server of the tests has options of its own")
		}
		uri.Path, uri.RawQuery = "/plat", query
		_, err = Open(t.Context(), uri.String(), Options{Patience: 2 * time.Second})
		sentence(t, query, err, want)
	}
}

// vanishing dials until its network is marked as gone.
type vanishing struct {
	gone  atomic.Bool
	conns chan net.Conn
}

func (c *vanishing) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	if c.gone.Load() {
		return nil, errors.New("no route to host")
	}
	conn, err := new(net.Dialer).DialContext(ctx, network, addr)
	if err == nil {
		c.conns <- conn
	}
	return conn, err
}

func TestAServerThatGoesAwayIsNamed(t *testing.T) {
	t.Parallel()
	c := &vanishing{conns: make(chan net.Conn, 1000)}
	s := open(t, Options{Dialer: c, Patience: 3 * time.Second})
	if _, err := s.State(t.Context(), "https://a.test/"); err != nil && !strings.Contains(err.Error(), "not found") {
		t.Fatal(err)
	}
	c.gone.Store(true)
	for len(c.conns) > 0 {
		(<-c.conns).Close()
	}
	for range 3 { // the first uses a closed connection, the next find no server
		_, err := s.State(t.Context(), "https://a.test/")
		sentence(t, "it has gone", err, "MongoDB", "check that it is running")
	}
	c.gone.Store(false)
	for end := time.Now().Add(time.Minute); ; { // otherwise closing would fail too
		if _, err := s.State(t.Context(), "https://a.test/"); err == nil || strings.Contains(err.Error(), "not found") {
			break
		} else if time.Now().After(end) {
			t.Fatal(err)
		}
	}
}

func TestOtherErrorsStayAsTheyAre(t *testing.T) {
	for _, err := range []error{errors.New("nonsense"), mongo.CommandError{Code: 13, Message: "not authorized"}, context.Canceled, io.EOF} {
		if got := plain(err); got.Error() != err.Error() {
			t.Errorf("%v became %v", err, got)
		}
	}
}
