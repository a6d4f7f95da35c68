package main

import (
	"github.com/spf13/cobra"

	"plat/cmd/plat/app"
	"plat/cmd/plat/output"
	"plat/cmd/plat/settings"
	"plat/cmd/plat/settings/flags"
)

func metaCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "meta",
		Short: "Try out metadata rules",
		Long:  "meta tries out the rules that set the metadata of versions (--meta-rules).",
		Example: `  plat meta test https://example.com/ --rules rules.yaml
  plat meta test page.snapshot --rules rules.yaml --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	var file string
	test := &cobra.Command{
		Use:   "test URL|SNAPSHOT-FILE --rules FILE",
		Short: "Print the metadata that the rules set for a page",
		Long: `test renders a page, or reads a stored snapshot, and prints the metadata that
the rules set for it. The rules are YAML:

  rules:
    - url: ^https://news\.example/          # regular expression; none: every URL
      set:
        publisher: Example News             # these words
        section:   {url: '^https://[^/]+/([^/]+)/'}
        published: {meta: 'article:published_time'}
        author:    {select: '.byline a', attr: title}   # attr: none is the text
        licence:   {header: link, match: '<([^>]+)>; rel="license"'}

Of two rules that set the same name the later wins, if it finds a value.

JSON: url, meta (value by name).`,
		Example: `  plat meta test https://example.com/ --rules rules.yaml
  plat meta test page.snapshot --rules rules.yaml --json`,
		Annotations: flags.Heeds(flags.Rendering, flags.Reaching, flags.Naming),
		Args:        cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if file == "" {
				file = a.MetaRules
			}
			if file == "" {
				return app.Fail(app.ExitUsage, "there are no rules; name their file with --rules FILE")
			}
			rules, err := settings.ReadRules(file)
			if err != nil {
				return err
			}
			snap, err := snapshot(cmd.Context(), a, args[0])
			if err != nil {
				return err
			}
			output.Meta(a.Out, snap.URL, rules.Apply(snap.URL, snap), a.JSON)
			return nil
		},
	}
	test.Flags().StringVar(&file, "rules", "", "`FILE` with the rules (default: that of --meta-rules)")
	cmd.AddCommand(test)
	return cmd
}
