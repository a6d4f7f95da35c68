package workers

import (
	"context"
	"time"

	"plat/diff/noise"
	"plat/plat"
	"plat/queue/schedule"
	"plat/segment"
	"plat/segment/metadata"
	"plat/storage"
)

// Options configures visits, by stage. The zero value is the default.
type Options struct {
	Permission   Permission
	Skip         *Skipping // nil: every visit renders the page
	Capture      Capture
	Segmentation Segmentation
	News         News
	Focus        Focus
	Planner      schedule.Planner // decides when a URL is visited again
}

// Permission configures which pages may be visited and stored.
type Permission struct {
	// Robots, if not nil, reports before each visit by [Worker.Visit], and for the URL that a page redirects
	// to, whether robots.txt allows it. A [Crew] has its own.
	Robots obeyer

	// ObeyMeta is the name under which pages may forbid storing (noindex, noarchive)
	// or following links, in meta elements and X-Robots-Tag; empty: ignored.
	ObeyMeta string

	// Forbidden is advice that is added to the error of pages with status 403.
	Forbidden string

	// Unauthorized, if not nil, returns advice that is added to the error of a URL with status 401 or 407.
	Unauthorized func(url string) string
}

// Capture configures the parts of a page that are stored beside its blocks.
type Capture struct {
	Pictures bool            // a picture of every new version, and of the last one if it has none and the page is unchanged
	Meta     *metadata.Rules // nil: no metadata

	// Resources selects the files of a new version's page that are stored, and compared with
	// those of the last version. If that has none and the page is unchanged, it gets them.
	Resources plat.ResourceSet
}

// Segmentation configures how new URLs are divided into blocks. Known URLs keep the parameters of their
// last version, so that versions are comparable.
type Segmentation struct {
	Profile segment.Profile // "" is segment.Visual
	Level   int             // 0 is segment.DefaultLevel
	Fixed   bool            // levels are not learned from history
}

// News configures which differences make a new version.
type News struct {
	SecondLook noise.When // when a page is rendered twice
	KeepNoise  bool       // store versions also of differences that a second rendering proves to be self-changes

	// ConfirmAfter is the time from an answer that is hardly the page to the next visit, which may
	// store it as a version; see package softerror. 0: the first visit stores it.
	ConfirmAfter time.Duration
}

// Focus configures focused crawls.
type Focus struct {
	Crawls   crawls   // receive the pages that they wait for; may be nil
	Cloaking cloaking // reports whether readers are shown a different page; nil: not checked
}

// A renderer turns a URL into a snapshot. If evidence is not nil, it is called while
// the page is still open, and the attachments that it returns are captured.
type renderer interface {
	Render(ctx context.Context, url string, evidence func(*plat.Snapshot) plat.Attachments) (*plat.Snapshot, error)
}

// archive is the part of a store that a visit uses.
type archive interface {
	lister
	versionReader
	State(ctx context.Context, url string) (plat.URLState, error)
	Layout(ctx context.Context, h plat.Hash) (plat.Layout, error)
	Manifest(ctx context.Context, h plat.Hash) (plat.Manifest, error)
	visitStorer
	Notes(ctx context.Context, prefix string) (map[string]string, error)
}

// visitStorer stores what a visit has found.
type visitStorer interface {
	Commit(ctx context.Context, c *storage.Commit) (storage.Written, error)
	Attach(ctx context.Context, url string, n int, a *storage.Attachment) (storage.Written, error)
	Record(ctx context.Context, v plat.Visit, pageBytes int64) error
}

// An expander is the part of a crawl that grows by the pages it finds.
type expander interface {
	// Main returns the URL under which a page is archived already; empty if it is not, or if no link
	// has led to the URL.
	Main(ctx context.Context, a *attempt, p *result) (string, error)

	// Learned adds a page to the properties of its site. main is the URL of Main.
	Learned(ctx context.Context, a *attempt, p *result, main string)

	// Follow adds a page's links to the crawl, and returns how many URLs are new.
	Follow(ctx context.Context, a *attempt, p *result) (int, error)

	// Obey asks robots.txt for a URL; see obeyer.
	obeyer

	// Drop lists the query parameters that are removed from URLs; see plat.Canonical.
	Drop() []string
}
