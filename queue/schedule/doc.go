// Package schedule decides when a URL is visited again. It is pure: no clock, no I/O
// and no randomness, so that a retried visit gets the same decision.
//
// A policy is called after the comparison of a page with its last version and before
// the visit is stored. Its input is the result of the visit and its own memory from
// the previous visit; its output is the next due time and the new memory, which are
// both stored atomically with the visit. The URL's crawl plan, [plat.Schedule], has
// the policy's name and settings.
//
// Policies that learn ([Learning]) keep budgets. They are given also what pages with the same
// budget and of the same site share ([Shared]), and return what the visit adds to that
// ([Learned]). Their visits are due early: [Wait] says, before such a visit, whether it is
// worth it yet.
//
// A [Planner] calls the policy for a worker, with what a fleet shares of budgets and sites. If a policy
// fails, the visit counts all the same.
//
// To add a policy that says how much a visit is worth, add a line to the table worths. To add
// another: write a type with the method Next in a file of its own, and add it to the table
// policies. CONTRIBUTING.md has an example.
package schedule
