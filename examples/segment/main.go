// Segment prints the blocks of an HTML file: their labels, places and texts.
//
//	go run ./examples/segment page.html [URL]
//
// The URL is the one that the page came from: its style sheets and images are loaded from there.
package main

import (
	"context"
	"fmt"
	"os"

	"plat/plat"
	"plat/workers/segmenter"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: segment FILE [URL]")
		os.Exit(2)
	}
	base := ""
	if len(os.Args) > 2 {
		base = os.Args[2]
	}
	if err := run(context.Background(), os.Args[1], base); err != nil {
		fmt.Fprintln(os.Stderr, "segment:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, file, base string) error {
	html, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if base != "" {
		if base, err = plat.Canonical(base, plat.TrackingParams); err != nil {
			return err
		}
	}
	// A segmenter has one browser for any number of pages, and goroutines may share it.
	s := segmenter.New(segmenter.Options{})
	defer s.Close()
	page, err := s.Segment(ctx, segmenter.Source{HTML: html, URL: base})
	if err != nil {
		return err
	}
	for i := range page.Blocks {
		if b := &page.Blocks[i]; b.Leaf() {
			fmt.Printf("%s, %s at %s:\n%s\n\n", b.Label, b.Topic, b.Box, page.Markdown[i])
		}
	}
	return nil
}
