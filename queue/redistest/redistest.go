// Package redistest starts real Redis servers for tests, on 127.0.0.1.
package redistest

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
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
	cmd  *exec.Cmd
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
func New(dir string, args ...string) (*Server, error) {
	port, err := FreePort()
	if err != nil {
		return nil, err
	}
	s := &Server{Addr: fmt.Sprintf("127.0.0.1:%d", port), dir: dir}
	s.args = append([]string{"--port", fmt.Sprint(port), "--bind", "127.0.0.1", "--dir", dir, "--save", "", "--appendonly", "yes"}, args...)
	return s, s.Restart()
}

// URL returns the address for a client.
func (s *Server) URL() string { return "redis://" + s.Addr + "/0" }

// Restart starts the server again after [Server.Kill], and waits until it answers.
func (s *Server) Restart() error {
	s.cmd = exec.Command("redis-server", s.args...)
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	log, err := os.OpenFile(filepath.Join(s.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	s.cmd.Stdout, s.cmd.Stderr = log, log
	if err := s.cmd.Start(); err != nil {
		return err
	}
	c := redis.NewClient(&redis.Options{Addr: s.Addr, MaxRetries: -1})
	defer c.Close()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		err := c.Ping(context.Background()).Err()
		if err == nil || strings.HasPrefix(err.Error(), "NOAUTH") {
			return nil
		}
		if time.Now().After(deadline) {
			s.Kill()
			return fmt.Errorf("redis-server does not answer: %w", err)
		}
	}
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
		s.cmd.Wait()
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

// Cluster starts three masters by scripts/redis-cluster and returns the URL.
func Cluster(t testing.TB, script string) string {
	t.Helper()
	if _, err := exec.LookPath("redis-cli"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("CI needs redis-cli; scripts/setup installs it")
		}
		t.Skip("skipped: redis-cli is not installed (Debian's package redis-tools)")
	}
	cmd := exec.Command(script, t.TempDir())
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGTERM)
		cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("%s: %v", script, err)
	}
	return strings.TrimSpace(line)
}

// FreePort returns a currently unused port of 127.0.0.1.
func FreePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
