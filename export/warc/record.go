package warc

import (
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/net/http/httpguts"
)

// ErrBadRecord is returned for a record that the standard forbids.
var ErrBadRecord = errors.New("not a WARC record")

// Type is the type of a record (WARC/1.1 section 6).
type Type string

// The types written here. Responses are not written: they need the bytes and the header as the
// server sent them, which an archive does not keep.
const (
	Info     Type = "warcinfo" // about the file; the first record of each file
	Resource Type = "resource" // content without protocol data
	Revisit  Type = "revisit"  // content stored in a different record
)

// Field is a non-standard named field of a record's head.
type Field struct{ Name, Value string }

// Reference identifies the record that a revisit refers to.
type Reference struct {
	URI    string
	Date   time.Time
	Digest string // digest of the payload, see [Digest]
}

// Record is a record to be written.
type Record struct {
	Type        Type
	ID          string    // see [NewID]
	URI         string    // WARC-Target-URI, see [EscapeURI]; empty for a warcinfo
	Date        time.Time // time of the capture, truncated to milliseconds
	ContentType string    // media type of the block; empty for a revisit
	Block       []byte    // empty for a revisit
	RefersTo    *Reference
	Concurrent  string // ID of a second record of the same capture, or empty
	Filename    string // name of the file, in a warcinfo
	Fields      []Field
}

// NewID returns a unique record identifier: a random UUID (RFC 9562 section
// 5.4).
func NewID() string {
	var b [16]byte
	rand.Read(b[:])
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// EscapeURI percent-encodes blanks, controls, bytes beyond ASCII, and the characters <, > and " of
// a text. The other characters that RFC 3986 does not allow, such as [, ] and |, stay: browsers
// leave them unescaped in the URLs of real pages, and players look them up in that form.
func EscapeURI(s string) string {
	if strings.IndexFunc(s, notOfURI) < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if notOfURI(rune(s[i])) {
			fmt.Fprintf(&b, "%%%02X", s[i])
		} else {
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// notOfURI matches what [EscapeURI] encodes. A record with it in a URI is invalid.
func notOfURI(r rune) bool { return r <= ' ' || r >= 0x7f || r == '<' || r == '>' || r == '"' }

// check validates a record against the standard.
func (r *Record) check() error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("%w: %s", ErrBadRecord, fmt.Sprintf(format, args...))
	}
	if y := r.Date.UTC().Year(); y < 1 || y > 9999 {
		return bad("the year %d", y)
	}
	if !strings.HasPrefix(r.ID, "urn:uuid:") || strings.IndexFunc(r.ID, notOfURI) >= 0 {
		return bad("the ID %q", r.ID)
	}
	scheme, _, ok := strings.Cut(r.URI, ":")
	switch {
	case r.Type == Info && r.URI != "":
		return bad("a warcinfo of the URI %q", r.URI)
	case r.Type != Info && (!ok || scheme == "" || strings.IndexFunc(r.URI, notOfURI) >= 0):
		return bad("the URI %q", r.URI)
	}
	switch r.Type {
	case Info, Resource:
		if strings.TrimSpace(r.ContentType) == "" || r.RefersTo != nil {
			return bad("a %s without a content type, or with a reference to a different record", r.Type)
		}
	case Revisit:
		if r.RefersTo == nil || len(r.Block) > 0 || r.ContentType != "" {
			return bad("a revisit that refers to nothing, or that has a content of its own")
		}
		if strings.IndexFunc(r.RefersTo.URI, notOfURI) >= 0 || r.RefersTo.URI == "" {
			return bad("a revisit of the URI %q", r.RefersTo.URI)
		}
	default:
		return bad("the type %q", r.Type)
	}
	for _, f := range r.Fields {
		if !httpguts.ValidHeaderFieldName(f.Name) { // the same characters as in WARC/1.1 section 4
			return bad("the field name %q", f.Name)
		}
		if _, known := reserved[strings.ToLower(f.Name)]; known {
			return bad("the field %s twice", f.Name)
		}
	}
	for _, f := range r.head() {
		if strings.IndexFunc(f.Value, notOfField) >= 0 || !utf8.ValidString(f.Value) {
			return bad("%s with the value %q", f.Name, f.Value)
		}
	}
	return nil
}

// reserved are the names of fields that this package writes itself, in lower
// case.
var reserved = func() map[string]bool {
	all := map[string]bool{"warc-warcinfo-id": true}
	for _, r := range []Record{{Type: Info, Filename: "x"}, {Type: Revisit, URI: "x:", RefersTo: &Reference{}, Concurrent: "x"}, {Type: Resource, ContentType: "x"}} {
		for _, f := range r.head() {
			all[strings.ToLower(f.Name)] = true
		}
	}
	return all
}()

// notOfField matches control characters, which would end or corrupt a field's
// line.
func notOfField(r rune) bool { return r < ' ' || r == 0x7f }

// revisitProfile marks revisits with an identical payload (section 6.7.2).
const revisitProfile = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"

// head returns the named fields of a record in the order of writing.
func (r *Record) head() []Field {
	all := []Field{{"WARC-Type", string(r.Type)}, {"WARC-Record-ID", "<" + r.ID + ">"}, {"WARC-Date", date(r.Date)}}
	add := func(name, value string) {
		if value != "" {
			all = append(all, Field{name, value})
		}
	}
	add("WARC-Target-URI", r.URI)
	add("WARC-Filename", r.Filename)
	if r.Concurrent != "" {
		add("WARC-Concurrent-To", "<"+r.Concurrent+">")
	}
	if to := r.RefersTo; to != nil {
		add("WARC-Profile", revisitProfile)
		add("WARC-Refers-To-Target-URI", to.URI)
		add("WARC-Refers-To-Date", date(to.Date))
	}
	if r.Type != Info {
		add("WARC-Payload-Digest", r.Digest())
	}
	add("WARC-Block-Digest", Digest(r.Block))
	all = append(all, r.Fields...)
	add("Content-Type", r.ContentType)
	return append(all, Field{"Content-Length", fmt.Sprint(len(r.Block))})
}

// Digest returns the digest of the record's payload: of its block, or of the block it refers
// to.
func (r *Record) Digest() string {
	if r.RefersTo != nil {
		return r.RefersTo.Digest
	}
	return Digest(r.Block)
}

// date formats an instant as WARC/1.1 does, to the millisecond.
func date(t time.Time) string {
	return t.UTC().Truncate(time.Millisecond).Format("2006-01-02T15:04:05.999Z")
}
