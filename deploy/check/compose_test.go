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
				"no port open to other machines":     !slices.ContainsFunc(s.Ports, func(p types.ServicePortConfig) bool { return p.HostIP != "127.0.0.1" }),
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

// The override with ports demands passwords, and gives them to the workers.
func TestPortsHavePasswords(t *testing.T) {
	files := []string{"compose.yaml", "deploy/fleet/ports.yaml"}
	o, err := cli.NewProjectOptions([]string{"../../" + files[0], "../../" + files[1]}, cli.WithWorkingDirectory("../.."), cli.WithName("plat"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := o.LoadProject(context.Background()); err == nil {
		t.Error("it starts without passwords")
	}
	o, err = cli.NewProjectOptions([]string{"../../" + files[0], "../../" + files[1]}, cli.WithWorkingDirectory("../.."), cli.WithName("plat"),
		cli.WithProfiles([]string{"serve"}), cli.WithEnv([]string{"REDIS_PASSWORD=one", "MONGO_PASSWORD=two"}))
	if err != nil {
		t.Fatal(err)
	}
	p, err := o.LoadProject(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if c := p.Services["redis"].Command; !slices.Contains(c, "--requirepass") || !slices.Contains(c, "one") || slices.Contains(c, "--protected-mode") {
		t.Errorf("redis: %q", c)
	}
	for _, name := range []string{"redis", "mongo"} {
		s := p.Services[name]
		if len(s.Ports) != 1 || s.Ports[0].HostIP != "127.0.0.1" || !s.ReadOnly || !slices.Equal(s.CapDrop, []string{"ALL"}) {
			t.Errorf("%s: %+v", name, s.Ports)
		}
	}
	for _, name := range []string{"worker", "serve"} {
		env := p.Services[name].Environment
		if r, m := env["PLAT_REDIS"], env["PLAT_STORE"]; r == nil || *r != "redis://:one@redis:6379/0" || m == nil || *m != "mongodb://plat:two@mongo:27017/plat?authSource=admin" {
			t.Errorf("%s: %v", name, env)
		}
	}
}
