package simulate

import (
	"fmt"
	"os"
	"path/filepath"
)

// Load reads traces from files, and all those of folders: *.json and *.json.gz. Traces of fewer
// pages than least are left out.
func Load(paths []string, least int) (all []*Trace, err error) {
	var files []string
	for _, path := range paths {
		if info, err := os.Stat(path); err != nil || !info.IsDir() {
			files = append(files, path)
			continue
		}
		for _, pattern := range []string{"*.json", "*.json.gz"} {
			in, err := filepath.Glob(filepath.Join(path, pattern))
			if err != nil {
				return nil, err
			}
			files = append(files, in...)
		}
	}
	for _, name := range files {
		t, err := load(name)
		if err != nil {
			return nil, err
		}
		if len(t.Pages) >= least {
			all = append(all, t)
		}
	}
	return all, nil
}

func load(name string) (*Trace, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t, err := Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return t, nil
}
