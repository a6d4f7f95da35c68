package main

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"plat/browser"
	"plat/sessions"
	"plat/steps"
	"plat/term"
)

// stepOptions works out what is done on pages before they are taken.
func (a *app) stepOptions(o *browser.Options) error {
	set, err := a.stepRules(a.steps)
	if err != nil {
		return err
	}
	o.Environ = a.childEnv(set)
	if len(set.Rules) > 0 || set.Consent {
		o.Steps = set
	}
	for _, r := range set.Rules {
		if r.Evaluates() && !a.stepsEvaluate {
			return fail(exitConfig, "%s: rule %q runs scripts of its own; allow it with --steps-evaluate", r.File, r.Name)
		}
		for _, ref := range r.Secrets() {
			if _, err := a.secret(ref); err != nil {
				return fail(exitConfig, "%s: rule %q: %v: %w", r.File, r.Name, ref, err)
			}
		}
	}
	o.Secret, o.StepsEvaluate = a.secret, a.stepsEvaluate
	if a.stepPictures != "" {
		if err := os.MkdirAll(a.stepPictures, 0o700); err != nil {
			return fail(exitConfig, "step-pictures: %w", err)
		}
	}
	if a.sessions == "" {
		if a.sessionsKeyFile != "" {
			return fail(exitConfig, "sessions-key-file: there is no file of sessions; name one with --sessions FILE")
		}
		return nil
	}
	key, err := a.sessionsKey()
	if err != nil {
		return err
	}
	store, err := sessions.Open(a.sessions, key)
	if err != nil {
		return fail(exitConfig, "%w", err)
	}
	o.Sessions = store
	return nil
}

// stepRules reads files of rules.
func (a *app) stepRules(paths []string) (*steps.Set, error) {
	var files [][]*steps.Rule
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			return nil, fail(exitConfig, "steps: %w", err)
		}
		b, err := io.ReadAll(io.LimitReader(f, steps.MaxFile+1))
		f.Close()
		if err != nil {
			return nil, fail(exitConfig, "steps: %w", err)
		}
		rules, err := steps.Parse(path, b)
		if err != nil {
			return nil, fail(exitConfig, "%w", err)
		}
		files = append(files, rules)
	}
	set, err := steps.Join(files...)
	if err != nil {
		return nil, fail(exitConfig, "%w", err)
	}
	set.Consent = a.consent
	return set, nil
}

// sessionsKeyEnv holds the key of the file of sessions, where no file does.
const sessionsKeyEnv = envPrefix + "SESSIONS_KEY"

func (a *app) sessionsKey() ([]byte, error) {
	key := a.getenv(sessionsKeyEnv)
	switch {
	case key != "" && a.sessionsKeyFile != "":
		return nil, fail(exitConfig, "%s is set, and --sessions-key-file names a file; give one of them", sessionsKeyEnv)
	case a.sessionsKeyFile != "":
		b, err := readSecret(a.sessionsKeyFile)
		if err != nil {
			return nil, fail(exitConfig, "sessions-key-file: %w", err)
		}
		return []byte(b), nil
	case key == "":
		return nil, fail(exitConfig, "sessions: the file needs a key; give it with --sessions-key-file FILE or in %s", sessionsKeyEnv)
	}
	return []byte(key), nil
}

// secret resolves a reference of steps. It is looked up each time, so that what
// is changed in a file is seen.
func (a *app) secret(r steps.Ref) (string, error) {
	if r.From == "file" {
		return readSecret(r.Name)
	}
	s := a.getenv(r.Name)
	if s == "" {
		return "", errors.New("the variable is not set")
	}
	return s, nil
}

// maxSecret is the most that a file of a secret may hold, in bytes.
const maxSecret = 4 << 10

// readSecret reads a file without the line break at its end.
func readSecret(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxSecret+1))
	if err != nil {
		return "", err
	}
	s := strings.TrimRight(string(b), "\r\n")
	switch {
	case len(b) > maxSecret:
		return "", fmt.Errorf("%s has more than %d bytes", path, maxSecret)
	case s == "":
		return "", fmt.Errorf("%s is empty", path)
	}
	return s, nil
}

// childEnv is this process's environment without what a browser has no business
// to know: our own settings, passwords among them, and what steps refer to. What
// a child process has is seen by whoever may look at processes.
func (a *app) childEnv(set *steps.Set) []string {
	var hidden []string
	for _, r := range set.Rules {
		for _, ref := range r.Secrets() {
			if ref.From == "env" {
				hidden = append(hidden, ref.Name)
			}
		}
	}
	env := []string{} // not nil, which would be all
	for _, e := range os.Environ() {
		name, _, _ := strings.Cut(e, "=")
		if !strings.HasPrefix(name, envPrefix) && !slices.Contains(hidden, name) {
			env = append(env, e)
		}
	}
	return env
}

// ruleInfo is what steps check prints of a rule; its JSON is part of the
// interface.
type ruleInfo struct {
	File     string   `json:"file"`
	Rule     string   `json:"rule"`
	Match    []string `json:"match"`
	Steps    []string `json:"steps"`
	Session  string   `json:"session,omitempty"`
	Hosts    []string `json:"hosts,omitempty"` // of the session
	Login    []string `json:"login,omitempty"`
	Consent  bool     `json:"consent"`
	Evaluate bool     `json:"evaluate"`
	Secrets  []string `json:"secrets"`
	Missing  []string `json:"missing"` // of the secrets
	Hash     string   `json:"hash"`
}

// planInfo is what it prints of a URL.
type planInfo struct {
	URL     string   `json:"url"`
	Rules   []string `json:"rules"`
	Session string   `json:"session,omitempty"`
	Consent bool     `json:"consent"`
	Hash    string   `json:"hash,omitempty"`
}

func (a *app) ruleInfo(r *steps.Rule) ruleInfo {
	lines := func(list []steps.Step) []string {
		all := []string{}
		for i := range list {
			all = append(all, list[i].String())
		}
		return all
	}
	i := ruleInfo{File: r.File, Rule: r.Name, Match: []string{}, Steps: lines(r.Steps), Consent: r.Consent, Evaluate: r.Evaluates(), Secrets: []string{}, Missing: []string{}, Hash: r.Hash().String()}
	for _, m := range r.Match {
		i.Match = append(i.Match, m.String())
	}
	if s := r.Session; s != nil {
		i.Session, i.Hosts, i.Login = s.Name, s.Hosts, lines(s.Login)
	}
	for _, ref := range r.Secrets() {
		i.Secrets = append(i.Secrets, ref.String())
		if _, err := a.secret(ref); err != nil {
			i.Missing = append(i.Missing, ref.String())
		}
	}
	return i
}

func (a *app) stepsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "steps",
		Short: "Check the steps that are done on pages before they are taken",
		Long: `steps checks files of rules that say what is done on pages before they are taken:
banners closed, lists opened, logins renewed. docs/steps.md describes them.`,
		Example: `  plat steps check steps.yaml
  plat steps check steps.yaml https://example.com/news`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(&cobra.Command{
		Use:   "check FILE [URL…]",
		Short: "Read a file of rules, and say which of them apply to a URL",
		Long: `check reads a file of rules as --steps does and prints its rules; with URLs, it
prints which rules apply to each. Nothing is visited. Values of secrets are never
printed, only whether they are there.

JSON, without URLs one object a rule: file, rule, match, steps, session, hosts and
login of the session, consent, evaluate, secrets, missing (secrets that cannot be
read), hash. With URLs one object a URL: url, rules, session, consent, hash; the
hash is what versions record as steps.`,
		Example: `  plat steps check steps.yaml
  plat steps check steps.yaml https://example.com/news --json`,
		Annotations: heeds(naming),
		Args:        cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			set, err := a.stepRules(args[:1])
			if err != nil {
				return err
			}
			if len(args) == 1 {
				a.printRules(set)
				return nil
			}
			for _, raw := range args[1:] {
				if err := a.printPlan(set, raw); err != nil {
					return err
				}
			}
			return nil
		},
	})
	return cmd
}

func (a *app) printRules(set *steps.Set) {
	for _, r := range set.Rules {
		i := a.ruleInfo(r)
		if a.json {
			a.out.JSON(i)
			continue
		}
		t := term.Table{}
		t.Row(term.Text(i.Rule).In(term.Bold), term.Text(strings.Join(i.Match, " ")))
		if i.Session != "" {
			t.Row(term.Text("  session"), term.Text(i.Session+" of "+strings.Join(i.Hosts, ", ")))
		}
		for _, line := range i.Login {
			t.Row(term.Text("  login"), term.Text(line))
		}
		if i.Consent {
			t.Row(term.Text("  consent"), term.Text("banners of known managers are answered"))
		}
		for _, line := range i.Steps {
			t.Row(term.Text("  step"), term.Text(line))
		}
		for _, ref := range i.Secrets {
			if slices.Contains(i.Missing, ref) {
				ref += " cannot be read"
			}
			t.Row(term.Text("  secret"), term.Text(ref))
		}
		t.Row(term.Text("  hash"), term.Text(i.Hash))
		t.Print(a.out)
	}
}

func (a *app) printPlan(set *steps.Set, raw string) error {
	canonical, err := a.canonical(raw)
	if err != nil {
		return err
	}
	u, err := url.Parse(canonical)
	if err != nil {
		return about(raw, err)
	}
	plan := set.For(u)
	i := planInfo{URL: canonical, Rules: []string{}, Consent: plan.Consent}
	for _, r := range plan.Rules {
		i.Rules = append(i.Rules, r.Name)
	}
	if plan.Session != nil {
		i.Session = plan.Session.Name
	}
	if !plan.Empty() {
		i.Hash = plan.Hash().String()
	}
	switch {
	case a.json:
		a.out.JSON(i)
	case plan.Empty():
		a.out.Print(canonical + ": no rule applies")
	default:
		parts := slices.Clone(i.Rules)
		if i.Session != "" {
			parts = append(parts, "session "+i.Session)
		}
		if i.Consent {
			parts = append(parts, "consent")
		}
		a.out.Print(canonical + ": " + strings.Join(parts, ", ") + " (" + i.Hash + ")")
	}
	return nil
}
