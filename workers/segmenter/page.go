package segmenter

import (
	"cmp"
	"time"

	"plat/diff"
	"plat/plat"
	"plat/segment"
	"plat/segment/article"
	"plat/segment/label"
	"plat/segment/markdown"
	"plat/storage/history"
)

// Page is a page in blocks.
type Page struct {
	plat.Page
	Snapshot *plat.Snapshot
	Profile  segment.Profile

	Article  article.Article    // the main text
	Main     *markdown.Document // the main text as Markdown
	Markdown []string           // of each block; empty for inner blocks

	Took time.Duration // to divide it
}

// divide divides the snapshot of a page without an earlier version.
func divide(d *label.Describer, snap *plat.Snapshot, how segment.Params) (*Page, error) {
	began := time.Now()
	cut, err := d.Divide(snap, how, nil)
	if err != nil {
		return nil, err
	}
	p := &Page{Page: cut.Page, Snapshot: snap, Profile: cmp.Or(how.Profile, segment.Visual)}
	diff.First(p.Blocks)
	p.Article = cut.Reading.Article(&p.Page)
	base := snap.Base()
	p.Main = markdown.Of(p.Article.Keep(&p.Page), base, &p.Layout, p.Blocks)
	p.Markdown = markdown.Blocks(base, &p.Layout, p.Blocks)
	p.Took = time.Since(began)
	return p, nil
}

// Info is a page as JSON. The names are those of [history.VersionInfo].
type Info struct {
	URL       string       `json:"url"` // empty if unknown
	FinalURL  string       `json:"final_url"`
	Taken     time.Time    `json:"taken"`
	Status    int          `json:"status"` // 200 for HTML that was given
	Title     string       `json:"title"`
	Language  string       `json:"language"`
	Browser   string       `json:"browser"`
	Width     int          `json:"width"`
	Height    int          `json:"height"`
	Settled   plat.Settled `json:"settled"`
	Unsettled bool         `json:"unsettled"`
	Coarse    int64        `json:"coarse,omitempty"`
	Level     int          `json:"level"`
	Profile   string       `json:"profile"`
	Coverage  float64      `json:"coverage"`
	Layout    string       `json:"layout"`
	PageBytes int64        `json:"page_bytes"`
	Requests  int          `json:"requests"`
	Blocked   int          `json:"blocked"` // of the requests, by the egress guard
	MS        int64        `json:"ms"`      // to render and divide it
	Blocks    int          `json:"blocks"`  // leaves
	Article   ArticleInfo  `json:"article"`
	Tree      []Node       `json:"tree"`
}

// ArticleInfo is the main text of a page.
type ArticleInfo struct {
	Kind     string   `json:"kind"`
	Title    string   `json:"title"`
	Authors  []string `json:"authors"`
	Date     string   `json:"date"`
	Text     string   `json:"text"`
	Comments string   `json:"comments"`
	Markdown string   `json:"markdown"`
}

// Node is a block in its tree, with text and Markdown if it is a leaf.
type Node struct {
	history.Node
	Markdown *string `json:"markdown,omitempty"`
}

// Info describes the page with the blocks for which keep returns true; nil: all.
func (p *Page) Info(keep func(*plat.Block) bool) Info {
	s := p.Snapshot
	i := Info{
		URL: s.URL, FinalURL: s.FinalURL, Taken: s.Taken.UTC(), Status: s.Status, Title: s.Title, Language: s.Language, Browser: s.Browser,
		Width: int(s.Viewport.W), Height: int(s.Viewport.H), Settled: s.Settled, Unsettled: s.Settled.Short(), Coarse: s.Coarse,
		Level: p.Level, Profile: string(p.Profile), Coverage: p.Coverage, Layout: p.Layout.Sum().String(), Requests: s.Requests, Blocked: s.Blocked,
		MS: (s.Timing.Total + p.Took).Milliseconds(),
		Article: ArticleInfo{
			Kind: string(p.Article.Kind), Title: p.Article.Title, Authors: append([]string{}, p.Article.Authors...), Date: p.Article.Date,
			Text: p.Article.Text, Comments: p.Article.Comments, Markdown: p.Main.Body(),
		},
		Tree: []Node{},
	}
	i.Blocks, i.PageBytes = p.Size()
	for k, n := range history.TreeOf(&plat.Version{Blocks: p.Blocks}, true) {
		if keep != nil && !keep(&p.Blocks[k]) {
			continue
		}
		node := Node{Node: n}
		if n.Leaf {
			node.Markdown = &p.Markdown[k]
		}
		i.Tree = append(i.Tree, node)
	}
	return i
}
