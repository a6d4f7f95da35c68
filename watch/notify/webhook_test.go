package notify

import (
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"plat/browser/egress"
	"plat/plat"
)

const (
	signingKey = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	oldKey     = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
)

var made = time.Date(2026, 11, 25, 8, 0, 0, 0, time.UTC)

// delivery returns a message about n items.
func delivery(n int) *Delivery {
	d := &Delivery{
		Message:       plat.Message{ID: "msg1", Channel: "c", Subscription: "s1", Made: made},
		Subscriptions: []plat.Subscription{{ID: "s1", URL: "https://blog.test/", Title: "The blog"}},
	}
	for i := range n {
		id := string(rune('a' + i%26))
		d.Items = append(d.Items, plat.Item{
			ID: "i" + id, Subscription: "s1", Kind: plat.ItemNew, Title: "Title " + id, URL: "https://blog.test/" + id,
			Excerpt: "Excerpt " + id, Page: "https://blog.test/", Version: 3, Lineage: 7, Seen: made,
		})
	}
	return d
}

// guarded returns a guard that allows loopback, or does not.
func guarded(t testing.TB, loopback bool) *egress.Guard {
	t.Helper()
	o := egress.Options{Ports: append(egress.DefaultPorts[:], MailPorts[:]...)}
	if loopback {
		o.AllowPrivate = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
	}
	g, err := egress.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close() })
	return g
}

func newSender(t testing.TB, change func(*Options)) *Sender {
	t.Helper()
	o := Options{
		Timeout: 5 * time.Second,
		Secret: func(from, name string) (string, error) {
			v, ok := map[string]string{
				"env HOOK": signingKey, "env OLD": oldKey, "env PASSWORD": "pa:ss/w@rd?#%", "file /run/secrets/hook": signingKey,
				"env BOT": "123456789:AbCdEfGhIjKlMnOpQrStUvWxYz012345678", "env TOKEN": "s3cret-t0ken",
			}[from+" "+name]
			if !ok {
				return "", errors.New("it is not set")
			}
			return v, nil
		},
	}
	if change != nil {
		change(&o)
	}
	if o.Dial == nil {
		o.Dial = guarded(t, true).DialContext
	}
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func send(t testing.TB, s *Sender, url string, d *Delivery) Outcome {
	t.Helper()
	return s.Send(t.Context(), &plat.Channel{Name: "c", URL: url}, d)
}

func TestAWebhookIsVerifiedByTheLibraryOfTheSpecification(t *testing.T) {
	for _, tc := range []struct{ name, fragment string }{
		{"a secret in the URL", signingKey},
		{"a secret of the environment", "$HOOK"},
		{"a secret of a file", "$file:/run/secrets/hook"},
		{"two secrets while one is replaced", "$HOOK,$OLD"},
		{"two secrets in the other order", "$OLD,$file:/run/secrets/hook"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var verified atomic.Bool
			site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				for _, key := range []string{signingKey, oldKey} {
					hook, err := standardwebhooks.NewWebhook(key)
					if err != nil {
						t.Error(err)
					}
					err = hook.Verify(body, r.Header)
					if both := strings.Contains(tc.fragment, ","); key == oldKey && !both {
						if err == nil {
							t.Error("a secret that was not used verifies")
						}
					} else if err != nil {
						t.Errorf("%s: %v", key, err)
					}
				}
				if got := r.Header.Get("Webhook-Id"); got != "msg1" {
					t.Errorf("webhook-id is %q", got)
				}
				if r.Method != "POST" || r.URL.String() != "/hook?a=b" || r.Header.Get("Content-Type") != "application/json" {
					t.Errorf("%s %s, %s", r.Method, r.URL, r.Header.Get("Content-Type"))
				}
				var got struct {
					Type      string
					Timestamp time.Time
					Data      struct {
						ID            string
						Subscriptions []struct{ ID, URL, Title string }
						Items         []struct{ ID, Kind, Title, URL string }
					}
				}
				if err := json.Unmarshal(body, &got); err != nil {
					t.Error(err)
				}
				if got.Type != "items.new" || !got.Timestamp.Equal(made) || got.Data.ID != "msg1" || len(got.Data.Items) != 2 ||
					got.Data.Items[1].Title != "Title b" || got.Data.Subscriptions[0].Title != "The blog" {
					t.Errorf("the body is %s", body)
				}
				verified.Store(true)
				w.WriteHeader(204)
			}))
			defer site.Close()
			if out := send(t, newSender(t, nil), site.URL+"/hook?a=b#"+tc.fragment, delivery(2)); out != (Outcome{}) {
				t.Errorf("outcome %+v", out)
			}
			if !verified.Load() {
				t.Error("no request has arrived")
			}
		})
	}
}

func TestAWebhookOverTLSWithBasicAuthentication(t *testing.T) {
	site := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if u, p, _ := r.BasicAuth(); u != "reader" || p != "pa:ss/w@rd?#%" {
			w.WriteHeader(401)
		}
		if r.Header.Get("Webhook-Signature") != "" {
			t.Error("an unsigned webhook has a signature")
		}
	}))
	site.Config.ErrorLog = quiet
	site.StartTLS()
	defer site.Close()
	roots := x509.NewCertPool()
	roots.AddCert(site.Certificate())
	s := newSender(t, func(o *Options) { o.RootCAs = roots })
	if out := send(t, s, strings.Replace(site.URL, "https://", "https://reader:$PASSWORD@", 1)+"#unsigned", delivery(1)); out.Err != nil {
		t.Error(out.Err)
	}
	if out := send(t, newSender(t, nil), site.URL+"#unsigned", delivery(1)); out.Err == nil {
		t.Error("an unknown certificate was accepted")
	}
}

func TestWhatAReceiverAnswersDecides(t *testing.T) {
	var status int
	var header map[string]string
	var asked atomic.Int32
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		for k, v := range header {
			w.Header().Set(k, v)
		}
		w.WriteHeader(status)
	}))
	defer site.Close()
	s := newSender(t, nil)
	for _, tc := range []struct {
		name    string
		status  int
		header  map[string]string
		sent    bool
		refused bool
		wait    time.Duration
	}{
		{name: "200 is success", status: 200, sent: true},
		{name: "299 is success", status: 299, sent: true},
		{name: "a redirect is not followed", status: 302, header: map[string]string{"Location": "/"}},
		{name: "308 neither", status: 308, header: map[string]string{"Location": "/"}},
		{name: "404 is tried again", status: 404},
		{name: "410 disables the channel", status: 410, refused: true},
		{name: "429 with seconds", status: 429, header: map[string]string{"Retry-After": "120"}, wait: 2 * time.Minute},
		{name: "429 without", status: 429},
		{name: "503 asks for a year and gets a day", status: 503, header: map[string]string{"Retry-After": "31536000"}, wait: 24 * time.Hour},
		{name: "503 with nonsense", status: 503, header: map[string]string{"Retry-After": "soon"}},
		{name: "503 with a date in the past", status: 503, header: map[string]string{"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}},
		{name: "500 is tried again", status: 500, header: map[string]string{"Retry-After": "120"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			status, header = tc.status, tc.header
			asked.Store(0)
			out := send(t, s, site.URL+"#$HOOK", delivery(1))
			if (out.Err == nil) != tc.sent || (out.Refused != "") != tc.refused || out.Wait != tc.wait || asked.Load() != 1 {
				t.Errorf("outcome %+v after %d requests", out, asked.Load())
			}
		})
	}
	if got := retryAfter(made.Add(time.Hour).Format(http.TimeFormat), made); got != time.Hour {
		t.Errorf("a date in an hour is %v", got)
	}
}

func TestPrivateAddressesAreRefused(t *testing.T) {
	var asked atomic.Int32
	site := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer site.Close()
	host := site.Listener.Addr().String()
	s := newSender(t, func(o *Options) { o.Dial = guarded(t, false).DialContext })
	for _, url := range []string{
		"http://" + host + "/#$HOOK", "https://169.254.169.254/#$HOOK", "http://localhost:8080/#unsigned",
		"smtp://" + host + "/?from=a@b.test&to=c@d.test", "smtps://10.0.0.1/?from=a@b.test&to=c@d.test",
		"ntfy://" + host + "/topic?scheme=http", "gotify://" + host + "/AbCdEfGhIjKlMnO?disabletls=yes", "mattermost://" + host + "/abcdefgh?disabletls=yes",
		"rocketchat://" + host + "/tokena/tokenb/chan", "matrix://:tok@" + host + "/?rooms=!a:b&disableTLS=yes", "matrix://user:tok@" + host + "/?rooms=!a:b&disableTLS=yes",
		"bark://:key@" + host + "/?scheme=http", "signal://" + host + "/+123456/+234567?disabletls=yes",
		"signal://example.org/+123456/+234567?disabletls=yes&host=127.0.0.1&port=" + strings.TrimPrefix(host, "127.0.0.1:"),
	} {
		out := send(t, s, url, delivery(1))
		if out.Err == nil || !strings.Contains(out.Err.Error(), "blocked") {
			t.Errorf("%s: outcome %+v, want a refusal by the guard", url, out)
		}
	}
	if asked.Load() != 0 {
		t.Errorf("%d requests have arrived", asked.Load())
	}
}

func TestAReceiverThatHangsOrTalksWithoutEnd(t *testing.T) {
	end := make(chan struct{})
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/hang" {
			<-end
			return
		}
		for range 1 << 14 {
			if _, err := w.Write(make([]byte, 64<<10)); err != nil { // 1 GB
				return
			}
		}
		t.Error("everything was read")
	}))
	defer site.Close()
	defer close(end)
	s := newSender(t, func(o *Options) { o.Timeout = 300 * time.Millisecond })
	if out := send(t, s, site.URL+"/hang#$HOOK", delivery(1)); out.Err == nil || !out.All || !strings.Contains(out.Err.Error(), "timed out") {
		t.Errorf("hanging: %+v", out)
	}
	if out := send(t, newSender(t, nil), site.URL+"/endless#$HOOK", delivery(1)); out.Err != nil {
		t.Errorf("endless: %+v", out)
	}
}

func TestADialMustBeGiven(t *testing.T) {
	if _, err := New(Options{}); err == nil {
		t.Error("a sender without Dial")
	}
	if _, err := New(Options{Dial: (&net.Dialer{}).DialContext, Timeout: -1}); err == nil {
		t.Error("a sender with a negative limit")
	}
}
