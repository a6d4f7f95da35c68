package requests

import (
	"net/http"
	"slices"
	"strings"

	"github.com/chromedp/cdproto/network"

	"plat/plat"
)

// maxListed bounds the loads kept of a page; with more, they count as unknown.
const maxListed = 256

// maxCached bounds the responses that a tab remembers for later pages.
const maxCached = 512

// Log gathers the loads of a page from Chrome's events. The zero Log is ready for use, by one
// goroutine at a time.
type Log struct {
	loads map[network.RequestID]*plat.Load // in flight or done
	hops  []plat.Load                      // of redirects
	over  bool                             // there were more than are kept

	// Failed are the loads that ended with an error, except those that the page cancelled.
	Failed []plat.FailedLoad

	Live bool // a WebSocket or a worker was started
}

// Sent notes a request that is not for the page's own document.
func (l *Log) Sent(e *network.EventRequestWillBeSent) {
	if !strings.HasPrefix(e.Request.URL, "http") {
		return
	}
	if l.loads == nil {
		l.loads = map[network.RequestID]*plat.Load{}
	}
	if len(l.loads)+len(l.hops) >= maxListed {
		l.over = true
		return
	}
	if was := l.loads[e.RequestID]; was != nil && e.RedirectResponse != nil {
		fillFromChrome(was, e.RedirectResponse)
		l.hops = append(l.hops, *was)
	}
	l.loads[e.RequestID] = &plat.Load{URL: withoutFragment(e.Request.URL), Method: e.Request.Method, Kind: kindOfType(e.Type), Status: -1}
}

// Received notes the answer to a request.
func (l *Log) Received(id network.RequestID, r *network.Response) {
	if load := l.loads[id]; load != nil && r != nil {
		fillFromChrome(load, r)
	}
}

// Cached notes that a request went nowhere.
func (l *Log) Cached(id network.RequestID) {
	if load := l.loads[id]; load != nil {
		load.Cached = true
	}
}

// Ended notes that a request has ended, with or without an answer; why is the error,
// "net::ERR_…", empty for success.
func (l *Log) Ended(id network.RequestID, why string) {
	load := l.loads[id]
	if load == nil {
		return
	}
	if load.Status < 0 {
		load.Status = 0
	}
	if why == "" && load.Status > 0 {
		l.Failed = slices.DeleteFunc(l.Failed, func(f plat.FailedLoad) bool { return f.URL == load.URL }) // the page has requested it again
	} else if why != "" && len(l.Failed) < plat.MaxFailed {
		l.Failed = append(l.Failed, plat.FailedLoad{URL: load.URL, Why: why})
	}
}

// List returns the loads, in no order; known reports that they are complete and all answered.
func (l *Log) List() (all []plat.Load, known bool) {
	all, known = slices.Clone(l.hops), !l.over
	for _, one := range l.loads {
		known = known && one.Status >= 0
		all = append(all, *one)
	}
	return all, known
}

func fillFromChrome(l *plat.Load, r *network.Response) {
	h := http.Header{}
	for name, value := range r.Headers {
		if s, ok := any(value).(string); ok {
			h.Set(name, strings.ReplaceAll(s, "\n", ", "))
		}
	}
	l.Status = int(r.Status)
	l.Cached = l.Cached || r.FromDiskCache || r.FromPrefetchCache
	fillLoad(l, h)
}

// fillLoad copies the relevant response headers.
func fillLoad(l *plat.Load, h http.Header) {
	l.ContentType, l.ETag, l.LastModified = h.Get("Content-Type"), h.Get("ETag"), h.Get("Last-Modified")
	l.CacheControl, l.Expires = strings.Join(h.Values("Cache-Control"), ", "), h.Get("Expires")
	l.Date, l.Age, l.Vary, l.Location = h.Get("Date"), h.Get("Age"), strings.Join(h.Values("Vary"), ", "), h.Get("Location")
}

func kindOfType(t network.ResourceType) plat.LoadKind {
	switch t {
	case network.ResourceTypeStylesheet:
		return plat.LoadStyle
	case network.ResourceTypeScript:
		return plat.LoadScript
	case network.ResourceTypeFont:
		return plat.LoadFont
	case network.ResourceTypeImage:
		return plat.LoadImage
	case network.ResourceTypeXHR, network.ResourceTypeFetch:
		return plat.LoadData
	case network.ResourceTypeWebSocket, network.ResourceTypeEventSource:
		return plat.LoadLive
	}
	return plat.LoadOther
}
