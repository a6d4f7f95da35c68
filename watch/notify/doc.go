// Package notify sends messages about items to users and programs: to webhooks, by mail, by
// chat and push services, and to commands.
//
//	Outbox ──Take──▶ Deliver ──Load──▶ Delivery      its items and subscriptions
//	   ▲                │                  │
//	   │                ▼                  ▼
//	   │              Sender ◀── channel URL, secrets are read now
//	   │                │
//	   │                ├─ http, https ─▶ webhook    Standard Webhooks: signed JSON
//	   │                ├─ smtp, smtps ─▶ mail       go-mail: text and HTML
//	   │                ├─ command ─────▶ program    JSON on standard input
//	   │                └─ telegram, … ─▶ service    shoutrrr: a short text
//	   │                │
//	   │             Outcome
//	   │                ├─ sent ────────▶ Sent
//	   └─ Failed, Due ◀─┼─ failed ──────▶ Next       a later attempt, or the end
//	                    └─ refused ─────▶ disable    the channel, until a user repairs it
//
// [Sender.Send] makes one attempt. [Deliver] sends each message at least once, in the order of
// its channel and subscription, under one ID. [Next] returns the time of the next attempt.
//
// # Connections
//
// All connections use Options.Dial, which decides which addresses may be reached. The library
// shoutrrr accepts an HTTP client only for some services. For the rest, requests go through a
// relay on loopback that uses Dial, or the server is always the provider's, whatever the URL
// says. A service without such a protection is refused, see Options.Unguarded.
//
// # Secrets
//
// Channel URLs refer to secrets as $NAME or $file:PATH, which are read for each attempt. In
// errors, secrets and all parts of the URL that may be secret are replaced. [Redacted] does the
// same for URLs.
//
// # Texts
//
// Items come from pages, which are untrusted input. Each of their texts is one line of limited
// length, without control characters and bidirectional overrides, and is escaped for its place
// in the message.
package notify
