package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"plat/cmd/plat/app"
	"plat/cmd/plat/output"
	"plat/cmd/plat/settings/flags"
	"plat/diff/rules"
	"plat/storage"
	"plat/storage/uri"
)

const ruleJSON = "\n\nJSON, one object a rule: url, block or text or selector, watch."

func ignoreCommand(a *app.App) *cobra.Command {
	return ruleCommand(a, &cobra.Command{
		Use: "ignore URL", Short: "Do not hear of some changes of a page",
		Long: `ignore makes changes of a part of a page no news, from the next visit on: of a block, of
text that a regular expression matches, or of elements that a CSS selector selects.
They are archived all the same, and counted as held back.

URL may be a pattern for many pages: example.com, *.example.com, example.com/news/*
or *. Blocks have numbers of their own in each page, which plat show prints.
plat rules lists all rules.` + ruleJSON,
		Example: `  plat ignore https://example.com/ --block 12
  plat ignore "example.com/news/*" --text "[0-9]+ readers"
  plat ignore https://example.com/ --selector "aside.weather"
  plat ignore https://example.com/ --block 12 --remove`,
	}, false)
}

func watchForCommand(a *app.App) *cobra.Command {
	return ruleCommand(a, &cobra.Command{
		Use: "watch-for URL", Short: "Hear of each change of a part of a page",
		Long: `watch-for makes every change of a part of a page news, whatever else is known of it,
from the next visit on: also what varies by itself, and what another rule ignores.

URL may be a pattern for many pages, as for plat ignore.` + ruleJSON,
		Example: `  plat watch-for https://example.com/ --selector "#price"
  plat watch-for https://example.com/ --block 7
  plat watch-for "example.com/*" --text "sold out"`,
	}, true)
}

// ruleCommand completes a command that makes rules.
func ruleCommand(a *app.App, cmd *cobra.Command, watch bool) *cobra.Command {
	var blocks []int32
	var texts, selectors []string
	var remove bool
	cmd.Annotations, cmd.Args = flags.Heeds(flags.Naming), cobra.ExactArgs(1)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		set, err := rules.Of(args[0], blocks, texts, selectors, watch)
		switch {
		case err != nil:
			return app.Fail(app.ExitUsage, "%w", err)
		case len(set) == 0:
			return app.Fail(app.ExitUsage, "write which part of the page: --block, --text or --selector")
		}
		return setRules(cmd.Context(), a, set, remove)
	}
	f := cmd.Flags()
	f.Int32SliceVar(&blocks, "block", nil, "`NUMBER` of a block; several: 3,7")
	f.StringArrayVar(&texts, "text", nil, "regular `EXPRESSION` (RE2)")
	f.StringArrayVar(&selectors, "selector", nil, "`CSS` selector")
	f.BoolVar(&remove, "remove", false, "remove this rule")
	return cmd
}

func setRules(ctx context.Context, a *app.App, set rules.Set, remove bool) error {
	return a.WithStore(ctx, uri.Writes, func(s storage.Store) error {
		if remove {
			return output.RemoveRules(ctx, a.Out, s, set, a.JSON)
		}
		return output.AddRules(ctx, a.Out, s, set, a.JSON)
	})
}

func rulesCommand(a *app.App) *cobra.Command {
	var add, remove string
	cmd := &cobra.Command{
		Use:   "rules [URL]",
		Short: "List the rules that ignore or watch changes",
		Long: `rules prints the rules of plat ignore and plat watch-for as YAML: all, or those that
hold for a URL. With --add it adds those of such a file, with --remove it removes them;
"-" is the standard input.` + ruleJSON,
		Example: `  plat rules
  plat rules https://example.com/news/1
  plat rules > rules.yaml && plat rules --store sqlite:other.db --add rules.yaml`,
		Annotations: flags.Heeds(flags.Naming),
		Args:        cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if file := add + remove; file != "" {
				if add != "" && remove != "" || len(args) > 0 {
					return app.Fail(app.ExitUsage, "write --add or --remove, and no URL")
				}
				set, err := readRules(file, cmd.InOrStdin())
				if err != nil {
					return app.Fail(app.ExitUsage, "%s: %w", file, err)
				}
				return setRules(cmd.Context(), a, set, remove != "")
			}
			return listRules(cmd.Context(), a, args)
		},
	}
	cmd.Flags().StringVar(&add, "add", "", "add the rules of a `FILE`")
	cmd.Flags().StringVar(&remove, "remove", "", "remove the rules of a `FILE`")
	return cmd
}

func listRules(ctx context.Context, a *app.App, args []string) error {
	return a.WithStore(ctx, uri.Reads, func(s storage.Store) error {
		notes, err := s.Notes(ctx, rules.Prefix)
		if err != nil {
			return err
		}
		set, err := rules.FromNotes(notes)
		if err != nil {
			fmt.Fprintf(a.Stderr, "plat: %v\n", err)
		}
		if len(args) > 0 {
			u, err := a.Canonical(args[0])
			if err != nil {
				return err
			}
			set = set.For(u)
		}
		output.NewsRules(a.Out, set, a.JSON)
		return nil
	})
}

// readRules reads a file of rules, or stdin if its name is "-".
func readRules(name string, stdin io.Reader) (rules.Set, error) {
	if name == "-" {
		return rules.Parse(stdin)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return rules.Parse(f)
}
