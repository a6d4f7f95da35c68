package browser

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"plat/browser/process"
	"plat/browser/stealth"
	"plat/browser/wire"
)

// chrome is one running browser with its tabs.
type chrome struct {
	*process.Process
	frames      chan struct{}  // holds a token while a frame is drawn
	pictures    chan struct{}  // holds a token while a picture is taken
	wantPicture atomic.Int32   // pages that have a picture taken, or wait for it
	late        sync.WaitGroup // frames that nobody waits for any more

	// userAgent is what pages and workers say that they are. Set before there are any.
	userAgent stealth.UserAgent

	// Guarded by Pool.mu.
	tabs    int  // open or being opened
	pages   int  // opened so far
	retired bool // no new tabs; stopped when the last one is closed

	mu       sync.Mutex
	contexts map[cdp.BrowserContextID]*tab // guarded by mu
}

// startTimeout limits the time from exec to the last answer that is waited for.
const startTimeout = 30 * time.Second

// startChrome starts a browser that is ready for tabs.
func startChrome(ctx context.Context, o *Options) (_ *chrome, err error) {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	c := &chrome{frames: make(chan struct{}, 1), pictures: make(chan struct{}, 1), contexts: map[cdp.BrowserContextID]*tab{}}
	flags := o.Flags
	if !o.NoStealth {
		flags = append(o.stealthFlags(ctx), flags...)
	}
	c.Process, err = process.Start(ctx, process.Options{
		Path: o.Chrome, Width: o.Width, Height: o.Height, Language: o.Language, Flags: flags, Env: o.Environ, CallTimeout: o.CallTimeout,
	}, c.event)
	if err != nil {
		return nil, err
	}
	_, err = wire.Call(ctx, c.Root, target.SetDiscoverTargets, target.SetDiscoverTargetsParams{
		Discover: true,
		Filter:   target.Filter{{Type: "page"}, {Type: "shared_worker"}, {Type: "service_worker"}},
	})
	if err == nil && !o.NoStealth {
		err = c.hide(ctx)
	}
	if err != nil {
		return nil, c.GiveUp(err)
	}
	c.userAgent = o.identity().Of(c.UserAgent, c.Product)
	return c, nil
}

// stop ends the browser and everything of it.
func (c *chrome) stop() {
	c.Stop()
	c.late.Wait()
}

// identity is what the browser is to call itself.
func (o *Options) identity() stealth.Identity {
	return stealth.Identity{UserAgent: o.UserAgent, About: o.About, Language: o.Language, Plain: o.NoStealth}
}

// stealthFlags is what Chrome's command line can hide.
func (o *Options) stealthFlags(ctx context.Context) []string {
	a := stealth.Flags(o.Width, o.Height)
	// The tabs are told what to call themselves, which does not reach workers that they
	// share.
	if major := process.Version(ctx, o.Chrome, o.Environ); major != "" {
		a = append(a, "--user-agent="+o.identity().Of(stealth.Desktop(major), "").UserAgent)
	}
	return a
}

// hide prepares a new browser for what no tab hears of: workers that pages share, and
// those that outlive them.
func (c *chrome) hide(ctx context.Context) error {
	_, err := wire.Call(ctx, c.Root, target.SetAutoAttach, target.SetAutoAttachParams{
		AutoAttach: true, WaitForDebuggerOnStart: true, Flatten: new(true), Filter: target.Filter{{Type: "shared_worker"}, {Type: "service_worker"}},
	})
	return err
}

// enterWorker lets a worker begin, which waits for that, once it is told what its page
// was told, and the script has run in it: else the two would tell of two machines.
func (c *chrome) enterWorker(params []byte) {
	e, ok := decode(target.AttachedToTarget, params)
	if !ok || e.TargetInfo == nil || !e.WaitingForDebugger {
		return
	}
	id := string(e.SessionID)
	s := c.Attach(id, func(string, []byte) {})
	if e.TargetInfo.Type != "worker" { // a page's own has it from the page
		s.Send(emulation.SetUserAgentOverride.Method, c.userAgent).Forget()
	}
	s.Send(runtime.Evaluate.Method, runtime.EvaluateParams{Expression: stealth.Worker()}).Forget()
	s.Send(runtime.RunIfWaitingForDebugger.Method, nil).Forget()
	c.Detach(id)
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
