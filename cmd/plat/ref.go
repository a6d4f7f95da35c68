package main

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"time"

	"plat/cmd/plat/app"
	"plat/cmd/plat/terminal"
	"plat/plat"
	"plat/storage"
	"plat/storage/history"
)

// ref names a version of a URL.
type ref struct {
	url string // canonical
	n   int    // 0 is the last version
	set bool   // a version was named
}

func (r ref) String() string {
	if r.n == 0 {
		return r.url
	}
	return fmt.Sprintf("%s@%d", r.url, r.n)
}

// atVersion matches URL@N. A URL may contain an "@" anywhere; only one followed by digits alone
// names a version, so a URL that itself ends that way is written with a version:
// https://a.test/@7@0.
var atVersion = regexp.MustCompile(`^(.*)@([0-9]+)$`)

// parseRef reads URL or URL@N. Its errors are usage errors.
func parseRef(a *app.App, s string) (ref, error) {
	r := ref{}
	if m := atVersion.FindStringSubmatch(s); m != nil {
		n, err := parseVersion(m[2])
		if err != nil {
			return r, app.About(plat.WithoutLogin(m[1]), err)
		}
		s, r.n, r.set = m[1], n, true
	}
	u, err := a.Canonical(s)
	if m := atNothing.FindStringSubmatch(s); err != nil && m != nil {
		if page, wrong := a.Canonical(m[1]); wrong == nil {
			return r, &app.Failure{Code: app.ExitUsage, URL: page, Err: fmt.Errorf("the text after the @ is not a version; %s", afterAt(page))}
		}
	}
	if err != nil {
		return r, err
	}
	r.url = u
	return r, nil
}

// atNothing matches an invalid version that is not a login, because no host follows.
var atNothing = regexp.MustCompile(`^(.*)@([0-9]{4}-.*)?$`)

// afterAt returns the valid forms of a version after a URL.
func afterAt(url string) string {
	return fmt.Sprintf("write a version of it as %s@N, N being a number; show, text, explain and restore take a time too, as %s@2026-01-31 or %s@2026-01-31T12:00:00Z", url, url, url)
}

// atTime matches URL@TIME, the version at a time. A URL that itself ends that way is written with
// a version, too.
var atTime = regexp.MustCompile(`^(.*)@([0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9:.]+(?:Z|[+-][0-9]{2}:[0-9]{2})?)?)$`)

// parseMoment reads URL, URL@N or URL@TIME. Its errors are usage errors.
func parseMoment(a *app.App, s string) (r ref, when time.Time, err error) {
	if m := atTime.FindStringSubmatch(s); m != nil {
		if when, err = terminal.Moment(m[2], time.Now()); err != nil {
			return r, when, app.About(plat.WithoutLogin(m[1]), app.Fail(app.ExitUsage, "time %w", err))
		}
		if len(m[2]) == len(time.DateOnly) {
			when = when.Add(24*time.Hour - 1) // a date includes the whole day
		}
		u, err := a.Canonical(m[1])
		return ref{url: u}, when, err
	}
	r, err = parseRef(a, s)
	return r, when, err
}

// at sets the version of a URL that was the latest at a time; the zero time leaves r as it is. If
// there is no version, the error ends with the advice or.
func (r ref) at(ctx context.Context, s storage.Store, when time.Time, or string) (ref, error) {
	if when.IsZero() {
		return r, nil
	}
	times, err := s.Times(ctx, r.url)
	if err != nil {
		return r, missingOr(ctx, s, r, err, or)
	}
	n := history.At(times, when)
	if n > 0 && times[n-1].IsZero() { // the zero time marks removed versions
		return r, &app.Failure{Code: app.ExitError, URL: r.url, Err: fmt.Errorf("at %s: %w in the archive: the versions before %d were removed from it on purpose; version %[3]d, the oldest that is kept, was taken at %s",
			when.Format(time.RFC3339), plat.ErrNotFound, n+1, times[n].UTC().Format(time.RFC3339))}
	}
	if n == 0 {
		first := times[0]
		return r, &app.Failure{Code: app.ExitError, URL: r.url, Err: fmt.Errorf("at %s: %w in the archive; its first version was taken at %s",
			when.Format(time.RFC3339), plat.ErrNotFound, first.UTC().Format(time.RFC3339))}
	}
	r.n, r.set = n, true
	return r, nil
}

func parseVersion(digits string) (int, error) {
	n, err := strconv.Atoi(digits)
	if err != nil || n > 1<<31-1 {
		return 0, app.Fail(app.ExitUsage, "version %q: write a number as plat versions prints it", digits)
	}
	return n, nil
}
