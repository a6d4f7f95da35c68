// Package flags declares the command-line flags of the settings, in groups. It parses no command
// line: each command adds the groups that it needs.
package flags

import (
	"time"

	"github.com/spf13/pflag"

	"plat/cmd/plat/settings"
	"plat/queue/traps"
	"plat/segment"
)

// Defaults that help names.
const (
	DefaultStore  = "sqlite:plat.db" // the archive without --store
	DefaultListen = "127.0.0.1:8632" // where plat up and plat serve listen
)

// Group is a set of flags that are shown together in help; its text is their heading.
type Group string

// The groups.
const (
	Everywhere Group = "Flags of every command"
	Naming     Group = "How URLs are named"
	Rendering  Group = "How pages are rendered"
	Reaching   Group = "What pages may reach"
	Cutting    Group = "How pages are cut and kept"
	Fleet      Group = "How workers share their work"
	Serving    Group = "What is served, and to whom"
	Telling    Group = "How people are told"
	Keeping    Group = "How long versions are kept"
)

// Groups are all groups, as help lists them.
var Groups = [...]Group{Serving, Telling, Fleet, Cutting, Keeping, Rendering, Reaching, Naming, Everywhere}

// Of returns flags that set the settings, by group.
func Of(s *settings.Settings) map[Group]*pflag.FlagSet {
	declare := map[Group]func(*pflag.FlagSet, *settings.Settings){
		Everywhere: generalFlags, Naming: namingFlags, Rendering: renderingFlags, Reaching: reachingFlags, Fleet: fleetFlags, Serving: servingFlags, Telling: tellingFlags, Cutting: cuttingFlags, Keeping: keepingFlags,
	}
	sets := make(map[Group]*pflag.FlagSet, len(Groups))
	for _, g := range Groups {
		sets[g] = pflag.NewFlagSet(string(g), pflag.ContinueOnError)
		sets[g].SortFlags = false
		declare[g](sets[g], s)
	}
	return sets
}

func generalFlags(f *pflag.FlagSet, s *settings.Settings) {
	f.StringVar(&s.Store, "store", DefaultStore, "the archive: a file, as news.db or sqlite:PATH, or mongodb://HOST/DATABASE")
	f.BoolVar(&s.JSON, "json", false, "print JSON, one document a line")
	f.BoolVarP(&s.Quiet, "quiet", "q", false, "print no progress, and of archived pages only failures")
	f.BoolVar(&s.NoColor, "no-color", false, "print no colours (as does NO_COLOR in the environment)")
	f.StringVar(&s.LogLevel, "log-level", "warn", "level of the log on standard error: debug, info, warn or error")
	f.StringVar(&s.LogFormat, "log-format", "text", "format of the log: text or json")
}

func namingFlags(f *pflag.FlagSet, s *settings.Settings) {
	f.BoolVar(&s.KeepParams, "keep-params", false, "keep tracking parameters (utm_source, fbclid and the like) in URLs")
}

func renderingFlags(f *pflag.FlagSet, s *settings.Settings) {
	f.StringVar(&s.Chrome, "chrome", "", "`PATH` of Chrome, Chromium or headless shell (default: the first found)")
	f.IntVar(&s.Tabs, "tabs", 0, "pages rendered at once, at most (default: as many as keep the machine busy)")
	f.DurationVar(&s.Timeout, "timeout", 90*time.Second, "limit for the whole of a page")
	f.DurationVar(&s.LoadTimeout, "load-timeout", 30*time.Second, "limit for loading; a page that has begun by then is captured as it is")
	f.DurationVar(&s.SettleTimeout, "settle-timeout", 12*time.Second, "how long to wait, after it has loaded, for a page to settle")
	f.StringVar(&s.Frozen, "frozen", "", "let every page begin at the same `TIME` and draw the same random numbers, to compare renderings")
	f.Lookup("frozen").NoOptDefVal = settings.FrozenTime
	f.Int64Var(&s.MaxBytes, "max-bytes", 100<<20, "most `BYTES` a page may receive")
	f.StringVar(&s.Files, "files", "linked", "files that are no pages, as PDF documents, office documents and archives: linked (kept like pages, when they are visited), all (also those outside a crawl's scope that its pages link to, by their names) or none")
	f.IntVar(&s.MaxNodes, "max-nodes", 500_000, "most DOM nodes of a page that is divided in full; the small parts of a larger one become plain text")
	f.BoolVar(&s.AlwaysRender, "always-render", false, "render every page, even if none of its resources has changed")
	f.BoolVar(&s.Stealth, "stealth", false, "hide headless mode and use a desktop browser's name: some sites refuse crawlers that give their name")
	f.StringVar(&s.Agent, "agent", "plat", "our name in robots.txt")
	f.StringVar(&s.Contact, "contact", "", "`URL` or address for the people of visited sites: it follows plat's name in every request")
	f.BoolVar(&s.Robots, "robots", true, "obey robots.txt")
	f.BoolVar(&s.Scroll, "scroll", true, "scroll down once, so that lazy content loads")
	f.StringVar(&s.UserAgent, "user-agent", "", "the browser's name, sent and shown to scripts (default: its own, followed by plat's unless --stealth)")
	f.StringVar(&s.Language, "language", "en-US,en", "languages wanted, most wanted first")
	f.StringVar(&s.TimeZone, "time-zone", "", "time zone of pages, as Europe/Berlin (default: the machine's)")
	f.IntVar(&s.Width, "width", 1280, "width of the window, CSS px")
	f.IntVar(&s.Height, "height", 1024, "height of the window, CSS px")
	f.StringArrayVar(&s.Header, "header", nil, "`\"NAME: VALUE\"` to send with the requests of a page to its own site; may be repeated")
	f.BoolVar(&s.HeaderEverywhere, "header-everywhere", false, "send what --header names to all hosts that a page loads from")
	f.StringVar(&s.Cookies, "cookies", "", "`FILE` of cookies that pages begin with, each for its host: cookies.txt, or the JSON of browser extensions")
	f.StringArrayVar(&s.Auth, "auth", nil, "`HOST=USER:PASSWORD` for a page whose host asks, by https or as its URL begins, at the usual port; or https://HOST:PORT=…; may be repeated")
	stepFlags(f, s)
}

func stepFlags(f *pflag.FlagSet, s *settings.Settings) {
	f.StringArrayVar(&s.Steps, "steps", nil, "YAML `FILE` with steps to perform on pages before capture (see docs/steps.md); may be repeated")
	f.BoolVar(&s.StepsEvaluate, "steps-evaluate", false, "let steps run scripts in pages")
	f.StringVar(&s.StepPictures, "step-pictures", "", "`FOLDER` for a picture of each page on which a step failed")
	f.BoolVar(&s.Consent, "consent", false, "answer the consent banners of known managers, by refusing where they let one")
	f.StringVar(&s.Sessions, "sessions", "", "`FILE` that keeps the login sessions of steps, encrypted")
	f.StringVar(&s.SessionsKeyFile, "sessions-key-file", "", "`FILE` with its key (or the key itself in PLAT_SESSIONS_KEY)")
}

func reachingFlags(f *pflag.FlagSet, s *settings.Settings) {
	f.StringSliceVar(&s.AllowPrivate, "allow-private", nil, "private network (`CIDR`) that pages may reach; may be repeated")
	f.UintSliceVar(&s.AllowPort, "allow-port", nil, "`PORT` that pages may reach beside 80, 443, 8080 and 8443; may be repeated")
	f.Lookup("allow-port").DefValue = "" // not "[]", which help would print
	f.StringArrayVar(&s.Host, "host", nil, "`HOST=ADDRESS`, instead of looking the name up; may be repeated")
	f.BoolVar(&s.NoDNS, "no-dns", false, "look no names up: only addresses, .localhost and the names of --host are reached")
	f.StringVar(&s.Proxy, "proxy", "", "`URL` of a proxy to go through: http, https, socks5 or socks5h")
}

func fleetFlags(f *pflag.FlagSet, s *settings.Settings) {
	f.StringVar(&s.Redis, "redis", "", "the frontier: redis://[USER:PASSWORD@]HOST:PORT/DB, rediss://, redis+cluster:// or redis+sentinel://HOSTS/MASTER/DB")
	f.StringVar(&s.RedisListen, "redis-listen", "127.0.0.1:6390", "where the Redis of plat up listens")
	f.StringVar(&s.RedisPassword, "redis-password", "", "password of the Redis of plat up; required unless only this machine can reach it")
	f.StringVar(&s.Prefix, "redis-prefix", "plat", "prefix of all keys in Redis")
	f.IntVar(&s.Shards, "shards", 0, "parts of the frontier, the same for all workers (default: 1, in a cluster 16)")
	f.IntVar(&s.Window, "window", 0, "at most so many URLs are queued in Redis, the rest in the archive (default: by Redis' memory; plat up 2,000)")
	f.DurationVar(&s.Lease, "lease", 30*time.Second, "time without a heartbeat after which a worker loses its job, the same for all workers")
	f.IntVar(&s.Attempts, "attempts", 5, "attempts before a URL counts as failed")
	f.DurationVar(&s.RetryDelay, "retry-delay", 30*time.Second, "wait before the second attempt; it doubles with each")
	f.DurationVar(&s.Grace, "grace", time.Minute, "time limit for pages under way when the worker stops")
	f.BoolVar(&s.RobotsMeta, "robots-meta", false, "obey noindex, noarchive and nofollow in pages and in X-Robots-Tag")
	f.BoolVar(&s.Sitemaps, "sitemaps", true, "read the sitemaps of a seed's host, and the feeds that it names, if its scope has links followed")
	f.StringVar(&s.Traps, "traps", "on", "keep links out of traps: on (learn which addresses bring nothing new or lead to the same page), rules (of URLs alone) or off")
	f.IntVar(&s.MaxURLs, "max-urls", 0, "follow links to at most so many URLs of a host (default: any number)")
	f.IntVar(&s.MaxSegments, "max-segments", traps.DefaultSegments, "follow no link whose path has more segments (0: any number)")
	f.IntVar(&s.MaxRepeats, "max-repeats", traps.DefaultRepeats, "follow no link whose path or query repeats itself more often (0: any number)")
	f.IntVar(&s.MaxLength, "max-length", traps.DefaultLength, "follow no link of more bytes (0: any number)")
	f.BoolVar(&s.CheckCloaking, "check-cloaking", true, "in focused crawls, where pages are not visited under a browser's name, ask each host for a page under one too, and leave hosts that show readers other text")
	f.DurationVar(&s.Delay, "delay", time.Second, "least time between two visits of a host")
	f.DurationVar(&s.Day, "day", 24*time.Hour, "how long a day lasts for policies that learn, all intervals that they choose, and the waits between attempts to send a notification: 10s shows in minutes what takes weeks")
	f.DurationVar(&s.MaxDelay, "max-delay", 30*time.Second, "the most that a Crawl-delay is heeded")
	f.StringVar(&s.MinDisk, "min-disk", "500MB", "begin nothing when less disk is free")
	f.StringVar(&s.MinMemory, "min-memory", "200MB", "begin nothing when less memory is available")
}

func servingFlags(f *pflag.FlagSet, s *settings.Settings) {
	f.StringVar(&s.Listen, "listen", "", "serve at this `ADDRESS` (plat up and plat serve: "+DefaultListen+")")
	f.StringVar(&s.Token, "token", "", "password of requests; required unless only this machine can reach the server")
	f.StringVar(&s.PublicURL, "public-url", "", "external `URL` of the server behind a proxy")
	f.BoolVar(&s.Segment, "segment", true, "divide pages that clients send (POST /api/v1/segment), in a browser that starts with the first of them")
	f.BoolVar(&s.Channels, "edit-channels", false, "let clients with the token add and remove channels of subscriptions by HTTP: this machine sends to their URLs")
}

func tellingFlags(f *pflag.FlagSet, s *settings.Settings) {
	f.StringSliceVar(&s.TellPrivate, "tell-private", nil, "private network (`CIDR`) with receivers of webhooks, mail and the like; may be repeated")
	f.BoolVar(&s.TellCommands, "tell-commands", false, "run the commands of channels that are commands")
}

func keepingFlags(f *pflag.FlagSet, s *settings.Settings) {
	f.IntVar(&s.KeepLast, "keep-last", 0, "once a day forget older versions of every page than the last `N`; 0: never (see: plat forget --help)")
	f.StringVar(&s.KeepFor, "keep-for", "", "once a day forget versions replaced longer ago than this `AGE`, as 90d; with --keep-last only those that are older by both")
}

func cuttingFlags(f *pflag.FlagSet, s *settings.Settings) {
	f.IntVar(&s.Level, "level", segment.DefaultLevel, "depth of the block tree, for URLs not seen before")
	f.StringVar(&s.Profile, "profile", string(segment.Visual), "how nodes are sorted, for URLs not seen before: visual (by their look) or paper (by their tag)")
	f.BoolVar(&s.Fixed, "fixed", false, "learn no finer or coarser blocks from a page's history")
	f.StringVar(&s.SecondLook, "second-look", "new", "render a changed page twice to detect its self-changes, which are not news: never, new (at first; later at one visit in twenty) or always")
	f.BoolVar(&s.KeepNoise, "keep-noise", false, "store a version even if two renderings show only self-changes")
	f.DurationVar(&s.ConfirmAfter, "confirm-after", 5*time.Minute, "visit an answer that is hardly the page (blank, a login, half of it) again after this, before it may be a version; 0: believe it")
	f.BoolVar(&s.Screenshot, "screenshot", false, "keep a picture of every new version, and of the last version of an unchanged page if it has none")
	f.StringVar(&s.PictureFormat, "picture-format", "png", "as png or webp, both without loss: webp takes two thirds of the space, and twice the time to make")
	f.StringVar(&s.Resources, "resources", "none", "resources to store with a new version, and with the last version of an unchanged page if it has none: none, css (style sheets and fonts) or all (images and canvases too); style sheets and images are compared only if they are kept")
	f.StringVar(&s.MetaRules, "meta-rules", "", "YAML `FILE` with rules that set metadata (see: plat meta test --help)")
}
