package main

import (
	"strings"

	"github.com/spf13/cobra"

	"plat/cmd/plat/app"
	"plat/cmd/plat/output"
	"plat/cmd/plat/settings/flags"
	"plat/export"
	"plat/export/draw"
	"plat/storage"
	"plat/storage/history"
	"plat/storage/uri"
)

func showCommand(a *app.App) *cobra.Command {
	var texts bool
	var picture, by string
	cmd := &cobra.Command{
		Use:   "show URL[@N|@TIME]",
		Short: "Print the blocks of a version as a tree",
		Long: `show prints the block tree of version N of a URL, of the version that was the last one at a TIME
(2026-01-31, which is the end of that day, or 2026-01-31T12:00:00Z), or (also for N = 0) of the last one: what each
block is labelled, what it is about, where it stands on the page, which rule made
it a block, and for leaves their number in the URL's history (lineage) and their
size. With --picture the blocks are drawn as well, in the page's CSS px: over the picture that
archive --screenshot keeps, or as an outline where there is none.

JSON: ` + versionJSON + `,
and tree: for every block index, parent, level, path, run, rule, tag, box (x, y, w, h in CSS px),
leaf, hash, lineage, label, role (what it is for), holds (list, form …), confidence, because,
topic, chars, link_share, image_share, background, color, font_size, bytes, and text with --text.`,
		Example: `  plat show https://example.com/
  plat show https://example.com/@3 --text
  plat show https://example.com/ --picture blocks.png --by age
  plat show https://example.com/@3 --json | jq '.tree[] | select(.label == "main") | .topic'`,
		Annotations: flags.Heeds(flags.Naming),
		Args:        cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			r, when, err := parseMoment(a, args[0])
			if err != nil {
				return err
			}
			if picture != "" {
				if err := draw.Check(picture, by); err != nil {
					return app.Fail(app.ExitUsage, "%w", err)
				}
			}
			return a.WithStore(ctx, uri.Reads, func(s storage.Store) error {
				r, err := r.at(ctx, s, when, "")
				if err != nil {
					return err
				}
				v, err := load(ctx, s, r.url, r.n, nil)
				if err != nil {
					return err
				}
				kept, err := history.ResourcesOf(ctx, s, v)
				if err != nil {
					return app.About(r.String(), err)
				}
				if picture != "" {
					if err := export.Picture(ctx, s, v, picture, by); err != nil {
						return app.About(r.String(), err)
					}
				}
				if a.JSON {
					output.VersionJSON(a.Out, v, kept, texts)
				} else {
					output.Version(a.Out, v, kept, texts, output.Hints{MaxNodes: "--max-nodes", Unshown: "plat explain " + v.URL + " --only text"})
				}
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&texts, "text", false, "print the text of the blocks")
	cmd.Flags().StringVar(&picture, "picture", "", "draw the blocks to `FILE`, .png or .svg")
	cmd.Flags().StringVar(&by, "by", draw.Ways[0], "meaning of the colours of the picture: "+strings.Join(draw.Ways, ", "))
	return cmd
}
