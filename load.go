package plat

// Load is a request that a page made beside that for its document, and what the
// answer says of how to ask for it again. A redirect and what it leads to are two.
type Load struct {
	URL    string
	Method string
	Kind   LoadKind
	Status int  // HTTP; 0 if there was no answer
	Cached bool // the browser had the answer from a page before

	// Response headers, as they came.
	ContentType  string
	ETag         string
	LastModified string
	CacheControl string
	Expires      string
	Date         string
	Age          string
	Vary         string
	Location     string // of a redirect
}

// LoadKind says what a load is for, as far as that is known.
type LoadKind uint8

// The kinds of load. LoadLive is what goes on after its answer has begun, or
// beside the page: WebSockets, event streams, workers.
const (
	LoadOther LoadKind = iota
	LoadStyle
	LoadScript
	LoadFont
	LoadImage
	LoadData // fetch and XMLHttpRequest
	LoadLive
)
