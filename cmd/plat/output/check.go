package output

import (
	"fmt"
	"time"

	"plat/cmd/plat/terminal"
	"plat/plat/excerpt"
	"plat/storage"
)

// Check prints the report of a check of every stored byte that took spent.
func Check(s *terminal.Screen, r *storage.Report, spent time.Duration, asJSON bool) {
	if asJSON {
		broken := r.Broken
		if broken == nil {
			broken = []string{}
		}
		s.JSON(struct {
			OK           bool     `json:"ok"`
			URLs         int64    `json:"urls"`
			Versions     int64    `json:"versions"`
			Blocks       int64    `json:"blocks"`
			Layouts      int64    `json:"layouts"`
			Pictures     int64    `json:"pictures"`
			Manifests    int64    `json:"manifests"`
			Resources    int64    `json:"resources"`
			Unreferenced int64    `json:"unreferenced"`
			BrokenTotal  int64    `json:"broken_total"`
			Broken       []string `json:"broken"`
			MS           int64    `json:"ms"`
		}{r.BrokenTotal == 0, r.URLs, r.Versions, r.Blocks, r.Layouts, r.Pictures, r.Manifests, r.Resources, r.Unreferenced, r.BrokenTotal, broken, spent.Milliseconds()})
		return
	}
	for _, b := range r.Broken {
		s.Print(s.Paint(terminal.Red, "broken") + "  " + excerpt.Printable(b))
	}
	line := fmt.Sprintf("%s, %s, %s, %s, %s, %s checked", terminal.Counted(r.URLs, "URL"), terminal.Counted(r.Versions, "version"),
		terminal.Counted(r.Blocks, "block"), terminal.Counted(r.Layouts, "layout"), terminal.Counted(r.Pictures, "picture"), terminal.Counted(r.Resources, "resource"))
	if r.BrokenTotal == 0 {
		line += ": no errors found"
	} else {
		line += ": " + terminal.Count(r.BrokenTotal) + " broken"
	}
	s.Print(line)
	if r.Unreferenced > 0 {
		s.Print(terminal.Counted(r.Unreferenced, "thing") + " that nothing refers to; plat gc removes them")
	}
}

// sweptInfo is the JSON of the records that gc removed.
type sweptInfo struct {
	Blocks    int64 `json:"blocks"`
	Layouts   int64 `json:"layouts"`
	Versions  int64 `json:"versions"`
	Pictures  int64 `json:"pictures"`
	Manifests int64 `json:"manifests"`
	Resources int64 `json:"resources"`
	Bytes     int64 `json:"bytes"`
}

func sweptOf(w *storage.Swept) sweptInfo {
	return sweptInfo{w.Blocks, w.Layouts, w.Versions, w.Pictures, w.Manifests, w.Resources, w.Bytes}
}

// Collected prints how many unreferenced records were removed.
func Collected(out *terminal.Screen, w *storage.Swept, asJSON bool) {
	if asJSON {
		out.JSON(sweptOf(w))
		return
	}
	out.Print(fmt.Sprintf("removed %s, %s, %s, %s, %s; %s", terminal.Counted(w.Blocks, "block"), terminal.Counted(w.Layouts, "layout"),
		terminal.Counted(w.Versions, "version"), terminal.Counted(w.Pictures, "picture"), terminal.Counted(w.Resources, "resource"), terminal.Size(w.Bytes)))
}

// Unreferenced prints the number of unreferenced records.
func Unreferenced(s *terminal.Screen, r *storage.Report, asJSON bool) {
	if asJSON {
		s.JSON(struct {
			Unreferenced int64 `json:"unreferenced"`
		}{r.Unreferenced})
		return
	}
	s.Print(terminal.Counted(r.Unreferenced, "thing") + " that nothing refers to")
}
