// Package steps defines the actions on a page before it is captured: closing a
// banner, opening a list, filling a form, renewing a login.
//
// [Parse] reads a file of rules; [Set.For] returns the [Plan] for a URL. The package
// has no side effects: package browser runs the plan, and its caller resolves the
// secrets.
//
// # The file
//
//	rules:
//	  - name: news                           # default: "rule 1", "rule 2", …
//	    match: https://news.example/*        # or a list; see [Pattern]
//	    consent: true                        # answer the banners of known consent managers
//	    session:                             # be logged in
//	      hosts: [news.example]              # default: the registrable domains of match
//	      check: {present: "a.logout"}       # present, absent, url, not_url: all must hold
//	      login:
//	        - goto: https://news.example/login
//	        - fill: {selector: "#user", value: "${env:NEWS_USER}"}
//	        - fill: {selector: "#password", value: "${file:/run/secrets/news}"}
//	        - click: "button[type=submit]"
//	    steps:
//	      - click: {selector: "button.more", repeat: 20, optional: true}
//	      - wait: {selector: ".spinner", state: hidden}
//
// All rules that match a URL apply, in order; if several have a session, the first
// one's is used.
//
// A [Step] is a mapping with one action:
//
//	click: SELECTOR                          # {selector, frame, repeat}
//	fill: {selector: SELECTOR, value: TEXT}  # replaces the field's value
//	press: KEY                               # {key, selector}; Enter, Tab, Escape, "a", …
//	wait: SELECTOR | 500ms                   # {selector, state, frame}, {url: PATTERN}
//	scroll: top | bottom | SELECTOR
//	select: {selector: SELECTOR, value: VALUE}
//	goto: URL                                # in login only
//	evaluate: SCRIPT                         # only where it is allowed
//
// In addition the action's mapping may contain optional: true (the step may fail) and
// timeout: 5s (default 10 s). A selector is CSS; "A >>> B" finds B in the open shadow
// root of A. frame is the selector of an iframe.
//
// # Secrets
//
// ${env:NAME} and ${file:PATH} in the value of fill refer to secrets. The package
// stores the reference, never the value, neither in a [Plan] nor in its hash. A
// secret is set only in fields of pages of the hosts of its rule or session.
package steps
