// Package robots says what a site lets crawlers do: its robots.txt, by RFC 9309
// to the letter, and its robots meta tags.
//
// [FromStatus] turns the answer to a request for /robots.txt into a [File],
// whatever the answer was; [File.Agent] picks the rules of one crawler, and
// [Rules.Allowed] asks them about a path. The package does no I/O: fetching,
// following redirects, caching ([MaxAge]) and waiting are the caller's. Files and
// Rules are never changed, so goroutines may share them.
//
// # Where the standard leaves a choice
//
// The reading that keeps the crawler away is taken, unless the text says
// otherwise:
//
//   - Names of records are read strictly. RFC 9309 section 2.2 defines
//     "user-agent", "allow" and "disallow", and the colon; misspellings are other
//     records, and those are ignored (section 2.2.4).
//   - Other records, Sitemap and Crawl-delay among them, neither begin nor end a
//     group (section 2.2.4; crawler-commons #390 and #430 tell of the files that
//     meant it otherwise). An agent with nothing but a Crawl-delay hence shares
//     the rules of the agents named next, but a delay is only for the agents
//     named above it.
//   - Octets are compared by value: an escape and the plain character are the
//     same, of reserved characters too ("%2F" and "/"), since section 2.2.2 has
//     these escaped on both sides before comparison.
//   - Of rules that match with equally many octets the one that allows wins
//     (section 2.2.2), as in the reference parser, github.com/google/robotstxt.
//   - A pattern that begins with neither "/" nor "*" matches no path, as matching
//     starts with the path's first octet (section 2.2.2).
//   - Only http and https sitemaps are kept.
//
// # Bounds
//
// [Parse] reads [MaxSize] bytes in time linear in them. That bound is also the
// one on what is kept: the shortest rule takes eight bytes ("allow:/" and the end
// of its line), so there are at most 64,000 of them, and no rule within the size
// that the RFC wants read is ever dropped. A line that the bound cuts is left
// out: half a pattern would match more than was meant.
package robots
