package browser

import (
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"plat/browser/egress"
	"plat/steps"
)

// Options configure a [Pool]. All but Guard may be left zero.
type Options struct {
	// Guard is the only way out for pages. It outlives the pool.
	Guard *egress.Guard

	// Chrome is the browser's binary. Empty: the first that [Find] finds.
	Chrome string

	// Tabs is how many pages are rendered at once, at most. How many it is depends on how
	// busy the machine is. 0: as many as cores and memory allow.
	Tabs int

	// FreeMemory is how many bytes of memory can still be had; 0 is not known. Nil: it is
	// not known.
	FreeMemory func() uint64

	// Width and Height are the viewport in CSS px. 0: 1280 and 1024.
	Width, Height int

	// UserAgent is sent and shown to scripts. Empty: Chrome's own, without the
	// word "Headless" if Stealth is on.
	UserAgent string

	// About says in parentheses whom to turn to, as "(compatible; plat/1.0;
	// https://example.org/bot)": it follows Chrome's own name where UserAgent is
	// empty.
	About string

	// Language is for Accept-Language and navigator.languages, most wanted first,
	// as in "de-DE,de,en". Empty: "en-US,en".
	Language string

	// TimeZone is the pages' time zone, as in "Europe/Berlin". Empty: the host's.
	TimeZone string

	// NoStealth leaves the marks by which pages tell a browser that nobody sits
	// in front of: navigator.webdriver and the like.
	NoStealth bool

	// Header is sent with every request of every page, to third parties as well.
	Header http.Header

	// Cookies are there when a page begins. Domain or a URL's host is needed.
	Cookies []Cookie

	// Auth holds user and password for hosts ("example.org", or with a port
	// "example.org:8080") that ask by HTTP basic or digest authentication. They
	// are sent to no other host.
	Auth map[string]Login

	// NoReuse gives every page a browser context of its own. Otherwise pages of
	// one origin that follow one another may have one that is cleared in
	// between, of all but the HTTP cache: faster, and kinder to the site.
	NoReuse bool

	// CallTimeout limits one call to the browser. 0: 15 s.
	CallTimeout time.Duration

	// LoadTimeout limits the time to the load event. A page that has begun to
	// load by then is taken as it is, unsettled. 0: 30 s.
	LoadTimeout time.Duration

	// SettleTimeout limits the real time from the load event until the page is taken,
	// scrolling included. A page that has not settled by then is taken as it is. 0: 12 s.
	SettleTimeout time.Duration

	// AtLoad takes pages at their load event, without waiting for what scripts do next.
	AtLoad bool

	// RenderTimeout limits the whole rendering. 0: 90 s.
	RenderTimeout time.Duration

	// NoScroll leaves out the scrolling through pages with lazy content.
	NoScroll bool

	// ScrollHeight is how far down a page is scrolled, in px. 0: 20,000.
	ScrollHeight int

	// PictureHeight is the greatest height of a picture, in px. 0: 16,000.
	PictureHeight int

	// MaxNodes is the greatest number of DOM nodes of a page. 0: 500,000.
	MaxNodes int

	// MaxBytes is the most a page may receive from the network. 0: 100 MiB.
	MaxBytes int64

	// RecyclePages and RecycleMemory say after how many pages, or from how many
	// bytes of resident memory of all its processes, a browser is replaced.
	// 0: 1000 pages, 4 GiB.
	RecyclePages  int
	RecycleMemory int64

	// Flags are added to Chrome's command line, as in "--lang=de".
	Flags []string

	// Steps says what is done on which pages before they are taken. Nil: nothing.
	Steps *steps.Set

	// Secret resolves the references of steps. Nil: there are none to be had.
	Secret func(steps.Ref) (string, error)

	// StepsEvaluate lets steps run scripts.
	StepsEvaluate bool

	// Sessions keeps the login sessions of steps. Nil: they end with the pool.
	Sessions SessionStore

	// Environ is Chrome's environment, as in [os.Environ]. Nil: this process's.
	Environ []string

	// Log hears of browsers started, replaced and killed. Nil: nobody.
	Log *slog.Logger

	logins *logins
	script string // in tests, instead of the script that runs before a page's own
}

// Cookie is a cookie that pages begin with.
type Cookie struct {
	Name, Value  string
	Domain, Path string // path "" is "/"
	Secure       bool
	HTTPOnly     bool
}

// Login is a user with a password.
type Login struct{ User, Password string }

// names are the browsers looked for, in this order: in the places where
// distributions keep the real binaries, then in PATH. Headless shell is twice
// as fast as full Chromium. A wrapper script does not do: killing it leaves the
// browser running.
var names = [...]string{
	"/usr/lib/chromium/chromium-headless-shell",
	"/usr/lib/chromium-browser/headless_shell",
	"/headless-shell/headless-shell",
	"chrome-headless-shell",
	"headless-shell",
	"headless_shell",
	"/usr/lib/chromium/chromium",
	"/usr/lib64/chromium-browser/chromium-browser",
	"/opt/google/chrome/chrome",
	"google-chrome-stable",
	"google-chrome",
	"chromium-browser",
	"chromium",
	"chrome",
}

// Find returns the path of the browser to use: chrome if it is not empty, else
// the first that is there.
func Find(chrome string) (string, error) {
	if chrome != "" {
		path, err := lookPath(chrome)
		if err != nil {
			return "", fmt.Errorf("browser %q: %w; give the path of a Chrome or Chromium binary", chrome, err)
		}
		return path, nil
	}
	for _, name := range names {
		if path, err := lookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("no browser found; install chromium-headless-shell, or give the path of a Chrome or Chromium binary")
}

// behind is the real binary where path is a distribution's wrapper.
func behind(path string) string {
	switch path {
	case "/usr/bin/chromium-headless-shell":
		return "/usr/lib/chromium/chromium-headless-shell"
	case "/usr/bin/chromium":
		return "/usr/lib/chromium/chromium"
	}
	return path
}

// isShell reports whether the binary is a headless shell, by its name.
func isShell(path string) bool {
	return strings.Contains(strings.ReplaceAll(filepath.Base(path), "_", "-"), "headless-shell")
}

func (o Options) complete() (Options, error) {
	if o.Guard == nil {
		return o, fmt.Errorf("browser: no egress guard; make one with egress.New")
	}
	path, err := Find(o.Chrome)
	if err != nil {
		return o, err
	}
	o.Chrome = path
	for _, v := range []struct {
		name  string
		value *int
		unset int
	}{
		{"Tabs", &o.Tabs, 0},
		{"Width", &o.Width, 1280},
		{"Height", &o.Height, 1024},
		{"ScrollHeight", &o.ScrollHeight, 20_000},
		{"PictureHeight", &o.PictureHeight, 16_000},
		{"MaxNodes", &o.MaxNodes, 500_000},
		{"RecyclePages", &o.RecyclePages, 1000},
	} {
		if *v.value < 0 {
			return o, fmt.Errorf("browser: %s is %d; give a positive number, or 0 for %d", v.name, *v.value, v.unset)
		}
		if *v.value == 0 {
			*v.value = v.unset
		}
	}
	for _, v := range []struct {
		name  string
		value *time.Duration
		unset time.Duration
	}{
		{"CallTimeout", &o.CallTimeout, 15 * time.Second},
		{"LoadTimeout", &o.LoadTimeout, 30 * time.Second},
		{"SettleTimeout", &o.SettleTimeout, 12 * time.Second},
		{"RenderTimeout", &o.RenderTimeout, 90 * time.Second},
	} {
		if *v.value < 0 {
			return o, fmt.Errorf("browser: %s is %v; give a positive duration, or 0 for %v", v.name, *v.value, v.unset)
		}
		if *v.value == 0 {
			*v.value = v.unset
		}
	}
	if o.MaxBytes < 0 || o.RecycleMemory < 0 {
		return o, fmt.Errorf("browser: MaxBytes and RecycleMemory must not be negative; 0 is the default")
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = 100 << 20
	}
	if o.RecycleMemory == 0 {
		o.RecycleMemory = 4 << 30
	}
	if o.Language == "" {
		o.Language = "en-US,en"
	}
	if o.TimeZone != "" {
		if _, err := time.LoadLocation(o.TimeZone); err != nil {
			return o, fmt.Errorf("browser: time zone %q: %w; write it as Europe/Berlin", o.TimeZone, err)
		}
	}
	for _, c := range o.Cookies {
		if c.Name == "" || c.Domain == "" {
			return o, fmt.Errorf("browser: cookie %q for domain %q; give it a name and a domain", c.Name, c.Domain)
		}
	}
	if o.FreeMemory == nil {
		o.FreeMemory = func() uint64 { return 0 }
	}
	o.logins = newLogins(o.Sessions)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o, nil
}

// framed reports whether frames are to come only when asked for. Full Chromium cannot do
// that, nor can a headless shell on macOS.
func (o *Options) framed() bool { return isShell(o.Chrome) && runtime.GOOS == "linux" }

// framedFlags make all that a frame does happen within it: without them transitions
// never end, images are decoded some frames later, and a page that has drawn nothing yet
// is painted white for a while.
var framedFlags = [...]string{
	"--enable-begin-frame-control",
	"--run-all-compositor-stages-before-draw",
	"--disable-new-content-rendering-timeout",
	"--disable-threaded-animation",
	"--disable-threaded-scrolling",
	"--disable-checker-imaging",
	"--disable-image-animation-resync",
	// A window that is made larger than what the page is laid out for shows the rest of it;
	// see [visit.framedPicture]. Pages do not see this: what is in their viewport, and near
	// it, is as before.
	blinkSettings + "mainFrameClipsContent=false",
}

// blinkSettings is the flag that sets what Blink, Chrome's engine, has no flags for.
const blinkSettings = "--blink-settings="

// oneOfEach makes one flag of all that set Blink's settings: Chrome takes the last.
func oneOfEach(flags []string) (all []string) {
	var settings []string
	for _, f := range flags {
		if s, ok := strings.CutPrefix(f, blinkSettings); ok {
			settings = append(settings, s)
		} else {
			all = append(all, f)
		}
	}
	if settings != nil {
		all = append(all, blinkSettings+strings.Join(settings, ","))
	}
	return all
}

// args is Chrome's command line. Left out of what automation tools usually
// give: --disable-popup-blocking (pop-ups are not wanted),
// and --disable-dev-shm-usage where there is shared memory to use.
func (o *Options) args(profile string) []string {
	a := []string{
		"--remote-debugging-pipe=cbor",
		"--user-data-dir=" + profile,
		"--headless",
		fmt.Sprintf("--window-size=%d,%d", o.Width, o.Height),
		"--lang=" + strings.TrimSpace(strings.SplitN(o.Language, ",", 2)[0]),
		"--accept-lang=" + o.Language, // in workers too, where an override does not reach

		// Nothing gets out but through the guard; see package egress. The proxy
		// is set for each browser context. The default context has none that
		// works (port 9 is "discard"), and nothing is ever opened in it.
		"--proxy-server=http://127.0.0.1:9",
		"--proxy-bypass-list=<-loopback>",
		"--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
		"--disable-quic",
		"--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
		"--webrtc-ip-handling-policy=disable_non_proxied_udp",

		// Nothing goes on but the page.
		"--disable-background-networking",
		"--disable-breakpad",
		"--disable-client-side-phishing-detection",
		"--disable-component-update",
		"--disable-component-extensions-with-background-pages",
		"--disable-default-apps",
		"--disable-domain-reliability",
		"--disable-extensions",
		"--disable-features=Translate,OptimizationHints,MediaRouter,DialMediaRouteProvider,AutofillServerCommunication,CertificateTransparencyComponentUpdater,InterestFeedContentSuggestions,WebBluetooth,WebUSB",
		"--disable-search-engine-choice-screen",
		"--disable-sync",
		"--metrics-recording-only",
		"--mute-audio",
		"--no-default-browser-check",
		"--no-first-run",
		"--no-pings",
		"--no-service-autorun",
		"--password-store=basic",
		"--safebrowsing-disable-auto-update",
		"--use-mock-keychain",

		// Frames of other sites share the page's process, as they do in a headless shell:
		// one snapshot holds them all, and one clock. A page has a browser context of its
		// own, so that there is little of others to protect from it; see docs/capture.md.
		"--disable-site-isolation-trials",

		// Nobody is there to be asked or to wait for. (What is typed before a page's first
		// frame would be lost.)
		"--allow-pre-commit-input",
		"--block-new-web-contents",
		"--deny-permission-prompts",
		"--disable-hang-monitor",
		"--disable-print-preview",
		"--disable-prompt-on-repost",
		"--noerrdialogs",

		// A tab that nobody looks at must go on at full speed.
		"--disable-background-timer-throttling",
		"--disable-backgrounding-occluded-windows",
		"--disable-ipc-flooding-protection",
		"--disable-renderer-backgrounding",

		// The same page has the same boxes and colours everywhere.
		"--disable-font-subpixel-positioning",
		"--font-render-hinting=none",
		"--force-color-profile=srgb",
		"--force-device-scale-factor=1",
		"--hide-scrollbars",
	}
	if o.framed() {
		a = append(a, framedFlags[:]...)
	}
	if !o.NoStealth {
		a = append(a, o.stealthArgs()...)
	}
	if os.Getuid() == 0 {
		a = append(a, "--no-sandbox")
	}
	if smallShm() {
		a = append(a, "--disable-dev-shm-usage")
	}
	return append(oneOfEach(append(a, o.Flags...)), "about:blank")
}
