package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"plat/history"
	"plat/storage"
	"plat/term"
)

func (a *app) statsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "stats",
		Short: "Print what the archive holds and saves, by site",
		Long: `stats prints for every site how many URLs, visits and versions the archive has,
the bytes of all pages visited, the bytes written for them, and how many times
smaller that is; then the bytes in use on disk.

JSON, one object a site: host, urls, visits, versions, page_bytes, stored_bytes,
ratio (null where nothing was stored); and last one with total true, the sums, and
disk_bytes.`,
		Example: `  plat stats
  plat stats --json | jq 'select(.total)'`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			return a.withStore(ctx, reads, func(s storage.Store) error {
				sites, err := s.Stats(ctx)
				if err != nil {
					return err
				}
				disk, err := s.Size(ctx)
				if err != nil {
					return err
				}
				if a.JSON {
					a.statsJSON(sites, disk)
				} else {
					a.statsTable(sites, disk)
				}
				return nil
			})
		},
	}
}

func (a *app) statsJSON(sites []storage.SiteStats, disk int64) {
	type row struct {
		history.SiteInfo
		Total     bool   `json:"total,omitempty"`
		DiskBytes *int64 `json:"disk_bytes,omitempty"`
	}
	for _, s := range sites {
		a.out.JSON(row{SiteInfo: history.SiteOf(&s)})
	}
	sum := storage.Total(sites)
	a.out.JSON(row{history.SiteOf(&sum), true, &disk})
}

func (a *app) statsTable(sites []storage.SiteStats, disk int64) {
	t := term.Table{}
	t.Head("site", ">URLs", ">visits", ">versions", ">pages", ">stored", ">ratio")
	row := func(name term.Cell, s storage.SiteStats) {
		if s.Versions == 0 { // visited, in vain
			t.Row(name, term.Number(term.Count(int64(s.URLs))), term.Number(term.Count(int64(s.Visits))), term.Number("–"), term.Number("–"), term.Number("–"), term.Number("–"))
			return
		}
		t.Row(name, term.Number(term.Count(int64(s.URLs))), term.Number(term.Count(int64(s.Visits))), term.Number(term.Count(int64(s.Versions))),
			term.Number(term.Size(s.PageBytes)), term.Number(term.Size(s.StoredBytes)), term.Number(term.Ratio(s.PageBytes, s.StoredBytes)))
	}
	for _, s := range sites {
		row(term.Text(s.Host), s)
	}
	row(term.Text("all").In(term.Bold), storage.Total(sites))
	t.Print(a.out)
	a.out.Print(fmt.Sprintf("%s in use on disk", term.Size(disk)))
}
