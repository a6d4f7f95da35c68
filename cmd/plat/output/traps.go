package output

import (
	"fmt"

	"plat/cmd/plat/terminal"
	"plat/plat/excerpt"
	"plat/queue/aliases"
)

// maxBarren is the maximum number of printed patterns of a host.
const maxBarren = 10

// Traps prints the URL patterns learnt of hosts.
func Traps(out *terminal.Screen, all []aliases.Learnt, asJSON bool) {
	for i := range all {
		s := &all[i]
		switch {
		case asJSON:
			out.JSON(s)
		case len(s.Params)+len(s.Replaced)+len(s.Barren) > 0:
			learnt(out, s)
		}
	}
}

func learnt(out *terminal.Screen, s *aliases.Learnt) {
	out.Print(excerpt.Printable(s.Host))
	t := terminal.Table{}
	for _, name := range s.Params {
		t.Row(terminal.Text("  the parameter"), terminal.Text(name), terminal.Text("changes nothing"))
	}
	for _, r := range s.Replaced {
		to := fmt.Sprintf("leads where %q leads, too", r.To)
		if r.To == "" {
			to = "changes nothing"
		}
		t.Row(terminal.Text("  the part"), terminal.Text(r.From), terminal.Text(to))
	}
	for i, p := range s.Barren {
		if i == maxBarren {
			t.Row(terminal.Text("  …"), terminal.Text(""), terminal.Text(fmt.Sprintf("and %d more patterns", len(s.Barren)-i)))
			break
		}
		what := "brings little"
		if p.Endless {
			what = "brings little, without end"
		}
		t.Row(terminal.Text("  the pattern"), terminal.Text(p.Pattern), terminal.Text(fmt.Sprintf("%s: %.0f of %.0f visits", what, p.Fruitful, p.Visits)))
	}
	t.Print(out)
}
