package browser

import (
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"plat/browser/act"
	"plat/browser/cookies"
	"plat/browser/egress"
	"plat/browser/origin"
	"plat/browser/process"
	"plat/browser/settle"
	"plat/browser/steps"
	"plat/browser/tab"
)

// Options configure a [Pool]. All but Guard may be left zero.
type Options struct {
	// Guard is the only way out for pages. It outlives the pool.
	Guard *egress.Guard

	// Chrome is the browser's binary. Empty: the first that [Find] finds.
	Chrome string

	// Tabs is the maximum number of pages rendered at once; the actual number depends on the
	// machine's load. 0: as many as cores and memory allow.
	Tabs int

	// FreeMemory returns the bytes of available memory, 0 if unknown. Nil: unknown.
	FreeMemory func() uint64

	// StateDir is a folder of the user's, in which a pool notes warnings that are logged once: that root's browser has no
	// sandbox. Later ones are at the level debug. Empty: each pool warns.
	StateDir string

	// Width and Height are the viewport in CSS px. 0: 1280 and 1024.
	Width, Height int

	// UserAgent is sent and shown to scripts. Empty: Chrome's own, which has the word
	// "Headless" only with NoStealth and without About.
	UserAgent string

	// About describes the crawler and its contact in parentheses, as "(compatible; plat/1.0;
	// https://example.org/bot)". It follows Chrome's own name where UserAgent is empty.
	About string

	// Language sets Accept-Language and navigator.languages, in order of preference,
	// as in "de-DE,de,en". Empty: "en-US,en".
	Language string

	// TimeZone is the pages' time zone, as in "Europe/Berlin". Empty: the host's.
	TimeZone string

	// NoStealth leaves the marks by which pages detect an automated browser: navigator.webdriver
	// and the like.
	NoStealth bool

	// Header is sent with the requests of a page that go to its own site; see
	// [origin.SameSite]. With HeaderEverywhere it is sent with every request, to third
	// parties as well.
	Header           http.Header
	HeaderEverywhere bool

	// Cookies are set before a page begins, and sent by the browser's rules.
	Cookies []cookies.Cookie

	// Auth holds user and password for servers that ask by HTTP basic or digest
	// authentication. Only challenges for the page itself are answered, not those for its resources
	// or for a different site in its redirects: see [origin.Server.Answers].
	Auth map[origin.Server]Login

	// NoReuse gives every page a new browser context. Otherwise consecutive pages of one origin may
	// share a context, cleared in between of all but the HTTP cache: faster, and less load for the
	// site.
	NoReuse bool

	// CallTimeout limits one call to the browser. 0: 15 s.
	CallTimeout time.Duration

	// LoadTimeout limits the time to the load event. A page that has begun to
	// load by then is captured as it is, unsettled. 0: 30 s.
	LoadTimeout time.Duration

	// SettleTimeout limits the real time from the load event until the page is captured, scrolling
	// included. A page that has not settled by then is captured as it is. 0: 12 s.
	SettleTimeout time.Duration

	// AtLoad captures pages at their load event, without waiting for scripts that run later.
	AtLoad bool

	// RenderTimeout limits the whole rendering. 0: 90 s.
	RenderTimeout time.Duration

	// NoScroll leaves out the scrolling through pages with lazy content.
	NoScroll bool

	// ScrollHeight is the greatest depth that a page is scrolled to, in px. 0: 20,000.
	ScrollHeight int

	// PictureHeight is the greatest height of a picture, in px. 0: 16,000.
	PictureHeight int

	// PictureFormat is png (the default) or webp, both without loss.
	PictureFormat string

	// MaxNodes is the greatest number of DOM nodes of a page. 0: 500,000.
	MaxNodes int

	// MaxBytes is the most a page may receive from the network. 0: 100 MiB.
	MaxBytes int64

	// NoFiles refuses files that are neither pages nor text, as PDF documents: they are unsupported, or downloads. Otherwise
	// plat shows each as a page, and captures it.
	NoFiles bool

	// RecyclePages and RecycleMemory limit the pages of a browser and the resident memory of all
	// its processes, in bytes; beyond them it is replaced. 0: 1000 pages, 4 GiB.
	RecyclePages  int
	RecycleMemory int64

	// Flags are added to Chrome's command line, as in "--lang=de".
	Flags []string

	// Steps holds the steps performed on pages before their capture. Nil: no steps.
	Steps *steps.Set

	// Secret resolves the references of steps. Nil: steps have no secrets.
	Secret func(steps.Ref) (string, error)

	// StepsEvaluate lets steps run scripts.
	StepsEvaluate bool

	// Sessions keeps the login sessions of steps. Nil: they end with the pool.
	Sessions SessionStore

	// Environ is Chrome's environment, as in [os.Environ]. Nil: this process's.
	Environ []string

	// Log records browsers started, replaced and killed. Nil: no log.
	Log *slog.Logger

	logins *act.Sessions
	script string // in tests, instead of the script that runs before a page's own
}

// Login is a user with a password.
type Login = tab.Login

// tabs returns the options of the browser and its tabs.
func (o *Options) tabs() tab.Options {
	flags := slices.Clone(o.Flags)
	if key := o.Guard.PublicKey(); key != "" { // of the servers in recordings
		flags = append(flags, "--ignore-certificate-errors-spki-list="+key)
	}
	return tab.Options{
		Chrome: o.Chrome, Environ: o.Environ, Flags: flags, CallTimeout: o.CallTimeout, Width: o.Width, Height: o.Height,
		UserAgent: o.UserAgent, About: o.About, Language: o.Language, TimeZone: o.TimeZone, NoStealth: o.NoStealth,
		Header: o.Header, Everywhere: o.HeaderEverywhere, Cookies: o.Cookies, Auth: o.Auth, Script: o.script,
	}
}

// A SessionStore stores login sessions across runs. It must be safe for concurrent use.
type SessionStore = act.SessionStore

// acting returns the options of steps.
func (o *Options) acting() act.Options {
	return act.Options{Secret: o.Secret, Evaluate: o.StepsEvaluate, Sessions: o.logins, Log: o.Log}
}

// settling returns the options of waiting for a page.
func (o *Options) settling() settle.Options {
	return settle.Options{
		LoadTimeout: o.LoadTimeout, SettleTimeout: o.SettleTimeout, AtLoad: o.AtLoad,
		NoScroll: o.NoScroll, ScrollHeight: o.ScrollHeight, MaxBytes: o.MaxBytes,
	}
}

// Find returns the path of the browser to use: chrome if it is not empty, else
// the first one found.
func Find(chrome string) (string, error) { return process.Find(chrome) }

// Abandon kills all browsers of this process and removes their profiles, even while pools use them.
// It is for a process that is about to end and cannot wait for [Pool.Close].
func Abandon() { process.Abandon() }

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
	if o.PictureFormat, err = pictureFormat(o.PictureFormat); err != nil {
		return o, err
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
		if c.Name == "" || c.Host == "" || c.Path == "" {
			return o, fmt.Errorf("browser: cookie %q of host %q with path %q; give it all three", c.Name, c.Host, c.Path)
		}
	}
	if o.FreeMemory == nil {
		o.FreeMemory = func() uint64 { return 0 }
	}
	o.logins = act.NewSessions(o.Sessions)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o, nil
}

// pictureFormat returns the given encoding of pictures, or the default.
func pictureFormat(given string) (string, error) {
	switch tab.Format(given) {
	case "":
		return string(tab.PNG), nil
	case tab.PNG, tab.WebP:
		return given, nil
	}
	return "", fmt.Errorf("browser: PictureFormat is %q; give %s or %s", given, tab.PNG, tab.WebP)
}
