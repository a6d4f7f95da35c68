package egress

import (
	"net/http"
	"net/textproto"
	"strings"
)

// verdict is the header in which the proxy's own answers say why, in one word.
const verdict = "X-Plat-Egress"

// hopByHop are the fields that concern one connection only, RFC 9110 section
// 7.6.1, with those that older clients and servers use in spite of it.
var hopByHop = [...]string{
	"Connection", "Proxy-Connection", "Keep-Alive", "Te", "Trailer",
	"Transfer-Encoding", "Upgrade", "Proxy-Authenticate", "Proxy-Authorization",
}

// endToEnd copies a header without what must not be passed on.
func endToEnd(h http.Header) http.Header {
	out := make(http.Header, len(h))
	for name, values := range h {
		out[name] = values
	}
	for _, field := range h["Connection"] {
		for name := range strings.SplitSeq(field, ",") {
			delete(out, textproto.CanonicalMIMEHeaderKey(textproto.TrimString(name)))
		}
	}
	for _, name := range hopByHop {
		delete(out, name)
	}
	return out
}

// isWebSocket reports whether a request asks to become a WebSocket, RFC 6455
// section 4.1. No other protocol is switched to.
func isWebSocket(h http.Header) bool {
	return strings.EqualFold(h.Get("Upgrade"), "websocket") && hasToken(h["Connection"], "upgrade")
}

func hasToken(fields []string, token string) bool {
	for _, field := range fields {
		for name := range strings.SplitSeq(field, ",") {
			if strings.EqualFold(textproto.TrimString(name), token) {
				return true
			}
		}
	}
	return false
}

// boundToConnection reports whether credentials hold for a connection rather
// than a request (NTLM and Negotiate, RFC 4559 section 6).
func boundToConnection(h http.Header) bool {
	scheme, _, _ := strings.Cut(h.Get("Authorization"), " ")
	return strings.EqualFold(scheme, "NTLM") || strings.EqualFold(scheme, "Negotiate")
}
