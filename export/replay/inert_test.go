package replay

import (
	"os"
	"regexp"
	"strings"
	"testing"

	nethtml "golang.org/x/net/html"

	"plat/plat"
)

// mutations are pages, one on each line, whose meaning changes if a parser reads them
// differently than the tokenizer. BAD marks code that would run.
var mutations = func() []string {
	b, err := os.ReadFile("testdata/mutations.txt")
	if err != nil {
		panic(err)
	}
	return strings.Split(strings.TrimSpace(string(b)), "\n")
}()

func playable(t testing.TB, page string) string {
	t.Helper()
	v := &plat.Version{URL: "https://a.test/", Capture: plat.Capture{FinalURL: "https://a.test/"}}
	got, _, err := Playable(t.Context(), sheets{}, v, nil, nil, []byte(page))
	if err != nil {
		t.Fatal(err)
	}
	return string(got.Body)
}

// leads lists the attributes that hold addresses.
var leads = map[string]bool{"href": true, "xlink:href": true, "src": true, "action": true, "formaction": true, "data": true, "codebase": true, "background": true, "poster": true}

// acts returns the first active content that a parser finds in a page, or the empty string.
func acts(n *nethtml.Node) string {
	if n.Type == nethtml.ElementNode {
		if n.Data == "script" {
			return "<script>"
		}
		animated := false
		for _, a := range n.Attr {
			animated = animated || strings.EqualFold(a.Key, "attributename") && (strings.Contains(strings.ToLower(a.Val), "href") || strings.HasPrefix(strings.ToLower(a.Val), "on"))
		}
		for _, a := range n.Attr {
			value := strings.ToLower(strings.Join(strings.FieldsFunc(a.Val, func(r rune) bool { return r <= ' ' }), ""))
			switch {
			case strings.HasPrefix(strings.ToLower(a.Key), "on"):
				return a.Key + " of <" + n.Data + ">"
			case (leads[strings.ToLower(a.Key)] || n.Data == "param" && a.Key == "value") && strings.HasPrefix(value, "javascript:"):
				return a.Key + "=" + a.Val
			case animated && (a.Key == "to" || a.Key == "values" || a.Key == "from" || a.Key == "by"):
				return "animation of an address"
			case n.Data == "base", n.Data == "meta" && a.Key == "http-equiv" && !strings.EqualFold(strings.TrimSpace(value), "default-style"), a.Key == "action", a.Key == "formaction", n.Data == "link" && !harmlessLink(value):
				return a.Key + " of <" + n.Data + ">"
			case a.Key == "srcdoc":
				if doc, err := nethtml.Parse(strings.NewReader(a.Val)); err == nil {
					if what := acts(doc); what != "" {
						return "in a frame: " + what
					}
				}
			}
		}
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if what := acts(c); what != "" {
			return what
		}
	}
	return ""
}

// harmlessLink reports whether the rel of a <link> requests at most a style sheet or an icon.
func harmlessLink(value string) bool {
	return !strings.Contains(value, "preconnect") && !strings.Contains(value, "prefetch") && !strings.Contains(value, "import")
}

// asks returns the first reference to evil.test that a parser finds in a page, except links for
// readers.
func asks(n *nethtml.Node) string { return leadsOut(n, "a") }

// leaves returns the first reference to evil.test that a parser finds in a page, including
// links for readers.
func leaves(n *nethtml.Node) string { return leadsOut(n, "") }

func leadsOut(n *nethtml.Node, but string) string {
	sheet := ""
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == nethtml.TextNode && n.Data == "style" {
			sheet += c.Data
		}
		if what := leadsOut(c, but); what != "" {
			return what
		}
	}
	bare := strings.NewReplacer(" ", "", `"`, "", `@\69`, "@i", `u\72`, "ur").Replace(sheet)
	if strings.Contains(bare, "@importhttp://evil.test") || strings.Contains(bare, "url(http://evil.test") {
		return "<style> " + sheet
	}
	for _, a := range n.Attr {
		if n.Data != but && strings.Contains(a.Val, "evil.test") && !strings.HasPrefix(a.Val, "/web/") {
			return a.Key + "=" + a.Val
		}
	}
	return ""
}

// wanted matches all uses of "<" that are allowed in a page: tags without a nested "<", and
// comparisons in style sheets.
var wanted = regexp.MustCompile(`(?i)</?[a-z][^<>]*>|<!doctype[^<>]*>|<[ =]|<\\[0-9a-f]+ [a-z-]*>`)

// inertAnyhow fails if a parser finds active content in a page, in any parsing context.
func inertAnyhow(t *testing.T, page string) {
	t.Helper()
	if rest := wanted.ReplaceAllString(page, ""); strings.Contains(rest, "<") {
		t.Fatalf("%q in\n%s", rest, page)
	}
	parsedAnyhow(t, page, acts)
}

// parsedAnyhow fails if a check reports a finding in a page, in any parsing context.
func parsedAnyhow(t *testing.T, page string, check func(*nethtml.Node) string) {
	t.Helper()
	for _, around := range []string{"", "<svg>", "<math>", "<math><mtext>", "<svg><desc>", "<style></style><svg><style>", "<table>", "<select>", "<style>", "<title>", "<textarea>", "<xmp>", "<noscript>", "<!--", `<p title="`, "<svg><title>", "<template>"} {
		for _, scripting := range []bool{true, false} {
			doc, err := nethtml.ParseWithOptions(strings.NewReader(around+page), nethtml.ParseOptionEnableScripting(scripting))
			if err != nil {
				continue // nested too deep
			}
			if around == `<p title="` {
				continue // any quote closes an attribute; a page is never parsed in this context
			}
			if what := check(doc); what != "" {
				t.Fatalf("after %q, scripting %t: %s in\n%s", around, scripting, what, page)
			}
		}
	}
}

func TestExportedPagesDoNothingHoweverTheyAreParsed(t *testing.T) {
	for _, page := range mutations {
		for _, p := range []string{page, "<html><head></head><body>" + page + "<p>after</p></body></html>"} {
			inertAnyhow(t, playable(t, p))
			parsedAnyhow(t, playable(t, p), asks)
		}
	}
}

// In the web interface, only rewriting and the policy keep these pages from sending requests.
func TestShownPagesLeadIntoTheArchiveHoweverTheyAreParsed(t *testing.T) {
	for _, page := range mutations {
		got := rewritten(assetsOf(), page)
		inertAnyhow(t, got)
		parsedAnyhow(t, got, leaves)
	}
}

// Harmless content does not change.
func TestExportedPagesKeepTheirLooks(t *testing.T) {
	for in, want := range map[string]string{
		`<svg viewBox="0 0 1 1"><style>.a{fill:red}</style><title>Logo</title><linearGradient id="g"></linearGradient></svg>`: `<svg viewBox="0 0 1 1"><style>.a{fill:red}</style><title>Logo</title><linearGradient id="g"></linearGradient></svg>`,
		`<p>a &lt; b, 1 < 2</p>`:                                         `<p>a &lt; b, 1 &lt; 2</p>`,
		`<p title='a &lt; b "c"'>x</p>`:                                  `<p title="a &lt; b &#34;c&#34;">x</p>`,
		`<p title="a &lt; 'b' = &quot;c&quot;" hidden="">x</p>`:          `<p title="a &lt; 'b' = &quot;c&quot;" hidden="">x</p>`,
		`<style>.\[\&_p\]{top:0}.\<b{top:0}a{&:hover{top:0}}</style>`:    `<style>.\[\&_p\]{top:0}.\3c b{top:0}a{&:hover{top:0}}</style>`,
		`<style>p{content:"&lt;"}a{&lt{top:0}}</style>`:                  `<style>p{content:"\26 lt;"}a{& lt{top:0}}</style>`,
		`<svg><style>a &gt; b{top:0}<!-- x --> i{top:1px}</style></svg>`: `<svg><style>a > b{top:0} i{top:1px}</style></svg>`,
		`<p title="a < b">x</p>`:                                         `<p title="a &lt; b">x</p>`,
		`<xmp><b>x</b></xmp>`:                                            `<pre>&lt;b&gt;x&lt;/b&gt;</pre>`,
		`<style>@media (width <= 600px) { p { top: 0 } }</style>`:        `<style>@media (width <= 600px) { p { top: 0 } }</style>`,
		`<style>@media (600px <width) { p { top: 0 } }</style>`:          `<style>@media (600px < width) { p { top: 0 } }</style>`,
		`<style>p{color:attr(a type(<color>))}</style>`:                  `<style>p{color:attr(a type(<\63 olor>))}</style>`,
		`<style>p::before { content: "<b>" }</style>`:                    `<style>p::before { content: "\3c b>" }</style>`,
		`<animate attributeName="x" from="0" to="1"></animate>`:          `<animate attributeName="x" from="0" to="1"></animate>`,
	} {
		if got := playable(t, in); got != want {
			t.Errorf("%s\nbecomes %s\nwant    %s", in, got, want)
		}
	}
}

func FuzzExportedPagesDoNothing(f *testing.F) {
	for _, m := range mutations {
		f.Add(m)
	}
	f.Fuzz(func(t *testing.T, page string) {
		if len(page) < 4000 {
			inertAnyhow(t, playable(t, page))
			inertAnyhow(t, rewritten(assetsOf(), page))
		}
	})
}
