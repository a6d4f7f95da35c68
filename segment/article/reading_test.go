package article

import (
	"fmt"
	"strings"
	"testing"
)

func TestTheModelCorrectsTheRules(t *testing.T) {
	long := func(word string) string { return strings.TrimSpace(strings.Repeat(word+" ", 20)) + "." }
	f := find(rendered(t, "<p>"+long("before")+"</p><main><p>"+long("first")+"</p><p>"+long("second")+"</p><aside><p>"+long("aside")+"</p></aside><div class=related><p>"+
		long("related")+"</p></div><p>"+long("third")+"</p><p>Comments</p><p>"+long("end")+"</p></main>"))
	at := map[string]int{}
	for i := range f.all {
		word, _, _ := strings.Cut(f.all[i].text, " ")
		at[word] = i
	}
	f.region = f.at[f.all[at["first"]].block].parent
	f.kept = []int{at["first"], at["third"]}
	for _, tc := range []struct {
		name string
		says map[string]float32
		want string
	}{
		{"without doubt", map[string]float32{"first": 1, "third": 1}, "first third"},
		{"hardly a doubt", map[string]float32{"first": .5, "third": .49}, "first"},
		{"nothing is left", map[string]float32{"first": .49, "third": .49}, "first third"},
		{"one more", map[string]float32{"first": 1, "second": .6, "third": 1}, "first second third"},
		{"one that is less likely", map[string]float32{"first": 1, "second": .59, "third": 1}, "first third"},
		{"a name of boilerplate", map[string]float32{"first": 1, "aside": .74, "third": 1}, "first third"},
		{"and a sure model", map[string]float32{"first": 1, "aside": .75, "third": 1}, "first aside third"},
		{"a reason of the rules", map[string]float32{"first": 1, "related": 1, "third": 1}, "first third"},
		{"before the text", map[string]float32{"before": 1, "first": 1, "third": 1}, "first third"},
		{"after an ending", map[string]float32{"first": 1, "third": 1, "end": 1}, "first third"},
	} {
		main := make([]float32, len(f.all))
		for word, p := range tc.says {
			main[at[word]] = p
		}
		var got []string
		for _, i := range f.mainText(main) {
			word, _, _ := strings.Cut(f.all[i].text, " ")
			got = append(got, word)
		}
		if fmt.Sprint(got) != "["+tc.want+"]" {
			t.Errorf("%s: %v, want %s", tc.name, got, tc.want)
		}
	}
	f.at[f.all[at["second"]].block].parent = 0
	f.region = f.all[at["first"]].block
	main := make([]float32, len(f.all))
	main[at["first"]], main[at["second"]], main[at["third"]] = 1, .74, 1
	if got := f.mainText(main); len(got) != 2 {
		t.Errorf("outside of the region it needs no more: %v", got)
	}
}
