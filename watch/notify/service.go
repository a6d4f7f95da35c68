package notify

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nicholas-fedor/shoutrrr/pkg/services/chat/discord"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/chat/googlechat"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/chat/lark"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/chat/matrix"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/chat/mattermost"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/chat/rocketchat"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/chat/signal"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/chat/slack"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/chat/teams"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/chat/telegram"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/chat/wecom"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/chat/zulip"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/incident/opsgenie"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/incident/pagerduty"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/push/bark"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/push/gotify"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/push/ifttt"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/push/join"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/push/ntfy"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/push/pushbullet"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/push/pushover"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/specialized/notifiarr"
	"github.com/nicholas-fedor/shoutrrr/pkg/types"
)

// service is a service of the library shoutrrr. Private addresses are blocked in one of three
// ways: it uses our HTTP client (client is set), it uses a relay of ours that does (relay is
// set), or its server is always the provider's (fixed is set).
type service struct {
	make   func() types.Service
	client func(types.Service, *http.Client)
	relay  func(u *url.URL) (server *url.URL, through func(relay string) (*url.URL, error), err error)
	fixed  func(u *url.URL) bool
	title  bool // it shows a separate title
	most   int  // limit of a text in bytes; 0: maxChatText
	markup markup
	params types.Params // parameters that select the markup
}

// maxChatText keeps below the limits of most services: Telegram's is 4096 bytes.
const maxChatText = 3500

func always(*url.URL) bool { return true }

var services = map[string]service{
	"discord": {make: func() types.Service { return &discord.Service{} }, markup: backslashes, title: true,
		client: func(s types.Service, c *http.Client) { s.(*discord.Service).HTTPClient = c }, most: 1900},
	"gotify": {make: func() types.Service { return &gotify.Service{} }, title: true,
		client: func(s types.Service, c *http.Client) { *s.(*gotify.Service).GetHTTPClient() = *c }},
	"mattermost": {make: func() types.Service { return &mattermost.Service{} }, markup: lookalikes,
		client: func(s types.Service, c *http.Client) { *s.(*mattermost.Service).GetHTTPClient() = *c }},
	"ntfy": {make: func() types.Service { return &ntfy.Service{} }, title: true,
		client: func(s types.Service, c *http.Client) { s.(*ntfy.Service).SetHTTPClient(c) }},
	"pagerduty": {make: func() types.Service { return &pagerduty.Service{} },
		client: func(s types.Service, c *http.Client) { s.(*pagerduty.Service).SetHTTPClient(c) }, most: 1000},
	"pushover": {make: func() types.Service { return &pushover.Service{} }, title: true,
		client: func(s types.Service, c *http.Client) { s.(*pushover.Service).Client = c }, most: 1000},
	"rocketchat": {make: func() types.Service { return &rocketchat.Service{} }, markup: lookalikes,
		client: func(s types.Service, c *http.Client) { s.(*rocketchat.Service).Client = c }},

	"bark":   {make: func() types.Service { return &bark.Service{} }, title: true, relay: relayBark, most: 2000},
	"matrix": {make: func() types.Service { return &matrix.Service{} }, relay: relayMatrix},
	"signal": {make: func() types.Service { return &signal.Service{} }, relay: relaySignal},

	"ifttt":      {make: func() types.Service { return &ifttt.Service{} }, markup: lookalikes, fixed: always},
	"join":       {make: func() types.Service { return &join.Service{} }, fixed: always, title: true},
	"lark":       {make: func() types.Service { return &lark.Service{} }, markup: lookalikes, fixed: always, title: true},
	"notifiarr":  {make: func() types.Service { return &notifiarr.Service{} }, markup: backslashes, fixed: always, most: 1900},
	"pushbullet": {make: func() types.Service { return &pushbullet.Service{} }, fixed: always, title: true},
	"slack":      {make: func() types.Service { return &slack.Service{} }, markup: entities, fixed: always},
	"telegram":   {make: func() types.Service { return &telegram.Service{} }, fixed: always, params: types.Params{"parsemode": "None"}},
	"wecom":      {make: func() types.Service { return &wecom.Service{} }, markup: lookalikes, fixed: always, most: 1900},
	"googlechat": {make: func() types.Service { return &googlechat.Service{} }, markup: lookalikes, fixed: fixedGoogle},
	"opsgenie":   {make: func() types.Service { return &opsgenie.Service{} }, markup: lookalikes, fixed: fixedOpsgenie, title: true, most: 1000},
	"teams":      {make: func() types.Service { return &teams.Service{} }, markup: lookalikes, fixed: fixedTeams, title: true},

	"zulip": {make: func() types.Service { return &zulip.Service{} }, markup: lookalikes},
}

// replaced maps schemes of the library that plat does not use to their replacements.
var replaced = map[string]string{
	"generic":  "https://host/path#$SECRET",
	"hangouts": "googlechat://…",
	"logger":   "command:/path/to/program",
}

func (t *target) readService() error {
	t.way = byService
	if _, ok := services[t.scheme]; ok {
		return nil
	}
	scheme, _, _ := strings.Cut(t.scheme, "+")
	if better, ok := replaced[scheme]; ok {
		return &badURL{fmt.Sprintf("%s:// is not supported; write %s", scheme, better)}
	}
	if _, ok := services[scheme]; ok {
		return &badURL{fmt.Sprintf("custom URLs are not supported; write %s://…", scheme)}
	}
	return &badURL{"the scheme of the channel URL is unknown; docs/telling.md lists all"}
}

// allowedService checks the URL of a service as far as that is possible without a connection.
func (s *Sender) allowedService(t *target) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = asBadURL(t.scheme, fmt.Errorf("%v", r))
		}
	}()
	kind := services[t.scheme]
	switch {
	case kind.relay != nil:
		_, _, err := kind.relay(t.url)
		return asBadURL(t.scheme, err)
	case kind.client == nil && (kind.fixed == nil || !kind.fixed(t.url)) && !s.o.Unguarded:
		return &badURL{fmt.Sprintf("%s:// with a server of its own could reach private addresses; it is refused unless unguarded services are allowed", t.scheme)}
	}
	return asBadURL(t.scheme, kind.make().Initialize(t.url, quiet))
}

func asBadURL(scheme string, err error) error {
	if err == nil {
		return nil
	}
	return &badURL{fmt.Sprintf("the URL is not a valid %s:// URL: %v", scheme, err)}
}

// quiet discards the logs of services, because some log their tokens.
var quiet = log.New(io.Discard, "", 0)

// recovered converts a panic of the library to an error: Zulip's service panics if there is no
// connection.
func recovered(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("the library for this service failed: %v", r)
	}
}

// service sends a message through the library, which does not accept a context. If the call
// does not end in time, its goroutine keeps running, and the channel is not used again before
// it ends.
func (s *Sender) service(ctx context.Context, channel string, t *target, d *Delivery) Outcome {
	s.mu.Lock()
	busy := s.hanging[channel]
	s.hanging[channel] = true
	s.mu.Unlock()
	if busy {
		return Outcome{Err: errors.New("the previous attempt has not ended yet"), All: true}
	}
	web := &watched{ctx: ctx, base: s.transport}
	ended := make(chan error, 1)
	go func() {
		err := web.send(t, d)
		s.mu.Lock()
		delete(s.hanging, channel)
		s.mu.Unlock()
		ended <- err
	}()
	select {
	case err := <-ended:
		return web.outcome(err)
	case <-ctx.Done():
		return Outcome{Err: ctx.Err(), All: true}
	}
}

// watched makes the requests of one attempt with its context and our connections, does not
// follow redirects, and stores the last response.
type watched struct {
	ctx  context.Context // the attempt's context: a watched lives no longer
	base http.RoundTripper

	mu     sync.Mutex
	status int         // guarded by mu: of the last response, or 0
	header http.Header // guarded by mu
	err    error       // guarded by mu: of the last request
}

func (w *watched) client() *http.Client {
	return &http.Client{
		Transport:     w,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// RoundTrip implements [http.RoundTripper].
func (w *watched) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(r.Context())
	stop := context.AfterFunc(w.ctx, cancel)
	resp, err := w.base.RoundTrip(r.WithContext(ctx))
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err = err; err != nil {
		stop()
		cancel()
		return nil, err
	}
	w.status, w.header = resp.StatusCode, resp.Header
	resp.Body = &answer{Reader: io.LimitReader(resp.Body, maxAnswer), c: resp.Body, end: func() { stop(); cancel() }}
	return resp, nil
}

// answer is a response body of limited length.
type answer struct {
	io.Reader
	c   io.Closer
	end func()
}

func (a *answer) Close() error {
	defer a.end()
	return a.c.Close()
}

func (w *watched) outcome(err error) Outcome {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case err == nil && w.status < 300:
		return Outcome{}
	case w.err != nil:
		return Outcome{Err: w.err, All: true} // clearer than the error of the service
	case w.status >= 300: // some services treat a redirect as success
		out := answered(w.status, w.header, time.Now())
		if err != nil {
			out.Err = fmt.Errorf("%w: %w", out.Err, err)
		}
		return out
	}
	return Outcome{Err: err}
}

func (w *watched) send(t *target, d *Delivery) (err error) {
	defer recovered(&err)
	kind := services[t.scheme]
	u := t.url
	if kind.relay != nil {
		server, through, err := kind.relay(u)
		if err != nil {
			return asBadURL(t.scheme, err)
		}
		at, end, err := w.openRelay(server)
		if err != nil {
			return err
		}
		defer end()
		if u, err = through(at); err != nil {
			return asBadURL(t.scheme, err)
		}
	}
	one := kind.make()
	if err := one.Initialize(u, quiet); err != nil {
		if kind.relay == nil {
			return asBadURL(t.scheme, err)
		}
		return err // Matrix logs in
	}
	if kind.client != nil {
		kind.client(one, w.client())
	}
	text, params := kind.compose(t.url, d)
	return one.Send(text, &params)
}

// compose returns text and parameters for a service. A channel's URL may select Markdown or
// HTML for a service whose default is plain text.
func (k *service) compose(u *url.URL, d *Delivery) (string, types.Params) {
	most, in := k.most, k.markup
	if most == 0 {
		most = maxChatText
	}
	if asked := strings.ToLower(u.RawQuery); in == plain && (strings.Contains(asked, "markdown") || strings.Contains(asked, "html") || strings.Contains(asked, "styled")) {
		in = lookalikes
	}
	params := types.Params{}
	for key, value := range k.params {
		params[key] = value
	}
	subject := in.text(d.Subject())
	if k.title {
		params["title"] = subject
	}
	if len(d.Items) == 1 {
		text := d.chat(most, in)
		if rest, ok := strings.CutPrefix(text, subject); ok && k.title && strings.TrimSpace(rest) != "" {
			text = strings.TrimSpace(rest)
		}
		return text, params
	}
	if k.title {
		return d.chat(most, in), params
	}
	return cutBytes(subject, most/2) + "\n\n" + d.chat(most/2, in), params
}

var (
	googleHost   = "chat.googleapis.com"
	opsgenieHost = []string{"api.opsgenie.com", "api.eu.opsgenie.com"}
	teamsHost    = regexp.MustCompile(`^[a-z0-9-]+\.webhook\.office\.com$`)
)

func fixedGoogle(u *url.URL) bool {
	c := &googlechat.Config{}
	return c.SetURL(u) == nil && c.Host == googleHost
}

func fixedOpsgenie(u *url.URL) bool {
	c := &opsgenie.Config{}
	return c.SetURL(u) == nil && slices.Contains(opsgenieHost, c.Host)
}

func fixedTeams(u *url.URL) bool {
	c := &teams.Config{}
	return c.SetURL(u) == nil && teamsHost.MatchString(c.Host)
}

// relayMatrix, relaySignal and relayBark return the server that a URL names, and a function
// that returns the URL by which the service talks to a relay instead, without TLS. They let the
// library parse both URLs, because it reads parameters in its own way.
func relayMatrix(u *url.URL) (*url.URL, func(string) (*url.URL, error), error) {
	c := &matrix.Config{}
	if err := c.SetURL(u); err != nil {
		return nil, nil, err
	}
	server := &url.URL{Scheme: scheme(!c.DisableTLS), Host: c.Host}
	return server, func(relay string) (*url.URL, error) {
		v := withQuery(u, relay, "disableTLS", "yes")
		c := &matrix.Config{}
		if err := c.SetURL(v); err != nil || c.Host != relay || !c.DisableTLS {
			return nil, errors.New("its parameters name a different server")
		}
		return v, nil
	}, checkServer(server)
}

func relaySignal(u *url.URL) (*url.URL, func(string) (*url.URL, error), error) {
	c := &signal.Config{}
	if err := c.SetURL(u); err != nil {
		return nil, nil, err
	}
	server := &url.URL{Scheme: scheme(!c.DisableTLS), Host: net.JoinHostPort(strings.Trim(c.Host, "[]"), strconv.Itoa(c.Port))}
	return server, func(relay string) (*url.URL, error) {
		v := withQuery(u, relay, "disabletls", "yes", "host", "", "port", "")
		c := &signal.Config{}
		if err := c.SetURL(v); err != nil || net.JoinHostPort(c.Host, strconv.Itoa(c.Port)) != relay || !c.DisableTLS {
			return nil, errors.New("its parameters name a different server")
		}
		return v, nil
	}, checkServer(server)
}

func relayBark(u *url.URL) (*url.URL, func(string) (*url.URL, error), error) {
	c := &bark.Config{Scheme: "https"}
	if err := c.SetURL(u); err != nil {
		return nil, nil, err
	}
	server := &url.URL{Scheme: c.Scheme, Host: c.Host}
	return server, func(relay string) (*url.URL, error) {
		v := withQuery(u, relay, "scheme", "http")
		c := &bark.Config{}
		if err := c.SetURL(v); err != nil || c.Host != relay || c.Scheme != "http" {
			return nil, errors.New("its parameters name a different server")
		}
		return v, nil
	}, checkServer(server)
}

func scheme(secure bool) string {
	if secure {
		return "https"
	}
	return "http"
}

func checkServer(u *url.URL) error {
	if again, err := url.Parse(u.String()); err != nil || again.Host != u.Host || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
		return errors.New("it names no server")
	}
	return nil
}

// withQuery returns a copy of u with a different host and with parameters set, or removed if
// their value is empty. Names match in any case.
func withQuery(u *url.URL, host string, pairs ...string) *url.URL {
	v := *u
	v.Host = host
	q := v.Query()
	for i := 0; i < len(pairs); i += 2 {
		for key := range q {
			if strings.EqualFold(key, pairs[i]) {
				q.Del(key)
			}
		}
		if pairs[i+1] != "" {
			q.Set(pairs[i], pairs[i+1])
		}
	}
	v.RawQuery = q.Encode()
	return &v
}
