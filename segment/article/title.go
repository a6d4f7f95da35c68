package article

import (
	"strings"
	"unicode/utf8"

	"plat/plat/excerpt"
)

// The title is found in the three steps of Li, Zhao and Yu, "Design and
// Realization of Focused Web Crawler" (基于主题的Web信息采集系统的设计与实现), section 3.5.2,
// with real geometry:
//
//  1. Find the beginning of the text: scan paragraphs from the start until one
//     has the minimum length (text.begin).
//  2. From there backwards, find the passage that looks most like a title: by
//     font size, weight, centring, colour.
//  3. Adjust its boundaries: join or drop a line if the words then agree better
//     with the declared title.
//
// The paper only uses appearance. Declared titles (og:title, JSON-LD headline,
// <title>) often include the site's name or are written for search engines, so
// they serve as the measure for candidates rather than as the result.

// The weights of a title. A heading that agrees with the declared title nearly
// always wins; without a declared title appearance decides, as in the paper,
// and at a tie proximity to the text.
const (
	weightAgrees  = 5.0 // × share of common words with the declared title
	weightH1      = 2.0 // the page's outermost heading
	weightH2      = 0.8
	weightSize    = 1.5 // × (font size ÷ that of the text − 1), up to 1
	weightBold    = 0.3 // most of its letters are bold
	weightCentred = 0.3 // same centre as the column, but not the same left edge
	weightColour  = 0.2 // differs from the text's colour
	leastLooks    = 1.5 // minimum for a title without a declared one
)

// leastAgreement is the minimum agreement with the declared titles; below it a
// candidate is the name of the site or of a section.
const leastAgreement = 0.3

// titleReach is the number of passages before the text that are examined,
// maxTitle the maximum length of a title in words.
const (
	titleReach = 60
	maxTitle   = 40
)

// title returns the title and the passage that shows it, -1 if there is no such passage. begin is the
// passage at which the text begins, said the declared titles, and fallback the title used if no title
// is found.
func (t *text) title(said []declaredTitle, fallback, site string, begin int) (string, int) {
	best, at := 0.0, -1
	for i := range t.all {
		q := &t.all[i]
		h := t.heading(q)
		if i > begin+2 || i < begin-titleReach && h != 1 || q.weight() > maxTitle || q.chars < 2 {
			continue
		}
		if score := t.looksLikeTitle(q, h) + weightAgrees*agreement(q.text, said); score > 0 && score >= best {
			best, at = score, i
		}
	}
	switch {
	case len(said) == 0 && best < leastLooks:
		return fallback, -1
	case len(said) > 0 && (at < 0 || agreement(t.all[at].text, said) < leastAgreement):
		return said[0].text, -1
	}
	return t.adjust(at, said, site), at
}

// looksLikeTitle scores the appearance of a passage.
func (t *text) looksLikeTitle(q *passage, heading int) float64 {
	score := 0.0
	switch heading {
	case 1:
		score += weightH1
	case 2:
		score += weightH2
	}
	if t.bodySize > 0 {
		score += weightSize * float64(min(max(q.size/t.bodySize-1, 0), 1))
	}
	if q.bold*2 > q.chars {
		score += weightBold
	}
	if q.box.W > 0 && q.box.X-t.left > 16 {
		if off := q.box.X + q.box.W/2 - (t.left+t.right)/2; off > -8 && off < 8 {
			score += weightCentred
		}
	}
	if st := t.style(&t.Nodes[q.first]); st != nil && st.Color != t.bodyColor {
		score += weightColour
	}
	return score
}

// adjust implements step 3: a title may be one of two lines of a passage, or span two passages. It
// chooses the one that agrees clearly better with the declared title.
func (t *text) adjust(at int, said []declaredTitle, site string) string {
	lines := strings.Split(excerpt.Undivided(t.all[at].text), "\n")
	best := strings.Join(lines, " ")
	agrees := agreement(best, said)
	try := func(s string) {
		if a := agreement(s, said); a > agrees+0.05 {
			best, agrees = s, a
		}
	}
	if len(lines) > 1 {
		try(strings.Join(lines[1:], " "))
		try(strings.Join(lines[:len(lines)-1], " "))
	}
	try(withoutSite(best, site, false))
	own := best
	if q := t.lineOfTitle(at - 1); q != nil {
		try(excerpt.Undivided(q.text) + " " + own)
	}
	if q := t.lineOfTitle(at + 1); q != nil {
		try(own + " " + excerpt.Undivided(q.text))
	}
	return squeeze(best)
}

// lineOfTitle returns passage i if it may be a further line of the title next
// to it: short, and formatted like a heading.
func (t *text) lineOfTitle(i int) *passage {
	if i < 0 || i >= len(t.all) {
		return nil
	}
	q := &t.all[i]
	if !q.seen || q.weight() > 15 || t.heading(q) == 0 && q.size < 1.15*t.bodySize {
		return nil
	}
	return q
}

// maxDeclared limits a declared title, in bytes.
const maxDeclared = 300

// titles returns the declared titles, the most reliable first: og:title and the
// JSON-LD headline, then <title>, without the site's name. Titles that are only
// the site's name or a single word carry no information; the first of these is
// the fallback.
func (d *declared) titles(title string) (all []declaredTitle, fallback string) {
	site := d.site()
	title = squeeze(cut(title, maxDeclared))
	for _, s := range []string{d.first("og:title"), d.headline, d.first("twitter:title", "dc.title", "title"), title} {
		s = squeeze(cut(s, maxDeclared))
		s = withoutSite(s, site, s == title)
		if !same(s, site) && wordCount(s) > 1 {
			all = append(all, declare(s))
		} else if fallback == "" {
			fallback = s
		}
	}
	return all, fallback
}

// maxSite limits a site's name, in bytes.
const maxSite = 200

// site returns the site's name.
func (d *declared) site() string { return cut(d.first("og:site_name"), maxSite) }

// cut truncates s to at most n bytes, at a character boundary.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xc0 == 0x80 {
		n--
	}
	return s[:n]
}

// separators occur between a page's title and the site's name in <title>.
var separators = []string{" | ", " - ", " – ", " — ", " · ", " » ", " « ", " • ", " :: ", " / ", " ‹ ", " › ", "｜"}

// closeSeparators are separators without blanks. They also occur inside words,
// so they count only before the site's name, or for "_" next to a script
// without blanks.
var closeSeparators = []string{"_", "-", "|", "–", "—"}

// maxSites limits how often the site's name is stripped from the end of a
// title.
const maxSites = 3

// withoutSite strips the site's name from a title: the part after the last
// separator if it is that name or, where guessing is allowed, if it is short
// and the rest is not.
func withoutSite(title, site string, guess bool) string {
	for range maxSites {
		at, from := -1, 0
		for _, sep := range separators {
			if i := strings.LastIndex(title, sep); i > at {
				at, from = i, i+len(sep)
			}
		}
		for _, sep := range closeSeparators {
			i := strings.LastIndex(title, sep)
			if i <= at || i < from {
				continue
			}
			before, _ := utf8.DecodeLastRuneInString(title[:i])
			after, _ := utf8.DecodeRuneInString(title[i+len(sep):])
			if same(title[i+len(sep):], site) || sep == "_" && (blankless(before) || blankless(after)) {
				at, from = i, i+len(sep)
			}
		}
		if at < 0 {
			return title
		}
		head, tail := title[:at], title[from:]
		switch {
		case same(tail, site):
			title = strings.TrimSpace(head)
			continue
		case same(head, site):
			return strings.TrimSpace(tail)
		case guess && wordCount(tail) <= 4 && wordCount(head) >= 3:
			return strings.TrimSpace(head)
		}
		return title
	}
	return title
}
