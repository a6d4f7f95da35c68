package app

import (
	"maps"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"plat/cmd/plat/settings"
)

// Configure completes the settings for a command whose flags have been read, and checks
// those of output and log.
func (a *App) Configure(cmd *cobra.Command) error {
	unknown, err := a.fill(cmd)
	if err != nil {
		return err
	}
	a.Out = newScreen(a)
	log, err := a.Logger(a.Stderr)
	if err != nil {
		return err
	}
	for _, text := range unknown {
		log.Warn(text)
	}
	return nil
}

// fill gives every flag that is not on the command line its value from the environment, or else
// from the configuration file. It returns the variables of the environment that are not settings.
func (a *App) fill(cmd *cobra.Command) (unknown []string, err error) {
	path := a.ConfigFile
	if !cmd.Flags().Changed("config") {
		path = a.Env.Get(settings.EnvPrefix + "CONFIG")
	}
	names := flagNames(cmd.Root())
	from, err := settings.Load(path, a.Env, names)
	if err != nil {
		return nil, err
	}
	a.given = map[string]bool{}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		switch f.Name {
		case "config", "help", "version":
			return // not settings; container images often set PLAT_VERSION
		}
		if f.Annotations[commandLine] != nil {
			return
		}
		a.given[f.Name] = f.Changed || from.Has(f.Name)
		if err == nil && !f.Changed {
			err = from.Apply(f.Name, f.Value)
			if f.Name == "store" {
				a.NoStore = err == nil && !from.Has(f.Name)
			}
		}
	})
	a.Store = settings.StoreURI(a.Store)
	return from.Unknown(names), err
}

// Given reports whether a user has set a flag, on the command line, in the environment or in the
// configuration file.
func (a *App) Given(name string) bool { return a.given[name] }

// commandLine marks flags that are given on the command line alone.
const commandLine = "command line"

// OnCommandLine excludes flags of a command from the settings: an irreversible action needs its
// flag on the command line, not in an environment that is meant for different commands.
func OnCommandLine(cmd *cobra.Command, names ...string) {
	for _, name := range names {
		cmd.Flags().Lookup(name).Annotations = map[string][]string{commandLine: {"true"}}
	}
}

// flagNames are the names of the flags of all commands.
func flagNames(root *cobra.Command) []string {
	names := map[string]bool{}
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		add := func(f *pflag.Flag) { names[f.Name] = true }
		c.Flags().VisitAll(add)
		c.PersistentFlags().VisitAll(add)
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(root)
	return slices.Sorted(maps.Keys(names))
}
