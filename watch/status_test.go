package watch

import (
	"strings"
	"testing"
)

// newOf returns the titles of the new items of a check.
func newOf(t *testing.T, m *Memory, before, now *Page) (out []string) {
	for _, line := range lookAfter(t, m, before, now) {
		if title, ok := strings.CutPrefix(line, "new "); ok {
			out = append(out, title)
		}
	}
	return out
}

// TestAStatusOrAPriceIsNoNewEntry: what follows a name may change; a different name is new. Checks are divided by semicolons.
func TestAStatusOrAPriceIsNoNewEntry(t *testing.T) {
	const card, item = `<div class="boat"><h3>{0}</h3><p>{1}</p></div>`, `<li>{0}</li>`
	for _, tc := range []struct {
		name, form, checks, told string
	}{
		{"a boat is reserved, and sold", card, "Swan|Of oak,Heron|Of pine,Gull|Of ash,Tern|Of elm;Swan|Of oak,Heron (reserved)|Of pine,Gull|Of ash,Tern|Of elm;Swan|Of oak,Heron – SOLD|Of pine,Gull|Of ash,Tern|Of elm", ""},
		{"a new boat beside it", card, "Swan|Of oak,Heron|Of pine,Gull|Of ash,Tern|Of elm;Crane|Of yew,Swan|Of oak,Heron – sold|Of pine,Gull|Of ash,Tern|Of elm", "Crane"},
		{"prices", item, "Rye bread, 1 kg – 5.20 €,Oat bread – 4.80 €,Seed bread – CHF 6.50,Plum cake – 3.10 €,Nut cake – 3.90 €;Rye bread, 1 kg – 5.60 €,Oat bread – sold out,Seed bread – CHF 6.90,Plum cake – 3.10 €,Nut cake – 3.90 €", ""},
		{"a new price and a new bread", item, "Rye bread – $5.20,Oat bread – $4.80,Seed bread – $6.50,Plum cake – $3.10,Nut cake – $3.90;Corn bread – $4.10,Rye bread – $5.60,Oat bread – $4.80,Seed bread – $6.50,Plum cake – $3.10,Nut cake – $3.90", "Corn bread – $4.10"},
		{"a different piece of one composer", item, "Concert – Bach,Reading – Heine,Film – Metropolis,Dance – Waltz,Talk – Bees;Concert – Mozart,Reading – Heine,Film – Metropolis,Dance – Waltz,Talk – Bees", "Concert – Mozart"},
		{"a version is no price", item, "Mill 1.2.0 – stable,Saw 2.0.1 – stable,Press 0.9.1 – beta,Loom 4.1.0 – stable,Kiln 1.0.3 – stable;Mill 1.3.0 – stable,Saw 2.0.1 – stable,Press 0.9.1 – beta,Loom 4.1.0 – stable,Kiln 1.0.3 – stable", "Mill 1.3.0 – stable"},
	} {
		var told []string
		m := New()
		var before *Page
		for check := range strings.SplitSeq(tc.checks, ";") {
			all := strings.Split(check, ",")
			if tc.form == item {
				all = strings.Split(strings.ReplaceAll(check, ", 1 kg", " 1 kg"), ",")
			}
			now := around(t, "<ul>", tc.form, "</ul>", all)
			if before == nil {
				look(t, m, now)
			} else {
				told = append(told, newOf(t, m, before, now)...)
			}
			before = now
		}
		if strings.Join(told, ",") != tc.told {
			t.Errorf("%s: told %q, want %q", tc.name, told, tc.told)
		}
	}
	for title, want := range map[string]string{"Honey 7.50 €": "", "EUR 12.90 a day": "", "Mill 1.2.0": "1.2.0", "Mill 1.2 for $9.90": "1.2", "12.50 kr.": "", "Krebs 2.1": "2.1"} {
		if got := versionOf(title); got != want {
			t.Errorf("%q: version %q, want %q", title, got, want)
		}
	}
}
