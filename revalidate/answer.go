package revalidate

import (
	"net/http"
	"net/textproto"
	"slices"
	"strconv"
	"strings"
	"time"

	"plat"
)

// Verdict is what comes of a question. A higher one outweighs a lower one.
type Verdict uint8

// The verdicts.
const (
	Same    Verdict = iota // as in the last rendering
	Learned                // it could not be told apart before, and can be from now on
	Other                  // not as in the last rendering, or not comparable
)

// Answer is what a server said to a question for a resource.
type Answer struct {
	Status int // 0: nothing
	Header http.Header
	Body   Mark      // of the decoded body, if Status is 2xx
	Time   time.Time // when it was asked
}

// Conditions are the headers that make a question for r conditional (RFC 9110
// section 13.1).
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

// Compare says whether an answer is that of r, and how r is told apart from now on.
// A status 304 answers a question with r's own conditions.
func (r Resource) Compare(a Answer) (Verdict, Resource) {
	now := Resource{URL: r.URL, Kind: r.Kind}
	if a.Status == http.StatusNotModified {
		if r.By != ByETag && r.By != ByModified {
			return Other, now // nobody asked on a condition
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

// Tells reports whether an answer that was given to somebody else says what r needs
// to be told apart: the body of one may not be known.
func (a Answer) Tells(r *Resource) bool {
	return a.Status < 200 || a.Status >= 300 || r.By != ByBody && r.By != Unknown || !a.Body.IsZero()
}

// maxETag is how long an entity tag is of use; a longer one would fill the state.
const maxETag = 128

// tagOf is the entity tag of an answer, empty if it has none of use.
func tagOf(h http.Header) string {
	if tag := strings.TrimSpace(h.Get("ETag")); len(tag) <= maxETag {
		return tag
	}
	return ""
}

// etagMark is the mark of an entity tag, compared weakly (RFC 9110 section 8.8.3.2)
// and without what servers add for a content coding: "-gzip" and the like.
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

// settled is how old a modification date has to be, by the server's own clock, to
// tell answers apart: a file may be written twice in one second (RFC 9110 section
// 8.8.2.2).
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

// MaxFresh is how long an answer counts as fresh, whatever the site says, unless it
// says that it is immutable (RFC 8246): who renders every time has an empty cache
// and sees at once what a site changes too early. Immutable answers are fresh for up
// to [MaxImmutable].
const (
	MaxFresh     = time.Hour
	MaxImmutable = 365 * 24 * time.Hour
)

// freshUntil is until when an answer may be used without asking, zero if it may not.
// Data that scripts ask for is always asked for: that is where news comes from.
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

// Lasting reports whether loads of that kind may be taken from a cache.
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

// plainVary reports whether the answer depends on nothing that a browser sends and
// we do not: scripts choose what they accept, and send headers of their own. Cookies
// count where the site sets some.
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

// shaping are the response headers of a document that change what it shows or
// whether it may be kept.
var shaping = [...]string{"Content-Type", "Content-Language", "Content-Security-Policy", "Link", "Refresh", "X-Robots-Tag", "Content-Disposition"}

// HeadMark is the mark of a document's headers that matter. Nonces in policies do
// not, and of cookies only which are set.
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

// ChainMark is the mark of the way to a document: each hop's status and URL, and the
// last URL.
func ChainMark(hops []plat.Redirect, final string) Mark {
	var parts []string
	for _, h := range append(slices.Clone(hops), plat.Redirect{URL: final}) {
		at, _, _ := strings.Cut(h.URL, "#")
		parts = append(parts, strconv.Itoa(h.Status), at)
	}
	return MarkOf(parts...)
}
