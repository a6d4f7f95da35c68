package check

import (
	"context"
	"slices"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
)

// compose loads files as docker compose does, and rejects properties outside
// the Compose specification.
func compose(t *testing.T, files ...string) *types.Project {
	t.Helper()
	var paths []string
	for _, f := range files {
		paths = append(paths, "../../"+f)
	}
	o, err := cli.NewProjectOptions(paths, cli.WithWorkingDirectory("../.."), cli.WithName("plat"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := o.LoadProject(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestEveryContainerIsHardened(t *testing.T) {
	for name, files := range map[string][]string{
		"compose.yaml": {"compose.yaml"},
		"the trial":    {"compose.yaml", "deploy/fleet/compose.yaml", "deploy/fleet/mongo.yaml"},
	} {
		p := compose(t, files...)
		if len(p.Services) < 3 {
			t.Errorf("%s has %d services", name, len(p.Services))
		}
		for _, s := range p.Services {
			for what, ok := range map[string]bool{
				"a read-only root":                   s.ReadOnly,
				"all capabilities dropped":           slices.Equal(s.CapDrop, []string{"ALL"}) && len(s.CapAdd) == 0,
				"no way to gain rights":              slices.Contains(s.SecurityOpt, "no-new-privileges:true"),
				"no more rights than it needs":       !s.Privileged && s.Pid == "" && s.Ipc == "" && s.NetworkMode == "",
				"a limit of memory":                  s.MemLimit > 0,
				"a limit of processes":               s.PidsLimit > 0,
				"a seccomp profile, its or Docker's": !slices.Contains(s.SecurityOpt, "seccomp:unconfined"),
				"no port open to other machines":     len(s.Ports) == 0,
			} {
				if !ok {
					t.Errorf("%s: %s lacks: %s", name, s.Name, what)
				}
			}
		}
		for _, s := range []string{"redis", "mongo"} {
			c := p.Services[s]
			if nets := c.NetworksByPriority(); !slices.Equal(nets, []string{"inside"}) || c.User != "999:999" {
				t.Errorf("%s: %s is in %v as %q", name, s, nets, c.User)
			}
		}
		if !p.Networks["inside"].Internal {
			t.Errorf("%s: the network of redis and mongo is not internal", name)
		}
		w := p.Services["worker"]
		if !slices.Contains(w.SecurityOpt, "seccomp:deploy/seccomp.json") {
			t.Errorf("%s: the worker has no profile for Chrome's sandbox: %v", name, w.SecurityOpt)
		}
		if w.GetScale() != 3 || w.StopGracePeriod == nil || w.ShmSize == 0 || w.HealthCheck == nil {
			t.Errorf("%s: the worker has scale %d, grace %v, shared memory %d, health check %v", name, w.GetScale(), w.StopGracePeriod, w.ShmSize, w.HealthCheck)
		}
	}
}
