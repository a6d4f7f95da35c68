package main

import (
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"plat/steps"
	"plat/term"
)

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
		if _, err := a.Secret(ref); err != nil {
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
			set, err := a.StepRules(args[:1])
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
		if a.JSON {
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
	case a.JSON:
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
