// Package subscribe reads subscriptions from the files of other programs: OPML, lists of
// URLs, JSON Lines, and what changedetection.io exports: its backup, its url-watches.json, the
// answer of its API, its list as CSV. [Read] finds out which of them a file is.
//
// What cannot be taken over is reported with its reason ([Omission]), never with a secret:
// of notification URLs only the services are named, of headers nothing.
//
// Files are untrusted input: they are read as a stream, which ends with its context, and bytes,
// also of what is compressed, records, values and conditions are counted over all of a file.
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

// Limits of a file that is read. All but MaxBytes and MaxSubscriptions hold for all its parts
// together, those of a backup too.
const (
	MaxBytes         = 32 << 20 // of the file
	MaxSubscriptions = 20_000

	maxUnpacked   = 4 * MaxBytes // bytes, unpacked and decoded; parts that are read twice count twice
	maxRecord     = 1 << 20      // bytes of a line, row, entry or element, which is kept as a whole
	maxRecords    = 200_000
	maxWrong      = 10_000    // records in a row without a URL
	maxValues     = 50_000    // JSON values of a record, at any depth
	maxFields     = 4_000_000 // JSON values, and cells of tables
	maxConditions = 8 << 20   // steps of checking conditions, see [expression.Effort]
	maxOmissions  = 1_000     // that are listed
	maxDirectory  = 8 << 20   // bytes read to list the files of a backup
)

// ErrUnknown is returned for a file of no format that is known, or with more in it than is
// read.
var ErrUnknown = errors.New("cannot read subscriptions")

// Result is what was read.
type Result struct {
	Format        string              // as "OPML", for people
	Subscriptions []plat.Subscription // without ID, times and channels
	Omissions     []Omission          // at most 1,000
	More          int                 // omissions that are not listed
}

// Omission is what of a file has not been taken over.
type Omission struct {
	Where  string // as "line 3", or the URL of the subscription
	What   string // as "include_filters"; empty: all of it
	Reason string
}

// String is for people.
func (o Omission) String() string {
	if o.What == "" {
		return o.Where + ": " + o.Reason
	}
	return o.Where + ": " + o.What + ": " + o.Reason
}

// Read reads a file until ctx ends. It keeps the file on disk meanwhile, in a temporary file
// without a name, and in memory one record at a time beside the result. Errors of what is in it
// wrap [ErrUnknown]; those of in and of ctx do not.
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

// spool copies a file to a temporary one, which vanishes when it is closed.
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
	known map[[sha256.Size]byte]int // places of subscriptions by identity
	budget
}

// budget is what may still be read of a file.
type budget struct {
	stop       func() error // why reading ends
	bytes      *int64
	records    int
	fields     int
	conditions int
	wrong      int    // records in a row without a URL
	first      string // the first of them
	at         string // the record that is read
}

func newReader(ctx context.Context) *reader {
	left := int64(maxUnpacked)
	return &reader{known: map[[sha256.Size]byte]int{}, budget: budget{stop: ctx.Err, bytes: &left, records: maxRecords, fields: maxFields, conditions: maxConditions}}
}

// limitError says which limit a file exceeds, and what to do.
type limitError string

func (e limitError) Error() string { return string(e) }

// explained says which limit of reading an error is about.
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

// ends reports whether an error ends reading, whatever else could be tried with the file.
func (r *reader) ends(err error) bool {
	_, limit := errors.AsType[limitError](err)
	return limit || errors.Is(err, metered.ErrLong) || errors.Is(err, metered.ErrRecord) || err != nil && r.stop() != nil
}

// record counts a record, and returns why reading ends with it.
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

// lacks notes a record without a URL.
func (r *reader) lacks() {
	if r.wrong++; r.wrong == 1 && len(r.Omissions) > 0 {
		r.first = r.Omissions[len(r.Omissions)-1].String()
	}
}

// source opens a file, or a part of a backup, from its beginning.
type source func() (io.ReadCloser, error)

// sniffed is how much of a file shows its format, in bytes.
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
		// What was read of a document that ends in the middle is read again as lines.
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
// alone. record limits the bytes of a record, see [metered.Reader]; 0: it does not.
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

// lineEnds makes "\n" of "\r\n" and "\r".
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

// add adds a subscription to a canonical URL, or reports that it is there already: one URL may
// be subscribed to several times if different texts are looked for.
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

// Identity is the same for subscriptions of which one is enough: to one URL, with the same texts
// to look for. It is a SHA-256.
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

// omit reports what is not taken over.
func (r *reader) omit(where, what, reason string, args ...any) {
	if len(r.Omissions) == maxOmissions {
		r.More++
		return
	}
	r.Omissions = append(r.Omissions, Omission{line(where, 300), line(what, 100), line(fmt.Sprintf(reason, args...), 500)})
}

// subscription returns one to a URL as it is written in a file; it reports a URL that
// cannot be subscribed to.
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

// maxURL is how long a URL may be that is looked at, in bytes: that of storage, and more.
const maxURL = 64 << 10

// withoutLogin replaces what may be a login, in a URL that cannot be read or in a message about it. It
// takes time linear in the text, unlike an expression that looks for the "@" from each place.
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

// loginEnds are the characters that no login has, unless they are escaped.
const loginEnds = "\t\n\f\r /?#\""

// Limits of the tags of a subscription.
const (
	maxTags  = 50
	maxNames = 1_000 // that are looked at, of which more may be empty or the same
)

// parts are the first of the texts between commas.
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

// shown is a URL for people: without a login.
func shown(raw string) string { return line(withoutLogin(raw), 300) }

// line is a text on one line, of at most most characters.
func line(s string, most int) string {
	if len(s) > 16*most {
		s = s[:16*most]
	}
	return excerpt.Line(strings.Join(strings.Fields(excerpt.Printable(s)), " "), most)
}
