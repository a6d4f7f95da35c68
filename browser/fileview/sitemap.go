package fileview

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"

	"github.com/mmcdole/gofeed"
	"golang.org/x/net/html/charset"
)

// newsSpace is the namespace of the news of a sitemap (https://www.google.com/schemas/sitemap-news/0.9).
const newsSpace = "/schemas/sitemap-news/"

// mayBeNews reports whether a file may be a sitemap of news, by its beginning.
func mayBeNews(data []byte) bool {
	head := data[:min(len(data), 4<<10)]
	return bytes.Contains(head, []byte(newsSpace)) && bytes.Contains(head, []byte("urlset"))
}

// newsOf reads a sitemap of news as a feed: the title and the date of each article. It returns nil for a
// different file, and leaves out pages without news.
func newsOf(f *File) *gofeed.Feed {
	if len(f.Data) > maxFeed || !mayBeNews(f.Data) {
		return nil
	}
	data := f.source()
	if len(data) > maxFeed {
		return nil
	}
	d := xml.NewDecoder(bytes.NewReader(data))
	d.CharsetReader = charset.NewReaderLabel
	feed := &gofeed.Feed{}
	for len(feed.Items) < maxEntries {
		t, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil
		}
		start, ok := t.(xml.StartElement)
		if !ok || start.Name.Local != "url" {
			continue
		}
		var entry struct {
			Loc  string `xml:"loc"`
			News struct {
				Name  string `xml:"publication>name"`
				Lang  string `xml:"publication>language"`
				Date  string `xml:"publication_date"`
				Title string `xml:"title"`
			} `xml:"news"`
		}
		if err := d.DecodeElement(&entry, &start); err != nil {
			return nil
		}
		n := &entry.News
		if n.Title = strings.TrimSpace(n.Title); n.Title == "" {
			continue
		}
		if feed.Title == "" {
			feed.Title, feed.Language = strings.TrimSpace(n.Name), strings.TrimSpace(n.Lang)
		}
		feed.Items = append(feed.Items, &gofeed.Item{Title: n.Title, Link: strings.TrimSpace(entry.Loc), Published: strings.TrimSpace(n.Date)})
	}
	if len(feed.Items) == 0 {
		return nil // it only declares the namespace
	}
	return feed
}
