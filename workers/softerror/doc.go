// Package softerror recognizes answers in place of a page: a login, a notice of
// maintenance, "checking your browser", an error page with status 200 (a soft error), the home page, an empty
// page, half a page. Servers send them with a status of success, and an archive that stores them gets a version
// with everything removed, and one with everything added.
//
// Words alone do not decide. [Of] first measures the share of the last version that is still there:
// an answer with most of it is the page, in any words. A [Sign] is a
// suspicion with a name; if the answer is the same after a while, it has become the page.
//
// [Answers] uses the answers of further URLs of a host: a notice of unknown wording,
// or the home page, is the same under many URLs.
//
// The package is deterministic: no I/O, no clock.
package softerror
