// Changes prints the changed words between the last two versions of a page in an archive.
//
//	go run ./examples/changes sqlite:plat.db https://example.com/
package main

import (
	"context"
	"fmt"
	"os"

	"plat/plat"
	"plat/storage/history"
	"plat/storage/uri"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: changes ARCHIVE URL")
		os.Exit(2)
	}
	if err := run(context.Background(), os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "changes:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, archive, page string) error {
	url, err := plat.Canonical(page, plat.TrackingParams)
	if err != nil {
		return err
	}
	store, err := uri.Open(ctx, archive, uri.Reads, uri.Options{})
	if err != nil {
		return err
	}
	defer store.Close()
	times, err := store.Times(ctx, url) // version n was taken at times[n-1]
	if err != nil {
		return err
	}
	if len(times) < 2 {
		return fmt.Errorf("%s has one version, and nothing to compare it with", url)
	}
	between, err := history.Between(ctx, store, url, len(times)-1, len(times))
	if err != nil {
		return err
	}
	for _, c := range between.Info().Changes {
		if c.SelfChange != "" {
			continue // a counter, a clock, a token
		}
		fmt.Printf("%s, %s, %s:\n", c.Kind, c.Label, c.Topic)
		for _, w := range c.Words {
			if w.Op != "equal" {
				fmt.Printf("\t%s %q\n", w.Op, w.Text)
			}
		}
	}
	return nil
}
