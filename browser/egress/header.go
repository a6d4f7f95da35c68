package egress

import (
	"net/http"
	"net/textproto"
	"strings"
)

// verdict is the header with the reason for the proxy's own responses, in one
// word.
const verdict = "X-Plat-Egress"

// mark is a header field Location of the proxy's own responses. A browser fails a response with
// two different ones, with any status, like a broken connection
// (ERR_RESPONSE_HEADERS_MULTIPLE_LOCATION): a frame shows Chrome's own error page, fetch rejects,
// an image is broken. So the proxy's text is never content. If the proxy broke the connection
// instead, Chrome would repeat the request on a reused connection.
var mark = [...]string{"about:blank#blocked", "about:blank#by-plat"}

// Answered reports whether a net error of Chrome, "net::ERR_…", results from the proxy's own
// responses. [Lane.Failure] returns the reason then.
func Answered(netError string) bool {
	return strings.Contains(netError, "ERR_RESPONSE_HEADERS_MULTIPLE_LOCATION") || strings.Contains(netError, "ERR_TUNNEL_CONNECTION_FAILED")
}

// hopByHop are the connection-specific fields, RFC 9110 section 7.6.1, and
// obsolete ones that older clients and servers still use.
var hopByHop = [...]string{
	"Connection", "Proxy-Connection", "Keep-Alive", "Te", "Trailer",
	"Transfer-Encoding", "Upgrade", "Proxy-Authenticate", "Proxy-Authorization",
}

// endToEnd copies a header without its connection-specific fields.
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

// isWebSocket reports whether a request asks for an upgrade to WebSocket, RFC
// 6455 section 4.1. Other upgrades are not supported.
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

// boundToConnection reports whether credentials apply to a connection rather
// than a request (NTLM and Negotiate, RFC 4559 section 6).
func boundToConnection(h http.Header) bool {
	scheme, _, _ := strings.Cut(h.Get("Authorization"), " ")
	return strings.EqualFold(scheme, "NTLM") || strings.EqualFold(scheme, "Negotiate")
}
