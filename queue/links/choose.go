package links

import (
	"slices"
	"strings"

	"plat/plat"
	"plat/plat/weburl"
	"plat/queue/schedule"
)

// From is the source of links: a job, and the URL of its page.
type From struct {
	Job plat.Job

	// URL determines the host and domain of the scope: for a seed the final URL after
	// redirects (to www., to https); for other pages the job's own, so that a
	// redirect does not move the scope.
	URL string
}

// InScope follows the anchors and listed URLs within the scope of their page's plan.
// Links nearer to the seeds get a higher priority.
type InScope struct {
	// Files follows links to files outside the scope as well, at any depth and on other hosts, but for
	// what the scope excludes. They have no scope: nothing that they link to is followed.
	Files bool
}

// Fading is the ratio of a link's priority to its page's.
const Fading = 0.9

// Choose returns jobs for the links to follow, each URL once, with priority and plan
// but without a due time. A plan may have several scopes, one per line: a link gets
// the first one that contains it.
func (g InScope) Choose(from From, all []Link) []plat.Job {
	type line struct {
		text string
		Scope
	}
	var scopes []line
	for text := range strings.Lines(from.Job.Scope) {
		text = strings.TrimSuffix(text, "\n")
		if s, err := ParseScope(text); err == nil { // validated on input; an older version's may be invalid
			scopes = append(scopes, line{text, s})
		}
	}
	if len(scopes) == 0 {
		return nil
	}
	var jobs []plat.Job
	seen := map[string]bool{from.Job.URL: true}
links:
	for i := range all {
		l := &all[i]
		if seen[l.URL] || l.Kind != Anchor && l.Kind != Listed {
			continue
		}
		seen[l.URL] = true
		add := func(scope string) {
			jobs = append(jobs, plat.Job{URL: l.URL, Priority: from.Job.Priority * Fading,
				Plan: plat.Plan{Depth: from.Job.Depth + 1, Scope: scope, Schedule: schedule.Inherited(from.Job.Plan.Inherited()), Signal: l.Signal, Spelling: l.As}})
		}
		for _, s := range scopes {
			if s.Follows(from.URL, from.Job.Depth, l.URL) {
				add(s.text)
				continue links
			}
		}
		if g.Files && l.Kind == Anchor && weburl.NamesFile(l.URL) && slices.ContainsFunc(scopes, func(s line) bool { return s.Reach != ReachPage && !s.excludes(l.URL) }) {
			add("")
		}
	}
	return jobs
}
