package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// fit runs the tools that fit weights. They are tests of their packages,
// because they fit unexported weights. The labels come last: they are fitted
// on the blocks that the segmentation finds, and on what models of texts say of pages that they have not seen.
func (e *eval) fit(ctx context.Context, write, drop bool) error {
	if _, _, err := e.marked(ctx); err != nil {
		return err
	}
	if _, err := e.designed(ctx); err != nil {
		return err
	}
	if _, _, err := e.documented(ctx); err != nil {
		return err
	}
	if _, err := e.articles(ctx); err != nil {
		return err
	}
	if _, _, err := e.contents(ctx); err != nil {
		return err
	}
	data, err := filepath.Abs(e.data)
	if err != nil {
		return err
	}
	snapshots, err := filepath.Abs(filepath.Join(e.work, e.split))
	if err != nil {
		return err
	}
	said, err := os.MkdirTemp("", "plat-fit-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(said)
	for _, step := range []struct {
		pkg  string
		more []string
	}{{"segment", nil}, {"segment/article", []string{"-say", said}}, {"segment/label", []string{"-said", said}}} {
		args := []string{"test", "./" + step.pkg, "-run", "^TestFit$", "-count", "1", "-timeout", "2h", "-v", "-fit", data, "-snapshots", snapshots}
		if write {
			args = append(args, "-write")
		}
		if drop && step.pkg == "segment" {
			args = append(args, "-drop")
		}
		cmd := exec.CommandContext(ctx, "go", append(args, step.more...)...)
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("%s: %w", step.pkg, err)
		}
	}
	return nil
}
