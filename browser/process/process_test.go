package process

import (
	"slices"
	"strings"
	"testing"
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
