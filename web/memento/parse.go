package memento

import (
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// ParseDatetime parses the HTTP date of RFC 7089 section 2.1.1. Some clients
// omit the zone, which is always GMT.
func ParseDatetime(v string) (time.Time, error) {
	t, err := time.Parse(http.TimeFormat, strings.TrimSuffix(v, " GMT")+" GMT")
	if err != nil {
		return t, fmt.Errorf("Accept-Datetime: %.60q is not a date; write it as in Thu, 31 May 2007 20:35:00 GMT", v)
	}
	return t, nil
}

// pathRest matches a time of any precision, a modifier for links, and a URL.
var pathRest = regexp.MustCompile(`^([0-9]{4}|[0-9]{6}|[0-9]{8}|[0-9]{10}|[0-9]{12}|[0-9]{14})((?:[a-z]{2}_)?)/(.+)$`)

// Parse parses the part of a path after /web/. An abbreviated time is a period: 2026 is from the
// first to the last second of that year.
func Parse(rest string) (from, to time.Time, mod, url string, err error) {
	m := pathRest.FindStringSubmatch(rest)
	if m == nil {
		return from, to, "", "", fmt.Errorf("write /web/YYYYMMDDhhmmss/ and the URL")
	}
	digits := m[1]
	if from, err = time.Parse(timeLayout[:len(digits)], digits); err != nil {
		return from, to, "", "", fmt.Errorf("%s is not a time; write YYYYMMDDhhmmss", digits)
	}
	switch len(digits) {
	case 4:
		to = from.AddDate(1, 0, 0)
	case 6:
		to = from.AddDate(0, 1, 0)
	case 8:
		to = from.AddDate(0, 0, 1)
	case 10:
		to = from.Add(time.Hour)
	case 12:
		to = from.Add(time.Minute)
	default:
		to = from.Add(time.Second)
	}
	to = to.Add(-time.Second)
	switch m[2] {
	case "", "mp_", "id_":
		return from, to, m[2], m[3], nil
	}
	return from, to, "", "", fmt.Errorf("unknown modifier %s; use mp_ (links rewritten, the default) or id_ (as captured)", m[2])
}

// timemapRest matches a format, an optional part number, and a URL, which does
// not begin with a digit.
var timemapRest = regexp.MustCompile(`^(link|json)/(?:([1-9][0-9]{0,6})/)?([^0-9].*)$`)

// ParseTimeMap parses the part of a path after /timemap/: link or json, the number of a part
// (default 1), and a URL.
func ParseTimeMap(rest string) (format string, part int, url string, err error) {
	m := timemapRest.FindStringSubmatch(rest)
	if m == nil {
		return "", 0, "", fmt.Errorf("write /timemap/link/ or /timemap/json/ and the URL")
	}
	part = 1
	if m[2] != "" {
		if part, err = strconv.Atoi(m[2]); err != nil {
			return "", 0, "", fmt.Errorf("%s is not a part of a TimeMap", m[2])
		}
	}
	return m[1], part, m[3], nil
}
