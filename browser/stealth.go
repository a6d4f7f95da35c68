package browser

import (
	"context"
	"os/exec"
	"regexp"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"plat/browser/stealth"
	"plat/browser/wire"
)

// identity is what the browser is to call itself.
func (o *Options) identity() stealth.Identity {
	return stealth.Identity{UserAgent: o.UserAgent, About: o.About, Language: o.Language, Plain: o.NoStealth}
}

// stealthArgs is what Chrome's command line can hide.
func (o *Options) stealthArgs() []string {
	a := stealth.Flags(o.Width, o.Height)
	// The tabs are told what to call themselves, which does not reach workers that they
	// share.
	ctx, cancel := context.WithTimeout(context.Background(), versionTimeout)
	defer cancel()
	version := exec.CommandContext(ctx, o.Chrome, "--version")
	version.Env = o.Environ
	if out, err := version.Output(); err == nil {
		if major := majorVersion.FindSubmatch(out); major != nil {
			a = append(a, "--user-agent="+o.identity().Of(stealth.Desktop(string(major[1])), "").UserAgent)
		}
	}
	return a
}

// versionTimeout is how long Chrome may take to say which it is.
const versionTimeout = 10 * time.Second

var majorVersion = regexp.MustCompile(`\b(\d+)\.\d+\.\d+\.\d+`)

// askingNobody sets the permissions of a new context.
func (t *tab) askingNobody() {
	for _, p := range stealth.Permissions(t.context) {
		t.early = append(t.early, t.c.Root.Send(browser.SetPermission.Method, p))
	}
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
