// Package plat defines the shared domain types: the rendered page ([Snapshot],
// [Node], [Rect]), its segmentation ([Page], [Layout], [Block]), what the archive
// stores ([Version], [Visit], [URLState]) and the differences between two versions
// ([Change]).
//
// # The data path
//
//	URL ─► storage.Version     I/O      last version, its level
//	       browser.Render      Chrome   Snapshot: DOM + boxes + colours
//	       segment.Segment     pure     block tree, layout with slots
//	       label.Describe      pure     topic, role and label of each block
//	       diff.Compare        pure     changes, lineages
//	       softerror.Of        pure     whether it is the page at all
//	       noise.Weigh         pure     what the page changes by itself, from a second look
//	       links.Choose        pure     which links are enqueued, with which [Plan]
//	       article.Read        pure     kind and main text, kept as references to the blocks
//	       schedule.Decide     pure     when the URL is due again
//	       storage.Commit      I/O      only what is new, and the due time
//
// The function visit of package workers implements this path, top to bottom. Start
// reading there.
//
// # Conventions
//
// Lengths are CSS pixels, sizes are bytes, durations are [time.Duration] and instants
// are UTC. Text is UTF-8. The package does no I/O, reads no clock and is independent
// of storage formats.
//
// Unless another paper is named, section numbers in comments refer to Song, Wang, Bao
// and Shen, "Collecting and Storing Web Archive Based on Page Block", Journal of
// Software 19(2), 2008, abbreviated BWAP.
//
// docs/glossary.md defines the terms used here.
package plat
