// Package schedule decides when a URL is visited again.
//
// A [Planner] plans the visits of a worker or a loader: it calls the policy of the URL with the
// data that the fleet shares. [Planner.Next] is called after the comparison of a page with its last
// version and before the visit is stored. Its input is the result of the visit and the policy's own
// memory from the previous visit; its output is the next due time and the new memory, which are
// both stored atomically with the visit. If a policy fails, the visit still counts. The URL's crawl
// plan, [plat.Schedule], has the policy's name and settings.
//
// Policies are pure, without clock, I/O or randomness, so that a retried visit gets the same
// decision.
//
// Policies that learn ([Learning]) keep budgets. Their input includes the data that pages with the
// same budget and on the same site share ([Shared]), and their output includes the visit's
// contribution to it ([Learned]). They make visits due early: [Wait] returns, before such a visit,
// the time until which it is not worth it yet.
//
// To add a policy with its own value of a visit, add a line to the table worths. To add a policy of
// a different kind, write a type with the method Next in a file of its own, and add it to the table
// policies. CONTRIBUTING.md has an example.
package schedule
