package plat

// Load is a request of a page other than that for its document, with the response
// headers needed to revalidate it. A redirect and its target are two loads.
type Load struct {
	URL    string
	Method string
	Kind   LoadKind
	Status int  // HTTP; 0 if there was no answer
	Cached bool // answered from the browser's cache, filled by an earlier page

	// Response headers, as received.
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

// LoadKind is the purpose of a load, as far as it can be determined.
type LoadKind uint8

// The kinds of load. LoadLive continues after its response has begun, or runs beside
// the page: WebSockets, event streams, workers.
const (
	LoadOther LoadKind = iota
	LoadStyle
	LoadScript
	LoadFont
	LoadImage
	LoadData // fetch and XMLHttpRequest
	LoadLive
)
