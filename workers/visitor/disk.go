package visitor

import (
	"fmt"
	"syscall"

	"github.com/dustin/go-humanize"
)

// FreeDisk returns a guard that requires min free bytes on the disk of path. If free
// space is unknown, it never fails.
func FreeDisk(path string, min uint64) func() error {
	return func() error {
		var s syscall.Statfs_t
		if err := syscall.Statfs(path, &s); err != nil {
			return nil // writes will report the error
		}
		if free := s.Bavail * uint64(s.Bsize); free < min {
			return fmt.Errorf("%s is free on the disk of %s, less than %s; free some, or lower the setting min-disk",
				humanize.IBytes(free), path, humanize.IBytes(min))
		}
		return nil
	}
}
