package weburl

import "strings"

// plain resolves a reference that needs no parser: one relative to a web address, an absolute one, or an
// opaque one such as "mailto:", of characters that stay as they are. It reports whether the reference was of this kind.
func (b *Base) plain(ref string) (string, bool) {
	path, query, fragment, ok := parts(ref)
	if !ok {
		return "", false
	}
	rest := ref[path:] // query and fragment
	if n := hostStart(ref[:path]); n > 0 {
		return b.plainHost(ref, n, path)
	}
	if scheme := schemeOf(ref[:path]); scheme != "" {
		return ref, plainScheme(scheme) && (path == len(scheme) || ref[len(scheme)] != '/')
	}
	if !b.web {
		return "", false
	}
	switch {
	case path > 0 && ref[0] == '/':
		if path == 1 || !dotted(ref[:path]) {
			return b.href[:b.path] + ref, true
		}
		return join(b.href[:b.path+1], b.path, ref[1:path], rest), true
	case path > 0:
		if ref[0] != '.' && !dotted(ref[:path]) {
			return b.href[:b.dir] + ref, true
		}
		return join(b.href[:b.dir], b.path, ref[:path], rest), true
	case query > 0:
		return b.href[:b.end] + rest, true
	case fragment > 0:
		return b.href + rest, true
	}
	return b.href, true // the empty reference
}

// plainHost resolves a reference that names its host, from n to the path or the end: "https://…" or
// "//…".
func (b *Base) plainHost(ref string, n, end int) (string, bool) {
	scheme := ref[:max(n-len("://"), 0)]
	if scheme == "" {
		if !b.web {
			return "", false
		}
		scheme = b.scheme
	}
	slash := end
	if i := strings.IndexByte(ref[n:end], '/'); i >= 0 {
		slash = n + i
	}
	if !plainAuthority(ref[n:slash], scheme) {
		return "", false
	}
	switch {
	case slash == end:
		return scheme + "://" + ref[n:slash] + "/" + ref[end:], true
	case dotted(ref[slash:end]):
		start := scheme + "://" + ref[n:slash+1]
		return join(start, len(start)-1, ref[slash+1:end], ref[end:]), true
	case n > len("//"):
		return ref, true
	}
	return scheme + ":" + ref, true
}

// hostStart returns the offset of the host of a reference; 0 if it begins with neither "http://",
// "https://" nor "//".
func hostStart(ref string) int {
	switch {
	case strings.HasPrefix(ref, "//"):
		return len("//")
	case strings.HasPrefix(ref, "http://"):
		return len("http://")
	case strings.HasPrefix(ref, "https://"):
		return len("https://")
	}
	return 0
}

// parts cuts a reference: its path, with scheme and host, ends at path; query and fragment are the
// lengths of these with their marks. ok reports whether all characters are plain where they are.
func parts(ref string) (path, query, fragment int, ok bool) {
	const escapedDot = "%2e"
	i := 0
	for ; i < len(ref) && ref[i] != '?' && ref[i] != '#'; i++ {
		c := ref[i]
		if classes[c]&inPath == 0 || c == '%' && i+len(escapedDot) <= len(ref) && strings.EqualFold(ref[i:i+len(escapedDot)], escapedDot) {
			return 0, 0, 0, false
		}
	}
	path = i
	for ; i < len(ref) && ref[i] != '#'; i++ {
		if classes[ref[i]]&inQuery == 0 {
			return 0, 0, 0, false
		}
	}
	query = i - path
	for ; i < len(ref); i++ {
		if classes[ref[i]]&inFragment == 0 {
			return 0, 0, 0, false
		}
	}
	return path, query, i - path - query, true
}

// plainScheme reports whether a scheme, with its colon, is in lower case and not special (section 4.2):
// what follows it is no host or path if it does not begin with a slash, such as the text of a script.
func plainScheme(scheme string) bool {
	switch scheme {
	case "http:", "https:", "ws:", "wss:", "ftp:", "file:":
		return false
	}
	return scheme == strings.ToLower(scheme)
}

// dotted reports whether a path may contain a dot segment behind a slash.
func dotted(path string) bool { return strings.Contains(path, "/.") }

// join appends the segments of a path to an address that ends with a slash, without dot segments
// (section 4.4, path state), then the query and the fragment. The path of the address begins at start.
func join(address string, start int, path, rest string) string {
	var buffer [256]byte
	to := append(buffer[:0], address...)
	for more := true; more; {
		var segment string
		segment, path, more = strings.Cut(path, "/")
		switch segment {
		case ".":
		case "..":
			if end := len(to) - 1; end > start {
				for end--; to[end] != '/'; end-- {
				}
				to = to[:end+1]
			}
		default:
			to = append(to, segment...)
			if more {
				to = append(to, '/')
			}
		}
	}
	return string(append(to, rest...))
}

// plainAuthority reports whether a host is a name that stays as it is, with or without a port that
// does: lower case, nothing encoded, not an IPv4 address (section 3.5).
func plainAuthority(s, scheme string) bool {
	host, port, has := strings.Cut(s, ":")
	if has && !plainPort(port, scheme) {
		return false
	}
	label := 0 // where the last one begins
	for i := range len(host) {
		switch c := host[i]; {
		case c == '.':
			label = i + 1
		case c == '-':
			// "--" may be part of the mark of encoded labels.
			if i > 0 && host[i-1] == '-' {
				return false
			}
		case c != '_' && ('a' > c || c > 'z') && ('0' > c || c > '9'):
			return false
		}
	}
	return label < len(host) && 'a' <= host[label] && host[label] <= 'z'
}

// plainPort reports whether a port is in its normal form and differs from the scheme's.
func plainPort(port, scheme string) bool {
	if port == "" || len(port) > 4 || port[0] == '0' || scheme == "http" && port == "80" || scheme == "https" && port == "443" {
		return false
	}
	for i := range len(port) {
		if port[i] < '0' || port[i] > '9' {
			return false
		}
	}
	return true
}

// The parts of an address in which a character stays as it is.
const (
	inPath = 1 << iota
	inQuery
	inFragment
)

// classes maps bytes to the parts in which they are plain. It is stricter than the percent-encode sets
// of section 1.3: what is absent goes to the parser.
var classes = func() (of [256]uint8) {
	for c := range 256 {
		if 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' {
			of[c] = inPath | inQuery | inFragment
		}
	}
	for _, c := range "-._~!$&()*+,;=:@/%[]" {
		of[c] = inPath | inQuery | inFragment
	}
	of['\''] = inPath | inFragment
	of['|'] = inQuery | inFragment
	of['?'] = inQuery | inFragment
	of['#'] = inFragment
	return of
}()
