package diff

import (
	"strings"

	"golang.org/x/net/html"
)

// The classes of attributes that may contain tokens; 0 is all remaining ones.
const (
	isNonce     = 1 + iota // never visible
	isReference            // an id, or a reference to one
	isData                 // data for scripts
	isTime                 // a machine-readable time
	isAddress              // the URL of an image, frame or link
	isAsset                // an address of a script or style sheet
)

// attributeClass classifies an attribute of a tag whose attributes are all.
func attributeClass(tag, key string, all []html.Attribute) int {
	switch key {
	case "nonce", "integrity":
		return isNonce
	case "id", "for", "form", "list", "headers", "aria-controls", "aria-labelledby", "aria-describedby",
		"aria-owns", "aria-activedescendant", "aria-details", "aria-flowto":
		return isReference
	case "name":
		if tag == "input" || tag == "iframe" || tag == "form" || tag == "a" {
			return isReference
		}
	case "datetime":
		return isTime
	case "value":
		if tag == "input" && attr(all, "type") == "hidden" {
			return isData
		}
	case "content":
		if tag == "meta" && attr(all, "name") == "generator" {
			return isReference // the version of the program
		}
		if tag == "meta" {
			return isTime
		}
	case "src", "href":
		if tag == "script" || tag == "link" {
			return isAsset
		}
		return isAddress
	case "action", "formaction", "poster", "data", "ping", "xlink:href":
		return isAddress
	}
	if strings.HasPrefix(key, "data-") {
		return isData
	}
	return 0
}

func attr(all []html.Attribute, key string) string {
	for i := range all {
		if all[i].Key == key {
			return strings.ToLower(all[i].Val)
		}
	}
	return ""
}

// volatileParam reports whether a parameter of that name only separates caches or
// sessions.
func volatileParam(name string) bool {
	switch strings.ToLower(name) {
	case "v", "ver", "version", "rev", "t", "ts", "time", "timestamp", "_", "cb", "cache", "cachebust",
		"cachebuster", "nocache", "bust", "rnd", "rand", "random", "hash", "sid", "session", "sessionid",
		"session_id", "jsessionid", "phpsessid", "token", "_token", "csrf", "csrf_token", "csrftoken",
		"csrfmiddlewaretoken", "authenticity_token", "nonce", "_wpnonce", "_nonce":
		return true
	}
	return false
}

// isToken reports whether s contains only characters that occur in tokens.
func isToken(s string) bool {
	for i := range len(s) {
		if !wide(s[i]) {
			return false
		}
	}
	return true
}

func narrow(c byte) bool { return letter(c) || digit(c) }
func wide(c byte) bool {
	return narrow(c) || c == '_' || c == '-' || c == '+' || c == '/' || c == '=' || c == '.' || c == '%' || c == '~'
}
func digit(c byte) bool  { return c >= '0' && c <= '9' }
func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func hexit(c byte) bool  { return digit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }

// inStep splits x and y into fields of characters that satisfy in, and separators. It
// reports whether all separators are equal and every pair of fields is equal or
// accepted by judge.
func inStep(x, y string, in func(byte) bool, judge func(x, y string) bool) bool {
	for x != "" && y != "" {
		i, j := span(x, in), span(y, in)
		if x[:i] != y[:j] && !judge(x[:i], y[:j]) {
			return false
		}
		x, y = x[i:], y[j:]
		out := func(c byte) bool { return !in(c) }
		i, j = span(x, out), span(y, out)
		if x[:i] != y[:j] {
			return false
		}
		x, y = x[i:], y[j:]
	}
	return x == y
}

func span(s string, in func(byte) bool) int {
	i := 0
	for i < len(s) && in(s[i]) {
		i++
	}
	return i
}

const (
	// minHex is the least number of hexadecimal digits that count as a hash: fewer
	// could be a colour or a word.
	minHex = 8

	// minRandom is the least length of a random-looking id. Shorter ones could be
	// product names such as "B2B4U".
	minRandom = 12
)

// tokenLike returns the kind of token that both x and y are, "" if they are not of one kind.
func tokenLike(x, y string, numbers bool) Reason {
	switch {
	case x == "" || y == "":
		return ""
	case uuid(x) && uuid(y):
		return UUID
	case timeLike(x) && timeLike(y):
		return Timestamp
	case len(x) == len(y) && hash(x) && hash(y):
		return Hex
	case random(x) && random(y):
		return Random
	case numbers && calendar(x) && calendar(y):
		return Timestamp
	case numbers && sameSkeleton(x, y):
		return Counter
	}
	return ""
}

func uuid(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		if dash := i == 8 || i == 13 || i == 18 || i == 23; dash != (s[i] == '-') || !dash && !hexit(s[i]) {
			return false
		}
	}
	return true
}

// hash reports whether s consists of hexadecimal digits with both letters and
// figures, too long for a word.
func hash(s string) bool {
	if len(s) < minHex {
		return false
	}
	letters, figures := 0, 0
	for i := range len(s) {
		switch {
		case digit(s[i]):
			figures++
		case hexit(s[i]):
			letters++
		default:
			return false
		}
	}
	return letters > 0 && figures > 0
}

// random reports whether s alternates between small letters, capitals and figures too
// often to be written by hand: once in five characters. "2024-election-results" does
// so twice in 21, random base62 two times in three.
func random(s string) bool {
	if len(s) < minRandom {
		return false
	}
	class := func(c byte) int {
		switch {
		case digit(c):
			return 1
		case c >= 'A' && c <= 'Z':
			return 2
		case letter(c):
			return 3
		}
		return 0
	}
	turns, figures, last := 0, 0, 0
	for i := range len(s) {
		k := class(s[i])
		if s[i] == '.' || s[i] == '%' || s[i] == '~' || s[i] == '=' && strings.Trim(s[i:], "=") != "" {
			return false // a file or host name or an expression: split it first
		}
		if k == 1 {
			figures++
		}
		if k != 0 {
			if last != 0 && k != last {
				turns++
			}
			last = k
		}
	}
	return figures > 0 && turns*5 >= len(s)
}

// timeLike reports whether s is a number of seconds or milliseconds since 1970,
// between 2001 and 2033, or a year-first date in the forms of ISO 8601.
func timeLike(s string) bool {
	figures, other := 0, 0
	for i := range len(s) {
		switch c := s[i]; {
		case digit(c):
			figures++
		case strings.IndexByte("-:.TZ+ /", c) >= 0:
			other++
		default:
			return false
		}
	}
	if other == 0 {
		return (figures == 10 || figures == 13) && s[0] == '1' || (figures == 8 || figures == 14) && year(s) && day(s[4:8])
	}
	return figures >= 8 && figures <= 24 && len(s) >= 10 && year(s) && !digit(s[4])
}

func year(s string) bool { return s[:2] == "19" || s[:2] == "20" }

// day reports whether s is a month and a day, two figures each.
func day(s string) bool { return s >= "0101" && s <= "1231" && s[2:] >= "01" && s[2:] <= "31" }

// calendar reports whether s is the English short or full name of a month or a
// day, or half of the day.
func calendar(s string) bool {
	switch strings.ToLower(s) {
	case "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
		"january", "february", "march", "april", "june", "july", "august", "september", "october", "november", "december",
		"mon", "tue", "wed", "thu", "fri", "sat", "sun",
		"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "am", "pm":
		return true
	}
	return false
}

// sameSkeleton reports whether x and y differ only in their numbers.
func sameSkeleton(x, y string) bool {
	for x != "" && y != "" {
		i, j := span(x, digit), span(y, digit)
		if (i == 0) != (j == 0) {
			return false
		}
		if x, y = x[i:], y[j:]; x == "" || y == "" {
			break
		}
		if i == 0 {
			if x[0] != y[0] {
				return false
			}
			x, y = x[1:], y[1:]
		}
	}
	return x == y
}
