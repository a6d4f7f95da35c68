// Package process starts Chrome with a pipe to it and a profile of its own, and ends it without
// a trace.
//
// [Find] says which binary, [Start] starts it, [Process.Stop] ends its processes and removes the
// profile. Each browser has a process group, which signals reach as a whole, and its profile is
// locked for as long as its owner lives. So what a killed owner has left is known as such:
// [CleanLeftovers] removes it at the next start. [Abandon] is for owners that cannot wait.
//
// The command line lets nothing out but through the proxy of each browser context, turns off all
// that goes on beside the page, and makes the same page look the same everywhere.
package process
