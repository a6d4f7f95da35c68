package notify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"syscall"
	"time"
)

// commandPath is the PATH of a command.
const commandPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// maxComplaint limits the stored part of a command's standard error, in bytes.
const maxComplaint = 1 << 10

// command runs a program with the message as JSON on its standard input. It inherits no
// environment variables, and its children end with it.
func (s *Sender) command(ctx context.Context, t *target, d *Delivery) Outcome {
	c := exec.CommandContext(ctx, t.command[0], t.command[1:]...)
	complaint := &head{}
	c.Stdin, c.Stderr = bytes.NewReader(d.JSON()), complaint
	c.Dir = "/"
	c.Env = []string{"PATH=" + commandPath, "LANG=C.UTF-8", "PLAT_MESSAGE=" + wireID(d.Message.ID)}
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
	c.WaitDelay = time.Second // for grandchildren that left the group and hold standard error
	err := c.Run()
	if c.Process != nil {
		syscall.Kill(-c.Process.Pid, syscall.SIGKILL) // children that still run
	}
	if err == nil || errors.Is(err, exec.ErrWaitDelay) && c.ProcessState.Success() {
		return Outcome{}
	}
	if said := complaint.b.String(); said != "" {
		err = fmt.Errorf("%w: %s", err, said)
	}
	return Outcome{Err: fmt.Errorf("the command failed: %w", err)}
}

// head keeps the first bytes written to it.
type head struct{ b bytes.Buffer }

func (h *head) Write(p []byte) (int, error) {
	h.b.Write(p[:min(len(p), maxComplaint-h.b.Len())])
	return len(p), nil
}
