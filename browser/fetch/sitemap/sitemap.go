package sitemap

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"plat/plat/weburl"
)

var (
	// ErrTooLarge is returned by [Read] when a limit is exceeded; the error names it. The entries
	// before it have been yielded.
	ErrTooLarge = errors.New("sitemap too large")

	// ErrFormat is returned by [Read] for files that are not a sitemap in any
	// form.
	ErrFormat = errors.New("no sitemap")
)

// Kind is the form of a file.
type Kind uint8

const (
	// Unknown is the kind of files that are not a sitemap.
	Unknown Kind = iota
	// URLSet is a sitemap: sitemaps.org, "XML tag definitions".
	URLSet
	// Index lists sitemaps: sitemaps.org, "Using Sitemap index files".
	Index
	// Text has a URL on each line: sitemaps.org, "Text file".
	Text
	// RSS is a feed, RSS 2.0: sitemaps.org, "Syndication feed".
	RSS
	// Atom is a feed, Atom 1.0 (RFC 4287) or 0.3: ibidem.
	Atom
)

// String names the kind by its root element.
func (k Kind) String() string {
	switch k {
	case Unknown:
		return "unknown"
	case URLSet:
		return "urlset"
	case Index:
		return "sitemapindex"
	case Text:
		return "text"
	case RSS:
		return "rss"
	case Atom:
		return "atom"
	}
	return "kind " + strconv.Itoa(int(k))
}

// NoPriority is the Priority of an entry without one.
const NoPriority = -1

// Entry is one URL of a file: sitemaps.org, "XML tag definitions". All but Loc
// are hints, and often wrong.
type Entry struct {
	// Loc is an absolute http or https URL, as written: <loc>, <link> of an RSS
	// item or else its <guid> that is a permanent link, alternate <link> of an
	// Atom entry, a line. In an [Index] it is the URL of a further sitemap. It
	// may exceed the protocol's 2,048 characters. A relative one is resolved
	// against Limits.Base.
	Loc string
	// LastMod is the time of the last change, in UTC; zero if unknown:
	// <lastmod>, in any form of W3C's "Date and Time Formats"; <pubDate>,
	// <dc:date>, <updated> of feeds. A date without time is its first moment.
	LastMod time.Time
	// Priority is 0 to 1, relative to the site's other pages, or [NoPriority],
	// which the protocol treats as 0.5.
	Priority float64
	// ChangeFreq is as written: "always", "hourly", "daily", "weekly",
	// "monthly", "yearly", "never" or anything else; empty if missing.
	ChangeFreq string
}

// Limits bound the cost of a file. Zero fields mean the defaults.
type Limits struct {
	// Base is the URL of the file. The protocol wants absolute URLs, but many
	// files have relative ones: in XML they are resolved against it, unless it
	// is empty.
	Base string
	// Bytes limits the bytes read, before and after decompression. Default:
	// 52,428,800, the protocol's limit.
	Bytes int64
	// Entries limits the number of entries yielded. Default: 50,000, the
	// protocol's limit for sitemaps and index files.
	Entries int
	// Token is the maximum size of a tag, text, comment or line, in bytes.
	// Default: 1 MiB, since feeds contain whole articles.
	Token int
	// Depth is the maximum nesting of elements. Default: 256.
	Depth int
}

func (l Limits) orDefaults() Limits {
	if l.Bytes <= 0 {
		l.Bytes = 52_428_800
	}
	if l.Entries <= 0 {
		l.Entries = 50_000
	}
	if l.Token <= 0 {
		l.Token = 1 << 20
	}
	if l.Depth <= 0 {
		l.Depth = 256
	}
	return l
}

// Result summarises the findings of Read.
type Result struct {
	Kind Kind
	// Entries is the number of entries yielded.
	Entries int
	// Refused is the number of entries skipped because their URL is missing,
	// relative to no base or neither http nor https.
	Refused int
}

// Read yields the entries of a file in order, with the kind of the file. The
// result is valid even with an error:
//
//   - an error returned by yield, unchanged; it ends the reading
//   - an error of r
//   - [ErrTooLarge], [ErrFormat], wrapped
//   - any other: the XML or gzip stream is broken; the error gives the position
func Read(r io.Reader, lim Limits, yield func(Kind, Entry) error) (Result, error) {
	s := &reading{lim: lim.orDefaults(), yield: yield}
	if lim.Base != "" {
		s.base = weburl.NewBase(lim.Base)
	}
	err := s.read(r)
	return s.Result, err
}

type reading struct {
	Result
	lim   Limits
	base  *weburl.Base // nil: none
	yield func(Kind, Entry) error
}

func (s *reading) read(r io.Reader) error {
	in, err := open(r, s.lim)
	if err != nil {
		return err
	}
	for {
		c, err := in.ReadByte()
		switch {
		case err == io.EOF:
			return fmt.Errorf("%w: the file is empty", ErrFormat)
		case err != nil:
			return fmt.Errorf("read sitemap: %w", err)
		case c <= ' ':
			continue
		}
		if err := in.UnreadByte(); err != nil {
			return fmt.Errorf("read sitemap: %w", err)
		}
		if c == '<' {
			return s.xml(in)
		}
		return s.text(in)
	}
}

// entry yields an entry.
func (s *reading) entry(e Entry) error {
	if s.base != nil && s.Kind != Text && relative(e.Loc) {
		e.Loc = s.base.Resolve(e.Loc)
	}
	if !absolute(e.Loc) {
		s.Refused++
		return nil
	}
	if s.Entries == s.lim.Entries {
		return fmt.Errorf("%w: more than %d entries", ErrTooLarge, s.lim.Entries)
	}
	s.Entries++
	return s.yield(s.Kind, e)
}

// relative reports whether loc is a reference without a scheme.
func relative(loc string) bool {
	scheme, _, ok := strings.Cut(loc, ":")
	return loc != "" && (!ok || strings.ContainsAny(scheme, "/?#"))
}

// absolute reports whether loc is a full http or https URL: sitemaps.org,
// <loc>, "must begin with the protocol". The host is validated when it is
// visited.
func absolute(loc string) bool {
	scheme, rest, ok := strings.Cut(loc, "://")
	if !ok || !strings.EqualFold(scheme, "http") && !strings.EqualFold(scheme, "https") {
		return false
	}
	return rest != "" && !strings.ContainsRune("/?#:@", rune(rest[0]))
}
