package notify

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"plat/fixtures/freeport"
	"plat/plat"
)

func TestRedacted(t *testing.T) {
	for _, tc := range []struct{ url, want string }{
		{"https://example.org/hooks/T0K3N?key=value#whsec_abc", "https://example.org/***?key=***#***"},
		{"https://reader:secret@example.org:8443/hook", "https://***:***@example.org:8443/***"},
		{"https://example.org/#$HOOK,$file:/run/secrets/old", "https://example.org/#$HOOK,$file:/run/secrets/old"},
		{"https://example.org/#unsigned", "https://example.org/#unsigned"},
		{"https://example.org", "https://example.org"},
		{"smtp://reader:secret@mail.example.org:587/?from=a@b.org&to=c@d.org,e@f.org", "smtp://reader:***@mail.example.org:587/?from=a@b.org&to=c@d.org,e@f.org"},
		{"smtps://reader:$file:/run/secrets/mail@mail.example.org/?from=a@b.org", "smtps://reader:$file:/run/secrets/mail@mail.example.org/?from=a@b.org"},
		{"smtp://reader@mail.example.org/", "smtp://***@mail.example.org/"},
		{"telegram://123:ABC@telegram?chats=1", "telegram://***:***@telegram?chats=***"},
		{"telegram://$BOT@telegram?chats=$CHAT", "telegram://$BOT@telegram?chats=$CHAT"},
		{"slack://hook:secret@webhook", "slack://***:***@***"},
		{"discord://token@123", "discord://***@***"},
		{"ntfy://ntfy.sh/topic", "ntfy://ntfy.sh/***"},
		{"smtp://h/?from=secret&to=$TO", "smtp://h/?from=***&to=$TO"},
		{"command:secret", "command:***"},
		{"command:/usr/bin/notify --token secret $TOKEN", "command:/usr/bin/notify *** *** $TOKEN"},
		{"teams://g@t/a/b?host=x.webhook.office.com", "teams://***@***/***?host=***"},
		{"https://example.org/sec@ret", "https://***"},
		{"smtp://u:12#sec@host/", "smtp://***"},
		{"smtp://u:12?sec@host/", "smtp://***"},
		{"smtp://u:1/2@host/", "smtp://***"},
		{"secret", "***"}, {"", "***"}, {":secret", "***"}, {"ht tp://secret", "***"},
	} {
		if got := Redacted(tc.url); got != tc.want {
			t.Errorf("Redacted(%q) = %q, want %q", tc.url, got, tc.want)
		}
	}
}

func TestSecretsAreNeverShown(t *testing.T) {
	refuses := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		u, p, _ := r.BasicAuth()
		http.Error(w, fmt.Sprintf("no: %s %s %s %s", u, p, r.URL, r.Header), http.StatusUnauthorized)
	}))
	defer refuses.Close()
	up := refuses.Listener.Addr().String()
	down := freeport.Unused(t)
	_, mails, roots := postOffice(t, "smtp")
	script := filepath.Join(t.TempDir(), "complain")
	if err := os.WriteFile(script, []byte("#!/bin/sh\necho \"bad $1\" >&2\nexit 3\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	// A transport error that contains all secrets.
	chatty := func(ctx context.Context, network, addr string) (net.Conn, error) {
		return nil, fmt.Errorf("no route to %s for S3CR3T%%21value and S3CR3T!value", addr)
	}
	plain := guarded(t, true).DialContext
	const secret = "S3CR3T!value"
	for _, at := range []string{down, up} {
		for _, tail := range []string{secret, "S3CR3T%21value", "$SECRET"} {
			for _, raw := range []string{
				"https://user:" + tail + "@" + at + "/x#unsigned", "http://" + tail + "@" + at + "/#unsigned", "http://" + at + "/" + tail + "?q=" + tail + "#unsigned",
				"http://" + at + "/#whsec_" + tail, "http://" + at + "/#" + tail, "http://[" + tail + "]/#unsigned",
				"smtp://reader:" + tail + "@" + mails + "/?from=a@b.test&to=c@d.test", "smtp://reader:" + tail + "@" + at + "/?from=a@b.test&to=c@d.test",
				"smtp://" + at + "/?from=" + tail + "&to=c@d.test", "smtp://" + at + "/?from=a@b.test&to=c@d.test&x=" + tail,
				"ntfy://user:" + tail + "@" + at + "/topic?scheme=http", "ntfy://" + at + "/" + tail + "?scheme=http",
				"gotify://" + at + "/" + tail + "?disabletls=yes", "gotify://" + at + "/AbCdEfGhIjKlMnO?disabletls=yes&title=" + tail,
				"mattermost://" + at + "/" + tail + "?disabletls=yes", "rocketchat://" + at + "/" + tail + "/" + tail + "/c",
				"matrix://:" + tail + "@" + at + "/?rooms=!a:b&disableTLS=yes", "matrix://user:" + tail + "@" + at + "/?rooms=!a:b&disableTLS=yes",
				"bark://:" + tail + "@" + at + "/?scheme=http", "signal://user:" + tail + "@" + at + "/+123456/+234567?disabletls=yes",
				"telegram://" + tail + "@telegram?chats=1", "slack://hook:" + tail + "@webhook", "discord://" + tail + "@123456", "pushover://shoutrrr:" + tail + "@user/",
				"teams://" + tail + "@x/y/z?host=x", "zulip://bot:" + tail + "@" + at + "?stream=x", "generic://" + at + "/" + tail, "unknown://" + tail,
				"command:" + script + " " + tail, "command:/does/not/exist " + tail, "command:" + tail, "matrix://:" + tail + "@" + at + "/?rooms=&disableTLS=yes",
				"://" + tail, "http://" + at + "/%zz" + tail + "#unsigned", tail,
			} {
				for _, dial := range []func(context.Context, string, string) (net.Conn, error){plain, chatty} {
					s := newSender(t, func(o *Options) {
						o.RootCAs, o.Commands, o.Dial, o.Timeout = roots, true, dial, time.Second
						o.Secret = func(_, name string) (string, error) {
							if name != "SECRET" {
								return "", errors.New("unknown")
							}
							return secret, nil
						}
					})
					out := s.Send(t.Context(), &plat.Channel{Name: "c", URL: raw}, delivery(1))
					for what, text := range map[string]string{
						"Err": fmt.Sprintf("%v %+v %#v", out.Err, out.Err, out.Err), "Refused": out.Refused, "Check": fmt.Sprintf("%#v %v", s.Check(raw), s.Check(raw)), "Redacted": Redacted(raw),
					} {
						if plain, _ := url.PathUnescape(text); strings.Contains(text, "S3CR3T") || strings.Contains(plain, "S3CR3T") {
							t.Errorf("%s: %s is %q", raw, what, text)
						}
					}
					if out.Err == nil {
						t.Errorf("%s: sent", raw)
					}
				}
			}
		}
	}
}

func TestAShortSecretIsNotShownEither(t *testing.T) {
	h := &hidden{}
	h.add("ab")
	if got := h.text("login failed for ab"); strings.Contains(got, "login failed") {
		t.Errorf("shown: %q", got)
	}
	if got := h.text("login failed"); got != "login failed" {
		t.Errorf("hidden: %q", got)
	}
}

func TestReferences(t *testing.T) {
	lookup := func(from, name string) (string, error) {
		if name == "NONE" {
			return "", errors.New("it is not set")
		}
		if name == "EMPTY" {
			return "", nil
		}
		return "<" + from + " " + name + ">", nil
	}
	for _, tc := range []struct {
		in, want string
		bad      bool // the error is permanent
	}{
		{in: "x$A_1/y", want: "x<env A_1>/y"},
		{in: "${A}b", want: "<env A>b"},
		{in: "$file:/run/a-b.c_d@h", want: "<file /run/a-b.c_d>@h"},
		{in: "${file:/with blank/#}x", want: "<file /with blank/#>x"},
		{in: "$A$B", want: "<env A><env B>"},
		{in: "$file", want: "<env file>"},
		{in: "$", bad: true}, {in: "a$1", bad: true}, {in: "${A", bad: true}, {in: "$$A", bad: true},
		{in: "$NONE"}, {in: "$EMPTY"},
	} {
		got, _, err := expand(tc.in, lookup, func(s string) string { return s })
		_, bad := errors.AsType[*badURL](err)
		if got != tc.want || bad != tc.bad || (err == nil) != (tc.want != "") {
			t.Errorf("%q is %q, %v; want %q", tc.in, got, err, tc.want)
		}
	}
}

func TestASecretThatIsMissingIsTriedAgain(t *testing.T) {
	s := newSender(t, nil)
	for _, raw := range []string{"https://example.org/#$MISSING", "command:/bin/true $MISSING", "smtp://a:$file:/none@h/?from=a@b.test&to=a@b.test"} {
		if out := send(t, s, raw, delivery(1)); out.Err == nil || out.Refused != "" || !strings.Contains(out.Err.Error(), "MISSING") && !strings.Contains(out.Err.Error(), "/none") {
			t.Errorf("%s: %+v", raw, out)
		}
	}
}

func TestChannelURLsThatAreRefused(t *testing.T) {
	s := newSender(t, nil)
	for _, tc := range []struct{ url, says string }{
		{"https://example.org/", "#$NAME"},
		{"https://example.org/#secret", "whsec_"},
		{"https://example.org/#whsec_c2hvcnQ=", "24"},
		{"https://example.org/#" + signingKey + ",", "whsec_"},
		{"https:///x#$HOOK", "host"},
		{"https:opaque#$HOOK", "host"},
		{"https://example.org/\n#$HOOK", "control"},
		{"smtp://h/?to=a@b.test", "from="},
		{"smtp://h/?from=a@b.test", "to="},
		{"smtp://h/?from=a@b.test&to=nonsense", "to="},
		{"smtp://h/?from=a@b.test&to=a@b.test&auth=x", "unknown"},
		{"smtp://h/?from=a@b.test&to=a@b.test&tls=maybe", "tls"},
		{"smtp://h/path?from=a@b.test&to=a@b.test", "smtp://"},
		{"smtp://h:99999/?from=a@b.test&to=a@b.test", "port"},
		{"command:/bin/true", "not allowed"},
		{"command:relative", "command:/path"},
		{"command:", "command:/path"},
		{"example.org", "scheme"},
		{"", "scheme"},
		{"https://example.org/" + strings.Repeat("x", maxURL), "bytes"},
	} {
		out := send(t, s, tc.url, delivery(1))
		if !strings.Contains(out.Refused, tc.says) {
			t.Errorf("%.80s: %+v, want %q", tc.url, out, tc.says)
		}
	}
}

// FuzzURL checks the parser of channel URLs: it does not panic, accepted URLs are complete, and
// neither its errors nor the redacted form show a password.
func FuzzURL(f *testing.F) {
	for _, s := range []string{
		"https://u:SECRETWORD@h/p?q=SECRETWORD#" + signingKey, "smtp://u:SECRETWORD@h:25/?from=a@b.c&to=d@e.f", "command:/bin/x SECRETWORD %20", "telegram://$A@telegram?chats=1",
		"matrix://:SECRETWORD@h/?rooms=!a:b", "signal://h:1/+123456/+234567?HOST=x", "bark://:k@h/?Scheme=http", "teams://a@b/c/d?host=x", "$file:/x", "ntfy://h/SECRETWORD", "https://h/${file:/a b}#$B,$C",
		"googlechat://h?key=&token=SECRETWORD", "slack://a:SECRETWORD@b", "https://[::1%25SECRETWORD]/#unsigned", "opsgenie://h:1/SECRETWORD", "http://SECRETWORD:1@h:2@i/#unsigned",
	} {
		f.Add(s)
	}
	lookup := func(from, name string) (string, error) {
		if strings.Contains(name, "B") {
			return "", errors.New("it is not set")
		}
		return signingKey, nil
	}
	s, err := New(Options{Dial: func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("no network") }, Secret: lookup})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		red := Redacted(raw)
		if strings.Contains(red, "SECRETWORD") && secretPlace(raw) {
			t.Errorf("Redacted(%q) = %q", raw, red)
		}
		if line(red, len(red)+1) != red && !strings.HasPrefix(red, "command:") {
			t.Errorf("Redacted(%q) = %q, which is not printable", raw, red)
		}
		x, err := parse(raw, lookup)
		if x == nil || x.hidden == nil {
			t.Fatalf("%q: no target", raw)
		}
		checked := s.Check(raw)
		if err != nil {
			if checked == nil {
				t.Errorf("%q: parse says %v, Check nothing", raw, err)
			}
			if strings.Contains(checked.Error(), "SECRETWORD") && secretPlace(raw) {
				t.Errorf("%q: error %v", raw, checked)
			}
			return
		}
		switch x.way {
		case byWebhook:
			if x.unsigned == (len(x.keys) > 0) || x.url.Hostname() == "" || x.url.Fragment != "" {
				t.Errorf("%q is read as %+v", raw, x)
			}
		case byMail:
			if x.from == nil || len(x.to) == 0 || x.url.Hostname() == "" {
				t.Errorf("%q is read as %+v", raw, x)
			}
		case byCommand:
			if !filepath.IsAbs(x.command[0]) {
				t.Errorf("%q is read as %+v", raw, x)
			}
		case byService:
			if _, ok := services[x.scheme]; !ok {
				t.Errorf("%q is read as %+v", raw, x)
			}
			if kind := services[x.scheme]; kind.relay != nil && checked == nil {
				_, through, err := kind.relay(x.url)
				if err != nil {
					t.Fatal(err)
				}
				if v, err := through("127.0.0.1:9"); err == nil && v.Host != "127.0.0.1:9" {
					t.Errorf("%q is relayed to %s", raw, v)
				}
			}
		default:
			t.Errorf("%q has no way", raw)
		}
	})
}

// secretPlace reports whether SECRETWORD occurs only where secrets may be.
func secretPlace(raw string) bool {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || strings.Count(raw, "SECRETWORD") != 1 || strings.Contains(raw, "$") {
		return false
	}
	p, _ := u.User.Password()
	return strings.Contains(p, "SECRETWORD") || strings.Contains(u.Path, "SECRETWORD")
}
