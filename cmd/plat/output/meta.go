package output

import (
	"maps"
	"slices"

	"plat/cmd/plat/terminal"
)

// Meta prints the metadata of a page by name.
func Meta(s *terminal.Screen, url string, meta map[string]string, asJSON bool) {
	if asJSON {
		if meta == nil {
			meta = map[string]string{}
		}
		s.JSON(struct {
			URL  string            `json:"url"`
			Meta map[string]string `json:"meta"`
		}{url, meta})
		return
	}
	if len(meta) == 0 {
		s.Print("no rule gives this page anything")
	}
	t := terminal.Table{}
	for _, name := range slices.Sorted(maps.Keys(meta)) {
		t.Row(terminal.Text(name).In(terminal.Bold), terminal.Text(meta[name]))
	}
	t.Print(s)
}
