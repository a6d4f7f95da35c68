// Package act does on a page what a [steps.Plan] says before the page is taken: it restores or
// makes a login session ([Actor.Enter], then [Actor.Run]), answers consent banners, and clicks,
// types, waits and scrolls as the rules say. After each, the page settles again.
//
// Secrets go only into pages of the hosts that a rule covers, and out of nothing: [Actor.Redact],
// [Actor.RedactResources] and [Actor.Conceal] take them out of snapshots, addresses and the page
// itself. What a page makes of a secret, other than to show it, cannot be known.
//
// Actions are chromedp's, by way of plat/browser/driver. A step that fails is a
// [*plat.VisitError] with a picture of the page.
package act
