package fleet

import (
	"strings"

	"github.com/spf13/cobra"

	"plat/cmd/plat/app"
	"plat/cmd/plat/output"
	"plat/queue/aliases"
	"plat/storage"
	"plat/storage/uri"
)

func trapsCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "traps [HOST]",
		Short: "Show which addresses of a site bring nothing new",
		Long: `traps shows what crawls have learnt of a host's addresses, or of those of all hosts:
parameters, and other parts, that change nothing, so that links are followed without
them; and patterns of URLs that bring little, of which few are visited (--traps).
In patterns # is a number and * any other segment. docs/traps.md says how it is learnt.

JSON, one object a host: host, parameters, replacements (from, to, pages), barren
(pattern, visits, fruitful, endless).`,
		Example: `  plat traps
  plat traps shop.example.com --json | jq .barren`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			host := strings.Join(args, "")
			return a.WithStore(ctx, uri.Reads, func(s storage.Store) error {
				all, err := aliases.LearntOf(ctx, s, strings.ToLower(host))
				if err != nil {
					return app.Fail(app.ExitStore, "%w", err)
				}
				output.Traps(a.Out, all, a.JSON)
				return nil
			})
		},
	}
}
