package output

import (
	"fmt"
	"time"

	"plat/cmd/plat/terminal"
	"plat/export"
)

// Exporting shows the progress of an export.
func Exporting(s *terminal.Screen, e export.Summary) {
	if e.Versions%10 == 0 {
		s.Progress(fmt.Sprintf("exported %s of %s", terminal.Counted(e.Versions, "version"), terminal.Counted(e.URLs, "URL")))
	}
}

// Exported prints a summary of the exported files.
func Exported(s *terminal.Screen, e export.Summary, took time.Duration, asJSON bool) {
	if asJSON {
		s.JSON(struct {
			export.Summary
			MS int64 `json:"ms"`
		}{e, took.Milliseconds()})
		return
	}
	line := fmt.Sprintf("%s of %s, %s, in %s", terminal.Counted(e.Versions, "version"), terminal.Counted(e.URLs, "URL"), terminal.Size(e.Bytes), e.Files[0])
	if n := len(e.Files) - 1; n > 0 {
		line += fmt.Sprintf(" and %s more", terminal.Counted(n, "file"))
	}
	s.Print(line)
}
