package fileview

import (
	"bytes"
	"encoding/json"
	"mime"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/mmcdole/gofeed"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/net/html/charset"

	"plat/plat"
	"plat/plat/weburl"
)

// Limits of a feed. Longer ones are shown as they are.
const (
	maxFeed    = 8 << 20 // bytes
	maxEntries = 2000
)

// MayBeFeed reports whether files of a media type may be feeds.
func MayBeFeed(media string) bool {
	switch media {
	case "application/rss+xml", "application/atom+xml", "application/rdf+xml", "application/xml", "text/xml",
		"application/x-rss+xml", "application/rss", "text/rss", "text/rss+xml", "text/atom+xml", "text/plain",
		"application/feed+json", "application/json":
		return true
	}
	return false
}

// IsFeed reports whether a file is a feed: RSS, Atom, a JSON Feed, or a sitemap of news. It is much faster than [Page].
func IsFeed(f *File) bool {
	_, ok := f.syndicated()
	return ok || newsOf(f) != nil
}

// syndicated returns the source of a file if it is a feed that gofeed reads.
func (f *File) syndicated() (data []byte, ok bool) {
	if len(f.Data) > maxFeed || !mayBegin(f.Data) {
		return nil, false
	}
	data = f.source()
	switch kind := gofeed.DetectFeedType(bytes.NewReader(data)); kind {
	case gofeed.FeedTypeRSS, gofeed.FeedTypeAtom:
		return data, true
	case gofeed.FeedTypeJSON:
		var top struct {
			Version string `json:"version"`
		}
		ok = json.Unmarshal(data, &top) == nil && strings.Contains(top.Version, "jsonfeed.org/version")
		return data, ok
	}
	return nil, false
}

// mayBegin reports whether a file begins as XML or JSON does, in any encoding. Other files are not decoded to find a feed.
func mayBegin(data []byte) bool {
	data = bytes.TrimLeftFunc(data, func(r rune) bool { return r == '\ufeff' || r == utf8.RuneError || r == 0 || unicode.IsSpace(r) })
	return len(data) > 0 && (data[0] == '<' || data[0] == '{')
}

const feedStyle = `body{font:16px/1.5 sans-serif;max-width:50em;margin:24px auto;padding:0 16px}` +
	`article{margin:24px 0;padding-top:8px;border-top:1px solid #ccc}h2{font-size:20px;margin:0}img{max-width:100%}.about{color:#555;margin:0}`

// feedPage is the page of a feed: its title and its entries, in their order, each with its title as a link, its time,
// its authors and what it quotes.
func feedPage(f *File) (page string, ok bool) {
	feed := newsOf(f)
	if feed == nil {
		data, ok := f.syndicated()
		if !ok {
			return "", false
		}
		if feed = parse(data); feed == nil {
			return "", false
		}
	}
	own := weburl.NewBase(f.URL)
	var b strings.Builder
	b.WriteString(feedHead(plain(feed.Title), feed.Language))
	b.WriteString("<header><h1>" + link(own, feed.Link, plain(feed.Title)) + "</h1>")
	paragraph(&b, plain(feed.Description))
	b.WriteString("</header><main>")
	for i, e := range feed.Items {
		if i == maxEntries {
			break
		}
		to := e.Link
		if to == "" && weburl.IsWeb(e.GUID) {
			to = e.GUID
		}
		title := plain(e.Title)
		base := own
		if title == "" { // of notes
			title = opening(e.Description)
		}
		if title == "" {
			title = opening(e.Content)
		}
		if abs := own.Resolve(to); to != "" && weburl.IsWeb(abs) {
			base = weburl.NewBase(abs)
			if title == "" {
				title = abs
			}
		}
		b.WriteString("<article")
		if id := strings.TrimSpace(e.GUID); id != "" && id != e.Link {
			b.WriteString(` ` + plat.FeedEntryID + `="` + escape(id) + `"`)
		}
		b.WriteString("><h2>" + link(own, to, title) + "</h2>")
		about(&b, e)
		for _, quoted := range []string{e.Description, e.Content} {
			if quoted != "" && (quoted != e.Description || e.Content == "" || !strings.Contains(e.Content, e.Description)) {
				b.WriteString("<div>" + quote(quoted, base) + "</div>")
			}
		}
		for _, x := range e.Enclosures {
			if name := strings.TrimSpace(x.URL); name != "" {
				b.WriteString("<p>" + link(own, name, name) + "</p>")
			}
		}
		b.WriteString("</article>\n")
	}
	b.WriteString("</main></body></html>")
	return b.String(), true
}

// feedHead returns the head of a feed's page.
func feedHead(title, language string) string {
	named := `<head><meta name="generator" content="` + plat.FeedGenerator + `">`
	return strings.NewReplacer("<html>", `<html lang="`+escape(language)+`">`, "<head>", named).Replace(head(title, feedStyle))
}

// parse reads a feed, or returns nil. It reads broken XML as it is and mended, and returns the feed with more entries.
func parse(data []byte) *gofeed.Feed {
	feed, err := gofeed.NewParser().Parse(bytes.NewReader(data))
	if data[0] == '{' {
		return feed
	}
	if whole := mended(data); len(whole) != len(data) {
		if again, wrong := gofeed.NewParser().Parse(bytes.NewReader(whole)); wrong == nil && (err != nil || len(again.Items) >= len(feed.Items)) {
			return again
		}
	}
	return feed
}

// declared matches the encoding in an XML declaration.
var declared = regexp.MustCompile(`^(\s*<\?xml[^>]*?)\s+encoding\s*=\s*["']([^"']*)["']`)

// source returns the file in UTF-8, without a name of its encoding: that of a byte order mark, of its XML declaration, or
// of its server. It begins with its first letter.
func (f *File) source() []byte {
	_, params, _ := mime.ParseMediaType(f.ContentType)
	label := params["charset"]
	if m := declared.FindSubmatch(f.Data[:min(200, len(f.Data))]); m != nil {
		label = string(m[2])
	}
	if e, name := charset.Lookup(label); e == nil || name == "utf-8" || strings.HasPrefix(name, "utf-16") { // these have a mark
		label = ""
	}
	data := f.Data
	if text, ok := decode(data, label); ok {
		data = declared.ReplaceAll([]byte(text), []byte("$1"))
	}
	return bytes.TrimLeft(data, "\ufeff \t\r\n")
}

// about writes the time and the authors of an entry.
func about(b *strings.Builder, e *gofeed.Item) {
	at, written := e.PublishedParsed, e.Published
	if written == "" {
		at, written = e.UpdatedParsed, e.Updated
	}
	var parts []string
	switch {
	case at != nil:
		parts = append(parts, `<time datetime="`+at.UTC().Format(time.RFC3339)+`">`+at.UTC().Format("2006-01-02 15:04")+"</time>")
	case written != "":
		parts = append(parts, escape(written))
	}
	for _, a := range e.Authors {
		if a != nil && a.Name != "" {
			parts = append(parts, escape(a.Name))
		}
	}
	if len(parts) > 0 {
		b.WriteString(`<p class="about">` + strings.Join(parts, " · ") + "</p>")
	}
}

func paragraph(b *strings.Builder, text string) {
	if text != "" {
		b.WriteString(`<p class="about">` + escape(text) + "</p>")
	}
}

// link returns a text as a link, or as it is if the reference leads to no web page.
func link(base *weburl.Base, ref, text string) string {
	if abs := base.Resolve(strings.TrimSpace(ref)); ref != "" && weburl.IsWeb(abs) {
		return `<a href="` + escape(abs) + `">` + escape(text) + "</a>"
	}
	return escape(text)
}

// plain returns the text of a title. It drops tags that are markup: pairs of a start and an end tag, and tags of elements that
// have no end tag. A start tag without its end tag is text: "std::vector<int>", "How to use <details>".
func plain(s string) string {
	if !strings.ContainsAny(s, "<&") {
		return strings.Join(strings.Fields(s), " ")
	}
	ends, open := map[string]int{}, map[string]int{}
	tokens := func(f func(kind html.TokenType, name string, z *html.Tokenizer)) {
		for z := html.NewTokenizer(strings.NewReader(s)); ; {
			kind := z.Next()
			if kind == html.ErrorToken {
				return
			}
			name := ""
			if kind == html.StartTagToken || kind == html.EndTagToken || kind == html.SelfClosingTagToken {
				b, _ := z.TagName()
				name = string(b)
			}
			f(kind, name, z)
		}
	}
	tokens(func(kind html.TokenType, name string, _ *html.Tokenizer) {
		if kind == html.EndTagToken {
			ends[name]++
		}
	})
	var text strings.Builder
	tokens(func(kind html.TokenType, name string, z *html.Tokenizer) {
		switch {
		case kind == html.TextToken:
			text.Write(z.Text())
		case kind == html.StartTagToken && ends[name] > 0:
			ends[name]--
			open[name]++
		case kind == html.EndTagToken && open[name] > 0:
			open[name]--
		case kind == html.CommentToken, kind == html.DoctypeToken, name == "br", name == "img", name == "wbr", name == "hr":
			text.WriteByte(' ')
		default:
			text.WriteString("<" + strings.Trim(string(z.Raw()), "<>") + ">")
		}
	})
	return strings.Join(strings.Fields(html.UnescapeString(text.String())), " ")
}

// maxOpening limits the title of an entry without one, in characters.
const maxOpening = 100

// opening returns the first words of what an entry quotes.
func opening(markup string) string {
	nodes, err := html.ParseFragment(strings.NewReader(markup), &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div})
	if err != nil {
		return ""
	}
	var b strings.Builder
	for _, n := range nodes {
		writeText(&b, n)
	}
	words := strings.Fields(b.String())
	text := strings.Join(words, " ")
	if all := []rune(text); len(all) > maxOpening {
		text = string(all[:maxOpening])
		if i := strings.LastIndexByte(text, ' '); i > 0 { // Chinese has none
			text = text[:i]
		}
		text += "…"
	}
	return text
}

// writeText writes the text of what a feed quotes, until it is longer than an opening.
func writeText(b *strings.Builder, n *html.Node) {
	if n.Type == html.TextNode {
		b.WriteString(n.Data)
	}
	if n.Type != html.ElementNode || dropped[n.DataAtom] || b.Len() > 8*maxOpening {
		return
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		writeText(b, c)
	}
	switch n.DataAtom {
	case atom.P, atom.Div, atom.Br, atom.Li, atom.Tr, atom.H1, atom.H2, atom.H3, atom.H4, atom.Td, atom.Blockquote:
		b.WriteByte(' ')
	}
}

// quotable are the elements that remain in what a feed quotes. Of others only the content remains, or nothing
// of those in dropped.
var quotable = map[atom.Atom]bool{
	atom.P: true, atom.Br: true, atom.Hr: true, atom.A: true, atom.Img: true, atom.B: true, atom.Strong: true, atom.I: true, atom.Em: true,
	atom.U: true, atom.S: true, atom.Del: true, atom.Ins: true, atom.Sub: true, atom.Sup: true, atom.Small: true, atom.Code: true, atom.Pre: true,
	atom.Blockquote: true, atom.Q: true, atom.Cite: true, atom.Ul: true, atom.Ol: true, atom.Li: true, atom.Dl: true, atom.Dt: true, atom.Dd: true,
	atom.H1: true, atom.H2: true, atom.H3: true, atom.H4: true, atom.H5: true, atom.H6: true, atom.Figure: true, atom.Figcaption: true,
	atom.Table: true, atom.Thead: true, atom.Tbody: true, atom.Tr: true, atom.Td: true, atom.Th: true, atom.Caption: true, atom.Div: true, atom.Span: true,
}

var dropped = map[atom.Atom]bool{
	atom.Script: true, atom.Style: true, atom.Iframe: true, atom.Object: true, atom.Embed: true, atom.Form: true, atom.Svg: true,
	atom.Math: true, atom.Template: true, atom.Noscript: true, atom.Head: true, atom.Title: true, atom.Video: true, atom.Audio: true,
}

// quote returns the markup that a feed quotes, reduced to quotable elements, their links and images.
func quote(markup string, base *weburl.Base) string {
	nodes, err := html.ParseFragment(strings.NewReader(markup), &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div})
	if err != nil {
		return escape(markup)
	}
	var b strings.Builder
	for _, n := range nodes {
		writeQuoted(&b, n, base)
	}
	return b.String()
}

func writeQuoted(b *strings.Builder, n *html.Node, base *weburl.Base) {
	if n.Type == html.TextNode {
		b.WriteString(escape(n.Data))
		return
	}
	if n.Type != html.ElementNode || n.Namespace != "" || dropped[n.DataAtom] {
		return
	}
	keep := quotable[n.DataAtom]
	if keep {
		b.WriteString("<" + n.Data)
		for _, a := range n.Attr {
			switch {
			case n.DataAtom == atom.A && a.Key == "href", n.DataAtom == atom.Img && a.Key == "src":
				if abs := base.Resolve(strings.TrimSpace(a.Val)); weburl.IsWeb(abs) {
					b.WriteString(" " + a.Key + `="` + escape(abs) + `"`)
				}
			case a.Key == "alt", a.Key == "title", a.Key == "width", a.Key == "height", a.Key == "colspan", a.Key == "rowspan", a.Key == "datetime":
				b.WriteString(" " + a.Key + `="` + escape(a.Val) + `"`)
			}
		}
		b.WriteString(">")
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		writeQuoted(b, c, base)
	}
	if keep && n.DataAtom != atom.Br && n.DataAtom != atom.Img && n.DataAtom != atom.Hr {
		b.WriteString("</" + n.Data + ">")
	}
}
