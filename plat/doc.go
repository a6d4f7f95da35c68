// Package plat defines the shared domain types: the rendered page ([Snapshot],
// [Node], [Rect]), its segmentation ([Page], [Layout], [Block]), what the archive
// stores ([Version], [Visit], [URLState]) and the differences between two versions
// ([Change]).
//
// # The data path
//
//	URL ─► storage.Archive     I/O      last version, its level
//	       browser.Render      Chrome   Snapshot: DOM + boxes + colours
//	       segment.Segment     pure     block tree, layout with slots
//	       label.Describe      pure     topic, role and label of each block
//	       diff.Compare        pure     changes, lineages
//	       softerror.Of        pure     error, login or consent page instead of the content
//	       noise.Weigh         pure     self-changes of the page, from further renderings by a callback
//	       links.InScope       pure     links to enqueue, each with its [Plan]
//	       article.Read        pure     kind and main text, as references to the blocks
//	       schedule.Decide     pure     the URL's next due time
//	       storage.Archive     I/O      only new blocks and layouts, and the due time
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
// Unless a paper is named, section numbers in comments refer to Song, Wang, Bao
// and Shen, "Collecting and Storing Web Archive Based on Page Block", Journal of
// Software 19(2), 2008, abbreviated BWAP.
//
// docs/glossary.md defines the terms used here.
package plat
