package main

import (
	"github.com/spf13/cobra"

	"plat/cmd/plat/app"
)

func versionCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of plat",
		Long:  "version prints the version of plat.\n\nJSON: version, revision, go, platform.",
		Example: `  plat version
  plat version --json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if a.JSON {
				a.Out.JSON(app.ReadBuild())
			} else {
				a.Out.Print(app.ReadBuild().String())
			}
			return nil
		},
	}
}
