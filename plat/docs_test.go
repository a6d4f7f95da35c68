package plat_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"plat/docs"
	"plat/plat"
)

// example returns a worked example of docs/format.md.
func example(t *testing.T, name string) string {
	t.Helper()
	b, err := docs.Example(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestTheFormatSaysWhatIsWritten(t *testing.T) {
	plan := plat.Plan{Depth: 1, Scope: "host depth=2", Schedule: plat.Schedule{Policy: "fixed", Every: 24 * time.Hour, Jitter: 0.1},
		Signal: plat.Signal{Modified: time.Date(2026, 11, 20, 6, 0, 0, 0, time.UTC), ChangeFreq: "daily", Priority: 0.8}}
	if got, want := plan.Encode(), example(t, "plan"); got != want {
		t.Errorf("a plan is %s, the document has %s", got, want)
	}
	memory := plat.Memory{Skip: "skip", Policy: "abc"}
	if got, want := memory.Encode(), example(t, "memory"); got != want {
		t.Errorf("a memory is % x, the document has % x", got, want)
	}
	layout := plat.Layout{HTML: []byte("<body></body>"), Slots: []int32{6}}
	if got, want := string(layout.Marshal()), example(t, "layout"); got != want {
		t.Errorf("a layout is % x, the document has % x", got, want)
	}
	manifest := plat.ManifestOf([]plat.Resource{
		{URL: "https://a.test/b.png", Type: "image/png", Status: 200, Left: plat.OmitLarge},
		{URL: "https://a.test/a.css", Type: "text/css", Status: 200, Size: 4, Hash: plat.HashOf([]byte("p{}\n"))},
	})
	if got, want := string(manifest.Marshal()), example(t, "manifest"); got != want {
		t.Errorf("a manifest is % x, the document has % x", got, want)
	}
}

func TestTheFormatNamesEveryAttributeOfAPlan(t *testing.T) {
	section := docs.Section("### Plans")
	for _, of := range []any{plat.Plan{}, plat.Schedule{}, plat.Signal{}} {
		for f := range reflect.TypeOf(of).Fields() {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "-" {
				name = strings.ToLower(f.Name) // written by MarshalJSON
			}
			if !strings.Contains(section, "`"+name+"`") && !strings.Contains(section, "."+name+"`") {
				t.Errorf("the section on plans does not say what %s is", name)
			}
		}
	}
	for _, text := range []string{fmt.Sprint(plat.MaxMemory), fmt.Sprint(plat.MaxPolicyMemory), fmt.Sprint(plat.MaxResources), fmt.Sprint(plat.MaxResourceURL)} {
		if !strings.Contains(docs.Format, text) {
			t.Errorf("the document does not name the limit %s", text)
		}
	}
}
