//go:build !race

package workers_test

import "testing"

func slow(*testing.T) {}
