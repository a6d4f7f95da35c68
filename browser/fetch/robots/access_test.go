package robots_test

import (
	"testing"

	"plat/browser/fetch/robots"
)

func TestSection231Access(t *testing.T) {
	const file = "user-agent: *\ndisallow: /no\n"
	for _, tc := range []struct {
		status, hops int
		want         robots.Access
		no, yes      bool // may /no and /yes be visited?
	}{
		{200, 0, robots.Found, false, true},
		{200, 5, robots.Found, false, true},
		{204, 0, robots.Found, false, true},
		{301, 0, robots.Redirected, false, false},
		{302, 1, robots.Redirected, false, false},
		{303, 2, robots.Redirected, false, false},
		{307, 3, robots.Redirected, false, false},
		{308, 4, robots.Redirected, false, false},
		{308, 5, robots.Unavailable, true, true},
		{301, 99, robots.Unavailable, true, true},
		{400, 0, robots.Unavailable, true, true},
		{401, 0, robots.Unavailable, true, true},
		{403, 0, robots.Unavailable, true, true},
		{404, 0, robots.Unavailable, true, true},
		{410, 5, robots.Unavailable, true, true},
		{499, 0, robots.Unavailable, true, true},
		{429, 0, robots.Unreachable, false, false},
		{500, 0, robots.Unreachable, false, false},
		{503, 0, robots.Unreachable, false, false},
		{599, 0, robots.Unreachable, false, false},
		{0, 0, robots.Unreachable, false, false},
		{-1, 0, robots.Unreachable, false, false},
		{101, 0, robots.Unreachable, false, false},
		{300, 0, robots.Unreachable, false, false},
		{304, 0, robots.Unreachable, false, false},
		{999, 0, robots.Unreachable, false, false},
	} {
		f, got := robots.FromStatus(tc.status, tc.hops, []byte(file))
		rules := f.Agent("plat")
		if got != tc.want || rules.Allowed("/no") != tc.no || rules.Allowed("/yes") != tc.yes || !rules.Allowed("/robots.txt") {
			t.Errorf("status %d after %d hops: %v, /no %v, /yes %v; want %v, %v, %v",
				tc.status, tc.hops, got, rules.Allowed("/no"), rules.Allowed("/yes"), tc.want, tc.no, tc.yes)
		}
	}
}
