// Package robots implements crawler rules: robots.txt as specified by RFC 9309,
// and robots meta tags.
//
// [FromStatus] turns any response to a request for /robots.txt into a [File];
// [File.Agent] selects the rules of one crawler, and [Rules.Allowed] matches a
// path against them. The package does no I/O: fetching, following redirects,
// caching ([MaxAge]) and waiting are the caller's. Files and Rules are
// immutable, so goroutines may share them.
//
// # Where the standard leaves a choice
//
// The more restrictive interpretation is used, unless the text says otherwise:
//
//   - Names of records are matched exactly. RFC 9309 section 2.2 defines
//     "user-agent", "allow" and "disallow", and the colon; misspellings are other
//     records, which are ignored (section 2.2.4).
//   - Other records, such as Sitemap and Crawl-delay, neither begin nor end a
//     group (section 2.2.4; crawler-commons #390 and #430 describe files that
//     assumed otherwise). An agent followed only by a Crawl-delay hence shares
//     the rules of the agents named next, but a delay only applies to the agents
//     named above it.
//   - Octets are compared by value: an escape and the plain character are equal,
//     including reserved characters ("%24" and "$"), since section 2.2.2 escapes
//     them on both sides before comparison. "%2F" and "%3F" before the query are
//     not "/" and "?": these divide a path, and servers tell them apart (RFC 3986
//     section 2.2). In the query they are, as in the RFC's table; a pattern that has
//     one after a wildcard, "/*%2Fx", also matches the escape in a query.
//   - Of matching rules with equally many octets, allow wins (section 2.2.2), as
//     in the reference parser, github.com/google/robotstxt.
//   - A pattern that begins with neither "/" nor "*" matches no path, as matching
//     starts with the path's first octet (section 2.2.2).
//   - Only http and https sitemaps are kept.
//
// # Bounds
//
// [Parse] reads at most [MaxSize] bytes in linear time. This also bounds
// memory: the shortest rule takes eight bytes ("allow:/" and the end of its
// line), so there are at most 64,000, and no rule within the size required by
// the RFC is dropped. A line cut off at the limit is ignored: a truncated
// pattern would match too much.
package robots
