package atomicfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// words returns a function that writes s.
func words(s string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
}

func TestOutputReplacesOnlyRegularFiles(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	holds := func(name, want string, mode os.FileMode) {
		t.Helper()
		b, err := os.ReadFile(in(name))
		if err != nil || string(b) != want {
			t.Errorf("%s holds %q, %v; want %q", name, b, err, want)
		}
		if st, err := os.Stat(in(name)); err != nil || st.Mode() != mode {
			t.Errorf("%s has mode %v, %v; want %v", name, st.Mode(), err, mode)
		}
	}
	mask := syscall.Umask(0o027)
	defer syscall.Umask(mask)

	for range 2 { // the second time it exists
		if err := Write(in("new"), words("new")); err != nil {
			t.Error(err)
		}
		holds("new", "new", 0o600)
	}
	if err := errors.Join(os.WriteFile(in("kept"), []byte("old"), 0o600), os.Chmod(in("kept"), 0o606), os.Symlink("kept", in("link")), os.Symlink("later", in("dangling"))); err != nil {
		t.Fatal(err)
	}
	failed := errors.New("no more")
	if err := Write(in("kept"), func(w io.Writer) error { io.WriteString(w, "half"); return failed }); !errors.Is(err, failed) {
		t.Errorf("a write that fails gives %v", err)
	}
	holds("kept", "old", 0o606)
	for _, link := range []string{"link", "dangling"} {
		if err := Write(in(link), words("through")); err != nil {
			t.Error(err)
		}
		if st, err := os.Lstat(in(link)); err != nil || st.Mode().Type() != os.ModeSymlink {
			t.Errorf("%s is no longer a link: %v, %v", link, st, err)
		}
	}
	holds("kept", "through", 0o606)
	holds("later", "through", 0o600)

	if err := syscall.Mkfifo(in("pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	// Open both ends, so that neither blocks.
	pipe, err := os.OpenFile(in("pipe"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	if err := errors.Join(Write(in("pipe"), words("flows")), pipe.SetReadDeadline(time.Now().Add(time.Minute))); err != nil {
		t.Error(err)
	}
	b := make([]byte, 5)
	if _, err := io.ReadFull(pipe, b); err != nil || string(b) != "flows" {
		t.Errorf("the pipe's reader got %q, %v", b, err)
	}
	if st, err := os.Lstat(in("pipe")); err != nil || st.Mode().Type() != os.ModeNamedPipe {
		t.Errorf("it is no longer a pipe: %v, %v", st, err)
	}

	for name, want := range map[string]string{in("none/file"): in("none/file") + ": its folder does not exist; create it first", dir: dir + " is a folder; name a file"} {
		if err := Write(name, words("x")); err == nil || err.Error() != want {
			t.Errorf("Write(%q) = %v, want %q", name, err, want)
		}
	}
	left, err := filepath.Glob(in(".*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %s, %v", strings.Join(left, " "), err)
	}
}
