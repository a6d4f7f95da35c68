package procs

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
)

// BuildPlat builds the plat of this checkout into a folder, and returns its path.
func BuildPlat(ctx context.Context, dir string) (string, error) {
	bin := filepath.Join(dir, "plat")
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", bin, "./cmd/plat").CombinedOutput(); err != nil {
		return "", fmt.Errorf("build plat: %w\n%s", err, out)
	}
	return bin, nil
}
