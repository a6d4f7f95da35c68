package revalidate

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"time"

	"plat/plat"
	"plat/plat/weburl"
)

// Rendering holds the properties of a rendering that matter here.
type Rendering struct {
	Version   int   // of the archive, that it found or stored
	PageBytes int64 // of the page
	Setup     Mark
	Changed   bool // it differs from the previous version, or is the first

	Unfit    Reason // why it cannot be relied on
	Inert    bool   // nothing in the DOM can run
	Chain    Mark
	Document Resource
	Loads    []Resource // in order of URL, each once
}

// Observe extracts the properties from a snapshot; the caller sets the first
// four fields.
func Observe(s *plat.Snapshot) Rendering {
	r := Rendering{Inert: true, Chain: ChainMark(s.Redirects, s.FinalURL)}
	header := http.Header{}
	for _, h := range s.Header {
		header.Add(h[0], h[1])
	}
	switch {
	case s.Settled.Short():
		r.Unfit = Restless
	case s.Status != http.StatusOK || s.ContentType != "text/html":
		r.Unfit = NotHTML
	case !s.LoadsKnown:
		r.Unfit = Unlisted
	case slices.ContainsFunc(s.Redirects, func(h plat.Redirect) bool { return h.Status == 0 }):
		r.Unfit = Moved
	}
	cookies := header["Set-Cookie"] != nil
	if r.Unfit == NoReason && !plainVary(header.Values("Vary"), cookies) {
		r.Unfit = Varies
	}
	for i := range s.Nodes {
		n := &s.Nodes[i]
		switch {
		case n.Kind == plat.DocumentNode && i > 0:
			r.Unfit = cmp.Or(r.Unfit, Framed)
		case n.Kind == plat.ElementNode && r.Inert:
			equiv, _ := n.Attr("http-equiv")
			kind, _ := n.Attr("type")
			if Active(n.Name, equiv) && !(strings.EqualFold(n.Name, "script") && dataScript(kind)) {
				r.Inert = false
			}
			r.Inert = r.Inert && !slices.ContainsFunc(n.Attrs, func(a plat.Attr) bool { return Handler(a.Name) })
		}
	}
	r.Document = resourceOf(header, s.Taken, Resource{})
	for i := range s.Loads {
		l := &s.Loads[i]
		x, why := loaded(l, s.Taken, cookies)
		if r.Unfit = cmp.Or(r.Unfit, why); r.Unfit != NoReason {
			r.Loads = nil
			return r
		}
		r.Loads = append(r.Loads, x)
	}
	slices.SortFunc(r.Loads, func(a, b Resource) int { return strings.Compare(a.URL, b.URL) })
	for i := 1; i < len(r.Loads); i++ {
		a, b := &r.Loads[i-1], &r.Loads[i]
		if a.URL == b.URL && (a.Kind == plat.LoadData || b.Kind == plat.LoadData || a.By != b.By || a.Mark != b.Mark) {
			r.Unfit = cmp.Or(r.Unfit, Repeats)
		}
	}
	r.Loads = slices.CompactFunc(r.Loads, func(a, b Resource) bool { return a.URL == b.URL })
	if len(r.Loads) > MaxLoads {
		r.Unfit = cmp.Or(r.Unfit, Many)
	}
	if r.Unfit != NoReason {
		r.Loads = nil
	}
	return r
}

// loaded returns the resource of a load, or why it cannot be revalidated.
func loaded(l *plat.Load, taken time.Time, cookies bool) (Resource, Reason) {
	x := Resource{URL: l.URL, Kind: l.Kind, cached: l.Cached}
	media, _, _ := strings.Cut(l.ContentType, ";")
	switch {
	case l.Kind == plat.LoadLive || l.Status == http.StatusSwitchingProtocols || strings.EqualFold(strings.TrimSpace(media), "text/event-stream"):
		return x, Live
	case l.Method != http.MethodGet:
		return x, Sends
	case !weburl.IsWeb(l.URL):
		return x, Unreadable
	case l.Status == http.StatusPartialContent:
		return x, Partial
	case l.Status >= 400 || l.Status == 0:
		x.By, x.Mark = ByFailure, failureMark(l.Status)
		return x, NoReason
	case l.Vary != "" && !plainVary([]string{l.Vary}, cookies):
		return x, Varies
	case l.Status >= 300 && l.Status != http.StatusNotModified:
		if l.Location == "" {
			return x, Unreadable
		}
		x.By, x.Mark = ByRedirect, redirectMark(l.Status, l.Location)
		return x, NoReason
	case l.Status < 200:
		return x, Unreadable
	}
	h := http.Header{}
	for name, v := range map[string]string{"ETag": l.ETag, "Last-Modified": l.LastModified, "Cache-Control": l.CacheControl,
		"Expires": l.Expires, "Date": l.Date, "Age": l.Age} {
		if v != "" {
			h.Set(name, v)
		}
	}
	return resourceOf(h, taken, x), NoReason
}

// resourceOf sets the validators of an answer whose body was not seen.
func resourceOf(h http.Header, taken time.Time, x Resource) Resource {
	x.ETag, x.Modified = tagOf(h), settledDate(h, taken)
	switch {
	case x.ETag != "":
		x.By, x.Mark = ByETag, etagMark(x.ETag)
	case !x.Modified.IsZero():
		x.By, x.Mark = ByModified, modifiedMark(x.Modified)
	}
	x.Fresh = freshUntil(h, taken, x.Kind)
	return x
}
