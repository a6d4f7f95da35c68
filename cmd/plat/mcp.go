package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"plat/cmd/plat/app"
	"plat/cmd/plat/settings/flags"
	"plat/storage"
	"plat/storage/uri"
	"plat/web/mcpserver"
	"plat/workers/batch"
)

func mcpCommand(a *app.App) *cobra.Command {
	var archive bool
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Let an assistant ask the archive (Model Context Protocol)",
		Long: `mcp answers an assistant or agent on standard input and output, by the Model Context Protocol
(modelcontextprotocol.io). The assistant starts it; write this command into its list of servers.

Tools: search_blocks, list_pages, list_versions, what_changed, read_page, block_history and
watch_items; with --archive also archive_page, which visits a page and needs a browser. Answers have
at most about 2,000 tokens, with a cursor for the rest. Resources have addresses such as
plat://page/0/https://example.org/ (0 is the last version).

Text of pages is marked as quoted. Assistants may be misled by it all the same: give one that reads
strangers' pages no other power that you would not give to strangers.

A server of plat serve answers the same under /mcp, behind its token, without archive_page.`,
		Example: `  plat mcp --store sqlite:plat.db
  plat mcp --archive
  claude mcp add plat -- plat mcp --store sqlite:/home/me/plat.db`,
		Annotations: flags.Heeds(flags.Rendering, flags.Reaching, flags.Cutting, flags.Naming),
		Args:        cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			if a.Interactive() {
				return app.Fail(app.ExitUsage, "mcp talks to a program, not to a terminal; plat mcp --help says how an assistant starts it")
			}
			if !archive {
				return a.WithStore(ctx, uri.Reads, func(s storage.Store) error { return talk(ctx, a, cmd, s, nil) })
			}
			store, v, end, err := openVisitor(ctx, a, 1)
			if err != nil {
				return err
			}
			defer end()
			visit := func(ctx context.Context, url string) (said string, err error) {
				seeds := batch.NewSeeds(a.Drop())
				seeds.Add(url)
				seeds.End(nil)
				b := batch.New(batch.Options{Worker: v, Archive: store, Gate: v, Done: func(p *batch.Page) error {
					if said = fmt.Sprintf("%s, version %d", p.Outcome, p.Version); p.Error != "" {
						said = fmt.Sprintf("%s: %s", p.Outcome, p.Error)
					}
					return nil
				}})
				b.Run(ctx, seeds, 1)
				return said, errors.Join(b.Lost(), ctx.Err())
			}
			return talk(ctx, a, cmd, store, visit)
		},
	}
	cmd.Flags().BoolVar(&archive, "archive", false, "let the assistant have pages archived")
	return cmd
}

// talk answers until the input ends.
func talk(ctx context.Context, a *app.App, cmd *cobra.Command, s storage.Store, archive func(context.Context, string) (string, error)) error {
	m := mcpserver.New(mcpserver.Options{Store: s, Version: a.Version, Drop: a.Drop(), Archive: archive})
	err := m.Run(ctx, mcpserver.Stdio(cmd.InOrStdin(), cmd.OutOrStdout()))
	if ctx.Err() != nil || errors.Is(err, io.EOF) || err != nil && strings.Contains(err.Error(), "server is closing") {
		return nil
	}
	return err
}
