package watch

import (
	"strings"
	"testing"
)

// TestMenusComeLastAmongPassedLists, however long they are, and their words are no headings.
func TestMenusComeLastAmongPassedLists(t *testing.T) {
	const item = `<li><a href="{url}">{title}</a></li>`
	menu := `<nav block="navigation 2"><ul>` + linksTo(item, "About", "Services", "People", "Contact", "Jobs", "Press") + "</ul></nav>"
	found, err := Find(pageOf(t, pageURL, "<body>"+menu+`<div block="main 7"><div class="bar"><a href="/about">About</a><a href="/people">People</a></div><ul class="n">`+linksTo(item, "Lost dog", "Choir sings", "Road closed")+"</ul></div>"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	var first []string
	for _, p := range found.Passed {
		first = append(first, p.First)
		if p.Heading != "" {
			t.Errorf("%s is below %q", p.First, p.Heading)
		}
	}
	if len(first) < 2 || first[0] != "Lost dog" || first[len(first)-1] != "About" {
		t.Errorf("passed %q", first)
	}
}

// TestFurtherListsAreNamedOnce: the sections and cards of chosen entries, or of one another, are the same list.
func TestFurtherListsAreNamedOnce(t *testing.T) {
	card := `<article class="c"><div class="in"><h3><a href="/{0}">{0}</a></h3><p>All about the {0} is said here.</p></div></article>`
	other := `<div class="t"><div class="in"><h4>{0}</h4><p>Made of {1}, and well known.</p></div></div>`
	found, err := Find(around(t, rowsOf(card, strings.Split("Wheel Stone Sieve Sack", " ")), other, "", []string{"Rope|hemp", "Cloth|flax", "Barrel|oak", "Lamp|tin"}), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(found.Chosen) != 1 || found.Chosen[0].Entries[0].Title != "Wheel" {
		t.Fatalf("chosen %+v", found.Chosen)
	}
	n := map[string]int{}
	for i := range found.Further {
		n[found.Further[i].Entries[0].Title]++
	}
	if n["Wheel"] > 0 || n["Rope"] != 1 {
		t.Errorf("further lists begin with %v", n)
	}
}

// TestAlikeTitlesAreTheReason for which a list of one date is passed over, not that it is too short.
func TestAlikeTitlesAreTheReason(t *testing.T) {
	const card = `<div class="c"><h3>Door</h3><p>4 May 2026</p></div>`
	found, err := Find(around(t, "", card, "", strings.Split("1 2 3 4 5 6", " ")), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(found.Passed) != 1 || found.Passed[0].Why != alikeTitles || found.Passed[0].Entries != 6 {
		t.Errorf("passed %+v", found.Passed)
	}
}
