package notify

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"plat/plat"
)

// Options configure a [Sender].
type Options struct {
	// Dial makes all connections, and refuses forbidden addresses. Required. It can be
	// DialContext of package browser/egress, whose ports have to contain [MailPorts].
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)

	// Secret returns the value of a reference in a channel URL; from is "env" or "file". A user
	// who can write channel URLs can send these values anywhere. Nil: references are refused.
	Secret func(from, name string) (string, error)

	// Commands allows channels that run a command.
	Commands bool

	// Unguarded allows services whose connections cannot be made by Dial, and whose URL
	// names the server.
	Unguarded bool

	// Timeout limits an attempt. 0: 30 s.
	Timeout time.Duration

	// RootCAs verify the certificates of servers. Nil: the system's.
	RootCAs *x509.CertPool

	// Agent names this program to receivers. Empty: "plat".
	Agent string
}

// MailPorts are the ports of mail servers: SMTP, submission (RFC 6409, RFC 8314) and the
// usual alternative.
var MailPorts = [...]uint16{25, 465, 587, 2525}

// Outcome is the result of an attempt. Its fields do not contain secrets.
type Outcome struct {
	// Err is nil if the message was sent.
	Err error

	// Refused is the reason to disable the channel: sending again is useless until a user
	// changes something. Empty: the channel stays enabled.
	Refused string

	// Wait is the pause that the receiver requests. 0: no pause.
	Wait time.Duration

	// All means that the receiver fails regardless of the message, so further messages would
	// fail too.
	All bool
}

// Sender sends messages. It is safe for concurrent use.
type Sender struct {
	o         Options
	tls       *tls.Config
	transport *http.Transport

	mu      sync.Mutex
	hanging map[string]bool // guarded by mu: channel URLs of attempts that still run after their timeout
}

// New returns a sender; Close it at the end.
func New(o Options) (*Sender, error) {
	switch {
	case o.Dial == nil:
		return nil, errors.New("notify: Options.Dial is missing")
	case o.Timeout < 0:
		return nil, fmt.Errorf("notify: Timeout is %v; use a positive duration, or 0 for %v", o.Timeout, defaultTimeout)
	case o.Timeout == 0:
		o.Timeout = defaultTimeout
	}
	if o.Agent == "" {
		o.Agent = "plat"
	}
	s := &Sender{o: o, tls: &tls.Config{RootCAs: o.RootCAs, MinVersion: tls.VersionTLS12}, hanging: map[string]bool{}}
	s.transport = &http.Transport{
		Proxy:                  nil, // a proxy from the environment would bypass Dial
		DialContext:            o.Dial,
		TLSClientConfig:        s.tls,
		ForceAttemptHTTP2:      true,
		MaxIdleConns:           16,
		IdleConnTimeout:        10 * time.Second,
		TLSHandshakeTimeout:    10 * time.Second,
		MaxResponseHeaderBytes: 64 << 10,
	}
	return s, nil
}

const defaultTimeout = 30 * time.Second

// Close closes idle connections.
func (s *Sender) Close() error {
	s.transport.CloseIdleConnections()
	return nil
}

// Check returns an error if a channel URL cannot be used. It makes no connection. It reads the
// secrets, but the error does not contain them.
func (s *Sender) Check(raw string) error {
	t, err := parse(raw, s.o.Secret)
	if err == nil {
		err = s.allowed(t)
	}
	if err != nil {
		return fmt.Errorf("channel %s: %w", Redacted(raw), t.hidden.redact(err))
	}
	return nil
}

// Send makes one attempt to send a message on a channel, within Options.Timeout.
func (s *Sender) Send(ctx context.Context, c *plat.Channel, d *Delivery) Outcome {
	ctx, cancel := context.WithTimeout(ctx, s.o.Timeout)
	defer cancel()
	t, err := parse(c.URL, s.o.Secret)
	if err == nil {
		err = s.allowed(t)
	}
	var out Outcome
	switch {
	case err != nil:
		out = Outcome{Err: err, All: true}
	case t.way == byWebhook:
		out = s.webhook(ctx, t, d)
	case t.way == byMail:
		out = s.mail(ctx, t, d)
	case t.way == byCommand:
		out = s.command(ctx, t, d)
	default:
		out = s.service(ctx, c.URL, t, d)
	}
	if out.Err != nil {
		if _, bad := errors.AsType[*badURL](out.Err); bad {
			out.Refused, out.All = out.Err.Error(), true
		}
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			out.Err, out.All = fmt.Errorf("timed out after %v: %w", s.o.Timeout, out.Err), true
		}
		out.Err = t.hidden.redact(out.Err)
		out.Refused = t.hidden.text(out.Refused)
	}
	return out
}

// allowed returns an error if the options do not allow a channel.
func (s *Sender) allowed(t *target) error {
	switch {
	case t.way == byCommand && !s.o.Commands:
		return &badURL{"commands are not allowed here; the setting tell-commands allows them"}
	case t.way == byService:
		return s.allowedService(t)
	}
	return nil
}

// wireID returns the ID to send for a message. It has only letters, digits, - and _, for use in
// headers, signatures and addresses. An ID with other characters is replaced by its hash.
func wireID(id string) string {
	ok := id != "" && len(id) <= 128
	for _, r := range id {
		ok = ok && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_')
	}
	if ok {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:16])
}
