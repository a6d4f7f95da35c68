package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// build is what the binary knows of itself.
type build struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func buildOf() build {
	b := build{"unknown", "", runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		b.Version = info.Main.Version
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				b.Revision = s.Value
			}
		}
	}
	return b
}

func (b build) String() string {
	s := fmt.Sprintf("plat %s, %s, %s", b.Version, b.Go, b.Platform)
	if b.Revision != "" {
		s += ", " + b.Revision
	}
	return s
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of plat",
		Long:  "version prints the version of plat.\n\nJSON: version, revision, go, platform.",
		Example: `  plat version
  plat version --json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if a.JSON {
				a.out.JSON(buildOf())
			} else {
				a.out.Print(buildOf().String())
			}
			return nil
		},
	}
}
