package main

import (
	"bytes"
	"encoding/xml"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plat/cmd/plat/app"
)

func TestSimulateDrawsCharts(t *testing.T) {
	dir := t.TempDir()
	trace := filepath.Join(dir, "site.json")
	if err := os.WriteFile(trace, []byte(`{"source":"site","observations":[0,8640000],"pages":{"/a":[[0,"1"],[864000,"2"],[1728000,"3"],[4320000,"4"]],"/b":[[86400,"1"],[4320000,"2"]]}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	svg, picture := filepath.Join(dir, "a.svg"), filepath.Join(dir, "a.png")
	must(t, "simulate", trace, "--chart", svg, "--policies", "uniform,harmonic")
	must(t, "simulate", trace, "--chart", picture, "--visits", "0.5,1,2", "--json")
	b, err := os.ReadFile(svg)
	if err != nil {
		t.Fatal(err)
	}
	if err := xml.Unmarshal(b, new(struct{})); err != nil || !strings.Contains(string(b), ">harmonic</text>") {
		t.Errorf("%v: %s", err, b)
	}
	if b, err = os.ReadFile(picture); err != nil {
		t.Fatal(err)
	}
	if _, err := png.Decode(bytes.NewReader(b)); err != nil {
		t.Error(err)
	}
	wrong := command(t, "simulate", trace, "--chart", filepath.Join(dir, "a.pdf"))
	if wrong.code != app.ExitUsage || !strings.Contains(wrong.err, "ends in .svg or .png") {
		t.Errorf("%+v", wrong)
	}
	if nowhere := command(t, "simulate", trace, "--chart", filepath.Join(dir, "none", "a.svg")); nowhere.code != app.ExitUsage || nowhere.out != "" || !strings.Contains(nowhere.err, "none") {
		t.Errorf("%+v", nowhere)
	}
	if none := command(t, "simulate", trace, "--min-pages", "3"); none.code != app.ExitUsage || !strings.Contains(none.err, "no traces") {
		t.Errorf("%+v", none)
	}
	if bad := command(t, "simulate", filepath.Join(dir, "none.json")); bad.code != app.ExitUsage || !strings.Contains(bad.err, "none.json") {
		t.Errorf("%+v", bad)
	}
}
