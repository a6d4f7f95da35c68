// Package subscribe reads subscriptions from the files of other programs: OPML, lists of
// URLs, JSON Lines, and what changedetection.io exports: its backup, its url-watches.json, the
// answer of its API, its list as CSV. [Read] finds out which of them a file is.
//
// What cannot be taken over is reported with its reason ([Omission]), never with a secret:
// of notification URLs only the services are named, of headers nothing.
//
// Files are untrusted input: sizes, also of what is compressed, and numbers are limited.
package subscribe

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html/charset"

	"plat"
	"plat/excerpt"
	"plat/opml"
)

// Limits of a file that is read.
const (
	MaxBytes         = 32 << 20 // of a file, or of each file in a backup when unpacked
	maxUnpacked      = 4 * MaxBytes
	maxDirectory     = 16 << 20 // read to list the files of a backup
	MaxSubscriptions = 20_000
	maxOmissions     = 10_000
)

// ErrUnknown is returned for a file of no format that is known, or with more in it than is
// read.
var ErrUnknown = errors.New("cannot read subscriptions")

// Result is what was read.
type Result struct {
	Format        string              // as "OPML", for people
	Subscriptions []plat.Subscription // without ID, times and channels
	Omissions     []Omission
	More          int // omissions that are not listed

	known map[string]int // places of subscriptions by identity
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

// Read reads a file of size bytes. Errors of what is in it wrap [ErrUnknown].
func Read(file io.ReaderAt, size int64) (*Result, error) {
	r := &Result{known: map[string]int{}}
	head := make([]byte, min(size, 4))
	if _, err := file.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if bytes.HasPrefix(head, []byte("PK\x03\x04")) {
		if err := r.readBackup(file, size); err != nil {
			return nil, err
		}
		return r, nil
	}
	if size > MaxBytes {
		return nil, fmt.Errorf("%w: the file is longer than %d MB; divide it", ErrUnknown, MaxBytes>>20)
	}
	raw, err := io.ReadAll(io.NewSectionReader(file, 0, size))
	if err != nil {
		return nil, err
	}
	if err := r.readText(raw); err != nil {
		return nil, err
	}
	return r, nil
}

// readText reads a file that is not compressed.
func (r *Result) readText(raw []byte) error {
	if trimmed := bytes.TrimLeft(raw, " \t\r\n\ufeff"); bytes.HasPrefix(trimmed, []byte("<")) || bytes.HasPrefix(raw, []byte("<\x00")) || bytes.HasPrefix(raw, []byte("\xff\xfe<")) || bytes.HasPrefix(raw, []byte("\xfe\xff\x00<")) {
		return r.readOPML(raw)
	}
	text, err := utf8From(raw)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	trimmed := strings.TrimSpace(text)
	if strings.HasPrefix(trimmed, "{") || strings.HasPrefix(trimmed, "[") {
		if done, err := r.readJSON(trimmed); done {
			return err
		}
	}
	if columns := csvColumns(text); columns != nil {
		return r.readCSV(text, columns)
	}
	return r.readList(text)
}

func (r *Result) readOPML(raw []byte) error {
	r.Format = "OPML"
	d, err := opml.Read(bytes.NewReader(raw))
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	subs, refused := d.Subscriptions()
	for i := range subs {
		r.add(shown(subs[i].URL), &subs[i])
	}
	for _, o := range refused {
		r.omit(fmt.Sprintf("outline %q", o.Title), "", "%s", o.Reason)
	}
	return nil
}

// utf8From decodes UTF-16 with a byte order mark; of other files bytes that are no UTF-8
// become U+FFFD. Lines end in "\n" alone.
func utf8From(raw []byte) (string, error) {
	for mark, label := range map[string]string{"\xfe\xff": "utf-16be", "\xff\xfe": "utf-16le"} {
		if bytes.HasPrefix(raw, []byte(mark)) {
			in, err := charset.NewReaderLabel(label, bytes.NewReader(raw))
			if err != nil {
				return "", err
			}
			if raw, err = io.ReadAll(in); err != nil {
				return "", err
			}
			break
		}
	}
	text := strings.ToValidUTF8(strings.TrimPrefix(string(raw), "\ufeff"), "\ufffd")
	return strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text), nil
}

// add adds a subscription to a canonical URL, or reports that it is there already: one URL may
// be subscribed to several times if different texts are looked for.
func (r *Result) add(where string, s *plat.Subscription) {
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
// to look for.
func Identity(s *plat.Subscription) string { return fmt.Sprintf("%q %q %q", s.URL, s.Match, s.Except) }

// omit reports what is not taken over.
func (r *Result) omit(where, what, reason string, args ...any) {
	if len(r.Omissions) == maxOmissions {
		r.More++
		return
	}
	r.Omissions = append(r.Omissions, Omission{line(where, 300), line(what, 100), line(fmt.Sprintf(reason, args...), 500)})
}

// subscription returns one to a URL as it is written in a file; it reports a URL that
// cannot be subscribed to.
func (r *Result) subscription(where, raw string) *plat.Subscription {
	if strings.ContainsRune(raw, '\ufffd') { // see utf8From
		r.omit(where, "", "it has bytes that are not UTF-8; save the file as UTF-8")
		return nil
	}
	u, err := plat.Canonical(raw, plat.TrackingParams)
	if err != nil {
		r.omit(where, "", "%s", withoutLogin.ReplaceAllString(err.Error(), "…@"))
		return nil
	}
	return &plat.Subscription{URL: u}
}

// withoutLogin matches what may be a login in a URL that is none, or in a message about it.
var withoutLogin = regexp.MustCompile(`[^\s/?#"]*(//)?[^\s/?#"]*@`)

// maxTags limits the tags of a subscription.
const maxTags = 50

// merged returns all tags in order, each once.
func merged(tags, more []string) []string {
	all := slices.Clone(tags)
	for _, t := range more {
		if t = line(t, 100); t != "" {
			all = append(all, t)
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	return all[:min(len(all), maxTags)]
}

// shown is a URL for people: without a login.
func shown(raw string) string { return line(withoutLogin.ReplaceAllString(raw, "…@"), 300) }

// line is a text on one line, of at most most characters.
func line(s string, most int) string {
	if len(s) > 16*most {
		s = s[:16*most]
	}
	return excerpt.Line(strings.Join(strings.Fields(excerpt.Printable(s)), " "), most)
}
