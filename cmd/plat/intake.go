package main

import (
	"fmt"

	"plat"
	"plat/queue"
)

// seedJobs reads URLs of the command line and of a list; what they do not say is as in
// defaults.
func (a *app) seedJobs(urls []string, list string, defaults queue.Seed) ([]plat.Job, error) {
	if err := defaults.Check(); err != nil {
		return nil, fail(exitUsage, "%w", err)
	}
	var jobs []plat.Job
	add := func(text, where string) error {
		j, err := queue.ParseSeed(text, defaults, a.Drop())
		if err != nil {
			return fail(exitUsage, "%s%w", where, err)
		}
		jobs = append(jobs, j)
		return nil
	}
	for _, u := range urls {
		if err := add(u, ""); err != nil {
			return nil, err
		}
	}
	if list == "" {
		return jobs, nil
	}
	in, err := a.openList(list)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return jobs, queue.EachSeed(in, func(n int, text string) error { return add(text, fmt.Sprintf("%s line %d: ", list, n)) })
}
