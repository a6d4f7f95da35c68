// Package schedule decides when a URL is visited again. It is pure: no clock, no I/O
// and no randomness, so that whoever does a visit again decides the same.
//
// A policy is called after a page was compared with its last version and before the
// visit is stored. It is given what the visit found, and what it remembered at the visit
// before, and returns when the URL is due and what to remember now; both are stored with
// the visit, in one step. Which policy it is, and its settings, are in the URL's crawl
// plan, [plat.Schedule].
//
// To add a policy: write a type with the method Next in a file of its own, and name it in
// the table of policies. CONTRIBUTING.md has an example.
package schedule
