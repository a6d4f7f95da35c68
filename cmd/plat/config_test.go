package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/spf13/cobra"

	"plat/cmd/plat/app"
	"plat/settings"
)

// configured returns the settings that a command line, an environment and a
// configuration file come to.
func configured(t *testing.T, file string, env []string, args ...string) settings.Settings {
	t.Helper()
	if file != "" {
		path := filepath.Join(t.TempDir(), "plat.yaml")
		if err := os.WriteFile(path, []byte(file), 0o644); err != nil {
			t.Fatal(err)
		}
		env = append(env, "PLAT_CONFIG="+path)
	}
	a := app.New(env, nil, t.Output(), t.Output())
	root := rootCommand(a)
	root.SetArgs(append(args, "settings"))
	root.AddCommand(&cobra.Command{Use: "settings", RunE: func(*cobra.Command, []string) error { return nil }})
	if err := root.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	return a.Settings
}

func TestFlagsBeatTheEnvironmentBeatsTheFileBeatsDefaults(t *testing.T) {
	file := "tabs: 3\nstealth: false\nallow-private: [10.0.0.0/8, 192.168.0.0/16]\nheader: 'X-A: a, b'\ntimeout: 7s\n"
	env := []string{"PLAT_TABS=4", "PLAT_ALLOW_PRIVATE=127.0.0.0/8,::1/128", "PLAT_AUTH=a.test=me:p,w\nb.test=you:q", "OTHER=1", "PLAT_DATA=unknown is fine", "PLAT_VERSION=1.2", "PLAT_WIDTH="}
	for _, tc := range []struct {
		name string
		got  settings.Settings
		tabs int
		nets []string
	}{
		{"defaults", configured(t, "", nil), 0, nil},
		{"file", configured(t, file, nil), 3, []string{"10.0.0.0/8", "192.168.0.0/16"}},
		{"environment", configured(t, file, env), 4, []string{"127.0.0.0/8", "::1/128"}},
		{"flags", configured(t, file, env, "--tabs", "5", "--allow-private", "172.16.0.0/12"), 5, []string{"172.16.0.0/12"}},
	} {
		if tc.got.Tabs != tc.tabs || !slices.Equal(tc.got.AllowPrivate, tc.nets) {
			t.Errorf("%s: tabs %d, networks %v; want %d, %v", tc.name, tc.got.Tabs, tc.got.AllowPrivate, tc.tabs, tc.nets)
		}
	}
	got := configured(t, file, env)
	if got.Stealth || got.Width != 1280 || got.Timeout.Seconds() != 7 || !slices.Equal(got.Header, []string{"X-A: a, b"}) || !slices.Equal(got.Auth, []string{"a.test=me:p,w", "b.test=you:q"}) {
		t.Errorf("file and environment came to %+v", got)
	}
}

func TestSecretsMayComeFromFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(path, []byte("mongodb://me:hush@db/plat\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := configured(t, "store: sqlite:x", []string{"PLAT_STORE_FILE=" + path}); got.Store != "mongodb://me:hush@db/plat" {
		t.Errorf("store is %q", got.Store)
	}
	if got := configured(t, "", []string{"PLAT_STORE_FILE=" + path}, "--store", "sqlite:y"); got.Store != "sqlite:y" {
		t.Errorf("the flag does not win: %q", got.Store)
	}
}
