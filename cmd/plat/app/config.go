package app

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"plat/settings"
)

// Configure completes the settings for a command whose flags have been read, and checks
// those of output and log.
func (a *App) Configure(cmd *cobra.Command) error {
	if err := a.fill(cmd); err != nil {
		return err
	}
	a.Out = newScreen(a)
	_, err := a.Logger(a.Stderr)
	return err
}

// fill gives every flag that is not on the command line its value from the
// environment, or else from the configuration file.
func (a *App) fill(cmd *cobra.Command) error {
	path := a.ConfigFile
	if !cmd.Flags().Changed("config") {
		path = a.Env.Get(settings.EnvPrefix + "CONFIG")
	}
	names := flagNames(cmd.Root())
	from, err := settings.Load(path, a.Env, func(setting string) bool { return names[setting] })
	if err != nil {
		return err
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		switch f.Name {
		case "config", "help", "version":
			return // not settings; PLAT_VERSION is what container images are apt to set
		}
		if err == nil && !f.Changed {
			err = from.Apply(f.Name, f.Value)
			if f.Name == "store" {
				a.NoStore = err == nil && !from.Has(f.Name)
			}
		}
	})
	return err
}

// flagNames are the names of the flags of all commands.
func flagNames(root *cobra.Command) map[string]bool {
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
	return names
}
