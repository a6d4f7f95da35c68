package process

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"
)

// names are the browsers looked for, in this order: in the places where
// distributions keep the real binaries, then in PATH. Headless shell is twice
// as fast as full Chromium. Wrapper scripts are unsuitable: killing one leaves the
// browser running.
var names = [...]string{
	"/usr/lib/chromium/chromium-headless-shell",
	"/usr/lib/chromium-browser/headless_shell",
	"/headless-shell/headless-shell",
	"chrome-headless-shell",
	"headless-shell",
	"headless_shell",
	"/usr/lib/chromium/chromium",
	"/usr/lib64/chromium-browser/chromium-browser",
	"/opt/google/chrome/chrome",
	"google-chrome-stable",
	"google-chrome",
	"chromium-browser",
	"chromium",
	"chrome",
}

// Find returns the path of the browser to use: chrome, a path or a name in PATH, if it is not
// empty, else the first one found. The error contains advice.
func Find(chrome string) (string, error) {
	if chrome != "" {
		path, err := lookPath(chrome)
		if err != nil {
			return "", fmt.Errorf("browser %q: %w; give the path of a Chrome or Chromium binary", chrome, err)
		}
		return path, nil
	}
	for _, name := range names {
		if path, err := lookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("no browser found; install chromium-headless-shell, or give the path of a Chrome or Chromium binary")
}

// behind is the real binary where path is a distribution's wrapper.
func behind(path string) string {
	switch path {
	case "/usr/bin/chromium-headless-shell":
		return "/usr/lib/chromium/chromium-headless-shell"
	case "/usr/bin/chromium":
		return "/usr/lib/chromium/chromium"
	}
	return path
}

// IsShell reports whether the binary is a headless shell, by its name.
func IsShell(path string) bool {
	return strings.Contains(strings.ReplaceAll(filepath.Base(path), "_", "-"), "headless-shell")
}

// lookPath is exec.LookPath that sees through known wrappers.
func lookPath(name string) (string, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return "", err
	}
	real := behind(path)
	if _, err := os.Stat(real); err != nil {
		return path, nil
	}
	return real, nil
}

// IsFramed reports whether a binary can draw frames on request only. Full Chromium
// cannot, nor can a headless shell on macOS.
func IsFramed(path string) bool { return IsShell(path) && runtime.GOOS == "linux" }

// Version returns a binary's major version, as "156"; empty if unknown. env is
// its environment, as in [os.Environ]; nil: this process's.
func Version(ctx context.Context, path string, env []string) string {
	ctx, cancel := context.WithTimeout(ctx, versionTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "--version")
	cmd.Env = env
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	major := majorVersion.FindSubmatch(out)
	if major == nil {
		return ""
	}
	return string(major[1])
}

// versionTimeout limits the wait for Chrome's version.
const versionTimeout = 10 * time.Second

var majorVersion = regexp.MustCompile(`\b(\d+)\.\d+\.\d+\.\d+`)
