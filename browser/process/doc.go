// Package process starts Chrome with a pipe and a new profile, and ends it without
// a trace.
//
// [Find] selects the binary, [Start] starts it, [Process.Stop] ends its processes and removes the
// profile. Each browser has a process group, which signals reach as a whole, and its profile is
// locked for as long as its owner lives. So the leftovers of a killed owner are recognisable:
// [CleanLeftovers] removes them at the next start. [Abandon] is for owners that cannot wait.
//
// The command line restricts traffic to the proxy of each browser context, disables background
// work, and makes the same page render the same everywhere.
package process
