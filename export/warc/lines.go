package warc

import (
	"maps"
	"os"
	"slices"
)

// lines is a temporary file of JSON Lines.
type lines struct{ file *os.File }

func newLines() (*lines, error) {
	f, err := spool()
	return &lines{f}, err
}

func (l *lines) add(v any) error { return writeJSON(l.file, v) }

func sortedNames(own map[string]*lines) []string { return slices.Sorted(maps.Keys(own)) }
