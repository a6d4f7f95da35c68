package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"plat/excerpt"
	"plat/storage"
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
			return a.withStore(ctx, reads, func(s storage.Store) error {
				begun := time.Now()
				r, err := s.Verify(ctx, a.advance("checked"))
				a.out.Progress("")
				if err != nil {
					return fmt.Errorf("the check could not be finished: %w", err)
				}
				a.verified(&r, time.Since(begun))
				if r.BrokenTotal > 0 {
					return fail(exitError, "%s broken; archive the pages again, or restore the store from a backup", term.Counted(r.BrokenTotal, "thing"))
				}
				return nil
			})
		},
	}
}

// advance returns a function that shows how far a long work is.
func (a *app) advance(verb string) func(done, total int64) {
	if !a.out.Watched() {
		return nil
	}
	var last time.Time
	return func(done, total int64) {
		if now := time.Now(); now.Sub(last) > 100*time.Millisecond {
			last = now
			a.out.Progress(fmt.Sprintf("%s %s of %s", verb, term.Count(done), term.Count(total)))
		}
	}
}

func (a *app) verified(r *storage.Report, spent time.Duration) {
	if a.JSON {
		broken := r.Broken
		if broken == nil {
			broken = []string{}
		}
		a.out.JSON(struct {
			OK           bool     `json:"ok"`
			URLs         int64    `json:"urls"`
			Versions     int64    `json:"versions"`
			Blocks       int64    `json:"blocks"`
			Layouts      int64    `json:"layouts"`
			Pictures     int64    `json:"pictures"`
			Manifests    int64    `json:"manifests"`
			Resources    int64    `json:"resources"`
			Unreferenced int64    `json:"unreferenced"`
			BrokenTotal  int64    `json:"broken_total"`
			Broken       []string `json:"broken"`
			MS           int64    `json:"ms"`
		}{r.BrokenTotal == 0, r.URLs, r.Versions, r.Blocks, r.Layouts, r.Pictures, r.Manifests, r.Resources, r.Unreferenced, r.BrokenTotal, broken, spent.Milliseconds()})
		return
	}
	for _, b := range r.Broken {
		a.out.Print(a.out.Paint(term.Red, "broken") + "  " + excerpt.Printable(b))
	}
	line := fmt.Sprintf("%s, %s, %s, %s, %s, %s checked", term.Counted(r.URLs, "URL"), term.Counted(r.Versions, "version"),
		term.Counted(r.Blocks, "block"), term.Counted(r.Layouts, "layout"), term.Counted(r.Pictures, "picture"), term.Counted(r.Resources, "resource"))
	if r.BrokenTotal == 0 {
		line += ": no errors found"
	} else {
		line += ": " + term.Count(r.BrokenTotal) + " broken"
	}
	a.out.Print(line)
	if r.Unreferenced > 0 {
		a.out.Print(term.Counted(r.Unreferenced, "thing") + " that nothing refers to; plat gc removes them")
	}
}
