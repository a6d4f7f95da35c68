// Package redistest starts real Redis servers for tests, on 127.0.0.1.
package redistest

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"plat/fixtures/freeport"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// Server is a redis-server that can be killed and started again.
type Server struct {
	Addr string
	dir  string
	args []string

	cmd   *exec.Cmd
	ended chan struct{} // closed when cmd has ended
}

// Start starts a persistent redis-server (append-only file). Additional arguments are
// passed to redis-server. If it is not installed, the test is skipped, except in CI.
func Start(t testing.TB, args ...string) *Server {
	t.Helper()
	if _, err := exec.LookPath("redis-server"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("CI needs redis-server; scripts/setup installs it")
		}
		t.Skip("skipped: redis-server is not installed (Debian's package redis-server)")
	}
	s, err := New(t.TempDir(), args...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Kill)
	return s
}

// New starts a redis-server on a free port, with its data in dir.
func New(dir string, args ...string) (s *Server, err error) {
	err = withFreePorts(1, func(ports []int) error {
		s = &Server{Addr: fmt.Sprintf("127.0.0.1:%d", ports[0]), dir: dir}
		s.args = append([]string{"--port", fmt.Sprint(ports[0]), "--bind", "127.0.0.1", "--dir", dir, "--save", "", "--appendonly", "yes"}, args...)
		return s.Restart()
	})
	return s, err
}

// errTaken is the error of a server whose port is in use.
var errTaken = errors.New("the port is in use")

// withFreePorts calls start with n ports of 127.0.0.1 that were all free at once, and again with
// new ones if one is in use by then.
func withFreePorts(n int, start func(ports []int) error) error {
	for try := 1; ; try++ {
		ports, err := freeport.List(n)
		if err != nil {
			return err
		}
		if err = start(ports); !errors.Is(err, errTaken) || try == 10 {
			return err
		}
	}
}

// URL returns the address for a client.
func (s *Server) URL() string { return "redis://" + s.Addr + "/0" }

// Restart starts the server again after [Server.Kill], and waits until it answers.
func (s *Server) Restart() error {
	s.cmd = exec.Command("redis-server", s.args...)
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	log, err := os.OpenFile(filepath.Join(s.dir, "log"), os.O_CREATE|os.O_TRUNC|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	s.cmd.Stdout, s.cmd.Stderr = log, log
	if err := s.cmd.Start(); err != nil {
		return err
	}
	s.ended = make(chan struct{})
	go func(cmd *exec.Cmd, ended chan struct{}) {
		cmd.Wait()
		close(ended)
	}(s.cmd, s.ended)
	c := redis.NewClient(&redis.Options{Addr: s.Addr, MaxRetries: -1})
	defer c.Close()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		err := c.Ping(context.Background()).Err()
		select {
		case <-s.ended: // the reply came from a different server
			s.Kill()
			return failure(log, "redis-server has ended", err)
		default:
		}
		if err == nil || strings.HasPrefix(err.Error(), "NOAUTH") {
			return nil
		}
		if time.Now().After(deadline) {
			s.Kill()
			return failure(log, "redis-server does not answer", err)
		}
	}
}

// failure returns an error with the end of a log.
func failure(log io.ReadSeeker, what string, err error) error {
	if _, bad := log.Seek(0, io.SeekStart); bad != nil {
		return fmt.Errorf("%s (%w); its log: %w", what, err, bad)
	}
	b, bad := io.ReadAll(log)
	if bad != nil {
		return fmt.Errorf("%s (%w); its log: %w", what, err, bad)
	}
	if strings.Contains(string(b), "Address already in use") {
		return errTaken
	}
	return fmt.Errorf("%s (%w); the end of its log:\n%s", what, err, b[max(0, len(b)-2000):])
}

// Do sends a command as administrator.
func (s *Server) Do(ctx context.Context, command ...any) error {
	c := redis.NewClient(&redis.Options{Addr: s.Addr, MaxRetries: -1})
	defer c.Close()
	return c.Do(ctx, command...).Err()
}

// Info returns the fields of a section of INFO.
func (s *Server) Info(ctx context.Context, section string) (map[string]string, error) {
	c := redis.NewClient(&redis.Options{Addr: s.Addr, MaxRetries: -1})
	defer c.Close()
	text, err := c.Info(ctx, section).Result()
	fields := map[string]string{}
	for line := range strings.Lines(text) {
		if name, value, is := strings.Cut(strings.TrimSpace(line), ":"); is {
			fields[name] = value
		}
	}
	return fields, err
}

// Kill ends the server at once, like a power failure.
func (s *Server) Kill() {
	if s.cmd != nil && s.cmd.Process != nil {
		s.cmd.Process.Kill()
		<-s.ended
		s.cmd = nil
	}
}

// Forget removes the data of a killed server.
func (s *Server) Forget() error {
	for _, name := range []string{"appendonlydir", "dump.rdb"} {
		if err := os.RemoveAll(filepath.Join(s.dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// Replicated is a master with a replica, and a Sentinel that replaces it.
type Replicated struct {
	Master, Replica, Sentinel *Server
}

// MasterName is the name of the master of [Replicated].
const MasterName = "plat-test"

// StartReplicated starts a master, a replica and a Sentinel, which takes a master for dead that is silent for half
// a second. It skips the test as [Start] does.
func StartReplicated(t testing.TB) *Replicated {
	t.Helper()
	r := &Replicated{Master: Start(t)}
	host, port, _ := strings.Cut(r.Master.Addr, ":")
	r.Replica = Start(t, "--replicaof", host, port, "--repl-diskless-sync-delay", "0")
	err := withFreePorts(1, func(ports []int) error {
		dir := t.TempDir()
		file := filepath.Join(dir, "sentinel.conf") // which a Sentinel rewrites
		text := fmt.Sprintf("port %d\nbind 127.0.0.1\ndir %s\nsentinel monitor %s %s %s 1\nsentinel down-after-milliseconds %[3]s 500\nsentinel failover-timeout %[3]s 5000\n",
			ports[0], dir, MasterName, host, port)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			return err
		}
		r.Sentinel = &Server{Addr: fmt.Sprintf("127.0.0.1:%d", ports[0]), dir: dir, args: []string{file, "--sentinel"}}
		return r.Sentinel.Restart()
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Sentinel.Kill)
	r.until(t, "the Sentinel does not know the replica", r.Sentinel, "sentinel", func(f map[string]string) bool { return strings.Contains(f["master0"], "slaves=1") })
	r.until(t, "the replica is not connected", r.Replica, "replication", func(f map[string]string) bool { return f["master_link_status"] == "up" })
	return r
}

// URL returns the address for a client, which names the Sentinel.
func (r *Replicated) URL() string {
	return "redis+sentinel://" + r.Sentinel.Addr + "/" + MasterName + "/0"
}

// Sync waits until the replica has all writes of the master.
func (r *Replicated) Sync(t testing.TB) {
	t.Helper()
	master, err := r.Master.Info(t.Context(), "replication")
	if err != nil {
		t.Fatal(err)
	}
	want, _ := strconv.ParseInt(master["master_repl_offset"], 10, 64)
	r.until(t, "the replica is behind", r.Replica, "replication", func(f map[string]string) bool {
		n, _ := strconv.ParseInt(f["slave_repl_offset"], 10, 64)
		return n >= want
	})
}

// until waits until a server's INFO is as wanted.
func (r *Replicated) until(t testing.TB, problem string, s *Server, section string, is func(fields map[string]string) bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		fields, err := s.Info(t.Context(), section)
		if err == nil && is(fields) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s: %v, %v", problem, fields, err)
		}
	}
}

// Cluster starts three masters by scripts/redis-cluster and returns the URL.
func Cluster(t testing.TB, script string) (url string) {
	t.Helper()
	if _, err := exec.LookPath("redis-cli"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("CI needs redis-cli; scripts/setup installs it")
		}
		t.Skip("skipped: redis-cli is not installed (Debian's package redis-tools)")
	}
	err := withFreePorts(6, func(ports []int) (err error) {
		url, err = cluster(t, script, ports)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return url
}

// exitTaken is the exit code of scripts/redis-cluster if a port is in use.
const exitTaken = 75

func cluster(t testing.TB, script string, ports []int) (url string, err error) {
	var said bytes.Buffer
	cmd := exec.Command(script, t.TempDir())
	cmd.Env = append(os.Environ(), "PORTS="+strings.Trim(fmt.Sprint(ports), "[]"))
	cmd.Stderr = &said
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := cmd.Start(); err != nil {
		return "", err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		cmd.Wait()
		if cmd.ProcessState.ExitCode() == exitTaken {
			return "", errTaken
		}
		return "", fmt.Errorf("%s: %v: %s", script, cmd.ProcessState, said.String())
	}
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGTERM)
		cmd.Wait()
	})
	return strings.TrimSpace(line), nil
}
