// Package notify sends messages about items to people and programs: to webhooks, by mail, by
// chat and push services, and to commands.
//
//	Outbox ──Take──▶ Deliver ──Load──▶ Delivery      what a message tells of
//	   ▲                │                  │
//	   │                ▼                  ▼
//	   │              Sender ◀── channel URL, its secrets read now
//	   │                │
//	   │                ├─ http, https ─▶ webhook    Standard Webhooks: signed JSON
//	   │                ├─ smtp, smtps ─▶ mail       go-mail: text and HTML
//	   │                ├─ command ─────▶ program    JSON on standard input
//	   │                └─ telegram, … ─▶ service    shoutrrr: a short text
//	   │                │
//	   │             Outcome
//	   │                ├─ sent ────────▶ Sent
//	   └─ Failed, Due ◀─┼─ failed ──────▶ Next       again later, or given up
//	                    └─ refused ─────▶ Disable    the channel, for a person to mend
//
// [Sender.Send] makes one attempt. [Deliver] is the loop: at least once, in the order of a
// channel and subscription, under one ID. [Next] says when to try again.
//
// # Connections
//
// All connections are made by Options.Dial, which decides what may be reached. The library
// shoutrrr takes an HTTP client for some services only; for others, requests go through a
// relay on loopback that dials so, or their server is the provider's, whatever their URL
// says. A service that fits none of these is refused, see Options.Unguarded.
//
// # Secrets
//
// Channel URLs name secrets, as $NAME or $file:PATH. They are read for each attempt. Errors
// are texts in which secrets, and all parts of the URL that may be some, are replaced;
// [Redacted] does so for URLs.
//
// # Texts
//
// Items come from pages, which are untrusted input. Their texts are one line each, without
// control characters and bidirectional overrides, bounded, and escaped where they are put.
package notify
