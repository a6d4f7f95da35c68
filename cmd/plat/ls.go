package main

import (
	"context"
	"iter"

	"github.com/spf13/cobra"

	"plat/cmd/plat/app"
	"plat/cmd/plat/output"
	"plat/plat"
	"plat/storage"
	"plat/storage/uri"
)

func lsCommand(a *app.App) *cobra.Command {
	var limit int
	var titles, hosts bool
	cmd := &cobra.Command{
		Use:   "ls [HOST or beginning of a URL]",
		Short: "List the pages of the archive",
		Long: `ls lists URLs that were visited: number of versions, last visit and its outcome, title and URL.
login? marks pages whose last version is probably a login instead of the page: it asks for a password and has
hardly any text. With --hosts it lists hosts, with the number of their URLs; plat stats says what they take.

JSON, one object a URL: the fields of a URL in the HTTP interface (url, host, first, last, visits,
changes, versions, status, outcome, …) title, that of the last version, and seems (login) where that is marked; with --hosts: host, urls,
visits, versions.`,
		Example: `  plat ls
  plat ls https://example.com/news/
  plat ls example.com --json | jq -r 'select(.versions > 5) | .url'
  plat ls --hosts`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			if limit < 0 {
				return app.Fail(app.ExitUsage, "--limit %d: write 0 for all, or more", limit)
			}
			site := ""
			if len(args) > 0 {
				site = args[0]
			}
			host, prefix := storage.Site(site)
			return a.WithStore(ctx, uri.Reads, func(s storage.Store) error {
				if hosts {
					all, err := s.Stats(ctx)
					if err != nil {
						return err
					}
					output.HostList(a.Out, all, host, a.JSON)
					return a.Out.Err()
				}
				l := output.NewListing(a.Out, a.JSON)
				for st, err := range states(ctx, s, host, prefix) {
					if err != nil {
						return err
					}
					if limit > 0 && l.N() == limit {
						l.More()
						break
					}
					title, seems := "", plat.Outcome("")
					if titles && st.Head > 0 {
						if v, err := s.Last(ctx, &st); err == nil {
							title, seems = v.Capture.Title, v.Seems()
						}
					}
					if l.Print(&st, title, seems); a.Out.Err() != nil {
						return a.Out.Err()
					}
				}
				l.End()
				return nil
			})
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.IntVar(&limit, "limit", 0, "at most so many (0: all)")
	f.BoolVar(&titles, "titles", true, "with titles and marks, for which the last version of each URL is read")
	f.BoolVar(&hosts, "hosts", false, "list hosts")
	return cmd
}

// states yields the visited URLs of a host, or with a prefix, by URL.
func states(ctx context.Context, s storage.Store, host, prefix string) iter.Seq2[plat.URLState, error] {
	prefixes := []string{prefix}
	if host != "" {
		prefixes = []string{"http://" + host, "https://" + host}
	}
	return func(yield func(plat.URLState, error) bool) {
		for _, p := range prefixes {
			for st, err := range s.States(ctx, p, "") {
				if err == nil && (st.Visits == 0 || host != "" && st.Host != host) {
					continue
				}
				if !yield(st, err) {
					return
				}
			}
		}
	}
}
