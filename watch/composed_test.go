package watch

import (
	"fmt"
	"strings"
	"testing"
)

// Feeds of activity, timelines and cards are lists beside a list of links, although their entries lead nowhere and are small.
func TestEntriesComposedOfSeveralTexts(t *testing.T) {
	type entry struct{ who, title, more string }
	all := []entry{
		{"AB", "Anna Berg", "has paid the mooring"}, {"CD", "Carl Dahl", "has asked for a berth"}, {"EF", "Eva Falk", "has written to the harbour"},
		{"GH", "Greta Holm", "has left for Bergen"}, {"IJ", "Ivar Jansen", "has sold the boat"}, {"KL", "Kari Lund", "has come from Oslo"},
	}
	links := "<ul>"
	for i, title := range []string{"The ferry of noon", "A crane is painted", "Nets for the school", "Choir on the quay", "Lamps of the mole", "Market on Friday"} {
		links += fmt.Sprintf(`<li><a href="/n/%d">%s</a></li>`, i, title)
	}
	links += "</ul>"
	for name, format := range map[string]string{
		"with initials":       `<li class="item"><div class="face">{who}</div><div><b>{title}</b> {more}</div><div>2 hours ago</div></li>`,
		"with a number first": `<li class="media"><div>86 sales</div><div>{title}</div><div>{more}</div></li>`,
		"as a timeline":       `<div class="step"><div>{title}</div><div>{more}</div></div>`,
		"as cards":            `<div class="card"><div class="head"><h4>{title}</h4></div><div class="body">{more}</div></div>`,
	} {
		t.Run(name, func(t *testing.T) {
			page := func(all []entry) *Page {
				var b strings.Builder
				for _, e := range all {
					strings.NewReplacer("{who}", e.who, "{title}", e.title, "{more}", e.more).WriteString(&b, format)
				}
				return noticePage(t, links+`<div class="feed">`+b.String()+"</div>")
			}
			m := New()
			for range 2 {
				if told, broken := look(t, m, page(all)); len(told) > 0 || broken != "" {
					t.Fatalf("at first: %q, %s", told, broken)
				}
			}
			more := append([]entry{{"AB", "Astrid Bakke", "has rented a shed"}}, all...)
			if told, _ := look(t, m, page(more)); len(told) != 1 || !strings.Contains(told[0], "Astrid Bakke") {
				t.Errorf("a new entry: %q", told)
			}
			if told, _ := look(t, m, page(more[:6])); len(told) != 0 {
				t.Errorf("the oldest has gone: %q", told)
			}
			for i := range more {
				more[i].more = "has done nothing"
			}
			if told, _ := look(t, m, page(more[:6])); len(told) != 0 {
				t.Errorf("other texts below the titles: %q", told)
			}
		})
	}
	few := all[:4]
	m := New()
	write := func(all []entry) *Page {
		s := ""
		for _, e := range all {
			s += "<li><div>" + e.title + "</div><div>" + e.more + "</div></li>"
		}
		return noticePage(t, links+"<ul>"+s+"</ul>")
	}
	look(t, m, write(few[:3]))
	if told, _ := look(t, m, write(few)); len(told) != 0 {
		t.Errorf("four entries are no list, but %q is told", told)
	}
}
