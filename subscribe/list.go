package subscribe

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// readList reads a list of URLs, one a line; each line may be a JSON object with a url
// instead. Tags may follow a URL, with commas between them. What begins with # is a comment.
func (r *Result) readList(text string) error {
	r.Format = "list of URLs"
	n, urls := 0, 0
	for l := range strings.Lines(text) {
		n++
		l = strings.TrimSpace(l)
		where := fmt.Sprintf("line %d", n)
		switch {
		case l == "" || strings.HasPrefix(l, "#"):
			continue
		case strings.HasPrefix(l, "{"):
			r.Format = "JSON Lines"
			if w, err := watchOf([]byte(l)); err != nil {
				r.omit(where, "", "it is no JSON object: %s", err)
			} else {
				urls += r.watch(where, w, nil)
			}
			continue
		}
		address, tags := l, ""
		if i := strings.IndexAny(l, " \t"); i > 0 {
			address, tags = l[:i], l[i:]
			if j := strings.Index(tags, " #"); j >= 0 {
				tags = tags[:j]
			}
		}
		s := r.subscription(where, address)
		if s == nil {
			continue
		}
		urls++
		if tags = strings.TrimSpace(tags); strings.HasPrefix(tags, "[") { // url-list-with-tags.txt
			if tags != "[]" {
				r.omit(where, "tags", "they are numbers whose names are not in this file")
			}
			tags = ""
		}
		s.Tags = merged(nil, strings.Split(tags, ","))
		r.add(where, s)
	}
	if urls == 0 {
		return r.nothing()
	}
	return nil
}

// nothing is the error of a file without any URL that can be subscribed to, with what is
// wrong with the first line.
func (r *Result) nothing() error {
	if len(r.Omissions) > 0 {
		return fmt.Errorf("%w: there is no URL in it; the first of %d lines without one is %s", ErrUnknown, len(r.Omissions)+r.More, r.Omissions[0])
	}
	return fmt.Errorf("%w: there is no URL in it; give OPML, a list of URLs or an export of changedetection.io", ErrUnknown)
}

// csvColumns returns the columns of a table that begins with a line of names among which is
// url; nil for any other file.
func csvColumns(text string) []string {
	first, _, _ := strings.Cut(text, "\n")
	columns := strings.Split(strings.ToLower(strings.TrimSpace(first)), ",")
	for i, c := range columns {
		columns[i] = strings.Trim(c, `" `)
	}
	if !slices.Contains(columns, "url") || len(columns) < 2 {
		return nil
	}
	return columns
}

// readCSV reads a table with the columns url, title and tags; changedetection.io exports one
// of what is chosen in its list.
func (r *Result) readCSV(text string, columns []string) error {
	r.Format = "table of URLs (CSV)"
	c := csv.NewReader(strings.NewReader(text))
	c.FieldsPerRecord = -1
	c.LazyQuotes = true
	cell := func(row []string, name string) string {
		i := slices.Index(columns, name)
		if i < 0 || i >= len(row) {
			return ""
		}
		// Text that a spreadsheet could take for a formula is exported behind an apostrophe.
		return strings.TrimSpace(strings.TrimPrefix(row[i], "'"))
	}
	for first := true; ; first = false {
		row, err := c.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		n, _ := c.FieldPos(0)
		where := fmt.Sprintf("line %d", n)
		if err != nil {
			r.omit("table", "", "%s", err)
			break
		}
		if first {
			continue
		}
		if s := r.subscription(where, cell(row, "url")); s != nil {
			s.Title = line(cell(row, "title"), 500)
			s.Tags = merged(nil, strings.Split(cell(row, "tags"), ","))
			r.add(where, s)
		}
	}
	return nil
}

// readJSON reads a JSON document; done is false if it is no single one, but lines of them.
func (r *Result) readJSON(text string) (done bool, err error) {
	var list []json.RawMessage
	if json.Unmarshal([]byte(text), &list) == nil {
		r.Format = "JSON list"
		for i, raw := range list {
			where := fmt.Sprintf("entry %d", i+1)
			var address string
			if json.Unmarshal(raw, &address) == nil {
				if s := r.subscription(where, address); s != nil {
					r.add(where, s)
				}
			} else if w, err := watchOf(raw); err != nil {
				r.omit(where, "", "it is no URL and no JSON object with one")
			} else {
				r.watch(where, w, nil)
			}
		}
		return true, nil
	}
	w, err := watchOf([]byte(text))
	if err != nil {
		if !strings.Contains(text, "\n") {
			return true, fmt.Errorf("%w: it is no JSON: %w", ErrUnknown, err)
		}
		return false, nil // perhaps JSON Lines
	}
	return true, r.readExport(w)
}
