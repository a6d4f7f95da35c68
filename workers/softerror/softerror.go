package softerror

import (
	"bytes"
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"

	"plat/diff"
	"plat/plat"
)

// Limits, as shares of the last version's text.
const (
	gone    = 0.15 // less is left: it is a different page
	half    = 0.5  // less is left: it may be a login, or the like
	lost    = 0.2  // more is missing, and hardly anything has come for it: it is a part
	instead = 0.2  // of the missing text
)

// short is the greatest length of an answer that is recognized by its words, and little the smallest length
// of a page whose loss is noticed, in characters.
const (
	short  = 3000
	little = 80
)

// Sign is a sign that an answer is not the page.
type Sign struct {
	Outcome plat.Outcome // empty: the page
	Why     string       // for people
}

// Of returns the sign of an answer, compared with the last version of the page; empty if it is the page. Old blocks
// that have changed, and all of the new ones, must have their text and content. failed is
// the result of [Failed], empty if the same file failed at the previous visit too.
func Of(old *plat.Version, now []plat.Block, changes []plat.Change, s *plat.Snapshot, failed string) Sign {
	c := compare(old.Blocks, now, changes)
	if c.old < little || c.touched == 0 {
		return Sign{}
	}
	left := 1 - c.lost/c.old
	sign := func(o plat.Outcome, format string, args ...any) Sign { return Sign{o, fmt.Sprintf(format, args...)} }
	away := elsewhere(old.Capture.FinalURL, s.FinalURL)
	if c.now == 0 {
		return sign(plat.OutcomeBlank, "nothing is visible")
	}
	if left < half {
		if asksPassword(now) {
			return sign(plat.OutcomeLogin, "it asks for a password, and %.0f %% of the page is left", 100*left)
		}
		if c.now <= short {
			if o, said := told(s.Title, now); o != "" {
				return sign(o, "it says %q, and %.0f %% of the page is left", said, 100*left)
			}
		}
		if away {
			return sign(plat.OutcomeMoved, "it leads to %s now, and %.0f %% of the page is left", s.FinalURL, 100*left)
		}
	}
	switch {
	case failed != "":
		return sign(plat.OutcomePartial, "%s did not come", failed)
	case left < gone:
		return sign(plat.OutcomeReplaced, "%.0f %% of the page is left", 100*left)
	case 1-left > lost && c.came < instead*c.lost:
		return sign(plat.OutcomePartial, "%.0f %% of the page is missing", 100*(1-left))
	}
	return Sign{}
}

// A comparison counts characters of leaves, and leaves.
type comparison struct {
	old, lost float64 // of the last version; of that not there any more
	now, came float64 // of the answer; of that not there before
	touched   int     // leaves that are other
}

func compare(old, now []plat.Block, changes []plat.Change) (c comparison) {
	for i := range old {
		if b := &old[i]; b.Leaf() {
			c.old += float64(b.TextLen)
		}
	}
	for i := range now {
		if b := &now[i]; b.Leaf() {
			c.now += float64(b.TextLen)
		}
	}
	for _, x := range changes {
		switch {
		case x.Kind == plat.Moved || x.Kind == plat.Volatile || x.Kind == plat.Invisible:
			continue
		case x.Old < 0:
			c.came += float64(now[x.New].TextLen)
		case x.New < 0:
			c.lost += float64(old[x.Old].TextLen)
		default:
			a, b := &old[x.Old], &now[x.New]
			both := common(a.Text, b.Text)
			c.lost += max(0, float64(a.TextLen)-both)
			c.came += max(0, float64(b.TextLen)-both)
		}
		c.touched++
	}
	return c
}

// longest is the largest text that is compared word by word, in bytes: answers in place of a page are short.
const longest = 2 << 20

// common returns the number of characters in words that two texts share; for long texts an upper bound.
func common(a, b string) (chars float64) {
	if len(a)+len(b) > longest {
		return float64(min(utf8.RuneCountInString(a), utf8.RuneCountInString(b)))
	}
	words := map[string]int{}
	for word := range diff.Each(a) {
		words[word]++
	}
	for word := range diff.Each(b) {
		if words[word]--; words[word] >= 0 {
			chars += float64(utf8.RuneCountInString(word))
		}
	}
	return chars
}

// elsewhere reports whether the answer comes from a different page than before.
func elsewhere(before, after string) bool {
	a, err := url.Parse(before)
	b, wrong := url.Parse(after)
	if err != nil || wrong != nil {
		return before != after
	}
	return a.Hostname() != b.Hostname() || strings.TrimSuffix(a.Path, "/") != strings.TrimSuffix(b.Path, "/")
}

// asksPassword reports whether there is a field for a password.
func asksPassword(blocks []plat.Block) bool {
	for i := range blocks {
		if c := bytes.ToLower(blocks[i].Content); bytes.Contains(c, []byte(`type="password"`)) || bytes.Contains(c, []byte("type=password")) || bytes.Contains(c, []byte("type='password'")) {
			return true
		}
	}
	return false
}

// besideLogin is the greatest length of the text of a login page, in characters, without menus and footer: the page of
// a site that has its login beside other content is longer.
const besideLogin = 800

// Login reports whether a page seems to be a login by itself, without an earlier version: it has a field for a password and
// hardly any text. Blocks must have their content.
func Login(blocks []plat.Block) bool {
	chars := int32(0)
	for i := range blocks {
		switch b := &blocks[i]; {
		case !b.Leaf() || b.Role == plat.RoleNavigation || b.Role == plat.RoleBanner || b.Role == plat.RoleFooter:
		default:
			chars += b.TextLen
		}
	}
	return chars <= besideLogin && asksPassword(blocks)
}

// Failed returns the first style sheet, or script of the site itself, that was answered with a
// server's error, without its query.
func Failed(s *plat.Snapshot) string {
	for _, l := range s.Loads {
		if l.Status < 500 && l.Status != 429 {
			continue
		}
		if l.Kind == plat.LoadStyle || l.Kind == plat.LoadScript && siteOf(l.URL) == siteOf(s.FinalURL) {
			name, _, _ := strings.Cut(l.URL, "?")
			return name
		}
	}
	return ""
}

// siteOf returns the registrable domain of a URL's host: "example.com" of "static.example.com". It returns the host
// if that is an address, and "" if u is not a URL.
func siteOf(u string) string {
	p, err := url.Parse(u)
	if err != nil {
		return ""
	}
	return plat.DomainOf(p.Hostname())
}
