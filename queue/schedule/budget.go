package schedule

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"plat/plat"
)

// Budget is the number of visits that pages get after their first: those of a fleet, or those of a
// host.
type Budget struct {
	Visits float64 // a day
	Host   bool    // of each host
}

// ParseBudget parses "5000/day", "200/hour" and the like; "200/day/host" is for each host. The
// error gives the syntax.
func ParseBudget(text string) (b Budget, err error) {
	rest := text
	rest, b.Host = strings.CutSuffix(rest, "/host")
	number, unit, _ := strings.Cut(rest, "/")
	n, err := strconv.ParseFloat(number, 64)
	per := map[string]float64{"minute": 1440, "hour": 24, "day": 1, "week": 1.0 / 7}[unit]
	if err != nil || per == 0 || !(n >= 0 && n <= maxBudget) {
		return b, fmt.Errorf("budget %q: write 5000/day, or a number per minute, hour or week; 200/day/host for each host; at most %.0f", text, float64(maxBudget))
	}
	b.Visits = n * per
	return b, nil
}

// maxBudget is more visits than any fleet can make.
const maxBudget = 1e9

// Pool returns a name for the URLs that share a budget: the policy, the visits and, for a budget
// per host, the host. Empty without a budget.
func Pool(s plat.Schedule, host string) string {
	if s.Budget == "" {
		return ""
	}
	b, err := ParseBudget(s.Budget)
	if err != nil {
		return "" // of a newer version
	}
	if !b.Host {
		host = ""
	}
	return strings.TrimSpace(fmt.Sprintf("%s %g/day %s", cmp.Or(s.Policy, Default), b.Visits, host))
}

// Default bounds of a chosen interval.
const (
	leastInterval = 10 * time.Minute
	mostInterval  = 30 * 24 * time.Hour
)

// perPage returns the days between two visits of a page, if the budget is divided equally among so
// many pages.
func (b Budget) perPage(pages float64) float64 {
	if !(b.Visits > 0) {
		return math.Inf(1)
	}
	return max(pages, 1) / b.Visits
}
