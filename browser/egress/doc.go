// Package egress is the only way out of the browser: an HTTP proxy inside our
// own process that decides which addresses a page may reach.
//
// A page can name any URL. Checking URLs before the browser loads them does not
// help: the browser follows redirects, runs scripts and looks names up again,
// and the second answer of a name server may be another than the first
// (rebinding). So the browser gets no network but this proxy, and the proxy
// resolves a name once, judges every address of the answer, dials exactly an
// address that it judged, and looks at the peer again once connected.
//
// # Nouns
//
// A [Guard] holds the policy, the cache of names and the pool of upstream
// connections; there is one per process. A [Lane] is one loopback listener that
// one tab owns. A page is what happens on a lane between [Lane.Reset] and the
// next Reset, [Lane.Stop] or the byte limit, whichever is first; when it ends,
// all its connections die.
//
// # The policy
//
// [Guard.Check] decides about an address and a port, and everything that is
// dialled went through it. Allowed is global unicast only: what IANA's
// special-purpose registries (RFC 6890 as updated by RFC 8190) do not list as
// something else, and in IPv6 only 2000::/3 (RFC 4291 section 2.4) and the
// well-known NAT64 prefix. An IPv4 address embedded in an IPv6 address (mapped,
// NAT64, ISATAP) is judged as well. [Options.AllowPrivate] opens networks.
// If one address in an answer is refused, the name is refused: a name that is
// public and private at once is what an attack looks like, and picking the
// public half would leave the choice to whoever answers next.
//
// # What the browser must be told
//
// The proxy guards what is sent through it. The browser has to be started so
// that nothing else is possible:
//
//	proxyServer      http://<lane.Addr()>, per browser context or --proxy-server
//	proxyBypassList  <-loopback>, or Chrome goes to loopback and link-local by itself
//	--disable-quic and --force-webrtc-ip-handling-policy=disable_non_proxied_udp
//	--host-resolver-rules="MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
//
// The order at the end of a page is Stop, then close the browser context, then
// Reset: while a lane is stopped, late connections of the old page are closed as
// they arrive and cannot be taken for the next page's.
//
// # What it costs in privacy and politeness
//
// Plain-http connections to servers are pooled per guard, across pages: a site's
// pages and resources then share a few connections instead of opening new ones,
// which is faster for us and cheaper for the server. Such a connection carries
// nothing from one page to the next (cookies and credentials are in the
// requests); requests with connection-bound credentials (NTLM, Negotiate) get a
// connection of their own. Tunnels (CONNECT) belong to one page and die with it.
//
// The proxy adds neither Via nor X-Forwarded-For (RFC 9110 section 7.6.3 asks
// for Via of proxies that serve others): it is a part of the user agent, in the
// same process; a Via would only tell servers how it is built and make some of
// them send other pages, and a forwarded-for of 127.0.0.1 tells nobody anything.
//
// # What is lost in the clear
//
// Plain-http requests are read by net/http, which is strict, and written again:
// the order and case of header fields are Go's, informational responses (1xx)
// and trailers are dropped, and a path with a percent sign that begins no escape
// ("/100%") is answered 400 here, without an [Exchange], because net/http takes
// no such path. Tunnels pass every byte as it is.
//
// # Residual risk
//
// A lane takes connections from any process on the machine: Chrome can present
// a proxy secret only through an authentication round trip per connection.
// Such a process already has the machine's network position, and gets from
// a lane nothing that it could not dial itself, unless firewalls tell users
// apart. Pages cannot come back through the lanes: the guard's own listeners
// are refused always, also where loopback is opened, and so is every other port
// named by [Guard.Forbid], such as the browser's debugging port.
package egress
