// Package simulate replays policies of package schedule on traces: recorded histories of the
// changes of pages, visited in virtual time with a given number of visits. It measures how fresh
// and complete the copies are.
//
// A [Trace] holds the changes of the pages of a site. [Run] replays one with a policy and a
// budget; [Compare] does so for several policies and budgets. The result depends only on the
// input: there is no randomness, and the clock only measures how long planning takes.
package simulate
