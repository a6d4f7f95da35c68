// Package stealth hides from pages that a browser is headless: by flags ([Flags]), by its user
// agent ([Identity]), by the permissions of a context ([Permissions]), and by scripts
// that run before those of a page ([Page]) and of its workers ([Worker]).
//
// It only supplies these settings; its callers apply them. docs/stealth.md lists the hidden marks
// with reasons and checks. Robots.txt and rate limits apply unchanged.
package stealth
