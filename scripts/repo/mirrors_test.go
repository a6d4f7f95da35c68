package repo_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Package managers know where their packages are; a name here would hold only until it changes, and
// send who builds plat elsewhere than their machine does.
func TestNoPackageMirrorIsNamed(t *testing.T) {
	atRoot(t)
	// In parts, so that this file does not name them either.
	host := regexp.MustCompile(`(?i)\b(` + strings.Join([]string{
		`(deb|snapshot|security|ftp|archive|httpredir|cdn[a-z-]*)\.` + `debian`, `[a-z0-9.-]*\.` + `ubuntu\.com`, `mirrors?\d*\.[a-z0-9.-]+\.[a-z]{2,}`,
		`proxy\.` + `golang`, `goproxy\.` + `[a-z]+`, `registry\.` + `(npmjs|yarnpkg)`, `pypi\.` + `org`, `files\.` + `pythonhosted`, `dl-cdn\.` + `alpinelinux`,
	}, "|") + `)`)
	if !host.MatchString("http://deb."+"debian.org/debian") || host.MatchString("https://example.org/debian") {
		t.Fatal("the pattern is wrong")
	}
	out, err := exec.Command("git", "ls-files", "-z").Output()
	if err != nil {
		t.Skip("skipped: this is no clone of the repository")
	}
	files := 0
	for path := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		b, err := os.ReadFile(path)
		if err != nil {
			if info, bad := os.Lstat(path); os.IsNotExist(bad) || bad == nil && !info.Mode().IsRegular() {
				continue // removed, not committed yet; or no file
			}
			t.Fatal(err)
		}
		files++
		for n, line := range strings.Split(string(b), "\n") {
			if found := host.FindString(line); found != "" {
				t.Errorf("%s:%d names the package mirror %s", path, n+1, found)
			}
		}
	}
	if files < 500 {
		t.Errorf("only %d files were looked at", files)
	}
}

// shell runs a part of a script.
func shell(t *testing.T, program, script string, env ...string) string {
	t.Helper()
	cmd := exec.Command(program, "-c", "set -eu; "+script)
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}

// read is the text of a file.
func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// part returns the part of a text from the first of two lines to the second.
func part(t *testing.T, text, from, to string) string {
	t.Helper()
	_, rest, ok := strings.Cut(text, from)
	body, _, also := strings.Cut(rest, to)
	if !ok || !also {
		t.Fatalf("there is nothing from %q to %q", from, to)
	}
	return from + body + to
}

func TestImagesTakePackagesFromWhereDebootstrapDid(t *testing.T) {
	atRoot(t)
	sources := part(t, read(t, "scripts/debian"), "\nsources() {", "\n}\n")
	for line, want := range map[string]string{
		"deb http://packages.test/debian bookworm main\n":                        "http://packages.test/debian http://packages.test/debian-security",
		"# why\ndeb [trusted=yes] https://packages.test/debian/ bookworm main\n": "https://packages.test/debian/ https://packages.test/debian-security",
	} {
		apt := t.TempDir()
		if err := os.WriteFile(filepath.Join(apt, "sources.list"), []byte(line), 0o600); err != nil {
			t.Fatal(err)
		}
		shell(t, "bash", sources+"sources "+apt)
		var uris []string
		for l := range strings.Lines(read(t, filepath.Join(apt, "sources.list.d", "debian.sources"))) {
			if uri, ok := strings.CutPrefix(l, "URIs: "); ok {
				uris = append(uris, strings.TrimSpace(uri))
			}
		}
		if got := strings.Join(uris, " "); got != want {
			t.Errorf("%q became %s, want %s", line, got, want)
		}
		if _, err := os.Stat(filepath.Join(apt, "sources.list")); err == nil {
			t.Error("each package has two sources")
		}
	}
}

func TestADatedArchiveIsUsedOnlyWhereItIsGiven(t *testing.T) {
	atRoot(t)
	file := strings.ReplaceAll(read(t, "Dockerfile"), "\\\n", "\n")
	body := part(t, file, `    if [ -n "${ARCHIVE:-}" ]; then`, "\n    fi;")
	for _, tc := range []struct {
		env  []string
		want string
	}{
		{nil, ""},
		{[]string{"ARCHIVE=https://days.test/debian/1"}, "https://days.test/debian/1 bookworm"},
		{[]string{"ARCHIVE=https://days.test/debian/1", "SECURITY_ARCHIVE=https://days.test/security/1"}, "https://days.test/debian/1 bookworm https://days.test/security/1 bookworm-security"},
	} {
		apt := t.TempDir()
		if err := os.MkdirAll(filepath.Join(apt, "sources.list.d"), 0o700); err != nil {
			t.Fatal(err)
		}
		shell(t, "sh", strings.ReplaceAll(body, "/etc/apt", apt), tc.env...)
		var got []string
		b, err := os.ReadFile(filepath.Join(apt, "sources.list.d", "debian.sources"))
		if err != nil && tc.want != "" {
			t.Errorf("%v: %v", tc.env, err)
		}
		for l := range strings.Lines(string(b)) {
			for _, field := range []string{"URIs: ", "Suites: "} {
				if value, ok := strings.CutPrefix(l, field); ok {
					got = append(got, strings.TrimSpace(value))
				}
			}
		}
		if text := strings.Join(got, " "); text != tc.want {
			t.Errorf("%v: %s, want %s", tc.env, text, tc.want)
		}
	}
	if !regexp.MustCompile(`(?m)^ARG ARCHIVE$`).MatchString(file) {
		t.Error("the archive has a default")
	}
}
