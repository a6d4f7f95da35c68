package visitor_test

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"plat/workers/visitor"
)

func TestGuardsReportShortages(t *testing.T) {
	dir := t.TempDir()
	for _, tc := range []struct {
		name  string
		guard func() error
		want  string // in the error; "": no error
	}{
		{"enough disk", visitor.FreeDisk(dir, 0), ""},
		{"too little disk", visitor.FreeDisk(dir, math.MaxUint64), "lower the setting min-disk"},
		{"an unknown disk", visitor.FreeDisk(filepath.Join(dir, "none"), math.MaxUint64), ""},
		{"enough memory", visitor.FreeMemory(0), ""},
		{"too little memory", visitor.FreeMemory(math.MaxUint64), "lower the setting min-memory"},
	} {
		if _, known := visitor.AvailableMemory(); !known && strings.Contains(tc.name, "memory") {
			continue
		}
		switch err := tc.guard(); {
		case tc.want == "" && err != nil:
			t.Errorf("%s: %v", tc.name, err)
		case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)):
			t.Errorf("%s: error %v, want one that says %q", tc.name, err, tc.want)
		}
	}
}

func TestAvailableMemoryIsWithinTheLimit(t *testing.T) {
	free, known := visitor.AvailableMemory()
	if limit, ok := visitor.MemoryLimit(); known && ok && free > limit {
		t.Errorf("%d bytes are available of %d", free, limit)
	}
}
