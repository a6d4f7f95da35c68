package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"plat/cmd/plat/app"
	"plat/fixtures/freeport"
	"plat/plat"
	"plat/queue"
	"plat/queue/window"
)

// up is plat up in a process of its own.
type up struct {
	t     *testing.T
	cmd   *exec.Cmd
	errs  fmt.Stringer
	redis string
	http  string
	store string
}

func freeAddr(t *testing.T) string {
	t.Helper()
	addr, err := freeport.Addr()
	if err != nil {
		t.Fatal(err)
	}
	return addr
}

func startUp(t *testing.T, store, port string, args ...string) *up {
	t.Helper()
	return startWith(t, process, store, port, args...)
}

// startWith is startUp with a different way to start the process.
func startWith(t *testing.T, process func(*testing.T, ...string) (*exec.Cmd, *bufio.Scanner, *bytes.Buffer), store, port string, args ...string) *up {
	t.Helper()
	u := &up{t: t, store: store, http: freeAddr(t)}
	redis := freeAddr(t)
	u.redis = "redis://" + redis + "/0"
	args = append([]string{"up", "-q", "--store", store, "--redis-listen", redis, "--listen", u.http, "--delay", "10ms", "--retry-delay", "100ms",
		"--attempts", "2", "--allow-private", "127.0.0.0/8", "--allow-port", port, "--no-dns", "--sitemaps=false"}, args...)
	cmd, _, errs := process(t, args...)
	u.cmd, u.errs = cmd, errs
	t.Cleanup(func() { cmd.Process.Kill() })
	u.until("it is ready", func() bool {
		r, err := http.Get("http://" + u.http + "/readyz")
		if err != nil {
			return false
		}
		r.Body.Close()
		return r.StatusCode == 200
	})
	return u
}

func (u *up) until(what string, is func() bool) {
	u.t.Helper()
	for end := time.Now().Add(time.Minute); !is(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			u.t.Fatalf("waited a minute until %s: %s", what, u.errs)
		}
	}
}

func (u *up) stats() (s window.Stats) {
	u.t.Helper()
	r := command(u.t, "queue", "stats", "--json", "--redis", u.redis, "--store", u.store)
	if err := json.Unmarshal([]byte(r.out), &s); err != nil {
		u.t.Fatalf("%v: %s%s", err, r.out, r.err)
	}
	return s
}

// stop sends a signal and returns the exit code.
func (u *up) stop() int {
	u.t.Helper()
	u.cmd.Process.Signal(syscall.SIGTERM)
	done := make(chan error, 1)
	go func() { done <- u.cmd.Wait() }()
	select {
	case <-done:
	case <-time.After(30 * time.Second):
		u.t.Fatal("it does not end")
	}
	return u.cmd.ProcessState.ExitCode()
}

// A client that holds more connections than plat may have files open keeps neither programs nor people out, and
// the log says which limit was reached.
func TestHalfRequestsTakeNotAllFiles(t *testing.T) {
	needChrome(t)
	site, _ := site(t)
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(site.URL, "http://"))
	few := func(t *testing.T, args ...string) (*exec.Cmd, *bufio.Scanner, *bytes.Buffer) {
		return processOf(t, "sh", append([]string{"-c", `ulimit -n 512 && exec "$0" "$@"`, self(t)}, args...)...)
	}
	u := startWith(t, few, "sqlite:"+filepath.Join(t.TempDir(), "a.db"), port)
	// Each kind alone would take all files.
	for _, x := range []struct{ addr, half string }{{u.http, "GET / HTTP/1.1\r\nHost: localhost\r\nX-A: "}, {strings.TrimSuffix(strings.TrimPrefix(u.redis, "redis://"), "/0"), "*2\r\n$4\r\nEC"}} {
		for range 700 {
			c, err := net.Dial("tcp", x.addr)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			io.WriteString(c, x.half)
		}
	}
	began := time.Now()
	if r := command(t, "enqueue", "--redis", u.redis, site.URL+"/quick/1"); r.code != 0 {
		t.Errorf("plat enqueue ends with %d after %v: %s", r.code, time.Since(began), r.err)
	}
	client := &http.Client{Timeout: 10 * time.Second}
	r, err := client.Get("http://" + u.http + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	if r.Body.Close(); r.StatusCode != 200 {
		t.Errorf("the web interface answers %s", r.Status)
	}
	u.until("the page is visited", func() bool { return u.stats().Done == 1 })
	u.stop()
	for _, name := range []string{"the web interface", "the embedded Redis"} {
		if n := strings.Count(u.errs.String(), "connections to "+name+" are closed or refused"); n != 1 {
			t.Errorf("the log says %d times that the limit of %s is reached: %s", n, name, u.errs)
		}
	}
}

func TestUpVisitsWhatComesAndGoesOnAfterARestart(t *testing.T) {
	needChrome(t)
	site, _ := site(t)
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(site.URL, "http://"))
	store := "sqlite:" + filepath.Join(t.TempDir(), "a.db")

	u := startUp(t, store, port, site.URL+"/", "--every", "24h")
	u.until("the seed is visited", func() bool { return u.stats().Done == 1 })

	post := func(body string) (int, string) {
		t.Helper()
		r, err := http.Post("http://"+u.http+"/api/v1/urls", "text/plain", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		b, _ := io.ReadAll(r.Body)
		return r.StatusCode, strings.TrimSpace(string(b))
	}
	for body, want := range map[string]string{
		site.URL + "/quick/1": `202 {"accepted":1,"new":1}`,
		`["` + site.URL + `/quick/2", {"url": "` + site.URL + `/quick/3", "priority": 1}]`: `202 {"accepted":2,"new":2}`,
		"nonsense":                      `400 {"type":"about:blank","title":"Bad Request","status":400,"detail":"entry 1: bad URL: \"nonsense\" has no scheme; write \"https://nonsense\"; no URL was queued"}`,
		"":                              `400 {"type":"about:blank","title":"Bad Request","status":400,"detail":"there is no URL; send one a line, or JSON"}`,
		`{"url": "x", "colour": "red"}`: `400`,
	} {
		if code, got := post(body); !strings.HasPrefix(fmt.Sprint(code, " ", got), want) {
			t.Errorf("POST %q: %d %s, want %s", body, code, got, want)
		}
	}
	// Nor may web pages have anything visited, by whatever name they call this machine.
	for _, h := range [][2]string{{"Origin", "https://evil.test"}, {"Sec-Fetch-Site", "cross-site"}, {"Host", "evil.test"}} {
		r, err := http.NewRequest("POST", "http://"+u.http+"/api/v1/urls", strings.NewReader(site.URL+"/quick/9"))
		if err != nil {
			t.Fatal(err)
		}
		if r.Header.Set(h[0], h[1]); h[0] == "Host" {
			r.Host = h[1]
		}
		a, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if a.Body.Close(); a.StatusCode != http.StatusForbidden && a.StatusCode != http.StatusMisdirectedRequest {
			t.Errorf("with %s: %s: %s", h[0], h[1], a.Status)
		}
	}
	if out := must(t, "enqueue", "--redis", u.redis, site.URL+"/quick/4", site.URL+"/gone"); !strings.Contains(out, "2 URLs queued") {
		t.Errorf("enqueue: %s", out)
	}
	u.until("all are visited", func() bool {
		s := u.stats()
		return s.Done == 5 && s.Jobs.Dead == 1 && s.Jobs.Later == 1 && s.Inbox+s.Queued+s.Leased == 0
	})
	u.until("its worker is listed", func() bool {
		out := must(t, "queue", "workers", "--redis", u.redis)
		return strings.HasPrefix(out, "worker ") && strings.Contains(out, " idle ") && strings.Count(out, "\n") == 2
	})
	if out := must(t, "queue", "workers", "--redis", u.redis, "--json"); !strings.Contains(out, `"frontier":2`) || !strings.Contains(out, `"memory":`) {
		t.Errorf("queue workers --json: %s", out)
	}
	if r, err := http.Get("http://" + u.http + "/metrics"); err != nil {
		t.Error(err)
	} else {
		b, _ := io.ReadAll(r.Body)
		if r.Body.Close(); !strings.Contains(string(b), "plat_build_info{") {
			t.Error("the metrics have no plat_build_info")
		}
	}
	if out := must(t, "queue", "dead", "--redis", u.redis, "--store", store); !strings.Contains(out, "gone") || !strings.Contains(out, site.URL+"/gone") {
		t.Errorf("dead: %s", out)
	}
	if r := command(t, "queue", "retry", "--redis", u.redis, "--store", store, site.URL+"/quick/1"); r.code != app.ExitPartly || !strings.Contains(r.err, "1 of the URLs named did not fail") {
		t.Errorf("retry of what is not dead: exit %d, %s%s", r.code, r.out, r.err)
	}
	// The list of failed URLs does not need Redis.
	if out := must(t, "queue", "dead", "--store", store, "--json"); !strings.Contains(out, site.URL+"/gone") {
		t.Errorf("dead without Redis: %s", out)
	}
	if out := must(t, "queue", "retry", "--redis", u.redis, "--store", store, strings.Replace(site.URL, "http", "HTTP", 1)+"/gone#x"); !strings.HasPrefix(out, "1 ") {
		t.Errorf("retry: %s", out)
	}
	u.until("it is dead again", func() bool { s := u.stats(); return s.Jobs.Dead == 1 && s.Buried == 2 })
	r, err := http.Get("http://" + u.http + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	metrics, _ := io.ReadAll(r.Body)
	r.Body.Close()
	for _, want := range []string{`plat_visits_total{outcome="new"} 5`, `plat_visits_total{outcome="gone"} 2`, `plat_jobs{state="dead"} 1`, `plat_jobs{state="later"} 1`, "plat_visit_stage_seconds_bucket"} {
		if !strings.Contains(string(metrics), want) {
			t.Errorf("the metrics lack %s", want)
		}
	}
	for line := range strings.Lines(string(metrics)) {
		// The value, the last word, may have the digits of a port by chance.
		if labels := line[:strings.LastIndexByte(line, ' ')+1]; strings.Contains(labels, "127.0.0.1") || strings.Contains(labels, port) {
			t.Errorf("the metrics name a host: %s", line)
		}
	}
	if code := u.stop(); code != app.ExitOK {
		t.Errorf("exit code %d after SIGTERM: %s", code, u.errs)
	}
	must(t, "verify", "--store", store)

	// A restart preserves the scheduled visits, and does not repeat those that are done.
	u = startUp(t, store, port)
	s := u.stats()
	if s.Jobs.Dead != 1 || s.Jobs.Later != 1 || s.Jobs.Backlog+s.Queued != 0 || s.Done != 0 {
		t.Errorf("after a restart: %+v", s)
	}
	must(t, "enqueue", "--redis", u.redis, site.URL+"/quick/1")
	u.until("it is visited again", func() bool { return u.stats().Done == 1 })
	if code := u.stop(); code != app.ExitOK {
		t.Errorf("exit code %d: %s", code, u.errs)
	}
	if out := must(t, "versions", "--store", store, site.URL+"/quick/1", "--json"); strings.Count(out, "\n") != 1 {
		t.Errorf("versions of a page that did not change: %s", out)
	}
	if left := left(t, u.cmd.Process.Pid); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestASecondSignalGivesBackWhatIsUnderWay(t *testing.T) {
	needChrome(t)
	site, _ := site(t)
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(site.URL, "http://"))
	redis, err := queue.Embed("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer redis.Close()
	q, err := queue.Open(t.Context(), queue.Options{URL: redis.URL()})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	cmd, _, errs := process(t, "worker", "--redis", redis.URL(), "--store", "sqlite:"+filepath.Join(t.TempDir(), "a.db"),
		"--allow-private", "127.0.0.0/8", "--allow-port", port, "--no-dns", "--sitemaps=false", "--lease", "30s")
	t.Cleanup(func() { cmd.Process.Kill() })
	if err := q.Put(t.Context(), []plat.Job{{URL: site.URL + "/hang/1", Priority: 0.5}}); err != nil {
		t.Fatal(err)
	}
	stats := func() queue.Stats { s, _ := q.Stats(t.Context()); return s }
	wait := func(what string, is func() bool) {
		t.Helper()
		for end := time.Now().Add(time.Minute); !is(); time.Sleep(20 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("waited a minute until %s: %+v, %s", what, stats(), errs)
			}
		}
	}
	wait("the page is asked for", func() bool { return stats().Leased == 1 })
	cmd.Process.Signal(syscall.SIGTERM)
	time.Sleep(300 * time.Millisecond)
	if s := stats(); s.Leased != 1 {
		t.Fatalf("it did not wait for the page under way: %+v", s)
	}
	begun := time.Now()
	cmd.Process.Signal(syscall.SIGTERM)
	cmd.Wait()
	if spent := time.Since(begun); spent > 9*time.Second {
		t.Errorf("the end took %v", spent)
	}
	s := stats()
	if s.Leased != 0 || s.Queued != 1 || s.Retried != 0 {
		t.Errorf("after the end: %+v, %s", s, errs)
	}
	wait("the job is there for others", func() bool {
		l, _, err := q.Lease(t.Context(), "other")
		return err == nil && l != nil && l.Attempt == 1
	})
	if left := left(t, cmd.Process.Pid); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestTheRedisOfUpWantsItsPasswordAndOutlivesGarbage(t *testing.T) {
	needChrome(t)
	file := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(file, []byte("0123456789abcdef\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PLAT_REDIS_PASSWORD_FILE", file)
	u := startUp(t, "sqlite:"+filepath.Join(t.TempDir(), "a.db"), "80")
	t.Setenv("PLAT_REDIS_PASSWORD_FILE", "")
	addr := strings.TrimSuffix(strings.TrimPrefix(u.redis, "redis://"), "/0")
	for _, sent := range []string{"*0\r\n", "*1\r\n$100000000000000\r\n", "GET / HTTP/1.1\r\n\r\n"} {
		c, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		c.SetDeadline(time.Now().Add(20 * time.Second))
		io.WriteString(c, sent)
		if b, err := io.ReadAll(c); err != nil || !strings.HasPrefix(string(b), "-ERR Protocol error") {
			t.Errorf("%q: answered %q, %v", sent, b, err)
		}
		c.Close()
	}
	if r := command(t, "queue", "stats", "--redis", u.redis, "--store", u.store); r.code != app.ExitStore || !strings.Contains(r.err, "NOAUTH") || !strings.Contains(r.err, "PASSWORD@HOST") {
		t.Errorf("without the password: exit %d, %s", r.code, r.err)
	}
	u.redis = "redis://:0123456789abcdef@" + addr + "/0"
	u.stats()
	if code := u.stop(); code != 0 || strings.Contains(u.errs.String(), "0123456789abcdef") {
		t.Errorf("exit code %d: %s", code, u.errs)
	}
}

// A page that is led to our own ports finds them closed, though loopback is opened.
func TestPagesDoNotReachOurOwnPorts(t *testing.T) {
	needChrome(t)
	u := startUp(t, "sqlite:"+filepath.Join(t.TempDir(), "a.db"), "80", "--robots=false")
	redis := strings.TrimSuffix(strings.TrimPrefix(u.redis, "redis://"), "/0")
	ours := []string{"http://" + u.http + "/healthz", "http://" + redis + "/", "http://localhost" + u.http[strings.LastIndex(u.http, ":"):] + "/healthz"}
	r, err := http.Post("http://"+u.http+"/api/v1/urls", "text/plain", strings.NewReader(strings.Join(ours, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	dead := func() string {
		return command(t, "queue", "dead", "--json", "--store", u.store).out
	}
	u.until("all are given up", func() bool { return strings.Count(dead(), "\n") == len(ours) })
	for _, x := range jsonLines[struct{ URL, Error string }](t, dead()) {
		if !strings.Contains(x.Error, "is plat's own") {
			t.Errorf("%s: %s", x.URL, x.Error)
		}
	}
	if code := u.stop(); code != 0 {
		t.Errorf("exit code %d: %s", code, u.errs)
	}
}

func TestTheFleetSaysWhatIsWrong(t *testing.T) {
	closed := "redis://" + freeAddr(t) + "/0"
	for _, tc := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"worker"}, app.ExitConfig, "--redis"},
		{[]string{"queue", "stats"}, app.ExitConfig, "--redis"},
		{[]string{"queue", "stats", "--redis", "http://a/"}, app.ExitUsage, "HOST:PORT"},
		{[]string{"queue", "stats", "--redis", closed}, app.ExitStore, "check that Redis is running"},
		{[]string{"enqueue"}, app.ExitUsage, "nothing to enqueue"},
		{[]string{"enqueue", "--redis", closed, "nonsense"}, app.ExitUsage, "no scheme"},
		{[]string{"enqueue", "--redis", closed, "--scope", "world", "https://a.test/"}, app.ExitUsage, "there is no kind"},
		{[]string{"enqueue", "--redis", closed, "--every", "often", "https://a.test/"}, app.ExitUsage, "90m, 24h, 7d"},
		{[]string{"enqueue", "--redis", closed, "--priority", "7", "https://a.test/"}, app.ExitUsage, "0 to 1"},
		{[]string{"up", "--redis", closed}, app.ExitUsage, "plat worker"},
		{[]string{"up", "--redis-listen", "127.0.0.1:99999"}, app.ExitStore, "--redis-listen"},
		{[]string{"health"}, app.ExitConfig, "--listen"},
		{[]string{"queue", "stats", "--redis", closed, "--lease", "1ms"}, app.ExitUsage, "lease"},
	} {
		r := command(t, tc.args...)
		if r.code != tc.code || !strings.Contains(r.err, tc.want) {
			t.Errorf("plat %s: exit %d, %q; want %d and %q", strings.Join(tc.args, " "), r.code, r.err, tc.code, tc.want)
		}
	}
}
