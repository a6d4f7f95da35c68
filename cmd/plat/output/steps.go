package output

import (
	"slices"
	"strings"

	"plat/browser/steps"
	"plat/cmd/plat/terminal"
)

// RuleInfo is the output of steps check for a rule; its JSON is part of the interface.
type RuleInfo struct {
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

// PlanInfo is the output of steps check for a URL.
type PlanInfo struct {
	URL     string   `json:"url"`
	Rules   []string `json:"rules"`
	Session string   `json:"session,omitempty"`
	Consent bool     `json:"consent"`
	Hash    string   `json:"hash,omitempty"`
}

func infoOf(r *steps.Rule, secret func(steps.Ref) (string, error)) RuleInfo {
	lines := func(list []steps.Step) []string {
		all := []string{}
		for i := range list {
			all = append(all, list[i].String())
		}
		return all
	}
	i := RuleInfo{File: r.File, Rule: r.Name, Match: []string{}, Steps: lines(r.Steps), Consent: r.Consent, Evaluate: r.Evaluates(), Secrets: []string{}, Missing: []string{}, Hash: r.Hash().String()}
	for _, m := range r.Match {
		i.Match = append(i.Match, m.String())
	}
	if s := r.Session; s != nil {
		i.Session, i.Hosts, i.Login = s.Name, s.Hosts, lines(s.Login)
	}
	for _, ref := range r.Secrets() {
		i.Secrets = append(i.Secrets, ref.String())
		if _, err := secret(ref); err != nil {
			i.Missing = append(i.Missing, ref.String())
		}
	}
	return i
}

// Rules prints the rules of steps. It calls secret to check that the secrets that they refer to
// can be read, and does not print them.
func Rules(s *terminal.Screen, set *steps.Set, secret func(steps.Ref) (string, error), asJSON bool) {
	for _, r := range set.Rules {
		i := infoOf(r, secret)
		if asJSON {
			s.JSON(i)
			continue
		}
		t := terminal.Table{}
		t.Row(terminal.Text(i.Rule).In(terminal.Bold), terminal.Text(strings.Join(i.Match, " ")))
		if i.Session != "" {
			t.Row(terminal.Text("  session"), terminal.Text(i.Session+" of "+strings.Join(i.Hosts, ", ")))
		}
		for _, line := range i.Login {
			t.Row(terminal.Text("  login"), terminal.Text(line))
		}
		if i.Consent {
			t.Row(terminal.Text("  consent"), terminal.Text("banners of known managers are answered"))
		}
		for _, line := range i.Steps {
			t.Row(terminal.Text("  step"), terminal.Text(line))
		}
		for _, ref := range i.Secrets {
			if slices.Contains(i.Missing, ref) {
				ref += " cannot be read"
			}
			t.Row(terminal.Text("  secret"), terminal.Text(ref))
		}
		t.Row(terminal.Text("  hash"), terminal.Text(i.Hash))
		t.Print(s)
	}
}

// Plan prints which rules of steps apply to a URL, which is canonical too.
func Plan(s *terminal.Screen, canonical string, plan *steps.Plan, asJSON bool) {
	i := PlanInfo{URL: canonical, Rules: []string{}, Consent: plan.Consent}
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
	case asJSON:
		s.JSON(i)
	case plan.Empty():
		s.Print(canonical + ": no rule applies")
	default:
		parts := slices.Clone(i.Rules)
		if i.Session != "" {
			parts = append(parts, "session "+i.Session)
		}
		if i.Consent {
			parts = append(parts, "consent")
		}
		s.Print(canonical + ": " + strings.Join(parts, ", ") + " (" + i.Hash + ")")
	}
}
