package mongo

import (
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"plat/plat"
	"plat/storage"
)

// urlDoc is a document of urls.
type urlDoc struct {
	ID  string `bson:"_id"` // first 32 hex digits of the SHA-256 of the URL
	URL text   `bson:"url"`
	// Rev grows by one with every write: a compare-and-swap on it detects concurrent
	// writers.
	Rev         int64     `bson:"rev"`
	Host        text      `bson:"host"`
	First       time.Time `bson:"first,omitempty"` // absent before the first visit, like last
	Last        time.Time `bson:"last,omitempty"`
	Visits      int       `bson:"visits"`
	Changes     int       `bson:"changes"`
	Head        int       `bson:"head"`   // number of the last version, or 0
	Newest      time.Time `bson:"newest"` // latest capture time of a version
	Level       int       `bson:"level"`
	Status      int       `bson:"status"`
	Outcome     text      `bson:"outcome"`
	PageBytes   int64     `bson:"page_bytes"`
	StoredBytes int64     `bson:"stored_bytes"`
	// Not included in stored_bytes; absent in old documents, whose stored_bytes includes them.
	PictureBytes  int64       `bson:"picture_bytes,omitempty"`
	ResourceBytes int64       `bson:"resource_bytes,omitempty"`
	Recent        []time.Time `bson:"recent"` // times of the last counted visits, to count each only once
	// Latest is the visit counted last. Its own document is written afterwards; after
	// a crash in between, the next visit writes it from here.
	Latest *visitDoc `bson:"latest,omitempty"`

	// Pending is set together with the head, because the documents of pages and block_versions are
	// written afterwards. A later write, or Index, removes it once they are complete.
	Pending    bool `bson:"pending,omitempty"`
	Unreadable int  `bson:"unreadable,omitempty"` // the head when these could not be written, because a version is damaged
	// Derived grows when these documents are removed, to be derived again: what a process remembers of
	// them from before is no sign that they are complete.
	Derived int `bson:"derived,omitempty"`
	// Build is the time in µs at which they were last to be derived again. The page and the block versions with a lower
	// build, or none, are from before, and removed; writers from before do not replace those after it.
	Build int64 `bson:"build,omitempty"`

	Attach *attachDoc `bson:"attach,omitempty"` // an attachment that its version may not have yet: see Attach

	Due      time.Time `bson:"due,omitempty"`     // absent: no visit planned
	Settled  time.Time `bson:"settled,omitempty"` // the latest due that a visit has settled; it never decreases
	Priority float64   `bson:"priority,omitempty"`
	Plan     bson.D    `bson:"plan,omitempty"` // plat.Plan.Encode, as a document

	At        time.Time `bson:"at,omitempty"`        // time of the job: see storage.Timed
	Attempts  int       `bson:"attempts,omitempty"`  // failed attempts of the job
	Throttled int       `bson:"throttled,omitempty"` // attempts of the job that the host delayed
	Died      time.Time `bson:"died,omitempty"`      // time at which the URL became dead
	Seq       int64     `bson:"seq,omitempty"`       // time of the first enlisting, in µs: the order in a list
	Todo      string    `bson:"todo,omitempty"`      // the job's place among the jobs of its host: see todoKey

	Main text   `bson:"main,omitempty"` // the URL under which the page is archived; absent: its own
	Look string `bson:"look,omitempty"` // see lookKey

	// Fields of documents written before plans existed; see movePlan.
	OldDepth int   `bson:"depth,omitempty"`
	OldScope text  `bson:"scope,omitempty"`
	OldEvery int64 `bson:"every_ms,omitempty"`

	Memory []byte `bson:"memory,omitempty"` // memory of the last visit with a memory; binary

	Forgotten   int       `bson:"forgotten,omitempty"`    // versions up to this one were removed on purpose
	ForgottenAt time.Time `bson:"forgotten_at,omitempty"` // time of the last removal
}

type writtenDoc struct {
	At    time.Time `bson:"at"`
	Bytes int64     `bson:"bytes"`

	Pictures  int64 `bson:"pictures,omitempty"`
	Resources int64 `bson:"resources,omitempty"`
}

// visitDoc is a document of visits.
type visitDoc struct {
	ID       string    `bson:"_id"` // the URL's _id, ":", the time in milliseconds: see visitID
	URL      text      `bson:"url"`
	Time     time.Time `bson:"time"`
	Outcome  text      `bson:"outcome"`
	Version  int       `bson:"version,omitempty"`
	Status   int       `bson:"status,omitempty"`
	Duration int64     `bson:"duration_ms"`
	Bytes    int64     `bson:"bytes,omitempty"`
	Error    text      `bson:"error,omitempty"`
	Skipped  bool      `bson:"skipped,omitempty"` // not rendered
	Settles  time.Time `bson:"settles,omitempty"`
	Next     time.Time `bson:"next,omitempty"`

	memory string    // for the URL's document
	clock  time.Time // for the host's document: see storage.ClockAfter
	unkept bool
}

// contentDoc is a document of blocks or of layouts. The content of a layout is its HTML.
// Content is raw, or a Zstandard frame; if Base is set, that document's content is the frame's
// raw-content dictionary (zstd -D).
type contentDoc struct {
	ID      string        `bson:"_id"` // SHA-256 of the content, or of plat.Layout's bytes for a layout
	Size    int           `bson:"size"`
	Enc     string        `bson:"enc"` // "raw" or "zstd"
	Base    string        `bson:"base,omitempty"`
	Content []byte        `bson:"content,omitempty"`
	Large   bson.ObjectID `bson:"large,omitempty"` // the file of a large content: see maxInline
	Slots   []int32       `bson:"slots,omitempty"` // of layouts
	Written time.Time     `bson:"written"`

	layout     bool  // a document of layouts, not of blocks
	unreadable error // reason why the document or its base cannot be decoded; then only ID is set
}

// pictureDoc is a document of screenshots.
type pictureDoc struct {
	ID      string        `bson:"_id"`
	Type    text          `bson:"type"`
	Data    []byte        `bson:"data,omitempty"`
	Large   bson.ObjectID `bson:"large,omitempty"` // the file of a large picture
	Written time.Time     `bson:"written"`
}

func newURLDoc(url string) *urlDoc {
	return &urlDoc{ID: urlID(url), URL: text(url), Host: text(storage.Host(url)), Recent: []time.Time{}}
}

func newVisitDoc(v *plat.Visit) visitDoc {
	return visitDoc{ID: visitID(v.URL, v.Time), URL: text(v.URL), Time: instant(v.Time), Outcome: text(v.Outcome), Version: v.Version, Status: v.Status,
		Duration: v.Duration.Milliseconds(), Bytes: v.Bytes, Error: text(v.Error),
		Skipped: v.Skipped, Settles: orZero(v.Settles), Next: orZero(v.Next), memory: v.Memory, clock: storage.ClockAfter(v), unkept: v.Unkept}
}

func (d *visitDoc) visit() plat.Visit {
	return plat.Visit{URL: string(d.URL), Time: d.Time.UTC(), Outcome: plat.Outcome(d.Outcome), Version: d.Version, Status: d.Status,
		Duration: time.Duration(d.Duration) * time.Millisecond, Bytes: d.Bytes, Error: string(d.Error), Skipped: d.Skipped, Settles: d.Settles.UTC(), Next: d.Next.UTC()}
}

func (d *urlDoc) state() (plat.URLState, error) {
	st := plat.URLState{URL: string(d.URL), Host: string(d.Host), First: d.First.UTC(), Last: d.Last.UTC(), Visits: d.Visits, Changes: d.Changes, Head: d.Head,
		Level: d.Level, Status: d.Status, Outcome: plat.Outcome(d.Outcome), PageBytes: d.PageBytes, StoredBytes: d.StoredBytes,
		PictureBytes: d.PictureBytes, ResourceBytes: d.ResourceBytes,
		Memory: string(d.Memory), Main: string(d.Main), Forgotten: d.Forgotten, ForgottenAt: orZero(d.ForgottenAt)}
	d.jobInto(&st)
	err := d.movePlan()
	if err == nil && len(d.Plan) > 0 {
		var text []byte
		if text, err = bson.MarshalExtJSON(d.Plan, false, false); err == nil {
			st.Plan, err = plat.DecodePlan(string(text))
		}
	}
	if err != nil {
		return st, fmt.Errorf("plan of %s: %w", d.URL, err)
	}
	return st, nil
}

// setPlan sets the document's plan.
func (d *urlDoc) setPlan(p plat.Plan) error {
	d.Plan, d.OldDepth, d.OldScope, d.OldEvery = nil, 0, "", 0
	text := p.Encode()
	if text == "" {
		return nil
	}
	return bson.UnmarshalExtJSON([]byte(text), false, &d.Plan)
}

// movePlan converts the old fields to a plan, unless the document has a plan.
func (d *urlDoc) movePlan() error {
	if d.Plan != nil || d.OldDepth == 0 && d.OldScope == "" && d.OldEvery == 0 {
		return nil
	}
	old := plat.Plan{Depth: d.OldDepth, Scope: string(d.OldScope), Schedule: plat.Schedule{Every: time.Duration(d.OldEvery) * time.Millisecond}}
	return d.setPlan(old)
}
