// Package simulate replays how pages have changed, at virtual time, and says what a policy of
// package schedule would have seen of it with a given number of visits.
//
// A [Trace] is the changes of the pages of a site. [Run] visits them as a policy says; [Compare]
// does so with several policies and budgets. The outcome depends on nothing but its input: no
// clock, but for the time that planning takes, and no randomness.
package simulate
