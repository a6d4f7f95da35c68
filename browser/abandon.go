package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// abandonTimeout is how long Abandon may take for each browser: a killed process
// is gone in milliseconds unless the machine is in trouble.
const abandonTimeout = 500 * time.Millisecond

// Abandon kills all browsers of this process and removes their profiles, without
// regard to what pools do with them. It is for a process that is about to end
// and cannot wait for [Pool.Close].
func Abandon() {
	dirs, err := filepath.Glob(filepath.Join(os.TempDir(), fmt.Sprintf("%s%d-*", profilePrefix, os.Getpid())))
	if err != nil {
		return // only a bad pattern has errors; the next start cleans up
	}
	for _, dir := range dirs {
		killUsers(dir, abandonTimeout)
		_ = removeProfile(dir) // what stays, the next start removes
	}
}
