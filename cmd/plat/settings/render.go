package settings

import (
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"

	"plat/browser"
	"plat/browser/origin"
	"plat/workers/visitor"
)

// VisitOptions returns the options of visits with at most tabs tabs; 0 takes the number from the
// settings.
func (s *Settings) VisitOptions(tabs int, log *slog.Logger) (o visitor.Options, err error) {
	worker, err := s.WorkerOptions()
	if err != nil {
		return o, err
	}
	o, err = s.RenderOptions(tabs, log)
	o.Worker, o.AlwaysRender, o.KeepParams, o.CheckCloaking = worker, s.AlwaysRender, s.KeepParams, s.CheckCloaking
	return o, err
}

// RenderOptions is VisitOptions for commands that render pages and store no version.
func (s *Settings) RenderOptions(tabs int, log *slog.Logger) (o visitor.Options, err error) {
	if o.Browser, err = s.browserOptions(); err != nil {
		return o, err
	}
	if o.Browser.Cookies, err = s.readCookies(log); err != nil {
		return o, err
	}
	if err = s.stepOptions(&o.Browser); err != nil {
		return o, err
	}
	about, err := s.About()
	if err != nil {
		return o, err
	}
	// Stealth without a contact does not identify the crawler.
	if s.givesName() || s.UserAgent == "" && s.Contact != "" {
		o.Browser.About = about
	}
	if s.Robots {
		o.Robots = new(s.robotsOptions(about))
	}
	o.Pictures = s.StepPictures
	if tabs > 0 && (o.Browser.Tabs == 0 || tabs < o.Browser.Tabs) {
		o.Browser.Tabs = tabs
	}
	o.Browser.Log = log
	if o.Clock, err = s.frozenTime(); err != nil {
		return o, err
	}
	if !o.Clock.IsZero() {
		o.Seed = 1
	}
	o.Egress, err = s.egressOptions()
	return o, err
}

// WithoutLogins returns the settings without those that let pages act as the user: headers, cookies, passwords,
// steps and sessions. Untrusted HTML that is rendered at a URL of its choice could otherwise use them.
func (s *Settings) WithoutLogins() *Settings {
	c := *s
	c.Header, c.HeaderEverywhere, c.Cookies, c.Auth = nil, false, "", nil
	c.Steps, c.StepsEvaluate, c.StepPictures, c.Sessions, c.SessionsKeyFile = nil, false, "", "", ""
	return &c
}

// stateDir returns the folder for what plat notes of a user (XDG Base Directory Specification), as that a warning was
// printed; empty if the user has no home.
func stateDir() string {
	dir := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(dir) {
		home, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		dir = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(dir, "plat")
}

// browserOptions are those of the browser, but for steps and the log.
func (s *Settings) browserOptions() (browser.Options, error) {
	o := browser.Options{
		Chrome: s.Chrome, Tabs: s.Tabs, Width: s.Width, Height: s.Height, UserAgent: s.UserAgent,
		Language: s.Language, TimeZone: s.TimeZone, NoStealth: !s.Stealth, NoScroll: !s.Scroll,
		LoadTimeout: s.LoadTimeout, SettleTimeout: s.SettleTimeout, RenderTimeout: s.Timeout,
		MaxNodes: s.MaxNodes, MaxBytes: s.MaxBytes, PictureFormat: s.PictureFormat,
		Header: http.Header{}, HeaderEverywhere: s.HeaderEverywhere, NoFiles: s.Files == "none", StateDir: stateDir(),
	}
	switch s.Files {
	case "", "linked", "all", "none":
	default:
		return o, bad("files %q: write linked, all or none", s.Files)
	}
	for _, positive := range []struct {
		name string
		ok   bool
	}{
		{"width", s.Width > 0}, {"height", s.Height > 0}, {"timeout", s.Timeout > 0},
		{"load-timeout", s.LoadTimeout > 0}, {"settle-timeout", s.SettleTimeout > 0},
		{"max-nodes", s.MaxNodes > 0}, {"max-bytes", s.MaxBytes > 0},
	} {
		if !positive.ok {
			return o, bad("%s: must be above 0", positive.name)
		}
	}
	switch s.PictureFormat {
	case "", "png", "webp":
	default:
		return o, bad("picture-format %q: write png or webp", s.PictureFormat)
	}
	if _, err := time.LoadLocation(s.TimeZone); err != nil {
		return o, bad("time-zone %q is not known; write it as Europe/Berlin", s.TimeZone)
	}
	for l := range strings.SplitSeq(s.Language, ",") {
		if s.Language != "" && !languageRange.MatchString(strings.TrimSpace(l)) {
			return o, bad("language %q: write languages most wanted first, separated by commas, as de-DE,de,en", s.Language)
		}
	}
	if s.Tabs < 0 {
		return o, bad("tabs %d: write 1 or more, or 0 for as many as keep the machine busy", s.Tabs)
	}
	for _, h := range s.Header {
		name, value, ok := strings.Cut(h, ":")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !ok || !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
			return o, bad("header: write it as \"Name: value\"") // do not repeat the value: it may be a secret
		}
		if ofTransport(name) {
			return o, bad("header %s: the browser sets it, so it cannot be given; leave it out", http.CanonicalHeaderKey(name))
		}
		o.Header.Add(name, value)
	}
	var err error
	o.Auth, err = s.logins()
	return o, err
}

// logins are the users and passwords of servers.
func (s *Settings) logins() (map[origin.Server]browser.Login, error) {
	all := map[origin.Server]browser.Login{}
	for _, l := range s.Auth {
		host, login, ok := strings.Cut(l, "=")
		user, password, colon := strings.Cut(login, ":")
		server, err := origin.ParseServer(host)
		if !ok || !colon || err != nil {
			return nil, bad("auth: write it as HOST=USER:PASSWORD or https://HOST:PORT=USER:PASSWORD") // do not repeat the value: it is a secret
		}
		all[server] = browser.Login{User: user, Password: password}
	}
	return all, nil
}

// unauthorized returns advice for a page that asks for a login while the configured logins of its
// host are for other ports or a different scheme, empty if there are none. It contains no
// secrets.
func (s *Settings) unauthorized(all map[origin.Server]browser.Login, raw string) string {
	at, err := origin.Parse(raw)
	if err != nil {
		return ""
	}
	if _, given := origin.Find(all, at, at); given {
		return ""
	}
	others := origin.Elsewhere(all, at)
	if len(others) == 0 {
		return ""
	}
	page := at.Scheme + "://" + at.Host
	return fmt.Sprintf(": the sign-in given is for %s, not for %s; write %s %s=USER:PASSWORD", strings.Join(others, " and "), page, s.named("auth"), page)
}

// languageRange matches a language in Accept-Language: the language-range of RFC 4647 section 2.1
// with a primary subtag of BCP 47. The browser adds the weights.
var languageRange = regexp.MustCompile(`^(?:[A-Za-z]{2,8}|[xXiI]-[A-Za-z0-9]{1,8})(?:-[A-Za-z0-9]{1,8})*$`)

// ofTransport reports whether a header belongs to the transport of a request. A request that
// overrides the browser's value of such a header does not arrive (RFC 9110 section 7, RFC 9112).
func ofTransport(name string) bool {
	switch name = strings.ToLower(name); name {
	case "host", "content-length", "transfer-encoding", "connection", "keep-alive", "upgrade", "te", "trailer", "expect", "http2-settings":
		return true
	}
	return strings.HasPrefix(name, "proxy-")
}

// frozenTime returns the time that pages see, the zero time if they are not frozen.
func (s *Settings) frozenTime() (time.Time, error) {
	if s.Frozen == "" {
		return time.Time{}, nil
	}
	t, err := time.Parse(time.RFC3339, s.Frozen)
	if err != nil {
		return t, bad("frozen %q: write the time as %s", s.Frozen, FrozenTime)
	}
	return t, nil
}

// FrozenTime is the time that frozen pages see by default.
const FrozenTime = "2020-01-01T12:00:00Z"
