package output

import (
	"fmt"

	"plat/cmd/plat/terminal"
	"plat/storage"
	"plat/storage/history"
)

// SitesJSON prints an object for each site, and the sums with the bytes in use on disk.
func SitesJSON(out *terminal.Screen, sites []storage.SiteStats, disk int64) {
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
func Sites(out *terminal.Screen, sites []storage.SiteStats, disk int64) {
	t := terminal.Table{}
	t.Head("site", ">URLs", ">visits", ">versions", ">HTML", ">blocks", ">ratio", ">pictures", ">resources")
	row := func(name terminal.Cell, s storage.SiteStats) {
		if s.Versions == 0 { // visited, in vain
			t.Row(name, terminal.Number(terminal.Count(int64(s.URLs))), terminal.Number(terminal.Count(int64(s.Visits))), terminal.Number("–"), terminal.Number("–"), terminal.Number("–"), terminal.Number("–"), terminal.Number("–"), terminal.Number("–"))
			return
		}
		t.Row(name, terminal.Number(terminal.Count(int64(s.URLs))), terminal.Number(terminal.Count(int64(s.Visits))), terminal.Number(terminal.Count(int64(s.Versions))),
			terminal.Number(terminal.Size(s.PageBytes)), terminal.Number(terminal.Size(s.StoredBytes)), terminal.Number(terminal.Ratio(s.PageBytes, s.StoredBytes)), terminal.Number(size(s.PictureBytes)), terminal.Number(size(s.ResourceBytes)))
	}
	for _, s := range sites {
		row(terminal.Text(s.Host), s)
	}
	row(terminal.Text("all").In(terminal.Bold), storage.Total(sites))
	t.Print(out)
	out.Print(fmt.Sprintf("%s in use on disk", terminal.Size(disk)))
}

// size returns a number of bytes in words, "–" for 0.
func size(n int64) string {
	if n == 0 {
		return "–"
	}
	return terminal.Size(n)
}
