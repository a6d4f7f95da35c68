// Package stealth hides from pages that a browser is headless: by flags ([Flags]), by what it
// calls itself ([Identity]), by the permissions of a context ([Permissions]), and by scripts
// that run before those of a page ([Page]) and of its workers ([Worker]).
//
// It only says what Chrome is to be told; telling it is its callers' business. What is hidden
// and why, with the checks that show it, is in docs/stealth.md. None of it overrides robots.txt
// or rate limits.
package stealth
