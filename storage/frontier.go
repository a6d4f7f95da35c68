package storage

import (
	"context"
	"iter"
	"time"

	"plat/plat"
)

// Jobs is the list of all jobs, on disk and indexed. The frontier holds a small part
// of it, which is loaded by host: see package window.
//
// A URL with a Due has a job. Jobs that were never settled are the backlog of their
// host: they come by priority, then in the order in which they were enlisted. All
// others, scheduled visits and retries, come when their time has come. A host is ready
// if it has a job that can be visited now; its urgency is the highest priority of
// these, or higher, except that of those whose time has come only the longest waiting
// count, as many as were read: the others count when their turn comes. What a host's
// row says may be too early or too urgent, which costs a needless [Jobs.Load], and
// never too late: it is written before the URL or together with it.
type Jobs interface {
	// Enlist adds jobs: URLs with the time and plan of their visit. It is the durable
	// record of all that is to be visited. What it does with known URLs says how; see
	// [Merge]. It is idempotent; repeating it completes what a crash interrupted, and
	// each URL is merged atomically. A job without URL or Due, or with a priority that
	// is not 0 to 1, is an error, and then none is enlisted.
	Enlist(ctx context.Context, jobs []plat.Job, how Intake) (Enlisted, error)

	// Defer puts off jobs that failed or are not worth a visit yet, or gives them up. It passes
	// over a job that is settled or is not the URL's any more, and over an unknown URL; then the
	// error wraps plat.SettledError or plat.ErrNotFound. After other errors some may be put off.
	Defer(ctx context.Context, all ...Deferral) error

	// Wake makes hosts ready that have a job whose time has come at now, at most
	// limit. It returns these hosts, each with its urgency, and when the next one is to
	// be woken; zero for never. Also with an error it returns those that are ready.
	Wake(ctx context.Context, now time.Time, limit int) (woken map[string]float32, next time.Time, err error)

	// Ready returns ready hosts after a given one (the zero ReadyHost: from the
	// first), at most limit: the most urgent first, among equals those that were
	// loaded, or became ready, longest ago.
	Ready(ctx context.Context, after ReadyHost, limit int) ([]ReadyHost, error)

	// Load returns the jobs of hosts that can be visited at now, for each host the
	// most urgent ones, in the order of their visits: by priority in thousandths,
	// then by the time since when they wait. Of those whose time has come it reads
	// at most as many as it may return, longest waiting first. The answer has one element
	// per host, in their order. It brings the hosts' rows up to date: readiness, urgency,
	// and time of loading.
	Load(ctx context.Context, now time.Time, hosts []HostLimit) ([]HostJobs, error)

	// Counts counts jobs, without reading them. A crash may leave a host's numbers wrong
	// until it is loaded.
	Counts(ctx context.Context, now time.Time) (JobCounts, error)

	// HostCounts counts the jobs of hosts that have any, those with the most first.
	HostCounts(ctx context.Context, limit int) ([]HostCount, error)

	// Dead yields the URLs that were given up, the latest first.
	Dead(ctx context.Context) iter.Seq2[DeadURL, error]
}

// Notes keeps short texts by name, for workers and commands: until when leases may be
// held, how far a list has been read.
type Notes interface {
	// Notes returns the notes whose names begin with prefix.
	Notes(ctx context.Context, prefix string) (map[string]string, error)

	// SetNote writes a note; an empty text removes it.
	SetNote(ctx context.Context, name, text string) error
}

// Intake says what [Jobs.Enlist] does with URLs that have a job, or had one.
type Intake int

const (
	// Join merges priority and plan, and takes Due if it is earlier or if there was
	// none, unless it is not after Settled, because that visit is done.
	Join Intake = iota

	// IfNew leaves them as they are.
	IfNew

	// Again is Join, and has the URL visited once more, unless a visit is due
	// already: a Due that is not after Settled is moved there, and a retry is not
	// waited for. Within a budget the URL is visited, and not only its policy asked
	// whether it is worth a visit: its Due becomes the millisecond after Settled.
	Again

	// Hint leaves unknown URLs unknown, and of known ones all but a signal that is later
	// than theirs: that is taken, and where a policy learns within a budget and the page was not
	// visited since, Due is taken if it is earlier, so that it is asked whether the signal makes
	// the page worth a visit.
	Hint

	// Seed is Again, and the job's schedule, if it has one, takes the place of the URL's: who asks
	// for a URL says how.
	Seed

	// Replan leaves unknown URLs unknown. Known ones get the job's schedule in place of theirs.
	// Where that is another, those that wait for their next visit are due at the job's Due, or
	// if that is later an interval after their last visit; without a schedule they are not visited
	// again. First visits, retries, dead URLs and other addresses of a page are due as they were, and
	// so are lists of URLs, but that they too can end.
	Replan
)

// Known reports whether only URLs are changed that are known.
func (how Intake) Known() bool { return how == Hint || how == Replan }

// Enlisted is the result of [Jobs.Enlist].
type Enlisted struct {
	New int // URLs that had no job before

	// Jobs are those that are to be visited sooner or with higher priority than
	// before, new ones included: URL, Due and Priority as stored.
	Jobs []plat.Job
}

// Deferral puts off a job whose attempt failed, or which is not worth a visit yet.
type Deferral struct {
	URL string
	Due time.Time // of the job

	// At is when it is tried again; zero: never, the job is settled and its URL dead.
	At time.Time

	Attempts, Throttled int       // so far; see plat.URLState
	Unchanged           bool      // only if these are the job's: no attempt has failed meanwhile
	Clock               time.Time // the host must not be visited before; zero: unchanged
}

// ReadyHost is a host with jobs that can be visited.
type ReadyHost struct {
	Host     string
	Priority float32   // its urgency
	Since    time.Time // when it was loaded, or became ready
	Row      int64     // of the store, to continue after it
}

// HostLimit asks for at most Limit jobs of a host.
type HostLimit struct {
	Host  string
	Limit int
}

// HostJobs is what a host has to do.
type HostJobs struct {
	Host  string
	Clock time.Time // it must not be visited before
	Jobs  []LoadedJob
	More  bool // there are others that can be visited
}

// LoadedJob is a job for the frontier; its plan stays in the archive.
type LoadedJob struct {
	URL                 string
	Due                 time.Time
	Priority            float32
	Attempts, Throttled int

	// State is that of a URL that was visited and has a budget, so that its policy can be asked
	// whether the job is worth a visit yet; nil for others.
	State *plat.URLState
}

// JobCounts counts jobs.
type JobCounts struct {
	Hosts   int64 `json:"hosts"`   // with jobs
	Backlog int64 `json:"backlog"` // URLs never visited
	Due     int64 `json:"due"`     // others that can be visited now; at most MaxDue
	Later   int64 `json:"later"`   // to be visited again, or retried
	Dead    int64 `json:"dead"`    // URLs that were given up
}

// MaxDue is the limit of JobCounts.Due: more are not counted.
const MaxDue = 100_000

// HostCount counts the jobs of a host.
type HostCount struct {
	Host    string    `json:"host"`
	Backlog int64     `json:"backlog"`
	Timed   int64     `json:"timed"` // due or later
	Dead    int64     `json:"dead"`
	Clock   time.Time `json:"clock,omitzero"` // it must not be visited before
}

// DeadURL is a URL that was given up.
type DeadURL struct {
	URL      string       `json:"url"`
	Outcome  plat.Outcome `json:"outcome"`
	Error    string       `json:"error"`
	Attempts int          `json:"attempts"`
	Time     time.Time    `json:"time"`
}
