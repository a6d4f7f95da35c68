package limits

import (
	"fmt"
	"syscall"

	"github.com/dustin/go-humanize"
)

// FreeDisk returns a guard: so many bytes must be free where path is. Where that is not known
// nothing is short.
func FreeDisk(path string, min uint64) func() error {
	return func() error {
		var s syscall.Statfs_t
		if err := syscall.Statfs(path, &s); err != nil {
			return nil // whoever writes there will say so
		}
		if free := s.Bavail * uint64(s.Bsize); free < min {
			return fmt.Errorf("%s is left on the disk of %s, and %s is to be left; free some, or lower the setting min-disk",
				humanize.IBytes(free), path, humanize.IBytes(min))
		}
		return nil
	}
}
