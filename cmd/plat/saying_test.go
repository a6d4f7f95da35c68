package main

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"plat/plat"
)

func TestUpPrintsItsVisitsAndSaysWhenItIsIdle(t *testing.T) {
	needChrome(t)
	s := newLinked(t, map[string][]string{"/": {"/a", "/missing"}, "/a": nil})
	for name, flag := range map[string]string{"lines": "--json=false", "JSON": "--json", "quiet": "-q"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd, out, errs := process(t, "up", s.URL, flag, "--scope=host", "--every=24h", "--store=sqlite:"+filepath.Join(t.TempDir(), "a.db"), "--redis-listen", freeAddr(t), "--listen", freeAddr(t),
				"--delay=0s", "--allow-private=127.0.0.0/8", "--allow-port="+s.port, "--no-dns", "--sitemaps=false", "--second-look=never", "--log-level=error")
			t.Cleanup(func() { cmd.Process.Kill() })
			var lines []string
			most := map[string]int{"lines": 4, "JSON": 3, "quiet": 2}[name] // a failure has two lines
			for len(lines) < most && out.Scan() {
				lines = append(lines, out.Text())
			}
			text := strings.Join(lines, "\n")
			switch name {
			case "lines":
				if !strings.Contains(text, "new            200    v1") || !strings.Contains(text, s.URL+"/missing\n    HTTP status 404") {
					t.Errorf("it prints\n%s", text)
				}
			case "JSON":
				if c := readCrawl(t, s.URL, text); !maps.Equal(c.visits, map[string]plat.Outcome{"/": "new", "/a": "new", "/missing": "gone"}) {
					t.Errorf("visits %v", c.visits)
				}
			case "quiet":
				if !strings.Contains(text, "/missing\n") {
					t.Errorf("it prints\n%s", text)
				}
			}
			time.Sleep(4 * idleWait)
			cmd.Process.Signal(syscall.SIGTERM)
			for out.Scan() {
				t.Errorf("it also prints %s", out.Text())
			}
			cmd.Wait() // errs is complete then
			says := strings.Contains(errs.String(), "plat: idle: everything that is due is visited; the next visit is due at ") && strings.Contains(errs.String(), " UTC, in 2")
			if says != (name != "quiet") || strings.Count(errs.String(), "idle") > 1 {
				t.Errorf("it says %q", errs)
			}
		})
	}
}

// idleWait is the time between two checks of plat up whether it is idle.
const idleWait = time.Second

func TestTwoProcessesThatVisitTheURLsOfAnArchiveAreWarned(t *testing.T) {
	needChrome(t)
	dir := t.TempDir()
	start := func() (*exec.Cmd, *bytes.Buffer) {
		listen := freeAddr(t)
		cmd, _, errs := process(t, "up", "--store="+filepath.Join(dir, "a.db"), "--redis-listen", freeAddr(t), "--listen", listen, "--log-level=error")
		t.Cleanup(func() { cmd.Process.Kill() })
		for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
			if r, err := http.Get("http://" + listen + "/readyz"); err == nil {
				r.Body.Close()
				if r.StatusCode == http.StatusOK {
					return cmd, errs
				}
			}
			if time.Now().After(end) {
				t.Fatal("it does not start")
			}
		}
	}
	stop := func(cmd *exec.Cmd) {
		cmd.Process.Signal(syscall.SIGTERM)
		cmd.Wait()
	}
	first, quiet := start()
	second, warned := start()
	stop(second)
	stop(first)
	if want := fmt.Sprintf("plat: process %d visits the URLs of this archive too", first.Process.Pid); !strings.Contains(warned.String(), want) || strings.Contains(quiet.String(), "too") {
		t.Errorf("the first says %q, the second %q, want %q", quiet, warned, want)
	}
	third, quiet := start()
	third.Process.Kill() // whose lock ends with it
	third.Wait()
	fourth, silent := start()
	stop(fourth)
	if strings.Contains(quiet.String()+silent.String(), "too") {
		t.Errorf("alone: %q, %q", quiet, silent)
	}
	if _, err := os.Stat(filepath.Join(dir, "a.db-visits")); err == nil {
		t.Error("the lock is left")
	}
}
