package embedded

import (
	"context"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"io"
	"maps"
	"net"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

const secret = "0123456789abcdef"

// quick are times that tests need not wait for.
var quick = times{login: time.Second, command: time.Second, script: time.Minute}

func started(t *testing.T, password string, scripts ...string) *Server {
	t.Helper()
	s, err := start("127.0.0.1:0", password, bounds{quick, maxClients}, nil, scripts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// client returns a client as workers have it.
func client(t *testing.T, url string) *redis.Client {
	t.Helper()
	o, err := redis.ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	o.MaxRetries = -1
	c := redis.NewClient(o)
	t.Cleanup(func() { c.Close() })
	return c
}

// ask sends bytes on a connection of its own, and returns the reply until the server closes it.
func ask(t *testing.T, s *Server, sent string) string {
	t.Helper()
	c, err := net.Dial("tcp", s.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(20 * time.Second))
	io.WriteString(c, sent)
	b, err := io.ReadAll(c)
	if e, ok := errors.AsType[net.Error](err); ok && e.Timeout() {
		t.Fatalf("%.40q: the connection stays open; it answered %q", sent, b)
	}
	return string(b)
}

func works(t *testing.T, s *Server) {
	t.Helper()
	if err := client(t, s.URL()).Set(t.Context(), "still", "there", 0).Err(); err != nil {
		t.Errorf("the server does not work: %v", err)
	}
}

// lines is a log whose lines are counted.
type lines struct {
	mu   sync.Mutex
	text []string // guarded by mu
}

func (l *lines) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = append(l.text, string(line))
	return len(line), nil
}

func (l *lines) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.text)
}

func TestWithoutThePasswordNothingIsDone(t *testing.T) {
	s := started(t, secret)
	works(t, s)
	for sent, want := range map[string]string{
		encode("GET", "still"):                           "-NOAUTH",
		encode("HELLO", "3"):                             "-NOAUTH",
		encode("AUTH", "wrong"):                          "-WRONGPASS",
		encode("AUTH", "other", secret):                  "-WRONGPASS",
		encode("HELLO", "3", "AUTH", "default", "wrong"): "-WRONGPASS",
		encode("EVAL", "return 1", "0"):                  "-NOAUTH",
		encode("MULTI"):                                  "-NOAUTH",
		encode("AUTH", secret) + encode("GET", "still") + encode("QUIT"):                                          "+OK\r\n$5\r\nthere\r\n+OK\r\n",
		encode("AUTH", "default", secret) + encode("PING") + encode("QUIT"):                                       "+OK\r\n+PONG\r\n+OK\r\n",
		encode("HELLO", "2", "AUTH", "default", secret, "SETNAME", "w") + encode("GET", "still") + encode("QUIT"): "*14\r\n",
	} {
		began := time.Now()
		if got := ask(t, s, sent); !strings.HasPrefix(got, want) {
			t.Errorf("%q: %q, want %q", sent, got, want)
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("%q: it was let wait for %v", sent, took)
		}
	}
	if err := client(t, "redis://"+s.Addr()).Ping(t.Context()).Err(); err == nil || !strings.HasPrefix(err.Error(), "NOAUTH") {
		t.Errorf("a client without the password: %v", err)
	}
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		open, waiting := s.listener.Counts()
		if waiting == 0 {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("%d of %d connections still wait", waiting, open)
		}
	}
}

func TestOpenAddressesNeedAPassword(t *testing.T) {
	for _, addr := range []string{"0.0.0.0:0", ":0", "[::]:0", "192.0.2.1:0", "redis.test:0"} {
		if s, err := Start(addr, "", nil); !errors.Is(err, ErrOpen) {
			t.Errorf("%s: %v", addr, err)
			if err == nil {
				s.Close()
			}
		}
	}
	if s, err := Start("localhost:0", "", nil); err != nil {
		t.Error(err)
	} else {
		s.Close()
	}
}

// Client features of Redis beyond single commands.
func TestClientsWorkAsWithRedis(t *testing.T) {
	const text = `return {KEYS[1], ARGV[1], redis.call('GET', 'n')}`
	for name, password := range map[string]string{"open": "", "with a password": secret} {
		s, err := Start("127.0.0.1:0", password, nil, text)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		outside := client(t, s.URL())
		within := redis.NewClient(&redis.Options{Dialer: s.Dial, MaxRetries: -1, ReadTimeout: time.Minute, WriteTimeout: time.Minute})
		defer within.Close()
		for from, c := range map[string]*redis.Client{"outside": outside, "within": within} {
			t.Run(name+", "+from, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				c.Del(ctx, "list", "n")
				// More than any buffer holds, in both directions.
				pipe := c.Pipeline()
				for range 20_000 {
					pipe.RPush(ctx, "list", strings.Repeat("x", 100))
					pipe.LIndex(ctx, "list", 0)
				}
				if _, err := pipe.Exec(ctx); err != nil {
					t.Fatalf("a pipeline: %v", err)
				}
				if all, err := c.LRange(ctx, "list", 0, -1).Result(); err != nil || len(all) != 20_000 {
					t.Errorf("a long reply: %d, %v", len(all), err)
				}
				tx := c.TxPipeline()
				tx.Incr(ctx, "n")
				n := tx.Incr(ctx, "n")
				if _, err := tx.Exec(ctx); err != nil || n.Val() != 2 {
					t.Errorf("MULTI and EXEC: %v, %v", n.Val(), err)
				}
				script := redis.NewScript(text)
				for range 2 { // EVALSHA, EVAL, then EVALSHA
					if got, err := script.Run(ctx, c, []string{"k"}, strings.Repeat("y", maxWord)).StringSlice(); err != nil || len(got) != 3 || got[2] != "2" {
						t.Errorf("a script: %d values, %v", len(got), err)
					}
				}
				time.AfterFunc(50*time.Millisecond, func() { c.RPush(ctx, "late", "at last") })
				if got, err := c.BLPop(ctx, 10*time.Second, "late").Result(); err != nil || len(got) != 2 || got[1] != "at last" {
					t.Errorf("a command that waits: %v, %v", got, err)
				}
			})
		}
	}
}

func TestRedisCLIWorks(t *testing.T) {
	if _, err := exec.LookPath("redis-cli"); err != nil {
		t.Skip("skipped: redis-cli is not installed (Debian's package redis-tools)")
	}
	s := started(t, secret)
	for _, version := range []string{"-2", "-3"} {
		cmd := exec.Command("redis-cli", version, "-u", s.URL(), "LPUSH", "plat:inbox", "https://example.org/")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("redis-cli %s: %s, %v", version, out, err)
		}
	}
	if n := client(t, s.URL()).LLen(t.Context(), "plat:inbox").Val(); n != 2 {
		t.Errorf("%d entries arrived, not 2", n)
	}
}

func TestCommandsThatNobodyNeedsAreRefused(t *testing.T) {
	s := started(t, "")
	for _, words := range [][]string{{"SETRANGE", "k", "99999999999999", "x"}, {"SETBIT", "k", "99999999999999", "1"}, {"ZRANDMEMBER", "k", "-99999999999"}, {"SUBSCRIBE", "c"}, {"MONITOR"}, {"APPEND", "k", "x"}, {"XADD", "k", "*", "a", "b"}, {"SWAPDB", "0", "1"}, {"it's\r\nnone"}} {
		if got := ask(t, s, encode(words...)+encode("QUIT")); !strings.HasPrefix(got, "-ERR unknown command '") || !strings.HasSuffix(got, "\r\n+OK\r\n") || strings.Count(got, "\n") != 2 {
			t.Errorf("%v: %q", words, got)
		}
	}
}

// Scripts that would end the process or run for ever: the only protection is to run only known
// ones.
func TestScriptsOfOthersAreRefused(t *testing.T) {
	const known = "return 1"
	s := started(t, "", known)
	for _, text := range []string{
		"local t = {} t[1] = t return t",                             // an endless answer, then the stack
		`return redis.call("SETRANGE", "k", "100000000000000", "x")`, // memory
		`return redis.call("BLPOP", "none", "0")`,                    // waits, and all clients with it
		"while true do end",                                          //
		"return string.match(string.rep('x', 10000000), 'x+')",       // the stack
		"return cjson.decode(string.rep('[', 10000000))",             //
		"return string.rep('x', 1e15)",                               // memory
		known + " ",                                                  //
		"",                                                           //
	} {
		for _, words := range [][]string{{"EVAL", text, "0"}, {"eval", text, "1", "k"}, {"SCRIPT", "LOAD", text}, {"script", "load", text}} {
			if got := ask(t, s, encode(words...)+encode("QUIT")); !strings.HasPrefix(got, "-ERR the Redis of plat up runs no scripts but those of its own version") || !strings.HasSuffix(got, "\r\n+OK\r\n") {
				t.Errorf("%q: %.200q", words, got)
			}
		}
		sum := sha1.Sum([]byte(text))
		if got := ask(t, s, encode("EVALSHA", hex.EncodeToString(sum[:]), "0")+encode("QUIT")); !strings.HasPrefix(got, "-NOSCRIPT") {
			t.Errorf("%q by its sum: %.200q", text, got)
		}
		if got := ask(t, s, encode("MULTI")+encode("EVAL", text, "0")+encode("EXEC")+encode("QUIT")); !strings.HasPrefix(got, "+OK\r\n-ERR the Redis of plat up runs") {
			t.Errorf("%q in a transaction: %.200q", text, got)
		}
	}
	for _, name := range []string{"EVAL_RO", "EVALSHA_RO", "FCALL", "FUNCTION"} {
		if got := ask(t, s, encode(name, known, "0")+encode("QUIT")); !strings.HasPrefix(got, "-ERR unknown command") {
			t.Errorf("%s: %q", name, got)
		}
	}
	if got := ask(t, s, encode("EVAL", known, "0")+encode("SCRIPT", "FLUSH")+encode("SCRIPT", "LOAD", known)+encode("QUIT")); !strings.HasPrefix(got, ":1\r\n+OK\r\n$40\r\n") {
		t.Errorf("a known script: %q", got)
	}
	works(t, s)
}

// Scripts cannot call commands that clients may not send.
func TestCommandsOfScriptsAreThoseOfClients(t *testing.T) {
	calls := map[string]string{
		"SETRANGE": `return redis.call("SETRANGE", "k", "100000000000000", "x")`, "setrange": `return redis.call("setrange", "k", "100000000000000", "x")`,
		"SETBIT": `return redis.call("SETBIT", "k", "4000000000", "1")`, "SWAPDB": `return redis.call("SWAPDB", "0", "1")`,
		"XADD": `return redis.call("XADD", "x", "*", "a", "b")`, "PUBLISH": `return redis.call("PUBLISH", "c", "m")`,
		"ZRANDMEMBER": `return redis.call("ZRANDMEMBER", "z", "-99999999999")`, "in a pcall": `return redis.pcall("APPEND", "k", "x")`,
	}
	s := started(t, "", slices.Collect(maps.Values(calls))...)
	for name, text := range calls {
		if got := ask(t, s, encode("EVAL", text, "0")+encode("QUIT")); !strings.HasPrefix(got, "-ERR") || !strings.Contains(got, "does not have") {
			t.Errorf("%s: %.200q", name, got)
		}
	}
	works(t, s)
}

func TestCloseEndsCommandsThatWait(t *testing.T) {
	s := started(t, "")
	failed := make(chan error)
	go func() { failed <- client(t, s.URL()).BLPop(context.Background(), 0, "none").Err() }()
	for s.clients.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	closed := make(chan struct{})
	go func() { s.Close(); close(closed) }()
	for _, what := range []string{"the server", "the client"} {
		select {
		case <-closed:
			closed = nil
		case err := <-failed:
			if err == nil {
				t.Error("the command succeeded")
			}
		case <-time.After(10 * time.Second):
			t.Fatal(what + " still waits")
		}
	}
	if _, err := s.Dial(t.Context(), "", ""); err == nil {
		t.Error("a closed server is connected to")
	}
}

// FuzzCommands sends allowed commands to miniredis: the server must survive all of them.
func FuzzCommands(f *testing.F) {
	for name := range allowed {
		f.Add(name, "key", "1", "0")
		f.Add(name, "-1", "nan", "99999999999999")
	}
	f.Add("KEYS", "\xe3", "", "") // panics
	for _, text := range []string{"local t = {} t[1] = t return t", `return redis.call("SETRANGE", "k", "100000000000000", "x")`, `return redis.call("BLPOP", "none", "0")`, "return 1"} {
		f.Add("EVAL", text, "0", "")
		f.Add("SCRIPT", "LOAD", text, "0")
	}
	f.Add("HSET", "h", "f", strings.Repeat("x", maxWord+1))
	s, err := Start("127.0.0.1:0", "", nil, "return 1")
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { s.Close() })
	f.Fuzz(func(t *testing.T, name, a, b, c string) {
		if waiting[strings.ToUpper(name)] {
			return
		}
		conn, err := s.Dial(t.Context(), "", "")
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		conn.SetDeadline(time.Now().Add(20 * time.Second))
		go io.WriteString(conn, encode(name)+encode(name, a)+encode(name, a, b)+encode(name, a, b, c)+encode("QUIT"))
		if got, err := io.ReadAll(conn); err != nil {
			t.Fatalf("%q %q %q %q: %.200q, %v", name, a, b, c, got, err)
		}
	})
}
