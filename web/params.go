package web

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

	"plat"
)

// Limits of lists.
const (
	defaultLimit = 50
	maxLimit     = 500
)

// params parses the parameters of a request. err keeps the first error; values
// read after it are ignored.
type params struct {
	query url.Values
	drop  []string // see plat.Canonical
	err   error
}

// readParams parses the query of r. Parameters outside of known are errors,
// because ignoring a typo would change the meaning of the response. Duplicates
// are errors too.
func (s *Server) readParams(r *http.Request, known []string) *params {
	query, err := url.ParseQuery(r.URL.RawQuery)
	p := &params{query: query, drop: s.Drop}
	if err != nil {
		p.fail("the query cannot be read: %s", err)
	}
	for name, values := range query {
		switch {
		case !slices.Contains(known, name) && len(known) == 0:
			p.fail("there is no parameter %.40q; this takes none", name)
		case !slices.Contains(known, name):
			p.fail("there is no parameter %.40q; there are %s", name, strings.Join(known, ", "))
		case len(values) > 1:
			p.fail("the parameter %s is given %d times", name, len(values))
		}
	}
	return p
}

func (p *params) fail(format string, args ...any) {
	if p.err == nil {
		p.err = bad(format, args...)
	}
}

// text returns a parameter of at most most bytes; empty if it is not given.
func (p *params) text(name string, most int) string {
	v := p.query.Get(name)
	if len(v) > most {
		p.fail("%s has %d bytes; the limit is %d", name, len(v), most)
		return ""
	}
	return v
}

// url returns the canonical form of the required parameter url.
func (p *params) url() string {
	raw := p.query.Get("url")
	if raw == "" {
		p.fail("the parameter url is missing; write ?url= and the URL, percent-encoded")
		return ""
	}
	u, err := plat.Canonical(raw, p.drop)
	if err != nil && p.err == nil {
		p.err = err
	}
	return u
}

// number parses a whole number within bounds.
func (p *params) number(name string, otherwise, least, most int) int {
	v := p.query.Get(name)
	if v == "" && !p.query.Has(name) {
		return otherwise
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < least || n > most {
		p.fail("%s=%.40q: write a number from %d to %d", name, v, least, most)
		return otherwise
	}
	return n
}

func (p *params) limit() int { return p.number("limit", defaultLimit, 1, maxLimit) }

// maxVersion is larger than any version number.
const maxVersion = math.MaxInt32

// version parses a version number; 0 is the last one.
func (p *params) version(name string) int {
	if p.query.Get(name) == "last" {
		return 0
	}
	return p.number(name, 0, 0, maxVersion)
}

func (p *params) flag(name string) bool {
	switch v := p.query.Get(name); {
	case v == "true":
		return true
	case v != "false" && p.query.Has(name):
		p.fail("%s=%.40q: write true or false", name, v)
	}
	return false
}

// moment parses a date or an instant; zero if it is not given.
func (p *params) moment(name string) time.Time {
	v := p.query.Get(name)
	if v == "" && !p.query.Has(name) {
		return time.Time{}
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.Parse(layout, v); err == nil {
			return t.UTC()
		}
	}
	p.fail("%s=%.40q: write a date (2026-01-31) or an instant (2026-01-31T12:00:00Z)", name, v)
	return time.Time{}
}

// label parses a kind of block; an unknown one would silently match nothing.
func (p *params) label() plat.Label {
	return one(p, "label", p.query.Get("label"), plat.Labels)
}

// one returns v if it is in all, or empty.
func one[T ~string](p *params, name, v string, all []T) T {
	if v != "" && !slices.Contains(all, T(v)) {
		names := make([]string, len(all))
		for i := range all {
			names[i] = string(all[i])
		}
		p.fail("%s=%.40q: there is no such %s; use one of %s", name, v, name, strings.Join(names, ", "))
		return ""
	}
	return T(v)
}

// cursor decodes the cursor of the previous page into into, and reports whether
// there was one. Its fields must be validated like other parameters, because
// clients can change them.
func (p *params) cursor(into any) bool {
	v := p.query.Get("cursor")
	if v == "" {
		return false
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(v)
	if err == nil {
		err = json.Unmarshal(b, into)
	}
	if err != nil {
		p.fail("cursor=%.40q is invalid; start again without it", v)
	}
	return err == nil
}

// cursorOf encodes a cursor for [params.cursor].
func cursorOf(at any) string {
	b, err := json.Marshal(at)
	if err != nil {
		panic(err) // unreachable: plain fields only
	}
	return base64.RawURLEncoding.EncodeToString(b)
}
