package browser

import (
	"context"
	"mime"
	"net/http"
	"strings"

	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/network"

	"plat"
	"plat/browser/egress"
)

// What a page loads is known from two sources. Of a page by https, Chrome's Network
// domain tells; it is on all the time there. Of one by http the guard knows: all that
// is in the clear went through the page's lane. What the lane cannot know is what goes
// through a tunnel, by https; and what came out of the cache that a tab has filled for
// the page before, for which the page's own list of resources is asked.

// maxListed is how many loads of a page are kept; of one with more they are not known.
const maxListed = 256

// maxCached is how many answers a tab remembers for the pages after.
const maxCached = 512

// loadLog gathers the loads of a page as Chrome tells them. The tab's mu guards it.
type loadLog struct {
	loads map[network.RequestID]*plat.Load // under way or done
	hops  []plat.Load                      // of redirects
	over  bool                             // there were more than are kept
	live  bool                             // a WebSocket or a worker was started
}

// startedWorker notes a worker that several pages may share.
func (t *tab) startedWorker() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.log.live = true
	t.workers++
}

// sent notes a request that is not for the page's own document.
func (l *loadLog) sent(e *network.EventRequestWillBeSent) {
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

func (l *loadLog) received(id network.RequestID, r *network.Response) {
	if load := l.loads[id]; load != nil && r != nil {
		fillFromChrome(load, r)
	}
}

// cached notes that a request went nowhere.
func (l *loadLog) cached(id network.RequestID) {
	if load := l.loads[id]; load != nil {
		load.Cached = true
	}
}

// failed notes that a request has come to its end without an answer, or after one.
func (l *loadLog) failed(id network.RequestID) {
	if load := l.loads[id]; load != nil && load.Status < 0 {
		load.Status = 0
	}
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

// fillLoad takes over the response headers that matter.
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

// listLoads fills in a snapshot's loads.
func (v *visit) listLoads(ctx context.Context, s *plat.Snapshot) {
	v.mu.Lock()
	log, watching := v.log, v.watching
	loads := append([]plat.Load(nil), log.hops...)
	known := !log.over
	for _, l := range log.loads {
		known = known && l.Status >= 0
		loads = append(loads, *l)
	}
	v.mu.Unlock()
	if !watching {
		loads, known = v.laneLoads(ctx, s)
	}
	if log.live {
		loads = append(loads, plat.Load{Kind: plat.LoadLive})
	}
	s.Loads, s.LoadsKnown = loads, known
}

// laneLoads are the loads as the guard has seen them.
func (v *visit) laneLoads(ctx context.Context, s *plat.Snapshot) (loads []plat.Load, known bool) {
	traffic, all := v.lane.Stats(), v.lane.Exchanges()
	known = len(all) < maxListed && traffic.Tunnels == 0 && traffic.Requests == len(all)+len(traffic.Shut)
	for _, at := range traffic.Shut {
		loads = append(loads, plat.Load{URL: shutURL(at), Method: http.MethodGet})
	}
	answered := map[string]bool{} // with something else than a demand for a password
	for _, x := range all {
		answered[x.URL] = answered[x.URL] || x.Status != http.StatusUnauthorized
	}
	documents := len(s.Redirects) + 1
	for _, x := range all {
		switch {
		case x.Status == http.StatusUnauthorized && answered[x.URL]:
		case x.Navigation:
			documents--
		default:
			loads = append(loads, v.laneLoad(&x))
			known = known && (x.Header != nil || x.Err != nil)
		}
	}
	known = known && documents == 0 // more were for frames
	if v.uses > 1 {
		cached, ok := v.cachedLoads(ctx, loads)
		loads, known = append(loads, cached...), known && ok
	}
	if v.cache == nil {
		v.cache = map[string]plat.Load{}
	}
	for _, l := range loads {
		if len(v.cache) < maxCached && l.Status == http.StatusOK {
			v.cache[l.URL] = l
		}
	}
	return loads, known
}

func (v *visit) laneLoad(x *egress.Exchange) plat.Load {
	l := plat.Load{URL: x.URL, Method: x.Method, Status: x.Status}
	fillLoad(&l, x.Header)
	l.Kind = kindOfExchange(x, l.ContentType)
	if was, ok := v.cache[x.URL]; ok && x.Status == http.StatusNotModified {
		// The tab's cache had it: the answer is that from before.
		if l.ETag == "" {
			l.ETag = was.ETag
		}
		if l.LastModified == "" {
			l.LastModified = was.LastModified
		}
		l.Kind, l.ContentType = was.Kind, was.ContentType
	}
	return l
}

// kindOfExchange tells what a request is for by what it says of itself.
func kindOfExchange(x *egress.Exchange, contentType string) plat.LoadKind {
	t, _, _ := mime.ParseMediaType(contentType)
	if t == "text/event-stream" {
		return plat.LoadLive
	}
	switch x.Dest {
	case "worker", "sharedworker", "serviceworker":
		return plat.LoadLive
	case "style":
		return plat.LoadStyle
	case "script":
		return plat.LoadScript
	case "font":
		return plat.LoadFont
	case "image":
		return plat.LoadImage
	case "empty":
		return plat.LoadData
	}
	// Only pages by https and of this machine say Sec-Fetch-Dest.
	switch {
	case strings.HasPrefix(x.Accept, "text/css"):
		return plat.LoadStyle
	case strings.HasPrefix(x.Accept, "image/"):
		return plat.LoadImage
	case strings.HasPrefix(x.Accept, "text/event-stream"):
		return plat.LoadLive
	case strings.HasPrefix(t, "font/"):
		return plat.LoadFont
	case strings.HasSuffix(t, "javascript"):
		return plat.LoadScript
	case x.Dest == "":
		return plat.LoadData // as careful as can be
	}
	return plat.LoadOther
}

// cachedLoads are those that the page took out of the cache of its tab.
func (v *visit) cachedLoads(ctx context.Context, seen []plat.Load) (loads []plat.Load, known bool) {
	b, err := v.evaluate(ctx, 0, "Performance.prototype.getEntriesByType.call(performance, 'resource').map((e) => e.name)")
	var names []string
	if err != nil || jsonv2.Unmarshal(b, &names, jsonv2.AllowInvalidUTF8(true)) != nil || len(names) >= 250 {
		return nil, false // the list of resources ends there
	}
	there := map[string]bool{}
	for _, l := range seen {
		there[l.URL] = true
	}
	for _, name := range names {
		name = withoutFragment(name)
		if there[name] || !strings.HasPrefix(name, "http:") {
			continue // what went by https is counted as a tunnel
		}
		there[name] = true
		if host, _, _ := strings.Cut(strings.TrimPrefix(name, "http://"), "/"); there[shutURL(host+":443")] {
			continue // Chrome knows that the host wants https, and went there
		}
		was, ok := v.cache[name]
		if !ok {
			return nil, false
		}
		was.Cached = true
		loads = append(loads, was)
	}
	return loads, true
}

// shutURL stands for all that a page asked for at a target that no tunnel led to.
func shutURL(target string) string { return "https://" + target + "/" }

func withoutFragment(u string) string {
	u, _, _ = strings.Cut(u, "#")
	return u
}
