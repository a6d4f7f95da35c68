package api

import (
	"encoding/base64"
	"encoding/json"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"plat/plat"
)

// Limits of lists.
const (
	DefaultLimit = 50
	MaxLimit     = 500
)

// Params parses the parameters of a request. Err keeps the first error; values
// read after it are to be ignored.
type Params struct {
	Query url.Values
	Err   error
	drop  []string // see plat.Canonical
}

// ReadParams parses the query of r; drop are the parameters that are removed from URLs. Parameters
// outside of known are errors, because ignoring a typo would change the meaning of the
// response. Duplicates are errors too.
func ReadParams(r *http.Request, known, drop []string) *Params {
	query, err := url.ParseQuery(r.URL.RawQuery)
	p := &Params{Query: query, drop: drop}
	if err != nil {
		p.Fail("the query cannot be read: %s", err)
	}
	for name, values := range query {
		switch {
		case !slices.Contains(known, name) && len(known) == 0:
			p.Fail("there is no parameter %.40q; this request takes no parameters", name)
		case !slices.Contains(known, name):
			p.Fail("there is no parameter %.40q; there are %s", name, strings.Join(known, ", "))
		case len(values) > 1:
			p.Fail("the parameter %s is given %d times", name, len(values))
		}
	}
	return p
}

// Fail notes an error of the client.
func (p *Params) Fail(format string, args ...any) {
	if p.Err == nil {
		p.Err = BadRequest(format, args...)
	}
}

// Text returns a parameter of at most most bytes; empty if it is not given.
func (p *Params) Text(name string, most int) string {
	v := p.Query.Get(name)
	if len(v) > most {
		p.Fail("%s has %d bytes; the limit is %d", name, len(v), most)
		return ""
	}
	return v
}

// URL returns the canonical form of the required parameter url.
func (p *Params) URL() string {
	raw := p.Query.Get("url")
	if raw == "" {
		p.Fail("the parameter url is missing; write ?url= and the URL, percent-encoded")
		return ""
	}
	u, err := plat.Canonical(raw, p.drop)
	if err != nil && p.Err == nil {
		p.Err = err
	}
	return u
}

// Number parses a whole number within bounds.
func (p *Params) Number(name string, otherwise, least, most int) int {
	v := p.Query.Get(name)
	if v == "" && !p.Query.Has(name) {
		return otherwise
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < least || n > most {
		p.Fail("%s=%.40q: write a number from %d to %d", name, v, least, most)
		return otherwise
	}
	return n
}

// From is the offset of a page in its list.
func (p *Params) From() int { return p.Number("from", 0, 0, math.MaxInt32) }

// Limit returns the maximum number of items on a page of a list.
func (p *Params) Limit() int { return p.Number("limit", DefaultLimit, 1, MaxLimit) }

// MaxVersion is larger than any version number.
const MaxVersion = math.MaxInt32

// Version parses a version number; 0 is the last one.
func (p *Params) Version(name string) int {
	if p.Query.Get(name) == "last" {
		return 0
	}
	return p.Number(name, 0, 0, MaxVersion)
}

// Flag parses true or false.
func (p *Params) Flag(name string) bool {
	switch v := p.Query.Get(name); {
	case v == "true":
		return true
	case v != "false" && p.Query.Has(name):
		p.Fail("%s=%.40q: write true or false", name, v)
	}
	return false
}

// Moment parses a date or an instant; zero if it is not given.
func (p *Params) Moment(name string) time.Time {
	v := p.Query.Get(name)
	if v == "" && !p.Query.Has(name) {
		return time.Time{}
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.Parse(layout, v); err == nil {
			return t.UTC()
		}
	}
	p.Fail("%s=%.40q: write a date (2026-01-31) or an instant (2026-01-31T12:00:00Z)", name, v)
	return time.Time{}
}

// LastMoment parses a date or an instant as the end of the day or of the second that is written: responses have whole
// seconds, and a version is found by the time that a response has. It is zero if it is not given.
func (p *Params) LastMoment(name string) time.Time {
	t := p.Moment(name)
	switch {
	case t.IsZero() || t.Nanosecond() != 0:
		return t
	case len(p.Query.Get(name)) == len(time.DateOnly):
		return t.Add(24*time.Hour - 1)
	}
	return t.Add(time.Second - 1)
}

// Labels parses kinds of block; an unknown one would silently match nothing.
func (p *Params) Labels() []plat.Label {
	labels, err := plat.ReadLabels(p.Query.Get("label"))
	if err != nil {
		p.Fail("label=%v", err)
	}
	return labels
}

// One returns v if it is in all, or empty.
func One[T ~string](p *Params, name, v string, all []T) T {
	if v != "" && !slices.Contains(all, T(v)) {
		names := make([]string, len(all))
		for i := range all {
			names[i] = string(all[i])
		}
		p.Fail("%s=%.40q: there is no such %s; use one of %s", name, v, name, strings.Join(names, ", "))
		return ""
	}
	return T(v)
}

// Cursor decodes the cursor of the previous page into into, and reports whether
// there was one. Its fields must be validated like other parameters, because
// clients can change them.
func (p *Params) Cursor(into any) bool {
	v := p.Query.Get("cursor")
	if v == "" {
		return false
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(v)
	if err == nil {
		err = json.Unmarshal(b, into)
	}
	if err != nil {
		p.Fail("cursor=%.40q is invalid; start again without it", v)
	}
	return err == nil
}

// CursorOf encodes a cursor for [Params.Cursor].
func CursorOf(at any) string {
	b, err := json.Marshal(at)
	if err != nil {
		panic(err) // unreachable: plain fields only
	}
	return base64.RawURLEncoding.EncodeToString(b)
}
