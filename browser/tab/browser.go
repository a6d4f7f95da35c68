package tab

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"

	"plat/browser/cookies"
	"plat/browser/devtools"
	"plat/browser/origin"
	"plat/browser/process"
	"plat/browser/stealth"
)

// Options configure a browser and its pages. The options of package browser have the same names.
type Options struct {
	Chrome        string        // the binary's path
	Environ       []string      // Chrome's environment; nil: this process's
	Flags         []string      // added to the command line
	CallTimeout   time.Duration // limits one call
	Width, Height int           // of the viewport, CSS px

	UserAgent, About, Language string
	TimeZone                   string // as in "Europe/Berlin"; empty: the host's
	NoStealth                  bool

	Header     http.Header      // sent with the requests of a page's own site
	Everywhere bool             // ... or with every request
	Cookies    []cookies.Cookie // that pages begin with
	Auth       map[origin.Server]Login

	Script string // in tests, instead of the script that runs before a page's own
}

// Login is a user with a password.
type Login struct{ User, Password string }

// Browser is one running browser with its tabs. It is safe for concurrent use.
type Browser struct {
	*process.Process
	o      *Options
	frames chan struct{}  // holds a token while a frame is drawn
	late   sync.WaitGroup // frames and answers to requests that nothing waits for any more

	// userAgent is the identity that pages and workers present. Set before the first of them.
	userAgent stealth.UserAgent

	mu       sync.Mutex
	contexts map[cdp.BrowserContextID]*Tab // guarded by mu
}

// startTimeout limits the time from exec to the last answer of the start.
const startTimeout = 30 * time.Second

// Launch starts a browser that is ready for tabs. [Browser.Stop] must follow.
func Launch(ctx context.Context, o Options) (_ *Browser, err error) {
	b := &Browser{o: &o, frames: make(chan struct{}, 1), contexts: map[cdp.BrowserContextID]*Tab{}}
	flags := append(o.agentFlag(ctx), o.Flags...)
	if !o.NoStealth {
		flags = append(stealth.Flags(o.Width, o.Height), flags...)
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	b.Process, err = process.Start(ctx, process.Options{
		Path: o.Chrome, Width: o.Width, Height: o.Height, Language: o.Language, Flags: flags, Env: o.Environ, CallTimeout: o.CallTimeout,
	}, b.event)
	if err != nil {
		return nil, err
	}
	_, err = devtools.Call(ctx, b.Root, target.SetDiscoverTargets, target.SetDiscoverTargetsParams{
		Discover: true,
		Filter:   target.Filter{{Type: "page"}, {Type: "shared_worker"}, {Type: "service_worker"}},
	})
	if err == nil && !o.NoStealth {
		err = b.hide(ctx)
	}
	if err != nil {
		return nil, b.GiveUp(err)
	}
	b.userAgent = o.identity().Of(b.Process.UserAgent, b.Product)
	return b, nil
}

// Stop ends the browser and removes its processes and files. It returns when that is done.
func (b *Browser) Stop() {
	b.Process.Stop()
	b.late.Wait()
}

// identity returns the identity that the browser presents.
func (o *Options) identity() stealth.Identity {
	return stealth.Identity{UserAgent: o.UserAgent, About: o.About, Language: o.Language, Plain: o.NoStealth}
}

// agentFlag returns the flag that sets Chrome's user agent, if it is not Chrome's own. Tabs have
// an override, too, but that does not reach workers that they share.
func (o *Options) agentFlag(ctx context.Context) []string {
	if o.NoStealth && o.About == "" && o.UserAgent == "" {
		return nil
	}
	major := ""
	if o.UserAgent == "" {
		if major = process.Version(ctx, o.Chrome, o.Environ); major == "" {
			return nil
		}
	}
	return []string{"--user-agent=" + o.identity().Of(stealth.Desktop(major), "").UserAgent}
}

// Reader returns the user agent of a desktop browser of this version.
func (b *Browser) Reader() string {
	_, version, _ := strings.Cut(b.Product, "/")
	major, _, _ := strings.Cut(version, ".")
	return stealth.Desktop(major)
}

// UserAgent is the name that pages see.
func (b *Browser) UserAgent() string { return b.userAgent.UserAgent }

// Tabs returns the open tabs, for tests.
func (b *Browser) Tabs() []*Tab {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Collect(maps.Values(b.contexts))
}

// hide makes Chrome attach to targets that no tab reports: shared workers and service workers.
func (b *Browser) hide(ctx context.Context) error {
	_, err := devtools.Call(ctx, b.Root, target.SetAutoAttach, target.SetAutoAttachParams{
		AutoAttach: true, WaitForDebuggerOnStart: true, Flatten: new(true), Filter: target.Filter{{Type: "shared_worker"}, {Type: "service_worker"}},
	})
	return err
}

// decode reads an event's parameters.
func decode[E any](_ cdp.Event[E], params []byte) (E, bool) {
	var e E
	return e, devtools.Unmarshal(params, &e) == nil
}

// tabOf returns the tab of a target, nil if absent.
func (b *Browser) tabOf(i *target.Info) *Tab {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.contexts[i.BrowserContextID]
}

// event tracks new and closed targets.
func (b *Browser) event(method string, params []byte) {
	switch method {
	case target.AttachedToTarget.Method:
		if e, ok := decode(target.AttachedToTarget, params); ok && e.TargetInfo != nil && (e.TargetInfo.Type == "shared_worker" || e.TargetInfo.Type == "service_worker") {
			if t := b.tabOf(e.TargetInfo); t != nil {
				t.View(func(*State) { b.enterWorker(t, &e) })
			} else {
				b.enterWorker(nil, &e)
			}
		}
		return
	case target.DetachedFromTarget.Method:
		if e, ok := decode(target.DetachedFromTarget, params); ok {
			for _, t := range b.Tabs() {
				t.View(func(*State) { t.leaveWorker(string(e.SessionID)) })
			}
		}
		return
	case target.TargetCreated.Method:
	default:
		return
	}
	e, ok := decode(target.TargetCreated, params)
	if !ok || e.TargetInfo == nil {
		return
	}
	t := b.tabOf(e.TargetInfo)
	if e.TargetInfo.Type != "page" {
		if t != nil {
			t.View(func(s *State) { s.startedWorker() })
		}
		return
	}
	// The first page of a context is its tab's.
	if t != nil && t.popup(e.TargetInfo.TargetID) {
		b.Root.Send(target.CloseTarget.Method, target.CloseTargetParams{TargetID: e.TargetInfo.TargetID}).Forget()
	}
}
