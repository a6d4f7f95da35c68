package plat_test

import (
	"slices"
	"strings"
	"testing"

	"plat/plat"
)

func TestReadLabels(t *testing.T) {
	for s, want := range map[string][]plat.Label{
		"": nil, "main": {"main"}, "list,main": {"list", "main"}, " main , main": {"main"},
		"content": {"comments", "heading", "list", "main", "media", "table"}, "footer,content,list": {"comments", "footer", "heading", "list", "main", "media", "table"},
	} {
		if got, err := plat.ReadLabels(s); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %v, %v, want %v", s, got, err, want)
		}
	}
	for s, want := range map[string]string{"mian": "did you mean main?", "main,": `"": there is no such label`, "main,x": `"x"`, "Main": "content for main, heading"} {
		if got, err := plat.ReadLabels(s); err == nil || !strings.Contains(err.Error(), want) || got != nil {
			t.Errorf("%q: %v, %v, want %q", s, got, err, want)
		}
	}
	if slices.Contains(plat.Labels, "content") {
		t.Error("content is a label, and so stands for all of the content no longer")
	}
}
