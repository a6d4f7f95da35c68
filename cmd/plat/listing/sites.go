package listing

import (
	"fmt"

	"plat/cmd/plat/term"
	"plat/storage"
	"plat/storage/history"
)

// SitesJSON prints an object for each site, and the sums with the bytes in use on disk.
func SitesJSON(out *term.Screen, sites []storage.SiteStats, disk int64) {
	type row struct {
		history.SiteInfo
		Total     bool   `json:"total,omitempty"`
		DiskBytes *int64 `json:"disk_bytes,omitempty"`
	}
	for _, s := range sites {
		out.JSON(row{SiteInfo: history.SiteOf(&s)})
	}
	sum := storage.Total(sites)
	out.JSON(row{history.SiteOf(&sum), true, &disk})
}

// Sites prints a table of sites, with their sums and the bytes in use on disk.
func Sites(out *term.Screen, sites []storage.SiteStats, disk int64) {
	t := term.Table{}
	t.Head("site", ">URLs", ">visits", ">versions", ">HTML", ">blocks", ">ratio", ">pictures", ">resources")
	row := func(name term.Cell, s storage.SiteStats) {
		if s.Versions == 0 { // visited, in vain
			t.Row(name, term.Number(term.Count(int64(s.URLs))), term.Number(term.Count(int64(s.Visits))), term.Number("–"), term.Number("–"), term.Number("–"), term.Number("–"), term.Number("–"), term.Number("–"))
			return
		}
		t.Row(name, term.Number(term.Count(int64(s.URLs))), term.Number(term.Count(int64(s.Visits))), term.Number(term.Count(int64(s.Versions))),
			term.Number(term.Size(s.PageBytes)), term.Number(term.Size(s.StoredBytes)), term.Number(term.Ratio(s.PageBytes, s.StoredBytes)), term.Number(size(s.PictureBytes)), term.Number(size(s.ResourceBytes)))
	}
	for _, s := range sites {
		row(term.Text(s.Host), s)
	}
	row(term.Text("all").In(term.Bold), storage.Total(sites))
	t.Print(out)
	out.Print(fmt.Sprintf("%s in use on disk", term.Size(disk)))
}

// size is a number of bytes, "–" for none.
func size(n int64) string {
	if n == 0 {
		return "–"
	}
	return term.Size(n)
}
