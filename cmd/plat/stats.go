package main

import (
	"github.com/spf13/cobra"

	"plat/cmd/plat/app"
	"plat/cmd/plat/output"
	"plat/storage"
	"plat/storage/uri"
)

func statsCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "stats",
		Short: "Print contents and savings of the archive, by site",
		Long: `stats prints for every site how many URLs, visits and versions the archive has,
the bytes of all pages visited as HTML, the bytes written for their blocks, and how
many times smaller that is; what was written for pictures and resources, which is
beside that; then the bytes in use on disk.

JSON, one object a site: host, urls, visits, versions, page_bytes (HTML), stored_bytes (blocks),
ratio of these (null where nothing was stored), picture_bytes, resource_bytes; and last one with total true, the sums, and
disk_bytes.`,
		Example: `  plat stats
  plat stats --json | jq 'select(.total)'`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			return a.WithStore(ctx, uri.Reads, func(s storage.Store) error {
				sites, err := s.Stats(ctx)
				if err != nil {
					return err
				}
				disk, err := s.Size(ctx)
				if err != nil {
					return err
				}
				if a.JSON {
					output.SitesJSON(a.Out, sites, disk)
				} else {
					output.Sites(a.Out, sites, disk)
				}
				return nil
			})
		},
	}
}
