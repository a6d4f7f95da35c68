package embedded

import (
	"bufio"
	"io"
	"log/slog"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

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
