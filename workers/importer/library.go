package importer

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"plat/export/warc"
	"plat/plat/weburl"
)

// ErrUnknown is returned for files that are of no known kind.
var ErrUnknown = errors.New("it is neither WARC, WACZ, HAR, a saved page nor a folder of pages")

// Options configure how files are read.
type Options struct {
	// URL is the address of a saved page or of a folder, for those that do not say it.
	URL string

	// At is the time of the captures of a saved page or of a folder. Zero: that in the page, or of the last
	// modification of the file.
	At time.Time

	// Prefix selects the captures whose URL begins with it.
	Prefix string

	// Progress, if not nil, receives the sums so far, several times a second.
	Progress func(Sums)
}

// Sums counts what is in the files.
type Sums struct {
	Files    int            // read to the end
	Kinds    map[string]int // of these by kind: "WARC", "WACZ", …
	Bytes    int64          // of the files read so far
	Total    int64          // bytes of all files
	Records  int            // responses and other records
	Captures int            // of pages
	Versions int            // of plat, among Captures
	URLs     int            // of the captures
	First    time.Time      // of the captures
	Last     time.Time
	Left     map[string]int // records that are not captures, by reason
	Damaged  []string       // places that cannot be read, at most 20
}

// A Capture is a page at a time.
type Capture struct {
	URL     string // as it was requested
	At      time.Time
	version *version // as plat exported it; nil: it is rendered
}

// A Library has the responses of the files, and answers requests as of a time. It is safe for concurrent use.
type Library struct {
	o       Options
	sums    Sums
	now     time.Time
	shown   time.Time
	sources []source
	files   []io.Closer // of the sources
	temp    string      // folder of temporary files; empty: none so far

	entries  map[key][]entry // by URL, in the order of time
	loose    map[key][]entry // by URL without parameters against caches
	payloads map[key]entry   // by digest: the first response with it
	revisits []revisit
	bodies   map[place]entry // responses that revisits refer to, by the place of the revisit
	requests map[key]request // by URL and time
	captures []Capture
	pending  []candidate // responses that may be pages
	again    []candidate // repetitions of responses
	listed   []candidate // pages that a WACZ lists
	exported []candidate // pages that plat has exported
	native   map[string]*page
	blocks   map[key]entry // records of plat by digest
}

// A source has responses.
type source interface {
	// response returns the response at a place. Its body must be closed.
	response(at warc.Place) (*http.Response, error)
}

// A key is the digest of a URL, or of a digest and the like.
type key [16]byte

func keyOf(parts ...string) key {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\n")))
	return key(sum[:16])
}

// normal returns a URL as browsers request it, without fragment.
func normal(url string) string {
	if r := weburl.WithoutFragment(weburl.Resolve(url)); r != "" {
		return r
	}
	return url
}

// An entry is a response.
type entry struct {
	at     int64 // Unix time, milliseconds
	place  warc.Place
	source int32
	status int16
}

// A place is a place in a source.
type place struct {
	warc.Place
	source int32
}

func (e *entry) id() place { return place{e.place, e.source} }

// odd is 1 for all but status 200: of one time, a page comes before the redirect that leads to it.
func (e *entry) odd() int {
	if e.status != http.StatusOK {
		return 1
	}
	return 0
}

// A revisit is a response whose body is that of a different one.
type revisit struct {
	entry
	url    key
	digest key // of the payload, zero if unknown
	refers key // URL that it refers to, zero if unknown
	date   int64
}

// A request tells about a response with the same URL and time.
type request struct {
	post    bool
	subject bool // it was not for a page: of a script, a frame, an image
	page    bool // it was for a page, whatever its type
}

// Open reads files and folders. Close the library.
func Open(ctx context.Context, paths []string, o Options) (*Library, error) {
	l := &Library{
		now: time.Now(), o: o, sums: Sums{Kinds: map[string]int{}, Left: map[string]int{}}, entries: map[key][]entry{}, loose: map[key][]entry{},
		payloads: map[key]entry{}, requests: map[key]request{}, native: map[string]*page{}, blocks: map[key]entry{}, bodies: map[place]entry{},
	}
	for _, p := range paths {
		if st, err := os.Stat(p); err == nil && !st.IsDir() {
			l.sums.Total += st.Size()
		}
	}
	for _, p := range paths {
		kind, err := l.open(ctx, p)
		if err != nil {
			l.Close()
			return nil, fmt.Errorf("%s: %w", p, err)
		}
		l.sums.Files++
		l.sums.Kinds[kind]++
	}
	l.finish()
	return l, nil
}

// Close removes temporary files and closes all others.
func (l *Library) Close() error {
	var err error
	for _, f := range l.files {
		err = errors.Join(err, f.Close())
	}
	if l.temp != "" {
		err = errors.Join(err, os.RemoveAll(l.temp))
	}
	return err
}

// Sums returns what is in the files.
func (l *Library) Sums() Sums { return l.sums }

// tempFile makes a temporary file, which Close closes and removes.
func (l *Library) tempFile() (*os.File, error) {
	if l.temp == "" {
		dir, err := os.MkdirTemp("", "plat-import-")
		if err != nil {
			return nil, err
		}
		l.temp = dir
	}
	f, err := os.CreateTemp(l.temp, "")
	if err == nil {
		l.files = append(l.files, f)
	}
	return f, err
}

// read counts a record, and reports progress now and then.
func (l *Library) read(bytes int64) {
	l.sums.Records++
	l.sums.Bytes = bytes
	if l.o.Progress != nil && time.Since(l.shown) > 200*time.Millisecond {
		l.shown = time.Now()
		l.o.Progress(l.sums)
	}
}

// leave counts a record that is left out.
func (l *Library) leave(why string) { l.sums.Left[why]++ }

// damaged counts a place that cannot be read.
func (l *Library) damaged(err error) {
	l.leave("damaged")
	if len(l.sums.Damaged) < 20 {
		l.sums.Damaged = append(l.sums.Damaged, err.Error())
	}
}

// add adds a response.
func (l *Library) add(url string, e entry) {
	url = normal(url)
	k := keyOf(url)
	l.entries[k] = append(l.entries[k], e)
	if s := withoutBusters(url, e.at); s != url {
		k := keyOf(s)
		l.loose[k] = append(l.loose[k], e)
	}
}

// capture adds a capture of a page.
func (l *Library) capture(url string, at time.Time) {
	if l.o.Prefix != "" && !strings.HasPrefix(url, l.o.Prefix) {
		l.leave("a URL that does not begin with " + l.o.Prefix)
		return
	}
	if at.After(l.now.Add(24 * time.Hour)) {
		l.leave("a date in the future")
		return
	}
	l.captures = append(l.captures, Capture{URL: url, At: at.UTC().Truncate(time.Millisecond)})
}

// finish finds the bodies of revisits, and puts everything in order.
func (l *Library) finish() {
	l.sort()
	again := map[key][]entry{}
	for _, r := range l.revisits {
		of, ok := nearest(l.entries[r.refers], r.date)
		if !ok || of.at != r.date {
			if e, known := l.payloads[r.digest]; known {
				of, ok = e, true
			}
		}
		if !ok {
			l.leave("a repetition of a response that is not in the files")
			continue
		}
		l.bodies[r.id()] = of
		again[r.url] = append(again[r.url], r.entry)
	}
	for url, es := range again {
		l.entries[url] = append(l.entries[url], es...)
	}
	l.choose()
	l.revisits, l.payloads, l.requests = nil, nil, nil
	l.sort()
	l.addListed()
	l.addNative()
	inOrder(l.captures)
	l.count()
}

func (l *Library) sort() {
	for _, all := range []map[key][]entry{l.entries, l.loose} {
		for _, es := range all {
			slices.SortStableFunc(es, func(a, b entry) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.odd(), b.odd())) })
		}
	}
}

func (l *Library) count() {
	urls := map[key]bool{}
	for i, c := range l.captures {
		urls[keyOf(c.URL)] = true
		if i == 0 {
			l.sums.First = c.At
		}
		l.sums.Last = c.At
	}
	l.sums.Captures, l.sums.URLs = len(l.captures), len(urls)
}

// Captures returns the captures of pages, in the order of time.
func (l *Library) Captures() []Capture { return l.captures }

// A dated library answers as of a time.
type dated struct {
	l  *Library
	at int64

	asked, url string // a request for the first is one for the second; may be empty
}

// as returns the library as of a capture. Its page is requested by an address that may differ from the recorded one: it has
// no tracking parameters, and other escapes.
func (l *Library) as(c *Capture, asked string) dated {
	return dated{l, c.At.UnixMilli(), normal(asked), normal(c.URL)}
}

// Answer implements the recording of package egress. Of the responses to a URL, it returns that whose time is nearest; if
// there is none, that of the same URL by the other scheme, then of a URL that differs in parameters against caches.
func (d dated) Answer(_ context.Context, _, url string, _ http.Header) *http.Response {
	url = normal(url)
	found := d.l.find(url, d.at)
	if url == d.asked && url != d.url {
		found = append(d.l.find(d.url, d.at), found...)
	}
	for _, e := range found {
		if resp, err := d.l.answerOf(e); err == nil {
			return resp
		}
	}
	return nil
}

// answerOf returns the response of an entry: of a revisit, with its own header and the body that it refers to.
func (l *Library) answerOf(e entry) (*http.Response, error) {
	of, ok := l.bodies[e.id()]
	if !ok {
		return l.sources[e.source].response(e.place)
	}
	own, ok := l.sources[e.source].(*warcSource)
	if !ok {
		return l.sources[of.source].response(of.place)
	}
	head, err := own.head(e.place)
	resp, bad := l.sources[of.source].response(of.place)
	if bad != nil || err != nil { // a revisit without a header
		return resp, bad
	}
	encoding, kind := resp.Header["Content-Encoding"], resp.Header["Content-Type"]
	resp.StatusCode, resp.Header = min(max(head.status, 200), 599), withoutConnection(head.header)
	resp.Header.Del("Content-Encoding")
	if encoding != nil {
		resp.Header["Content-Encoding"] = encoding
	}
	if _, typed := resp.Header["Content-Type"]; !typed && kind != nil {
		resp.Header["Content-Type"] = kind
	}
	return resp, nil
}

// find returns the responses to a URL, the best first.
func (l *Library) find(url string, at int64) (found []entry) {
	add := func(es []entry) {
		if e, ok := nearest(es, at); ok {
			found = append(found, e)
		}
	}
	add(l.entries[keyOf(url)])
	if rest, ok := strings.CutPrefix(url, "https://"); ok {
		add(l.entries[keyOf("http://"+rest)])
	} else if rest, ok := strings.CutPrefix(url, "http://"); ok {
		add(l.entries[keyOf("https://"+rest)])
	}
	stripped := withoutBusters(url, at)
	if stripped != url {
		add(l.entries[keyOf(stripped)])
	}
	add(l.loose[keyOf(stripped)])
	return found
}

// nearest returns the entry whose time is nearest, of several the first. Entries are in the order of time.
func nearest(es []entry, at int64) (entry, bool) {
	if len(es) == 0 {
		return entry{}, false
	}
	i, _ := slices.BinarySearchFunc(es, at, func(e entry, at int64) int { return cmp.Compare(e.at, at) })
	if i == len(es) || i > 0 && at-es[i-1].at <= es[i].at-at && es[i].at != at {
		i--
	}
	return es[i], true
}

// withoutBusters returns a URL without the parameters by which scripts avoid caches: those of the usual names, and those
// whose value is about the time of the response, in seconds or milliseconds.
func withoutBusters(url string, at int64) string {
	path, query, ok := strings.Cut(url, "?")
	if !ok {
		return url
	}
	kept := ""
	for p := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(p, "=")
		if isBuster(strings.ToLower(name), value, at) {
			continue
		}
		if kept != "" {
			kept += "&"
		}
		kept += p
	}
	if kept == "" {
		return path
	}
	return path + "?" + kept
}

func isBuster(name, value string, at int64) bool {
	switch name {
	case "_", "cb", "cachebuster", "cache_buster", "cachebust", "nocache", "rnd", "rand", "random", "timestamp", "callback", "jsonp":
		return true
	}
	const year = 365 * 24 * 3600 * 1000
	n, err := strconv.ParseInt(value, 10, 64)
	switch len(value) {
	case 10:
		n *= 1000
	case 13:
	default:
		return false
	}
	return err == nil && n > at-year && n < at+year
}
