// Package history reads an archive: it loads versions and puts their pages
// together again, compares two of them, follows blocks through time, and says
// all of that in the JSON that commands print and the HTTP interface answers
// with. It writes nothing.
package history
