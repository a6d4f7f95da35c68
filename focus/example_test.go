package focus_test

import (
	"fmt"
	"log"
	"slices"

	"plat/focus"
	"plat/queue/links"
	"plat/segment/htmlsnapshot"
	"plat/segment/label"
)

// A small crawl for pages on cephalopods, over pages in a map.
func Example() {
	web := map[string]string{
		"https://sea.test/": `<title>Sea life</title><p>All about the sea.</p>
			<ul><li><a href="/ships">Ships and harbours</a></li><li><a href="/octopus">The octopus</a></li><li><a href="/beach">Beaches</a></li></ul>`,
		"https://sea.test/octopus": `<title>The octopus</title><p>The octopus is a mollusc with eight tentacles. Like the squid it has ink.</p>
			<a href="/squid">Squids</a> <a href="/ships">Ships</a>`,
		"https://sea.test/squid": `<title>Squids</title><p>Squids are molluscs with ten tentacles, relatives of the octopus.</p>`,
		"https://sea.test/ships": `<title>Ships</title><p>Ships sail from harbour to harbour with cargo.</p><a href="/gone">Ferries</a>`,
		"https://sea.test/beach": `<title>Beaches</title><p>Sand, sun and ice cream for the whole family.</p>`,
	}
	d, err := label.New(label.Options{})
	if err != nil {
		log.Fatal(err)
	}
	name := "octopus, squid: molluscs with tentacles"
	var stems []string
	d.Terms("en", []string{name}).Each(name, func(stem string) bool { stems = append(stems, stem); return true })
	topic, err := focus.NewTopic([]focus.Text{{Stems: stems, Weight: 1}})
	if err != nil {
		log.Fatal(err)
	}
	crawl, err := focus.New(topic, focus.Options{Pages: 4})
	if err != nil {
		log.Fatal(err)
	}
	crawl.Seed("https://sea.test/")
	var belong []string
	for crawl.Done() == "" {
		next, ok := crawl.Next(nil)
		if !ok {
			break
		}
		html, ok := web[next.URL]
		if !ok {
			crawl.Miss(next.URL)
			continue
		}
		snap, err := htmlsnapshot.Snapshot(next.URL, html)
		if err != nil {
			log.Fatal(err)
		}
		page := &links.Page{Snapshot: snap, Frames: true}
		if crawl.Add(next.URL, focus.Read(page, page.Links(nil, 1_000), d)).Belongs {
			belong = append(belong, next.URL)
		}
	}
	slices.Sort(belong)
	for _, u := range belong {
		fmt.Println(u)
	}
	fmt.Println(crawl.Done())
	// Output:
	// https://sea.test/octopus
	// https://sea.test/squid
	// all 4 pages were requested
}
