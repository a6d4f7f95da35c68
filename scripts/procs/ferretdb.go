package procs

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// StartFerretDB builds the MongoDB server of the tests in dir, and starts it with its data in the folder name there. It is to be called in
// a checkout of plat. end ends the server.
func StartFerretDB(ctx context.Context, dir, name string) (uri string, end func(), err error) {
	end = func() {}
	bin, data := filepath.Join(dir, "ferretdb"), filepath.Join(dir, name)
	build := exec.CommandContext(ctx, "go", "build", "-o", bin, ".")
	build.Dir, build.Env = "storage/mongo/ferretdb", append(os.Environ(), "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		return "", end, fmt.Errorf("build FerretDB: %w\n%s", err, out)
	}
	if err := os.MkdirAll(data, 0o700); err != nil {
		return "", end, err
	}
	cmd := exec.Command(bin, "-dir", data)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	in, err := cmd.StdinPipe()
	if err != nil {
		return "", end, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", end, err
	}
	if err := cmd.Start(); err != nil {
		return "", end, err
	}
	end = func() {
		in.Close() // it ends
		cmd.Wait()
	}
	r := bufio.NewReader(out)
	line, err := r.ReadString('\n')
	if err != nil {
		end()
		return "", func() {}, fmt.Errorf("FerretDB did not say where it listens: %w", err)
	}
	go io.Copy(io.Discard, r)
	return strings.TrimSpace(line), end, nil
}
