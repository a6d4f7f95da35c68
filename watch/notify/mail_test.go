package notify

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	"net/http/httptest"
	"net/mail"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// post is a mail server that stores the mails it receives.
type post struct {
	mu    sync.Mutex
	mails []string
	users []string
	to    []string
}

type postSession struct {
	p    *post
	user string
}

func (p *post) NewSession(*smtp.Conn) (smtp.Session, error) { return &postSession{p: p}, nil }
func (s *postSession) Reset()                               {}
func (s *postSession) Logout() error                        { return nil }
func (s *postSession) AuthMechanisms() []string             { return []string{sasl.Plain} }
func (s *postSession) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if password != "pa:ss/w@rd?#%" {
			return errors.New("wrong password " + password) // some servers echo the password
		}
		s.user = user
		return nil
	}), nil
}
func (s *postSession) Mail(string, *smtp.MailOptions) error { return nil }
func (s *postSession) Rcpt(to string, _ *smtp.RcptOptions) error {
	if strings.HasPrefix(to, "nobody@") {
		return &smtp.SMTPError{Code: 550, Message: "no such user"}
	}
	s.p.mu.Lock()
	defer s.p.mu.Unlock()
	s.p.to = append(s.p.to, to)
	return nil
}
func (s *postSession) Data(r io.Reader) error {
	b, err := io.ReadAll(r)
	s.p.mu.Lock()
	defer s.p.mu.Unlock()
	s.p.mails, s.p.users = append(s.p.mails, string(b)), append(s.p.users, s.user)
	return err
}

// postOffice starts a server: with STARTTLS, with TLS from the start ("smtps"), or without ("plain").
func postOffice(t *testing.T, how string) (*post, string, *x509.CertPool) {
	t.Helper()
	site := httptest.NewTLSServer(nil) // only its certificate is used
	t.Cleanup(site.Close)
	roots := x509.NewCertPool()
	roots.AddCert(site.Certificate())
	conf := &tls.Config{Certificates: site.TLS.Certificates}
	p := &post{}
	srv := smtp.NewServer(p)
	srv.ErrorLog = quiet
	srv.Domain = "127.0.0.1"
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	switch how {
	case "smtps":
		l = tls.NewListener(l, conf)
	case "smtp":
		srv.TLSConfig = conf
	}
	go srv.Serve(l)
	t.Cleanup(func() { srv.Close() })
	return p, addr, roots
}

// read returns headers and parts of a mail.
func read(t *testing.T, raw string) (mail.Header, map[string]string) {
	t.Helper()
	m, err := mail.ReadMessage(strings.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	kind, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/alternative" {
		t.Fatalf("the mail is %s, %v", kind, err)
	}
	parts := map[string]string{}
	for r := multipart.NewReader(m.Body, params["boundary"]); ; {
		p, err := r.NextRawPart()
		if err == io.EOF {
			return m.Header, parts
		}
		if err != nil {
			t.Fatal(err)
		}
		var body io.Reader = p
		if p.Header.Get("Content-Transfer-Encoding") == "quoted-printable" {
			body = quotedprintable.NewReader(p)
		}
		b, err := io.ReadAll(body)
		if err != nil {
			t.Fatal(err)
		}
		kind, _, _ := mime.ParseMediaType(p.Header.Get("Content-Type"))
		parts[kind] = strings.ReplaceAll(string(b), "\r\n", "\n")
	}
}

func TestAMailArrives(t *testing.T) {
	for _, tc := range []struct{ how, scheme, user string }{
		{"smtp", "smtp://reader:$PASSWORD@", "reader"},
		{"smtps", "smtps://reader:$PASSWORD@", "reader"},
		{"smtp", "smtp://", ""},
		{"plain", "smtp://", ""},
	} {
		t.Run(tc.how+" "+tc.user, func(t *testing.T) {
			p, addr, roots := postOffice(t, tc.how)
			s := newSender(t, func(o *Options) { o.RootCAs = roots })
			d := delivery(2)
			d.Items[0].Title = "Evil\r\nBcc: x@y.test\u202e \"<script>\" \x00Grüße"
			url := tc.scheme + addr + "/?from=plat%20%3Cplat@example.org%3E&to=a@example.org,b@example.org"
			for range 2 {
				if out := send(t, s, url, d); out.Err != nil {
					t.Fatal(out.Err)
				}
			}
			if len(p.mails) != 2 || strings.Join(p.to, " ") != "a@example.org b@example.org a@example.org b@example.org" || p.users[0] != tc.user {
				t.Fatalf("%d mails to %v by %q", len(p.mails), p.to, p.users)
			}
			h, parts := read(t, p.mails[0])
			if again, _ := read(t, p.mails[1]); h.Get("Message-Id") != "<msg1@example.org>" || again.Get("Message-Id") != h.Get("Message-Id") {
				t.Errorf("Message-ID is %q", h.Get("Message-Id"))
			}
			if h.Get("Subject") != "2 new on The blog" || h.Get("From") != `"plat" <plat@example.org>` || h.Get("Bcc") != "" || h.Get("Auto-Submitted") != "auto-generated" {
				t.Errorf("header %v", h)
			}
			if text := parts["text/plain"]; !strings.HasPrefix(text, "Evil Bcc: x@y.test \"<script>\" Grüße\nhttps://blog.test/a\nExcerpt a\n\nTitle b\n") {
				t.Errorf("text %q", text)
			}
			if html := parts["text/html"]; !strings.Contains(html, `<a href="https://blog.test/a"><bdi>Evil Bcc: x@y.test &#34;&lt;script&gt;&#34; Grüße</bdi></a>`) {
				t.Errorf("HTML %s", html)
			}
		})
	}
}

func TestHeadersOfMailAreSafe(t *testing.T) {
	p, addr, _ := postOffice(t, "plain")
	s := newSender(t, nil)
	for _, title := range []string{
		"a\r\nBcc: evil@example.org\r\n\r\nbody", "\u202eevil\u200f", "Ünïcödé " + strings.Repeat("ä", 500), strings.Repeat("long ", 1<<18),
		"\xff\xfe", "=?utf-8?q?fake?=", "עברית", "",
	} {
		d := delivery(1)
		d.Items[0].Title = title
		if out := send(t, s, "smtp://"+addr+"/?from=plat@example.org&to=a@example.org", d); out.Err != nil {
			t.Fatal(out.Err)
		}
		raw := p.mails[len(p.mails)-1]
		head, _, _ := strings.Cut(raw, "\r\n\r\n")
		for l := range strings.SplitSeq(head, "\r\n") {
			if len(l) > 998 || strings.ContainsFunc(l, func(r rune) bool { return r > 126 || r < 32 && r != '\t' }) {
				t.Errorf("%.20q: header line %q", title, l)
			}
		}
		h, _ := read(t, raw)
		if h.Get("Bcc") != "" {
			t.Errorf("%.20q: a header was added", title)
		}
		got, err := new(mime.WordDecoder).DecodeHeader(h.Get("Subject"))
		if want := d.Subject(); err != nil || got != want && title != "=?utf-8?q?fake?=" {
			t.Errorf("%.20q: subject %q, %v; want %q", title, got, err, want)
		}
		if len(raw) > 20<<10 {
			t.Errorf("%.20q: the mail has %d bytes", title, len(raw))
		}
	}
}

func TestAPasswordIsNotSentInTheClear(t *testing.T) {
	p, addr, _ := postOffice(t, "plain")
	for _, more := range []string{"", "&tls=none"} {
		// The library treats 127.0.0.1 as an exception for tests, so a different name is used.
		s := newSender(t, func(o *Options) { o.Secret = func(string, string) (string, error) { return "pa:ss/w@rd?#%", nil } })
		out := send(t, s, "smtp://reader:$PASSWORD@"+strings.Replace(addr, "127.0.0.1", "mail.localhost", 1)+"/?from=plat@example.org&to=a@example.org"+more, delivery(1))
		if out.Err == nil || len(p.mails) != 0 {
			t.Errorf("%q: sent without TLS", more)
		}
	}
}

func TestAMailThatIsRefused(t *testing.T) {
	p, addr, roots := postOffice(t, "smtp")
	s := newSender(t, func(o *Options) { o.RootCAs = roots })
	out := send(t, s, "smtp://"+addr+"/?from=plat@example.org&to=nobody@example.org", delivery(1))
	if out.Err == nil || out.Refused != "" || out.All || !strings.Contains(out.Err.Error(), "no such user") {
		t.Errorf("outcome %+v", out)
	}
	if out = send(t, s, "smtp://reader:wrong-one@"+addr+"/?from=plat@example.org&to=a@example.org", delivery(1)); out.Err == nil || !out.All || strings.Contains(out.Err.Error(), "wrong-one") {
		t.Errorf("outcome %+v", out)
	}
	if len(p.mails) != 0 {
		t.Error("a mail was sent")
	}
}

func TestAMailServerThatHangsOrTalksWithoutEnd(t *testing.T) {
	for _, talks := range []bool{false, true} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				go func() {
					defer c.Close()
					for talks {
						if _, err := c.Write(bytes.Repeat([]byte("220-hello\r\n"), 1000)); err != nil {
							return
						}
					}
					io.Copy(io.Discard, c)
				}()
			}
		}()
		s := newSender(t, func(o *Options) { o.Timeout = 500 * time.Millisecond })
		start := time.Now()
		out := send(t, s, "smtp://"+l.Addr().String()+"/?from=a@example.org&to=b@example.org", delivery(1))
		if out.Err == nil || !out.All || time.Since(start) > 5*time.Second {
			t.Errorf("talks %v: %+v after %v", talks, out, time.Since(start))
		}
	}
}
