// Package devtools is a client of the DevTools protocol over a pipe, for a Chrome started with
// --remote-debugging-pipe=cbor.
//
// A [Pipe] carries sessions: [Pipe.Root] is the browser's own, [Pipe.Attach] makes one for a
// target. [Call] sends a command of cdproto and waits for its result; [Session.Send] gives a
// [Future], so that several commands may be in flight. Every call has a time limit, and fails with
// [ErrGone] or [ErrDetached] if the browser or the target ends before the answer.
// A refusal is a [*ProtocolError].
//
// Messages are CBOR; see cbor.go. cdproto reads only JSON, so small answers are converted
// ([Unmarshal]); big ones, snapshots above all, are read in place with a [Cursor].
package devtools
