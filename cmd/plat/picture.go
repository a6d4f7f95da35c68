package main

import (
	"path/filepath"
	"strings"

	"plat/draw"
)

// checkPicture says what is wrong with --picture and --by.
func checkPicture(path, by string) error {
	switch ext := strings.ToLower(filepath.Ext(path)); {
	case ext != ".png" && ext != ".svg":
		return fail(exitUsage, "--picture %q: name a file that ends in .png or .svg", path)
	case !draw.IsWay(by):
		return fail(exitUsage, "--by %q: write %s", by, strings.Join(draw.Ways, ", "))
	}
	return nil
}
