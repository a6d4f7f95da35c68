package app

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// BuildInfo describes the binary. Its JSON is part of the interface.
type BuildInfo struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// revision is the commit of a build without version control, as of an image. The linker sets it.
var revision string

// ReadBuild returns the description of this binary.
func ReadBuild() BuildInfo {
	b := BuildInfo{"unknown", revision, runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
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

// String returns the description on one line.
func (b BuildInfo) String() string {
	s := fmt.Sprintf("plat %s, %s, %s", b.Version, b.Go, b.Platform)
	if b.Revision != "" {
		s += ", " + b.Revision
	}
	return s
}
