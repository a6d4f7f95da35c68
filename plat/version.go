package plat

import "time"

// Kind is the kind of a change between two versions.
type Kind string

// The kinds of change. All are stored; not all are news.
const (
	Same          Kind = "same"          // no change
	Added         Kind = "added"         // a new block
	Removed       Kind = "removed"       // a missing block
	Moved         Kind = "moved"         // same content in a different place or order
	Content       Kind = "content"       // visible or folded words changed
	Link          Kind = "link"          // same words, a different target of a link or form, or a different page in a frame
	Image         Kind = "image"         // same words, a different image or style sheet
	Format        Kind = "format"        // same words, different markup or style
	Invisible     Kind = "hidden"        // hidden words changed
	Volatile      Kind = "volatile"      // only tokens, nonces or ids changed
	Advertisement Kind = "advertisement" // content changed in a block labelled as advertisement
)

// Kinds lists all kinds of change in display order.
var Kinds = []Kind{Added, Removed, Content, Link, Image, Moved, Format, Invisible, Advertisement, Volatile}

// News reports whether changes of a kind are news by default: the reader reads, sees or follows
// different content. A change of position is not news.
func (k Kind) News() bool {
	switch k {
	case Added, Removed, Content, Link, Image, Format:
		return true
	}
	return false
}

// Change is the change of one block between two versions.
type Change struct {
	Kind    Kind
	Lineage int32
	Old     int32 // index into the old version's Blocks, -1 for Added
	New     int32 // index into the new version's Blocks, -1 for Removed
	Folded  bool  // the changed text is folded: one click or touch reveals it
}

// Changes is the result of a comparison. A version is new if Differs.
type Changes struct {
	// Differs is the negation of formula 1 of BWAP section 2.3: layouts or blocks are not byte-equal,
	// or different parts of them are visible. It is also true if a file that they show differs.
	Differs bool
	Layout  Kind // Same, Format, Volatile or Invisible; Content if the changed visible text is in no block; Image: a style sheet, or an image in no block
	Blocks  []Change
}

// Count returns the number of blocks per kind of change; a layout change counts under
// its kind if no block has that kind.
func (c *Changes) Count() map[Kind]int {
	n := map[Kind]int{}
	for i := range c.Blocks {
		if k := c.Blocks[i].Kind; k != Same {
			n[k]++
		}
	}
	if c.Layout != Same && c.Layout != "" && n[c.Layout] == 0 {
		n[c.Layout] = 1
	}
	return n
}

// Version is the state of a URL at a point in time (BWAP definition 6):
// ⟨layout, blocks, metadata⟩.
type Version struct {
	URL    string
	N      int // 1 for the first, then consecutive; no number is used twice
	Taken  time.Time
	Layout Hash
	Blocks []Block // the block tree; Content and Text only if loaded

	Level    int // depth of segmentation
	Adjust   []Adjust
	Profile  string  // of segmentation: "visual", "paper"
	Coverage float64 // see Page
	Lineages int32   // highest lineage number assigned so far for this URL

	// Changes counts the changes against version N-1 that are news, and SelfChanges lists the
	// self-changes, by lineage. Both are empty for the first version.
	Changes     map[Kind]int
	SelfChanges []SelfChange

	Capture Capture
	Meta    map[string]string // by metadata rules, BWAP section 3.1
	Article *Article          // kind and main text; nil: archived before they were stored
	Picture Hash              // screenshot, zero if absent

	// Resources is the hash of the [Manifest] of files that the page's rendering used; zero if they
	// were not captured.
	Resources Hash

	// Oldest reports that no version before this one is stored: they were forgotten, or this is the
	// first. A store sets it.
	Oldest bool
}

// Previous returns the number of the previous version, 0 if it is not stored.
func (v *Version) Previous() int {
	if v.Oldest {
		return 0
	}
	return v.N - 1
}

// Adjust is a local deviation from the uniform segmentation level, learnt from the
// page's history (BWAP sections 2.5 and 5).
type Adjust struct {
	Path  []int32 // of the block, as Block.Path; the innermost if several begin at one node
	Split bool    // true: cut one level further; false: keep whole
}

// Capture holds the conditions under which a version was captured.
type Capture struct {
	FinalURL    string
	Status      int
	ContentType string
	Title       string
	Language    string
	Browser     string // boxes from different browsers are not comparable
	Width       int    // viewport, CSS px
	Height      int
	PageBytes   int64 // of the serialised page
	WireBytes   int64 // received from the network
	Duration    time.Duration
	Settled     Settled     // why the page was captured at that moment; empty in old versions
	Coarse      int64       // number of nodes, if over the limit: small parts were reduced to plain text; otherwise 0
	Header      [][2]string // response headers worth keeping
	Steps       Hash        // of the steps run on the page before capture; zero without steps
}

// MetaSeems is the name of the metadata of a version that is probably an answer in place of the page: an outcome, such
// as [OutcomeLogin].
const MetaSeems = "plat:seems"

// Seems returns the outcome that names the answer which a version probably is, such as [OutcomeLogin]; empty: the page.
func (v *Version) Seems() Outcome { return Outcome(v.Meta[MetaSeems]) }

// Outcome is the result of a visit.
type Outcome string

// Outcomes of a visit. [VisitError.Retry] reports whether a retry may succeed.
const (
	OutcomeNew         Outcome = "new"         // first version stored
	OutcomeChanged     Outcome = "changed"     // a new version stored
	OutcomeUnchanged   Outcome = "unchanged"   // equal to the last version
	OutcomeUnsupported Outcome = "unsupported" // a media type that Chrome does not display
	OutcomeRefused     Outcome = "refused"     // blocked by the egress guard
	OutcomeGone        Outcome = "gone"        // 404, 410
	OutcomeHTTPError   Outcome = "http-error"  // any other status ≥ 400
	OutcomeUnreachable Outcome = "unreachable" // no such host, refused, reset
	OutcomeTimeout     Outcome = "timeout"     // a time limit was reached
	OutcomeTooLarge    Outcome = "too-large"   // a limit of bytes or nodes was reached
	OutcomeBadURL      Outcome = "bad-url"
	OutcomeRedirects   Outcome = "redirect-loop"
	OutcomeDownload    Outcome = "download"     // the URL is a file to save
	OutcomeCrashed     Outcome = "crashed"      // tab or browser crashed
	OutcomeCut         Outcome = "cut-off"      // the connection ended before the page was whole
	OutcomeBlank       Outcome = "blank"        // nothing visible; stored if the URL has no version yet, or if the page stays blank
	OutcomeAlias       Outcome = "alias"        // a second URL of an archived page: see URLState.Main
	OutcomeDisallowed  Outcome = "disallowed"   // disallowed by the site's robots.txt
	OutcomeStepsFailed Outcome = "steps-failed" // a step on the page failed
	OutcomeLoginFailed Outcome = "login-failed" // the page requires a login, which failed
	OutcomeFocusTaken  Outcome = "focus-taken"  // a frame of a different site took the focus during a step
	OutcomeOffTopic    Outcome = "off-topic"    // outside of a focused crawl's topic: no version is stored
	OutcomeCloaked     Outcome = "cloaked"      // in a focused crawl's topic, but readers are shown different text: no version is stored
	OutcomeFetched     Outcome = "fetched"      // a FetchJob: a file was downloaded for its URLs
	OutcomeInterrupted Outcome = "interrupted"

	// Responses in place of a page; see package softerror.
	OutcomeMoved       Outcome = "moved"       // a different page
	OutcomeLogin       Outcome = "login"       // a login form
	OutcomeBlocked     Outcome = "blocked"     // a check for robots, or a refusal
	OutcomeMaintenance Outcome = "maintenance" // a request to come back later
	OutcomeMissing     Outcome = "missing"     // "not found" with status 200
	OutcomeReplaced    Outcome = "replaced"    // little of the page is left
	OutcomePartial     Outcome = "partial"     // a part of the page, a style sheet or a script is missing

	OutcomeError Outcome = "error" // internal: store, disk, bug
)

// Failed reports whether the visit found no page. A blank page counts as found.
func (o Outcome) Failed() bool {
	switch o {
	case "", OutcomeNew, OutcomeChanged, OutcomeUnchanged, OutcomeBlank, OutcomeAlias, OutcomeOffTopic, OutcomeCloaked, OutcomeFetched:
		return false
	}
	return true
}

// Visit records one visit of a URL, changed or not; it feeds the schedule.
type Visit struct {
	URL      string
	Time     time.Time
	Outcome  Outcome
	Version  int // version found or stored; 0 without a version
	Status   int // HTTP, 0 if there was no answer
	Duration time.Duration
	Bytes    int64  // received from the network
	Error    string // empty on success

	// Skipped reports that rendering was skipped: all files of the page were revalidated and are
	// unchanged.
	Skipped bool

	// Unkept reports that no page was examined: the visit settles its job and updates the Memory, and
	// is neither stored nor counted.
	Unkept bool

	// Memory becomes the URL's state for its next visit: an encoded [Memory], opaque
	// to stores and at most [MaxMemory] bytes; empty keeps the old one. It is not
	// stored with the visit.
	Memory string

	// Settles is the Due of the job that this visit settles; zero if the visit had no
	// job or the job is to be retried. Next is then the URL's next due time, zero for
	// never.
	Settles time.Time
	Next    time.Time

	// Main is the URL under which the page found is archived; empty: this URL. It becomes the URL's
	// state, and is not stored with the visit.
	Main string

	// Rest is the time for which the host must not be visited after this visit. It becomes the host's
	// state, and is not stored with the visit.
	Rest time.Duration
}

// URLState is the archive's summary of a URL. A URL enlisted but not yet visited has
// zero First, Last and Visits.
type URLState struct {
	URL     string
	Host    string
	First   time.Time // first visit
	Last    time.Time // last visit
	Visits  int
	Changes int // visits that stored a version
	Head    int // number of the last version, 0 if no version is stored
	Level   int
	Status  int     // HTTP status of the last visit
	Outcome Outcome // of the last visit

	// PageBytes is the cost of storing the HTML of the whole page at every visit; StoredBytes is the
	// number of bytes written instead. Pictures and resources are counted separately.
	PageBytes     int64
	StoredBytes   int64
	PictureBytes  int64
	ResourceBytes int64

	// Due is the next due time, zero for never. Settled is the latest Due that a
	// visit has settled: a job with that Due is done. With the Plan and the Priority,
	// they are the durable state from which the frontier is filled.
	Due      time.Time
	Settled  time.Time
	Priority float32
	Plan

	// NotBefore is the time of the next attempt after a failed one; zero if no attempt failed.
	// Attempts counts the failed attempts, Throttled those that the host delayed. Dead is the time at
	// which the URL was abandoned: its last job failed for good, and there is no later job. It is
	// zero for all other URLs.
	NotBefore time.Time
	Attempts  int
	Throttled int
	Dead      time.Time

	// Versions up to Forgotten were removed on purpose, the last time at ForgottenAt, which is zero
	// if no data of the URL ever was.
	Forgotten   int
	ForgottenAt time.Time

	// Main is the URL under which the page of this URL is archived; empty: this URL.
	Main string

	// Memory is the last non-empty Memory of a visit, unless it was replaced; see [Visit]. States
	// omits it.
	Memory string
}

// Oldest returns the number of the oldest stored version, or of the next version if no version is
// stored.
func (s *URLState) Oldest() int { return s.Forgotten + 1 }

// Kept returns the number of stored versions.
func (s *URLState) Kept() int { return max(0, s.Head-s.Forgotten) }

// Gone reports whether all data of the URL was removed on purpose, and none added since.
func (s *URLState) Gone() bool { return s.Head == 0 && s.Visits == 0 && !s.ForgottenAt.IsZero() }

// Next returns the number of the next version: no number is used twice.
func (s *URLState) Next() int { return max(s.Head, s.Forgotten) + 1 }

// Job is a URL to be visited.
type Job struct {
	URL string // canonical

	// Due identifies the visit: two jobs for one URL with the same Due are the same
	// job, leased again after a crash. Whole milliseconds. Zero for a manual visit
	// outside of any frontier.
	Due time.Time

	Priority float32 // 0 to 1; higher goes first
	Plan
}
