// Package limits measures the memory and disk available to this process.
//
// A guard is a function that reports a shortage: its error names the available
// amount, the required one, and the remedy; nil is sufficient. Workers start no new
// jobs while a guard returns an error. All sizes are bytes.
package limits
