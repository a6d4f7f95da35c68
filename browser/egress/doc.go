// Package egress is the browser's only network access: an HTTP proxy inside plat's
// own process that decides which addresses a page may reach.
//
// Checking URLs before the browser loads them is not enough: the browser
// follows redirects, runs scripts and resolves names again, and the second
// answer of a name server may differ from the first (DNS rebinding). So the
// browser has no network but this proxy. The proxy resolves a name once, checks
// every address in the answer, dials exactly a checked address, and verifies
// the peer once connected.
//
// # Terms
//
// A [Guard] holds the policy, the cache of names and the pool of upstream
// connections; there is one per process. A [Lane] is one loopback listener
// owned by one tab. A page is the traffic on a lane between [Lane.Reset] and
// the next Reset, [Lane.Stop] or the byte limit, whichever is first; at its
// end, all its connections are closed.
//
// # The policy
//
// [Guard.Check] decides about an address and a port; only addresses that pass
// it are dialled. Only global unicast is allowed: addresses that IANA's
// special-purpose registries (RFC 6890 as updated by RFC 8190) do not list as
// something else, and in IPv6 only 2000::/3 (RFC 4291 section 2.4) and the
// well-known NAT64 prefix. An IPv4 address embedded in an IPv6 address (mapped,
// NAT64, ISATAP) is checked as well. [Options.AllowPrivate] opens networks. If
// one address in an answer is refused, the whole name is refused: a name that
// is both public and private indicates an attack, and choosing the public
// address would leave the next answer to the attacker.
//
// Plat's own endpoints stay closed even inside opened networks: ports of its listeners at all
// addresses of this machine (lanes, and those of [Guard.Forbid]) and [Options.Services]. The
// addresses of this machine's interfaces, public ones too, are opened only one by one, by a prefix
// of full length: servers there may trust connections from the machine itself.
//
// # Browser configuration
//
// The proxy only controls traffic sent through it. Start the browser so that no
// other traffic is possible:
//
//	proxyServer      http://<lane.Addr()>, per browser context or --proxy-server
//	proxyBypassList  <-loopback>, or Chrome connects directly to loopback and link-local
//	--disable-quic and --force-webrtc-ip-handling-policy=disable_non_proxied_udp
//	--disable-features=WebRtcHideLocalIpsWithMdns, which queries names by multicast DNS
//	--host-resolver-rules="MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
//
// The order at the end of a page is Stop, then close the browser context, then
// Reset: while a lane is stopped, late connections of the old page are closed
// on arrival and cannot be attributed to the next page.
//
// # Connection sharing
//
// Plain-http connections to servers are pooled per guard, across pages: pages and resources of a
// site share a few connections, which is faster for us and cheaper for the server. Such a
// connection carries no state between pages (cookies and credentials are in the requests); requests
// with connection-bound credentials (NTLM, Negotiate) get a separate connection. Tunnels (CONNECT)
// belong to one page and end with it.
//
// The proxy adds neither Via nor X-Forwarded-For (RFC 9110 section 7.6.3 requires Via from proxies
// that serve other programs): it is part of the user agent, in the same process. A Via would reveal
// the implementation and make some servers send other pages, and a forwarded-for of 127.0.0.1
// carries no information.
//
// # The proxy's own answers
//
// A request that is refused, or that gets no response, is answered by the proxy: a status, the
// reason in the header X-Plat-Egress, and one line that reveals nothing. Two header fields
// Location make the browser fail it like a broken connection, so that the proxy's text is never
// content; see [Answered]. The reasons:
//
//	403 bad-request, no-proxy-request, scheme, method, port, bad-host, zone: the request itself
//	403 private, loopback, …, own-listener, own-address, service: where it leads, see [Guard.Check]
//	403 offline: the page has no network, see [Lane.ResetOffline]
//	403 not-recorded: the page has a recording instead, without a response to it, see [Lane.ResetRecorded]
//	502 no-such-host, unreachable: no connection, or no response of HTTP
//	504 timeout: name server, connection or response takes too long
//
// net/http, which serves the connection, would answer unparsable requests with a page of its own.
// It never sees one: it gets plain heads in place of the real ones.
//
// # Limitations of plain HTTP
//
// A request reaches its server as the browser wrote it: path, query, and fields in their order and
// spelling; only fields for the proxy are left out. Header values with control characters are
// refused. Responses are read and written again by net/http: order and case of their header
// fields are Go's, informational responses (1xx) and trailers are dropped. Chunks are read by the
// rules of browsers. A response that net/http cannot read is passed on byte for byte, with
// "Connection: close" after its first line, since browsers accept more; so is one whose head has a
// zero byte, since they reject it, and data without a head, where they read HTTP/0.9. Its
// [Exchange] has no status and no header. plat reads it beside the browser, only to notice its end.
// Tunnels pass all bytes unchanged. Package plat/fixtures/oddhttp lists such responses.
//
// # Recorded pages
//
// A guard with [Options.Recorded] has no network at all: a [Recording] answers the requests of a page. For https the proxy
// is the server at the end of the tunnel. Its certificates have one key, which the guard makes at its start. A switch of
// Chrome names that key ([Guard.PublicKey]): Chrome accepts its certificates. The key stays in memory, and the browsers of
// other guards reject it.
//
// # Residual risk
//
// A lane accepts connections from any process on the machine: Chrome supports a proxy secret only
// through an authentication round trip per connection. Such a process already has the machine's
// network position, and a lane gives it nothing that it could not dial itself, unless firewalls
// distinguish users. Pages cannot loop back through the lanes: the guard's own listeners are always
// refused. An address that a router translates into one of this machine is not recognised.
package egress
