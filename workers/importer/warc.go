package importer

import (
	"archive/zip"
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"path"
	"strconv"
	"strings"
	"time"

	"plat/export"
	"plat/export/warc"
	"plat/plat/weburl"
)

// A warcSource has the responses of a WARC file.
type warcSource struct {
	file io.ReaderAt
	size int64
}

func (s *warcSource) response(at warc.Place) (*http.Response, error) {
	r, err := warc.Open(s.file, s.size, at)
	if err != nil {
		return nil, err
	}
	body := bufio.NewReader(r.Block)
	if !isHTTP(r) {
		h := responseHead{http.StatusOK, http.Header{}}
		if t := clean(r.Get("Content-Type")); t != "" {
			h.header.Set("Content-Type", t)
		}
		return responseOf(h, body, nil), nil
	}
	h, err := readHead(body)
	if err != nil {
		return nil, err
	}
	return responseOf(h, body, nil), nil
}

// head returns the head of a revisit.
func (s *warcSource) head(at warc.Place) (responseHead, error) {
	r, err := warc.Open(s.file, s.size, at)
	if err != nil {
		return responseHead{}, err
	}
	return readHead(bufio.NewReader(r.Block))
}

// isHTTP reports whether a record has the head of a response of HTTP.
func isHTTP(r *warc.Read) bool {
	media, _, _ := mime.ParseMediaType(r.Get("Content-Type"))
	return r.Type == "response" && (media == "application/http" || media == "")
}

// openWARC reads a WARC file.
func (l *Library) openWARC(ctx context.Context, f *os.File, size int64) error {
	l.files = append(l.files, f)
	return l.readWARC(ctx, f, size)
}

// readWARC adds the records of a WARC file.
func (l *Library) readWARC(ctx context.Context, f io.ReaderAt, size int64) error {
	before := l.sums.Bytes
	r := warc.NewReader(f, size)
	l.sources = append(l.sources, &warcSource{file: f, size: size})
	packed := false
	var first error // damage at the beginning
	for found, bad := 0, 0; ; found++ {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		rec, err := r.Next()
		switch {
		case errors.Is(err, io.EOF) && found == 0 && first != nil:
			return first // it is no WARC file
		case errors.Is(err, io.EOF) && found == 0:
			return errors.New("the WARC file is empty")
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, warc.ErrDamaged) && bad == maxDamaged:
			l.damaged(fmt.Errorf("the rest is not read, after %d damaged places: %w", bad, err))
			return nil
		case errors.Is(err, warc.ErrDamaged):
			if found == 0 && bad == 0 {
				first = err
			} else {
				l.damaged(err)
			}
			bad++
			found--
			continue
		case err != nil:
			return err
		}
		if first != nil { // a WARC file, with a damaged beginning
			l.damaged(first)
			first = nil
		}
		if rec.Within > 0 && !packed {
			packed = true
			if r, rec, err = l.unpack(ctx, f, size, found); err != nil {
				return err
			}
		}
		l.record(rec)
		l.read(before + rec.Offset)
	}
}

// maxDamaged is the number of damaged places after which the rest of a file is not read.
const maxDamaged = 1000

// unpack uncompresses a file of which records are compressed together, and returns a reader behind its record n, and that
// record: in the compressed file they could only be found by reading it from its beginning.
func (l *Library) unpack(ctx context.Context, f io.ReaderAt, size int64, n int) (*warc.Reader, *warc.Read, error) {
	text, length, err := l.spill(ctx, warc.Uncompressed(f, size), size)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, nil, err
	}
	l.sources = append(l.sources, &warcSource{file: text, size: length})
	r := warc.NewReader(text, length)
	for found := 0; ; {
		switch rec, err := r.Next(); {
		case err == nil && found == n:
			return r, rec, nil
		case err == nil:
			found++
		case !errors.Is(err, warc.ErrDamaged):
			return nil, nil, err
		}
	}
}

// record adds a record of a WARC file.
func (l *Library) record(r *warc.Read) {
	uri := r.URI()
	at, dated := r.Date()
	e := entry{at: at.UnixMilli(), place: r.Place, source: int32(len(l.sources) - 1)}
	switch {
	case r.Type == warc.Info:
		return
	case !dated:
		l.leave("a record without a valid date")
		return
	case r.Get(export.VersionField) != "":
		l.addRecord(r, uri, e)
		return
	case !weburl.IsWeb(uri):
		if r.Type == "response" || r.Type == warc.Resource {
			l.leave(notWeb + ": " + strings.ToLower(uri[:max(0, strings.IndexByte(uri, ':'))]))
		}
		return
	}
	switch about := keyOf(normal(uri), r.Get("WARC-Date")); r.Type {
	case "request":
		l.request(r, about)
	case "metadata":
		if hops := field(r.Block, "hopsFromSeed"); strings.HasSuffix(hops, "E") { // Heritrix: embedded in a page
			req := l.requests[about]
			req.subject = true
			l.requests[about] = req
		}
	case "response", warc.Resource:
		l.response(r, uri, at, e, about)
	case warc.Revisit:
		l.revisit(r, uri, e)
	}
}

// request notes what a request tells about its response.
func (l *Library) request(r *warc.Read, about key) {
	block := bufio.NewReader(io.LimitReader(r.Block, maxHeader))
	left := maxHeader
	line, err := headLine(block, &left)
	if err != nil {
		return
	}
	method, _, _ := strings.Cut(line, " ")
	h, _ := readHead(bufio.NewReader(io.MultiReader(strings.NewReader("HTTP/1.1 200 OK\r\n"), block)))
	dest := h.header.Get("Sec-Fetch-Dest")
	req := request{
		post:    method != http.MethodGet,
		page:    dest == "document",
		subject: dest != "" && dest != "document" || h.header.Get("X-Requested-With") != "",
	}
	if req != (request{}) {
		l.requests[about] = req
	}
}

// field returns the value of a field in a block of lines.
func field(block io.Reader, name string) string {
	lines := bufio.NewScanner(io.LimitReader(block, 64<<10))
	for lines.Scan() {
		if n, v, ok := strings.Cut(lines.Text(), ":"); ok && strings.EqualFold(strings.TrimSpace(n), name) {
			return strings.TrimSpace(v)
		}
	}
	return ""
}

// response adds a response, and its page.
func (l *Library) response(r *warc.Read, uri string, at time.Time, e entry, about key) {
	block := bufio.NewReader(r.Block)
	h := responseHead{http.StatusOK, http.Header{"Content-Type": {r.Get("Content-Type")}}}
	if isHTTP(r) {
		var err error
		if h, err = readHead(block); err != nil {
			l.damaged(fmt.Errorf("%s at byte %d: %w", uri, r.Offset, err))
			return
		}
	}
	e.status = int16(h.status)
	if h.status == http.StatusNotModified {
		l.leave(notSent)
		return
	}
	if digest := r.Get("WARC-Payload-Digest"); digest != "" {
		if _, known := l.payloads[keyOf(digest)]; !known {
			l.payloads[keyOf(digest)] = e
		}
	}
	l.add(uri, e)
	l.pending = append(l.pending, candidate{uri, at, about, why(h, uri, block)})
}

// A candidate is a response that may be a page; not names the reason why its type or status say no.
type candidate struct {
	url   string
	at    time.Time
	about key
	not   string
}

// revisit adds a repetition of a response.
func (l *Library) revisit(r *warc.Read, uri string, e entry) {
	x := revisit{entry: e, url: keyOf(normal(uri))}
	x.status = http.StatusOK
	if h, err := readHead(bufio.NewReader(r.Block)); err == nil {
		x.status = int16(h.status)
	}
	if d := r.Get("WARC-Payload-Digest"); d != "" {
		x.digest = keyOf(d)
	}
	if u := strings.Trim(r.Get("WARC-Refers-To-Target-URI"), "<>"); u != "" {
		x.refers = keyOf(normal(u))
		if t, err := time.Parse(time.RFC3339Nano, r.Get("WARC-Refers-To-Date")); err == nil {
			x.date = t.UnixMilli()
		}
	}
	l.revisits = append(l.revisits, x)
	if x.status != http.StatusOK {
		return
	}
	l.again = append(l.again, candidate{url: uri, at: time.UnixMilli(e.at).UTC(), about: keyOf(normal(uri), r.Get("WARC-Date"))})
}

// choose finds the captures of pages among the responses.
func (l *Library) choose() {
	pages := map[key]bool{} // URLs that are pages at some time
	for _, c := range l.pending {
		req := l.requests[c.about]
		switch {
		case req.post:
			l.leave(posted)
		case req.subject:
			l.leave(byPage)
		case c.not != "" && !(req.page && strings.HasPrefix(c.not, notPage)):
			l.leave(c.not)
		default:
			pages[keyOf(normal(c.url))] = true
			l.capture(c.url, c.at)
		}
	}
	for _, c := range l.again {
		if req := l.requests[c.about]; req.post || req.subject || !pages[keyOf(normal(c.url))] {
			l.leave("a repetition of a file")
			continue
		}
		l.capture(c.url, c.at)
	}
	l.pending, l.again = nil, nil
}

// addListed adds the pages that a WACZ lists, at the time of the nearest response.
func (l *Library) addListed() {
	seen := map[key]bool{}
	for _, c := range l.listed {
		if p := l.native[c.url]; p != nil && len(p.versions) > 0 {
			continue
		}
		e, ok := nearest(l.entries[keyOf(normal(c.url))], c.at.UnixMilli())
		if !ok {
			l.leave("a page of the list without a response")
			continue
		}
		if k := keyOf(c.url, strconv.FormatInt(e.at, 10)); !seen[k] {
			seen[k] = true
			l.capture(c.url, time.UnixMilli(e.at))
		}
	}
	l.listed = nil
}

// Reasons why a record is not a capture.
const (
	notWeb  = "a record that is not of the web"
	notSent = "status 304: the response is in a cache that was not recorded"
	posted  = "the answer to a form or a script (POST)"
	notPage = "a file of a page: " // begins the reasons that depend on the type of a response
	byPage  = notPage + "requested by a page, not by a reader"
)

// why returns why a response is not the capture of a page, and "" if it may be one.
func why(h responseHead, uri string, body *bufio.Reader) string {
	switch {
	case h.status >= 300 && h.status < 400:
		return "a redirect"
	case h.status != http.StatusOK:
		return fmt.Sprintf("status %d", h.status)
	}
	sent := h.header.Get("Content-Type")
	if sent == "" {
		start, _ := body.Peek(512)
		sent = http.DetectContentType(start)
	}
	media, _, err := mime.ParseMediaType(sent)
	if err != nil {
		media, _, _ = strings.Cut(strings.ToLower(sent), ";")
	}
	if isPage(strings.TrimSpace(media), uri) {
		return ""
	}
	kind, _, _ := strings.Cut(media, "/")
	switch kind {
	case "image", "font", "audio", "video":
		return notPage + kind
	}
	return notPage + "style, script or data"
}

// isPage reports whether a response of a media type is a page or a document that readers open by a link.
func isPage(media, uri string) bool {
	switch media {
	case "text/html", "application/xhtml+xml", "application/pdf", "application/rss+xml", "application/atom+xml", "application/feed+json",
		"text/csv", "text/tab-separated-values", "application/msword", "application/rtf", "application/epub+zip", "application/postscript",
		"application/zip", "application/x-tar", "application/gzip":
		return true
	case "text/plain":
		p, _, _ := strings.Cut(uri, "?")
		name := path.Base(p)
		return name != "robots.txt" && name != "ads.txt" && name != "humans.txt" && name != "security.txt"
	}
	return strings.HasPrefix(media, "application/vnd.openxmlformats-officedocument.") || strings.HasPrefix(media, "application/vnd.oasis.opendocument.") ||
		strings.HasPrefix(media, "application/vnd.ms-") && !strings.Contains(media, "font")
}

// maxPage limits a page of a list of a WACZ, which may have the page's text, in bytes.
const maxPage = 4 << 20

// readPages reads a list of pages of a WACZ: then only these are captures.
func (l *Library) readPages(part *zip.File) error {
	r, err := part.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	lines := bufio.NewReaderSize(r, 64<<10)
	for {
		line, err := lineOf(lines)
		var p struct {
			URL string    `json:"url"`
			TS  time.Time `json:"ts"`
		}
		switch {
		case line == nil && err == nil:
			l.damaged(fmt.Errorf("%s: a page has more than %d bytes", part.Name, maxPage))
		case json.Unmarshal(line, &p) == nil && p.URL != "" && !p.TS.IsZero():
			l.listed = append(l.listed, candidate{url: p.URL, at: p.TS})
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// lineOf returns the next line, and nil for one that is longer than maxPage.
func lineOf(r *bufio.Reader) (line []byte, err error) {
	long := false
	for {
		part, err := r.ReadSlice('\n')
		if long = long || len(line)+len(part) > maxPage; !long {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			if long {
				return nil, err
			}
			return line, err
		}
	}
}
