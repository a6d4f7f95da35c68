package warc

import (
	"bytes"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
)

// SURT is the key under which a URI is looked up: host turned round, lower case,
// query sorted, "www." left out. It is that of webrecorder's players, which look
// for theirs; a URI that is not of http stays as it is.
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

// withoutWWW takes "www." or "www2." off the front of a host.
func withoutWWW(host string) string {
	if rest, ok := strings.CutPrefix(host, "www"); ok {
		if rest, ok := strings.CutPrefix(strings.TrimLeft(rest, "0123456789"), "."); ok {
			return rest
		}
	}
	return host
}

// CDXJ is the line of a record in an index: key, time, and in JSON where in which
// file the record is. The fields are those of the CDXJ specification that WACZ
// 1.1.1 refers to.
func CDXJ(r *Record, e Entry, file string) string {
	mime, _, _ := strings.Cut(r.ContentType, ";")
	if r.Type == Revisit {
		mime = "warc/revisit"
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	// It cannot fail: strings and numbers.
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
