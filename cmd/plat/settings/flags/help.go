package flags

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Names of a command's annotations.
const (
	uses    = "uses"    // the groups of flags that it heeds
	ignores = "ignores" // flags of these groups that do nothing for it
	rank    = "rank"    // place in its group of commands
)

// Rank sets the place of a command in its group, from 0: help lists commands without a place by name.
func Rank(cmd *cobra.Command, place int) {
	if cmd.Annotations == nil {
		cmd.Annotations = map[string]string{}
	}
	cmd.Annotations[rank] = fmt.Sprintf("%03d", place)
}

// Heeds returns the annotations of a command that heeds groups of flags, beside those of every
// command: its help lists them.
func Heeds(gs ...Group) map[string]string {
	names := make([]string, len(gs))
	for i, g := range gs {
		names[i] = string(g)
	}
	return map[string]string{uses: strings.Join(names, "\n")}
}

// Ignoring adds that the named flags of these groups do nothing for the command.
func Ignoring(annotations map[string]string, names ...string) map[string]string {
	annotations[ignores] = strings.Join(names, "\n")
	return annotations
}

// writeCommands writes the sub-commands of a group; those without a group are in a group without an ID.
func writeCommands(b *strings.Builder, cmd *cobra.Command, g *cobra.Group) {
	title := g.Title
	byRank := func(a, b *cobra.Command) int { return strings.Compare(a.Annotations[rank], b.Annotations[rank]) }
	for _, sub := range slices.SortedStableFunc(slices.Values(cmd.Commands()), byRank) {
		if !sub.IsAvailableCommand() || sub.GroupID != g.ID {
			continue
		}
		if title != "" {
			fmt.Fprintf(b, "\n%s:\n", title)
			title = ""
		}
		fmt.Fprintf(b, "  %-*s  %s\n", cmd.NamePadding(), sub.Name(), sub.Short)
	}
}

// Names returns the flags that a command heeds.
func Names(cmd *cobra.Command, sets map[Group]*pflag.FlagSet) (names []string) {
	cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	for _, g := range Groups {
		if g == Everywhere || strings.Contains(cmd.Annotations[uses], string(g)) {
			sets[g].VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		}
	}
	return names
}

// Usage is the lower part of help: how to call, examples, sub-commands, and the flags that the
// command heeds.
func Usage(cmd *cobra.Command, sets map[Group]*pflag.FlagSet) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Usage:\n  %s\n", strings.TrimSuffix(cmd.UseLine(), " [flags]"))
	if cmd.HasExample() {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", cmd.Example)
	}
	if cmd.HasAvailableSubCommands() {
		for _, g := range append(cmd.Groups(), &cobra.Group{Title: "Commands"}) {
			writeCommands(&b, cmd, g)
		}
	}
	if own := cmd.LocalNonPersistentFlags(); own.HasAvailableFlags() {
		fmt.Fprintf(&b, "\nFlags:\n%s", own.FlagUsages())
	}
	for _, g := range Groups {
		if g == Everywhere || strings.Contains(cmd.Annotations[uses], string(g)) {
			heeded := pflag.NewFlagSet(string(g), pflag.ContinueOnError)
			heeded.SortFlags = false
			sets[g].VisitAll(func(f *pflag.Flag) {
				if !slices.Contains(strings.Split(cmd.Annotations[ignores], "\n"), f.Name) {
					heeded.AddFlag(f)
				}
			})
			fmt.Fprintf(&b, "\n%s:\n%s", g, heeded.FlagUsages())
		}
	}
	return b.String()
}
