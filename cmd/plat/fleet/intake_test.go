package fleet

import (
	"testing"
	"time"

	"github.com/spf13/cobra"

	"plat/cmd/plat/app"
	"plat/cmd/plat/settings/flags"
	"plat/plat"
	"plat/queue"
)

func TestFlagsOfASeedReachItsPlan(t *testing.T) {
	var s queue.Seed
	cmd := &cobra.Command{}
	flags.Seeds(cmd.Flags(), &s)
	if err := cmd.ParseFlags([]string{"--scope", "host depth=2", "--every", "7d", "--jitter", "0.1", "--policy", "fixed"}); err != nil {
		t.Fatal(err)
	}
	jobs, err := seedJobs(&app.App{}, []string{"https://a.test/", `{"url": "https://b.test/", "every": "24h"}`}, s)
	if err != nil {
		t.Fatal(err)
	}
	want := []plat.Plan{
		{Scope: "host depth=2", Schedule: plat.Schedule{Policy: "fixed", Every: 7 * 24 * time.Hour, Jitter: 0.1}},
		{Scope: "host depth=2", Schedule: plat.Schedule{Every: 24 * time.Hour}},
	}
	for i := range want {
		if jobs[i].Plan != want[i] {
			t.Errorf("the plan of %s is %+v, want %+v", jobs[i].URL, jobs[i].Plan, want[i])
		}
	}
}
