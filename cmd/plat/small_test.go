package main

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"plat/cmd/plat/app"
	"plat/cmd/plat/terminal"
)

func TestOnlyTrailingDigitsNameAVersion(t *testing.T) {
	a := &app.App{}
	for in, want := range map[string]ref{
		"http://a.test/":            {"http://a.test/", 0, false},
		"http://a.test":             {"http://a.test/", 0, false},
		"http://a.test/@3":          {"http://a.test/", 3, true},
		"http://a.test@3":           {"http://a.test/", 3, true},
		"http://a.test/@user":       {"http://a.test/@user", 0, false},
		"http://a.test/@user/x@12":  {"http://a.test/@user/x", 12, true},
		"http://a.test/@7@0":        {"http://a.test/@7", 0, true},
		"http://a.test/@7@2":        {"http://a.test/@7", 2, true},
		"http://a.test/@3x":         {"http://a.test/@3x", 0, false},
		"http://a.test/@3#top":      {"http://a.test/@3", 0, false},
		"http://a.test/?q=x@3":      {"http://a.test/?q=x", 3, true},
		"http://a.test/?utm_id=1@4": {"http://a.test/", 4, true},
		"a.test@3":                  {"https://a.test/", 3, true},
		"a.test/x":                  {"https://a.test/x", 0, false},
		"localhost:8080/x@2":        {"http://localhost:8080/x", 2, true},
	} {
		if got, err := parseRef(a, in); err != nil || got != want {
			t.Errorf("parseRef(%q) = %+v, %v; want %+v", in, got, err, want)
		}
	}
	for _, in := range []string{"", "@3", "a@3", "http://a.test/@99999999999999999999"} {
		if got, err := parseRef(a, in); err == nil {
			t.Errorf("parseRef(%q) = %+v, want an error", in, got)
		}
	}
	a.KeepParams = true
	if got, err := parseRef(a, "http://a.test/?utm_id=1@4"); err != nil || got.url != "http://a.test/?utm_id=1" {
		t.Errorf("with --keep-params: %+v, %v", got, err)
	}
}

func FuzzParseRef(f *testing.F) {
	f.Add("http://a.test/@7@0")
	f.Add("https://b.test/x?y=@12")
	f.Fuzz(func(t *testing.T, in string) {
		a := &app.App{}
		r, err := parseRef(a, in)
		if err != nil {
			return
		}
		// The printed form names the same version; a latest version needs a suffix only if its
		// URL ends like one.
		again := r.String()
		if r.n == 0 && atVersion.MatchString(again) {
			again += "@0"
		}
		if back, err := parseRef(a, again); err != nil || back.url != r.url || back.n != r.n {
			t.Fatalf("%q is %+v, and its own text %q is %+v, %v", in, r, again, back, err)
		}
	})
}

func TestOnlyAReaderWhoLeftMakesAFailedOutputFine(t *testing.T) {
	store := madeUp(t)
	for _, args := range [][]string{{"version"}, {"--help"}, {"show", paperURL, store}, {"blocks", store}, {"blocks", "--json", store}, {"restore", paperURL, store}, {"stats", store}} {
		for why, want := range map[syscall.Errno]struct {
			code int
			says string
		}{syscall.EPIPE: {app.ExitOK, ""}, syscall.ENOSPC: {app.ExitError, "standard output cannot be written: no space left on device\n"}} {
			var errs bytes.Buffer
			if code := run(t.Context(), args, nil, strings.NewReader(""), broken{why}, &errs); code != want.code || !strings.HasSuffix(errs.String(), want.says) || want.says == "" && errs.Len() > 0 {
				t.Errorf("plat %v with %q: exit %d, stderr %q; want %d and %q", args, why, code, errs.String(), want.code, want.says)
			}
		}
	}
}

func TestAReaderWhoLeavesABatchIsToldWhatIsLeft(t *testing.T) {
	file, _ := snapshotFile(t, "site-1")
	for n, code := range map[int]int{1: app.ExitOK, 2: app.ExitError} {
		args := append([]string{"snapshot", "load", "--store=sqlite:" + filepath.Join(t.TempDir(), "a.db")}, slices.Repeat([]string{file}, n)...)
		var errs bytes.Buffer
		if got := run(t.Context(), args, nil, strings.NewReader(""), broken{syscall.EPIPE}, &errs); got != code || strings.Contains(errs.String(), "load those after it again") != (code != app.ExitOK) {
			t.Errorf("%d files: exit %d, stderr %q", n, got, errs.String())
		}
	}
}

// broken is an output that takes nothing.
type broken struct{ why error }

func (b broken) Write([]byte) (int, error) { return 0, b.why }

func TestMomentsAndAges(t *testing.T) {
	now := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	for in, want := range map[string]string{
		"":                          "0001-01-01T00:00:00Z",
		"2026-01-31":                "2026-01-31T00:00:00Z",
		"2026-01-31 10:20":          "2026-01-31T10:20:00Z",
		"2026-01-31T12:00:00+02:00": "2026-01-31T10:00:00Z",
		"36h":                       "2026-03-09T00:00:00Z",
		"7d":                        "2026-03-03T12:00:00Z",
	} {
		got, err := terminal.Moment(in, now)
		if instant := got.UTC().Format(time.RFC3339Nano); err != nil || instant != want {
			t.Errorf("moment(%q) = %s, %v; want %s", in, instant, err, want)
		}
	}
	for _, in := range []string{"soon", "-1h", "-2d", "2026-13-01"} {
		if got, err := terminal.Moment(in, now); err == nil {
			t.Errorf("moment(%q) = %v, want an error", in, got)
		}
	}
}
