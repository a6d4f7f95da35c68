package main

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"plat/cmd/plat/app"
)

func TestEveryFailureHasItsExitCodeAndSaysWhatToDo(t *testing.T) {
	store := madeUp(t)
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	noStore := "--store=sqlite:" + filepath.Join(dir, "none.db")
	for _, tc := range []struct {
		name string
		args []string
		env  []string
		code int
		says string
	}{
		{"unknown command", []string{"fetch"}, nil, app.ExitUsage, "unknown command"},
		{"unknown sub-command", []string{"snapshot", "fetch"}, nil, app.ExitUsage, "unknown command"},
		{"unknown flag", []string{"stats", "--fast"}, nil, app.ExitUsage, "see plat stats --help"},
		{"flag of the wrong type", []string{"stats", "--tabs", "many"}, nil, app.ExitUsage, "--tabs"},
		{"misspelt command", []string{"archve", "https://a.test"}, nil, app.ExitUsage, "(did you mean plat archive?)"},
		{"misspelt sub-command", []string{"snapshot", "shw"}, nil, app.ExitUsage, "(did you mean plat snapshot show?)"},
		{"command of another program", []string{"spider", "https://a.test"}, nil, app.ExitUsage, "(did you mean plat crawl?)"},
		{"no command", []string{"https://a.test/"}, nil, app.ExitUsage, "plat archive https://a.test/"},
		{"misspelt flag", []string{"archive", "--screnshot", "https://a.test"}, nil, app.ExitUsage, "(did you mean --screenshot?)"},
		{"flag of all commands, misspelt", []string{"stats", "--stroe", "a.db"}, nil, app.ExitUsage, "(did you mean --store?)"},
		{"command of another program for a list", []string{"list"}, nil, app.ExitUsage, "(did you mean plat ls?)"},
		{"flag of another program", []string{"crawl", "--max-pages", "3", "https://a.test"}, nil, app.ExitUsage, "(did you mean --limit?)"},
		{"flag of another program, of a schedule", []string{"watch", "add", "--interval", "1h", "https://a.test"}, nil, app.ExitUsage, "(did you mean --every?)"},
		{"file without a known ending", []string{"export", "-o", "e.warc"}, nil, app.ExitUsage, "end it with"},
		{"three versions", []string{"diff", "https://a.test/@1", "@2", "@3"}, nil, app.ExitUsage, "write two, as in plat diff https://a.test/@1 @2"},
		{"versions of two URLs", []string{"diff", "https://a.test/@1", "https://b.test/@2"}, nil, app.ExitUsage, "write the second version as @M"},
		{"flag of another command", []string{"gc", "--older", "7d"}, nil, app.ExitUsage, "(did you mean --older-than?)"},
		{"links of archive", []string{"archive", "https://a.test", "--scope", "host"}, nil, app.ExitUsage, "use plat crawl"},
		{"depth of archive", []string{"archive", "https://a.test", "--depth", "2"}, nil, app.ExitUsage, "use plat crawl"},
		{"misspelt label", []string{"blocks", "--label", "Mian"}, nil, app.ExitUsage, "(did you mean main?)"},
		{"misspelt policy", []string{"enqueue", "http://a.test", "--every", "24h", "--policy", "fixd"}, nil, app.ExitUsage, "(did you mean fixed?)"},
		{"misspelt scope", []string{"crawl", "http://a.test", "--scope", "hots"}, nil, app.ExitUsage, "(did you mean host?)"},
		{"a time of day that is none", []string{"enqueue", "http://a.test", "--every", "25:00"}, nil, app.ExitUsage, "00:00 to 23:59"},
		{"a time of day and a policy", []string{"enqueue", "http://a.test", "--every", "07:30", "--policy", "fixed"}, nil, app.ExitUsage, "leave out policy"},
		{"no argument", []string{"show"}, nil, app.ExitUsage, "see plat show --help"},
		{"nothing to archive", []string{"archive"}, nil, app.ExitUsage, "-f FILE"},
		{"a policy that is none", []string{"enqueue", "http://a.test", "--every", "24h", "--policy", "daily"}, nil, app.ExitUsage, "fixed"},
		{"a policy without an interval", []string{"enqueue", "http://a.test", "--policy", "fixed"}, nil, app.ExitUsage, "24h"},
		{"no such list", []string{"archive", "-f", filepath.Join(dir, "none")}, nil, app.ExitUsage, "no such file"},
		{"a URL without scheme", []string{"show", "news"}, nil, app.ExitUsage, `write "https://news"`},
		{"second version without @", []string{"diff", paperURL, "2"}, nil, app.ExitUsage, "@M"},
		{"unknown label", []string{"blocks", "--label", "fun"}, nil, app.ExitUsage, "navigation"},
		{"unknown kind of change", []string{"blocks", "--changed", "--kind", "remove"}, nil, app.ExitUsage, "(did you mean removed?)"},
		{"kinds of no changes", []string{"blocks", "--kind", "removed"}, nil, app.ExitUsage, "add --changed"},
		{"changes of last versions", []string{"blocks", "--changed", "--head"}, nil, app.ExitUsage, "leave out one of them"},
		{"unknown format of rows", []string{"search", "x", "--format", "xml"}, nil, app.ExitUsage, "csv, parquet"},
		{"a file without format", []string{"blocks", "-o", "blocks.txt"}, nil, app.ExitUsage, ".parquet"},
		{"a table in a file", []string{"versions", paperURL, "--format", "table", "-o", "x.csv"}, nil, app.ExitUsage, "--format parquet"},
		{"JSON and CSV", []string{"watch", "items", "--json", "--format", "csv"}, nil, app.ExitUsage, "leave one of them out"},
		{"a file of rows in no folder", []string{"blocks", "-o", filepath.Join(dir, "none", "x.parquet"), store}, nil, app.ExitError, "create it first"},
		{"items below none", []string{"watch", "items", "--limit", "-1"}, nil, app.ExitUsage, "write 0 for all"},
		{"time that is none", []string{"blocks", "--since", "yesterday"}, nil, app.ExitUsage, "2026-01-31"},
		{"age that is none", []string{"gc", "--older-than", "-1h"}, nil, app.ExitUsage, "7d"},
		{"picture in another format", []string{"archive", "http://127.0.0.1:1/", "--picture-format", "gif"}, nil, app.ExitUsage, "png or webp"},
		{"explain neither URL nor file", []string{"explain", filepath.Join(dir, "none")}, nil, app.ExitUsage, "snapshot file"},
		{"restore to nowhere as JSON", []string{"restore", paperURL, "--json"}, nil, app.ExitUsage, "-o FILE"},

		{"URL not in the archive", []string{"show", "http://other.test/", store}, nil, app.ExitError, "archive it first"},
		{"version not in the archive", []string{"show", paperURL + "@9", store}, nil, app.ExitError, "plat versions"},
		{"version that is no number", []string{"show", paperURL + "@x", store}, nil, app.ExitUsage, paperURL + "@N"},
		{"nothing behind the @", []string{"text", paperURL + "@", store}, nil, app.ExitUsage, paperURL + "@2026-01-31"},
		{"nothing behind the @ of a host", []string{"show", "http://a.test@", store}, nil, app.ExitUsage, "the text after the @ is not a version; write a version of it as http://a.test/@N"},
		{"a half time behind the @ of a host", []string{"restore", "http://a.test@2026-01", store}, nil, app.ExitUsage, "http://a.test/@2026-01-31T12:00:00Z"},
		{"nothing behind the @ in diff", []string{"diff", paperURL + "@", store}, nil, app.ExitUsage, paperURL + "@N, N being a number"},
		{"nothing behind the @ in explain", []string{"explain", paperURL + "@", store}, nil, app.ExitUsage, paperURL + "@N, N being a number"},
		{"nothing behind the @ of a URL not in the archive", []string{"restore", "http://other.test/@", store}, nil, app.ExitUsage, "nor is http://other.test/: archive it first"},
		{"a version too large", []string{"show", "http://a.test/@99999999999999999999", store}, nil, app.ExitUsage, "http://a.test/: version"},
		{"a day that there is not", []string{"show", "http://a.test/@2026-99-01", store}, nil, app.ExitUsage, "http://a.test/: time"},
		{"a URL with a space", []string{"show", "foo bar", store}, nil, app.ExitUsage, `its host contains a space; write a URL such as "https://example.com/page"`},
		{"version below 0", []string{"show", paperURL + "@-1", store}, nil, app.ExitUsage, paperURL + "@N"},
		{"a schedule of a URL not in the archive", []string{"schedule", "http://other.test/", store}, nil, app.ExitError, "plat up http://other.test/ --every 24h"},
		{"a memory of a URL not in the archive", []string{"schedule", "rebuild", "http://other.test/", store}, nil, app.ExitError, "plat up http://other.test/"},
		{"a schedule of less than nothing", []string{"schedule", "--limit", "-1", store}, nil, app.ExitUsage, "write 0 for all"},
		{"a day that is none", []string{"schedule", "--day", "1ms", store}, nil, app.ExitUsage, "write a second or more"},
		{"a fleet that is not there", []string{"schedule", "--redis", "redis://127.0.0.1:1/0", store}, nil, app.ExitStore, "check that Redis is running"},
		{"a memory in an archive that is not there", []string{"schedule", "rebuild", noStore}, nil, app.ExitStore, "plat archive"},
		{"URL without a version", []string{"versions", "http://gone.test/", store}, nil, app.ExitError, "no visit found a page (the last one: gone)"},
		{"a block tree without a version", []string{"show", "http://gone.test/", store}, nil, app.ExitError, "no visit found a page"},
		{"nothing before the first version", []string{"diff", paperURL + "@1", store}, nil, app.ExitError, "first"},
		{"a rule without a part", []string{"ignore", paperURL}, nil, app.ExitUsage, "write which part of the page"},
		{"a rule that is no expression", []string{"ignore", paperURL, "--text", "("}, nil, app.ExitUsage, "missing closing )"},
		{"a block that there is not", []string{"ignore", paperURL, "--block", "99", madeUp(t)}, nil, app.ExitError, "has no block 99"},
		{"a rule that there is not", []string{"ignore", paperURL, "--block", "1", "--remove", madeUp(t)}, nil, app.ExitError, "no such rule"},
		{"rules of no kind", []string{"rules", "--add", write("kinds.yaml", "ignore: 1")}, nil, app.ExitUsage, `line 1: write a list, not "1"`},
		{"a snapshot that is none", []string{"explain", write("x.snap", "hello")}, nil, app.ExitError, "is not a snapshot file; plat snapshot save"},
		{"a snapshot that is damaged", []string{"explain", write("y.snap", "\x1f\x8bhello")}, nil, app.ExitError, "corrupt"},
		{"a folder as snapshot", []string{"snapshot", "show", dir}, nil, app.ExitError, "is not a snapshot file"},

		{"store without scheme", []string{"stats", "--store", "plat"}, nil, app.ExitUsage, "sqlite:PATH"},
		{"store named by its file", []string{"stats", "--store", filepath.Join(dir, "other.db")}, nil, app.ExitStore, "there is no archive at " + filepath.Join(dir, "other.db")},
		{"unknown store", []string{"stats", "--store", "redis://a"}, nil, app.ExitUsage, "mongodb://"},
		{"store without path", []string{"stats", "--store", "sqlite:"}, nil, app.ExitUsage, "sqlite:PATH"},
		{"MongoDB without host", []string{"stats", "--store", "mongodb://"}, nil, app.ExitUsage, "mongodb://HOST"},
		{"MongoDB with a name that it refuses", []string{"worker", "--redis", "redis://127.0.0.1:1/0", "--store", "mongodb://127.0.0.1:1/my.db"}, nil, app.ExitUsage, "write letters, digits, - and _, at most 63"},
		{"MongoDB with no certificates", []string{"worker", "--redis", "redis://127.0.0.1:1/0", "--store", "mongodb://127.0.0.1:1/plat?tls=true&tlsCAFile=/none/ca.pem"}, nil, app.ExitUsage, "/none/ca.pem: no such file or directory; check the files"},
		{"a setting below 0 in a file", []string{"archive", "http://a.test", "--config", write("below.yaml", "tabs: -1"), noStore}, nil, app.ExitUsage, "1 or more"},
		{"a setting below 0 in the environment", []string{"archive", "http://a.test", noStore}, []string{"PLAT_TABS=-1"}, app.ExitUsage, "1 or more"},
		{"a proxy of no kind", []string{"archive", "http://a.test", "--proxy", "ftp://a.test", "--store=sqlite:" + filepath.Join(dir, "p.db")}, nil, app.ExitUsage, "socks5"},
		{"a lease of less than a second", []string{"queue", "stats", "--redis", "redis://127.0.0.1:1/0", "--lease", "1ms", store}, nil, app.ExitUsage, "1s or more"},
		{"bad network", []string{"archive", "http://a.test", "--allow-private", "10.0.0.0/99", noStore}, nil, app.ExitUsage, "10.0.0.0/8"},
		{"bad host", []string{"archive", "http://a.test", "--host", "a.test", noStore}, nil, app.ExitUsage, "HOST=ADDRESS"},
		{"bad header", []string{"archive", "http://a.test", "--header", "X", noStore}, nil, app.ExitUsage, "Name: value"},
		{"header of the connection", []string{"archive", "http://a.test", "--header", "host: b.test", noStore}, nil, app.ExitUsage, "header Host"},
		{"header of the proxy", []string{"archive", "http://a.test", "--header", "Proxy-Authorization: x", noStore}, nil, app.ExitUsage, "cannot be given"},
		{"no time zone", []string{"archive", "http://a.test", "--time-zone", "Mars/X", noStore}, nil, app.ExitUsage, "Europe/Berlin"},
		{"no language", []string{"archive", "http://a.test", "--language", "§", noStore}, nil, app.ExitUsage, "de-DE,de,en"},
		{"a version, and live", []string{"explain", "http://a.test/@1", "--live", noStore}, nil, app.ExitUsage, "leave one of them out"},
		{"a time, and live", []string{"text", "http://a.test/@2026-01-31", "--live", noStore}, nil, app.ExitUsage, "leave one of them out"},
		{"bad auth", []string{"archive", "http://a.test", "--auth", "a.test=me", noStore}, nil, app.ExitUsage, "HOST=USER:PASSWORD"},
		{"bad profile", []string{"archive", "http://a.test", "--profile", "vips", noStore}, nil, app.ExitUsage, "visual"},
		{"bad level", []string{"archive", "http://a.test", "--level", "99", noStore}, nil, app.ExitUsage, "1 to 16"},
		{"no tabs", []string{"archive", "http://a.test", "--tabs", "-1", noStore}, nil, app.ExitUsage, "1 or more"},
		{"bad log level", []string{"stats", "--log-level", "loud", store}, nil, app.ExitUsage, "debug"},
		{"no configuration file", []string{"stats", "--config", filepath.Join(dir, "none")}, nil, app.ExitUsage, "no such file"},
		{"configuration that is no YAML", []string{"stats", "--config", write("bad.yaml", "tabs: [")}, nil, app.ExitConfig, "bad.yaml"},
		{"configuration that is a list", []string{"stats", "--config", write("list.yaml", "- 1")}, nil, app.ExitConfig, "write a mapping, KEY: VALUE, not a list"},
		{"unknown setting", []string{"stats", "--config", write("typo.yaml", "tabz: 3")}, nil, app.ExitConfig, `"tabz"`},
		{"setting of the wrong type", []string{"stats", "--config", write("type.yaml", "tabs: many")}, nil, app.ExitUsage, "tabs"},
		{"environment of the wrong type", []string{"stats"}, []string{"PLAT_TABS=many"}, app.ExitUsage, "PLAT_TABS"},
		{"secret twice", []string{"stats"}, []string{"PLAT_AUTH=a", "PLAT_AUTH_FILE=b"}, app.ExitConfig, "unset one"},
		{"bad rules", []string{"meta", "test", "x", "--rules", write("rules.yaml", "rules: [{url: '('}]")}, nil, app.ExitConfig, "rule 1"},

		{"a file that is no archive", []string{"stats", "--store=sqlite:" + write("x.db", strings.Repeat("no database", 999))}, nil, app.ExitStore, "x.db"},
		{"a folder that is not there", []string{"archive", "http://a.test", "--store=sqlite:" + filepath.Join(dir, "no", "x.db")}, nil, app.ExitStore, "make the folder first"},
		{"a folder as archive", []string{"stats", "--store=sqlite:" + dir}, nil, app.ExitStore, "is a folder; name a file in it"},
		{"no browser", []string{"archive", "http://a.test", "--chrome", filepath.Join(dir, "no-chrome"), "--store=sqlite:" + filepath.Join(dir, "b.db")}, nil, app.ExitBrowser, "no-chrome"},
		{"MongoDB that is not there", []string{"stats", "--store", "mongodb://me:hush@127.0.0.1:1/plat"}, nil, app.ExitStore, "MongoDB at 127.0.0.1:1 does not answer (connection refused); check that it is running"},
		{"no archive here", []string{"stats", noStore}, nil, app.ExitStore, "plat archive"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := commandIn(t, t.Context(), tc.env, "", tc.args...)
			if r.code != tc.code || !strings.Contains(r.err, tc.says) {
				t.Errorf("exit %d, want %d; stderr %q, want %q in it", r.code, tc.code, r.err, tc.says)
			}
			if !strings.HasPrefix(r.err, "plat: ") || strings.Count(r.err, "\n") != 1 || strings.Contains(r.err, "goroutine") {
				t.Errorf("stderr is not one line of plat's: %q", r.err)
			}
		})
	}
	if _, err := os.Stat(filepath.Join(dir, "none.db")); err == nil {
		t.Error("a command that only reads, or fails early, made an archive")
	}
}

// Each setting with a parser of Go's gets an invalid value, from every source.
func TestNoMessageOfAValueHasNamesOfGo(t *testing.T) {
	dir := t.TempDir()
	tried := 0
	flags := rootCommand(&app.App{}).PersistentFlags()
	flags.VisitAll(func(f *pflag.Flag) {
		switch f.Value.Type() {
		case "string", "stringArray", "stringSlice":
			return // read by us
		}
		tried++
		file := filepath.Join(dir, f.Name+".yaml")
		if err := os.WriteFile(file, []byte(f.Name+": many\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		variable := "PLAT_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		for _, way := range []struct{ env, args []string }{
			{nil, []string{"--" + f.Name + "=many"}}, {[]string{variable + "=many"}, nil}, {nil, []string{"--config", file}},
		} {
			r := commandIn(t, t.Context(), way.env, "", append([]string{"stats"}, way.args...)...)
			if r.code != app.ExitUsage || !strings.Contains(r.err, `"many" cannot be used; write `) || !strings.Contains(r.err, f.Name) && !strings.Contains(r.err, variable) || regexp.MustCompile(`strconv|Parse|time:|syntax`).MatchString(r.err) {
				t.Errorf("%v %v: exit %d, %q", way.env, way.args, r.code, r.err)
			}
		}
	})
	if tried < 20 {
		t.Errorf("%d settings were tried", tried)
	}
	for _, args := range [][]string{{"enqueue", "http://a.test", "--jitter", "x"}, {"simulate", "--visits", "x"}, {"gc", "--older-than", "30"}, {"gc", "--older-than", "xd"}, {"enqueue", "http://a.test", "--every", "30", "--redis", "redis://127.0.0.1:1/0"}, {"blocks", "--limit", "x"}} {
		if r := command(t, args...); r.code != app.ExitUsage || regexp.MustCompile(`strconv|Parse|time:|syntax`).MatchString(r.err) {
			t.Errorf("%v: exit %d, %q", args, r.code, r.err)
		}
	}
}

func TestAFileThatCannotBeReadIsUsageWhateverNamesIt(t *testing.T) {
	dir := t.TempDir()
	store, none := "--store=sqlite:"+filepath.Join(dir, "a.db"), filepath.Join(dir, "none")
	refers := filepath.Join(dir, "steps.yaml")
	if err := os.WriteFile(refers, []byte("rules:\n  - match: a.test\n    steps: [{fill: {selector: a, value: '${file:"+none+"}'}}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	archive := func(args ...string) []string { return append([]string{"archive", "http://a.test", store}, args...) }
	for name, tc := range map[string]struct {
		args []string
		env  []string
		at   []string // of a file that cannot be read; nil: a missing file, and a folder
	}{
		"--config":               {args: []string{"stats", "--config", "FILE"}},
		"PLAT_CONFIG":            {args: []string{"stats"}, env: []string{"PLAT_CONFIG=FILE"}},
		"--cookies":              {args: archive("--cookies", "FILE")},
		"PLAT_COOKIES":           {args: archive(), env: []string{"PLAT_COOKIES=FILE"}},
		"--steps":                {args: archive("--steps", "FILE")},
		"a file in steps":        {args: archive("--steps", refers), at: []string{none}},
		"steps check":            {args: []string{"steps", "check", "FILE"}},
		"--sessions":             {args: archive("--sessions", "FILE"), env: []string{"PLAT_SESSIONS_KEY=long enough"}, at: []string{dir}},
		"--sessions-key-file":    {args: archive("--sessions", filepath.Join(dir, "s"), "--sessions-key-file", "FILE")},
		"--meta-rules":           {args: archive("--meta-rules", "FILE")},
		"meta test --rules":      {args: []string{"meta", "test", "http://a.test", "--rules", "FILE"}},
		"archive -f":             {args: []string{"archive", store, "-f", "FILE"}},
		"enqueue -f":             {args: []string{"enqueue", store, "-f", "FILE", "--redis", "redis://127.0.0.1:1/0"}},
		"watch import":           {args: []string{"watch", "import", store, "FILE"}},
		"rules --add":            {args: []string{"rules", store, "--add", "FILE"}},
		"rules --remove":         {args: []string{"rules", store, "--remove", "FILE"}},
		"focus --file":           {args: []string{"focus", "new", "http://a.test", store, "--file", "FILE"}},
		"explain":                {args: []string{"explain", "FILE"}, at: []string{none}},
		"text":                   {args: []string{"text", "FILE"}, at: []string{none}},
		"snapshot load":          {args: []string{"snapshot", "load", store, "FILE"}, at: []string{none}},
		"snapshot":               {args: []string{"snapshot", "show", "FILE"}, at: []string{none, filepath.Join(refers, "x")}},
		"simulate":               {args: []string{"simulate", "FILE"}, at: []string{none}},
		"PLAT_STORE_FILE":        {args: []string{"stats"}, env: []string{"PLAT_STORE_FILE=FILE"}},
		"PLAT_HEADER_FILE":       {args: archive(), env: []string{"PLAT_HEADER_FILE=FILE"}},
		"PLAT_AUTH_FILE":         {args: archive(), env: []string{"PLAT_AUTH_FILE=FILE"}},
		"PLAT_TOKEN_FILE":        {args: []string{"serve", store}, env: []string{"PLAT_TOKEN_FILE=FILE"}},
		"PLAT_SESSIONS_KEY_FILE": {args: archive("--sessions", filepath.Join(dir, "s")), env: []string{"PLAT_SESSIONS_KEY_FILE=FILE"}},
	} {
		if tc.at == nil {
			tc.at = []string{none, dir}
		}
		for _, at := range tc.at {
			given := func(all []string) (out []string) {
				for _, s := range all {
					out = append(out, strings.ReplaceAll(s, "FILE", at))
				}
				return out
			}
			env := tc.env
			for i, v := range env {
				variable, value, _ := strings.Cut(v, "=")
				env = append(env[:i:i], append([]string{variable + "=" + strings.ReplaceAll(value, "FILE", at)}, env[i+1:]...)...)
			}
			if r := commandIn(t, t.Context(), env, "", given(tc.args)...); r.code != app.ExitUsage || !strings.Contains(r.err, at) {
				t.Errorf("%s %s: exit %d, want %d; stderr %q", name, at, r.code, app.ExitUsage, r.err)
			}
		}
	}
}

func TestPasswordsAreNotRepeated(t *testing.T) {
	for _, args := range [][]string{
		{"stats", "--store", "mongo://me:hush@a.test/plat"},
		{"stats", "--store", "mongodb://me:hu:hush@a.test/plat"},
		{"stats", "--store", "mongo:me:hush@a.test/plat"},
		{"queue", "stats", "--redis", "me:hush@a.test:6379"},
		{"show", "me:hush@a.test/"},
		{"show", "ftp://me:hush@a.test/"},
		{"archive", "http://a.test", "--header", "Authorization Bearer hush", "--store=sqlite:" + filepath.Join(t.TempDir(), "a.db")},
		{"archive", "http://a.test", "--header", "Bearer hush: x", "--store=sqlite:" + filepath.Join(t.TempDir(), "a.db")},
		{"archive", "http://me:hush@a.test/"},
		{"show", "http://me:hush@a.test/"},
		{"archive", "http://a.test", "--auth", "hush", "--store=sqlite:" + filepath.Join(t.TempDir(), "a.db")},
		{"archive", "http://a.test", "--proxy", "http://me:hush@:x", "--store=sqlite:" + filepath.Join(t.TempDir(), "a.db")},
	} {
		if args[0] == "archive" && strings.Contains(args[1], "hush") {
			continue // needs a browser; see the end-to-end test
		}
		if r := command(t, args...); r.code == app.ExitOK || strings.Contains(r.out+r.err, "hush") {
			t.Errorf("plat %s: exit %d, %q", strings.Join(args, " "), r.code, r.out+r.err)
		}
	}
}

func TestAnErrorAboutAURLIsJSONToo(t *testing.T) {
	r := command(t, "show", "http://other.test/", "--json", madeUp(t))
	got := jsonLines[struct{ URL, Error string }](t, r.out)
	if r.code != app.ExitError || len(got) != 1 || got[0].URL != "http://other.test/" || got[0].Error == "" || !strings.HasPrefix(r.err, "plat: show: ") {
		t.Errorf("exit %d, %+v, stderr %q", r.code, got, r.err)
	}
}

func TestASignalEndsAnyCommandWithElevenAndTheStoreWhole(t *testing.T) {
	store := madeUp(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(app.ErrInterrupted)
	for _, args := range [][]string{{"verify"}, {"stats"}, {"versions", paperURL}, {"blocks"}} {
		if r := commandIn(t, ctx, nil, "", append(args, store)...); r.code != app.ExitInterrupted || !strings.Contains(r.err, "interrupted") {
			t.Errorf("plat %v: exit %d, stderr %q", args, r.code, r.err)
		}
	}
	must(t, "verify", store)
}

func TestHelpOffersNoFlagThatDoesNothing(t *testing.T) {
	help := must(t, "explain", "--help")
	for _, flag := range []string{"--fixed", "--screenshot", "--resources", "--meta-rules", "--tabs"} {
		if strings.Contains(help, flag) {
			t.Errorf("explain --help offers %s", flag)
		}
		if !strings.Contains(must(t, "archive", "--help"), flag) {
			t.Errorf("archive --help does not offer %s", flag)
		}
	}
	if !strings.Contains(help, "--level") || !strings.Contains(help, "--scroll") {
		t.Errorf("explain --help lacks flags:\n%s", help)
	}
}

func TestHelpOfEveryCommandHasExamplesAndExplainsJSON(t *testing.T) {
	a := &app.App{}
	for _, c := range rootCommand(a).Commands() {
		for _, cmd := range append(c.Commands(), c) {
			if cmd.Name() == "completion" || cmd.Name() == "help" || cmd.Parent() != nil && cmd.Parent().Name() == "completion" {
				continue
			}
			help := must(t, append(strings.Fields(strings.TrimPrefix(cmd.CommandPath(), "plat ")), "--help")...)
			if strings.Count(help, "\n  plat ") < 3 { // the usage line, and two examples
				t.Errorf("%s --help has too few examples:\n%s", cmd.CommandPath(), help)
			}
			if !cmd.HasSubCommands() && !strings.Contains(help, "JSON") {
				t.Errorf("%s --help says nothing of its JSON", cmd.CommandPath())
			}
		}
	}
}
