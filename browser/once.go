package browser

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// noted reports whether an empty file with a name is in a folder, and makes it there. Without a folder, and if the
// file cannot be made, it reports false.
func noted(dir, name string) bool {
	if dir == "" || os.MkdirAll(dir, 0o700) != nil {
		return false
	}
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err == nil {
		f.Close()
	}
	return errors.Is(err, fs.ErrExist)
}
