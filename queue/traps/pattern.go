package traps

import (
	"slices"
	"strings"
)

// levels is the number of patterns of a URL.
const levels = 4

// particular is the number of patterns, the first ones, that match few URLs.
const particular = 2

// patterns returns the patterns of a canonical URL, from the most particular to the
// most general:
//
//   - its folder, the form of its last segment, and the names of its parameters;
//   - the first two segments, and the forms of the rest;
//   - the first segment, and the forms of the rest;
//   - the same with equal forms in a row as one, so that a path of any length is one
//     pattern, and of parameters only that there are some.
//
// In all of them numbers are "#", and in forms all remaining segments are "*", with their ending:
// "/news/#/*.html?id&page".
func patterns(url string) [levels]string {
	_, path, query := split(url)
	path, params := pathParams(path)
	segments := strings.Split(strings.TrimPrefix(path, "/"), "/")
	last := len(segments) - 1
	tail := form(segments[last])
	names := paramNames(query, params)

	var out [levels]string
	var folder strings.Builder
	for _, s := range segments[:last] {
		folder.WriteString("/" + masked(s))
	}
	out[0] = folder.String() + "/" + tail + names
	for level := 1; level < levels-1; level++ {
		var b strings.Builder
		for i, s := range segments {
			f := form(s)
			if i < levels-1-level && i < last {
				f = masked(s)
			}
			b.WriteString("/" + f)
		}
		out[level] = b.String() + names
	}
	var b strings.Builder
	was := ""
	for i, s := range segments {
		f := form(s)
		if i == 0 && last > 0 {
			f = masked(s)
		} else if f == was && i > 0 {
			continue
		} else {
			was = f
		}
		b.WriteString("/" + f)
	}
	if names != "" {
		b.WriteString("?*")
	}
	out[levels-1] = b.String()
	return out
}

// pathParams cuts the parameters out of a path: "/a;sid=1/b;v=2" is "/a/b" and
// "sid=1", "v=2".
func pathParams(path string) (plain string, params []string) {
	if !strings.Contains(path, ";") {
		return path, nil
	}
	segments := strings.Split(path, "/")
	for i, s := range segments {
		parts := strings.Split(s, ";")
		segments[i] = parts[0]
		params = append(params, parts[1:]...)
	}
	return strings.Join(segments, "/"), params
}

// paramNames returns "?" with the names of all parameters, each once, sorted.
func paramNames(query string, more []string) string {
	if query == "" && len(more) == 0 {
		return ""
	}
	var names []string
	for _, p := range append(strings.Split(query, "&"), more...) {
		name, _, _ := strings.Cut(p, "=")
		names = append(names, masked(name))
	}
	slices.Sort(names)
	return "?" + strings.Join(slices.Compact(names), "&")
}

// masked replaces numbers by "#".
func masked(s string) string {
	if !strings.ContainsAny(s, "0123456789") {
		return s
	}
	var b strings.Builder
	number := false
	for _, r := range s {
		if digit := '0' <= r && r <= '9'; !digit {
			b.WriteRune(r)
			number = false
		} else if !number {
			b.WriteByte('#')
			number = true
		}
	}
	return b.String()
}

// form returns the form of a segment: empty, a number, or anything else, with its ending.
func form(s string) string {
	if s == "" {
		return ""
	}
	end := ""
	if i := strings.LastIndexByte(s, '.'); i > 0 && len(s)-i <= 6 && strings.Trim(s[i+1:], "0123456789") != "" {
		s, end = s[:i], s[i:]
	}
	if numeric([]string{s}) {
		return "#" + end
	}
	return "*" + end
}
