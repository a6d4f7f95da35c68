package notify

import (
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// mask replaces a secret.
const mask = "***"

// minHidden is the minimum length of a secret that is replaced in an error, in bytes. A shorter
// secret may occur by chance, so an error that contains one is not shown at all.
const minHidden = 4

// maxError limits the stored text of an error, in characters.
const maxError = 300

// hidden holds the texts that errors of one channel must not contain.
type hidden struct{ parts []string }

// openWords are parts of URLs that are no secrets: many receivers have them in their paths, and errors contain them as words.
var openWords = map[string]bool{
	"webhook": true, "webhooks": true, "hook": true, "hooks": true, "api": true, "plat": true, "v1": true, "v2": true, "v3": true, "notify": true, "notification": true,
	"notifications": true, "message": true, "messages": true, "services": true, "post": true, "send": true, "news": true, "items": true, "localhost": true, "true": true, "false": true, "yes": true, "no": true,
}

// add hides texts, also in their escaped forms in URLs and quoted strings.
func (h *hidden) add(texts ...string) {
	for _, s := range texts {
		if s == "" {
			continue
		}
		quoted := strconv.Quote(s)
		for _, form := range []string{s, escape(s), url.QueryEscape(s), url.PathEscape(s), quoted[1 : len(quoted)-1]} {
			if !slices.Contains(h.parts, form) {
				h.parts = append(h.parts, form)
			}
		}
		if plain, err := url.PathUnescape(s); err == nil && !slices.Contains(h.parts, plain) {
			h.parts = append(h.parts, plain)
		}
	}
}

// redact returns an error with the text of err, without secrets. It does not wrap err,
// whose text and fields may hold them.
func (h *hidden) redact(err error) error {
	if err == nil {
		return nil
	}
	return errors.New(h.text(err.Error()))
}

func (h *hidden) text(s string) string {
	// Longest first: a part may contain a shorter one.
	slices.SortFunc(h.parts, func(a, b string) int { return len(b) - len(a) })
	for _, p := range h.parts {
		switch {
		case len(p) >= minHidden:
			s = strings.ReplaceAll(s, p, mask)
		case p != "" && strings.Contains(s, p):
			return "it failed; details are withheld, because a part of the channel URL of less than " + strconv.Itoa(minHidden) + " characters occurs in them"
		}
	}
	return line(s, maxError)
}
