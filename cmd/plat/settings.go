package main

import (
	"time"

	"github.com/spf13/pflag"

	"plat/segment"
)

// settings are what flags, environment and configuration file say, each field
// as written; what they mean is worked out where it is used.
type settings struct {
	// Every command.
	config    string
	store     string
	json      bool
	quiet     bool
	noColor   bool
	logLevel  string
	logFormat string

	// How URLs are named.
	keepParams bool

	// How pages are rendered.
	chrome        string
	tabs          int
	userAgent     string
	language      string
	timeZone      string
	width, height int
	header        []string
	auth          []string
	stealth       bool
	scroll        bool
	timeout       time.Duration
	loadTimeout   time.Duration
	settleTimeout time.Duration
	frozen        string
	maxBytes      int64
	maxNodes      int
	alwaysRender  bool

	steps           []string
	stepsEvaluate   bool
	stepPictures    string
	consent         bool
	sessions        string
	sessionsKeyFile string

	// What pages may reach.
	allowPrivate []string
	allowPort    []uint
	host         []string
	noDNS        bool
	proxy        string

	// How pages are cut and kept.
	level      int
	profile    string
	fixed      bool
	screenshot bool
	resources  string
	metaRules  string

	// What is served, and to whom.
	listen    string
	token     string
	publicURL string

	// How a fleet works together.
	redis       string
	redisListen string
	prefix      string
	shards      int
	lease       time.Duration
	attempts    int
	retryDelay  time.Duration
	grace       time.Duration
	agent       string
	contact     string
	robots      bool
	robotsMeta  bool
	sitemaps    bool
	delay       time.Duration
	maxDelay    time.Duration
	minDisk     string
	minMemory   string
}

// defaultStore is the archive where none is named.
const defaultStore = "sqlite:plat.db"

// group is a set of flags that are shown together in help.
type group string

// The groups. All flags may stand before or after the command; a command's help
// shows those groups that mean something to it.
const (
	everywhere group = "Flags of every command"
	naming     group = "How URLs are named"
	rendering  group = "How pages are rendered"
	reaching   group = "What pages may reach"
	cutting    group = "How pages are cut and kept"
	fleet      group = "How workers share their work"
	serving    group = "What is served, and to whom"
)

var groups = [...]group{serving, fleet, cutting, rendering, reaching, naming, everywhere}

// flags declares all shared flags, by group.
func (s *settings) flags() map[group]*pflag.FlagSet {
	sets := map[group]*pflag.FlagSet{}
	for _, g := range groups {
		sets[g] = pflag.NewFlagSet(string(g), pflag.ContinueOnError)
		sets[g].SortFlags = false
	}
	f := sets[everywhere]
	f.StringVar(&s.store, "store", defaultStore, "the archive: sqlite:PATH or mongodb://HOST/DATABASE")
	f.BoolVar(&s.json, "json", false, "print JSON, one document a line")
	f.BoolVarP(&s.quiet, "quiet", "q", false, "print no progress, and of archived pages only failures")
	f.BoolVar(&s.noColor, "no-color", false, "print no colours (as does NO_COLOR in the environment)")
	f.StringVar(&s.config, "config", "", "YAML `FILE` with settings, named as the flags are")
	f.StringVar(&s.logLevel, "log-level", "warn", "what is logged on standard error: debug, info, warn or error")
	f.StringVar(&s.logFormat, "log-format", "text", "how: text or json")

	f = sets[naming]
	f.BoolVar(&s.keepParams, "keep-params", false, "keep tracking parameters (utm_source, fbclid and the like) in URLs")

	f = sets[rendering]
	f.StringVar(&s.chrome, "chrome", "", "`PATH` of Chrome, Chromium or headless shell (default: the first found)")
	f.IntVar(&s.tabs, "tabs", 0, "pages rendered at once, at most (default: as many as keep the machine busy)")
	f.DurationVar(&s.timeout, "timeout", 90*time.Second, "limit for the whole of a page")
	f.DurationVar(&s.loadTimeout, "load-timeout", 30*time.Second, "limit for loading; a page that has begun by then is taken as it is")
	f.DurationVar(&s.settleTimeout, "settle-timeout", 12*time.Second, "how long to wait, after it has loaded, for a page to settle")
	f.StringVar(&s.frozen, "frozen", "", "let every page begin at the same `TIME` and draw the same random numbers, to compare renderings")
	f.Lookup("frozen").NoOptDefVal = frozenTime
	f.Int64Var(&s.maxBytes, "max-bytes", 100<<20, "most `BYTES` a page may receive")
	f.IntVar(&s.maxNodes, "max-nodes", 500_000, "most DOM nodes of a page that is taken as it is; the small parts of a larger one become plain text")
	f.BoolVar(&s.alwaysRender, "always-render", false, "render every page, also where nothing that it is made of has changed")
	f.BoolVar(&s.stealth, "stealth", true, "hide headless mode")
	f.BoolVar(&s.scroll, "scroll", true, "scroll down once, so that lazy content loads")
	f.StringVar(&s.userAgent, "user-agent", "", "the browser's name, sent and shown to scripts (default: its own)")
	f.StringVar(&s.language, "language", "en-US,en", "languages wanted, most wanted first")
	f.StringVar(&s.timeZone, "time-zone", "", "time zone of pages, as Europe/Berlin (default: the machine's)")
	f.IntVar(&s.width, "width", 1280, "width of the window, CSS px")
	f.IntVar(&s.height, "height", 1024, "height of the window, CSS px")
	f.StringArrayVar(&s.header, "header", nil, "`\"NAME: VALUE\"` to send with every request; may be repeated")
	f.StringArrayVar(&s.auth, "auth", nil, "`HOST=USER:PASSWORD` for a host that asks; may be repeated")

	f.StringArrayVar(&s.steps, "steps", nil, "YAML `FILE` with steps to do on pages before they are taken (see docs/steps.md); may be repeated")
	f.BoolVar(&s.stepsEvaluate, "steps-evaluate", false, "let steps run scripts in pages")
	f.StringVar(&s.stepPictures, "step-pictures", "", "`FOLDER` for a picture of each page on which a step failed")
	f.BoolVar(&s.consent, "consent", false, "answer the consent banners of known managers, by refusing where they let one")
	f.StringVar(&s.sessions, "sessions", "", "`FILE` that keeps the login sessions of steps, encrypted")
	f.StringVar(&s.sessionsKeyFile, "sessions-key-file", "", "`FILE` with its key (or the key itself in PLAT_SESSIONS_KEY)")

	f = sets[reaching]
	f.StringSliceVar(&s.allowPrivate, "allow-private", nil, "private network (`CIDR`) that pages may reach; may be repeated")
	f.UintSliceVar(&s.allowPort, "allow-port", nil, "`PORT` that pages may reach beside 80, 443, 8080 and 8443; may be repeated")
	f.Lookup("allow-port").DefValue = "" // not "[]", which help would print
	f.StringArrayVar(&s.host, "host", nil, "`HOST=ADDRESS`, instead of looking the name up; may be repeated")
	f.BoolVar(&s.noDNS, "no-dns", false, "look no names up: only addresses, .localhost and the names of --host are reached")
	f.StringVar(&s.proxy, "proxy", "", "`URL` of a proxy to go through: http, https, socks5 or socks5h")

	f = sets[fleet]
	f.StringVar(&s.redis, "redis", "", "the frontier: redis://[USER:PASSWORD@]HOST:PORT/DB, rediss:// or redis+cluster://")
	f.StringVar(&s.redisListen, "redis-listen", "127.0.0.1:6390", "where the Redis of plat up listens")
	f.StringVar(&s.prefix, "redis-prefix", "plat", "what the names of all keys in Redis begin with")
	f.IntVar(&s.shards, "shards", 0, "parts of the frontier, the same for all workers (default: 1, in a cluster 16)")
	f.DurationVar(&s.lease, "lease", 30*time.Second, "after how long a worker that is not heard of loses its job, the same for all workers")
	f.IntVar(&s.attempts, "attempts", 5, "how often a URL is tried before it is given up")
	f.DurationVar(&s.retryDelay, "retry-delay", 30*time.Second, "wait before the second attempt; it doubles with each")
	f.DurationVar(&s.grace, "grace", time.Minute, "how long pages under way may take when the worker is told to stop")
	f.StringVar(&s.agent, "agent", "plat", "our name in robots.txt")
	f.StringVar(&s.contact, "contact", "", "`URL` or address for the people of visited sites: it follows the browser's name in every request")
	f.BoolVar(&s.robots, "robots", true, "obey robots.txt")
	f.BoolVar(&s.robotsMeta, "robots-meta", false, "obey noindex, noarchive and nofollow in pages and in X-Robots-Tag")
	f.BoolVar(&s.sitemaps, "sitemaps", true, "read the sitemaps of a seed's host, if its scope has links followed")
	f.DurationVar(&s.delay, "delay", time.Second, "least time between two visits of a host")
	f.DurationVar(&s.maxDelay, "max-delay", 30*time.Second, "the most that a Crawl-delay is heeded")
	f.StringVar(&s.minDisk, "min-disk", "500MB", "begin nothing when less disk is free")
	f.StringVar(&s.minMemory, "min-memory", "200MB", "begin nothing when less memory is available")

	f = sets[serving]
	f.StringVar(&s.listen, "listen", "", "serve at this `ADDRESS` (plat up and plat serve: "+defaultListen+")")
	f.StringVar(&s.token, "token", "", "what whoever asks must give; needed where others than this machine can")
	f.StringVar(&s.publicURL, "public-url", "", "`URL` under which others reach it, if a proxy stands in front")

	f = sets[cutting]
	f.IntVar(&s.level, "level", segment.DefaultLevel, "depth of the block tree, for URLs not seen before")
	f.StringVar(&s.profile, "profile", string(segment.Visual), "how nodes are sorted, for URLs not seen before: visual (by their look) or paper (by their tag)")
	f.BoolVar(&s.fixed, "fixed", false, "learn no finer or coarser blocks from a page's history")
	f.BoolVar(&s.screenshot, "screenshot", false, "keep a picture of every new version")
	f.StringVar(&s.resources, "resources", "none", "what to keep of what a new version's page used to look as it does: none, css (style sheets and fonts) or all (images and canvases too)")
	f.StringVar(&s.metaRules, "meta-rules", "", "YAML `FILE` with rules that set metadata (see: plat meta test --help)")
	return sets
}
