package main

import (
	"fmt"
	"regexp"
	"strconv"

	"plat/cmd/plat/app"
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

// atVersion is what may follow a URL. A URL may hold an "@" anywhere; only one
// that nothing but digits follows names a version, so a URL that itself ends
// that way is written with a version: https://a.test/@7@0.
var atVersion = regexp.MustCompile(`^(.*)@([0-9]+)$`)

// parseRef reads URL or URL@N. Its errors are usage errors.
func parseRef(a *app.App, s string) (ref, error) {
	r := ref{}
	if m := atVersion.FindStringSubmatch(s); m != nil {
		n, err := parseVersion(m[2])
		if err != nil {
			return r, err
		}
		s, r.n, r.set = m[1], n, true
	}
	u, err := a.Canonical(s)
	if err != nil {
		return r, err
	}
	r.url = u
	return r, nil
}

func parseVersion(digits string) (int, error) {
	n, err := strconv.Atoi(digits)
	if err != nil || n > 1<<31-1 {
		return 0, app.Fail(app.ExitUsage, "version %q: write a number as plat versions prints it", digits)
	}
	return n, nil
}
