package sqlite

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"plat/fixtures"
	"plat/storage"
	"plat/storage/storagetest"
)

func TestCrashBeforeAnyWrite(t *testing.T) {
	storagetest.Crash(t, 1, func(t testing.TB, fault func(string) error) storage.Store {
		return openAt(t, filepath.Join(t.TempDir(), "archive.plat"), Options{Fault: fault})
	})
}

// The environment of a child process: the archive that it opens, the [storagetest.CrashCase] in
// which it kills itself, and the number of the write before that.
const (
	childArchive = "PLAT_TEST_ARCHIVE"
	childDoom    = "PLAT_TEST_DOOM"
	childDies    = "PLAT_TEST_DIES"
)

// TestChild runs in the child processes of the tests below.
func TestChild(t *testing.T) {
	path := os.Getenv(childArchive)
	if path == "" {
		t.Skip("runs only as a child of other tests")
	}
	var doom, dies, n int
	fmt.Sscan(os.Getenv(childDoom), &doom)
	fmt.Sscan(os.Getenv(childDies), &dies)
	armed := false
	s := openAt(t, path, Options{Fault: func(step string) error {
		if armed {
			if n++; n == dies {
				fmt.Println("dying before", step)
				syscall.Kill(os.Getpid(), syscall.SIGKILL)
				select {}
			}
		}
		return nil
	}})
	if dies == 0 { // it survives, and writes its own page concurrently with further processes
		p := storagetest.NewPage(fmt.Sprintf("https://%d.test/", os.Getpid()), 3)
		for range 20 {
			if _, err := s.Commit(t.Context(), p.Next()); err != nil {
				t.Fatal(err)
			}
		}
		return
	}
	armed = true
	if err := storagetest.Dooms()[doom].Write(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	fmt.Println("survived")
}

func child(t *testing.T, path string, doom, dies int) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe, "-test.run=^TestChild$", "-test.v")
	cmd.Env = append(os.Environ(), childArchive+"="+path, fmt.Sprint(childDoom, "=", doom), fmt.Sprint(childDies, "=", dies))
	return cmd
}

func TestKilledProcessLeavesAValidArchive(t *testing.T) {
	for i, doom := range storagetest.Dooms() {
		for dies, died := 1, true; died; dies++ {
			every := fixtures.OneIn(4)
			if (dies+i)%every != 0 {
				continue
			}
			died = false // also if -run excludes this subtest
			t.Run(fmt.Sprintf("%s, killed before write %d", doom.Name, dies), func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "archive.plat")
				s, err := Open(path, Options{})
				if err != nil {
					t.Fatal(err)
				}
				was := doom.Ready(t, s)
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
				out, err := child(t, path, i, dies).CombinedOutput()
				if strings.Contains(string(out), "survived") {
					if dies <= max(3, every) {
						t.Errorf("the child made only %d writes", dies-1)
					}
					return
				}
				if err == nil || !strings.Contains(string(out), "dying before") || !strings.Contains(err.Error(), "killed") {
					t.Fatalf("the child was not killed: %v\n%s", err, out)
				}
				died = true
				doom.After(t, openAt(t, path, Options{}), was)
			})
			if t.Failed() || dies > 100 {
				t.FailNow()
			}
		}
	}
}

func TestConcurrentProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "archive.plat")
	s := openAt(t, path, Options{})
	var children []*exec.Cmd
	var outs []*strings.Builder
	for range 3 {
		out := &strings.Builder{}
		c := child(t, path, 0, 0)
		c.Stdout, c.Stderr = out, out
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		children, outs = append(children, c), append(outs, out)
	}
	p := storagetest.NewPage("https://parent.test/", 4)
	for range 20 {
		if _, err := s.Commit(t.Context(), p.Next()); err != nil {
			t.Fatal(err)
		}
	}
	for i, c := range children {
		if err := c.Wait(); err != nil {
			t.Errorf("child: %v\n%s", err, outs[i])
		}
	}
	r, err := s.Verify(t.Context(), nil)
	if err != nil || r.BrokenTotal > 0 || r.URLs != 4 || r.Versions != 80 {
		t.Errorf("Verify = %+v, %v; want 80 versions of 4 URLs, nothing broken", r, err)
	}
}
