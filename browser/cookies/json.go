package cookies

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// exported is a cookie as extensions write it. EditThisCookie and Cookie-Editor have
// expirationDate, session and hostOnly; Playwright has expires, -1 for a session's, and a domain
// with a dot where subdomains are meant.
type exported struct {
	Domain         *string  `json:"domain"`
	HostOnly       *bool    `json:"hostOnly"`
	Path           string   `json:"path"`
	Name           string   `json:"name"`
	Value          string   `json:"value"`
	Secure         bool     `json:"secure"`
	HTTPOnly       bool     `json:"httpOnly"`
	SameSite       string   `json:"sameSite"`
	Session        bool     `json:"session"`
	ExpirationDate *float64 `json:"expirationDate"`
	Expires        *float64 `json:"expires"`
}

func (e *exported) cookie() (Cookie, error) {
	c := Cookie{Name: e.Name, Value: e.Value, Path: e.Path, Secure: e.Secure, HTTPOnly: e.HTTPOnly}
	if e.Domain == nil {
		return c, errors.New(`there is no "domain"; export the cookies in Netscape format, or as the JSON of EditThisCookie or Cookie-Editor`)
	}
	c.Host = *e.Domain
	if c.Subdomains = strings.HasPrefix(c.Host, "."); e.HostOnly != nil {
		c.Subdomains = !*e.HostOnly
	}
	switch strings.ToLower(e.SameSite) {
	case "", "unspecified":
	case "none", "no_restriction":
		c.SameSite = None
	case "lax":
		c.SameSite = Lax
	case "strict":
		c.SameSite = Strict
	default:
		return c, errors.New(`"sameSite" is not no_restriction, none, lax, strict or unspecified`)
	}
	at := e.ExpirationDate
	if at == nil {
		at = e.Expires
	}
	if at != nil && !e.Session {
		c.Expires = expiresAt(*at)
	}
	return c, nil
}

// fromJSON reads an array of cookies, or an object whose "cookies" are one.
func fromJSON(text []byte, add func(int, Cookie) error) error {
	r := &reader{text: text, d: json.NewDecoder(bytes.NewReader(text)), add: add}
	if err := r.all(); err != nil {
		return err
	}
	if _, err := r.d.Token(); err != io.EOF {
		return fmt.Errorf("line %d: there is text after the cookies", r.line())
	}
	return nil
}

type reader struct {
	text  []byte
	d     *json.Decoder
	add   func(int, Cookie) error
	begun int // bytes already searched for line ends
	lines int // number of line ends in them
}

// line returns the line of the next token.
func (r *reader) line() int {
	at := min(int(r.d.InputOffset()), len(r.text))
	for at < len(r.text) && bytes.IndexByte([]byte(" \t\r\n,:"), r.text[at]) >= 0 {
		at++
	}
	r.lines += bytes.Count(r.text[r.begun:at], []byte("\n"))
	r.begun = at
	return 1 + r.lines
}

// wrong returns the error of a line. The text may be part of a value, so the error contains neither
// the text nor the decoder's message.
func wrong(line int, err error) error {
	if _, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("line %d: the text is not JSON", line)
	}
	if of, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && of.Field != "" {
		return fmt.Errorf("line %d: %q of the cookie is of the wrong kind", line, of.Field)
	}
	return fmt.Errorf("line %d: not a cookie, or the JSON ends too early", line)
}

func (r *reader) all() error {
	line := r.line()
	open, err := r.d.Token()
	if err != nil {
		return wrong(line, err)
	}
	if open == json.Delim('[') {
		return r.array()
	}
	found := false
	for r.d.More() {
		line = r.line()
		key, err := r.d.Token()
		if err != nil {
			return wrong(line, err)
		}
		if key != "cookies" {
			var other json.RawMessage
			if err := r.d.Decode(&other); err != nil {
				return wrong(line, err)
			}
			continue
		}
		found = true
		if open, err := r.d.Token(); err != nil || open != json.Delim('[') {
			return fmt.Errorf("line %d: \"cookies\" is no array", line)
		}
		if err := r.array(); err != nil {
			return err
		}
	}
	if _, err := r.d.Token(); err != nil {
		return wrong(r.line(), err)
	}
	if !found {
		return fmt.Errorf("line 1: the object has no \"cookies\"; export the cookies in Netscape format, or as the JSON of EditThisCookie or Cookie-Editor")
	}
	return nil
}

// array reads cookies up to the end of the array that has begun.
func (r *reader) array() error {
	for r.d.More() {
		line := r.line()
		var e exported
		if err := r.d.Decode(&e); err != nil {
			return wrong(line, err)
		}
		c, err := e.cookie()
		if err != nil {
			return fmt.Errorf("line %d: %w", line, err)
		}
		if err := r.add(line, c); err != nil {
			return err
		}
	}
	line := r.line()
	if _, err := r.d.Token(); err != nil {
		return wrong(line, err)
	}
	return nil
}
