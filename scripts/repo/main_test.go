// Package repo_test checks rules that hold for the whole repository. Its tests run in the root folder.
package repo_test

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	if err := os.Chdir("../.."); err != nil {
		panic(err)
	}
	m.Run()
}
