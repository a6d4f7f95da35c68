package requests

import (
	"maps"
	"mime"
	"net/http"
	"slices"
	"strings"

	"plat/browser/egress"
	"plat/plat"
)

// Cache models the HTTP cache of a tab, by URL. The zero Cache is empty.
type Cache struct{ loads map[string]plat.Load }

// FromLane returns the loads of a page, except its documents, as recorded by the guard; known
// reports that they are complete. documents is the number of documents requested, redirects
// included. names, if not nil, returns the page's own list of resources, for those from the tab's
// cache; ok is false if that list is incomplete.
func (c *Cache) FromLane(lane *egress.Lane, documents int, names func() (all []string, ok bool)) (loads []plat.Load, known bool) {
	traffic, all := lane.Stats(), lane.Exchanges()
	known = len(all) < maxListed && traffic.Tunnels == 0 && traffic.Requests == len(all)+len(traffic.Shut)
	for _, at := range traffic.Shut {
		loads = append(loads, plat.Load{URL: shutURL(at), Method: http.MethodGet})
	}
	answered := map[string]bool{} // with something else than a demand for a password
	for _, x := range all {
		answered[x.URL] = answered[x.URL] || x.Status != http.StatusUnauthorized
	}
	for _, x := range all {
		switch {
		case x.Status == http.StatusUnauthorized && answered[x.URL]:
		case x.Navigation:
			documents--
		default:
			loads = append(loads, c.load(&x))
			known = known && (x.Header != nil || x.Err != nil)
		}
	}
	known = known && documents == 0 // more were for frames
	if names != nil {
		cached, ok := c.cached(loads, names)
		loads, known = append(loads, cached...), known && ok
	}
	if c.loads == nil {
		c.loads = map[string]plat.Load{}
	}
	for _, l := range loads {
		if len(c.loads) < maxCached && l.Status == http.StatusOK {
			c.loads[l.URL] = l
		}
	}
	return loads, known
}

// Failed returns the files of a page that did not arrive completely: as recorded by the guard, and
// for the rest as reported by Chrome (told). Chrome does not report plain http requests, nor the
// reason of a failure that the guard answered.
func Failed(lane *egress.Lane, told []plat.FailedLoad) []plat.FailedLoad {
	why := map[string]string{}
	for _, f := range told {
		if why[f.URL] = f.Why; egress.Answered(f.Why) {
			if err := lane.Failure(f.URL); err != nil {
				why[f.URL] = err.Error()
			}
		}
	}
	for _, at := range lane.Stats().Shut {
		if err := lane.Failure(shutURL(at)); err != nil {
			why[shutURL(at)] = err.Error()
		}
	}
	for _, x := range lane.Exchanges() {
		switch {
		case x.Err != nil:
			why[x.URL] = x.Err.Error()
		case x.Cut:
			why[x.URL] = "cut off: the connection ended too soon"
		case x.Status > 0:
			delete(why, x.URL) // the page has requested it again
		}
	}
	var all []plat.FailedLoad
	for _, url := range slices.Sorted(maps.Keys(why)) {
		if len(all) < plat.MaxFailed {
			all = append(all, plat.FailedLoad{URL: url, Why: why[url]})
		}
	}
	return all
}

func (c *Cache) load(x *egress.Exchange) plat.Load {
	l := plat.Load{URL: x.URL, Method: x.Method, Status: x.Status}
	fillLoad(&l, x.Header)
	l.Kind = kindOfExchange(x, l.ContentType)
	if was, ok := c.loads[x.URL]; ok && x.Status == http.StatusNotModified {
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

// kindOfExchange derives the kind of a request from its headers.
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
	// Only pages by https and of this machine send Sec-Fetch-Dest.
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

// cached returns the loads that the page took from the cache of its tab.
func (c *Cache) cached(seen []plat.Load, names func() ([]string, bool)) (loads []plat.Load, known bool) {
	all, ok := names()
	if !ok {
		return nil, false
	}
	there := map[string]bool{}
	for _, l := range seen {
		there[l.URL] = true
	}
	for _, name := range all {
		name = withoutFragment(name)
		if there[name] || !strings.HasPrefix(name, "http:") {
			continue // https traffic counts as a tunnel
		}
		there[name] = true
		if host, _, _ := strings.Cut(strings.TrimPrefix(name, "http://"), "/"); there[shutURL(host+":443")] {
			continue // Chrome knows that the host requires https, and switched
		}
		was, ok := c.loads[name]
		if !ok {
			return nil, false
		}
		was.Cached = true
		loads = append(loads, was)
	}
	return loads, true
}

// shutURL returns the URL under which all requests of a page to an unreachable target are listed.
func shutURL(target string) string { return "https://" + target + "/" }

func withoutFragment(u string) string {
	u, _, _ = strings.Cut(u, "#")
	return u
}
