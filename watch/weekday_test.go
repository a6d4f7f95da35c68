package watch

import (
	"strings"
	"testing"

	"plat/plat/calendar"
)

// TestADayOfTheWeekBelongsToItsDate, and is no title.
func TestADayOfTheWeekBelongsToItsDate(t *testing.T) {
	for line, want := range map[string]string{
		"jeudi 3 septembre 2026":                          "jeudi 3 septembre 2026",
		"Donnerstag, den 3. September 2026":               "Donnerstag, den 3. September 2026",
		"Thu 3 September 2026":                            "Thu 3 September 2026",
		"Do., 3.9.2026":                                   "Do., 3.9.2026",
		"czwartek 3 września 2026":                        "czwartek 3 września 2026",
		"Dredging begins on Thursday, 3 September 2026":   "Thursday, 3 September 2026",
		"3.9.2026 (Do) Chor":                              "3.9.2026 (Do)",
		"Quay 3 September 2026":                           "3 September 2026",
		"Plan for the harbour, 3 September 2026 So it is": "3 September 2026",
	} {
		tr := &tree{style: calendar.Style{}}
		all := tr.dates(line)
		if len(all) != 1 || line[all[0].From:all[0].To] != want {
			t.Errorf("%q: %v, want %q", line, all, want)
		}
	}
	const card = `<div class="card"><div>{0}</div><div>{1}</div></div>`
	for _, tc := range []struct{ was, is string }{
		{"jeudi 3 septembre 2026|Le quai;jeudi 6 août 2026|La grue;jeudi 2 juillet 2026|Les filets", "jeudi 1 octobre 2026|Le phare"},
		{"Friday 4 September 2026|The quay;Friday 7 August 2026|The crane;Friday 3 July 2026|The nets", "Friday 2 October 2026|The light"},
		{"sobota 5.9.2026|Keje;sobota 1.8.2026|Dźwig;sobota 4.7.2026|Sieci", "sobota 3.10.2026|Latarnia"},
	} {
		m := New()
		all := strings.Split(tc.was, ";")
		before := around(t, "", card, "", all)
		look(t, m, before)
		_, name, _ := strings.Cut(tc.is, "|")
		if told := newOf(t, m, before, around(t, "", card, "", append([]string{tc.is}, all...))); len(told) != 1 || !strings.Contains(told[0], name) {
			t.Errorf("%s: told %q", tc.is, told)
		}
	}
}

// TestTimesAndMeasuresAreNoTitlesOfRows where a column has names.
func TestTimesAndMeasuresAreNoTitlesOfRows(t *testing.T) {
	for _, tc := range []struct{ was, is, want string }{
		{"41|Rope of hemp|5 m;42|Rope of hemp|20 m;51|Anchor|12 kg;61|Lantern|1 kg;71|Oar|3 kg", "43|Cleat|200 g", "Cleat"},
		{"08:10|Harbour|R 4;08:40|Lighthouse|R 1;09:20|Island|R 2;09:50|Harbour|R 3;10:10|Sandbank|R 5", "10:40|Old quay|R 6", "Old quay"},
		{"HS 1|Knots|9 Uhr;HS 2|Tides|10 Uhr;HS 3|Charts|11 Uhr;HS 4|Sails|12 Uhr;HS 5|Stars|13 Uhr", "HS 6|Winds|14 Uhr", "Winds"},
	} {
		m := New()
		all := strings.Split(tc.was, ";")
		const open, row, end = "<table><tr><th>A</th><th>B</th><th>C</th></tr>", "<tr><td>{0}</td><td>{1}</td><td>{2}</td></tr>", "</table>"
		before := around(t, open, row, end, all)
		look(t, m, before)
		if told := newOf(t, m, before, around(t, open, row, end, append(all, tc.is))); len(told) != 1 || told[0] != tc.want {
			t.Errorf("%s: told %q, want %q", tc.is, told, tc.want)
		}
	}
	for text, want := range map[string]bool{"250 g": true, "HS 1": true, "10 Uhr": true, "09:10": true, "Quay 4": false, "A 12 b": true, "Oars": false, "": false} {
		if got := measure(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
