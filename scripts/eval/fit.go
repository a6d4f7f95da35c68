package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// fit runs the tools that fit weights. They are tests of their packages,
// because they fit unexported weights. The labels come second: they are fitted
// on the blocks that the segmentation finds.
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
	data, err := filepath.Abs(e.data)
	if err != nil {
		return err
	}
	snapshots, err := filepath.Abs(filepath.Join(e.work, e.split))
	if err != nil {
		return err
	}
	for _, pkg := range []string{"segment", "label"} {
		args := []string{"test", "./" + pkg, "-run", "^TestFit$", "-count", "1", "-timeout", "2h", "-fit", data, "-snapshots", snapshots}
		if write {
			args = append(args, "-write")
		}
		if drop && pkg == "segment" {
			args = append(args, "-drop")
		}
		cmd := exec.CommandContext(ctx, "go", append(args, "-v")...)
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("%s: %w", pkg, err)
		}
	}
	return nil
}
