package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of plat",
		Long:  "version prints the version of plat.\n\nJSON: version, revision, go, platform.",
		Example: `  plat version
  plat version --json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			v := struct {
				Version  string `json:"version"`
				Revision string `json:"revision,omitempty"`
				Go       string `json:"go"`
				Platform string `json:"platform"`
			}{"unknown", "", runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
			if info, ok := debug.ReadBuildInfo(); ok {
				v.Version = info.Main.Version
				for _, s := range info.Settings {
					if s.Key == "vcs.revision" {
						v.Revision = s.Value
					}
				}
			}
			if a.json {
				a.out.json(v)
				return nil
			}
			line := fmt.Sprintf("plat %s, %s, %s", v.Version, v.Go, v.Platform)
			if v.Revision != "" {
				line += ", " + v.Revision
			}
			a.out.print(line)
			return nil
		},
	}
}
