//go:build race

package watch

func init() { race = true }
