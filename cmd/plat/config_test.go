package main

import (
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"plat/cmd/plat/app"
	"plat/cmd/plat/settings"
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
	file := "tabs: 3\nstealth: true\nallow-private: [10.0.0.0/8, 192.168.0.0/16]\nheader: 'X-A: a, b'\ntimeout: 7s\n"
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
	if !got.Stealth || configured(t, "", nil).Stealth || got.Width != 1280 || got.Timeout.Seconds() != 7 || !slices.Equal(got.Header, []string{"X-A: a, b"}) || !slices.Equal(got.Auth, []string{"a.test=me:p,w", "b.test=you:q"}) {
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

func TestWhatTheEnvironmentHasWronglyIsNamed(t *testing.T) {
	store := madeUp(t)
	r := commandIn(t, t.Context(), []string{"PLAT_TABZ=hush"}, "", "stats", store)
	if want := "the environment has PLAT_TABZ, which is not a setting; did you mean PLAT_TABS?"; r.code != app.ExitOK || strings.Count(r.err, want) != 1 || strings.Contains(r.err, "hush") {
		t.Errorf("exit %d, stderr %q, want %q", r.code, r.err, want)
	}
	if r := commandIn(t, t.Context(), []string{"PLAT_TABZ=hush"}, "", "stats", store, "--log-level", "error"); r.code != app.ExitOK || r.err != "" {
		t.Errorf("exit %d, stderr %q, though warnings are not wanted", r.code, r.err)
	}
}

// Whatever the project's own scripts, tests and documents call a variable, plat does not complain of it.
func TestVariablesThatTheProjectNamesAreKnown(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var env, files []string
	name := regexp.MustCompile(`\bPLAT_[A-Z][A-Z0-9_]*[A-Z0-9]\b`)
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") && path != "../.." || d.Name() == "testdata"):
			return fs.SkipDir
		case d.IsDir() || strings.HasSuffix(path, "unknown_test.go") || strings.HasSuffix(path, "config_test.go"):
			return nil // these have wrong ones
		}
		info, err := d.Info()
		if err != nil || !info.Mode().IsRegular() || info.Size() > 1<<20 {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, n := range name.FindAll(b, -1) {
			if strings.HasSuffix(string(n), "_FILE") {
				files = append(files, string(n)+"="+secret)
			} else {
				env = append(env, string(n)+"=1")
			}
		}
		return nil
	})
	if err != nil || len(env) < 50 {
		t.Fatalf("%d variables, %v", len(env), err)
	}
	root := rootCommand(app.New(nil, nil, t.Output(), t.Output()))
	var settingNames []string
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		for _, set := range []*pflag.FlagSet{c.Flags(), c.PersistentFlags()} {
			set.VisitAll(func(f *pflag.Flag) { settingNames = append(settingNames, f.Name) })
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(root)
	for _, all := range [][]string{env, files} {
		from, err := settings.Load("", all, settingNames)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range from.Unknown(settingNames) {
			t.Error(text)
		}
	}
}

func TestHeadersAreForThePagesOwnSiteUnlessWantedElsewhere(t *testing.T) {
	for want, args := range map[bool][]string{false: {"--header", "X-Key: 1"}, true: {"--header", "X-Key: 1", "--header-everywhere"}} {
		s := configured(t, "", nil, args...)
		o, err := s.RenderOptions(1, slog.New(slog.DiscardHandler))
		if err != nil || o.Browser.Header.Get("X-Key") != "1" || o.Browser.HeaderEverywhere != want {
			t.Errorf("%q: %v, everywhere %t, %v", args, o.Browser.Header, o.Browser.HeaderEverywhere, err)
		}
	}
}
