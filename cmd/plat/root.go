package main

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"plat/settings/flags"
	"plat/visitor"
)

// uses is the annotation that names the groups of flags a command heeds.
const uses = "uses"

func heeds(gs ...flags.Group) map[string]string {
	names := make([]string, len(gs))
	for i, g := range gs {
		names[i] = string(g)
	}
	return map[string]string{uses: strings.Join(names, "\n")}
}

// ignores is the annotation that names flags of those groups that do nothing for
// a command all the same.
const ignores = "ignores"

func ignoring(annotations map[string]string, names ...string) map[string]string {
	annotations[ignores] = strings.Join(names, "\n")
	return annotations
}

// root builds the command tree anew.
func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "plat",
		Short: "Archive web pages block by block",
		Long: `plat renders pages in headless Chrome, divides each into the blocks that a
reader sees, and stores only what changed since the last visit. Every version
can be restored byte for byte.

Settings come from flags, from PLAT_* environment variables (--allow-private is
PLAT_ALLOW_PRIVATE; lists are separated by commas, those of --header, --auth and
--host by line breaks) and from the YAML file that --config names, in this order.
Secrets may be put in files: PLAT_STORE_FILE, PLAT_REDIS_FILE, PLAT_AUTH_FILE,
PLAT_HEADER_FILE, PLAT_PROXY_FILE and PLAT_TOKEN_FILE name them.

Exit codes: 0 ok, 1 error, 2 usage, 3 some URLs failed, 4 bad configuration,
8 store or Redis unreachable, 10 browser cannot start, 11 interrupted.`,
		Example: `  plat archive https://example.com/
  plat show https://example.com/
  plat diff https://example.com/`,
		Version:       buildOf().String(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if err := a.configure(cmd); err != nil {
				return err
			}
			a.out = newScreen(a)
			_, err := a.logger()
			return err
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetVersionTemplate("{{.Version}}\n")
	root.CompletionOptions.HiddenDefaultCmd = true
	sets := flags.Of(&a.Settings)
	sets[flags.Everywhere].StringVar(&a.config, "config", "", "YAML `FILE` with settings, named as the flags are")
	root.PersistentFlags().SortFlags = false
	for _, g := range flags.Groups {
		root.PersistentFlags().AddFlagSet(sets[g])
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return fail(exitUsage, "%w; see %s --help", err, cmd.CommandPath())
	})
	root.SetUsageFunc(func(cmd *cobra.Command) error {
		fmt.Fprint(cmd.OutOrStdout(), usage(cmd, sets))
		return nil
	})
	root.AddCommand(
		a.archiveCommand(), a.versionsCommand(), a.showCommand(), a.textCommand(), a.explainCommand(), a.diffCommand(),
		a.restoreCommand(), a.blocksCommand(), a.searchCommand(), a.statsCommand(), a.verifyCommand(), a.gcCommand(),
		a.exportCommand(), a.snapshotCommand(), a.metaCommand(), a.stepsCommand(), a.simulateCommand(), a.serveCommand(), a.upCommand(), a.workerCommand(), a.enqueueCommand(), a.queueCommand(), a.trapsCommand(),
		a.ignoreCommand(), a.watchForCommand(), a.rulesCommand(), a.healthCommand(), a.versionCommand(),
	)
	// Cobra's own complaints about arguments and commands are usage errors.
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		if check := c.Args; check != nil {
			c.Args = func(cmd *cobra.Command, args []string) error {
				if err := check(cmd, args); err != nil {
					return fail(exitUsage, "%s; see %s --help", strings.ReplaceAll(err.Error(), "\n", " "), cmd.CommandPath())
				}
				return nil
			}
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(root)
	return root
}

// usage is the lower part of help: how to call, examples, sub-commands, and the
// flags that the command heeds.
func usage(cmd *cobra.Command, sets map[flags.Group]*pflag.FlagSet) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Usage:\n  %s\n", strings.TrimSuffix(cmd.UseLine(), " [flags]"))
	if cmd.HasExample() {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", cmd.Example)
	}
	if cmd.HasAvailableSubCommands() {
		b.WriteString("\nCommands:\n")
		for _, sub := range cmd.Commands() {
			if sub.IsAvailableCommand() {
				fmt.Fprintf(&b, "  %-*s  %s\n", cmd.NamePadding(), sub.Name(), sub.Short)
			}
		}
	}
	if own := cmd.LocalNonPersistentFlags(); own.HasAvailableFlags() {
		fmt.Fprintf(&b, "\nFlags:\n%s", own.FlagUsages())
	}
	for _, g := range flags.Groups {
		if g == flags.Everywhere || strings.Contains(cmd.Annotations[uses], string(g)) {
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

// logger logs on standard error as the settings say.
func (a *app) logger() (*slog.Logger, error) { return a.Logger(a.stderr) }

// visitOptions are what the settings say of visits, with at most tabs tabs; 0 is as
// many as the settings say.
func (a *app) visitOptions(tabs int) (visitor.Options, error) {
	log, err := a.logger()
	if err != nil {
		return visitor.Options{}, err
	}
	return a.VisitOptions(tabs, log)
}
