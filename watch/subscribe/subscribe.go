// Package subscribe reads subscriptions from files of other programs: OPML, lists of URLs, JSON
// Lines, and the exports of changedetection.io, which are its backup, its url-watches.json, the
// response of its API and its list as CSV. [Read] detects the format of a file.
//
// Settings that cannot be taken over are reported with a reason ([Omission]), never with a
// secret: only the service of a notification URL, and no value of a header.
//
// Files are untrusted input: they are read as a stream that ends with its context. Limits apply
// to a whole file: its packed and unpacked bytes, records, values and conditions.
package subscribe

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"

	"plat/plat"
	"plat/plat/excerpt"
	"plat/plat/metered"
	"plat/watch/opml"
)

// Limits of a file that is read. They apply to all parts of it together, including the files in
// a backup.
const (
	MaxBytes         = 32 << 20 // bytes of the file
	MaxSubscriptions = 20_000

	maxUnpacked   = 4 * MaxBytes // bytes, unpacked and decoded; parts that are read twice count double
	maxRecord     = 1 << 20      // bytes of a line, row, entry or element, which is kept as a whole
	maxRecords    = 200_000
	maxWrong      = 10_000    // records in a row without a URL
	maxValues     = 50_000    // JSON values of a record, at any depth
	maxFields     = 4_000_000 // JSON values, and cells of tables
	maxConditions = 8 << 20   // steps of checking conditions, see [expression.Effort]
	maxOmissions  = 1_000     // omissions that are listed
	maxDirectory  = 8 << 20   // bytes read to list the files of a backup
)

// ErrUnknown is returned for a file of an unknown format, or beyond a limit.
var ErrUnknown = errors.New("cannot read subscriptions")

// Result is the content of a file.
type Result struct {
	Format        string              // for display, such as "OPML"
	Subscriptions []plat.Subscription // without ID, times and channels
	Omissions     []Omission          // at most 1,000
	More          int                 // omissions that are not listed
}

// Omission is a part of a file that is not taken over.
type Omission struct {
	Where  string // such as "line 3", or the URL of the subscription
	What   string // such as "include_filters"; empty: the whole subscription
	Reason string
}

// String formats an omission for display.
func (o Omission) String() string {
	if o.What == "" {
		return o.Where + ": " + o.Reason
	}
	return o.Where + ": " + o.What + ": " + o.Reason
}

// Read reads a file until ctx ends. It keeps the file on disk meanwhile, in a temporary file
// without a name, and in memory one record at a time beside the result. Errors of its content
// wrap [ErrUnknown], errors of in and of ctx do not.
func Read(ctx context.Context, in io.Reader) (*Result, error) {
	file, size, err := spool(ctx, in)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	r := newReader(ctx)
	head := make([]byte, 4)
	if _, err := file.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if bytes.HasPrefix(head, []byte("PK\x03\x04")) {
		err = r.backup(file, size)
	} else {
		err = r.text(func() (io.ReadCloser, error) { return io.NopCloser(io.NewSectionReader(file, 0, size)), nil })
	}
	if err != nil {
		return nil, r.explained(err)
	}
	return &r.Result, nil
}

// spool copies a file to a temporary file that is deleted on closing.
func spool(ctx context.Context, in io.Reader) (*os.File, int64, error) {
	file, err := os.CreateTemp("", "plat-import-")
	if err != nil {
		return nil, 0, err
	}
	left := int64(MaxBytes)
	err = os.Remove(file.Name())
	var n int64
	if err == nil {
		n, err = io.Copy(file, &metered.Reader{In: in, Stop: ctx.Err, Left: &left})
	}
	if err != nil {
		file.Close()
		if errors.Is(err, metered.ErrLong) {
			err = fmt.Errorf("%w: the file is longer than %d MB; divide it", ErrUnknown, MaxBytes>>20)
		}
		return nil, 0, err
	}
	return file, n, nil
}

// reader reads one file.
type reader struct {
	Result
	known map[[sha256.Size]byte]int // indexes of subscriptions by identity
	budget
}

// budget counts the reading of a file against its limits.
type budget struct {
	stop       func() error // returns the reason to stop reading, or nil
	bytes      *int64
	records    int
	fields     int
	conditions int
	wrong      int    // records in a row without a URL
	first      string // the first such record
	at         string // the record being read
}

func newReader(ctx context.Context) *reader {
	left := int64(maxUnpacked)
	return &reader{known: map[[sha256.Size]byte]int{}, budget: budget{stop: ctx.Err, bytes: &left, records: maxRecords, fields: maxFields, conditions: maxConditions}}
}

// limitError is the error of a file beyond a limit, and says what to do.
type limitError string

func (e limitError) Error() string { return string(e) }

// explained returns an error with the limit that caused it.
func (r *reader) explained(err error) error {
	switch _, limit := errors.AsType[limitError](err); {
	case limit:
		return fmt.Errorf("%w: %w", ErrUnknown, err)
	case errors.Is(err, metered.ErrLong):
		return fmt.Errorf("%w: it has more than %d MB when it is unpacked and decoded; divide the file", ErrUnknown, maxUnpacked>>20)
	case errors.Is(err, metered.ErrRecord):
		return fmt.Errorf("%w: %s is longer than %d MB; leave it out, or shorten it", ErrUnknown, cmp.Or(r.at, "line 1"), maxRecord>>20)
	}
	return err
}

// ends reports whether an error ends reading for good, so that no further format is tried.
func (r *reader) ends(err error) bool {
	_, limit := errors.AsType[limitError](err)
	return limit || errors.Is(err, metered.ErrLong) || errors.Is(err, metered.ErrRecord) || err != nil && r.stop() != nil
}

// record counts a record, and returns an error if reading has to end with it.
func (r *reader) record(where string) error {
	r.at = where
	if err := r.stop(); err != nil {
		return err
	}
	if r.records--; r.records < 0 {
		return limitError(fmt.Sprintf("it has more than %d lines, rows or entries; divide the file", maxRecords))
	}
	if r.wrong > maxWrong {
		return limitError(fmt.Sprintf("more than %d lines or entries in a row have no URL, the first is %s; write one URL a line, or leave them out", maxWrong, r.first))
	}
	return nil
}

// values counts the values of a record.
func (r *reader) values(n int) error {
	if n > maxValues {
		return limitError(fmt.Sprintf("%s has more than %d values; leave it out, or shorten it", r.at, maxValues))
	}
	if r.fields -= n; r.fields < 0 {
		return limitError(fmt.Sprintf("it has more than %d values; divide the file", maxFields))
	}
	return nil
}

// lacks counts a record without a URL.
func (r *reader) lacks() {
	if r.wrong++; r.wrong == 1 && len(r.Omissions) > 0 {
		r.first = r.Omissions[len(r.Omissions)-1].String()
	}
}

// source opens a file, or a part of a backup, from its beginning.
type source func() (io.ReadCloser, error)

// sniffed is the number of bytes at the start of a file from which its format is detected.
const sniffed = 64 << 10

// text reads a file that is not compressed.
func (r *reader) text(from source) error {
	raw, err := from()
	if err != nil {
		return err
	}
	defer raw.Close() // only read
	head, err := bufio.NewReaderSize(raw, sniffed).Peek(sniffed)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if trimmed := bytes.TrimLeft(head, " \t\r\n\ufeff"); bytes.HasPrefix(trimmed, []byte("<")) || bytes.HasPrefix(head, []byte("<\x00")) || bytes.HasPrefix(head, []byte("\xff\xfe<")) || bytes.HasPrefix(head, []byte("\xfe\xff\x00<")) {
		return r.outlines(from)
	}
	in, done, err := r.decoded(from, 0)
	if err != nil {
		return err
	}
	defer done()
	b, err := bufio.NewReaderSize(in, sniffed).Peek(sniffed)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	shown := strings.TrimSpace(string(b))
	if strings.HasPrefix(shown, "{") || strings.HasPrefix(shown, "[") {
		// A document that ends in the middle is read again, as lines.
		trial := &reader{known: map[[sha256.Size]byte]int{}, budget: r.budget}
		done, err := trial.json(from)
		if r.budget = trial.budget; done {
			r.Result, r.known = trial.Result, trial.known
			return err
		}
		r.wrong = 0
	}
	if columns := csvColumns(string(b)); columns != nil {
		return r.csv(from, columns)
	}
	return r.lines(from)
}

func (r *reader) outlines(from source) error {
	r.Format = "OPML"
	in, err := from()
	if err != nil {
		return err
	}
	defer in.Close() // only read
	d, err := opml.Read(&metered.Reader{In: in, Stop: r.stop, Left: r.bytes})
	if err != nil {
		if r.ends(err) {
			return err
		}
		return fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	subs, refused := d.Subscriptions()
	for i := range subs {
		r.add(shown(subs[i].URL), &subs[i])
	}
	for _, o := range refused {
		r.omit(fmt.Sprintf("outline %q", line(o.Title, 200)), "", "%s", o.Reason)
	}
	return nil
}

// decoded opens a text. UTF-16 with a byte order mark becomes UTF-8, and lines end in "\n"
// alone. record limits the bytes of a record, see [metered.Reader]; 0: no limit.
func (r *reader) decoded(from source, record int64) (in *metered.Reader, done func(), err error) {
	raw, err := from()
	if err != nil {
		return nil, nil, err
	}
	done = func() { raw.Close() } // only read
	b := bufio.NewReader(raw)
	mark, err := b.Peek(2)
	label := map[string]string{"\xfe\xff": "utf-16be", "\xff\xfe": "utf-16le"}[string(mark)]
	if err != nil && !errors.Is(err, io.EOF) {
		done()
		return nil, nil, err
	}
	if label != "" {
		utf8, err := charset.NewReaderLabel(label, b)
		if err != nil {
			done()
			return nil, nil, err
		}
		b = bufio.NewReader(utf8)
	}
	if mark, err := b.Peek(3); err == nil && string(mark) == "\ufeff" {
		if _, err := b.Discard(3); err != nil {
			done()
			return nil, nil, err
		}
	}
	return &metered.Reader{In: &lineEnds{in: b}, Stop: r.stop, Left: r.bytes, Record: record}, done, nil
}

// lineEnds is a reader that replaces "\r\n" and "\r" by "\n".
type lineEnds struct {
	in io.Reader
	cr bool // the last byte was "\r"
}

func (l *lineEnds) Read(p []byte) (int, error) {
	for {
		n, err := l.in.Read(p)
		out := p[:0]
		for _, c := range p[:n] {
			if c == '\n' && l.cr {
				l.cr = false
				continue
			}
			if l.cr = c == '\r'; l.cr {
				c = '\n'
			}
			out = append(out, c)
		}
		if len(out) > 0 || n == 0 || err != nil {
			return len(out), err
		}
	}
}

// add adds a subscription to a canonical URL, or reports that it already exists. A URL may have
// several subscriptions with different texts to find.
func (r *reader) add(where string, s *plat.Subscription) {
	r.wrong = 0
	identity := Identity(s)
	if at, ok := r.known[identity]; ok {
		had := &r.Subscriptions[at]
		had.Tags = merged(had.Tags, s.Tags)
		r.omit(where, "", "it is in the file already; tags are kept")
		return
	}
	if len(r.Subscriptions) == MaxSubscriptions {
		r.omit(where, "", "the file has more than %d subscriptions; divide it", MaxSubscriptions)
		return
	}
	r.known[identity] = len(r.Subscriptions)
	r.Subscriptions = append(r.Subscriptions, *s)
}

// Identity returns a SHA-256 that is equal for duplicate subscriptions: those to one URL with
// the same texts to find.
func Identity(s *plat.Subscription) [sha256.Size]byte {
	h := sha256.New()
	for _, part := range [][]string{{s.URL}, s.Match, s.Except} {
		fmt.Fprintf(h, "%d;", len(part))
		for _, text := range part {
			fmt.Fprintf(h, "%d:", len(text))
			io.WriteString(h, text) // never fails
		}
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// omit records a part that is not taken over.
func (r *reader) omit(where, what, reason string, args ...any) {
	if len(r.Omissions) == maxOmissions {
		r.More++
		return
	}
	r.Omissions = append(r.Omissions, Omission{line(where, 300), line(what, 100), line(fmt.Sprintf(reason, args...), 500)})
}

// subscription returns a subscription to a URL as it is written in a file. If plat cannot
// follow the URL, it records the reason and returns nil.
func (r *reader) subscription(where, raw string) *plat.Subscription {
	if !utf8.ValidString(raw) || strings.ContainsRune(raw, '\ufffd') {
		r.omit(where, "", "it has bytes that are not UTF-8; save the file as UTF-8")
		r.lacks()
		return nil
	}
	u, err := plat.Canonical(raw[:min(len(raw), maxURL+1)], plat.TrackingParams)
	if err == nil && len(raw) > maxURL {
		err = fmt.Errorf("its URL has more than %d bytes", maxURL)
	}
	if err != nil {
		r.omit(where, "", "%s", withoutLogin(err.Error()))
		r.lacks()
		return nil
	}
	return &plat.Subscription{URL: u}
}

// maxURL limits the length of a URL that is parsed, in bytes. The limit of storage is lower.
const maxURL = 64 << 10

// withoutLogin replaces a possible login, in a URL that cannot be parsed or in a message about
// it. It takes time linear in the text, unlike an expression that looks for the "@" from each
// place.
func withoutLogin(s string) string {
	if !strings.Contains(s, "@") {
		return s
	}
	var out strings.Builder
	for {
		at := strings.IndexByte(s, '@')
		if at < 0 {
			out.WriteString(s)
			return out.String()
		}
		begin := strings.LastIndexAny(s[:at], loginEnds) + 1
		if name, ok := strings.CutSuffix(s[:begin], "//"); ok {
			begin = strings.LastIndexAny(name, loginEnds) + 1
		}
		last := at
		if end := strings.IndexAny(s[at:], loginEnds); end >= 0 {
			last += strings.LastIndexByte(s[at:at+end], '@')
		} else {
			last = strings.LastIndexByte(s, '@')
		}
		out.WriteString(s[:begin])
		out.WriteString("…@")
		s = s[last+1:]
	}
}

// loginEnds are characters that a login contains only in escaped form.
const loginEnds = "\t\n\f\r /?#\""

// Limits of the tags of a subscription.
const (
	maxTags  = 50
	maxNames = 1_000 // names that are read, including empty ones and duplicates
)

// parts returns the first texts between commas, at most maxNames.
func parts(text string) []string {
	all := strings.SplitN(text, ",", maxNames+1)
	return all[:min(len(all), maxNames)]
}

// merged returns all tags in order, each once.
func merged(tags, more []string) []string {
	all := slices.Clone(tags)
	for _, t := range more[:min(len(more), maxNames)] {
		if t = line(t, 100); t != "" {
			all = append(all, t)
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	return all[:min(len(all), maxTags)]
}

// shown returns a URL for display, without a login.
func shown(raw string) string { return line(withoutLogin(raw), 300) }

// line returns a text on one line, of at most most characters.
func line(s string, most int) string {
	if len(s) > 16*most {
		s = s[:16*most]
	}
	return excerpt.Line(strings.Join(strings.Fields(excerpt.Printable(s)), " "), most)
}
