package feed

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"time"
)

// author is the author's name in formats that require one.
const author = "plat"

type atomFeed struct {
	XMLName xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
	ID      string      `xml:"id"`
	Title   string      `xml:"title"`
	About   string      `xml:"subtitle"`
	Updated string      `xml:"updated"`
	Author  string      `xml:"author>name"`
	Links   []atomLink  `xml:"link"`
	Entries []atomEntry `xml:"entry"`
}

type atomLink struct {
	Rel  string `xml:"rel,attr"`
	Type string `xml:"type,attr"`
	Href string `xml:"href,attr"`
}

type atomEntry struct {
	ID         string         `xml:"id"`
	Title      string         `xml:"title"`
	Updated    string         `xml:"updated"`
	Published  string         `xml:"published"`
	Link       atomLink       `xml:"link"`
	Categories []atomCategory `xml:"category"`
	Content    atomText       `xml:"content"`
}

type atomCategory struct {
	Term string `xml:"term,attr"`
}

type atomText struct {
	Type string `xml:"type,attr"`
	Text string `xml:",chardata"`
}

// writeAtom writes RFC 4287.
func writeAtom(f *Feed) ([]byte, error) {
	a := atomFeed{ID: f.ID, Title: f.Title, About: f.about(), Updated: f.Updated.Format(time.RFC3339), Author: author, Links: []atomLink{
		{"self", "application/atom+xml", f.Self}, {"alternate", "text/html", f.Home},
	}}
	for _, e := range f.Entries {
		var tags []atomCategory
		for _, t := range e.Tags {
			tags = append(tags, atomCategory{t})
		}
		a.Entries = append(a.Entries, atomEntry{e.ID, e.Title, e.Updated.Format(time.RFC3339), e.Published.Format(time.RFC3339),
			atomLink{"alternate", "text/html", e.Link}, tags, atomText{"html", e.HTML}})
	}
	return writeXML(a)
}

type rssFeed struct {
	XMLName xml.Name   `xml:"rss"`
	Version string     `xml:"version,attr"`
	Atom    string     `xml:"xmlns:atom,attr"`
	Channel rssChannel `xml:"channel"`
}

type rssChannel struct {
	Title       string    `xml:"title"`
	Link        string    `xml:"link"`
	Description string    `xml:"description"`
	Built       string    `xml:"lastBuildDate"`
	Self        atomLink  `xml:"atom:link"`
	Items       []rssItem `xml:"item"`
}

type rssItem struct {
	GUID        rssGUID  `xml:"guid"`
	Title       string   `xml:"title"`
	Link        string   `xml:"link"`
	Published   string   `xml:"pubDate"`
	Categories  []string `xml:"category"`
	Description string   `xml:"description"`
}

type rssGUID struct {
	PermaLink bool   `xml:"isPermaLink,attr"`
	ID        string `xml:",chardata"`
}

// writeRSS writes RSS 2.0.
func writeRSS(f *Feed) ([]byte, error) {
	c := rssChannel{Title: f.Title, Link: f.Home, Description: f.about(), Built: f.Updated.Format(time.RFC1123Z),
		Self: atomLink{"self", "application/rss+xml", f.Self}}
	for _, e := range f.Entries {
		c.Items = append(c.Items, rssItem{rssGUID{false, e.ID}, e.Title, e.Link, e.Published.Format(time.RFC1123Z), e.Tags, e.HTML})
	}
	return writeXML(rssFeed{Version: "2.0", Atom: "http://www.w3.org/2005/Atom", Channel: c})
}

func writeXML(v any) ([]byte, error) {
	b, err := xml.Marshal(v)
	return append([]byte(xml.Header), b...), err
}

type jsonFeed struct {
	Version string     `json:"version"`
	Title   string     `json:"title"`
	About   string     `json:"description"`
	Home    string     `json:"home_page_url"`
	Self    string     `json:"feed_url"`
	Items   []jsonItem `json:"items"`
}

type jsonItem struct {
	ID        string    `json:"id"`
	URL       string    `json:"url"`
	Title     string    `json:"title"`
	HTML      string    `json:"content_html"`
	Published time.Time `json:"date_published"`
	Modified  time.Time `json:"date_modified,omitzero"` // if it differs from the time of publication
	Tags      []string  `json:"tags,omitempty"`
	Plat      any       `json:"_plat,omitempty"`
}

// writeJSONFeed writes JSON Feed 1.1.
func writeJSONFeed(f *Feed) ([]byte, error) {
	j := jsonFeed{"https://jsonfeed.org/version/1.1", f.Title, f.about(), f.Home, f.Self, make([]jsonItem, 0, len(f.Entries))}
	for _, e := range f.Entries {
		item := jsonItem{ID: e.ID, URL: e.Link, Title: e.Title, HTML: e.HTML, Published: e.Published, Tags: e.Tags, Plat: e.Extension}
		if !e.Updated.Equal(e.Published) {
			item.Modified = e.Updated
		}
		j.Items = append(j.Items, item)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // it is mostly HTML
	err := enc.Encode(j)
	return b.Bytes(), err
}
