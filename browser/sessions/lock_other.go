//go:build !unix

package sessions

import "os"

// lockFile is a no-op on systems without such locks: run one process at a time.
func lockFile(*os.File) error { return nil }
