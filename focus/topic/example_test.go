package topic_test

import (
	"fmt"
	"log"
	"strings"

	"plat/focus/topic"
)

// A user's tree adds a topic under a class of the ready one.
func Example() {
	own, err := topic.Parse(strings.NewReader(`
topics:
  - id: crawlers
    parent: TP
    names: {en: Web crawlers, zh: 网络爬虫}
    description: Programs that visit pages and follow their links.
    terms:
      en: [crawl frontier, robots.txt, politeness]
      zh: [爬虫, 抓取]
    positive:
      - text: A crawler visits pages, and queues the links that it finds.
      - {url: "https://example.org/crawlers", block: 12}
    negative:
      - text: The climber is a crawler on rocks.
`))
	if err != nil {
		log.Fatal(err)
	}
	tree, err := topic.Ready().Join(own)
	if err != nil {
		log.Fatal(err)
	}
	found, err := tree.Find("网络爬虫")
	if err != nil {
		log.Fatal(err)
	}
	for _, t := range tree.Path(found) {
		fmt.Println(t.ID, t.Name("en"))
	}
	for _, x := range found.Texts()[:4] {
		fmt.Println(x.Weight, x.Language, x.Text)
	}
	// Output:
	// T Industrial technology
	// TP Automation and computer technology
	// crawlers Web crawlers
	// 2 en Web crawlers
	// 2 zh 网络爬虫
	// 0.5 und Programs that visit pages and follow their links.
	// 1 en crawl frontier
}
