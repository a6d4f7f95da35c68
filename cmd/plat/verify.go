package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"plat/cmd/plat/app"
	"plat/cmd/plat/output"
	"plat/cmd/plat/terminal"
	"plat/storage"
	"plat/storage/uri"
)

func verifyCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "verify",
		Short: "Check every stored byte",
		Long: `verify checks that every version has its layout and blocks, and that all stored
bytes decode and have the hash they are stored under. On MongoDB it also compares what is derived from
the versions with them: pages, and block versions with their text, words and links; plat reindex mends these. It ends with exit code 1 if
anything is broken. What nothing refers to is no damage; gc removes it.

JSON: ok, urls, versions, blocks, layouts, pictures, manifests, resources, unreferenced, broken_total,
broken (sentences, at most 1,000), ms.`,
		Example: `  plat verify
  plat verify --store sqlite:news.db --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			return a.WithStore(ctx, uri.Reads, func(s storage.Store) error {
				begun := time.Now()
				r, err := s.Verify(ctx, a.Advance("checked"))
				a.Out.Progress("")
				if err != nil {
					return fmt.Errorf("the check could not be finished: %w", err)
				}
				output.Check(a.Out, &r, time.Since(begun), a.JSON)
				if r.BrokenTotal > 0 {
					return app.Fail(app.ExitError, "%s broken; archive the pages again, or restore the store from a backup", terminal.Counted(r.BrokenTotal, "thing"))
				}
				return nil
			})
		},
	}
}
