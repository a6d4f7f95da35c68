package notify

import (
	"encoding/json"
	"time"

	"plat/plat"
)

// maxItems limits the items in the JSON of a message.
const maxItems = 1000

// payload is the JSON of a message, for webhooks and commands. Its form is documented in
// docs/telling.md: fields are added, never changed.
type payload struct {
	Type      string      `json:"type"` // items.KIND
	Timestamp time.Time   `json:"timestamp"`
	Data      payloadData `json:"data"`
}

type payloadData struct {
	ID            string                `json:"id"` // ID of the message
	Subject       string                `json:"subject"`
	Subscriptions []payloadSubscription `json:"subscriptions"`
	Items         []payloadItem         `json:"items"`
	Omitted       int                   `json:"omitted,omitempty"` // items left out
}

type payloadSubscription struct {
	ID    string   `json:"id"`
	URL   string   `json:"url"`
	Title string   `json:"title,omitempty"`
	Group string   `json:"group,omitempty"`
	Tags  []string `json:"tags,omitempty"`
}

type payloadItem struct {
	ID           string     `json:"id"`
	Subscription string     `json:"subscription"`
	Kind         string     `json:"kind"`
	Title        string     `json:"title,omitempty"`
	URL          string     `json:"url,omitempty"`
	Excerpt      string     `json:"excerpt,omitempty"`
	Dated        *time.Time `json:"dated,omitempty"`
	Page         string     `json:"page"`
	Version      int        `json:"version"`
	Lineage      int32      `json:"lineage"`
	Seen         time.Time  `json:"seen"`
}

// JSON returns the message for programs. It depends only on the delivery, so a repetition has
// the same bytes as long as its items and subscriptions are the same.
func (d *Delivery) JSON() []byte {
	p := payload{
		Type:      "items." + kindOf(d.Items),
		Timestamp: d.Message.Made.UTC(),
		Data: payloadData{
			ID: d.Message.ID, Subject: d.Subject(),
			Subscriptions: []payloadSubscription{}, Items: []payloadItem{},
			Omitted: max(0, len(d.Items)-maxItems),
		},
	}
	if d.Message.Subscription == "" {
		p.Type = "items.digest"
	}
	for i := range d.Subscriptions {
		s := &d.Subscriptions[i]
		p.Data.Subscriptions = append(p.Data.Subscriptions, payloadSubscription{
			ID: s.ID, URL: s.URL, Title: line(s.Title, maxTitle), Group: line(s.Group, maxTitle), Tags: s.Tags,
		})
	}
	for i := range d.Items[:min(len(d.Items), maxItems)] {
		p.Data.Items = append(p.Data.Items, itemJSON(&d.Items[i]))
	}
	b, err := json.Marshal(p)
	if err != nil {
		panic(err) // times are between the years 0 and 9999, see [plat.Item]; the rest is text
	}
	return b
}

func itemJSON(i *plat.Item) payloadItem {
	p := payloadItem{
		ID: i.ID, Subscription: i.Subscription, Kind: string(i.Kind),
		Title: line(i.Title, maxTitle), URL: link(i.URL), Excerpt: line(i.Excerpt, 4*maxExcerpt),
		Page: i.Page, Version: i.Version, Lineage: i.Lineage, Seen: i.Seen.UTC(),
	}
	if dated := i.Dated.UTC(); !dated.IsZero() && dated.Year() >= 0 && dated.Year() <= 9999 {
		p.Dated = &dated
	}
	return p
}
