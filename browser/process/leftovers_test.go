package process

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestMain gives the tests a separate directory for temporary files, so that they do not remove
// leftovers of other processes.
func TestMain(m *testing.M) {
	if os.Getenv(asHolder) != "" {
		os.Exit(hold())
	}
	os.Exit(func() int {
		tmp, err := os.MkdirTemp("", "plat-test-")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(tmp)
		os.Setenv("TMPDIR", tmp)
		code := m.Run()
		if left := browsersIn(tmp); len(left) > 0 {
			fmt.Fprintln(os.Stderr, "browsers are left:", left)
			code = 1
		}
		return code
	}())
}

// browsersIn returns the processes with a profile in a directory.
func browsersIn(dir string) (pids []int) {
	eachProcess(func(pid int) {
		line, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
		if err == nil && bytes.Contains(line, []byte("--user-data-dir="+dir)) {
			pids = append(pids, pid)
		}
	})
	return pids
}

// asHolder makes the test binary start a browser and wait to be killed.
const asHolder = "PLAT_TEST_HOLDS_A_BROWSER"

// hold is the main function of the helper process.
func hold() int {
	path, err := Find("")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	p, err := Start(context.Background(), Options{Path: path, Width: 800, Height: 600, Language: "en", CallTimeout: time.Minute}, func(string, []byte) {})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	// The helper's pipe closes when the helper dies, and Chrome exits. A stopped Chrome cannot.
	signalGroup(p.PID(), syscall.SIGSTOP)
	fmt.Println(p.profile)
	select {}
}

// Cleanups may run at any moment in other processes. They see no profile, or one that is in use.
func TestProfilesAreMadeWhileOthersCleanUp(t *testing.T) {
	stop := make(chan struct{})
	var cleaning sync.WaitGroup
	for range 3 {
		cleaning.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					_ = CleanLeftovers() // concurrent cleanups may race for the same profile
				}
			}
		})
	}
	for range 500 {
		dir, lock, err := makeProfile()
		if err != nil {
			t.Error(err)
			break
		}
		if _, err := os.Stat(filepath.Join(dir, lockName)); err != nil {
			t.Errorf("it was removed: %v", err)
		}
		removeProfile(dir)
		lock.Close()
	}
	close(stop)
	cleaning.Wait()
}

func TestWhatAKilledProcessLeavesIsRemovedAtTheNextStart(t *testing.T) {
	if _, err := Find(""); err != nil {
		if os.Getenv("PLAT_REQUIRE_CHROME") == "1" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	// The test adopts the browser when its parent dies. Adopted by a process outside of this
	// session it would receive SIGHUP and SIGCONT (setpgid(2)), and might exit on its own.
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), asHolder+"=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	profile, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	profile = strings.TrimSpace(profile)
	if err := CleanLeftovers(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(profile); err != nil {
		t.Fatalf("the profile of a process that lives is gone: %v", err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if len(browsersIn(profile)) == 0 {
		t.Fatal("the browser has left by itself, so nothing is tested")
	}
	if err := CleanLeftovers(); err != nil {
		t.Fatal(err)
	}
	if left := browsersIn(profile); len(left) > 0 {
		for _, pid := range left {
			status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
			line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
			t.Errorf("process %d still runs: %q, %s", pid, line, status)
		}
	}
	if _, err := os.Stat(profile); !os.IsNotExist(err) {
		t.Errorf("the profile is still there: %v", err)
	}
}
