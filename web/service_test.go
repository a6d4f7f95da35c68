package web

import (
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestAServiceAnswersImmediately(t *testing.T) {
	s, err := Listen("127.0.0.1:0", Options{PublicURL: "https://archive.example"}, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	ask := func(method, path, host string) (int, string) {
		t.Helper()
		r, err := http.NewRequest(method, "http://"+s.Address()+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		b, _ := io.ReadAll(answer.Body)
		return answer.StatusCode, string(b)
	}
	for _, tc := range []struct {
		method, path, host string
		code               int
		says               string
	}{
		{"GET", "/healthz", "", 200, "ok"},
		{"GET", "/healthz", "archive.example", 200, "ok"},
		{"GET", "/healthz", "evil.test", 421, "evil.test"},
		{"GET", "/readyz", "", 503, "starting"},
		{"POST", "/api/v1/urls", "", 503, "starting"},
		{"GET", "/", "", 503, "starting"},
		{"GET", "/frame?version=1&url=http%3A%2F%2Fa.test%2F", "", 503, "starting"},
		{"GET", "/web/20260101000000/http://a.test/", "", 503, "starting"},
		{"GET", "/api/v1/sites", "", 503, "starting"},
	} {
		if code, says := ask(tc.method, tc.path, tc.host); code != tc.code || !strings.Contains(says, tc.says) {
			t.Errorf("%s %s as %q: %d, %q; want %d, %q", tc.method, tc.path, tc.host, code, says, tc.code, tc.says)
		}
	}
	s.Change(func(o *Options) { o.Ready = nil })
	if code, says := ask("GET", "/readyz", ""); code != 503 || !strings.Contains(says, "no archive") {
		t.Errorf("with nothing to show: %d, %s", code, says)
	}
	stop := s.Show(t.Context(), made(t))
	for _, path := range []string{"/", "/readyz"} {
		if code, _ := ask("GET", path, ""); code != 200 {
			t.Errorf("with an archive %s is answered by %d", path, code)
		}
	}
	stop()
	s.Stop()
	<-s.Ended()
}

func TestWithoutATokenTheArchiveIsServedOnLoopbackOnly(t *testing.T) {
	s, err := Listen("0.0.0.0:0", Options{}, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	s.Show(t.Context(), made(t))()
	_, port, _ := strings.Cut(strings.TrimPrefix(s.Address(), "[::]"), ":")
	for path, want := range map[string]int{"/healthz": 200, "/": 404} {
		answer, err := http.Get("http://127.0.0.1:" + port + path)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != want {
			t.Errorf("%s: %d, want %d", path, answer.StatusCode, want)
		}
	}
}

// lockedLog is a log that is read while it is written.
type lockedLog struct {
	mu   sync.Mutex
	text strings.Builder // guarded by mu
}

func (l *lockedLog) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(line)
}

func (l *lockedLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func TestHalfRequestsKeepNobodyOut(t *testing.T) {
	log := &lockedLog{}
	entered, leave := make(chan struct{}, 100), make(chan struct{})
	s, err := Listen("127.0.0.1:0", Options{Log: slog.New(slog.NewTextHandler(log, nil)), connections: 20}, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	s.Change(func(o *Options) {
		o.Take = http.HandlerFunc(func(http.ResponseWriter, *http.Request) { entered <- struct{}{}; <-leave })
	})
	send := func(text string) net.Conn {
		t.Helper()
		c, err := net.Dial("tcp", s.Address())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		c.SetDeadline(time.Now().Add(10 * time.Second))
		io.WriteString(c, text)
		return c
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 5 * time.Second}
	healthy := func(when string) {
		t.Helper()
		r, err := client.Get("http://" + s.Address() + "/healthz")
		if err != nil {
			t.Fatalf("%s: %v", when, err)
		}
		r.Body.Close()
		if r.StatusCode != 200 {
			t.Errorf("%s: %s", when, r.Status)
		}
	}
	var half []net.Conn
	for range 100 {
		half = append(half, send("GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-A: "), send(""))
	}
	healthy("with 200 half requests")
	if n := strings.Count(log.String(), "connections to the web interface are closed or refused"); n != 1 || s.Turned() < 180 {
		t.Errorf("%d lines in the log, %d connections turned away: %s", n, s.Turned(), log)
	}
	// While the maximum number of requests runs, the next is refused.
	for range 20 {
		send("POST /api/v1/urls HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\nx")
		<-entered
	}
	r, err := client.Get("http://" + s.Address() + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(r.Body)
	if r.Body.Close(); err != nil || r.StatusCode != 503 || r.Header.Get("Retry-After") == "" || !strings.Contains(string(b), `"status":503`) {
		t.Errorf("%s %q, %v", r.Status, b, err)
	}
	close(leave)
	for _, c := range half {
		c.Close()
	}
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		if open, waiting := s.limited.Counts(); open == waiting {
			break
		} else if time.Now().After(end) {
			t.Fatalf("of %d connections %d wait", open, waiting)
		}
	}
	healthy("when they are gone")
}
