// Package follow examines subscriptions: it reads the versions of their pages since the last
// examination, finds new items with package watch, and stores the items, and messages about
// them, in one call.
//
// It is independent of visits. Items are derived from stored versions, so any process can
// derive them again after an interruption: their IDs are hashes of their content. A
// subscription whose page has a new version is behind (see storage.Subscriptions.Behind).
// [Follower.Run] examines subscriptions that are behind.
//
// [Subscribe] stores subscriptions and schedules visits of their pages, for commands and the
// web alike.
//
// The entries of the first check of a page are stored as items too, so that a feed is not empty
// on its first day, but no messages are sent about them.
package follow
