package browser

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image/png"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"

	"plat/browser/act"
	"plat/browser/redact"
	"plat/browser/snapshotfile"
	"plat/browser/steps"
	"plat/plat"
)

// rules reads a file of rules in which HOST stands for the site's.
func rules(t testing.TB, host, text string) *steps.Set {
	t.Helper()
	list, err := steps.Parse("rules.yaml", []byte(strings.ReplaceAll(text, "HOST", strings.TrimPrefix(host, "http://"))))
	if err != nil {
		t.Fatal(err)
	}
	set, err := steps.Join(list)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// secrets resolves references by name.
func secrets(m map[string]string) func(steps.Ref) (string, error) {
	return func(r steps.Ref) (string, error) {
		s, ok := m[r.Name]
		if !ok {
			return "", errors.New("it is not set")
		}
		return s, nil
	}
}

// seenText returns all text of a page and all values of its attributes.
func seenText(s *plat.Snapshot) string {
	var b strings.Builder
	for i := range s.Nodes {
		n := &s.Nodes[i]
		if n.Kind == plat.TextNode {
			b.WriteString(n.Value + "\n")
		}
		for _, a := range n.Attrs {
			b.WriteString(a.Name + "=" + a.Value + "\n")
		}
	}
	return b.String()
}

// stepsOn renders a page with rules for it, in a separate pool.
func stepsOn(t *testing.T, u, text string, change ...func(*Options)) (*plat.Snapshot, error) {
	t.Helper()
	return stepsPool(t, u, text, change...).Render(t.Context(), Request{URL: u})
}

// stepsPool returns a pool with rules for the host of a URL.
func stepsPool(t *testing.T, u, text string, change ...func(*Options)) *Pool {
	t.Helper()
	return poolWith(t, func(o *Options) {
		o.Tabs = 1
		o.Steps = rules(t, strings.Split(u, "/")[2], text)
		for _, c := range change {
			c(o)
		}
	})
}

const form = `<!doctype html><title>Form</title><body>
<input id=name value=old><textarea id=long>old text</textarea><div id=rich contenteditable>old rich</div>
<select id=list><option value=a>Anna<option value=b>Berta</select>
<button id=go onclick="seen('clicked')">Go</button>
<div id=late></div><p id=log></p>
<x-box></x-box>
<iframe id=frame srcdoc="<button id=inner onclick='parent.seen(&quot;inner&quot;)'>Inner</button>"></iframe>
<button id=more onclick="this.n = (this.n || 0) + 1; seen('more' + this.n); if (this.n === 3) this.remove()">More</button>
<div style="height:5000px"></div><div id=bottom>bottom</div>
<script>
function seen(s) { document.getElementById('log').append(s + ';') }
for (const id of ['name', 'long', 'list']) document.getElementById(id).addEventListener('change', (e) => seen(id + '=' + e.target.value));
document.addEventListener('keydown', (e) => { if (e.key === 'Escape' || e.key === 'Enter') seen('key ' + e.key) });
document.getElementById('go').addEventListener('click', () => setTimeout(() => { document.getElementById('late').textContent = 'here'; document.getElementById('late').className = 'there' }, 300));
addEventListener('scroll', () => { if (scrollY > 1000 && !window.deep) { window.deep = true; seen('deep') } });
document.querySelector('x-box').attachShadow({ mode: 'open' }).innerHTML = '<button id=in-shadow>Shadow</button>';
document.querySelector('x-box').shadowRoot.querySelector('button').onclick = () => seen('shadow');
</script>`

// Keys may be lost on a document that has just begun.
func TestWhatIsTypedArrives(t *testing.T) {
	t.Parallel()
	srv := site(t, map[string]string{"/": `<!doctype html><title>Form</title><input id=some><input id=all><input id=upper><p id=log></p>
<script>
let lost = 2;
some.addEventListener('beforeinput', (e) => { if (lost-- > 0) e.preventDefault() });
all.addEventListener('beforeinput', (e) => e.preventDefault());
upper.addEventListener('input', () => { upper.value = upper.value.toUpperCase() });
for (const field of document.querySelectorAll('input')) field.addEventListener('blur', () => log.append(field.id + '=' + field.value + ';'));
</script>`})
	s, err := stepsOn(t, srv.URL+"/", `
rules:
  - match: HOST
    steps:
      - fill: {selector: "#some", value: "anna"}
      - fill: {selector: "#all", value: "berta"}
      - fill: {selector: "#upper", value: "carla"}
      - press: Tab
`)
	if err != nil {
		t.Fatal(err)
	}
	if text := seenText(s); !strings.Contains(text, "some=anna;\nall=;\nupper=CARLA;") {
		t.Errorf("the fields held %q", text)
	}
}

func TestEachStepDoesWhatItSays(t *testing.T) {
	t.Parallel()
	srv := site(t, map[string]string{"/": form})
	s, err := stepsOn(t, srv.URL+"/", `
rules:
  - match: HOST
    steps:
      - fill: {selector: "#name", value: "new name"}
      - press: Tab
      - fill: {selector: "#long", value: "new text"}
      - fill: {selector: "#rich", value: "new rich"}
      - select: {selector: "#list", value: Berta}
      - click: "#go"
      - wait: .there
      - click: "x-box >>> #in-shadow"
      - click: {selector: "#inner", frame: "#frame"}
      - click: {selector: "#more", repeat: 10}
      - click: {selector: "#not-there", optional: true, timeout: 100ms}
      - wait: {selector: "#more", state: absent}
      - scroll: bottom
      - wait: 100ms
      - scroll: "#bottom"
      - press: {key: Escape, selector: "#name"}
      - wait: {selector: "#late", state: present}
      - wait: {selector: "#nothing", state: hidden}
      - evaluate: "new Promise((done) => setTimeout(() => { seen('script'); done() }, 50))"
`, func(o *Options) { o.StepsEvaluate = true })
	if err != nil {
		t.Fatal(err)
	}
	text := seenText(s)
	for _, want := range []string{"name=new name;", "long=new text;", "new rich", "list=b;", "clicked;", "here", "shadow;", "inner;", "more1;", "more2;", "more3;", "deep;", "key Escape;", "script;"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page shows nothing of %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "more4") || strings.Contains(text, "old rich") {
		t.Errorf("the page shows too much:\n%s", text)
	}
	if s.Steps.IsZero() || s.Settled.Short() {
		t.Errorf("steps %v, unsettled %t", s.Steps, s.Settled.Short())
	}
	for i := range s.Nodes {
		if id, _ := s.Nodes[i].Attr("id"); id == "name" && s.Nodes[i].Box.Y < 0 {
			t.Errorf("the page is not at its top: %v", s.Nodes[i].Box)
		}
	}
}

func TestAStepThatFailsIsNamedAndHasAPicture(t *testing.T) {
	t.Parallel()
	const hidden = `<button id=a style="display:none">A</button>`
	cases := []struct{ name, page, step, want string }{
		{"an element that is not there", form, `click: {selector: "#changed", timeout: 200ms}`, `rules.yaml: rule "rule 1": step 2 (line 6), click "#changed": no element matched within 200ms`},
		{"an element that is hidden", hidden, `click: {selector: "#a", timeout: 200ms}`, "was there and did not become visible"},
		{"an element that stays", form, `wait: {selector: "#go", state: hidden, timeout: 200ms}`, "did not become hidden"},
		{"a URL that does not come", form, `wait: {url: HOST/other, timeout: 200ms}`, "did not become one that matches"},
		{"an option that is not there", form, `select: {selector: "#list", value: z}`, `there is no option "z"`},
		{"a selector that is none", form, `click: "a:unknown(b)"`, "does not understand the selector"},
		{"a secret that is not set", form, `fill: {selector: "#name", value: "${env:MISSING}"}`, "${env:MISSING}: it is not set"},
		{"a script that is not allowed", form, "evaluate: 1", "switched off"},
		{"a frame that is not there", form, `click: {selector: a, frame: "#no-frame", timeout: 200ms}`, "within 200ms"},
	}
	// One browser runs all cases, so each case has a separate page.
	pages, set := map[string]string{}, "rules:\n"
	for i, tc := range cases {
		pages[fmt.Sprint("/", i)] = tc.page
		set += fmt.Sprintf("  - match: HOST/%d\n    steps:\n      - wait: 1ms\n\n      - %s\n", i, tc.step)
	}
	srv := site(t, pages)
	p := stepsPool(t, srv.URL+"/", set, func(o *Options) { o.Secret = secrets(nil) })
	for i, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			s, err := p.Render(t.Context(), Request{URL: fmt.Sprint(srv.URL, "/", i)})
			var v *plat.VisitError
			if !errors.As(err, &v) || v.Outcome != plat.OutcomeStepsFailed || v.Retry || s != nil || !strings.Contains(v.Error(), tc.want) {
				t.Fatalf("error %v, want steps-failed with %q", err, tc.want)
			}
			if v.Picture == nil {
				t.Fatal("there is no picture")
			}
			if img, err := png.Decode(bytes.NewReader(v.Picture.Data)); err != nil || img.Bounds().Dx() != 1280 {
				t.Errorf("the picture is %v, %v", img.Bounds(), err)
			}
		})
	}
}

func TestAPageWithoutRulesIsLeftAlone(t *testing.T) {
	t.Parallel()
	srv := site(t, map[string]string{"/a": form, "/b": form})
	set := "rules:\n  - match: HOST/b\n    steps: [{click: '#go'}]"
	p := poolWith(t, func(o *Options) { o.Tabs = 1; o.Steps = rules(t, srv.URL, set) })
	for path, want := range map[string]bool{"/a": false, "/b": true} {
		s := render(t, p, srv.URL+path)
		if got := strings.Contains(seenText(s), "clicked;"); got != want || s.Steps.IsZero() == want {
			t.Errorf("%s: clicked %t, steps %v", path, got, s.Steps)
		}
	}
}

func TestStepsAreNotForErrorPages(t *testing.T) {
	t.Parallel()
	srv := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/text" {
			fmt.Fprint(w, "plain")
			return
		}
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(404)
		fmt.Fprint(w, "gone")
	}))
	p := stepsPool(t, srv.URL+"/", "rules:\n  - match: HOST\n    steps: [{click: '#go'}]")
	for _, path := range []string{"/gone", "/text"} {
		s, err := p.Render(t.Context(), Request{URL: srv.URL + path})
		if err != nil || !s.Steps.IsZero() {
			t.Errorf("%s: error %v, steps %v", path, err, s)
		}
	}
}

func TestASecretIsInNothingThatLeavesThePage(t *testing.T) {
	t.Parallel()
	const secret = `tell <no> "one" & 百`
	srv := site(t, map[string]string{
		"/": `<!doctype html><title>t</title><input id=a oninput="this.setAttribute('value', this.value); b.textContent = 'echo ' + this.value; document.title = this.value; history.replaceState(0, '', '?q=' + encodeURIComponent(this.value))"><p id=b></p>
<input id=p type=password><template id=tp></template><x-a></x-a><script>document.querySelector('x-a').attachShadow({mode:'closed'}).innerHTML='<i></i>'</script>`,
		"/fails": `<input id=a oninput="b.textContent = 'echo ' + this.value"><p id=b></p>`,
	})
	var log bytes.Buffer
	options := func(o *Options) {
		o.Secret = secrets(map[string]string{"S": secret})
		o.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	const fill = "rules:\n  - match: HOST\n    steps:\n      - fill: {selector: '#a', value: '${env:S}'}\n"
	s, err := stepsOn(t, srv.URL+"/", fill+"      - fill: {selector: '#p', value: '${env:S}'}\n", options)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := snapshotfile.Write(&file, s); err != nil {
		t.Fatal(err)
	}
	read, err := snapshotfile.Read(&file)
	if err != nil {
		t.Fatal(err)
	}
	if read.Steps != s.Steps || s.Steps.IsZero() {
		t.Errorf("the snapshot file says steps %v, want %v", read.Steps, s.Steps)
	}
	everything := fmt.Sprintf("%+v", read)
	for _, form := range []string{secret, "百", "tell", "%E7", `\u767e`} {
		if strings.Contains(everything, form) {
			t.Errorf("the snapshot has %q:\n%s", form, seenText(read))
		}
	}
	if !strings.Contains(seenText(s), "echo "+redact.Mark) {
		t.Errorf("the page does not show where the secret was:\n%s", seenText(s))
	}
	_, err = stepsOn(t, srv.URL+"/fails", fill+"      - evaluate: \"throw new Error(document.querySelector('#b').textContent)\"\n", options, func(o *Options) { o.StepsEvaluate = true })
	if err == nil || !strings.Contains(err.Error(), "echo "+redact.Mark) {
		t.Errorf("error %v", err)
	}
	for _, form := range []string{secret, "tell"} {
		if strings.Contains(fmt.Sprint(err)+log.String(), form) {
			t.Errorf("error and log have %q: %v\n%s", form, err, log.String())
		}
	}
}

func TestASecretIsNotTypedIntoAnotherHostsPage(t *testing.T) {
	t.Parallel()
	got := make(chan string, 10)
	other := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if q := r.URL.Query().Get("q"); q != "" {
			got <- q
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<input id=a oninput="fetch('?q=' + this.value)">`)
	}))
	foreign := strings.Replace(other.URL, "127.0.0.1", "other.localhost", 1)
	srv := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/framed" {
			fmt.Fprintf(w, `<iframe src="%s/"></iframe>`, foreign)
			return
		}
		http.Redirect(w, r, foreign+"/", http.StatusFound)
	}))
	p := stepsPool(t, srv.URL+"/", `rules:
  - match: HOST/
    steps: [{fill: {selector: '#a', value: '${env:S}'}}]
  - match: HOST/framed
    steps: [{fill: {selector: '#a', value: '${env:S}', frame: iframe}}]
`, func(o *Options) { o.Secret = secrets(map[string]string{"S": "open sesame"}) })
	for _, path := range []string{"/", "/framed"} {
		_, err := p.Render(t.Context(), Request{URL: srv.URL + path})
		if err == nil || !strings.Contains(err.Error(), "does not receive secrets") {
			t.Errorf("%s: error %v", path, err)
		}
	}
	select {
	case q := <-got:
		t.Errorf("the other host was given %q", q)
	default:
	}
}

func TestNothingOfTheStepsStays(t *testing.T) {
	t.Parallel()
	srv := site(t, map[string]string{"/": form, "/plain": "<p>plain</p>"})
	p := poolWith(t, func(o *Options) {
		o.Tabs = 1
		o.Steps = rules(t, srv.URL, "rules:\n  - match: HOST/\n    steps: [{click: '#go'}, {click: {selector: '#inner', frame: '#frame'}}]")
	})
	for range 3 {
		for _, path := range []string{"/plain", "/"} {
			render(t, p, srv.URL+path)
		}
	}
	for range 2 { // both slots are at rest
		<-p.freed
	}
	defer func() {
		for range 2 {
			p.freed <- struct{}{}
		}
	}()
	p.mu.Lock()
	c, tabs := p.current, 0
	for _, s := range p.idle {
		if s.tab != nil {
			tabs++
		}
	}
	p.mu.Unlock()
	known, calls, _ := c.Pipe.Pending()
	if known != tabs || tabs == 0 || calls > 0 {
		t.Errorf("%d tabs have %d sessions, and %d calls are open", tabs, known, calls)
	}
}

func TestThePageCanEndDuringItsSteps(t *testing.T) {
	t.Parallel()
	srv := site(t, map[string]string{"/": form})
	const forever = "rules:\n  - match: HOST\n    steps: [{evaluate: 'new Promise(() => {})'}]"
	_, err := stepsOn(t, srv.URL+"/", forever, func(o *Options) { o.StepsEvaluate, o.RenderTimeout = true, 6*time.Second })
	var v *plat.VisitError
	if !errors.As(err, &v) || v.Outcome != plat.OutcomeTimeout || !v.Retry {
		t.Errorf("error %v, want a timeout of the whole rendering", err)
	}
	p := poolWith(t, func(o *Options) { o.Tabs, o.StepsEvaluate, o.Steps = 1, true, rules(t, srv.URL, forever) })
	end := make(chan error)
	go func() {
		_, err := p.Render(t.Context(), Request{URL: srv.URL + "/"})
		end <- err
	}()
	for crashed := false; !crashed; time.Sleep(20 * time.Millisecond) {
		p.mu.Lock()
		c := p.current
		p.mu.Unlock()
		_, _, then := c.Pipe.Pending()
		if crashed = then > 0; !crashed {
			continue
		}
		for _, t := range c.Tabs() {
			if t.Session != nil && t.Origin == srv.URL {
				t.Session.Send(page.Crash.Method, nil).Forget()
			}
		}
	}
	if err := <-end; !errors.As(err, &v) || v.Outcome != plat.OutcomeCrashed || !v.Retry {
		t.Errorf("error %v, want crashed", err)
	}
}

// A typed secret does not appear in a frame of a different site either when the picture is
// captured.
func TestASecretIsTakenOutOfEveryFrame(t *testing.T) {
	t.Parallel()
	const secret = "correct horse"
	inner := site(t, map[string]string{"/": `<p>inner ` + secret + `</p><input value="` + secret + `">`})
	foreign := strings.Replace(inner.URL, "127.0.0.1", "other.localhost", 1)
	srv := site(t, map[string]string{"/": `<p>outer ` + secret + `</p><iframe src="` + foreign + `/"></iframe><iframe srcdoc="<p>third ` + secret + `"></iframe>`})
	_, err := pool(t).Render(t.Context(), Request{URL: srv.URL + "/", inspect: func(ctx context.Context, v *visit, s *plat.Snapshot) error {
		if n := strings.Count(seenText(s), secret); n != 5 {
			t.Errorf("the page shows the secret %d times, want 5:\n%s", n, seenText(s))
		}
		v.acts = act.New(v.Page, srv.URL, steps.Plan{}, act.Options{})
		v.acts.Typed(secret)
		if err := v.acts.Conceal(ctx); err != nil {
			return err
		}
		s, err := v.capture(ctx)
		if err != nil {
			return err
		}
		if all := fmt.Sprintf("%+v", s); strings.Count(all, secret) != 1 || strings.Count(all, redact.Mark) < 4 { // one is srcdoc, which Redact takes out
			t.Errorf("afterwards it shows\n%s", seenText(s))
		}
		s.Resources = []plat.Resource{{URL: srv.URL + "/i.png?user=" + url.QueryEscape(secret)}}
		v.acts.RedactResources(s)
		if got := s.Resources[0].URL; got != srv.URL+"/i.png?user="+redact.Mark {
			t.Errorf("a resource is kept as %s", got)
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
}

// A form that leads to its own page is not counted as a page that reloads itself.
func TestAClickMayLoadThePageAgainAndAgain(t *testing.T) {
	t.Parallel()
	var posts atomic.Int64
	srv := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			posts.Add(1)
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<form method=post><button id=more>more</button></form><p>posted %d</p><script>setTimeout(() => document.body.append('later'), 500)</script>`, posts.Load())
	}))
	s, err := stepsOn(t, srv.URL+"/", "rules:\n  - match: HOST\n    steps:\n      - click: {selector: '#more', repeat: 8}\n")
	if err != nil {
		t.Fatal(err)
	}
	if got := seenText(s); !strings.Contains(got, "posted 8") || !strings.Contains(got, "later") || s.Settled != plat.SettledQuiet {
		t.Errorf("the page is taken as %q and shows\n%s", s.Settled, got)
	}
}
