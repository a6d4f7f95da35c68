package browser

import (
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/go-rod/stealth"
	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/js"

	"plat/browser/wire"
)

// rodParts are the parts of go-rod/stealth's script that plat runs, each known by what
// it alone writes to, in the script's order. The others are not run; docs/stealth.md
// says why, with the checks of the battery that show it.
var rodParts = [...]string{"window.chrome.app = ", "window.chrome.csi = ", "window.chrome.loadTimes = "}

// rodScript defines rod, which runs rodParts. The script as it comes is a list of calls
// that get each function as a string, with all tools as strings once more, and evaluate
// them: 180 KB for each frame, and nothing happens on a page whose policy forbids eval.
// Here the functions are code again, and their tools are those of mask.js, which take no
// proxies.
var rodScript = sync.OnceValue(func() string {
	parts, err := splitRod(stealth.JS)
	if err != nil {
		panic(err) // the script is part of the program, and a test reads it
	}
	var b strings.Builder
	b.WriteString(`const rod = () => {
const utils = {
  stripErrorWithAnchor: (e) => e,
  patchToString: (f) => native.set(f, ` + "`function ${f.name}() { [native code] }`" + `),
  patchToStringNested(o) { for (const k in o) if (typeof o[k] === 'function') utils.patchToString(o[k]); },
};
`)
	for _, mark := range rodParts {
		found := false
		for _, p := range parts {
			if strings.Contains(p.function, mark) {
				fmt.Fprintf(&b, "(%s)(utils, ...%s);\n", p.function, p.arguments)
				found = true
			}
		}
		if !found {
			panic(fmt.Sprintf("go-rod/stealth has no part with %q", mark))
		}
	}
	b.WriteString("};\n")
	return b.String()
})

// rodPart is one of the calls of go-rod/stealth's script, as source.
type rodPart struct{ function, arguments string }

// splitRod reads the parts from the objects that hold them.
func splitRod(script string) ([]rodPart, error) {
	tree, err := js.Parse(parse.NewInputString(script), js.Options{})
	if err != nil {
		return nil, fmt.Errorf("read go-rod/stealth: %w", err)
	}
	w := &rodWalker{}
	js.Walk(w, tree)
	if w.err == nil && len(w.parts) == 0 {
		w.err = fmt.Errorf("read go-rod/stealth: there are no parts")
	}
	return w.parts, w.err
}

type rodWalker struct {
	parts []rodPart
	err   error
}

func (w *rodWalker) Exit(js.INode) {}

func (w *rodWalker) Enter(n js.INode) js.IVisitor {
	o, ok := n.(*js.ObjectExpr)
	if !ok {
		return w
	}
	var p rodPart
	for _, item := range o.List {
		if item.Name == nil {
			continue
		}
		switch string(item.Name.Literal.Data) {
		case "_mainFunction":
			l, ok := item.Value.(*js.LiteralExpr)
			if !ok || l.TokenType != js.StringToken {
				return nil // the function that takes the object apart
			}
			if p.function, w.err = unquote(string(l.Data)); w.err != nil {
				return nil
			}
		case "_args":
			var b strings.Builder
			item.Value.JS(&b)
			p.arguments = b.String()
		}
	}
	if p.function == "" {
		return w
	}
	w.parts = append(w.parts, p)
	return nil
}

// unquote reads a string of JavaScript.
func unquote(s string) (string, error) {
	var b strings.Builder
	for body := s[1 : len(s)-1]; body != ""; {
		if strings.HasPrefix(body, `\`) && len(body) > 1 && strings.IndexByte("'\"`$/", body[1]) >= 0 {
			b.WriteByte(body[1])
			body = body[2:]
			continue
		}
		r, _, rest, err := strconv.UnquoteChar(body, 0)
		if err != nil {
			return "", fmt.Errorf("read go-rod/stealth: %q: %w", body[:min(20, len(body))], err)
		}
		b.WriteRune(r)
		body = rest
	}
	return b.String(), nil
}

// mouseSettings are a mouse, as at every desk: without it, media queries say that there is
// nothing to point with. 4 is a fine pointer, 2 is one that hovers.
const mouseSettings = "primaryPointerType=4,availablePointerTypes=4,primaryHoverType=2,availableHoverTypes=2"

// stealthArgs is what Chrome's command line can hide: no script has to, and no page can
// see that it did.
func (o *Options) stealthArgs() []string {
	a := []string{
		"--disable-blink-features=AutomationControlled", // navigator.webdriver is false
		blinkSettings + mouseSettings,
		// A screen that the window and its frame fit on.
		fmt.Sprintf("--screen-info={%dx%d}", max(1920, o.Width+32), max(1200, o.Height+128)),
	}
	// The tabs are told what to call themselves, which does not reach workers that they
	// share.
	ctx, cancel := context.WithTimeout(context.Background(), versionTimeout)
	defer cancel()
	version := exec.CommandContext(ctx, o.Chrome, "--version")
	version.Env = o.Environ
	if out, err := version.Output(); err == nil {
		if major := majorVersion.FindSubmatch(out); major != nil {
			agent := fmt.Sprintf("Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/%s.0.0.0 Safari/537.36", major[1])
			a = append(a, "--user-agent="+o.userAgentOf(agent, "").UserAgent)
		}
	}
	return a
}

// versionTimeout is how long Chrome may take to say which it is.
const versionTimeout = 10 * time.Second

var majorVersion = regexp.MustCompile(`\b(\d+)\.\d+\.\d+\.\d+`)

// permissions are those of a browser in which nobody has been asked yet, but for
// notifications: headless Chrome denies them, whatever it is told, and says elsewhere
// that it would ask.
var permissions = [...]struct {
	name    string
	setting browser.PermissionSetting
}{
	{"notifications", browser.PermissionSettingDenied},
	{"accelerometer", browser.PermissionSettingGranted},
	{"gyroscope", browser.PermissionSettingGranted},
	{"magnetometer", browser.PermissionSettingGranted},
	{"background-sync", browser.PermissionSettingGranted},
}

// askingNobody sets the permissions of a new context.
func (t *tab) askingNobody() {
	for _, p := range permissions {
		t.early = append(t.early, t.c.Root.Send(browser.SetPermission.Method, browser.SetPermissionParams{
			Permission: &browser.PermissionDescriptor{Name: p.name}, Setting: p.setting, BrowserContextID: t.context,
		}))
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
	s.Send(runtime.Evaluate.Method, runtime.EvaluateParams{Expression: workerScript()}).Forget()
	s.Send(runtime.RunIfWaitingForDebugger.Method, nil).Forget()
	c.Detach(id)
}

// userAgent are the parameters of Emulation.setUserAgentOverride, with a field that is
// deprecated and that scripts still read: cdproto leaves it out.
type userAgent struct {
	UserAgent string             `json:"userAgent"`
	Language  string             `json:"acceptLanguage,omitempty"` // as a list: Chrome adds the weights
	Metadata  *userAgentMetadata `json:"userAgentMetadata,omitempty"`
}

type userAgentMetadata struct {
	emulation.UserAgentMetadata
	FullVersion string `json:"fullVersion"`
}

// userAgentOf is what a browser calls itself.
func (o *Options) userAgentOf(agent, product string) userAgent {
	if o.UserAgent != "" {
		agent = o.UserAgent
	} else {
		if !o.NoStealth {
			agent = reduced(agent)
		}
		if o.About != "" && !strings.HasSuffix(agent, o.About) {
			agent += " " + o.About
		}
	}
	u := userAgent{UserAgent: agent, Language: o.Language}
	if !o.NoStealth {
		u.Metadata = brands(agent, product)
	}
	return u
}

// reduced is a user agent as Chrome with a window sends it: without the word, and with
// no more than the major version.
func reduced(agent string) string {
	before, v, ok := strings.Cut(agent, "HeadlessChrome/")
	if !ok {
		return agent
	}
	full, after, _ := strings.Cut(v, " ")
	major, _, _ := strings.Cut(full, ".")
	return before + "Chrome/" + major + ".0.0.0 " + after
}

// brands is what Sec-CH-UA says, made to fit the user agent; nil leaves it to Chrome,
// whose own list names the headless browser. product holds the full version.
func brands(agent, product string) *userAgentMetadata {
	_, v, ok := strings.Cut(agent, "Chrome/")
	if !ok {
		return nil
	}
	full, _, _ := strings.Cut(v, " ")
	major, _, _ := strings.Cut(full, ".")
	n, err := strconv.Atoi(major)
	if err != nil {
		return nil
	}
	if _, v, ok := strings.Cut(product, "/"+major+"."); ok {
		full = major + "." + v
	}
	// Chrome makes the first name up anew for each version, so that nobody relies on
	// the list: components/embedder_support/user_agent_utils.cc.
	const odd = " (:-./);=?_"
	made := fmt.Sprintf("Not%cA%cBrand", odd[n%len(odd)], odd[(n+1)%len(odd)])
	version := [...]string{"8", "99", "24"}[n%3]
	list := func(made, own string) []*emulation.UserAgentBrandVersion {
		l := []*emulation.UserAgentBrandVersion{{Brand: "Not", Version: made}, {Brand: "Chromium", Version: own}}
		if n%2 == 1 {
			l[0], l[1] = l[1], l[0]
		}
		return l
	}
	m := &userAgentMetadata{FullVersion: full, UserAgentMetadata: emulation.UserAgentMetadata{
		Brands:          list(version, major),
		FullVersionList: list(version+".0.0.0", full),
		Platform:        "Linux",
		Architecture:    "x86",
		Bitness:         "64",
		FormFactors:     []string{"Desktop"},
	}}
	for _, l := range [][]*emulation.UserAgentBrandVersion{m.Brands, m.FullVersionList} {
		l[n%2].Brand = made
	}
	return m
}
