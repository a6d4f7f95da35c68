package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// renderAllSets renders the pages that are not kept.
func (e *eval) renderAllSets(ctx context.Context) error {
	_, _, webseg := e.marked(ctx)
	_, landmarks := e.designed(ctx)
	_, _, documents := e.documented(ctx)
	_, articles := e.articles(ctx)
	_, _, contents := e.contents(ctx)
	return cmp.Or(webseg, landmarks, documents, articles, contents)
}

// fit runs the tools that fit weights. They are tests of their packages,
// because they fit unexported weights. The labels come last: they are fitted
// on the blocks that the segmentation finds, and on what models of texts say of pages that they have not seen.
func (e *eval) fit(ctx context.Context, write, drop bool) error {
	if err := e.renderAllSets(ctx); err != nil {
		return err
	}
	said, err := os.MkdirTemp("", "plat-fit-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(said)
	var more []string
	if write {
		more = append(more, "-write")
	}
	segmentation := more
	if drop {
		segmentation = append(segmentation[:len(segmentation):len(segmentation)], "-drop")
	}
	if err := e.fitOne(ctx, "segment", segmentation...); err != nil {
		return err
	}
	return e.fitTexts(ctx, said, more...)
}

// fitTexts fits the models of texts and kinds, then those of roles and comments. said is a folder for what models of texts
// say of pages that they have not seen.
func (e *eval) fitTexts(ctx context.Context, said string, more ...string) error {
	more = more[:len(more):len(more)]
	if err := e.fitOne(ctx, "segment/article", append(more, "-say", said)...); err != nil {
		return err
	}
	return e.fitOne(ctx, "segment/label", append(more, "-said", said)...)
}

// fitOne runs the tool of one package.
func (e *eval) fitOne(ctx context.Context, pkg string, more ...string) error {
	data, err := filepath.Abs(e.data)
	if err != nil {
		return err
	}
	snapshots, err := filepath.Abs(filepath.Join(e.work, e.split))
	if err != nil {
		return err
	}
	args := []string{"test", "./" + pkg, "-run", "^TestFit$", "-count", "1", "-timeout", "2h", "-v", "-fit", data, "-snapshots", snapshots}
	if err := run(ctx, append(args, more...)...); err != nil {
		return fmt.Errorf("%s: %w", pkg, err)
	}
	return nil
}

// run runs the go command.
func run(ctx context.Context, args ...string) error {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd.Run()
}
