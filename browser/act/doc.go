// Package act performs a [steps.Plan] on a page before the page is captured: it restores or starts
// a login session ([Actor.Enter], then [Actor.Run]), answers consent banners, and clicks,
// fills, waits and scrolls as the rules require. After each, the page settles again.
//
// Secrets are set in fields of the hosts that a rule covers, through the field's own node, and no
// key is sent to a frame of a different site. [Actor.Redact], [Actor.RedactResources],
// [Actor.RedactError] and [Actor.Conceal] remove them from snapshots, resources, messages and the
// page itself, by way of plat/browser/redact. Text that a page derives from a secret is not
// recognised.
//
// Actions are chromedp's, by way of plat/browser/driver. A step that fails is a
// [*plat.VisitError] with a picture of the page.
package act
