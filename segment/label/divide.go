package label

import (
	"plat/plat"
	"plat/segment"
	"plat/segment/boilerplate"
)

// Divide segments a page and describes its blocks as [Describer.DescribeAmong] does. others may be nil.
func (d *Describer) Divide(snap *plat.Snapshot, p segment.Params, others boilerplate.Pages) (*segment.Cut, error) {
	cut, err := segment.Segment(snap, p)
	if err != nil {
		return nil, err
	}
	return cut, d.DescribeAmong(others, snap, &cut.Page, cut.Spans, cut.Visible())
}
