package traps

import (
	"context"
	"log/slog"
	"time"

	"plat/plat"
	"plat/storage"
)

// Mode says how a crew avoids endless parts of a site, and several visits of one page under
// different addresses.
type Mode string

// Values of Mode.
const (
	On        Mode = ""      // by rules of URLs, and by the content of pages
	RulesOnly Mode = "rules" // by rules of URLs alone
	Off       Mode = "off"
)

// archive is the part of a store that a guard uses.
type archive interface {
	storage.Addresses
	Notes(ctx context.Context, prefix string) (map[string]string, error)
	SetNote(ctx context.Context, name, text string) error
}

// A reader reads the archived data of URLs, and pages as their visits do.
type reader interface {
	// State returns the state of a URL, and only the URL if it is unknown.
	State(ctx context.Context, url string) (plat.URLState, error)

	// Last returns the last version of a URL, nil without a version.
	Last(ctx context.Context, url string) (*plat.Version, error)

	// Load loads the contents of a version's blocks.
	Load(ctx context.Context, blocks []plat.Block) error

	// Compare returns the blocks of a page and how they differ from a version. It loads
	// those contents of the version that are not in the page.
	Compare(ctx context.Context, snap *plat.Snapshot, old *plat.Version) ([]plat.Block, plat.Changes, error)
}

// Options configures a guard.
type Options struct {
	Mode    Mode
	Rules   Rules
	MaxURLs int      // of a host, that links may add; 0: any number
	Drop    []string // query parameters removed from URLs; see plat.Canonical

	// Visit schedules jobs; it visits known URLs again.
	Visit func(ctx context.Context, jobs []plat.Job) error

	// Location requests a URL and returns the target of its redirect, as the site writes it;
	// empty: no redirect.
	Location func(ctx context.Context, url string) string

	Refused func(rule string) // called for each link that is not followed, or under a different address
	Known   func(url string)  // called for a link that is an alias of a known page
	Now     func() time.Time  // the fleet's clock
	Log     *slog.Logger
}

// A Guard guards the links of a crawl. It is safe for concurrent use.
type Guard struct {
	store archive
	read  reader
	o     Options
	sites known
}

// NewGuard returns a guard that stores its data in a.
func NewGuard(a archive, r reader, o Options) *Guard { return &Guard{store: a, read: r, o: o} }

// Visit is the input of a guard from a visit.
type Visit struct {
	plat.Job
	First    bool // of its URL
	Archived bool // its URL has versions

	// Of the page; nil and empty before it is read, or without a page.
	Last   *plat.Version // the last one of the URL; nil: no version
	Snap   *plat.Snapshot
	Blocks []plat.Block
	Final  string // its URL after redirects
}

// byLink reports whether a job is the first visit of a URL that a link of a crawl has led to,
// rather than a user's request.
func (v *Visit) byLink() bool {
	return v.Kind == plat.RenderJob && v.Scope != "" && v.Depth > 0 && v.First && !v.Due.IsZero()
}

// isKnown reports whether a URL has, or had, a job or a visit.
func isKnown(st *plat.URLState) bool {
	return !st.Due.IsZero() || !st.Settled.IsZero() || st.Visits > 0
}
