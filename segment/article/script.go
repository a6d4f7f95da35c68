package article

import (
	"encoding/json"
	"strings"

	"plat/plat"
)

// publishedKeys and authorKeys are the names of dates and authors in the data of scripts.
var (
	publishedKeys = []string{
		"datePublished", "publishedAt", "published_at", "publishedDate", "published_date", "publishDate", "publish_date", "publicationDate", "publication_date", "pubDate", "pub_date",
		"date_published", "published_time", "publishedTime", "firstPublished", "firstPublishedDate", "first_published_at", "articleDate", "postDate", "post_date",
	}
	authorKeys = []string{"author", "authorName", "author_name", "articleAuthor", "pageAuthor", "postAuthor", "byline", "authors"}
)

// maxValue is the maximum length of such a value, in bytes.
const maxValue = 100

// scripted returns the value that the scripts of the page give to one of the keys, as read returns it: the one value of the
// first key that has one alone. Pages built by scripts have their data in one of them; JSON-LD that is not JSON is read
// likewise.
func (t *text) scripted(keys []string, read func(string) string) string {
	var sources []string
	for i := int32(0); i < int32(len(t.Nodes)); i++ {
		if n := &t.Nodes[i]; n.Kind == plat.ElementNode && n.Name == "script" {
			if s := t.source(i); len(s) <= maxLD && !(isLD(n) && json.Valid([]byte(cleanJSON(s)))) {
				sources = append(sources, s)
			}
			i = t.at[i].end - 1
		}
	}
	for _, key := range keys {
		found := ""
		for _, s := range sources {
			for rest := s; ; {
				at := strings.Index(rest, key)
				if at < 0 {
					break
				}
				value, ok := assigned(rest[:at], rest[at+len(key):])
				rest = rest[at+len(key):]
				if value = read(value); !ok || value == "" || value == found {
					continue
				}
				if found != "" {
					return ""
				}
				found = value
			}
		}
		if found != "" {
			return found
		}
	}
	return ""
}

// assigned returns the text that a key is set to, given the source before and after the key: "key": "value", key: 'value'.
func assigned(before, after string) (string, bool) {
	if before != "" {
		if c := before[len(before)-1]; isWordByte(c) {
			return "", false
		}
	}
	after = strings.TrimPrefix(after, "\\")
	if after != "" && (after[0] == '"' || after[0] == '\'') {
		after = after[1:]
	}
	after = strings.TrimLeft(after, " \t")
	if after == "" || after[0] != ':' {
		return "", false
	}
	after = strings.TrimPrefix(strings.TrimLeft(after[1:], " \t"), "\\")
	if after == "" || after[0] != '"' && after[0] != '\'' {
		return "", false
	}
	value := after[1:]
	if end := strings.IndexByte(value[:min(len(value), maxValue)], after[0]); end > 0 {
		return strings.TrimSuffix(value[:end], "\\"), true
	}
	return "", false
}

// isWordByte reports whether a byte may be part of a longer key.
func isWordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-'
}
