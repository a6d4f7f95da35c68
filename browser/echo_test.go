package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"plat/browser/redact"
	"plat/plat"
	"plat/segment/markup"
)

// echoSecret has a character of each kind that encodings treat differently.
const echoSecret = `Tr0 ub*4~d'(é)!&<"\/%+百`

// echoPage shows a secret that is typed into its field: in each encoding that Chrome has a function
// for, as a separate paragraph and attribute, and split over nodes in many ways.
const echoPage = `<!doctype html><meta charset=utf-8><title>Echo</title><input id=field><div id=forms></div><div id=splits></div>
<style>.flex { display: flex } .hidden { display: none } .before::before { content: attr(data-x) }</style>
<script>
const show = (name, text) => {
  const p = document.createElement('p');
  p.textContent = p.title = text;
  p.dataset.form = name;
  forms.append(p);
};
const split = (name, fill) => {
  const div = document.createElement('div');
  div.dataset.split = name;
  splits.append(div);
  fill(div);
};
const sent = (charset, s) => new Promise((done) => {
  const frame = document.createElement('iframe'), form = document.createElement('form');
  frame.name = form.target = 'sent-' + charset;
  form.acceptCharset = charset;
  form.action = '/sent';
  form.innerHTML = '<input type=hidden name=q>';
  form.firstChild.value = s;
  document.body.append(frame, form);
  frame.onload = () => {
    if (!frame.contentWindow.location.search) return;
    const text = frame.contentWindow.location.search.slice(3);
    frame.remove();
    form.remove();
    done(text);
  };
  form.submit();
});
field.onchange = async () => {
  const s = field.value, e = document.createElement('i');
  e.textContent = s;
  e.title = s;
  show('text', s);
  show('form', new URLSearchParams({ q: s }).toString().slice(2));
  show('encodeURIComponent', encodeURIComponent(s));
  show('encodeURIComponent twice', encodeURIComponent(encodeURIComponent(s)));
  show('encodeURI', encodeURI(s));
  show('escape', escape(s));
  const u = new URL('http://h.test/');
  for (const part of ['pathname', 'search', 'hash', 'username', 'password']) {
    u[part] = s;
    show(part, u[part].replace(/^[/?#]/, ''));
  }
  show('JSON', JSON.stringify(s).slice(1, -1));
  show('JSON twice', JSON.stringify(JSON.stringify(s)).slice(3, -3));
  show('JSON in an address', encodeURIComponent(JSON.stringify(s).slice(1, -1)));
  show('innerHTML', e.innerHTML);
  show('an attribute', e.outerHTML.split('"')[1]);
  show('XMLSerializer', new XMLSerializer().serializeToString(e).replace(/^.*?>|<.*$/g, ''));
  show('CSS.escape', CSS.escape(s));
  show('references', [...s].map((c) => '&#' + c.codePointAt() + ';').join(''));
  show('hexadecimal references', [...s].map((c) => '&#x' + c.codePointAt().toString(16) + ';').join(''));
  show('JavaScript', [...s].map((c) => c.codePointAt() < 256 ? '\\x' + c.codePointAt().toString(16).padStart(2, '0') : '\\u' + c.codePointAt().toString(16)).join(''));
  show('lower case', encodeURIComponent(s).replace(/%../g, (x) => x.toLowerCase()));
  show('NFD', s.normalize('NFD'));
  show('upper case', s.toUpperCase());
  for (const charset of ['utf-8', 'windows-1252', 'gbk', 'shift_jis', 'iso-2022-jp']) show('a form in ' + charset, await sent(charset, s));
  const bytes = String.fromCharCode(...new TextEncoder().encode(s));
  for (const before of ['', 'u:', 'ab']) show('base64 after ' + before.length, btoa(before + bytes));

  const half = Math.floor(s.length / 2), one = (c) => { const x = document.createElement('span'); x.textContent = c; return x };
  split('two text nodes', (d) => d.append(s.slice(0, half), s.slice(half)));
  split('a text node each', (d) => d.append(...s));
  split('an element', (d) => { d.append(one(s.slice(0, half)), s.slice(half)) });
  split('a span each', (d) => d.append(...[...s].map(one)));
  split('comments', (d) => { for (const c of s) d.append(c, document.createComment('x')) });
  split('wbr', (d) => { for (const c of s) d.append(c, document.createElement('wbr')) });
  split('soft hyphens', (d) => { for (const c of s) d.append(one(c), '\u00ad') });
  split('flex', (d) => { d.className = 'flex'; for (const c of s) d.append('\n  ', one(c)) });
  split('hidden', (d) => { for (const c of s) { const x = one('z'); x.className = 'hidden'; d.append(c, x) } });
  split('scripts', (d) => { for (const c of s) { const x = document.createElement('script'); x.type = 'text/plain'; x.textContent = 'z'; d.append(c, x) } });
  split('generated', (d) => { const x = document.createElement('span'); x.className = 'before'; x.dataset.x = s.slice(0, half); x.textContent = s.slice(half); d.append(x) });
  split('percent-encoded', (d) => d.append(...[...encodeURIComponent(s)].map(one)));
  for (const mode of ['open', 'closed']) split(mode, (d) => { const x = document.createElement('x-x'); x.attachShadow({ mode }).append(...[...s.slice(half)].map(one)); d.append(s.slice(0, half), x) });
  const css = document.createElement('style');
  css.textContent = 'x-y { content: "' + CSS.escape(s) + '"; --x: "' + CSS.escape(s) + '" }';
  document.head.append(css);
  css.sheet.insertRule('x-z { --y: "' + CSS.escape(s) + '" }');
  document.title = [...s].join('\u200b');
  history.replaceState(0, '', '?q=' + escape(s) + '#' + encodeURI(s));
  fetch('/asset?x=' + encodeURIComponent(s));
  document.body.id = 'done';
};
</script>`

// A page that shows a secret in every way that Chrome can write it is stored without it.
func TestEveryWayToShowASecretIsStoredWithoutIt(t *testing.T) {
	t.Parallel()
	srv := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if r.URL.Path == "/" {
			fmt.Fprint(w, echoPage)
		}
	}))
	p := stepsPool(t, srv.URL+"/", `rules:
  - match: HOST/
    steps:
      - fill: {selector: '#field', value: '${env:S}'}
      - press: Tab
      - wait: {selector: "#done", state: present}
`, func(o *Options) { o.Secret = secrets(map[string]string{"S": echoSecret}) })
	var shown string // in the page, as its picture shows it
	s, err := p.Render(t.Context(), Request{URL: srv.URL + "/", Resources: plat.AllResources, Loads: true, inspect: func(ctx context.Context, v *visit, _ *plat.Snapshot) error {
		world, err := v.World(ctx)
		if err != nil {
			return err
		}
		b, err := v.Evaluate(ctx, world, "document.body.innerText")
		if err != nil {
			return err
		}
		if err := json.Unmarshal(b, &shown); err != nil {
			return err
		}
		concealed, err := v.capture(ctx)
		if err != nil {
			return err
		}
		for i := range concealed.Nodes {
			if split, ok := concealed.Nodes[i].Attr("data-split"); ok && split != "generated" {
				text := ""
				for j := i + 1; j < int(concealed.Nodes[i].End); j++ {
					if n := &concealed.Nodes[j]; n.Kind == plat.TextNode {
						text += n.Value
					}
				}
				if strings.Trim(text, "z \n\u00ad") != redact.Mark {
					t.Errorf("%s: the page itself shows %q", split, text)
				}
			}
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	forms, splits := 0, 0
	for i := range s.Nodes {
		n := &s.Nodes[i]
		form, isForm := n.Attr("data-form")
		split, isSplit := n.Attr("data-split")
		if !isForm && !isSplit {
			continue
		}
		text := ""
		for j := i + 1; j < int(n.End); j++ {
			if s.Nodes[j].Kind == plat.TextNode {
				text += s.Nodes[j].Value
			}
		}
		if title, _ := n.Attr("title"); isForm && title != text {
			t.Errorf("%s: the attribute is %q, the text %q", form, title, text)
		}
		switch {
		case strings.HasPrefix(form, "base64") && len(text) < len(redact.Mark)+8:
			text, _, _ = strings.Cut(text, redact.Mark) // the rest depends on its neighbours
			text += redact.Mark
			text = text[max(0, len(text)-len(redact.Mark)):]
		case isSplit:
			text = strings.Trim(text, "z \n\u00ad")
		}
		if text != redact.Mark && !(split == "generated" && text == "") {
			t.Errorf("%s%s: %q", form, split, text)
		}
		if isForm {
			forms++
		} else {
			splits++
		}
	}
	if forms != 32 || splits != 14 {
		t.Errorf("there are %d forms and %d splits, so the page did not do its part", forms, splits)
	}
	clean := strings.NewReplacer("\u200b", "", "\u00ad", "", "\n", "", "\x00", "")
	// Half of the secret, in an attribute that is the source of generated text, may remain.
	for name, all := range map[string]string{
		"snapshot": fmt.Sprintf("%+v", s), "text": markup.PlainText(markup.Serialize(s), nil), "HTML": string(markup.Serialize(s)), "page": shown,
	} {
		for _, part := range []string{"~d'(", "~d%27(", "~d%27%28", "%7Ed%27%28", `~d\'\(`} {
			if strings.Contains(clean.Replace(all), part) {
				i := strings.Index(clean.Replace(all), part)
				t.Errorf("the %s has %q: …%.200s", name, part, clean.Replace(all)[max(0, i-100):])
			}
		}
	}
	for _, r := range s.Resources {
		if strings.Contains(r.URL+string(r.Data), "ub") {
			t.Errorf("a resource is %s: %.300s", r.URL, r.Data)
		}
	}
	if s.LoadsKnown {
		t.Errorf("the loads are all known: %+v", s.Loads)
	}
}
