package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"plat/cmd/plat/app"
	"plat/cmd/plat/output"
	"plat/cmd/plat/terminal"
	"plat/storage"
	"plat/storage/uri"
)

func gcCommand(a *app.App) *cobra.Command {
	var older string
	var dry bool
	cmd := &cobra.Command{
		Use:   "gc",
		Short: "Remove unreferenced data",
		Long: `gc removes blocks, layouts and pictures that no version refers to, and versions
that never became a URL's last: what an interrupted visit leaves. No version that
versions lists loses anything. What is younger than --older-than is left, because
it may belong to a visit under way (a SQLite file knows better, and leaves nothing).
If anything was removed from a SQLite file since, it is written anew, so that none of its
bytes are left: that takes the time and the space of a copy.

With --dry-run it counts what nothing refers to, of any age, and removes nothing.

JSON: blocks, layouts, versions, pictures, manifests, resources, bytes; with --dry-run unreferenced.`,
		Example: `  plat gc
  plat gc --older-than 24h --store sqlite:news.db
  plat gc --dry-run`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			d, err := terminal.Age(older)
			if err != nil {
				return app.Fail(app.ExitUsage, "--older-than %q: write a duration, as 1h or 7d", older)
			}
			u := uri.Writes
			if dry {
				u = uri.Reads
			}
			return a.With(ctx, u, func(ctx context.Context, s storage.Store) error {
				if dry {
					r, err := s.Verify(ctx, a.Advance("looked at"))
					a.Out.Progress("")
					if err != nil {
						return err
					}
					output.Unreferenced(a.Out, &r, a.JSON)
					return nil
				}
				w, err := s.GC(ctx, time.Now().Add(-d))
				if err == nil {
					err = s.Vacuum(ctx)
				}
				if err != nil {
					return err
				}
				output.Collected(a.Out, &w, a.JSON)
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&older, "older-than", "1h", "keep data written within this `AGE`, as 1h or 7d")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only count")
	return cmd
}
