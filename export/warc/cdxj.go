package warc

import (
	"bytes"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
)

// SURT returns the lookup key of a URI: reversed host, lower case, sorted query, without
// "www.". It matches the key of webrecorder's players. A URI that is not http is returned
// unchanged.
func SURT(uri string) string {
	scheme, rest, ok := strings.Cut(uri, "://")
	if !ok || scheme != "http" && scheme != "https" {
		return uri
	}
	u, err := url.Parse(scheme + "://" + strings.ToLower(withoutWWW(rest)))
	if err != nil || u.Host == "" {
		return uri
	}
	host := strings.Split(u.Hostname(), ".")
	if strings.HasPrefix(u.Host, "[") {
		host = []string{"[" + u.Hostname() + "]"}
	}
	slices.Reverse(host)
	key := strings.Join(host, ",")
	if p := u.Port(); p != "" && !(scheme == "http" && p == "80") && !(scheme == "https" && p == "443") {
		key += ":" + p
	}
	path := u.EscapedPath()
	if path == "" {
		path = "/"
	}
	key += ")" + path
	if u.RawQuery != "" {
		args := strings.Split(u.RawQuery, "&")
		slices.Sort(args)
		key += "?" + strings.Join(args, "&")
	}
	return key
}

// withoutWWW removes a leading "www." or "www2." from a host.
func withoutWWW(host string) string {
	if rest, ok := strings.CutPrefix(host, "www"); ok {
		if rest, ok := strings.CutPrefix(strings.TrimLeft(rest, "0123456789"), "."); ok {
			return rest
		}
	}
	return host
}

// CDXJ returns the index line of a record: key, time, and as JSON its file and position. The
// fields are those of the CDXJ specification referenced by WACZ 1.1.1.
func CDXJ(r *Record, e Entry, file string) string {
	mime, _, _ := strings.Cut(r.ContentType, ";")
	if r.Type == Revisit {
		mime = "warc/revisit"
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	// It cannot fail for strings and numbers.
	enc.Encode(struct {
		URL          string `json:"url"`
		Mime         string `json:"mime"`
		Digest       string `json:"digest"`
		RecordDigest string `json:"recordDigest"`
		Length       int64  `json:"length"`
		Offset       int64  `json:"offset"`
		Filename     string `json:"filename"`
	}{r.URI, strings.TrimSpace(mime), r.Digest(), e.Digest, e.Length, e.Offset, file})
	return SURT(r.URI) + " " + r.Date.UTC().Format("20060102150405") + " " + b.String()
}
