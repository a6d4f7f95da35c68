// Package follow examines subscriptions: it goes through the versions that the archive has of
// their pages since they were last examined, lets package watch find what is new, and stores
// the items, and messages about them, in one call.
//
// Visits know nothing of it. Items are derived from stored versions, so they may be derived
// again after any interruption, by any process: their IDs are made of what they are. A
// subscription whose page has a new version is behind (see storage.Subscriptions.Behind), and
// [Follower.Run] examines those that are.
//
// [Subscribe] stores subscriptions and has their pages visited, for commands and the web alike.
//
// What stands on a page at its first look is stored as items too, so that a feed has
// something to show from its first day, but nobody is told of it.
package follow
