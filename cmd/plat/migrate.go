package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"plat/cmd/plat/app"
	"plat/storage"
	"plat/storage/uri"
)

func migrateCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "migrate",
		Short: "Give an archive of an older plat the current format",
		Long: `migrate gives an archive that an older plat has written the current format. Stop the
processes of older plats that use it first, workers and plat serve: those from before format 2 would write
what the migration does not see. Workers of this plat wait until it is done, and go on by themselves. It
may be interrupted: run it again, and it continues. Nothing is lost either way.

A page with a damaged version does not stop it: it migrates all others, then names these pages and ends
with exit code 1. The archive can be used then. Restore the documents that plat verify names from a backup
and run plat reindex, or remove the page with plat forget.

SQLite archives need no such command: whatever writes to one migrates it when it opens it.

JSON: from, to (numbers of formats).`,
		Example: `  plat migrate --store mongodb://mongo/plat
  plat migrate --store sqlite:news.db`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.With(cmd.Context(), uri.Migrates, func(ctx context.Context, s storage.Store) error {
				from, to, err := s.Migrate(ctx, a.Advance("migrated"))
				a.Out.Progress("")
				if err != nil {
					return err
				}
				switch {
				case a.JSON:
					a.Out.JSON(struct {
						From int `json:"from"`
						To   int `json:"to"`
					}{from, to})
				case from == to:
					a.Out.Print(fmt.Sprintf("the archive has format %d already", to))
				default:
					a.Out.Print(fmt.Sprintf("the archive has format %d now, and had format %d", to, from))
				}
				return nil
			})
		},
	}
}

func reindexCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "reindex",
		Short: "Rebuild the search index",
		Long: `reindex rebuilds what plat derives from the versions of an archive: the search index of a
SQLite file, or the collections pages and block_versions of a MongoDB database, and the sums of its hosts. There it also
creates missing indexes. It repairs faults of them that verify reports. Searches of a SQLite file find less until
it ends; on MongoDB they miss a page only while it is rebuilt. It may be interrupted: plat search continues it, on MongoDB
also plat gc, and the next visit of a page for that page.

Workers may run meanwhile. On MongoDB, stop those of older plats first, whose block versions have no field
build: a page that they visit meanwhile may be left as it was, so run it again if they did.

JSON: versions (how many were read).`,
		Example: `  plat reindex
  plat reindex --store mongodb://mongo/plat`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.With(cmd.Context(), uri.Writes, func(ctx context.Context, s storage.Store) error {
				advance, read := a.Advance("indexed"), int64(0)
				err := s.Reindex(ctx, func(done, total int64) {
					if read = done; advance != nil {
						advance(done, total)
					}
				})
				a.Out.Progress("")
				if err != nil {
					return err
				}
				if a.JSON {
					a.Out.JSON(struct {
						Versions int64 `json:"versions"`
					}{read})
					return nil
				}
				a.Out.Print(fmt.Sprintf("%d versions indexed", read))
				return nil
			})
		},
	}
}
