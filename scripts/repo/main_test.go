// Package repo_test checks rules that hold for the whole repository. Its tests run in the root folder.
package repo_test

import "testing"

// atRoot runs a test in the root folder. In TestMain go test would not see the change, and take a cached result for
// files that have changed.
func atRoot(t *testing.T) {
	t.Helper()
	t.Chdir("../..")
}
