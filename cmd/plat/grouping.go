package main

import (
	"github.com/spf13/cobra"

	"plat/cmd/plat/settings/flags"
)

// groups are the commands as help lists them: first those that a new user needs. A command that is in
// none is listed at the end.
var groups = []struct {
	title string
	names []string
}{
	{"First", []string{"archive", "crawl", "watch", "serve", "versions", "diff", "search"}},
	{"Read the archive", []string{"ls", "show", "text", "blocks", "explain", "restore", "export", "import", "mcp", "stats"}},
	{"Visit pages again and again", []string{"up", "worker", "enqueue", "queue", "schedule", "simulate", "traps", "health", "focus"}},
	{"Say what counts as a change, and how pages are reached", []string{"ignore", "watch-for", "rules", "steps", "meta"}},
	{"Work without an archive", []string{"segment", "snapshot"}},
	{"Maintain the archive", []string{"verify", "forget", "gc", "migrate", "reindex"}},
}

// group puts the commands of root into groups.
func group(root *cobra.Command) {
	of := map[string]*cobra.Command{}
	for _, c := range root.Commands() {
		of[c.Name()] = c
	}
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
		for i, name := range g.names {
			if c := of[name]; c != nil {
				c.GroupID = g.title
				flags.Rank(c, i)
			}
		}
	}
}
