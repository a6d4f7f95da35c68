package traps

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
)

// target matches the address of a link in HTML.
var target = regexp.MustCompile(` href="([^"]*)"`)

// SameTargets reports whether the links of two pieces of HTML lead to the same pages, judged by
// their text: to the same last segments, with the same parameters except varying.
func SameTargets(a, b []byte, varying []string) bool {
	x, y := target.FindAllSubmatch(a, -1), target.FindAllSubmatch(b, -1)
	if len(x) != len(y) {
		return false
	}
	plain := func(href []byte) string {
		to := Without(strings.ReplaceAll(string(href), "&amp;", "&"), func(name string) bool { return slices.Contains(varying, name) })
		to, _, _ = strings.Cut(to, "#")
		path, query, _ := strings.Cut(to, "?")
		return path[strings.LastIndexByte(path, '/')+1:] + "?" + query
	}
	for i := range x {
		if !bytes.Equal(x[i][1], y[i][1]) && plain(x[i][1]) != plain(y[i][1]) {
			return false
		}
	}
	return true
}

// timeOfDay matches 9:05, 21:05:59, 21:05:59.123, with the characters around it.
var timeOfDay = regexp.MustCompile(`^\D{0,3}\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?\D{0,3}$`)

// Times counts the words in which two texts differ, if all of them are times of day.
func Times(a, b string) (n int, ok bool) {
	x, y := strings.Fields(a), strings.Fields(b)
	if len(x) != len(y) {
		return 0, false
	}
	for i := range x {
		if x[i] == y[i] {
			continue
		}
		if !timeOfDay.MatchString(x[i]) || !timeOfDay.MatchString(y[i]) {
			return 0, false
		}
		n++
	}
	return n, n > 0
}
