package watch

import (
	"slices"
	"strings"
	"testing"
)

// TestAShortScheduleIsAList: its rows have a day of the week or a time; other tables of that length are facts.
func TestAShortScheduleIsAList(t *testing.T) {
	const open, row, end = "<table>", "<tr><td>{0}</td><td>{1}</td><td>{2}</td></tr>", "</table>"
	for _, tc := range []struct{ name, was, is, want string }{
		{"services", "Sun 6 Sep|10:00|Mass;Wed 9 Sep|18:00|Vespers;Sun 13 Sep|10:00|Mass", "Sun 20 Sep|10:00|Mass", "Sun 20 Sep"},
		{"a ferry", "Quay|9:10|Island;Old quay|11:40|Sandbank;New quay|14:20|Lighthouse;Pier|16:00|Island", "Jetty|18:30|Light vessel", "Jetty"},
		{"films", "Thu. 3 Sep|20:00 h|The quay;Fri. 4 Sep|20:00 h|Eels;Sat. 5 Sep|22:15 h|Mist", "Sun. 6 Sep|17:00 h|Reeds", "Sun. 6 Sep"},
		{"facts", "Length|of the hull|in metres;Weight|of all|in tons;Draught|at the stern|in metres", "Height|of the mast|in metres", ""},
	} {
		m := New()
		all := strings.Split(tc.was, ";")
		before := around(t, open, row, end, all)
		look(t, m, before)
		for _, now := range [][]string{append(slices.Clone(all[1:]), tc.is)} {
			told := newOf(t, m, before, around(t, open, row, end, now))
			if got := strings.Join(told, ","); got != tc.want {
				t.Errorf("%s: told %q, want %q", tc.name, told, tc.want)
			}
		}
	}
}

// TestDaysWithoutAnythingAreNoNews, as on the page of a service's state; the first words of their kind are.
func TestDaysWithoutAnythingAreNoNews(t *testing.T) {
	for _, tc := range []struct{ form, was, is, want string }{
		{`<div class="day"><div class="date">{0}</div><p>{1}</p></div>`, "3 May 2026|No incidents reported.;2 May 2026|The pump stood still.;1 May 2026|No incidents reported.", "4 May 2026|No incidents reported.", ""},
		{`<li>{0}: {1}</li>`, "3 May 2026|keine Störung;2 May 2026|Pumpe steht;1 May 2026|keine Störung", "4 May 2026|keine Störung", ""},
		{`<article><h3>{0}</h3><p>{1}</p></article>`, "3 May 2026|Aucun incident.;2 May 2026|La pompe est en panne.;1 May 2026|Aucun incident.", "4 May 2026|Aucun incident.", ""},
		{`<div class="day"><div class="date">{0}</div><p>{1}</p></div>`, "3 May 2026|No incidents reported.;2 May 2026|The pump stood still.;1 May 2026|No incidents reported.", "4 May 2026|The lock does not open.", "lock"},
		{`<li>{0}: {1}</li>`, "3 May 2026|No water;2 May 2026|The pump stood still;1 May 2026|No water", "4 May 2026|No water", "No water"},
		{`<li>{0}: {1}</li>`, "3 May 2026|The ferry runs;2 May 2026|The pump stood still;1 May 2026|The lock opens", "4 May 2026|No ferry on Sunday", "No ferry"},
	} {
		m := New()
		all := strings.Split(tc.was, ";")
		before := around(t, "", tc.form, "", all)
		if _, broken := look(t, m, before); broken != "" {
			t.Errorf("%s: %s", tc.is, broken)
		}
		told := newOf(t, m, before, around(t, "", tc.form, "", append([]string{tc.is}, all...)))
		if got := strings.Join(told, ","); (got == "") != (tc.want == "") || !strings.Contains(got, tc.want) {
			t.Errorf("%s: told %q, want %q", tc.is, told, tc.want)
		}
	}
}
