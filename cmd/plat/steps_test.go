package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"plat/cmd/plat/app"
	"plat/cmd/plat/output"
	"plat/plat"
	"plat/workers/batch"
)

const (
	stepsPassword = "a long secret"
	stepsUser     = "anna"
)

// members is a site whose news are for those who have logged in; it greets with a
// consent banner, shows its list only on demand, and echoes the password in all
// places where a page can.
type members struct {
	session atomic.Int64 // the number that is valid
	logins  atomic.Int64
	changed atomic.Bool // its button is replaced
	during  func()      // called during a login
}

func (m *members) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c, err := r.Cookie("sid")
	in := err == nil && c.Value == fmt.Sprint("kept-session-", m.session.Load())
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	const banner = `<div id=onetrust-banner-sdk style="position:fixed;bottom:0;left:0;right:0;height:900px;background:#eee">We value your privacy <button id=onetrust-reject-all-handler onclick="document.getElementById('onetrust-banner-sdk').remove()">Reject</button></div>`
	switch {
	case r.URL.Path == "/login" && r.Method == http.MethodPost:
		if m.during != nil {
			m.during()
		}
		if r.PostFormValue("user") != stepsUser || r.PostFormValue("password") != stepsPassword {
			fmt.Fprintf(w, `<p>Wrong password: %s</p>`, r.PostFormValue("password"))
			return
		}
		m.logins.Add(1)
		http.SetCookie(w, &http.Cookie{Name: "sid", Value: fmt.Sprint("kept-session-", m.session.Add(1)), Path: "/", MaxAge: 3600})
		http.Redirect(w, r, "/?hello="+r.PostFormValue("user"), http.StatusSeeOther)
	case r.URL.Path == "/login":
		fmt.Fprint(w, `<title>Log in</title><form method=post><input id=user name=user><input id=password name=password type=password><button>In</button></form>`)
	case !in:
		fmt.Fprint(w, `<title>News</title><h1>News</h1><p>For members only.</p>`+banner)
	default:
		more := `<button id=more onclick="this.remove(); list.innerHTML = '<div id=all>' + '<p>One more item of the long list.</p>'.repeat(20) + '</div>'">Show all</button>`
		if m.changed.Load() {
			more = ""
		}
		fmt.Fprint(w, `<title>News</title><h1>News</h1><a id=logout href=/out>Leave</a><p>The river rose by two metres on Monday night.</p><div id=list></div>`+more+banner)
	}
}

const stepsFile = `
rules:
  - name: news
    match: HOST/*
    session:
      check: {present: "#logout"}
      login:
        - goto: HOST/login
        - fill: {selector: "#user", value: "${env:NEWS_USER}"}
        - fill: {selector: "#password", value: "${file:PASSWORD}"}
        - click: button
    steps:
      - click: "#more"
      - wait: {selector: "#all", timeout: 2s}
`

// processes returns the data about the processes below this one that any local user can read:
// their command lines, and the environment of those of the same user.
func processes(t *testing.T) string {
	t.Helper()
	var all bytes.Buffer
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range dirs {
		line, err := os.ReadFile(filepath.Join(dir, "cmdline"))
		if err != nil || !bytes.Contains(line, []byte(fmt.Sprintf("plat-chrome-%d-", os.Getpid()))) && !bytes.Contains(line, []byte("--type=")) {
			continue
		}
		env, _ := os.ReadFile(filepath.Join(dir, "environ")) // it may have ended
		all.Write(line)
		all.Write(env)
		all.WriteByte('\n')
	}
	return all.String()
}

func TestALoginABannerAndALongListEndToEnd(t *testing.T) {
	needChrome(t)
	m := &members{}
	srv := httptest.NewServer(m)
	t.Cleanup(srv.Close)
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(in(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("steps.yaml", strings.NewReplacer("HOST", srv.URL, "PASSWORD", in("password")).Replace(stepsFile))
	write("password", stepsPassword+"\n")
	write("key", "the key of the sessions\n")
	// The browser is a child of this process, and must not inherit these variables.
	t.Setenv("NEWS_USER", stepsUser)
	t.Setenv("PLAT_TOKEN", "token-of-plat")
	var seen string
	m.during = func() { seen = processes(t) }
	var said strings.Builder
	visit := func(name string, env ...string) batch.Page {
		t.Helper()
		r := commandIn(t, t.Context(), append([]string{"NEWS_USER=" + stepsUser}, env...), "", "archive", "--json", "--log-level=debug", "--store=sqlite:"+in("a.db"), "--allow-private=127.0.0.0/8",
			"--steps="+in("steps.yaml"), "--consent", "--sessions="+in("sessions.bin"), "--sessions-key-file="+in("key"), "--step-pictures="+in("failed"), "--screenshot", "--resources=all", srv.URL+"/today")
		said.WriteString(r.out + r.err)
		lines := jsonLines[batch.Page](t, r.out)
		if len(lines) != 1 {
			t.Fatalf("%s: exit %d, %s%s", name, r.code, r.out, r.err)
		}
		return lines[0]
	}
	pictures := func() []string {
		all, err := filepath.Glob(in("failed/*.png"))
		if err != nil {
			t.Fatal(err)
		}
		return all
	}

	if a := visit("first"); a.Outcome != plat.OutcomeNew || m.logins.Load() != 1 {
		t.Fatalf("first visit: %+v, %d logins", a, m.logins.Load())
	}
	if a := visit("kept"); a.Outcome != plat.OutcomeUnchanged || m.logins.Load() != 1 {
		t.Errorf("with the session kept: %+v, %d logins", a, m.logins.Load())
	}
	m.session.Add(5)
	if a := visit("expired"); a.Outcome != plat.OutcomeUnchanged || m.logins.Load() != 2 {
		t.Errorf("with the session expired: %+v, %d logins", a, m.logins.Load())
	}
	page := must(t, "restore", srv.URL+"/today", "--store=sqlite:"+in("a.db"))
	if !strings.Contains(page, "two metres") || !strings.Contains(page, "One more item") || strings.Contains(page, "We value your privacy") {
		t.Errorf("the archived page is\n%s", page)
	}
	var v struct{ Steps, Title string }
	if err := json.Unmarshal([]byte(must(t, "versions", srv.URL+"/today", "--json", "--store=sqlite:"+in("a.db"))), &v); err != nil {
		t.Fatal(err)
	}
	var plan output.PlanInfo
	checked := commandIn(t, t.Context(), nil, "", "steps", "check", in("steps.yaml"), srv.URL+"/today", "--json")
	if err := json.Unmarshal([]byte(checked.out), &plan); err != nil || plan.Session != "127.0.0.1" || len(plan.Rules) != 1 {
		t.Fatalf("steps check says %q, %v", checked.out, err)
	}
	if len(v.Steps) != 64 || len(plan.Hash) != 64 || v.Steps == plan.Hash {
		t.Errorf("the version has steps %s; without --consent they would be %s", v.Steps, plan.Hash)
	}

	m.changed.Store(true)
	a := visit("changed page")
	if a.Outcome != plat.OutcomeStepsFailed || a.Retry || a.Tries != 1 || !strings.Contains(a.Error, `rule "news": step 1 (line 13), click "#more": no element matched within 10s`) || len(pictures()) != 1 || !strings.Contains(a.Error, pictures()[0]) {
		t.Errorf("of a changed page: %+v, pictures %v", a, pictures())
	}
	m.changed.Store(false)
	m.session.Add(5)
	write("password", "another long secret")
	a = visit("wrong password")
	if a.Outcome != plat.OutcomeLoginFailed || a.Retry || !strings.Contains(a.Error, "does not find a logged-in user") || len(pictures()) != 2 {
		t.Errorf("with a wrong password: %+v, pictures %v", a, pictures())
	}
	for _, path := range pictures() {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := png.Decode(bytes.NewReader(b)); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}

	hidden := []string{stepsPassword, strings.ReplaceAll(stepsPassword, " ", "+"), strings.ReplaceAll(stepsPassword, " ", "%20"), "another long", "kept-session-", "the key of"}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if name := f.Name(); !f.IsDir() && name != "password" && name != "key" {
			b, err := os.ReadFile(in(name))
			if err != nil {
				t.Fatal(err)
			}
			for _, secret := range hidden {
				if bytes.Contains(b, []byte(secret)) {
					t.Errorf("%s has %q", name, secret)
				}
			}
		}
	}
	said.WriteString(must(t, "export", "--format=jsonl", "--store=sqlite:"+in("a.db")))
	for _, secret := range hidden {
		if strings.Contains(said.String(), secret) {
			t.Errorf("%q was said:\n%s", secret, said.String())
		}
	}
	if !strings.Contains(seen, "--user-data-dir") {
		t.Fatalf("no process was seen: %q", seen)
	}
	for _, secret := range append(hidden, "NEWS_USER", "token-of-plat") {
		if strings.Contains(seen, secret) {
			t.Errorf("%q can be seen in the list of processes", secret)
		}
	}
	if l := left(t, os.Getpid()); len(l) > 0 {
		t.Errorf("of the browsers there remain %q", l)
	}
}

func TestSettingsOfStepsAreChecked(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := write("good.yaml", "rules:\n  - match: a.test\n    steps: [{click: a}]\n")
	script := write("script.yaml", "rules:\n  - match: a.test\n    steps: [{evaluate: a}]\n")
	secret := write("secret.yaml", "rules:\n  - match: a.test\n    steps: [{fill: {selector: a, value: '${env:MISSING}'}}]\n")
	bad := write("bad.yaml", "rules:\n  - match: a.test\n    step: []\n")
	key, diary := write("key", "long enough"), write("diary", "dear diary, this is not a file of sessions, and it must stay as it is")
	for _, tc := range []struct {
		name string
		args []string
		want string
	}{
		{"a file that is no file of steps", []string{"--steps=" + bad}, `line 3: a rule has no "step"`},
		{"a script", []string{"--steps=" + script}, "allow it with --steps-evaluate"},
		{"a secret that is not set", []string{"--steps=" + secret}, "${env:MISSING}: the variable is not set"},
		{"sessions without key", []string{"--steps=" + good, "--sessions=" + filepath.Join(dir, "s")}, "--sessions-key-file FILE or in PLAT_SESSIONS_KEY"},
		{"a key without sessions", []string{"--sessions-key-file=" + key}, "--sessions FILE"},
		{"a file of something else", []string{"--sessions=" + diary, "--sessions-key-file=" + key}, "is not a file of sessions"},
	} {
		r := command(t, append([]string{"archive", "http://a.test/", "--store=sqlite:" + filepath.Join(dir, "x.db")}, tc.args...)...)
		if r.code != app.ExitConfig || !strings.Contains(r.err, tc.want) {
			t.Errorf("%s: exit %d, %q, want %q", tc.name, r.code, r.err, tc.want)
		}
	}
	r := commandIn(t, t.Context(), nil, "", "steps", "check", secret, "--json")
	var i output.RuleInfo
	if err := json.Unmarshal([]byte(r.out), &i); err != nil || r.code != app.ExitOK || len(i.Missing) != 1 || i.Missing[0] != "${env:MISSING}" || i.Rule != "rule 1" || len(i.Steps) != 1 {
		t.Errorf("steps check: exit %d, %q, %v", r.code, r.out, err)
	}
	if out := must(t, "steps", "check", good, "http://a.test/", "http://b.test/"); !strings.Contains(out, "http://a.test/: rule 1 (") || !strings.Contains(out, "http://b.test/: no rule applies") {
		t.Errorf("steps check of URLs: %q", out)
	}
	if out := must(t, "steps", "check", good); !strings.Contains(out, "click") || !strings.Contains(out, "a.test") {
		t.Errorf("steps check: %q", out)
	}
	if r := command(t, "steps", "check", bad); r.code != app.ExitConfig {
		t.Errorf("steps check of a bad file: exit %d, %q", r.code, r.err)
	}
}

// Every command of docs/steps.md runs, in its order, with its file of steps,
// against a site of that kind.
func TestTheCommandsOfTheStepsDocumentRun(t *testing.T) {
	needChrome(t)
	doc, err := os.ReadFile(filepath.Join("..", "..", "docs", "steps.md"))
	if err != nil {
		t.Fatal(err)
	}
	m := &members{}
	srv := httptest.NewServer(m)
	t.Cleanup(srv.Close)
	blocks := func(kind string) (all []string) {
		for i, part := range strings.Split(string(doc), "```"+kind+"\n") {
			if code, _, ok := strings.Cut(part, "\n```"); ok && i > 0 {
				all = append(all, strings.ReplaceAll(code, "https://news.example", srv.URL)+"\n")
			}
		}
		return all
	}
	script := strings.Join(blocks("sh"), "")
	if n := strings.Count(script, "plat "); n < 4 {
		t.Fatalf("only %d commands found", n)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "steps.yaml"), []byte(blocks("yaml")[0]), 0o600); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(dir, "plat")); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	run := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", script)
	run.Dir = dir
	run.Env = append(os.Environ(), asPlat+"=1", "PATH="+dir+":"+os.Getenv("PATH"), "PLAT_ALLOW_PRIVATE=127.0.0.0/8", "PLAT_CONSENT=true")
	out, err := run.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{`"rules":["news"]`, `"steps":"`, "new "} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the commands print nothing of %q\n%s", want, out)
		}
	}
	if m.logins.Load() != 1 {
		t.Errorf("%d logins", m.logins.Load())
	}
}
