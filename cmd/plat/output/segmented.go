package output

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"

	"plat/cmd/plat/terminal"
	"plat/plat"
	"plat/plat/excerpt"
	"plat/workers/segmenter"
)

// Segmented prints the blocks of a page that is not archived. It is for one goroutine.
type Segmented struct {
	*terminal.Screen
	Keep  func(*plat.Block) bool // which blocks are printed; nil: all
	Texts bool                   // trees have texts
	Hints Hints

	shown int // pages
}

// Tree prints a page as a tree. name is that of its file, or its URL.
func (o *Segmented) Tree(name string, p *segmenter.Page) {
	if o.shown++; o.shown > 1 {
		o.Print("")
	}
	snap := p.Snapshot
	o.Print(o.Paint(terminal.Bold, excerpt.Printable(name)))
	if snap.Title != "" {
		o.Print(excerpt.Printable(snap.Title))
	}
	leaves, size := p.Size()
	o.Print(o.Paint(terminal.Faint, fmt.Sprintf("%s, level %d, profile %s, coverage %.3f, %s", terminal.Counted(leaves, "block"), p.Level, p.Profile, p.Coverage, terminal.Size(size))))
	if snap.Blocked > 0 {
		line := terminal.Counted(snap.Blocked, "request") + " of the page refused"
		if snap.URL == "" {
			line += ": it has no --base"
		}
		o.Print(o.Paint(terminal.Yellow, line))
	}
	warnings(o.Screen, snap.Coarse, p.Coverage, o.Hints)
	if o.Keep == nil {
		blockTree(o.Screen, p.Blocks, o.Texts)
		return
	}
	for i := range p.Blocks {
		if b := &p.Blocks[i]; o.Keep(b) {
			o.Print(Block(o.Screen, b))
			if o.Texts && b.Text != "" {
				for _, l := range terminal.Indent(b.Text, "    ") {
					o.Print(l)
				}
			}
		}
	}
}

// JSON prints a page as JSON.
func (o *Segmented) JSON(name string, p *segmenter.Page) {
	o.Screen.JSON(struct {
		Source string `json:"source"`
		segmenter.Info
	}{name, p.Info(o.Keep)})
}

// Markdown prints the leaves of a page as Markdown, each below a comment with its label and place.
func (o *Segmented) Markdown(_ string, p *segmenter.Page) {
	o.each(p, func(b *plat.Block, i int) (head, body string) {
		return fmt.Sprintf("<!-- %d: %s, %s -->", i, b.Label, b.Box), p.Markdown[i]
	})
}

// Text prints the texts of the leaves of a page, each below a line with its label and place.
func (o *Segmented) Text(_ string, p *segmenter.Page) {
	o.each(p, func(b *plat.Block, i int) (head, body string) {
		return fmt.Sprintf("[%d: %s, %s]", i, b.Label, b.Box), b.Text
	})
}

// each prints the leaves that have a text.
func (o *Segmented) each(p *segmenter.Page, set func(b *plat.Block, i int) (head, body string)) {
	for i := range p.Blocks {
		b := &p.Blocks[i]
		if !b.Leaf() || o.Keep != nil && !o.Keep(b) {
			continue
		}
		head, body := set(b, i)
		if body == "" {
			continue
		}
		if o.shown++; o.shown > 1 {
			o.Print("")
		}
		o.Print(head)
		printLines(o.Screen, body)
	}
}

// leafColumns are the fields of a leaf as CSV.
var leafColumns = []string{"source", "index", "parent", "path", "label", "role", "holds", "confidence", "topic", "x", "y", "w", "h", "tag", "chars", "link_share", "image_share", "text", "markdown"}

// CSV prints the leaves of a page as CSV (RFC 4180), after the names of the columns above the first page.
func (o *Segmented) CSV(name string, p *segmenter.Page) {
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	if o.shown++; o.shown == 1 {
		_ = w.Write(leafColumns) // a buffer takes all
	}
	number := func(x float32) string { return strconv.FormatFloat(float64(x), 'f', -1, 32) }
	for i := range p.Blocks {
		b := &p.Blocks[i]
		if !b.Leaf() || o.Keep != nil && !o.Keep(b) {
			continue
		}
		path := make([]string, len(b.Path))
		for k, n := range b.Path {
			path[k] = strconv.Itoa(int(n))
		}
		_ = w.Write([]string{
			name, strconv.Itoa(i), strconv.Itoa(int(b.Parent)), strings.Join(path, "."), string(b.Label), string(b.Role), string(b.Holds), number(b.Confidence), excerpt.Cell(b.Topic),
			number(b.Box.X), number(b.Box.Y), number(b.Box.W), number(b.Box.H), b.Tag, strconv.Itoa(int(b.TextLen)), number(b.LinkShare), number(b.ImageShare), excerpt.Cell(b.Text), excerpt.Cell(p.Markdown[i]),
		})
	}
	w.Flush()
	o.Raw(excerpt.Shown(out.Bytes()))
}
