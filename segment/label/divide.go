package label

import (
	"plat/plat"
	"plat/segment"
	"plat/segment/article"
	"plat/segment/boilerplate"
)

// Divided is a page in blocks, with what was read of it for their labels.
type Divided struct {
	*segment.Cut
	Reading *article.Reading
}

// Article returns the main text of the page.
func (d *Divided) Article() article.Article { return d.Reading.Article(&d.Page) }

// Divide segments a page and describes its blocks as [Describer.DescribeAmong] does. others may be nil.
func (d *Describer) Divide(snap *plat.Snapshot, p segment.Params, others boilerplate.Pages) (*Divided, error) {
	cut, err := segment.Segment(snap, p)
	if err != nil {
		return nil, err
	}
	read := article.Look(snap)
	return &Divided{cut, read}, d.DescribeAmong(others, read, snap, &cut.Page, cut.Spans, cut.Visible())
}
