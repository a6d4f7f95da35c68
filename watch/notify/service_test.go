package notify

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

// request is a request that a service received.
type request struct{ method, url, body, auth string }

// provider responds as the services expect, and stores the requests.
type provider struct {
	*httptest.Server
	mu     sync.Mutex
	asked  []request
	status int
	header http.Header
}

func newProvider(t *testing.T) *provider {
	p := &provider{}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		p.mu.Lock()
		defer p.mu.Unlock()
		p.asked = append(p.asked, request{r.Method, r.URL.String(), string(b), r.Header.Get("Authorization")})
		for k, v := range p.header {
			w.Header()[k] = v
		}
		w.Header().Set("Content-Type", "application/json")
		if p.status != 0 {
			w.WriteHeader(p.status)
		}
		io.WriteString(w, `{"event_id":"$1","room_id":"!a:b","code":200,"id":1,"timestamp":1}`)
	}))
	t.Cleanup(p.Close)
	return p
}

func (p *provider) host() string { return p.Listener.Addr().String() }

func TestServicesAreReachedThroughTheGuard(t *testing.T) {
	for _, tc := range []struct{ name, url, at, has string }{
		{"ntfy", "ntfy://reader:$TOKEN@HOST/topic?scheme=http", "/topic", "Excerpt a"},
		{"gotify", "gotify://HOST/AbCdEfGhIjKlMnO?disabletls=yes", "/message?token=AbCdEfGhIjKlMnO", "Title a"},
		{"mattermost", "mattermost://HOST/abcdefgh?disabletls=yes", "/hooks/abcdefgh", "Title a"},
		{"matrix, through a relay", "matrix://:$TOKEN@HOST/?rooms=!a:b&disableTLS=yes", "rooms/%21a:b/send/m.room.message", "Title a"},
		{"bark, through a relay", "bark://:devicekey@HOST/?scheme=http", "/push", "Excerpt a"},
		{"signal, through a relay", "signal://HOST/+123456/+234567?disabletls=yes", "/v2/send", "Title a"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := newProvider(t)
			s := newSender(t, nil)
			raw := strings.Replace(tc.url, "HOST", p.host(), 1)
			if err := s.Check(raw); err != nil {
				t.Fatal(err)
			}
			if out := send(t, s, raw, delivery(1)); out.Err != nil {
				t.Fatalf("%v, after %v", out.Err, p.asked)
			}
			last := p.asked[len(p.asked)-1]
			if !strings.Contains(last.url, tc.at) || !strings.Contains(last.body, tc.has) {
				t.Errorf("asked %+v", p.asked)
			}
		})
	}
}

func TestWhatAServiceAnswersDecides(t *testing.T) {
	for _, raw := range []string{"ntfy://HOST/topic?scheme=http", "matrix://:$TOKEN@HOST/?rooms=!a:b&disableTLS=yes", "mattermost://HOST/abcdefgh?disabletls=yes"} {
		p := newProvider(t)
		s := newSender(t, nil)
		raw = strings.Replace(raw, "HOST", p.host(), 1)
		p.status, p.header = 429, http.Header{"Retry-After": {"60"}}
		if out := send(t, s, raw, delivery(1)); out.Wait != time.Minute || out.Err == nil {
			t.Errorf("%s: 429 is %+v", raw, out)
		}
		p.status, p.header = 410, nil
		if out := send(t, s, raw, delivery(1)); out.Refused == "" {
			t.Errorf("%s: 410 is %+v", raw, out)
		}
		p.status, p.header = 302, http.Header{"Location": {p.URL + "/elsewhere"}}
		p.asked = nil
		out := send(t, s, raw, delivery(1))
		for _, r := range p.asked {
			if strings.Contains(r.url, "elsewhere") {
				t.Errorf("%s: a redirect was followed", raw)
			}
		}
		if out.Err == nil {
			t.Errorf("%s: 302 is success", raw)
		}
	}
}

func TestOnlyServicesThatAreGuardedAreAllowed(t *testing.T) {
	s := newSender(t, nil)
	open := newSender(t, func(o *Options) { o.Unguarded = true })
	for _, tc := range []struct {
		url          string
		ok, unguards bool
	}{
		{url: "telegram://$BOT@telegram?chats=@channel", ok: true},
		{url: "slack://hook:AAAAAAAAA-BBBBBBBBB-123456789123456789123456@webhook", ok: true},
		{url: "discord://token@123456", ok: true},
		{url: "pushover://shoutrrr:apitoken@userkey/", ok: true},
		{url: "googlechat://chat.googleapis.com/v1/spaces/FOO/messages?key=bar&token=baz", ok: true},
		{url: "googlechat://10.0.0.1/v1/spaces/FOO/messages?key=bar&token=baz", unguards: true},
		{url: "opsgenie://api.eu.opsgenie.com/aaaa-bbbb", ok: true},
		{url: "opsgenie://localhost:8080/aaaa-bbbb", unguards: true},
		{url: "zulip://bot%40example.org:key@zulip.example.org?stream=foo&topic=bar", unguards: true},
		{url: "generic://example.org/"}, {url: "generic+https://example.org/"}, {url: "logger://"}, {url: "unknown://x"}, {url: "matrix://:x@host/?rooms="},
		{url: "matrix://"}, {url: "telegram://x@telegram"}, {url: "ntfy+https://example.org/"},
	} {
		if err := s.Check(tc.url); (err == nil) != tc.ok {
			t.Errorf("%s: %v, want allowed %v", tc.url, err, tc.ok)
		}
		if err := open.Check(tc.url); (err == nil) != (tc.ok || tc.unguards) {
			t.Errorf("%s where unguarded services are allowed: %v", tc.url, err)
		}
		if !tc.ok {
			if out := send(t, s, tc.url, delivery(1)); out.Refused == "" {
				t.Errorf("%s: %+v, want refused for good", tc.url, out)
			}
		}
	}
}

// TestEveryServiceOfTheTableIsGuarded fails if a service is added without one of the three
// protections.
func TestEveryServiceOfTheTableIsGuarded(t *testing.T) {
	for scheme, kind := range services {
		ways := 0
		for _, has := range []bool{kind.client != nil, kind.relay != nil, kind.fixed != nil} {
			if has {
				ways++
			}
		}
		if ways > 1 || ways == 0 && scheme != "zulip" {
			t.Errorf("%s is guarded in %d ways", scheme, ways)
		}
	}
}

func TestTheRequestOfAServiceThatHangsEnds(t *testing.T) {
	ended := make(chan time.Time, 10)
	site := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body) // otherwise the end of the connection is not noticed
		select {
		case <-r.Context().Done():
		case <-time.After(3 * time.Second):
		}
		ended <- time.Now()
	}))
	defer site.Close()
	s := newSender(t, func(o *Options) { o.Timeout = 500 * time.Millisecond })
	for _, raw := range []string{"ntfy://HOST/t?scheme=http", "matrix://:$TOKEN@HOST/?rooms=!a:b&disableTLS=yes"} {
		start := time.Now()
		out := send(t, s, strings.Replace(raw, "HOST", site.Listener.Addr().String(), 1), delivery(1))
		if out.Err == nil || !strings.Contains(out.Err.Error(), "timed out") || !out.All {
			t.Errorf("%s: %+v", raw, out)
		}
		select {
		case at := <-ended:
			if at.Sub(start) > 2*time.Second {
				t.Errorf("%s: its request went on for %v", raw, at.Sub(start))
			}
		case <-time.After(time.Minute):
			t.Errorf("%s: no request ended", raw)
		}
	}
}

func TestAServiceIsNotAskedWhileItHangs(t *testing.T) {
	s := newSender(t, nil)
	const raw = "ntfy://127.0.0.1:1/t?scheme=http"
	s.hanging[raw] = true
	if out := send(t, s, raw, delivery(1)); out.Err == nil || !strings.Contains(out.Err.Error(), "has not ended") {
		t.Errorf("%+v", out)
	}
	delete(s.hanging, raw)
	if out := send(t, s, raw, delivery(1)); out.Err == nil || strings.Contains(out.Err.Error(), "has not ended") {
		t.Errorf("%+v", out)
	}
	if s.hanging[raw] {
		t.Error("it is taken for hanging for ever")
	}
}

func TestMentionsAreTakenOutOfChats(t *testing.T) {
	p := newProvider(t)
	d := delivery(3)
	d.Items[0].Title = "@everyone <!channel> look, a@example.org"
	d.Items[0].URL = "https://blog.test/@all"
	if out := send(t, newSender(t, nil), "mattermost://"+p.host()+"/abcdefgh?disabletls=yes", d); out.Err != nil {
		t.Fatal(out.Err)
	}
	var got struct{ Text string }
	if err := json.Unmarshal([]byte(p.asked[0].body), &got); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(got.Text, "@everyone") || strings.Contains(got.Text, "<!channel") || !strings.Contains(got.Text, "https://blog.test/%40all") ||
		!strings.Contains(got.Text, "a@example.org") || !strings.HasPrefix(got.Text, "3 new on The blog\n\n") {
		t.Errorf("text %q", got.Text)
	}
}

func TestTheTextOfAServiceIsBounded(t *testing.T) {
	for scheme, kind := range services {
		for _, n := range []int{1, 3, 40} {
			d := delivery(n)
			for i := range d.Items {
				d.Items[i].Title, d.Items[i].Excerpt = strings.Repeat("ü@all ", 1<<10), strings.Repeat("語", 1<<12)
			}
			text, params := kind.compose(&url.URL{}, d)
			most := kind.most
			if most == 0 {
				most = maxChatText
			}
			if len(text) > most+2 || text == "" || len(params["title"]) > 8*maxTitle {
				t.Errorf("%s: %d items: text of %d bytes, title of %d", scheme, n, len(text), len(params["title"]))
			}
		}
	}
}
