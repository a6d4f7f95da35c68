package revalidate

import (
	"net/http"
	"net/textproto"
	"slices"
	"strconv"
	"strings"
	"time"

	"plat/plat"
)

// Verdict is the outcome of a validation request. A higher one outweighs a
// lower one.
type Verdict uint8

// The verdicts.
const (
	Same    Verdict = iota // unchanged since the last rendering
	Learned                // not comparable before, comparable from now on
	Other                  // changed since the last rendering, or not comparable
)

// Answer is a server's response for a resource.
type Answer struct {
	Status int // 0: no response
	Header http.Header
	Body   Mark      // of the decoded body, if Status is 2xx
	Time   time.Time // of the request
}

// Conditions are the headers of a conditional request for r (RFC 9110 section
// 13.1).
func (r *Resource) Conditions() http.Header {
	h := http.Header{}
	if r.By != ByETag && r.By != ByModified {
		return h
	}
	if r.ETag != "" {
		h.Set("If-None-Match", r.ETag)
	}
	if !r.Modified.IsZero() {
		h.Set("If-Modified-Since", r.Modified.UTC().Format(http.TimeFormat))
	}
	return h
}

// Compare reports whether an answer matches r, and returns r updated with the
// answer's validators. A 304 responds to r's own conditions.
func (r Resource) Compare(a Answer) (Verdict, Resource) {
	now := Resource{URL: r.URL, Kind: r.Kind}
	if a.Status == http.StatusNotModified {
		if r.By != ByETag && r.By != ByModified {
			return Other, now // the request was not conditional
		}
		r.Fresh = freshUntil(a.Header, a.Time, r.Kind)
		return Same, r
	}
	if a.Header != nil && !plainVary(a.Header.Values("Vary"), a.Header["Set-Cookie"] != nil) {
		return Other, now
	}
	var by [kindsOfBy]Mark
	switch {
	case a.Status >= 200 && a.Status < 300:
		now.ETag = tagOf(a.Header)
		now.Modified = settledDate(a.Header, a.Time)
		by[ByETag], by[ByModified], by[ByBody] = etagMark(now.ETag), modifiedMark(now.Modified), a.Body
		now.Fresh = freshUntil(a.Header, a.Time, r.Kind)
	case a.Status >= 300 && a.Status < 400:
		by[ByRedirect] = redirectMark(a.Status, a.Header.Get("Location"))
	default:
		by[ByFailure] = failureMark(a.Status)
	}
	if r.By == Unknown {
		for x := ByETag; x < kindsOfBy; x++ {
			if !by[x].IsZero() {
				now.By, now.Mark = x, by[x]
				return Learned, now
			}
		}
		return Other, now
	}
	now.By, now.Mark = r.By, by[r.By]
	if now.Mark.IsZero() {
		now.By = Unknown
	}
	if now.Mark.IsZero() || now.Mark != r.Mark {
		return Other, now
	}
	return Same, now
}

// Tells reports whether an answer to a different request contains the validator that r
// is compared by: its body may be unknown.
func (a Answer) Tells(r *Resource) bool {
	return a.Status < 200 || a.Status >= 300 || r.By != ByBody && r.By != Unknown || !a.Body.IsZero()
}

// maxETag is the maximum length of a stored entity tag; longer ones would fill
// the state.
const maxETag = 128

// tagOf returns the entity tag of an answer, empty if it is missing or too
// long.
func tagOf(h http.Header) string {
	if tag := strings.TrimSpace(h.Get("ETag")); len(tag) <= maxETag {
		return tag
	}
	return ""
}

// etagMark is the mark of an entity tag under weak comparison (RFC 9110 section
// 8.8.3.2), without suffixes that servers add for a content coding, such as
// "-gzip".
func etagMark(tag string) Mark {
	tag = strings.TrimPrefix(strings.TrimSpace(tag), "W/")
	if tag == "" {
		return Mark{}
	}
	inner := strings.Trim(tag, `"`)
	for _, coding := range [...]string{"-gzip", ";gzip", "-br", ";br", "-zstd", ";zstd", "-df"} {
		if cut, ok := strings.CutSuffix(inner, coding); ok {
			inner = strings.TrimSuffix(cut, "-") // Jetty's "--gzip"
			break
		}
	}
	return MarkOf("etag", inner)
}

func modifiedMark(t time.Time) Mark {
	if t.IsZero() {
		return Mark{}
	}
	return MarkOf("modified", strconv.FormatInt(t.Unix(), 10))
}

func redirectMark(status int, location string) Mark {
	return MarkOf("redirect", strconv.Itoa(status), location)
}

func failureMark(status int) Mark { return MarkOf("failure", strconv.Itoa(status)) }

// settled is the minimum age of a modification date, by the server's own clock,
// to be a validator: a file may be written twice within a second (RFC 9110
// section 8.8.2.2).
const settled = time.Minute

func settledDate(h http.Header, now time.Time) time.Time {
	t, err := http.ParseTime(h.Get("Last-Modified"))
	if err != nil {
		return time.Time{}
	}
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		now = date
	}
	if t = t.UTC(); now.Sub(t) < settled || t.Unix() <= 0 {
		return time.Time{}
	}
	return t
}

// MaxFresh limits the freshness lifetime of answers, regardless of the site's
// headers: rendering with an empty cache would see premature changes
// immediately, so skipping must not miss them for long. Immutable answers (RFC
// 8246) are fresh for up to [MaxImmutable].
const (
	MaxFresh     = time.Hour
	MaxImmutable = 365 * 24 * time.Hour
)

// freshUntil returns until when an answer may be used without revalidation, zero if it may not.
// Data requested by scripts is always revalidated, since it carries new content.
func freshUntil(h http.Header, now time.Time, kind plat.LoadKind) time.Time {
	if !Lasting(kind) {
		return time.Time{}
	}
	age := -1
	immutable := false
	for _, d := range directives(h.Values("Cache-Control")) {
		name, value, _ := strings.Cut(d, "=")
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "no-store", "no-cache":
			return time.Time{}
		case "immutable":
			immutable = true
		case "max-age":
			if n, err := strconv.Atoi(strings.Trim(value, `" `)); err == nil {
				age = max(0, min(n, int(MaxImmutable/time.Second)))
			}
		}
	}
	var span time.Duration
	if age >= 0 {
		span = time.Duration(age) * time.Second
	} else if until, err := http.ParseTime(h.Get("Expires")); err == nil {
		if date, err := http.ParseTime(h.Get("Date")); err == nil {
			span = until.Sub(date)
		}
	}
	if n, err := strconv.Atoi(h.Get("Age")); err == nil && n > 0 {
		span -= time.Duration(min(n, int(MaxImmutable/time.Second))) * time.Second
	}
	if limit := MaxFresh; !immutable {
		span = min(span, limit)
	}
	if span < time.Second {
		return time.Time{}
	}
	return now.Add(min(span, MaxImmutable)).UTC().Truncate(time.Second)
}

// Lasting reports whether loads of that kind may be served from a cache.
func Lasting(k plat.LoadKind) bool {
	return k == plat.LoadStyle || k == plat.LoadScript || k == plat.LoadFont || k == plat.LoadImage
}

func directives(values []string) (all []string) {
	for _, v := range values {
		for d := range strings.SplitSeq(v, ",") {
			all = append(all, textproto.TrimString(d))
		}
	}
	return all
}

// plainVary reports whether an answer varies only on request headers that browsers and the checker
// send alike: scripts set their own Accept and other headers. Cookies count if the site sets some.
func plainVary(vary []string, cookies bool) bool {
	return !slices.ContainsFunc(directives(vary), func(name string) bool {
		switch strings.ToLower(name) {
		case "", "accept-encoding", "accept-language", "user-agent", "origin":
			return false
		case "cookie":
			return cookies
		}
		return true
	})
}

// shaping are the response headers of a document that affect its content or
// whether it may be stored.
var shaping = [...]string{"Content-Type", "Content-Language", "Content-Security-Policy", "Link", "Refresh", "X-Robots-Tag", "Content-Disposition"}

// HeadMark is the mark of a document's relevant headers. It ignores nonces in
// policies, and values of cookies.
func HeadMark(h http.Header) Mark {
	var parts []string
	for _, name := range shaping {
		for _, v := range h.Values(name) {
			if name == "Content-Security-Policy" {
				v = withoutNonces(v)
			}
			parts = append(parts, name, v)
		}
	}
	var cookies []string
	for _, v := range h.Values("Set-Cookie") {
		name, _, _ := strings.Cut(v, "=")
		cookies = append(cookies, strings.TrimSpace(name))
	}
	slices.Sort(cookies)
	return MarkOf(append(append(parts, "Set-Cookie"), cookies...)...)
}

func withoutNonces(policy string) string {
	var out strings.Builder
	for {
		before, rest, ok := strings.Cut(policy, "'nonce-")
		out.WriteString(before)
		if !ok {
			return out.String()
		}
		_, policy, _ = strings.Cut(rest, "'")
		out.WriteString("nonce")
	}
}

// ChainMark is the mark of a redirect chain: each hop's status and URL, and the
// final URL.
func ChainMark(hops []plat.Redirect, final string) Mark {
	var parts []string
	for _, h := range append(slices.Clone(hops), plat.Redirect{URL: final}) {
		at, _, _ := strings.Cut(h.URL, "#")
		parts = append(parts, strconv.Itoa(h.Status), at)
	}
	return MarkOf(parts...)
}
