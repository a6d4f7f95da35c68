package act

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/page"

	"plat"
	"plat/browser/capture"
	"plat/browser/tab"
	"plat/browser/wire"
)

// Redaction stands where a secret stood.
const Redaction = "[redacted]"

// minSecret is the fewest characters that are looked for: less is in every page.
// A secret as short as that protects nothing.
const minSecret = 4

// Forms are a secret as it may be written in a page, a URL or a message.
func Forms(secret string) []string {
	if len([]rune(secret)) < minSecret {
		return nil
	}
	all := []string{secret, url.QueryEscape(secret), url.PathEscape(secret), strings.ReplaceAll(url.QueryEscape(secret), "+", "%20")}
	if b, err := json.Marshal(secret); err == nil {
		all = append(all, string(b[1:len(b)-1]))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Typed notes secrets that were typed into the page.
func (a *Actor) Typed(secrets ...string) { a.secrets = append(a.secrets, secrets...) }

// allForms are the forms of all secrets that were typed into the page, the longest
// first: one may be part of another.
func (a *Actor) allForms() (all []string) {
	for _, s := range a.secrets {
		all = append(all, Forms(s)...)
	}
	slices.SortFunc(all, func(a, b string) int { return len(b) - len(a) })
	return slices.Compact(all)
}

// redactor replaces the secrets that were typed into the page; nil if there are
// none.
func (a *Actor) redactor() *strings.Replacer {
	all := a.allForms()
	if len(all) == 0 {
		return nil
	}
	var pairs []string
	for _, s := range all {
		pairs = append(pairs, s, Redaction)
	}
	return strings.NewReplacer(pairs...)
}

// redacted is text without the secrets.
func (a *Actor) redacted(text string) string {
	if r := a.redactor(); r != nil {
		return r.Replace(text)
	}
	return text
}

// Redact records in the snapshot what was done on the page, and takes out of it
// what nobody may see. What a page makes of a secret it was given, other than to
// show it, cannot be known.
func (a *Actor) Redact(s *plat.Snapshot) {
	if a.ran {
		s.Steps = a.plan.Hash()
	}
	r := a.redactor()
	if r == nil {
		return
	}
	for _, text := range []*string{&s.FinalURL, &s.Title} {
		*text = r.Replace(*text)
	}
	for i := range s.Redirects {
		s.Redirects[i].URL = r.Replace(s.Redirects[i].URL)
	}
	for i := range s.Header {
		s.Header[i][1] = r.Replace(s.Header[i][1])
	}
	for i := range s.Generated {
		s.Generated[i].Text = r.Replace(s.Generated[i].Text)
	}
	for i := range s.Nodes {
		n := &s.Nodes[i]
		n.Value = r.Replace(n.Value)
		for j := range n.Attrs {
			if at := &n.Attrs[j]; r.Replace(at.Value) != at.Value {
				at.Value = r.Replace(at.Value)
			}
		}
	}
}

// Conceal replaces the secrets in the page itself, so that neither its picture
// nor what is taken of it shows them. What an attribute loads is not shown by it, and
// would be loaded anew.
func (a *Actor) Conceal(ctx context.Context) error {
	all := a.allForms()
	if len(all) == 0 {
		return nil
	}
	list, err := jsonv2.Marshal(all)
	if err != nil {
		return err
	}
	return a.inEveryFrame(ctx, fmt.Sprintf(`(() => {
		const clean = (s) => %s.reduce((s, x) => s.replaceAll(x, %q), s);
		const walk = (root) => {
			const all = document.createNodeIterator(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT | NodeFilter.SHOW_COMMENT);
			for (let n; (n = all.nextNode());) {
				if (n.nodeType !== Node.ELEMENT_NODE) {
					if (clean(n.data) !== n.data) n.data = clean(n.data);
					continue;
				}
				for (const a of n.attributes) if (!/^(src|srcdoc|srcset|href|data|poster)$/.test(a.name) && clean(a.value) !== a.value) a.value = clean(a.value);
				if ((n instanceof HTMLInputElement && n.type !== 'file' || n instanceof HTMLTextAreaElement) && clean(n.value) !== n.value) n.value = clean(n.value);
				if (n.shadowRoot) walk(n.shadowRoot);
			}
		};
		walk(document);
	})()`, list, Redaction))
}

// inEveryFrame runs a script in every frame, of whatever origin, unseen by its page.
func (a *Actor) inEveryFrame(ctx context.Context, script string) error {
	tree, err := wire.Call(ctx, a.Session, page.GetResourceTree, cdp.Empty{})
	if err != nil {
		return err
	}
	if tree.FrameTree == nil {
		return capture.ErrMalformed
	}
	n := 0
	for f := range tab.Frames(tree.FrameTree) {
		if n++; n > maxConcealed {
			return fmt.Errorf("the page has more than %d frames", maxConcealed)
		}
		world, err := a.WorldOf(ctx, f.Frame.ID)
		var refused *wire.ProtocolError
		if errors.As(err, &refused) {
			continue // the frame is gone
		}
		if err == nil {
			_, err = a.Evaluate(ctx, world, script)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// maxConcealed is in how many frames secrets are looked for. A page with more of them is
// not taken.
const maxConcealed = 256

// RedactResources takes secrets out of the addresses of what was kept.
func (a *Actor) RedactResources(s *plat.Snapshot) {
	r := a.redactor()
	if r == nil {
		return
	}
	for i := range s.Resources {
		s.Resources[i].URL = r.Replace(s.Resources[i].URL)
	}
}

// lastPicture is what the page looks like at the end of a visit that failed, nil
// if that fails. Every field's text is hidden.
func (a *Actor) lastPicture(ctx context.Context) *plat.Picture {
	ctx, cancel := context.WithTimeout(ctx, lastPictureTimeout)
	defer cancel()
	if err := a.Conceal(ctx); err != nil {
		return nil // rather none than one that shows too much
	}
	err := a.inEveryFrame(ctx, `(() => {
		const hide = new CSSStyleSheet();
		hide.replaceSync('input, textarea { -webkit-text-security: disc !important; }');
		document.adoptedStyleSheets = [...document.adoptedStyleSheets, hide];
	})()`)
	if err != nil {
		return nil
	}
	data, err := a.Screenshot(ctx, lastPictureTimeout, tab.PNG, page.CaptureScreenshotParams{})
	if err != nil {
		return nil
	}
	return &plat.Picture{Type: "image/png", Data: data}
}

// lastPictureTimeout limits the picture of a page that a step failed on.
const lastPictureTimeout = 5 * time.Second
