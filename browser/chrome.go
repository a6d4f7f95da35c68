package browser

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"

	"plat/browser/stealth"
	"plat/browser/wire"
)

// chrome is one running browser: a process group, a profile and a pipe.
type chrome struct {
	*wire.Pipe
	cmd         *exec.Cmd
	profile     string
	lock        *os.File
	ends        [2]*os.File // ours, of the two pipes
	shell       bool
	framed      bool           // frames come only when asked for; see tab.draw
	frames      chan struct{}  // holds a token while a frame is drawn
	pictures    chan struct{}  // holds a token while a picture is taken
	wantPicture atomic.Int32   // pages that have a picture taken, or wait for it
	late        sync.WaitGroup // frames that nobody waits for any more
	product     string         // "HeadlessChrome/156.0.8078.73"
	exited      chan struct{}  // closed when the process is reaped

	// userAgent is what pages and workers say that they are. Set before there are any.
	userAgent stealth.UserAgent

	// Guarded by Pool.mu.
	tabs    int  // open or being opened
	pages   int  // opened so far
	retired bool // no new tabs; stopped when the last one is closed

	mu       sync.Mutex
	contexts map[cdp.BrowserContextID]*tab // guarded by mu
}

// profilePrefix begins the names of the profiles' directories; the process id
// of the owner follows, for people to see.
const (
	profilePrefix = "plat-chrome-"
	lockName      = "plat.lock"
)

// startTimeout limits the time from exec to the first answer.
const startTimeout = 30 * time.Second

// startChrome starts a browser and waits for its first answer.
func startChrome(ctx context.Context, o *Options) (_ *chrome, err error) {
	c := &chrome{shell: isShell(o.Chrome), framed: o.framed(), frames: make(chan struct{}, 1), pictures: make(chan struct{}, 1), exited: make(chan struct{}), contexts: map[cdp.BrowserContextID]*tab{}}
	if c.profile, err = os.MkdirTemp("", fmt.Sprintf("%s%d-", profilePrefix, os.Getpid())); err != nil {
		return nil, fmt.Errorf("make a profile: %w", err)
	}
	defer func() {
		if err != nil && c.cmd == nil {
			c.clean()
		}
	}()
	if c.lock, err = lockProfile(c.profile); err != nil {
		return nil, fmt.Errorf("lock the profile: %w", err)
	}
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
	c.ends = [2]*os.File{commandW, answerR}

	cmd := exec.Command(o.Chrome, o.args(c.profile)...)
	cmd.ExtraFiles = []*os.File{commandR, answerW} // file descriptors 3 and 4
	cmd.Env = o.Environ
	ownGroup(cmd)
	said := &tail{}
	cmd.Stdout, cmd.Stderr = said, said
	// A grandchild may keep the output open after Chrome has gone.
	cmd.WaitDelay = time.Second
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", o.Chrome, err)
	}
	c.cmd = cmd
	go func() {
		_ = cmd.Wait() // how it ended does not matter, that it did does
		close(c.exited)
	}()
	c.Pipe = wire.NewPipe(answerR, commandW, o.CallTimeout, c.event)

	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	v, err := wire.Call(ctx, c.Root, browser.GetVersion, cdp.Empty{})
	if err == nil {
		_, err = wire.Call(ctx, c.Root, target.SetDiscoverTargets, target.SetDiscoverTargetsParams{
			Discover: true,
			Filter:   target.Filter{{Type: "page"}, {Type: "shared_worker"}, {Type: "service_worker"}},
		})
	}
	if err == nil && !o.NoStealth {
		err = c.hide(ctx)
	}
	if err != nil {
		c.stop()
		return nil, fmt.Errorf("%s does not answer: %w; it said: %s", o.Chrome, err, said)
	}
	c.product, c.userAgent = v.Product, o.identity().Of(v.UserAgent, v.Product)
	return c, nil
}

// event hears of targets that come and go.
func (c *chrome) event(method string, params []byte) {
	if method == target.AttachedToTarget.Method {
		c.enterWorker(params)
		return
	}
	if method != target.TargetCreated.Method {
		return
	}
	e, ok := decode(target.TargetCreated, params)
	if !ok || e.TargetInfo == nil {
		return
	}
	c.mu.Lock()
	t := c.contexts[e.TargetInfo.BrowserContextID]
	c.mu.Unlock()
	if e.TargetInfo.Type != "page" {
		if t != nil {
			t.startedWorker()
		}
		return
	}
	// The first page of a context is the one that was asked for.
	if t != nil && t.popup(e.TargetInfo.TargetID) {
		c.Root.Send(target.CloseTarget.Method, target.CloseTargetParams{TargetID: e.TargetInfo.TargetID}).Forget()
	}
}

// running reports whether the browser can still be talked to.
func (c *chrome) running() bool {
	select {
	case <-c.Closed():
		return false
	case <-c.exited:
		return false
	default:
		return true
	}
}

// stopTimeout is how long a browser may take to leave when asked to.
const stopTimeout = 2 * time.Second

// stop ends the browser and everything of it: processes, pipes, profile.
func (c *chrome) stop() {
	group := c.cmd.Process.Pid
	signalGroup(group, syscall.SIGTERM)
	c.ends[0].Close()
	timer := time.NewTimer(stopTimeout)
	select {
	case <-c.exited:
	case <-timer.C:
	}
	timer.Stop()
	// Also when the leader has left: a group keeps its id while it has members.
	signalGroup(group, syscall.SIGKILL)
	<-c.exited
	killUsers(c.profile, stopTimeout)
	reapGroup(group)
	c.ends[1].Close()
	<-c.Closed()
	c.late.Wait()
	c.clean()
}

func (c *chrome) clean() {
	removeProfile(c.profile)
	if c.lock != nil {
		c.lock.Close()
	}
	if c.cmd == nil {
		for _, f := range c.ends {
			if f != nil {
				f.Close()
			}
		}
	}
}

// removeProfile removes a directory in which a dying process may still write.
func removeProfile(dir string) error {
	var err error
	for range 5 {
		if err = os.RemoveAll(dir); err == nil {
			return nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	return err
}

// cleanLeftovers removes what dead owners have left: profiles that nobody has
// locked, and browsers that still run on them.
func cleanLeftovers() error {
	dirs, err := filepath.Glob(filepath.Join(os.TempDir(), profilePrefix+"*"))
	if err != nil {
		return err
	}
	var failed error
	for _, dir := range dirs {
		info, err := os.Lstat(dir)
		if err != nil || !info.IsDir() || !ours(info) {
			continue
		}
		if _, err := os.Stat(filepath.Join(dir, lockName)); err != nil && time.Since(info.ModTime()) < time.Minute {
			continue // just being made
		}
		lock, err := lockProfile(dir)
		if err != nil {
			continue // its owner lives
		}
		if !killUsers(dir, stopTimeout) {
			failed = errors.Join(failed, fmt.Errorf("a browser of %s cannot be killed", dir))
		} else if err := removeProfile(dir); err != nil {
			failed = errors.Join(failed, err)
		}
		lock.Close()
	}
	return failed
}

// ours reports whether a file belongs to the user that we run as.
func ours(info os.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Getuid()
}

// tail keeps the end of what a process says.
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
