package queue

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"plat/plat"
	"plat/queue/links"
)

func TestParseSeed(t *testing.T) {
	for _, tc := range []struct {
		text string
		want plat.Job
		err  string
	}{
		{"https://A.test/x?utm_source=y#z", plat.Job{URL: "https://a.test/x", Priority: 0.5}, ""},
		{`{"url":"https://a.test/","priority":0.7,"depth":2}`, plat.Job{URL: "https://a.test/", Priority: 0.7, Plan: plat.Plan{Scope: "host depth=2"}}, ""},
		{`{"url":"https://a.test/","scope":"domain exclude=/login include=/2026/","depth":3,"every":"7d"}`,
			plat.Job{URL: "https://a.test/", Priority: 0.5, Plan: plat.Plan{Scope: "domain depth=3 include=/2026/ exclude=/login", Schedule: plat.Schedule{Every: 168 * time.Hour}}}, ""},
		{`{"url":"https://a.test/docs/index.html?x","scope":"prefix"}`, plat.Job{URL: "https://a.test/docs/index.html?x", Priority: 0.5, Plan: plat.Plan{Scope: "prefix=https://a.test/docs/"}}, ""},
		{`{"url":"https://a.test","scope":"prefix"}`, plat.Job{URL: "https://a.test/", Priority: 0.5, Plan: plat.Plan{Scope: "prefix=https://a.test/"}}, ""},
		{`{"url":"https://a.test/","priority":0}`, plat.Job{URL: "https://a.test/"}, ""},
		{`{"url":"https://a.test/","scope":"page"}`, plat.Job{URL: "https://a.test/", Priority: 0.5}, ""},
		{`{"url":"https://a.test/","every":"daily"}`, plat.Job{URL: "https://a.test/", Priority: 0.5, Plan: plat.Plan{Schedule: plat.Schedule{Every: 24 * time.Hour}}}, ""},
		{`{"url":"https://a.test/","every":"Hourly"}`, plat.Job{URL: "https://a.test/", Priority: 0.5, Plan: plat.Plan{Schedule: plat.Schedule{Every: time.Hour}}}, ""},
		{`{"url":"https://a.test/","every":"weekly","min":"daily","policy":"blocks"}`, plat.Job{URL: "https://a.test/", Priority: 0.5, Plan: plat.Plan{Schedule: plat.Schedule{Every: 7 * 24 * time.Hour, Policy: "blocks", Min: 24 * time.Hour}}}, ""},
		{`{"url":"https://a.test/","every":"07:30 Europe/Berlin"}`, plat.Job{URL: "https://a.test/", Priority: 0.5, Plan: plat.Plan{Schedule: plat.Schedule{Every: 24 * time.Hour, Policy: "plan", Slots: "1:0+27000s@Europe/Berlin"}}}, ""},
		{`{"url":"https://a.test/","every":"07:30 UTC","jitter":0.1}`, plat.Job{}, "whole schedule"},
		{"a.test", plat.Job{}, "no scheme"},
		{"", plat.Job{}, "empty"},
		{`{"url":"https://a.test/"} x`, plat.Job{}, "text after"},
		{`{"uri":"https://a.test/"}`, plat.Job{}, "unknown field"},
		{`{"url":"https://a.test/","priority":2}`, plat.Job{}, "0 to 1"},
		{`{"url":"https://a.test/","every":"5"}`, plat.Job{}, "90m"},
		{`{"url":"https://a.test/","every":"1ms"}`, plat.Job{}, "shortest"},
		{`{"url":"https://a.test/","scope":"host depth=0"}`, plat.Job{}, "1 to 1000"},
		{`{"url":"https://a.test/","scope":"host include=("}`, plat.Job{}, "regular expression"},
		{`{"url":"https://a.test/","scope":"host","depth":-1}`, plat.Job{}, "1 to 1000"},
		{strings.Repeat("x", maxSeed+1), plat.Job{}, "at most"},
	} {
		got, err := ParseSeed(tc.text, Seed{}, plat.TrackingParams)
		switch {
		case tc.err == "" && (err != nil || got != tc.want):
			t.Errorf("%s: %+v, %v; want %+v", tc.text, got, err, tc.want)
		case tc.err != "" && (err == nil || !strings.Contains(err.Error(), tc.err)):
			t.Errorf("%.80s: %v, want %q", tc.text, err, tc.err)
		}
	}
}

// Every attribute of a seed passes the inbox unchanged.
func TestASeedOfAJobStandsForThatJob(t *testing.T) {
	half := float32(0.25)
	seeds := []Seed{
		{URL: "https://a.test/", Priority: &half, Scope: "host", Depth: 2, Every: "36h", Jitter: 0.1, Policy: "fixed"},
		{URL: "https://a.test/", Policy: "archive", Budget: "200/day/host", Min: "1h", Max: "14d"},
		{URL: "https://a.test/", Every: "07:30 Europe/Berlin"},
	}
	for i, of := 0, reflect.TypeFor[Seed](); i < of.NumField(); i++ {
		if reflect.ValueOf(seeds[0]).Field(i).IsZero() && reflect.ValueOf(seeds[1]).Field(i).IsZero() {
			t.Errorf("the test does not set %s", of.Field(i).Name)
		}
	}
	for _, s := range seeds {
		j, err := s.Job(nil)
		if err != nil {
			t.Fatal(err)
		}
		again, err := seedOf(&j).Job(nil)
		if err != nil || again != j {
			t.Errorf("%+v became %+v, %v", j, again, err)
		}
	}
}

// Parsed seeds survive a round trip.
func FuzzSeed(f *testing.F) {
	for _, s := range []string{`https://a.test/`, `{"url":"https://a.test/","scope":"domain exclude=/login","every":"24h","priority":0.3}`, `{"url":"https://a.test/x/y","scope":"prefix depth=4"}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		j, err := ParseSeed(text, Seed{}, plat.TrackingParams)
		if err != nil {
			return
		}
		s, err := links.ParseScope(j.Scope)
		if err != nil || s.String() != j.Scope {
			t.Fatalf("%q has the scope %q, which is read as %q: %v", text, j.Scope, s.String(), err)
		}
		if j.Priority < 0 || j.Priority > 1 || j.Schedule.Every < 0 {
			t.Fatalf("%q: %+v", text, j)
		}
		again, err := ParseSeed(j.URL, Seed{}, plat.TrackingParams)
		if err != nil || again.URL != j.URL {
			t.Fatalf("%q: %q is read as %q: %v", text, j.URL, again.URL, err)
		}
	})
}
