package embedded

import (
	"bufio"
	"context"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
	"maps"
	"net"
	"os/exec"
	"runtime"
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

func TestGarbageEndsItsConnectionAndNothingElse(t *testing.T) {
	for _, password := range []string{"", secret} {
		s := started(t, password)
		for sent, want := range map[string]string{
			"*0\r\n":                          "-ERR Protocol error: a command has 1 to ",
			"*1\r\n$100000000000000\r\n":      "-ERR Protocol error: invalid bulk length",
			"*2\r\n$3\r\nGET\r\n$9999999\r\n": map[bool]string{true: "-ERR Protocol error: a word has at most", false: ""}[password != ""],
			"GET / HTTP/1.1\r\nHost: a.test\r\n\r\n" + strings.Repeat("x", 9000): "-ERR Protocol error: inline commands are not supported",
			"\x16\x03\x01\x02\x00\x01\x00\x01":                                   "-ERR Protocol error: inline",
			"*2\r\n$4\r\nPI":                                                     "", // half a command
		} {
			if got := ask(t, s, sent); !strings.HasPrefix(got, want) || want == "" && got != "" {
				t.Errorf("%.30q: answered %q, want %q", sent, got, want)
			}
		}
		if password == "" {
			if got := ask(t, s, encode("PING")+"*0\r\n"+encode("PING")); got != "+PONG\r\n-ERR Protocol error: a command has 1 to 131072 words, not 0\r\n" {
				t.Errorf("a command before garbage, and one after it: %q", got)
			}
		}
		works(t, s)
	}
}

// Many connections that send garbage leave no trace: no goroutine, no connection, no memory.
func TestTenThousandGarbageConnectionsLeaveNothing(t *testing.T) {
	s := started(t, "")
	n := 10_000
	if testing.Short() {
		n = 500
	}
	sent := []string{"*0\r\n", "*1\r\n$100000000000000\r\n", "*2\r\n$4\r\nECHO\r\n$9000000\r\nhalf", "PING\r\n", encode("BLPOP", "none", "0"), encode("QUIT"), ""}
	round := func(n int) {
		work := make(chan int)
		var at sync.WaitGroup
		for range 20 {
			at.Go(func() {
				for i := range work {
					c, err := net.Dial("tcp", s.Addr())
					if err != nil {
						t.Error(err)
						return
					}
					io.WriteString(c, sent[i%len(sent)])
					if i%2 == 0 {
						c.(*net.TCPConn).SetLinger(0)
					}
					c.Close()
				}
			})
		}
		for i := range n {
			work <- i
		}
		close(work)
		at.Wait()
		for end := time.Now().Add(20 * time.Second); s.clients.Load() > 0; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%d connections are still counted", s.clients.Load())
			}
		}
	}
	measure := func() (goroutines int, memory uint64) {
		var m runtime.MemStats
		for range 50 { // those that are about to end
			time.Sleep(10 * time.Millisecond)
			goroutines = runtime.NumGoroutine()
		}
		runtime.GC()
		runtime.ReadMemStats(&m)
		return goroutines, m.HeapAlloc
	}
	round(100)
	before, least := measure()
	round(n)
	after, most := measure()
	if after > before+5 || most > least+8<<20 {
		t.Errorf("goroutines %d, then %d; memory %d, then %d", before, after, least, most)
	}
	if free := s.room.free.Load(); free != maxHeld {
		t.Errorf("%d bytes of room are not given back", maxHeld-free)
	}
	works(t, s)
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

// bounded returns a server with few connections, and its log.
func bounded(t *testing.T, password string, clients int) (*Server, *lines) {
	t.Helper()
	log := &lines{}
	b := bounds{times{login: time.Minute, command: time.Minute, script: time.Minute}, clients}
	s, err := start("127.0.0.1:0", password, b, slog.New(slog.NewTextHandler(log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s, log
}

// dial opens a connection that sends a text, and returns it once the server has accepted it.
func dial(t *testing.T, s *Server, text string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", s.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	io.WriteString(c, text)
	c.SetDeadline(time.Now().Add(10 * time.Second))
	return c
}

// Clients that send half a command, or nothing, block no other client, with and without a
// password.
func TestHalfCommandsKeepNobodyOut(t *testing.T) {
	for _, password := range []string{"", secret} {
		s, log := bounded(t, password, 8)
		var half []net.Conn
		for range 30 {
			half = append(half, dial(t, s, "*2\r\n$4\r\nECHO\r\n$9\r\nha"), dial(t, s, ""))
		}
		for range 3 {
			if err := client(t, s.URL()).Ping(t.Context()).Err(); err != nil {
				t.Errorf("password %q: a client that sends whole commands: %v", password, err)
			}
		}
		if all := log.all(); len(all) != 1 || !strings.Contains(all[0], "connections to the embedded Redis are closed or refused") || !strings.Contains(all[0], "ulimit -n") {
			t.Errorf("the log has %q, want one line", all)
		}
		if s.Turned() < 52 {
			t.Errorf("%d connections were turned away", s.Turned())
		}
		for _, c := range half {
			c.Close()
		}
		for end := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) {
			if _, waiting := s.listener.Counts(); waiting == 0 {
				break
			}
			if time.Now().After(end) {
				t.Fatal("connections that are gone are still counted")
			}
		}
		works(t, s)
	}
}

func TestConnectionsAreLimitedAndOursAlwaysComesIn(t *testing.T) {
	s, _ := bounded(t, "", 8)
	for range 8 {
		if got, err := bufio.NewReader(dial(t, s, encode("PING"))).ReadString('\n'); err != nil || got != "+PONG\r\n" {
			t.Fatalf("%q, %v", got, err)
		}
	}
	last, err := bufio.NewReader(dial(t, s, encode("PING"))).ReadString('\n')
	if err != nil || last != "-ERR max number of clients reached\r\n" {
		t.Errorf("one more: %q, %v", last, err)
	}
	c := redis.NewClient(&redis.Options{Dialer: s.Dial, MaxRetries: -1})
	defer c.Close()
	if err := c.Ping(t.Context()).Err(); err != nil {
		t.Errorf("our own connection: %v", err)
	}
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

func TestAScriptHasItsTime(t *testing.T) {
	const endless, stubborn, quickly = `while true do redis.call("GET", "k") end`, `while true do if redis.pcall("GET", "k").err then return 7 end end`, `return redis.call("INCR", "n")`
	brief := quick
	brief.script = 300 * time.Millisecond
	s, err := start("127.0.0.1:0", "", bounds{brief, maxClients}, nil, endless, stubborn, quickly)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	for sent, want := range map[string]string{
		encode("EVAL", endless, "0"): "-ERR", encode("EVAL", stubborn, "0"): "-ERR",
		encode("MULTI") + encode("EVAL", endless, "0") + encode("INCR", "n") + encode("EXEC"): "+OK\r\n+QUEUED\r\n+QUEUED\r\n*2\r\n-ERR",
	} {
		began := time.Now()
		if got := ask(t, s, sent+encode("QUIT")); !strings.HasPrefix(got, want) {
			t.Errorf("%q: %.300q, want %q", sent, got, want)
		}
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("%q took %v", sent, took)
		}
	}
	if got := ask(t, s, encode("DEL", "n")+encode("EVAL", quickly, "0")+encode("QUIT")); !strings.HasSuffix(got, ":1\r\n+OK\r\n") {
		t.Errorf("the next script: %q", got)
	}
	works(t, s)
}

// A pattern of a script goes through a value by recursion: 4 MB of it overflow the stack.
func TestWhatScriptsReadIsBounded(t *testing.T) {
	const text = `return #string.match(redis.call("HGET", "h", "f") .. ARGV[1], "^%S+")`
	s := started(t, "", text)
	long, most := strings.Repeat("x", 4<<20), strings.Repeat("x", maxWord)
	for _, words := range [][]string{
		{"HSET", "h", "f", long}, {"HSET", "h", long, "f"}, {"ZADD", "z", "1", long}, {"SET", "k", long}, {"SET", long, "v"}, {"MSET", "k", "v", "l", long},
		{"GETSET", "k", long}, {"EVAL", text, "0", long}, {"EVAL", text, "1", long}, {"EVALSHA", "x", "0", long}, {"hset", "h", "f", most + "x"},
	} {
		if got := ask(t, s, encode(words...)+encode("QUIT")); !strings.HasPrefix(got, "-ERR a word of "+strings.ToUpper(words[0])+" has at most 65536 bytes") {
			t.Errorf("%.20q: %.200q", words, got)
		}
	}
	if got := ask(t, s, encode("HSET", "h", "f", most)+encode("EVAL", text, "0", most)+encode("RPUSH", "list", long)+encode("LREM", "list", "0", long)+encode("QUIT")); got != ":1\r\n:131072\r\n:1\r\n:1\r\n+OK\r\n" {
		t.Errorf("what is as long as it may be: %.200q", got)
	}
	if got := ask(t, s, encode("APPEND", "k", "x")+encode("QUIT")); !strings.HasPrefix(got, "-ERR unknown command") {
		t.Errorf("APPEND: %q", got)
	}
	works(t, s)
}

// Arguments outside the range of numbers, and counts beyond the data.
func TestExtremeArgumentsEndNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("all of it is run without the race detector")
	}
	const most, least = "9223372036854775807", "-9223372036854775808"
	s := started(t, "")
	fresh := encode("FLUSHALL") + encode("RPUSH", "list", "a", "b") + encode("HSET", "hash", "f", most) + encode("ZADD", "zset", "inf", "f", "1", "g") + encode("SADD", "set", "f") + encode("SET", "string", most)
	try := func(name, n string) {
		var sent strings.Builder
		for _, key := range []string{"list", "hash", "zset", "set", "string"} {
			sent.WriteString(fresh)
			for _, words := range [][]string{
				{name, n}, {name, key, n}, {name, key, n, n}, {name, key, n, "f"}, {name, key, "f", n}, {name, key, "0", n},
				{name, key, "-inf", "+inf", "LIMIT", n, n}, {name, key, "-", "+", "LIMIT", n, n}, {name, key, "0", "-1", "BYSCORE", "LIMIT", n, n},
				{name, key, "0", "COUNT", n}, {name, key, "v", "EX", n}, {name, key, "v", "PXAT", n}, {name, "LIST", n},
			} {
				if waiting[name] { // within a transaction they do not wait
					sent.WriteString(encode("MULTI") + encode(words...) + encode("EXEC"))
				} else {
					sent.WriteString(encode(words...))
				}
			}
			sent.WriteString(encode("DISCARD") + encode("SELECT", "0"))
		}
		ask(t, s, sent.String()+encode("QUIT")) // whatever the reply, the connection ends
	}
	for name := range allowed {
		if name == "QUIT" {
			continue
		}
		for _, n := range []string{most, least, "-1", "0", "1e308", "-1e308", "nan", "inf", "-inf", "1e-320", "99999999999999999999", "", "(1", "[", "-"} {
			try(name, n)
		}
		works(t, s)
	}
}

// A script that returns a function makes miniredis panic, and leaves it locked.
func TestACommandThatPanicsEndsItsConnectionOnly(t *testing.T) {
	s := started(t, "", "return redis.call")
	if got := ask(t, s, encode("EVAL", "return redis.call", "0")); !strings.HasPrefix(got, "-ERR the command failed: ") {
		t.Errorf("answered %q", got)
	}
	works(t, s)
}

// A client that does not read replies is dropped, and no other client waits for it.
func TestWhoTakesNoRepliesIsDropped(t *testing.T) {
	s := started(t, "")
	if err := client(t, s.URL()).RPush(t.Context(), "long", strings.Repeat("x", 1<<20)).Err(); err != nil {
		t.Fatal(err)
	}
	c, err := net.Dial("tcp", s.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for range 200 {
		if _, err := io.WriteString(c, encode("LRANGE", "long", "0", "-1")); err != nil {
			break
		}
	}
	began := time.Now()
	works(t, s)
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("another client waited for %v", took)
	}
	for end := time.Now().Add(20 * time.Second); s.room.free.Load() != maxHeld; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d bytes of room are not given back", maxHeld-s.room.free.Load())
		}
	}
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
