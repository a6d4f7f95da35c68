package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"plat/cmd/plat/app"
	"plat/cmd/plat/output"
	"plat/cmd/plat/settings/flags"
	"plat/export/atomicfile"
	"plat/export/replay"
	"plat/storage"
	"plat/storage/history"
	"plat/storage/uri"
)

func restoreCommand(a *app.App) *cobra.Command {
	var file string
	var raw, asPage bool
	cmd := &cobra.Command{
		Use:   "restore URL[@N|@TIME]",
		Short: "Rebuild the page of a version",
		Long: `restore puts the blocks of version N of a URL, of the one that was the last at a TIME
(2026-01-31, which is the end of that day, or 2026-01-31T12:00:00Z), or of the last one (N = 0), back into their layout: the HTML of the page as it was captured, byte for byte. It is
written to standard output, unless that is a terminal, or with -o to a file, which is
for its owner only if it is new.

The file is UTF-8. If the page declares another encoding, as GBK, or none, restore
writes a byte order mark before it (three bytes), so that browsers read it as UTF-8.
--raw writes the captured bytes only.

Of a version of a file, as a PDF document or a feed, restore writes that file as its server
sent it. --page writes the page that plat made of it.

JSON (only with -o): url, version, file, bytes, sha256 (both of the file).`,
		Example: `  plat restore https://example.com/ > page.html
  plat restore https://example.com/@3 -o page.html
  plat restore --raw https://example.com/ | sha256sum`,
		Annotations: flags.Heeds(flags.Naming),
		Args:        cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if a.JSON && file == "" {
				return app.Fail(app.ExitUsage, "--json goes with -o FILE: standard output holds the page")
			}
			if file == "" {
				if err := a.Piped("the page"); err != nil {
					return err
				}
			}
			ctx := cmd.Context()
			r, when, err := parseMoment(a, args[0])
			if err != nil {
				return err
			}
			return a.WithStore(ctx, uri.Reads, func(s storage.Store) error {
				r, err := r.at(ctx, s, when, "")
				if err != nil {
					return err
				}
				n, page, isFile, err := restore(ctx, s, r, asPage)
				if err != nil {
					return err
				}
				if !raw && !isFile {
					page = replay.Openable(page)
				}
				if file == "" {
					a.Out.Raw(page)
					return nil
				}
				if err := atomicfile.Write(file, func(w io.Writer) error { _, err := w.Write(page); return err }); err != nil {
					return app.About(r.String(), err)
				}
				if a.JSON {
					output.Restored(a.Out, r.url, n, file, page)
				}
				return nil
			})
		},
	}
	cmd.Flags().StringVarP(&file, "output", "o", "", "`FILE` to write to")
	cmd.Flags().BoolVar(&raw, "raw", false, "the exact bytes, without a byte order mark")
	cmd.Flags().BoolVar(&asPage, "page", false, "of a file: the page that shows it")
	return cmd
}

// restore rebuilds a page, or the file of which a version shows a page, and names its version.
func restore(ctx context.Context, s storage.Store, r ref, asPage bool) (n int, page []byte, isFile bool, err error) {
	v, err := s.Version(ctx, r.url, r.n)
	if err != nil {
		return 0, nil, false, missing(ctx, s, r, err)
	}
	if !asPage && !v.Resources.IsZero() {
		m, err := s.Manifest(ctx, v.Resources)
		if err != nil {
			return v.N, nil, false, app.About(r.String(), err)
		}
		if f, ok := m.File(); ok {
			page, err := s.Resource(ctx, f.Hash)
			return v.N, page, true, app.About(r.String(), err)
		}
	}
	page, err = history.Page(ctx, s, v)
	return v.N, page, false, app.About(r.String(), err)
}
