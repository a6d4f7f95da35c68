// Package devtools speaks the DevTools protocol over a pipe to a Chrome that was started with
// --remote-debugging-pipe=cbor.
//
// A [Pipe] carries sessions: [Pipe.Root] is the browser's own, [Pipe.Attach] makes one for a
// target. [Call] sends a command of cdproto and waits for its result; [Session.Send] gives a
// [Future], so that several commands may be under way. Every call has a limit in time, and
// fails with [ErrGone] or [ErrDetached] when the browser or the target goes before it answers.
// A refusal is a [*ProtocolError].
//
// Messages are CBOR; see cbor.go. cdproto knows only JSON, so small answers are rewritten
// ([Unmarshal]); big ones, snapshots above all, are read in place with a [Cursor].
package devtools
