package main

import (
	"fmt"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"

	"plat/build"
	"plat/settings/flags"
	"plat/visitor"
)

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
		Version:       build.Of().String(),
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
		fmt.Fprint(cmd.OutOrStdout(), flags.Usage(cmd, sets))
		return nil
	})
	root.AddCommand(
		a.archiveCommand(), a.versionsCommand(), a.showCommand(), a.textCommand(), a.explainCommand(), a.diffCommand(),
		a.restoreCommand(), a.blocksCommand(), a.searchCommand(), a.statsCommand(), a.verifyCommand(), a.gcCommand(),
		a.exportCommand(), a.snapshotCommand(), a.metaCommand(), a.stepsCommand(), a.simulateCommand(), a.scheduleCommand(), a.serveCommand(), a.upCommand(), a.workerCommand(), a.enqueueCommand(), a.queueCommand(), a.trapsCommand(),
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
