package browser

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"plat/plat"
)

// fields are documents with one field each, the value to fill in, and the resulting value.
var fields = map[string]struct{ html, value, want string }{
	"text":                    {`<input id=f value=old>`, "new value", "new value"},
	"password":                {`<input id=f type=password>`, "p&q<r>'\"", "p&q<r>'\""},
	"a length":                {`<input id=f type=password maxlength=6>`, "0123456789", "012345"},
	"number":                  {`<input id=f type=number value=1>`, "4711", "4711"},
	"email":                   {`<input id=f type=email value=a@b.c>`, "anna@example.org", "anna@example.org"},
	"date":                    {`<input id=f type=date>`, "2026-11-28", "2026-11-28"},
	"range":                   {`<input id=f type=range min=0 max=10>`, "7", "7"},
	"color":                   {`<input id=f type=color>`, "#102030", "#102030"},
	"several lines":           {`<textarea id=f>old</textarea>`, "one\ntwo", "one\ntwo"},
	"editable text":           {`<div id=f contenteditable>old <b>bold</b></div>`, "new", "new"},
	"read only":               {`<input id=f readonly value=old>`, "new", "old"},
	"upper case":              {`<input id=f oninput="this.value = this.value.toUpperCase()">`, "new", "NEW"},
	"groups of digits":        {`<input id=f oninput="this.value = this.value.replace(/(\d{4})(?=\d)/g, '$1 ')">`, "12345678", "1234 5678"},
	"the page refuses it":     {`<input id=f value=old onbeforeinput="event.preventDefault()">`, "new", "old"},
	"the page's own editor":   {`<div id=f contenteditable></div><script>f.onbeforeinput = (e) => { e.preventDefault(); if (e.inputType === 'insertText') f.textContent = '[' + e.data + ']' }</script>`, "new", "[new]"},
	"a field that is watched": {`<input id=f><script>const d = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value'); let known = ''; Object.defineProperty(f, 'value', { get() { return d.get.call(this) }, set(v) { known = v; d.set.call(this, v) } }); let state = ''; f.oninput = () => { if (f.value !== known) { known = state = f.value } }; f.onblur = () => { f.value = state }</script>`, "new", "new"},
	"a patched prototype":     {`<input id=f><script>HTMLInputElement.prototype.select = HTMLElement.prototype.focus = EventTarget.prototype.dispatchEvent = () => { throw 1 }; Object.defineProperty(HTMLInputElement.prototype, 'value', { set() {}, get: Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').get })</script>`, "new", "new"},
	"names that are in use":   {`<input id=f><img name=activeElement><img name=execCommand><form name=location></form><img name=getSelection>`, "new", "new"},
	"a key enables a button":  {`<input id=f><button id=b disabled></button><script>f.onkeyup = () => { b.disabled = !f.value }; f.onchange = () => { if (b.disabled) f.value = 'disabled' }</script>`, "new", "new"},
}

func TestFieldsOfAllKindsAreFilled(t *testing.T) {
	t.Parallel()
	path := func(name string) string { return "/" + strings.NewReplacer(" ", "-", "'", "").Replace(name) }
	pages, set := map[string]string{}, "rules:\n"
	for name, f := range fields {
		pages[path(name)] = "<!doctype html><meta charset=utf-8><title>Form</title>" + f.html + `<p id=log></p>
<button id=end onclick="log.textContent = 'held ' + JSON.stringify(f.value ?? f.textContent)">End</button>`
		set += fmt.Sprintf("  - match: HOST%s\n    steps:\n      - fill: {selector: '#f', value: %q}\n      - click: '#end'\n", path(name), f.value)
	}
	srv := site(t, pages)
	p := stepsPool(t, srv.URL+"/", set, func(o *Options) { o.AtLoad = true })
	for name, f := range fields {
		text := seenText(render(t, p, srv.URL+path(name)))
		_, after, _ := strings.Cut(text, "held ")
		var held string
		if err := json.NewDecoder(strings.NewReader(after)).Decode(&held); err != nil || held != f.want {
			t.Errorf("%s: the field holds %q (%v), want %q", name, held, err, f.want)
		}
	}
}

// A key goes to the frame that has the focus. If that is a frame of a different site, a step must
// have named it.
func TestAKeyGoesToNoFrameThatHasTakenTheFocus(t *testing.T) {
	t.Parallel()
	got := make(chan string, 100)
	other := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if k := r.URL.Query().Get("k"); k != "" {
			got <- k
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<input id=f><script>setInterval(() => f.focus(), 3); f.onkeydown = (e) => { const x = new XMLHttpRequest(); x.open('GET', '?k=' + e.key, false); x.send() }</script>`)
	}))
	page := `<!doctype html><title>Form</title><input id=f><iframe src="` + strings.Replace(other.URL, "127.0.0.1", "other.localhost", 1) + `"></iframe>`
	srv := site(t, map[string]string{"/focused": page, "/selected": page, "/named": page})
	p := stepsPool(t, srv.URL+"/", `rules:
  - match: HOST/focused
    steps: [{wait: 50ms}, {press: Enter}]
  - match: HOST/selected
    steps: [{wait: 50ms}, {fill: {selector: "#f", value: x}}, {wait: 50ms}, {press: Tab}]
  - match: HOST/named
    steps: [{press: {selector: "#f", key: z, frame: iframe}}]
`)
	for path, want := range map[string]string{"/focused": "focus-taken", "/selected": "focus-taken", "/named": ""} {
		_, err := p.Render(t.Context(), Request{URL: srv.URL + path})
		v, ok := errors.AsType[*plat.VisitError](err)
		if ok != (want != "") || ok && (string(v.Outcome) != want || !strings.Contains(v.Error(), "a frame of other.localhost took the focus") || v.Picture == nil || v.Retry) {
			t.Errorf("%s: error %v, want %q", path, err, want)
		}
	}
	close(got)
	for k := range got {
		if k != "z" {
			t.Errorf("the frame was sent %q", k)
		}
	}
}

// A page requested by https that leads to an http page gets no secret there.
func TestASecretForHTTPSIsNotSetWithoutIt(t *testing.T) {
	t.Parallel()
	const field = `<!doctype html><title>Form</title><input id=f oninput="document.title = 'given ' + this.value.length">`
	plain := site(t, map[string]string{"/": field})
	secure := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/down" {
			http.Redirect(w, r, plain.URL+"/", http.StatusFound)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, field)
	}))
	t.Cleanup(func() { secure.CloseClientConnections(); secure.Close() })
	p := stepsPool(t, secure.URL+"/", "rules:\n  - match: 127.0.0.1\n    steps: [{fill: {selector: '#f', value: '${env:S}'}}]", func(o *Options) {
		o.Flags = []string{"--ignore-certificate-errors"}
		o.Secret = secrets(map[string]string{"S": typedSecret})
	})
	if s := render(t, p, secure.URL+"/"); s.Title != "given 17" {
		t.Errorf("the page by https is %q", s.Title)
	}
	if s := render(t, p, plain.URL+"/"); s.Title != "given 17" {
		t.Errorf("the page that was asked for by http is %q", s.Title)
	}
	_, err := p.Render(t.Context(), Request{URL: secure.URL + "/down"})
	if v, ok := errors.AsType[*plat.VisitError](err); !ok || v.Outcome != plat.OutcomeStepsFailed || !strings.Contains(v.Error(), "does not receive secrets") {
		t.Errorf("error %v", err)
	}
}

// The value of a field that rejects input is the page's own text, and so is a value that the page
// sets instead.
func TestWordsOfThePageAreNotTakenForASecret(t *testing.T) {
	t.Parallel()
	for name, field := range map[string]string{
		"read only":     `<input id=f readonly value=potatoes>`,
		"no field":      `<div id=f tabindex=0>potatoes</div>`,
		"its own words": `<input id=f oninput="this.value = 'The price of pears'">`,
	} {
		srv := site(t, map[string]string{"/": "<!doctype html><title>Market</title><p>The price of pears is up, and potatoes are cheap.</p>" + field})
		options := func(o *Options) { o.Secret = secrets(map[string]string{"S": "potatoes-of-the-week"}) }
		s, err := stepsOn(t, srv.URL+"/", "rules:\n  - match: HOST\n    steps:\n      - fill: {selector: '#f', value: '${env:S}'}\n", options)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if text := seenText(s); !strings.Contains(text, "The price of pears is up, and potatoes are cheap.") {
			t.Errorf("%s: the page has %q", name, text)
		}
	}
}
