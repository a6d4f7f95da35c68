package history

import (
	"context"
	"time"

	"plat/plat"
)

// TextInfo is the main text of a page.
type TextInfo struct {
	URL      string     `json:"url"`
	Version  int        `json:"version,omitempty"` // 0 for a page that is not archived
	Taken    *time.Time `json:"taken,omitempty"`
	Kind     string     `json:"kind"` // article, reference, list, forum or product; empty if unknown
	Title    string     `json:"title"`
	Authors  []string   `json:"authors"`
	Date     string     `json:"date"` // YYYY-MM-DD, or empty
	Language string     `json:"language"`
	Text     string     `json:"text"`
	Comments string     `json:"comments"` // of readers; empty for a forum, whose text has them
	Markdown *string    `json:"markdown,omitempty"`
}

// TextOf returns the main text of a version, with its Markdown. A version that was stored before main texts
// were has the text of all its blocks. TextOf loads contents of blocks into v.
func TextOf(ctx context.Context, store reader, v *plat.Version) (TextInfo, error) {
	taken := v.Taken.UTC()
	t := TextInfo{URL: v.URL, Version: v.N, Taken: &taken, Title: v.Capture.Title, Authors: []string{}, Language: v.Capture.Language}
	if v.Article == nil {
		if err := LoadAll(ctx, store, v.Blocks); err != nil {
			return t, err
		}
		t.Text = Text(v)
		t.Markdown = &t.Text
		return t, nil
	}
	a, err := Article(ctx, store, v)
	if err != nil {
		return t, err
	}
	set, err := Markdown(ctx, store, v)
	if err != nil {
		return t, err
	}
	body := set.Body()
	t.Kind, t.Title, t.Authors, t.Date = string(a.Kind), a.Title, append(t.Authors, a.Authors...), a.Date
	t.Text, t.Comments, t.Markdown = a.Text, a.Comments, &body
	return t, nil
}

// At returns the number of the version that was the last one at a time; 0 if there was no version. times are the
// capture times of all versions, as [storage.Archive].Times returns them.
func At(times []time.Time, at time.Time) int {
	n := len(times)
	for n > 0 && times[n-1].After(at) {
		n--
	}
	return n
}
