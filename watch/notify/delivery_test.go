package notify

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/net/html"

	"plat/fixtures"
	"plat/plat"
)

func TestSubjects(t *testing.T) {
	item := func(kind plat.ItemKind, subscription, title string) plat.Item {
		return plat.Item{Kind: kind, Subscription: subscription, Title: title, Page: "https://page.test/x"}
	}
	blog, shop := plat.Subscription{ID: "b", Title: "The\nblog\u202e", URL: "https://blog.test/"}, plat.Subscription{ID: "s", URL: "https://shop.test/list"}
	for _, tc := range []struct {
		name  string
		subs  []plat.Subscription
		items []plat.Item
		want  string
	}{
		{"one item is its title", []plat.Subscription{blog}, []plat.Item{item("new", "b", "  Hello\r\n\tworld ")}, "Hello world"},
		{"an item without a title is its excerpt", []plat.Subscription{blog}, []plat.Item{{Kind: "new", Subscription: "b", Excerpt: "Words"}}, "Words"},
		{"an item without anything", []plat.Subscription{blog}, []plat.Item{{Kind: "new", Subscription: "b"}}, "1 new on The blog"},
		{"several", []plat.Subscription{blog}, []plat.Item{item("new", "b", "1"), item("new", "b", "2")}, "2 new on The blog"},
		{"changed", []plat.Subscription{blog}, []plat.Item{item("changed", "b", "1"), item("changed", "b", "2")}, "2 changed on The blog"},
		{"of several kinds", []plat.Subscription{blog}, []plat.Item{item("changed", "b", "1"), item("new", "b", "2")}, "2 news on The blog"},
		{"a subscription without a title is its host", []plat.Subscription{shop}, []plat.Item{item("new", "s", "1"), item("new", "s", "2")}, "2 new on shop.test"},
		{"a digest of two", []plat.Subscription{blog, shop}, []plat.Item{item("new", "b", "1"), item("new", "s", "2")}, "2 new on 2 sites"},
		{"an unknown subscription is the page's host", nil, []plat.Item{item("new", "z", "1"), item("new", "z", "2")}, "2 new on page.test"},
		{"nothing", []plat.Subscription{blog}, nil, "0 new on The blog"},
	} {
		if got := (&Delivery{Subscriptions: tc.subs, Items: tc.items}).Subject(); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}

func TestTitlesOfAMegabyteAreCut(t *testing.T) {
	for _, title := range []string{strings.Repeat("a", 1<<20), strings.Repeat("ü", 1<<19), strings.Repeat("\xff", 1<<20), strings.Repeat("\u202e", 1<<19), strings.Repeat(" \n", 1<<19) + "x"} {
		d := delivery(3)
		for i := range d.Items {
			d.Items[i].Title, d.Items[i].Excerpt, d.Items[i].URL = title, title, "https://a.test/"+title
		}
		d.Subscriptions[0].Title = title
		var subject, text, page string
		var body []byte
		took := fixtures.Timed(t, func() { subject, text, page, body = d.Subject(), d.Text(), d.HTML(), d.JSON() })
		if took > time.Second {
			t.Errorf("%.10q took %v", title, took)
		}
		if utf8.RuneCountInString(subject) > maxTitle || len(text) > 20<<10 || len(page) > 40<<10 || len(body) > 80<<10 || !utf8.ValidString(text) || !utf8.ValidString(page) {
			t.Errorf("%.10q: %d, %d, %d, %d bytes", title, len(subject), len(text), len(page), len(body))
		}
	}
}

// FuzzDelivery checks that text of a page cannot break out of its place in a message.
func FuzzDelivery(f *testing.F) {
	f.Add("title", "https://a.test/", "excerpt", "blog")
	f.Add("<script>alert(1)</script>", "javascript:alert(1)", "</p><img src=x onerror=y>", "\u202e\x00")
	f.Add("a\r\nBcc: b", "https://a.test/\"onclick=\"", "@everyone", "=?utf-8?q?x?=")
	f.Fuzz(func(t *testing.T, title, url, words, name string) {
		d := &Delivery{Message: plat.Message{ID: title, Subscription: "s", Made: made}, Subscriptions: []plat.Subscription{{ID: "s", Title: name, URL: url}}}
		for _, kind := range []plat.ItemKind{plat.ItemNew, plat.ItemChanged} {
			d.Items = append(d.Items, plat.Item{Kind: kind, Subscription: "s", Title: title, URL: url, Excerpt: words, Page: url})
		}
		for _, one := range []string{d.Subject(), wireID(title)} {
			if strings.ContainsAny(one, "\r\n\x00\u202e\u200f") || !utf8.ValidString(one) || one == "" {
				t.Errorf("a line is %q", one)
			}
		}
		if strings.ContainsAny(d.Text(), "\r\x00\u202e\u200f") {
			t.Errorf("the text is %q", d.Text())
		}
		var got any
		if err := json.Unmarshal(d.JSON(), &got); err != nil || bytes.ContainsAny(d.JSON(), "\n<>") {
			t.Errorf("%v: %s", err, d.JSON())
		}
		doc, err := html.Parse(strings.NewReader(d.HTML()))
		if err != nil {
			t.Fatal(err)
		}
		for n := range doc.Descendants() {
			if n.Type != html.ElementNode {
				continue
			}
			switch n.Data {
			case "html", "head", "meta", "title", "body", "p", "a", "b", "bdi", "br", "span", "h2":
			default:
				t.Errorf("an element %s is in %s", n.Data, d.HTML())
			}
			for _, a := range n.Attr {
				if a.Key != "href" && a.Key != "style" && a.Key != "charset" || a.Key == "href" && !strings.HasPrefix(strings.ToLower(a.Val), "http") {
					t.Errorf("an attribute %s=%q is in %s", a.Key, a.Val, d.HTML())
				}
			}
		}
	})
}

func TestTheJSONOfAMessageIsTheSameEachTime(t *testing.T) {
	const want = `{"type":"items.new","timestamp":"2026-11-25T08:00:00Z","data":{"id":"msg1","subject":"Title a",` +
		`"subscriptions":[{"id":"s1","url":"https://blog.test/","title":"The blog"}],` +
		`"items":[{"id":"ia","subscription":"s1","kind":"new","title":"Title a","url":"https://blog.test/a","excerpt":"Excerpt a","page":"https://blog.test/","version":3,"lineage":7,"seen":"2026-11-25T08:00:00Z"}]}}`
	if got := string(delivery(1).JSON()); got != want {
		t.Errorf("JSON is\n%s\nwant\n%s", got, want)
	}
	d := delivery(maxItems + 5)
	d.Message.Subscription = ""
	d.Items[0].Dated = time.Date(12026, 1, 1, 0, 0, 0, 0, time.UTC) // pages may contain any date
	var got payload
	if err := json.Unmarshal(d.JSON(), &got); err != nil || len(got.Data.Items) != maxItems || got.Data.Omitted != 5 || got.Type != "items.digest" {
		t.Errorf("%v: %s, %d items, %d omitted", err, got.Type, len(got.Data.Items), got.Data.Omitted)
	}
}

func TestADigestNamesItsSites(t *testing.T) {
	d := delivery(2)
	d.Subscriptions = append(d.Subscriptions, plat.Subscription{ID: "s2", Title: "Shop & more"})
	d.Items = append(d.Items, plat.Item{Subscription: "s2", Kind: plat.ItemRemoved, Title: "Hat", Dated: made})
	const text = "== The blog ==\n\nTitle a\nhttps://blog.test/a\nExcerpt a\n\nTitle b\nhttps://blog.test/b\nExcerpt b\n\n== Shop & more ==\n\nremoved: Hat (2026-11-25)\n"
	if got := d.Text(); got != text {
		t.Errorf("text %q", got)
	}
	if got := d.HTML(); !strings.Contains(got, "Shop &amp; more</h2>") {
		t.Errorf("HTML %s", got)
	}
}
