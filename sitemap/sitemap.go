package sitemap

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

var (
	// ErrTooLarge is returned by [Read] at a limit; the error says which. The
	// entries before it have been handed on.
	ErrTooLarge = errors.New("sitemap too large")

	// ErrFormat is returned by [Read] for what is no sitemap in any form.
	ErrFormat = errors.New("no sitemap")
)

// Kind is the form of a file.
type Kind uint8

const (
	// Unknown is the kind of what is no sitemap.
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

// NoPriority is the Priority of an entry that has none.
const NoPriority = -1

// Entry is one URL of a file: sitemaps.org, "XML tag definitions". All but Loc
// are hints, and often wrong.
type Entry struct {
	// Loc is an absolute http or https URL, as written: <loc>, <link> of an RSS
	// item, alternate <link> of an Atom entry, a line. In an [Index] it is that of
	// another sitemap. It may be longer than the protocol's 2,048 characters.
	Loc string
	// LastMod is when the page changed last, in UTC; zero if unknown: <lastmod>,
	// in any shape of W3C's "Date and Time Formats"; <pubDate>, <dc:date>,
	// <updated> of feeds. A date without time is its first moment.
	LastMod time.Time
	// Priority is 0 to 1, relative to the site's other pages, or [NoPriority]. The
	// protocol has 0.5 stand for none.
	Priority float64
	// ChangeFreq is as written: "always", "hourly", "daily", "weekly", "monthly",
	// "yearly", "never" or anything else; empty if there is none.
	ChangeFreq string
}

// Limits are what a file may cost. Zero fields stand for the defaults.
type Limits struct {
	// Bytes is how many bytes are read, before unzipping and after it. Default:
	// 52,428,800, the protocol's own limit.
	Bytes int64
	// Entries is how many entries are handed on. Default: 50,000, as the protocol
	// has it for sitemaps and for index files.
	Entries int
	// Token is the most bytes of one tag, text, comment or line. Default: 1 MiB,
	// as feeds carry whole articles.
	Token int
	// Depth is how deep elements may be nested. Default: 256.
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

// Result is what Read found, as far as it came.
type Result struct {
	Kind Kind
	// Entries is how many were handed on.
	Entries int
	// Refused is how many were not, having no URL, a relative one, or one that is
	// neither http nor https.
	Refused int
}

// Read hands the entries of a file to yield, one by one, in their order, with the
// kind of the file. The result is right also if there is an error:
//
//   - one that yield returned, as it is; it ends the reading
//   - one of r
//   - [ErrTooLarge], [ErrFormat], wrapped
//   - any other: the XML or the gzip stream is broken, and where
func Read(r io.Reader, lim Limits, yield func(Kind, Entry) error) (Result, error) {
	s := &reading{lim: lim.orDefaults(), yield: yield}
	err := s.read(r)
	return s.Result, err
}

type reading struct {
	Result
	lim   Limits
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

// entry hands one on.
func (s *reading) entry(e Entry) error {
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

// absolute reports whether loc is a full http or https URL: sitemaps.org, <loc>,
// "must begin with the protocol". Whether its host is one is for whoever visits.
func absolute(loc string) bool {
	scheme, rest, ok := strings.Cut(loc, "://")
	if !ok || !strings.EqualFold(scheme, "http") && !strings.EqualFold(scheme, "https") {
		return false
	}
	return rest != "" && !strings.ContainsRune("/?#:@", rune(rest[0]))
}
