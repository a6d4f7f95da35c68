package app

import (
	"plat/plat"
	"plat/segment"
	"plat/segment/label"
)

// Divide divides a page by the settings and labels its blocks, as a visit does, but without
// evidence from other pages of its site.
func (a *App) Divide(snap *plat.Snapshot) (*label.Divided, error) {
	d, err := label.New(label.Options{})
	if err != nil {
		return nil, err
	}
	return d.Divide(snap, segment.Params{Profile: segment.Profile(a.Profile), Level: a.Level}, nil)
}
