package notify

import (
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
)

// hostile lists texts of pages that services could interpret as markup, each with the part of a
// message that would be active.
var hostile = []struct{ text, live string }{
	{`![p](https://evil.test/p.png)`, `!\[[^\]]*\]\(`},
	{`[Your bank](https://evil.test/)`, `\[Your bank\]\(`},
	{`[Your bank][1]`, `\[Your bank\]\[`},
	{`<http://evil.test|Your bank>`, `(^|[^\\])<http`},
	{`<https://evil.test/>`, `(^|[^\\])<https`},
	{`<!channel> <!here> <@U1> <#C1>`, `<[!@#]`},
	{`@everyone @here @channel @all @room`, `(?i)@(everyone|here|channel|all|room)`},
	{`hello @alice`, `@alice`},
	{`@**all** @_**bob|1**`, `@[*_]`},
	{`<users/all> <at user_id="all">x</at>`, `(^|[^\\])<(users|at)`},
	{`<img src=x> <a href="https://evil.test/">x</a> <script>`, `(^|[^\\])<(img|a |script)`},
	{"`code` ```block```", "(^|[^\\\\])`"},
	{`**bold** ||spoiler||`, `(^|[^\\])\*\*|(^|[^\\])\|\|`},
	{`# heading`, `^# `},
	{`> quoted`, `(?m)^> `},
	{`\[Your bank](https://evil.test/)`, `(^|[^\\])(\\\\)*\[Your`},
	{`&lt;!channel&gt; &amp;`, `&lt;!channel&gt; &amp;$`},
}

// of returns the services with a markup.
func of(m markup) (schemes []string) {
	for scheme, kind := range services {
		if kind.markup == m {
			schemes = append(schemes, scheme)
		}
	}
	return schemes
}

func TestTextsOfPagesAreNoMarkup(t *testing.T) {
	for _, in := range []markup{plain, entities, backslashes, lookalikes} {
		if len(of(in)) == 0 {
			t.Errorf("no service has the markup %d", in)
		}
		for _, h := range hostile {
			if in == plain && !strings.Contains(h.live, "@") || in == entities && (strings.HasPrefix(h.text, "`") || strings.HasPrefix(h.text, "*") || strings.ContainsAny(h.text[:1], "![#\\") || strings.HasPrefix(h.text, "@*")) {
				continue // not special in this markup
			}
			if strings.HasPrefix(h.text, "&") && in != entities {
				continue
			}
			if got := in.text(h.text); regexp.MustCompile(h.live).MatchString(got) {
				t.Errorf("%v: %q becomes %q", of(in), h.text, got)
			}
		}
	}
	// By the rules of each markup, a reader sees the text of the page.
	for _, tc := range []struct {
		in         markup
		text, want string
	}{
		{entities, `R&D <b> *x*`, `R&amp;D &lt;b&gt; *x*`},
		{backslashes, `R&D [a](b) 1. x`, `R\&D \[a\]\(b\) 1. x`},
		{backslashes, `1. x`, `1\. x`}, {backslashes, `- x`, `\- x`}, {backslashes, `=== x`, `\=== x`},
		{lookalikes, `R&D [a](b) <c>`, "R&D ［a］(b) ‹c›"},
		{plain, `R&D [a](b) <c> a@b.test`, `R&D [a](b) <c> a@b.test`},
	} {
		if got := tc.in.text(tc.text); got != tc.want {
			t.Errorf("%v: %q becomes %q, want %q", of(tc.in), tc.text, got, tc.want)
		}
	}
}

func TestLinksOfPagesAreNoMarkup(t *testing.T) {
	const raw = "https://u:p@a.test/x(1)_[y]*z*|`w`/@everyone?a=1&b={2}#c"
	for in, want := range map[markup]string{
		plain:       "https://a.test/x%281%29_%5By%5D%2Az%2A%7C%60w%60/@everyone?a=1&b={2}#c",
		entities:    "https://a.test/x%281%29_%5By%5D%2Az%2A%7C%60w%60/%40everyone?a=1&amp;b=%7B2%7D#c",
		backslashes: "https://a.test/x%281%29_%5By%5D%2Az%2A%7C%60w%60/%40everyone?a=1&b=%7B2%7D#c",
		lookalikes:  "https://a.test/x%281%29_%5By%5D%2Az%2A%7C%60w%60/%40everyone?a=1&b=%7B2%7D#c",
	} {
		if got := in.link(link(raw)); got != want {
			t.Errorf("%d: %s, want %s", in, got, want)
		}
	}
	for _, raw := range []string{"https://[2001:db8::1]:8443/a", "https://bücher.test/ü", "https://a.test/50%"} {
		if got := backslashes.link(raw); got != raw {
			t.Errorf("%s becomes %s", raw, got)
		}
	}
}

// sent records the data sent to a provider, on a connection without a server.
type sent struct {
	mu     sync.Mutex
	bodies []string
}

func (s *sent) RoundTrip(r *http.Request) (*http.Response, error) {
	b, err := io.ReadAll(r.Body)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bodies = append(s.bodies, string(b))
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(`{"ok":true,"code":200}`)), Request: r}, err
}

// Texts are checked as the library writes them on the wire.
func TestWhatIsSentIsNoMarkup(t *testing.T) {
	d := delivery(1)
	d.Items[0].Title, d.Items[0].Excerpt = "![p](https://evil.test/p.png) @everyone", "<http://evil.test|Your bank> <!channel>"
	d.Items[0].URL = "https://u:hunter2@a.test/x"
	for raw, want := range map[string]string{
		"discord://token@123456":               `\\[p\\]\\(https\\:`,
		"mattermost://chat.test/abcdefgh":      "‹http",
		"rocketchat://chat.test/tokenA/tokenB": "‹http",
		"gotify://push.test/AbCdEfGhIjKlMnO":   "https://a.test/x",
		"gotify://push.test/AbCdEfGhIjKlMnO?extras=%7B%22client%3A%3Adisplay%22%3A%7B%22contentType%22%3A%22text%2Fmarkdown%22%7D%7D": "‹http",
		"ntfy://push.test/topic": "https://a.test/x",
	} {
		tg, err := parse(raw, nil)
		if err != nil {
			t.Fatal(err)
		}
		to := &sent{}
		w := &watched{ctx: t.Context(), base: to}
		if err := w.send(tg, d); err != nil {
			t.Errorf("%s: %v", raw, err)
		}
		body := strings.Join(to.bodies, "\n")
		if !strings.Contains(body, want) || strings.Contains(body, "hunter2") || strings.Contains(body, "@everyone") || strings.Contains(body, "<!channel") {
			t.Errorf("%s is sent %s, want %s", raw, body, want)
		}
	}
	if text := string(d.JSON()) + d.Text() + d.HTML(); strings.Contains(text, "hunter2") {
		t.Errorf("webhooks and mail tell a password:\n%s", text)
	}
}

// For any text of a page, in every markup: one line remains one line, without mentions and
// without structure.
func FuzzMarkup(f *testing.F) {
	for _, h := range hostile {
		f.Add(h.text, "https://a.test/"+h.text)
	}
	f.Fuzz(func(t *testing.T, text, address string) {
		text = line(text, maxTitle)
		for _, in := range []markup{plain, entities, backslashes, lookalikes} {
			got, at := in.text(text), in.link(link(address))
			if !utf8.ValidString(got) || strings.ContainsAny(got, "\r\n") || call.MatchString(got) {
				t.Errorf("%d: %q becomes %q", in, text, got)
			}
			if in != plain && regexp.MustCompile(`(^|[^\\])(\\\\)*<`).MatchString(got) {
				t.Errorf("%d: %q becomes %q", in, text, got)
			}
			if in == lookalikes && strings.ContainsAny(got, "<>[]`*~|\\_") || in == backslashes && regexp.MustCompile("(^|[^\\\\])(\\\\\\\\)*[`*_~\\[\\]<>|]").MatchString(got) {
				t.Errorf("%d: %q becomes %q", in, text, got)
			}
			if u, err := url.Parse(at); at != "" && (err != nil || u.User != nil || in != plain && strings.ContainsAny(u.RequestURI(), "`*()|\\{}")) {
				t.Errorf("%d: the link %q becomes %q: %v", in, address, at, err)
			}
		}
	})
}
