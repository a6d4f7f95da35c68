package main

import (
	"net/url"

	"github.com/spf13/cobra"

	"plat/browser/steps"
	"plat/cmd/plat/app"
	"plat/cmd/plat/output"
	"plat/cmd/plat/settings/flags"
)

func stepsCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "steps",
		Short: "Check the steps that are performed on pages before capture",
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
		Annotations: flags.Heeds(flags.Naming),
		Args:        cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			set, err := a.StepRules(args[:1])
			if err != nil {
				return err
			}
			if len(args) == 1 {
				output.Rules(a.Out, set, a.Secret, a.JSON)
				return nil
			}
			for _, raw := range args[1:] {
				if err := printPlan(a, set, raw); err != nil {
					return err
				}
			}
			return nil
		},
	})
	return cmd
}

func printPlan(a *app.App, set *steps.Set, raw string) error {
	canonical, err := a.Canonical(raw)
	if err != nil {
		return err
	}
	u, err := url.Parse(canonical)
	if err != nil {
		return app.About(raw, err)
	}
	plan := set.For(u)
	output.Plan(a.Out, canonical, &plan, a.JSON)
	return nil
}
