package storage

import (
	"context"
	"iter"
	"time"

	"plat/plat"
)

// Jobs is the list of all jobs, on disk and indexed. The frontier contains a small part of it,
// which is loaded by host: see package window.
//
// A URL with a Due has a job. Jobs that were never settled are the backlog of their host, in
// order of priority and then of enlistment. The remaining jobs, scheduled visits and retries,
// are due at their time. A host is ready if it has a job that can be visited now. Its urgency
// is at least the highest priority of these. Of timed jobs that are due, only the longest
// waiting count, as many as were read. The rest count when their turn comes. A host's row may
// be too early or too urgent, which costs a needless [Jobs.Load]. It is never too late, because
// it is written before the URL or together with it.
type Jobs interface {
	// Enlist adds jobs: URLs with the time and plan of their visit. It is the durable record of
	// all planned visits. how selects the treatment of known URLs; see [Merge]. It is
	// idempotent: repeating it completes an interrupted call. Each URL is merged atomically. If
	// a job has no URL or Due, or a priority that is not 0 to 1, Enlist returns an error and
	// enlists no jobs.
	Enlist(ctx context.Context, jobs []plat.Job, how Intake) (Enlisted, error)

	// Defer postpones jobs that failed or are not worth a visit yet, or marks them dead. It
	// skips a job that is settled or that the URL no longer has, and an unknown URL: the error
	// then wraps plat.SettledError or plat.ErrNotFound. After a different error some jobs may
	// be postponed.
	Defer(ctx context.Context, all ...Deferral) error

	// Wake makes hosts ready that have a job whose time has come at now, at most limit. It
	// returns these hosts with their urgency, and the time to wake the next host; zero for
	// never. With an error, it still returns the hosts that became ready.
	Wake(ctx context.Context, now time.Time, limit int) (woken map[string]float32, next time.Time, err error)

	// Ready returns ready hosts after a given one (the zero ReadyHost: from the first), at most
	// limit: the most urgent first, and equally urgent ones in order of the time since they
	// were loaded or became ready, longest first.
	Ready(ctx context.Context, after ReadyHost, limit int) ([]ReadyHost, error)

	// Load returns the jobs of hosts that can be visited at now, for each host the most urgent
	// ones, in the order of their visits: by priority in thousandths, then by the start of
	// their wait. Of the timed jobs that are due it reads at most as many as it may return,
	// longest waiting first. The result has one element per host, in the order of hosts. Load
	// updates the hosts' rows: readiness, urgency, and time of loading.
	Load(ctx context.Context, now time.Time, hosts []HostLimit) ([]HostJobs, error)

	// Counts returns the numbers of jobs, without reading the jobs. A crash may leave a host's
	// numbers wrong until it is loaded.
	Counts(ctx context.Context, now time.Time) (JobCounts, error)

	// HostCounts returns the numbers of jobs of the hosts that have jobs, highest first.
	HostCounts(ctx context.Context, limit int) ([]HostCount, error)

	// Dead yields the dead URLs, the latest first.
	Dead(ctx context.Context) iter.Seq2[DeadURL, error]
}

// Notes stores short texts by name, for workers and commands, such as the end of leases or the
// position in a list.
type Notes interface {
	// Notes returns the notes whose names begin with prefix.
	Notes(ctx context.Context, prefix string) (map[string]string, error)

	// SetNote writes a note; an empty text removes it.
	SetNote(ctx context.Context, name, text string) error

	// ReplaceNote writes a note if its text is old, or if old is empty and there is none, and reports
	// whether it did. If several processes replace the same text, one of them succeeds.
	ReplaceNote(ctx context.Context, name, old, text string) (bool, error)
}

// Intake selects the treatment by [Jobs.Enlist] of URLs that have a job, or had one.
type Intake int

const (
	// Join merges priority and plan. It sets Due if that is earlier or was not set, and later
	// than Settled: a settled visit is done.
	Join Intake = iota

	// IfNew does not change them.
	IfNew

	// Again is Join, and also requests a further visit of the URL unless one is pending. A Due
	// that is not after Settled becomes the millisecond after Settled, and the wait for a retry
	// ends. Within a budget, Due always becomes the millisecond after Settled, so that the URL
	// is visited even if its policy would not visit it.
	Again

	// Hint ignores unknown URLs, and changes known ones only by a signal that is later than
	// theirs. If the page has a budget and was not visited since the signal, Hint also sets Due
	// if that is earlier. The policy then decides whether the signal makes the page worth a
	// visit.
	Hint

	// Seed is Again, and the job's schedule, if it has one, replaces that of the URL: a user
	// who requests a URL chooses its schedule, see [plat.Plan.Choose].
	Seed

	// Replan ignores unknown URLs, and replaces the schedule of known ones by that of the job.
	// If the schedule changes, a URL that waits for its next visit is due at the job's Due, or
	// one interval after its last visit if that is later. Without a schedule it is not visited
	// again. The Due of first visits, retries, dead URLs and aliases does not change, and
	// neither does that of lists of URLs, except that an empty schedule ends them too.
	Replan
)

// Known reports whether only known URLs are changed.
func (how Intake) Known() bool { return how == Hint || how == Replan }

// Enlisted is the result of [Jobs.Enlist].
type Enlisted struct {
	New int // URLs that had no job before

	// Jobs lists the new jobs, and those that are due sooner or have a higher priority than
	// before: URL, Due and Priority as stored.
	Jobs []plat.Job
}

// Deferral postpones a job whose attempt failed, or which is not worth a visit yet.
type Deferral struct {
	URL string
	Due time.Time // Due of the job

	// At is the time of the next attempt; zero: the job is settled and its URL becomes dead.
	At time.Time

	Attempts, Throttled int       // totals so far; see plat.URLState
	Unchanged           bool      // only if the job has these numbers: no attempt has failed in the meantime
	Clock               time.Time // earliest time of the next visit of the host; zero: unchanged
}

// ReadyHost is a host with jobs that can be visited.
type ReadyHost struct {
	Host     string
	Priority float32   // its urgency
	Since    time.Time // time at which it was loaded or became ready
	Row      int64     // the store's row number, to continue after it
}

// HostLimit requests at most Limit jobs of a host.
type HostLimit struct {
	Host  string
	Limit int
}

// HostJobs holds the jobs of a host that can be visited.
type HostJobs struct {
	Host  string
	Clock time.Time // it must not be visited before
	Jobs  []LoadedJob
	More  bool // there are further jobs that can be visited
}

// LoadedJob is a job for the frontier; its plan stays in the archive.
type LoadedJob struct {
	URL                 string
	Due                 time.Time
	Priority            float32
	Attempts, Throttled int

	// State is the state of a URL that was visited and has a budget, for the decision of its
	// policy whether the job is worth a visit yet; otherwise nil.
	State *plat.URLState
}

// JobCounts counts jobs.
type JobCounts struct {
	Hosts   int64 `json:"hosts"`   // with jobs
	Backlog int64 `json:"backlog"` // URLs never visited
	Due     int64 `json:"due"`     // timed jobs that can be visited now; at most MaxDue
	Later   int64 `json:"later"`   // timed jobs for a later visit or retry
	Dead    int64 `json:"dead"`    // dead URLs
}

// MaxDue limits the counting of JobCounts.Due.
const MaxDue = 100_000

// HostCount counts the jobs of a host.
type HostCount struct {
	Host    string    `json:"host"`
	Backlog int64     `json:"backlog"`
	Timed   int64     `json:"timed"` // due or later
	Dead    int64     `json:"dead"`
	Clock   time.Time `json:"clock,omitzero"` // earliest time of the next visit
}

// DeadURL is a URL whose job was abandoned after failed attempts.
type DeadURL struct {
	URL      string       `json:"url"`
	Outcome  plat.Outcome `json:"outcome"`
	Error    string       `json:"error"`
	Attempts int          `json:"attempts"`
	Time     time.Time    `json:"time"`
}
