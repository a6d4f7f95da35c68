package notify

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync/atomic"

	gomail "github.com/wneessen/go-mail"
)

// maxServerTalk limits the data read from a mail server, in bytes.
const maxServerTalk = 256 << 10

// mail sends a message by SMTP, as plain text and HTML.
func (s *Sender) mail(ctx context.Context, t *target, d *Delivery) Outcome {
	m, err := composed(t, d, s.o.Agent)
	if err != nil {
		return Outcome{Err: err, All: true}
	}
	client, err := s.mailClient(ctx, t)
	if err != nil {
		return Outcome{Err: err, All: true}
	}
	if err := client.DialAndSendWithContext(ctx, m); err != nil {
		if m.IsDelivered() {
			return Outcome{} // only QUIT failed
		}
		e, ok := errors.AsType[*gomail.SendError](err)
		return Outcome{Err: err, All: !ok || e.Reason == gomail.ErrConnCheck}
	}
	return Outcome{}
}

func (s *Sender) mailClient(attempt context.Context, t *target) (*gomail.Client, error) {
	host := t.url.Hostname()
	conf := s.tls.Clone()
	conf.ServerName = host
	port := 587
	if t.scheme == "smtps" {
		port = 465
	}
	if p := t.url.Port(); p != "" {
		var err error
		if port, err = strconv.Atoi(p); err != nil || port < 1 || port > 65535 {
			return nil, &badURL{"the mail server's port is not 1 to 65535"}
		}
	}
	o := []gomail.Option{gomail.WithPort(port), gomail.WithTimeout(s.o.Timeout), gomail.WithTLSConfig(conf)}
	switch _, password := t.url.User.Password(); {
	case t.scheme == "smtps":
		o = append(o, gomail.WithTLSPolicy(gomail.NoTLS)) // the connection has it already
	case t.noTLS:
		o = append(o, gomail.WithTLSPolicy(gomail.NoTLS))
	case password:
		o = append(o, gomail.WithTLSPolicy(gomail.TLSMandatory))
	default:
		o = append(o, gomail.WithTLSPolicy(gomail.TLSOpportunistic))
	}
	if p, ok := t.url.User.Password(); ok {
		o = append(o, gomail.WithUsername(t.url.User.Username()), gomail.WithPassword(p),
			gomail.WithOpportunisticSMTPAuth(gomail.SMTPAuthSCRAMSHA256, gomail.SMTPAuthPlain, gomail.SMTPAuthLogin, gomail.SMTPAuthCramMD5))
	}
	o = append(o, gomail.WithDialContextFunc(func(ctx context.Context, network, addr string) (net.Conn, error) {
		raw, err := s.o.Dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		// The library uses a context only for connecting, and does not close the connection if
		// the greeting fails. The context of the attempt closes it in any case.
		c := &talk{Conn: raw, end: context.AfterFunc(attempt, func() { raw.Close() })}
		if t.scheme != "smtps" {
			return c, nil
		}
		secure := tls.Client(c, conf)
		if err := secure.HandshakeContext(ctx); err != nil {
			c.Close()
			return nil, err
		}
		return secure, nil
	}))
	return gomail.NewClient(host, o...)
}

// talk is a connection that limits the number of bytes read.
type talk struct {
	net.Conn
	end  func() bool
	read atomic.Int64
}

func (c *talk) Read(b []byte) (int, error) {
	if c.read.Load() > maxServerTalk {
		return 0, fmt.Errorf("the mail server sent more than %d bytes", maxServerTalk)
	}
	n, err := c.Conn.Read(b)
	c.read.Add(int64(n))
	return n, err
}

func (c *talk) Close() error {
	c.end()
	return c.Conn.Close()
}

// composed returns the mail. Its Message-ID is derived from the message's ID, so that a mail
// client recognizes a repetition.
func composed(t *target, d *Delivery, agent string) (*gomail.Msg, error) {
	m := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	m.FromMailAddress(t.from)
	m.ToMailAddress(t.to...)
	_, domain, _ := strings.Cut(t.from.Address, "@")
	m.SetMessageIDWithValue(wireID(d.Message.ID) + "@" + domain)
	m.SetDateWithValue(d.Message.Made.UTC())
	m.Subject(d.Subject())
	m.SetUserAgent(agent)
	m.SetGenHeader("Auto-Submitted", "auto-generated") // RFC 3834
	m.SetBodyString(gomail.TypeTextPlain, d.Text())
	m.AddAlternativeString(gomail.TypeTextHTML, d.HTML())
	return m, nil
}
