package main

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"plat/browser/snapshotfile"
	"plat/cmd/plat/app"
	"plat/cmd/plat/output"
	"plat/cmd/plat/settings/flags"
	"plat/export/atomicfile"
	"plat/plat"
	"plat/storage/uri"
	"plat/workers/batch"
	"plat/workers/visitor"
)

// snapshot gives a page as a browser saw it: rendered now, if where is a URL,
// else from a file.
func snapshot(ctx context.Context, a *app.App, where string) (*plat.Snapshot, error) {
	r := &reader{App: a, evidence: plat.Attachments{Picture: a.Screenshot}}
	defer r.close()
	return r.snapshot(ctx, where)
}

// reader reads pages one after the other; its browser starts with the first URL.
type reader struct {
	*app.App
	evidence plat.Attachments
	renderer *visitor.Renderer // nil: no URL yet
}

func (r *reader) close() {
	if r.renderer != nil {
		r.renderer.Close()
	}
}

// snapshot gives a page, rendered or from a file.
func (r *reader) snapshot(ctx context.Context, where string) (*plat.Snapshot, error) {
	if !isURL(where) {
		return readSnapshot(where)
	}
	u, err := r.Canonical(where)
	if err != nil {
		return nil, err
	}
	if r.renderer == nil {
		if r.renderer, err = r.Renderer(ctx); err != nil {
			return nil, err
		}
	}
	snap, err := r.renderer.Render(ctx, u, func(*plat.Snapshot) plat.Attachments { return r.evidence })
	return snap, app.About(u, err)
}

// isURL reports whether a text is a URL, not the name of a file.
func isURL(where string) bool { return strings.Contains(where, "://") }

func readSnapshot(path string) (*plat.Snapshot, error) {
	snap, err := snapshotfile.Open(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, app.Fail(app.ExitUsage, "there is no file %q; name a snapshot file, or a URL with http:// or https://", path)
	case app.Unread(err):
		return nil, app.Fail(app.ExitUsage, "%w; name a snapshot file that can be read", err)
	case err != nil:
		return nil, app.Fail(app.ExitError, "%w; plat snapshot save URL -o FILE writes one", err)
	}
	return snap, nil
}

func snapshotCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "snapshot",
		Short: "Save pages as a browser saw them, and archive them later",
		Long: `A snapshot is a page as the browser had it after its scripts ran: DOM, boxes,
colours. All that follows rendering depends on it alone, so a stored snapshot can
be divided and archived again, without the web.`,
		Example: `  plat snapshot save https://example.com/ -o page.snapshot
  plat snapshot show page.snapshot
  plat snapshot load page.snapshot`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(snapshotSaveCommand(a), snapshotLoadCommand(a), snapshotShowCommand(a))
	return cmd
}

// describeSnapshot prints a summary of a snapshot file.
func describeSnapshot(a *app.App, s *plat.Snapshot, path string) error {
	st, err := os.Stat(path)
	if err != nil {
		return err
	}
	output.Snapshot(a.Out, s, path, st.Size(), a.JSON)
	return nil
}

const snapshotJSON = `JSON: url, final_url, status, title, language, taken, browser, viewport, width,
height, nodes, lines, requests, blocked, wire_bytes, settled, unsettled, picture, ms, file,
file_bytes.`

func snapshotSaveCommand(a *app.App) *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "save URL -o FILE",
		Short: "Render a page and save the snapshot",
		Long:  "save renders a page and saves the snapshot of the browser.\n\n" + snapshotJSON,
		Example: `  plat snapshot save https://example.com/ -o page.snapshot
  plat snapshot save https://example.com/ -o page.snapshot --screenshot`,
		Annotations: flags.Heeds(flags.Rendering, flags.Reaching, flags.Naming),
		Args:        cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if file == "" {
				return app.Fail(app.ExitUsage, "there is no file to save to; name it with -o FILE")
			}
			u, err := a.Canonical(args[0])
			if err != nil {
				return err
			}
			snap, err := snapshot(cmd.Context(), a, u)
			if err != nil {
				return err
			}
			if err := atomicfile.Write(file, func(w io.Writer) error { return snapshotfile.Write(w, snap) }); err != nil {
				return app.About(u, err)
			}
			return describeSnapshot(a, snap, file)
		},
	}
	cmd.Flags().StringVarP(&file, "output", "o", "", "`FILE` to save to")
	return cmd
}

func snapshotShowCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "show FILE",
		Short: "Print the contents of a snapshot file",
		Long:  "show prints the contents of a snapshot file.\n\n" + snapshotJSON,
		Example: `  plat snapshot show page.snapshot
  plat snapshot show page.snapshot --json`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			snap, err := readSnapshot(args[0])
			if err != nil {
				return err
			}
			return describeSnapshot(a, snap, args[0])
		},
	}
}

func snapshotLoadCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "load FILE…",
		Short: "Archive stored snapshots",
		Long: `load archives snapshots as if their pages were visited now, in the order given.
It prints what archive prints; JSON as well.`,
		Example: `  plat snapshot load page.snapshot
  plat snapshot load monday.snapshot tuesday.snapshot --json`,
		Annotations: flags.Ignoring(flags.Heeds(flags.Cutting, flags.Naming), "resources"),
		Args:        cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return loadSnapshots(cmd.Context(), a, args)
		},
	}
}

// loadSnapshots archives snapshot files one after the other: their order is that
// of the versions.
func loadSnapshots(ctx context.Context, a *app.App, files []string) error {
	options, err := a.WorkerOptions()
	if err != nil {
		return err
	}
	store, err := a.OpenStore(ctx, uri.Creates)
	if err != nil {
		return err
	}
	defer store.Close()
	shelf := &visitor.Shelf{}
	worker, err := visitor.NewWorker(shelf, store, options)
	if err != nil {
		return err
	}
	b := batch.New(batch.Options{Worker: worker, Archive: store, Done: func(p *batch.Page) error { return output.PrintPage(a.Out, p, a.Quiet, a.JSON) }})
	for i, file := range files {
		if shelf.Snapshot, err = readSnapshot(file); err != nil {
			return err
		}
		u, err := plat.Canonical(shelf.Snapshot.URL, a.Drop())
		if err != nil {
			u = shelf.Snapshot.URL
		}
		b.Visit(ctx, batch.Seed{URL: u, Err: err})
		switch {
		case b.Lost() != nil:
			return app.Fail(app.ExitStore, "store: %w", b.Lost())
		case a.Out.Err() != nil && i+1 < len(files):
			return app.Fail(app.ExitError, "%w; %s was archived; load those after it again", a.Out.Err(), file)
		case a.Out.Err() != nil:
			return a.Out.Err()
		case ctx.Err() != nil:
			return app.Fail(app.ExitInterrupted, "interrupted at %s; load it and those after it again", file)
		}
	}
	if b.Totals().Failed > 0 {
		return &app.Failure{Code: app.ExitPartly}
	}
	return nil
}
