package settings

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"strings"
	"time"

	"plat/plat"
	"plat/plat/excerpt"
)

// Settings holds the values of a command line, an environment and a configuration file, each
// field as written; its methods convert them. The name of a setting is that of its field in lower
// case, with dashes: MinMemory is min-memory.
type Settings struct {
	// Env is the environment, where keys and secrets are looked up.
	Env Environ

	// Named returns a setting in the notation of the reader of a message. Nil: "the setting
	// min-memory".
	Named func(setting string) string

	// Version is ours, for the people of visited sites.
	Version string

	// Every command.
	Store     string
	JSON      bool
	Quiet     bool
	NoColor   bool
	LogLevel  string
	LogFormat string

	// How URLs are named.
	KeepParams bool

	// How pages are rendered.
	Chrome        string
	Tabs          int
	UserAgent     string
	Language      string
	TimeZone      string
	Width, Height int
	Header        []string
	Auth          []string
	Stealth       bool
	Scroll        bool
	Timeout       time.Duration
	LoadTimeout   time.Duration
	SettleTimeout time.Duration
	Frozen        string
	MaxBytes      int64
	MaxNodes      int
	Files         string
	AlwaysRender  bool

	Agent   string
	Contact string
	Robots  bool

	HeaderEverywhere bool
	Cookies          string

	Steps           []string
	StepsEvaluate   bool
	StepPictures    string
	Consent         bool
	Sessions        string
	SessionsKeyFile string

	// The addresses that pages may reach.
	AllowPrivate []string
	AllowPort    []uint
	Host         []string
	NoDNS        bool
	Proxy        string

	// How pages are cut and kept.
	Level      int
	Profile    string
	Fixed      bool
	SecondLook string
	KeepNoise  bool

	ConfirmAfter time.Duration
	Day          time.Duration // of policies that learn
	Screenshot   bool

	PictureFormat string
	Resources     string
	MetaRules     string

	// How long versions are kept.
	KeepLast int
	KeepFor  string

	// Notifications.
	TellPrivate  []string
	TellCommands bool

	// The HTTP server.
	Listen    string
	Token     string
	PublicURL string
	Channels  bool
	Segment   bool

	// How a fleet works together.
	Redis         string
	RedisListen   string
	RedisPassword string
	Prefix        string
	Shards        int
	Window        int
	Lease         time.Duration
	Attempts      int
	RetryDelay    time.Duration
	Grace         time.Duration
	RobotsMeta    bool
	Sitemaps      bool
	Traps         string
	MaxURLs       int
	MaxSegments   int
	MaxRepeats    int
	MaxLength     int
	Delay         time.Duration
	MaxDelay      time.Duration
	MinDisk       string
	MinMemory     string

	CheckCloaking bool
}

// Error reports an invalid setting, from any source.
type Error struct {
	Err error

	// Whole marks an error of the configuration as a whole, not of one value: the content of a
	// configuration file is invalid, or settings exclude each other.
	Whole bool
}

func (e *Error) Error() string { return e.Err.Error() }

func (e *Error) Unwrap() error { return e.Err }

// bad is an error of the value of a setting.
func bad(format string, args ...any) error { return &Error{Err: fmt.Errorf(format, args...)} }

// unusable is an error of the configuration as a whole. Where it wraps that of a file that is
// missing or cannot be read, the value that names the file is wrong.
func unusable(format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	_, unread := errors.AsType[*fs.PathError](err)
	return &Error{Err: err, Whole: !unread}
}

// named is a setting as readers of messages write it.
func (s *Settings) named(setting string) string {
	if s.Named != nil {
		return s.Named(setting)
	}
	return "the setting " + setting
}

// Drop lists the query parameters that are no part of a URL's name; see
// [plat.Canonical].
func (s *Settings) Drop() []string {
	if s.KeepParams {
		return nil
	}
	return plat.TrackingParams
}

// StoreURI returns the address of an archive that a user has named by its file: plat.db, data/news. A word
// without a dot and a slash may be anything, and is not changed.
func StoreURI(name string) string {
	if strings.Contains(name, ":") || !strings.ContainsAny(name, "./") {
		return name
	}
	return "sqlite:" + name
}

// SQLite is the file of the archive, if it is one.
func (s *Settings) SQLite() (path string, ok bool) {
	rest, ok := strings.CutPrefix(s.Store, "sqlite:")
	return strings.TrimPrefix(rest, "//"), ok
}

// Logger logs to w as the settings say.
func (s *Settings) Logger(w io.Writer) (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(s.LogLevel)); err != nil {
		return nil, bad("log-level %q: write debug, info, warn or error", s.LogLevel)
	}
	o := &slog.HandlerOptions{Level: level}
	switch s.LogFormat {
	case "text":
		return slog.New(slog.NewTextHandler(w, o)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(escaping{w}, o)), nil
	}
	return nil, bad("log-format %q: write text or json", s.LogFormat)
}

// escaping writes lines of JSON and escapes the control characters of terminals. Lines of text
// need no escaping: slog quotes characters that are not printable.
type escaping struct{ io.Writer }

func (w escaping) Write(line []byte) (int, error) {
	_, err := w.Writer.Write(excerpt.JSON(line))
	return len(line), err
}
