package process

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"plat/browser/devtools"
)

func TestTheCommandLineHasOneFlagForAllOfBlinksSettings(t *testing.T) {
	o := Options{Path: "/usr/lib/chromium/chromium-headless-shell", Width: 800, Height: 600, Language: "de-DE, de", Flags: []string{blinkSettings + "a=1", "--b"}}
	args := o.args("/profile")
	var settings []string
	for _, a := range args {
		if s, ok := strings.CutPrefix(a, blinkSettings); ok {
			settings = append(settings, s)
		}
	}
	if len(settings) != 1 || !strings.HasSuffix(settings[0], "a=1") {
		t.Errorf("Blink's settings are %q", settings)
	}
	for _, want := range []string{userDataDir + "/profile", "--window-size=800,600", "--lang=de-DE", "--accept-lang=de-DE, de", "--b"} {
		if !slices.Contains(args, want) {
			t.Errorf("the command line has no %q", want)
		}
	}
	if last := args[len(args)-1]; last != "about:blank" {
		t.Errorf("the last argument is %q", last)
	}
}

func TestTheShellIsKnownByItsName(t *testing.T) {
	for path, want := range map[string]bool{
		"/usr/lib/chromium-browser/headless_shell": true, "/usr/lib/chromium/chromium-headless-shell": true,
		"/usr/lib/chromium/chromium": false, "/headless-shell/chrome": false,
	} {
		if got := IsShell(path); got != want {
			t.Errorf("IsShell(%q) is %t", path, got)
		}
	}
}

func TestABrowserThatEndsAtOnceIsNotWaitedFor(t *testing.T) {
	dir := t.TempDir()
	script := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, tc := range []struct{ name, path, says string }{
		{"no browser", script("false", "exit 1"), "(exit status 1)"},
		{"one that says why", script("why", "echo no display >&2; exit 3"), "(exit status 3): the browser is gone; its output: no display; check"},
		{"one that is killed", script("killed", "kill -9 $$"), "(signal: killed)"},
		{"one whose child keeps the pipes open", script("child", "sleep 30 >/dev/null 2>&1 & exit 4"), "(exit status 4)"},
	} {
		began := time.Now()
		p, err := Start(t.Context(), Options{Path: tc.path, CallTimeout: 15 * time.Second}, nil)
		if err == nil {
			p.Stop()
		}
		if took := time.Since(began); err == nil || !errors.Is(err, devtools.ErrGone) || !strings.Contains(err.Error(), tc.says) || !strings.Contains(err.Error(), "starts by hand") || took > 5*time.Second {
			t.Errorf("%s: %v after %v, want %q", tc.name, err, took, tc.says)
		}
	}
}

// Without the container's profile Chrome has no sandbox, and its own words name no remedy.
func TestAMissingSandboxNamesTheProfile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "chrome")
	if err := os.WriteFile(path, []byte("#!/bin/sh\necho 'FATAL: No usable sandbox! Update your kernel' >&2\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	p, err := Start(t.Context(), Options{Path: path, CallTimeout: 15 * time.Second}, nil)
	if err == nil {
		p.Stop()
		t.Fatal("it has started")
	}
	if !strings.Contains(err.Error(), "deploy/seccomp.json") || !strings.Contains(err.Error(), "No usable sandbox") || !errors.Is(err, devtools.ErrGone) {
		t.Errorf("%v", err)
	}
}
