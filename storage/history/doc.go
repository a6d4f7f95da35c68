// Package history reads an archive: it loads versions, restores their pages, compares
// them, follows blocks through time, and defines the JSON output of the commands and
// the HTTP interface. It never writes.
package history
