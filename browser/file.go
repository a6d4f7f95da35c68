package browser

import (
	"context"
	"errors"
	"mime"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"

	"plat/browser/fileview"
	"plat/browser/settle"
	"plat/browser/tab"
	"plat/plat"
	"plat/plat/weburl"
)

// file is a response that plat keeps as a file: one that it shows as a page of its own (see package fileview), or a
// picture, sound or film that Chrome shows.
type file struct {
	held     *tab.Held
	resource plat.Resource
}

// navigate brings the page into the tab. A file that Chrome does not show becomes a page: if its name tells it, at
// once, else by a second request.
func (v *visit) navigate(ctx context.Context) error {
	var err error
	held := named(v.url.Path) && v.request.Document == nil
	if held {
		err = v.navigateHeld(ctx, asNamed)
	} else {
		err = v.Navigate(ctx, v.request.URL)
	}
	if errors.Is(err, settle.ErrDownload) && !held || errors.Is(err, settle.ErrUnsupported) {
		if err := v.Forget(ctx); err != nil {
			return err
		}
		return v.navigateHeld(ctx, notShown)
	}
	return err
}

// heldAs says what is known of a response that is requested by navigateHeld.
type heldAs uint8

const (
	asNamed    heldAs = iota // what its URL tells
	notShown                 // Chrome does not show it, also if it shows others of its type: text with bytes of binary files, say
	feedOrFile               // it may be a feed that is served as HTML
)

// feedNames are extensions of files that may be feeds.
var feedNames = map[string]bool{".rss": true, ".atom": true, ".xml": true}

// hintsAtFeed matches URLs of which HTML is examined for a feed: those with its words, and those of scripts. Asking every page would cost a visit two messages to Chrome, which a
// busy page answers late.
var hintsAtFeed = regexp.MustCompile(`(?i)rss|feed|atom|rdf|xml|backend|syndicat|\.(?:php\d?|cgi|pl|aspx?)\b`)

// maxAsking limits the time in which a page of HTML answers whether it is a feed.
const maxAsking = 2 * time.Second

// named reports whether a URL's path names a file that is kept, or a feed.
func named(urlPath string) bool {
	return weburl.NamesFile(urlPath) || namesFeed(urlPath)
}

// namesFeed reports whether a URL's path names a feed.
func namesFeed(urlPath string) bool {
	switch last := strings.ToLower(path.Base(urlPath)); last {
	case "feed", "rss", "atom":
		return true
	default:
		return feedNames[path.Ext(last)]
	}
}

// navigateHeld navigates, and shows the response as a page if it is a file of which one can be made. HTML is only examined for a
// feed if its URL names one, or for feedOrFile.
func (v *visit) navigateHeld(ctx context.Context, as heldAs) error {
	v.heldOnce = true
	return v.NavigateHeld(ctx, v.request.URL, func(ctx context.Context, held *tab.Held) error {
		media := mediaType(held.Get("Content-Type"))
		feed := fileview.MayBeFeed(media) || plat.IsHTML(media) && (as == feedOrFile || namesFeed(v.url.Path))
		shown := chromeShows(media, held.Get("Content-Disposition")) && (as != notShown || isMedia(media) || plat.IsHTML(media))
		size, _ := strconv.ParseInt(held.Get("Content-Length"), 10, 64)
		// Sound and film without a length may be a stream that never ends; a large picture does not fit into a message to Chrome.
		kept := shown && isMedia(media) && !v.o.NoFiles && held.Status == 200 &&
			(size > 0 && size <= maxKept || size == 0 && strings.HasPrefix(media, "image/"))
		if shown && !feed && !kept || held.Status == 204 || held.Status == 205 {
			return held.Continue(ctx)
		}
		most := v.o.MaxBytes
		if kept || feed {
			most = min(most, maxKept)
		}
		body, err := held.Body(ctx, most)
		if errors.Is(err, tab.ErrTooLong) {
			return &settle.TooLargeError{Verb: "received", Limit: most, Unit: "bytes"}
		}
		if err != nil {
			return err
		}
		f := &fileview.File{URL: held.URL, ContentType: held.Get("Content-Type"), Disposition: held.Get("Content-Disposition"), Data: body}
		resource := plat.Resource{
			URL: plat.FileURL, Type: media, Status: held.Status, Size: int64(len(body)), Hash: plat.HashOf(body), Data: body,
		}
		if kept {
			v.file = &file{held, resource}
		}
		feed = feed && (shown || fileview.IsFeed(f)) // others that Chrome does not show are files
		if kept || feed && !fileview.IsFeed(f) {
			return held.Show(ctx, unencoded(held.Header), body)
		}
		page, ok := fileview.Page(f)
		if !ok && !feed && !v.o.NoFiles && !plat.IsHTML(media) {
			v.turn.give() // the browser serves other pages meanwhile
			page, err = fileview.DocumentPage(ctx, f)
			if err := errors.Join(err, v.turn.take(ctx)); err != nil {
				return err
			}
			ok = true
		}
		if !ok {
			return held.Show(ctx, unencoded(held.Header), body)
		}
		v.file = &file{held, resource}
		return held.Show(ctx, [][2]string{{"Content-Type", "text/html; charset=utf-8"}, {"Content-Security-Policy", fileview.Policy}}, []byte(page))
	})
}

// maxKept is the greatest size of a picture, sound or film that is kept as a file, and of a feed: Chrome gets it back in one message.
const maxKept = 32 << 20

// isMedia reports whether a media type is that of a picture, sound or film.
func isMedia(media string) bool {
	kind, _, _ := strings.Cut(media, "/")
	return kind == "image" || kind == "audio" || kind == "video"
}

// recognize requests the page again if it turns out to be a file that is kept, and that its name did not tell: a feed of
// which Chrome shows the source, or a picture.
func (v *visit) recognize(ctx context.Context) error {
	sent, at := "", "" // Chrome takes some feeds for text
	v.View(func(s *tab.State) {
		if s.Response != nil {
			sent, _ = plat.HeaderField(headers(s.Response.Headers), "Content-Type")
			at = s.Response.URL
		}
	})
	sent = mediaType(sent)
	switch {
	case v.heldOnce || v.request.Document != nil:
		return nil
	case plat.IsHTML(sent) && hintsAtFeed.MatchString(v.request.URL+" "+at):
		short, done := context.WithTimeout(ctx, maxAsking)
		is, err := v.inWorld(short, feedShown)
		if done(); err != nil || string(is) != "true" {
			return ctx.Err() // a page that leads elsewhere or is busy is none
		}
	case fileview.MayBeFeed(sent):
		if is, err := v.inWorld(ctx, feedShown); err != nil || string(is) != "true" {
			return err
		}
	case !isMedia(sent) || v.o.NoFiles:
		return nil
	}
	if err := v.Forget(ctx); err != nil {
		return err
	}
	if err := v.navigateHeld(ctx, feedOrFile); err != nil {
		return err
	}
	return v.Load(ctx)
}

// feedShown tells whether the document is the source of a feed: its own elements, Chrome's tree of them, or text (as
// Chrome shows application/rss+xml).
const feedShown = `(() => {
	const viewer = document.getElementById("webkit-xml-viewer-source-xml");
	const root = viewer ? viewer.firstElementChild : document.documentElement;
	if (root && ["rss", "feed", "RDF"].includes(root.localName)) return true;
	if (root && root.localName === "urlset" && [...root.getElementsByTagNameNS("*", "news")].some(e => e.namespaceURI.includes("/schemas/sitemap-news/"))) return true;
	const first = document.body && document.body.firstElementChild; // of a feed that is served as HTML
	if (document.contentType === "text/html" && first && !viewer) return ["rss", "rdf:rdf"].includes(first.localName) || first.localName === "feed" && first.hasAttribute("xmlns");
	const text = document.body ? document.body.textContent.slice(0, 100000) : "";
	return text.includes("jsonfeed.org/version") || /^[^<]*(<[?!][^>]*>[^<]*)*<(rss|feed|rdf:RDF)[\s>]/.test(text);
})()`

// mediaType returns the media type of a header Content-Type in lower case, without parameters; empty if there is none.
func mediaType(header string) string {
	media, _, err := mime.ParseMediaType(header)
	if err != nil && media == "" {
		media, _, _ = strings.Cut(header, ";")
	}
	return strings.ToLower(strings.TrimSpace(media))
}

// chromeShows reports whether Chrome shows a response of a type: all but what it saves as a file (IsSupportedMimeType in Chromium's
// media_type lists).
func chromeShows(media, disposition string) bool {
	if kind, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(disposition)), ";"); strings.TrimSpace(kind) == "attachment" {
		return false
	}
	major, minor, _ := strings.Cut(media, "/")
	switch {
	case media == "", major == "image", major == "audio", major == "video":
		return true
	case major == "text":
		return !savedText[minor]
	case strings.HasSuffix(minor, "+xml"), strings.HasSuffix(minor, "+json"):
		return true
	case major == "application":
		switch minor {
		case "xml", "json", "javascript", "x-javascript", "ecmascript", "x-ecmascript", "signed-exchange", "x-x509-ca-cert", "mbox", "x-mpegurl":
			return true
		}
	}
	return major == "multipart" || major == "message"
}

// savedText are the text types that Chrome saves (kUnsupportedTextTypes in Chromium's mime_util.cc).
var savedText = map[string]bool{
	"calendar": true, "x-calendar": true, "x-vcalendar": true, "vcalendar": true, "vcard": true, "x-vcard": true, "directory": true,
	"ldif": true, "qif": true, "x-qif": true, "x-csv": true, "x-vcf": true, "rtf": true, "comma-separated-values": true, "csv": true,
	"tab-separated-values": true, "tsv": true, "ofx": true, "vnd.sun.j2me.app-descriptor": true, "x-ms-iqy": true, "x-ms-odc": true, "x-ms-rqy": true, "x-ms-contact": true,
}

// unencoded returns the fields of a response without those that belong to its transfer.
func unencoded(header [][2]string) (fields [][2]string) {
	for _, f := range header {
		switch strings.ToLower(f[0]) {
		case "content-encoding", "content-length", "transfer-encoding":
		default:
			fields = append(fields, f)
		}
	}
	return fields
}
