package settings

import (
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"
)

// sound are settings with which everything can be started.
func sound() *Settings {
	return &Settings{
		Store: "sqlite:plat.db", LogLevel: "warn", LogFormat: "text", Timeout: time.Second, LoadTimeout: time.Second, SettleTimeout: time.Second,
		Width: 1, Height: 1, MaxBytes: 1, MaxNodes: 1, Level: 1, Profile: "visual", Resources: "none", Attempts: 1, Lease: time.Second, RetryDelay: 1,
	}
}

func TestASettingThatCannotBeUsedIsNamed(t *testing.T) {
	for _, tc := range []struct {
		change func(*Settings)
		says   string
	}{
		{func(*Settings) {}, ""},
		{func(s *Settings) { s.Width = 0 }, "width: must be above 0"},
		{func(s *Settings) { s.Tabs = -1 }, "tabs -1"},
		{func(s *Settings) { s.Auth = []string{"a.test=anna,hush"} }, "auth: write it as HOST=USER:PASSWORD or https://HOST:PORT=USER:PASSWORD"},
		{func(s *Settings) { s.Auth = []string{"ftp://a.test=anna:hush"} }, "auth: write it as"},
		{func(s *Settings) { s.Frozen = "noon" }, "frozen \"noon\""},
		{func(s *Settings) { s.AllowPrivate = []string{"home"} }, "allow-private \"home\""},
		{func(s *Settings) { s.Language = "§" }, `language "§": write languages most wanted first, separated by commas, as de-DE,de,en`},
		{func(s *Settings) { s.Language = "en_US" }, "language \"en_US\""},
		{func(s *Settings) { s.Language = "en,,de" }, "language \"en,,de\""},
		{func(s *Settings) { s.Language = "en;q=0.5" }, "language \"en;q=0.5\""},
		{func(s *Settings) { s.Language = "en\r\nX: y" }, "language \"en"},
		{func(s *Settings) { s.Language = "de-DE, de,zh-Hant-TW,es-419,i-klingon,sl-rozaj-biske" }, ""},
		{func(s *Settings) { s.Level = 0 }, "level 0"},
		{func(s *Settings) { s.Resources = "images" }, "write none, css or all"},
		{func(s *Settings) { s.SessionsKeyFile = "key" }, "name one with the setting sessions FILE"},
		{func(s *Settings) {
			s.SessionsKeyFile, s.Named = "key", func(name string) string { return "--" + name }
		}, "name one with --sessions FILE"},
		{func(s *Settings) { s.MinMemory = "much" }, "min-memory \"much\""},
		{func(s *Settings) { s.Contact = "(me)" }, "without parentheses"},
		{func(s *Settings) { s.Lease = time.Millisecond }, "lease 1ms"},
	} {
		s := sound()
		tc.change(s)
		_, err := s.VisitOptions(0, slog.New(slog.DiscardHandler))
		if err == nil {
			_, err = s.CrewOptions(slog.New(slog.DiscardHandler))
		}
		if err == nil {
			_, err = s.QueueOptions("redis://a.test/0", nil)
		}
		_, known := errors.AsType[*Error](err)
		if tc.says == "" && err != nil || tc.says != "" && (!known || !strings.Contains(err.Error(), tc.says) || strings.Contains(err.Error(), "hush")) {
			t.Errorf("%v, want %q", err, tc.says)
		}
	}
}

func TestALoginOfAnotherPortIsNamedWithoutIt(t *testing.T) {
	for _, tc := range []struct {
		auth      []string
		url, want string
	}{
		{[]string{"http://h.test:81=anna:hush"}, "http://h.test:82/a", ": the sign-in given is for http://h.test:81, not for http://h.test:82; write --auth http://h.test:82=USER:PASSWORD"},
		{[]string{"https://h.test=anna:hush", "h.test:81=anna:hush"}, "http://h.test/", ": the sign-in given is for h.test:81 and https://h.test, not for http://h.test; write --auth http://h.test=USER:PASSWORD"},
		{[]string{"h.test=anna:hush"}, "http://h.test:82/", ": the sign-in given is for h.test at the usual port, not for http://h.test:82; write --auth http://h.test:82=USER:PASSWORD"},
		{[]string{"[::1]:81=anna:hush"}, "http://[::1]:82/", ": the sign-in given is for [::1]:81, not for http://[::1]:82; write --auth http://[::1]:82=USER:PASSWORD"},
		{[]string{"h.test=anna:hush"}, "http://h.test/", ""},                         // it was refused
		{[]string{"h.test=anna:hush", "h.test:81=anna:hush"}, "https://h.test/", ""}, // so was one of them
		{[]string{"other.test=anna:hush"}, "http://h.test/", ""},                     // a different site's
		{[]string{"http://h.test:81=anna:hush"}, "http://h.test.evil.test:82/", ""},  // a different host
	} {
		s := sound()
		s.Auth, s.Named = tc.auth, func(name string) string { return "--" + name }
		o, err := s.WorkerOptions()
		if err != nil {
			t.Fatal(err)
		}
		if got := o.Permission.Unauthorized(tc.url); got != tc.want {
			t.Errorf("%q at %s: %q, want %q", tc.auth, tc.url, got, tc.want)
		}
	}
	if o, err := sound().WorkerOptions(); err != nil || o.Permission.Unauthorized != nil {
		t.Errorf("without logins: %v", err)
	}
}

func TestSitesAreToldWhoVisitsUnlessStealthIsWanted(t *testing.T) {
	for _, tc := range []struct {
		change        func(*Settings)
		about, robots string
		hint          bool
	}{
		{func(*Settings) {}, "(compatible; plat/1.2)", "Mozilla/5.0 (compatible; plat/1.2)", true},
		{func(s *Settings) { s.Contact = "https://a.test/bot" }, "(compatible; plat/1.2; https://a.test/bot)", "Mozilla/5.0 (compatible; plat/1.2; https://a.test/bot)", true},
		{func(s *Settings) { s.Version = "(devel)" }, "(compatible; plat/devel)", "Mozilla/5.0 (compatible; plat/devel)", true},
		{func(s *Settings) { s.Stealth = true }, "", "Mozilla/5.0 (compatible; plat/1.2)", false},
		{func(s *Settings) { s.Stealth, s.Contact = true, "me@a.test" }, "(compatible; plat/1.2; me@a.test)", "Mozilla/5.0 (compatible; plat/1.2; me@a.test)", false},
		{func(s *Settings) { s.UserAgent = "other/1" }, "", "other/1", false},
	} {
		s := sound()
		s.Agent, s.Version, s.Robots = "plat", "1.2", true
		tc.change(s)
		o, err := s.VisitOptions(0, slog.New(slog.DiscardHandler))
		if err != nil || o.Browser.About != tc.about || o.Robots == nil || o.Robots.UserAgent != tc.robots || o.Robots.Agent != "plat" {
			t.Errorf("about %q, robots.txt is asked with %+v, %v; want %q and %q", o.Browser.About, o.Robots, err, tc.about, tc.robots)
		}
		if hint := o.Worker.Permission.Forbidden != ""; hint != tc.hint || s.Forbidden(403) != o.Worker.Permission.Forbidden || s.Forbidden(404) != "" {
			t.Errorf("%q: where a page is forbidden, %q is said", tc.about, o.Worker.Permission.Forbidden)
		}
		crew, err := s.CrewOptions(slog.New(slog.DiscardHandler))
		if err != nil || crew.UserAgent != tc.robots || crew.Agent != "plat" || crew.IgnoreRobots {
			t.Errorf("a crew asks with %q, %v", crew.UserAgent, err)
		}
	}
}

func TestAFileOfCookiesIsReadAndItsFaultsAreTold(t *testing.T) {
	dir := t.TempDir()
	for name, tc := range map[string]struct {
		text  string
		mode  os.FileMode
		names string
		says  string // of the error or of the log
	}{
		"good":    {"a.test\tFALSE\t/\tFALSE\t0\tsid\thush\n", 0o600, "sid", ""},
		"open":    {"a.test\tFALSE\t/\tFALSE\t0\tsid\thush\n", 0o640, "sid", "chmod 600"},
		"expired": {"a.test\tFALSE\t/\tFALSE\t1\tsid\thush\n", 0o600, "", "export it again"},
		"wrong":   {"\nsid=hush\n", 0o600, "", "line 2: "},
		"absent":  {"", 0, "", "no such file"},
	} {
		s := sound()
		s.Cookies = filepath.Join(dir, name)
		if tc.mode != 0 {
			if err := os.WriteFile(s.Cookies, []byte(tc.text), tc.mode); err != nil {
				t.Fatal(err)
			}
		}
		var log strings.Builder
		o, err := s.RenderOptions(1, slog.New(slog.NewTextHandler(&log, nil)))
		var names []string
		for _, c := range o.Browser.Cookies {
			names = append(names, c.Name)
		}
		said := log.String()
		if err != nil {
			said += err.Error()
		}
		if tc.says == "" && said != "" || !strings.Contains(said, tc.says) || strings.Contains(said, "hush") || strings.Join(names, " ") != tc.names {
			t.Errorf("%s: cookies %q, said %q; want %q and %q", name, names, said, tc.names, tc.says)
		}
		if _, known := errors.AsType[*Error](err); err != nil && !known {
			t.Errorf("%s: %T", name, err)
		}
	}
}

// texts is a setting of several values, parted by commas.
type texts []string

func (l *texts) Set(text string) error      { return errors.New("one at a time") }
func (l *texts) Type() string               { return "stringSlice" }
func (l *texts) Replace(all []string) error { *l = all; return nil }

func TestTheEnvironmentWinsOverTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "plat.yaml")
	if err := os.WriteFile(path, []byte("host: [a, b]\nallow-port: 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	from, err := Load(path, Environ{"PLAT_HOST=c,d", "PLAT_HOST=e, f", "PLAT_ALLOW_PORT="}, []string{"host", "allow-port"})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"host": "e f", "allow-port": "1", "proxy": ""} {
		var got texts
		if err := from.Apply(name, &got); err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s is %q, %v; want %q", name, got, err, want)
		}
	}
	if _, err := Load(path, nil, []string{"host", "allow-ports"}); err == nil || !strings.Contains(err.Error(), `there is no setting "allow-port"; did you mean "allow-ports"?`) {
		t.Errorf("a key that is nearly a setting: %v", err)
	}
	if _, err := Load(path, nil, nil); err == nil || !strings.Contains(err.Error(), `there is no setting "allow-port"`) {
		t.Errorf("a key that is no setting: %v", err)
	}
}

func TestLogsHoldNothingThatATerminalObeys(t *testing.T) {
	for _, format := range []string{"text", "json"} {
		var out strings.Builder
		log, err := (&Settings{LogLevel: "info", LogFormat: format}).Logger(&out)
		if err != nil {
			t.Fatal(err)
		}
		const title = "a\x1b\u009b\u202e\u061c\u200fb"
		log.Info("visited", "title", title)
		line, ended := strings.CutSuffix(out.String(), "\n")
		if !ended || strings.ContainsFunc(line, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }) {
			t.Errorf("%s: %q", format, out.String())
		}
		var read struct{ Title string }
		if format == "json" && (json.Unmarshal([]byte(line), &read) != nil || read.Title != title) {
			t.Errorf("it is read back as %q", read.Title)
		}
	}
}
