package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"

	"plat/browser/devtools"
)

// Options configure the start of Chrome.
type Options struct {
	Path          string        // of the binary; see [Find]
	Width, Height int           // of the window, px
	Language      string        // for Accept-Language, most wanted first, as in "de-DE,de,en"
	Flags         []string      // added to the command line
	Env           []string      // Chrome's environment, as in [os.Environ]; nil: this process's
	CallTimeout   time.Duration // limits one call; see [devtools.NewPipe]
}

// Process is one running browser: a process group, a profile and a pipe. It is safe for
// concurrent use; Stop is called once.
type Process struct {
	*devtools.Pipe
	Product   string // "HeadlessChrome/156.0.8078.73"
	UserAgent string // its own
	Shell     bool   // it is a headless shell
	Framed    bool   // frames are drawn only on request

	cmd     *exec.Cmd
	profile string
	lock    *os.File
	ends    [2]*os.File   // this process's ends of the two pipes
	exited  chan struct{} // closed when the process is reaped
	said    tail
}

// Start starts a browser and waits for its first answer. event is called for each event of the
// browser, in order, by the goroutine that reads the pipe.
func Start(ctx context.Context, o Options, event func(method string, params []byte)) (_ *Process, err error) {
	p := &Process{Shell: IsShell(o.Path), Framed: IsFramed(o.Path), exited: make(chan struct{})}
	if p.profile, p.lock, err = makeProfile(); err != nil {
		return nil, fmt.Errorf("make a profile: %w", err)
	}
	defer func() {
		if err != nil && p.cmd == nil {
			p.clean()
		}
	}()
	commandR, commandW, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("make a pipe: %w", err)
	}
	defer commandR.Close()
	answerR, answerW, err := os.Pipe()
	if err != nil {
		commandW.Close()
		return nil, fmt.Errorf("make a pipe: %w", err)
	}
	defer answerW.Close()
	p.ends = [2]*os.File{commandW, answerR}

	cmd := exec.Command(o.Path, o.args(p.profile)...)
	cmd.ExtraFiles = []*os.File{commandR, answerW} // file descriptors 3 and 4
	cmd.Env = o.Env
	ownGroup(cmd)
	cmd.Stdout, cmd.Stderr = &p.said, &p.said
	// A grandchild may keep the output open after Chrome has gone.
	cmd.WaitDelay = time.Second
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", o.Path, err)
	}
	p.cmd = cmd
	// Chrome has its own copies: as long as ours are open, the pipes outlive it.
	commandR.Close()
	answerW.Close()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		_ = cmd.Wait() // ProcessState has how it ended
		close(p.exited)
		cancel(devtools.ErrGone) // also if a child of it keeps the pipes open
	}()
	p.Pipe = devtools.NewPipe(answerR, commandW, o.CallTimeout, event)

	v, err := devtools.Call(ctx, p.Root, browser.GetVersion, cdp.Empty{})
	if err != nil {
		return nil, p.GiveUp(err)
	}
	p.Product, p.UserAgent = v.Product, v.UserAgent
	return p, nil
}

// GiveUp stops a browser that did not answer, and returns an error with the output of the browser.
func (p *Process) GiveUp(err error) error {
	if errors.Is(err, devtools.ErrGone) { // the pipe may be closed a moment before the process has ended
		select {
		case <-p.exited:
		case <-time.After(time.Second):
		}
	}
	ended := false
	select {
	case <-p.exited:
		ended = true
	default:
	}
	p.Stop()
	if ended && strings.Contains(fmt.Sprint(&p.said), noSandbox) {
		return fmt.Errorf("%s ended (%v): %w; its output: %s; its sandbox needs user namespaces: in a container, give the seccomp profile deploy/seccomp.json, as docker run --security-opt seccomp=deploy/seccomp.json, in the image /usr/share/plat/seccomp.json; else see docs/docker.md", p.cmd.Path, p.cmd.ProcessState, devtools.ErrGone, &p.said)
	}
	if ended {
		return fmt.Errorf("%s ended before it was ready (%v): %w; its output: %s; check that it is Chrome, Chromium or headless shell, and that it starts by hand", p.cmd.Path, p.cmd.ProcessState, devtools.ErrGone, &p.said)
	}
	return fmt.Errorf("%s does not answer: %w; its output: %s", p.cmd.Path, err, &p.said)
}

// noSandbox is in the output of a Chrome that may not make namespaces.
const noSandbox = "No usable sandbox"

// Memory returns the resident memory of the browser's processes, in bytes; memory shared by several
// counts several times. It reads all of /proc.
func (p *Process) Memory() int64 {
	_, bytes := groupMembers(p.cmd.Process.Pid)
	return bytes
}

// PID is the id of the browser's process, and of its group.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Running reports whether the browser can still be talked to.
func (p *Process) Running() bool {
	select {
	case <-p.Closed():
		return false
	case <-p.exited:
		return false
	default:
		return true
	}
}

// stopTimeout limits the wait for a browser to exit on request.
const stopTimeout = 2 * time.Second

// Stop ends the browser and removes its processes, pipes and profile. It returns when that is done.
func (p *Process) Stop() {
	group := p.cmd.Process.Pid
	signalGroup(group, syscall.SIGTERM)
	p.ends[0].Close()
	timer := time.NewTimer(stopTimeout)
	select {
	case <-p.exited:
	case <-timer.C:
	}
	timer.Stop()
	// Also when the leader has left: a group keeps its id while it has members.
	signalGroup(group, syscall.SIGKILL)
	<-p.exited
	killUsers(p.profile, stopTimeout)
	reapGroup(group)
	p.ends[1].Close()
	<-p.Closed()
	p.clean()
}

func (p *Process) clean() {
	removeProfile(p.profile)
	if p.lock != nil {
		p.lock.Close()
	}
	if p.cmd == nil {
		for _, f := range p.ends {
			if f != nil {
				f.Close()
			}
		}
	}
}

// tail keeps the end of a process's output.
type tail struct {
	mu sync.Mutex
	b  []byte // guarded by mu
}

var _ io.Writer = (*tail)(nil)

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	const keep = 4 << 10
	t.b = append(t.b, p...)
	if len(t.b) > keep {
		t.b = append(t.b[:0], t.b[len(t.b)-keep:]...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.b) == 0 {
		return "nothing"
	}
	return strings.TrimSpace(string(t.b))
}
