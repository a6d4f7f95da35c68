//go:build !unix

package sessions

import "os"

// lockFile does nothing where there are no such locks: one process at a time.
func lockFile(*os.File) error { return nil }
