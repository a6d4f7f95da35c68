package subscribe

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"plat/plat/metered"
)

// lines reads a list with a URL or a JSON object with a url on each line. Tags may follow a
// URL, see tagsOf. Lines that begin with # are comments.
func (r *reader) lines(from source) error {
	r.Format = "list of URLs"
	in, done, err := r.decoded(from, 0)
	if err != nil {
		return err
	}
	defer done()
	list := bufio.NewScanner(in)
	list.Buffer(nil, maxRecord)
	n, urls := 0, 0
	for list.Scan() {
		n++
		where := fmt.Sprintf("line %d", n)
		if err := r.record(where); err != nil {
			return err
		}
		added, err := r.line(where, strings.TrimSpace(list.Text()))
		if err != nil {
			return err
		}
		urls += added
	}
	if errors.Is(list.Err(), bufio.ErrTooLong) {
		r.at = fmt.Sprintf("line %d", n+1)
		return metered.ErrRecord
	} else if list.Err() != nil {
		return list.Err()
	}
	if urls == 0 {
		return r.nothing()
	}
	return nil
}

// line reads a line, and returns the number of subscriptions.
func (r *reader) line(where, l string) (int, error) {
	switch {
	case l == "" || strings.HasPrefix(l, "#"):
		return 0, nil
	case strings.HasPrefix(l, "{"):
		r.Format = "JSON Lines"
		return r.entry(where, []byte(l), "it is not a JSON object")
	}
	address, tags := l, ""
	if i := strings.IndexAny(l, " \t"); i > 0 {
		address, tags = l[:i], l[i:]
	}
	s := r.subscription(where, address)
	if s == nil {
		return 0, nil
	}
	if commaTag.MatchString(address) {
		r.omit(where, "tags", "what follows the comma is part of the URL; write a blank before tags")
	}
	s.Tags = r.tagsOf(where, tags)
	r.add(where, s)
	return 1, nil
}

// commaTag matches a URL that ends with a comma and a word.
var commaTag = regexp.MustCompile(`[,;|]\pL[\pL_-]*$`)

// tagsOf returns the tags that follow a URL: separated by commas, each after a #, or a list in brackets. A # before a blank, or
// after other text, begins a comment.
func (r *reader) tagsOf(where, text string) []string {
	words := strings.Fields(text)
	if len(words) > 0 && len(words) <= maxNames && !slices.ContainsFunc(words, func(w string) bool { return len(w) < 2 || w[0] != '#' }) {
		for i, w := range words {
			words[i] = strings.Trim(w, "#,")
		}
		return merged(nil, words)
	}
	if j := strings.Index(text, " #"); j >= 0 {
		text = text[:j]
	}
	text = strings.Trim(text, " \t|;")
	if !strings.HasPrefix(text, "[") {
		return merged(nil, parts(text))
	}
	var names []string // url-list-with-tags.txt
	unknown := false
	for _, t := range parts(strings.Trim(text, "[]")) {
		switch t = strings.Trim(t, ` '"`); {
		case isUUID.MatchString(t), t != "" && strings.Trim(t, "0123456789") == "":
			unknown = true
		default:
			names = append(names, t)
		}
	}
	if unknown {
		r.omit(where, "tags", "they are numbers whose names are not in this file")
	}
	return merged(nil, names)
}

// nothing returns the error for a file without any usable URL, with the reason for its first
// line.
func (r *reader) nothing() error {
	if len(r.Omissions) > 0 {
		return fmt.Errorf("%w: there is no URL in it; the first of %d lines without one is %s", ErrUnknown, len(r.Omissions)+r.More, r.Omissions[0])
	}
	return fmt.Errorf("%w: there is no URL in it; give OPML, a list of URLs or an export of changedetection.io", ErrUnknown)
}

// csvColumns returns the column names of a table whose first line contains the name url, or nil
// for a different file.
func csvColumns(head string) []string {
	first, _, _ := strings.Cut(head, "\n")
	columns := strings.Split(strings.ToLower(strings.TrimSpace(first)), ",")
	for i, c := range columns {
		columns[i] = strings.Trim(c, `" `)
	}
	if !slices.Contains(columns, "url") || len(columns) < 2 {
		return nil
	}
	return columns
}

// maxColumns limits the columns of a table.
const maxColumns = 1_000

// csv reads a table with the columns url, title and tags, such as the selected watches that
// changedetection.io exports.
func (r *reader) csv(from source, columns []string) error {
	r.Format = "table of URLs (CSV)"
	if len(columns) > maxColumns {
		return fmt.Errorf("%w: the table has more than %d columns; leave out all but url, title and tags", ErrUnknown, maxColumns)
	}
	url, title, tags := slices.Index(columns, "url"), slices.Index(columns, "title"), slices.Index(columns, "tags")
	in, done, err := r.decoded(from, maxRecord)
	if err != nil {
		return err
	}
	defer done()
	c := csv.NewReader(in)
	c.FieldsPerRecord, c.LazyQuotes, c.ReuseRecord = -1, true, true
	for rows := 1; ; rows++ {
		if err := r.record(fmt.Sprintf("row %d", rows)); err != nil {
			return err
		}
		in.Next(c.InputOffset())
		row, err := c.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			if r.ends(err) {
				return err
			}
			r.omit("table", "", "%s", err)
			return nil
		}
		if err := r.values(len(row)); err != nil {
			return err
		}
		if rows == 1 {
			continue
		}
		cell := func(i int) string {
			if i < 0 || i >= len(row) {
				return ""
			}
			// changedetection.io exports text that looks like a formula with an apostrophe
			// before it.
			return strings.TrimSpace(strings.TrimPrefix(strings.ToValidUTF8(row[i], "\ufffd"), "'"))
		}
		n, _ := c.FieldPos(0)
		where := fmt.Sprintf("line %d", n)
		if s := r.subscription(where, cell(url)); s != nil {
			s.Title = line(cell(title), 500)
			s.Tags = merged(nil, parts(cell(tags)))
			r.add(where, s)
		}
	}
}
