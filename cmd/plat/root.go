package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"plat/cmd/plat/app"
	"plat/cmd/plat/fleet"
	"plat/cmd/plat/focuscmd"
	"plat/cmd/plat/settings/flags"
	"plat/cmd/plat/watchcmd"
)

// rootCommand returns a new command tree.
func rootCommand(a *app.App) *cobra.Command {
	root := &cobra.Command{
		Use:   "plat",
		Short: "Archive web pages block by block",
		Long: `plat renders pages in headless Chrome, divides each into the blocks that a
reader sees, and stores only what changed since the last visit. Every version
can be restored byte for byte.

Settings come from flags, from PLAT_* environment variables (--allow-private is
PLAT_ALLOW_PRIVATE; lists are separated by commas, those of --header, --auth and
--host by line breaks) and from the YAML file that --config names. A flag overrides
a variable, and a variable overrides the file.
Secrets may be put in files: PLAT_STORE_FILE, PLAT_REDIS_FILE, PLAT_AUTH_FILE,
PLAT_HEADER_FILE, PLAT_PROXY_FILE, PLAT_TOKEN_FILE and PLAT_REDIS_PASSWORD_FILE name
them.

Exit codes: 0 ok, 1 error, 2 usage (a command, an argument or a value, wherever it
stands, cannot be used; a file that it names is missing or cannot be read), 3 some
URLs failed, 4 configuration (what a file of it says cannot be used, or something is
not set), 8 store or Redis unreachable, 10 browser cannot start, 11 interrupted.

plat completion bash --help says how a shell completes commands and flags; also zsh,
fish and powershell.`,
		Example: `  plat archive https://example.com/                 # again later: what has changed?
  plat diff https://example.com/
  plat crawl https://example.com/ -o site.wacz
  plat serve                                        # then open http://127.0.0.1:8632`,
		Version:       app.ReadBuild().String(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			return a.Configure(cmd)
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetVersionTemplate("{{.Version}}\n")
	root.CompletionOptions.HiddenDefaultCmd = true
	sets := flags.Of(&a.Settings)
	sets[flags.Everywhere].StringVar(&a.ConfigFile, "config", "", "YAML `FILE` with settings, named as the flags are")
	root.PersistentFlags().SortFlags = false
	for _, g := range flags.Groups {
		root.PersistentFlags().AddFlagSet(sets[g])
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return flagError(cmd, sets, err) })
	root.SetUsageFunc(func(cmd *cobra.Command) error {
		fmt.Fprint(cmd.OutOrStdout(), flags.Usage(cmd, sets))
		return nil
	})
	root.AddCommand(
		archiveCommand(a), versionsCommand(a), showCommand(a), textCommand(a), explainCommand(a), diffCommand(a),
		restoreCommand(a), blocksCommand(a), searchCommand(a), statsCommand(a), lsCommand(a), verifyCommand(a), gcCommand(a), migrateCommand(a), reindexCommand(a), forgetCommand(a),
		exportCommand(a), importCommand(a), mcpCommand(a), segmentCommand(a), snapshotCommand(a), metaCommand(a), stepsCommand(a),
		ignoreCommand(a), watchForCommand(a), rulesCommand(a), versionCommand(a),
	)
	root.AddCommand(fleet.Commands(a)...)
	root.AddCommand(watchcmd.Command(a, fleet.WatchCommand(a)), focuscmd.Command(a, fleet.FocusCommand(a)))
	group(root)
	// Cobra's own complaints about arguments and commands are usage errors.
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		if check := c.Args; check != nil {
			c.Args = func(cmd *cobra.Command, args []string) error {
				if err := check(cmd, args); err != nil {
					return argumentError(cmd, args, err)
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
