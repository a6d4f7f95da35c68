package links

import (
	"strings"

	"plat"
)

// From is what has links: a job, and where its page is.
type From struct {
	Job plat.Job

	// URL is that of the page by which hosts and domains are told: of a seed that where
	// redirects have led (to www., to https); of any other page the job's own, so that
	// a redirect does not take the scope elsewhere.
	URL string
}

// InScope follows the anchors and listed URLs that are in the scope of their page's plan.
// What is nearer to the seeds comes first.
type InScope struct{}

// Fading is how much of a page's priority its links have.
const Fading = 0.9

// Choose returns jobs for the links that are to be followed, each URL once, with its
// priority and its plan and without a time. A plan may have several scopes, a line each:
// the first that a link is in becomes the link's own.
func (InScope) Choose(from From, all []Link) []plat.Job {
	type line struct {
		text string
		Scope
	}
	var scopes []line
	for text := range strings.Lines(from.Job.Scope) {
		text = strings.TrimSuffix(text, "\n")
		if s, err := ParseScope(text); err == nil { // it was checked when it came; an older version's, perhaps
			scopes = append(scopes, line{text, s})
		}
	}
	if len(scopes) == 0 {
		return nil
	}
	var jobs []plat.Job
	seen := map[string]bool{from.Job.URL: true}
	for i := range all {
		l := &all[i]
		if seen[l.URL] || l.Kind != Anchor && l.Kind != Listed {
			continue
		}
		seen[l.URL] = true
		for _, s := range scopes {
			if s.Follows(from.URL, from.Job.Depth, l.URL) {
				jobs = append(jobs, plat.Job{URL: l.URL, Priority: from.Job.Priority * Fading,
					Plan: plat.Plan{Depth: from.Job.Depth + 1, Scope: s.text, Schedule: from.Job.Schedule, Signal: l.Signal}})
				break
			}
		}
	}
	return jobs
}
