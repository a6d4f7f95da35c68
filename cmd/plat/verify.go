package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"plat/listing"
	"plat/storage"
	"plat/storage/uri"
	"plat/term"
)

func (a *app) verifyCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "verify",
		Short: "Check every stored byte",
		Long: `verify checks that every version has its layout and blocks, and that all stored
bytes decode and have the hash they are stored under. It ends with exit code 1 if
anything is broken. What nothing refers to is no damage; gc removes it.

JSON: ok, urls, versions, blocks, layouts, pictures, manifests, resources, unreferenced, broken_total,
broken (sentences, at most 1,000), ms.`,
		Example: `  plat verify
  plat verify --store sqlite:news.db --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			return a.withStore(ctx, uri.Reads, func(s storage.Store) error {
				begun := time.Now()
				r, err := s.Verify(ctx, a.advance("checked"))
				a.out.Progress("")
				if err != nil {
					return fmt.Errorf("the check could not be finished: %w", err)
				}
				listing.Check(a.out, &r, time.Since(begun), a.JSON)
				if r.BrokenTotal > 0 {
					return fail(exitError, "%s broken; archive the pages again, or restore the store from a backup", term.Counted(r.BrokenTotal, "thing"))
				}
				return nil
			})
		},
	}
}

// advance returns a function that shows how far a long work is; total is 0 if it is not known.
func (a *app) advance(verb string) func(done, total int64) {
	if !a.out.Watched() {
		return nil
	}
	var last time.Time
	return func(done, total int64) {
		if now := time.Now(); now.Sub(last) > 100*time.Millisecond {
			last = now
			line := verb + " " + term.Count(done)
			if total > 0 {
				line += " of " + term.Count(total)
			}
			a.out.Progress(line)
		}
	}
}
