// Package replay turns an archived version into a page that can be looked at.
//
// What is archived is the page after its scripts had run, byte for byte (see
// [plat/history.Page]), and with it the style sheets, images and fonts that it
// used: the resources, listed in a [plat.Manifest]. To show it, references have to
// lead to those resources, links to other mementos, and what would act (scripts,
// refreshes, forms) has to go. There are two ways:
//
//   - [View] makes a page for a server of ours, in which scripts are off. Its
//     resources are served under paths that a [Key] has signed: a page in an origin
//     of its own sends no credentials, so the path says that its bearer was shown
//     the page. Style sheets are served through [Assets.CSS].
//   - [Playable] makes a page for players of web archives, which look resources up
//     under their own URLs.
//
// Rewriting is for the looks alone. That a page cannot act has to hold by the policy
// (Content-Security-Policy) under which it is served, whatever a browser's parser
// makes of the page.
//
// Pages are untrusted input: rewriting never fails because of what a page says, and
// its result is bounded by a multiple of the page's size.
package replay
