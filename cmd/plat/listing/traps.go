package listing

import (
	"fmt"

	"plat/cmd/plat/term"
	"plat/plat/excerpt"
	"plat/queue/address"
)

// maxBarren is how many patterns of a host are printed.
const maxBarren = 10

// Traps prints what was learnt of the addresses of hosts.
func Traps(out *term.Screen, all []address.Learnt, asJSON bool) {
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

func learnt(out *term.Screen, s *address.Learnt) {
	out.Print(excerpt.Printable(s.Host))
	t := term.Table{}
	for _, name := range s.Params {
		t.Row(term.Text("  the parameter"), term.Text(name), term.Text("changes nothing"))
	}
	for _, r := range s.Replaced {
		to := fmt.Sprintf("leads where %q leads, too", r.To)
		if r.To == "" {
			to = "changes nothing"
		}
		t.Row(term.Text("  the part"), term.Text(r.From), term.Text(to))
	}
	for i, p := range s.Barren {
		if i == maxBarren {
			t.Row(term.Text("  …"), term.Text(""), term.Text(fmt.Sprintf("and %d more patterns", len(s.Barren)-i)))
			break
		}
		what := "brings little"
		if p.Endless {
			what = "brings little, without end"
		}
		t.Row(term.Text("  the pattern"), term.Text(p.Pattern), term.Text(fmt.Sprintf("%s: %.0f of %.0f visits", what, p.Fruitful, p.Visits)))
	}
	t.Print(out)
}
