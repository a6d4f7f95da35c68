package plat

import "time"

// Kind is the kind of a change between two versions.
type Kind string

// The kinds of change. Volatile and Advertisement are kept as faithfully as the
// others, but nobody who waits for news wants to hear of them.
const (
	Same          Kind = "same"          // nothing
	Added         Kind = "added"         // a block that was not there
	Removed       Kind = "removed"       // a block that is gone
	Moved         Kind = "moved"         // same content in another place or order
	Content       Kind = "content"       // words changed that a reader sees, or has a click away
	Format        Kind = "format"        // same words, other markup or look
	Invisible     Kind = "hidden"        // words changed that no reader reaches
	Volatile      Kind = "volatile"      // only tokens, nonces, ids: nothing a reader would call a change
	Advertisement Kind = "advertisement" // content changed in a block so labelled
)

// Kinds lists all kinds that are changes, in the order in which people read them.
var Kinds = []Kind{Added, Removed, Content, Moved, Format, Invisible, Advertisement, Volatile}

// Change is what became of one block between two versions.
type Change struct {
	Kind    Kind
	Lineage int32
	Old     int32 // index into the old version's Blocks, -1 for Added
	New     int32 // index into the new version's Blocks, -1 for Removed
	Folded  bool  // what changed is folded: it is shown at a click or a touch
}

// Changes is the outcome of a comparison. A version is new if Differs.
type Changes struct {
	// Differs is formula 1 of BWAP section 2.3, negated: layouts or blocks are
	// not byte-equal, or different parts of them are visible.
	Differs bool
	Layout  Kind // Same, Format, Volatile or Invisible; Content where text that is shown is in no block
	Blocks  []Change
}

// Count returns how many blocks changed in each way; a layout change counts
// under its kind when no block shows that kind.
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
	N      int // 1 for the first, then consecutive
	Taken  time.Time
	Layout Hash
	Blocks []Block // the block tree; Content and Text only where loaded

	Level    int // depth of segmentation
	Adjust   []Adjust
	Profile  string  // of segmentation: "visual", "paper"
	Coverage float64 // see Page
	Lineages int32   // highest lineage number given out so far for this URL

	Changes map[Kind]int // against version N-1; empty for the first
	Capture Capture
	Meta    map[string]string // by metadata rules, BWAP section 3.1
	Picture Hash              // screenshot, zero if none

	// Resources is the manifest of what the page used to look as it does: see
	// [Manifest]. Zero if none was kept.
	Resources Hash
}

// Adjust is a departure from the uniform level for one place of the page,
// learnt from its history (BWAP sections 2.5 and 5).
type Adjust struct {
	Path  []int32 // of the block, as Block.Path; of several that begin at one node the innermost
	Split bool    // true: cut one level further; false: keep whole
}

// Capture says how a version was captured.
type Capture struct {
	FinalURL    string
	Status      int
	ContentType string
	Title       string
	Language    string
	Browser     string // boxes of different browsers do not compare
	Width       int    // viewport, CSS px
	Height      int
	PageBytes   int64 // of the serialised page
	WireBytes   int64 // received from the network
	Duration    time.Duration
	Settled     Settled     // why the page was taken when it was; empty in versions of before that was kept
	Coarse      int64       // how many nodes the page had, where it had too many: its small parts are plain text; 0: it had not
	Header      [][2]string // response headers worth keeping
	Steps       Hash        // of what was done on the page before, zero: nothing
}

// Outcome says how a visit ended.
type Outcome string

// Outcomes of a visit. Those that may pass when tried again are retryable.
const (
	OutcomeNew         Outcome = "new"         // first version stored
	OutcomeChanged     Outcome = "changed"     // another version stored
	OutcomeUnchanged   Outcome = "unchanged"   // equal to the last version
	OutcomeUnsupported Outcome = "unsupported" // no page: a type that Chrome does not show
	OutcomeRefused     Outcome = "refused"     // by the egress guard
	OutcomeGone        Outcome = "gone"        // 404, 410
	OutcomeHTTPError   Outcome = "http-error"  // another status ≥ 400
	OutcomeUnreachable Outcome = "unreachable" // no such host, refused, reset
	OutcomeTimeout     Outcome = "timeout"     // a limit in time ran out
	OutcomeTooLarge    Outcome = "too-large"   // a limit in bytes or nodes ran out
	OutcomeBadURL      Outcome = "bad-url"
	OutcomeRedirects   Outcome = "redirect-loop"
	OutcomeDownload    Outcome = "download"     // the URL is a file to save
	OutcomeCrashed     Outcome = "crashed"      // tab or browser died
	OutcomeBlank       Outcome = "blank"        // nothing visible; stored as a version all the same
	OutcomeDisallowed  Outcome = "disallowed"   // by the site's robots.txt
	OutcomeStepsFailed Outcome = "steps-failed" // a step on the page could not be done
	OutcomeLoginFailed Outcome = "login-failed" // the page is for those who are logged in, and the login failed
	OutcomeFetched     Outcome = "fetched"      // a file was read without a browser, for where it leads
	OutcomeInterrupted Outcome = "interrupted"
	OutcomeError       Outcome = "error" // ours: store, disk, bug
)

// Visit records one look at a URL, changed or not; it feeds the schedule.
type Visit struct {
	URL      string
	Time     time.Time
	Outcome  Outcome
	Version  int // the version that was found or stored; 0 if none
	Status   int // HTTP, 0 if there was no answer
	Duration time.Duration
	Bytes    int64  // received from the network
	Error    string // empty if it went well

	// Skipped says that the page was not rendered: all that it is made of was asked
	// for and found unchanged.
	Skipped bool

	// Unkept says that no page was looked at: the visit settles its job and leaves its
	// Memory, and is neither kept nor counted.
	Unkept bool

	// Memory is what the URL's next visit is to find in its state: an encoded [Memory],
	// opaque to stores and at most [MaxMemory] bytes; empty leaves what is there. It is
	// not kept with the visit.
	Memory string

	// Settles is the Due of the job that this visit was for; zero if it was for
	// none, or if the job is to be tried again. Next is then when the URL is due
	// once more, zero for never.
	Settles time.Time
	Next    time.Time
}

// URLState is what the archive knows of a URL. One that was enlisted and not yet
// visited has no First and Last, and Visits is 0.
type URLState struct {
	URL     string
	Host    string
	First   time.Time // first visit
	Last    time.Time // last visit
	Visits  int
	Changes int // visits that stored a version
	Head    int // number of the last version, 0 if none
	Level   int
	Status  int     // HTTP status of the last visit
	Outcome Outcome // of the last visit

	// PageBytes is what storing every visit's whole page would have taken;
	// StoredBytes is what was written for it.
	PageBytes   int64
	StoredBytes int64

	// Due is when the URL is to be visited next, zero for never. Settled is the
	// latest Due that a visit has settled: a job with that Due is done. Together
	// with how it is to be visited, this is all that a frontier must not forget.
	Due      time.Time
	Settled  time.Time
	Priority float32
	Plan

	// Memory is what the last visit with some has left; see [Visit]. States leaves it
	// out.
	Memory string
}

// Job is a URL to be visited.
type Job struct {
	URL string // canonical

	// Due names the visit: two jobs for one URL with the same Due are the same
	// one, given out twice because somebody died with it. Whole milliseconds.
	// Zero: asked for by hand, outside of any frontier.
	Due time.Time

	Priority float32 // 0 to 1; higher goes first
	Plan
}
