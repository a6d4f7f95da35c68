package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"plat/cmd/plat/app"
	"plat/cmd/plat/settings/flags"
	"plat/plat/decodeerror"
	"plat/plat/nearest"
	"plat/plat/weburl"
)

// synonyms are names of commands in other programs.
var synonyms = map[string]string{
	"fetch": "archive", "save": "archive", "visit": "archive", "capture": "archive", "snap": "archive", "add": "archive",
	"spider": "crawl", "mirror": "crawl", "site": "crawl", "get": "archive",
	"history": "versions", "log": "versions", "timeline": "versions",
	"compare": "diff", "changes": "diff", "grep": "search", "find": "search",
	"list": "ls", "pages": "ls", "urls": "ls",
	"web": "serve", "server": "serve", "ui": "serve", "start": "up", "run": "up", "daemon": "up",
	"cat": "text", "read": "text", "markdown": "text", "tree": "show", "subscribe": "watch", "monitor": "watch",
	"rm": "forget", "delete": "forget", "remove": "forget", "purge": "forget", "check": "verify", "fsck": "verify", "info": "stats",
}

// flagSynonyms are names of flags in other programs, each with those of plat; the first that the command has is meant.
var flagSynonyms = map[string][]string{
	"max-pages": {"limit"}, "pages": {"limit"}, "number": {"limit"}, "max-depth": {"depth"}, "level": {"depth"},
	"interval": {"every"}, "schedule": {"every"}, "period": {"every"}, "frequency": {"every"},
	"out": {"output"}, "file": {"output"}, "db": {"store"}, "database": {"store"}, "archive": {"store"},
	"from": {"since"}, "after": {"since"}, "to": {"until"}, "before": {"until"}, "host": {"site"}, "domain": {"site"},
	"workers": {"tabs"}, "concurrency": {"tabs"}, "parallel": {"tabs"}, "cookie": {"cookies"}, "proxy-server": {"proxy"},
	"md": {"markdown"},
}

// argumentError completes an error of arguments and commands: it is one of usage.
func argumentError(cmd *cobra.Command, args []string, err error) error {
	text := strings.ReplaceAll(err.Error(), "\n", " ")
	if len(args) > 0 && cmd.HasAvailableSubCommands() && strings.HasPrefix(text, "unknown command") {
		var names []string
		for _, sub := range cmd.Commands() {
			if sub.IsAvailableCommand() {
				names = append(names, sub.Name())
			}
		}
		text = fmt.Sprintf("unknown command %q", args[0])
		if other := synonyms[strings.ToLower(args[0])]; other != "" && !cmd.HasParent() {
			text += " (did you mean plat " + other + "?)"
		} else if q := nearest.Question(args[0], cmd.CommandPath()+" ", names); q != "" {
			text += q
		} else if weburl.IsWeb(args[0]) && !cmd.HasParent() {
			text += "; to archive it, write plat archive " + args[0]
		}
	}
	return app.Fail(app.ExitUsage, "%s; see %s --help", text, cmd.CommandPath())
}

// flagError completes an error of flags: it is one of usage.
func flagError(cmd *cobra.Command, sets map[flags.Group]*pflag.FlagSet, err error) error {
	if wrong, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		f := wrong.GetFlag()
		if said := decodeerror.Value(f.Value.Type(), wrong.GetValue(), wrong.Unwrap()); said != wrong.Unwrap() {
			err = fmt.Errorf("--%s: %w", f.Name, said)
		}
	}
	advice := ""
	if missing, ok := errors.AsType[*pflag.NotExistError](err); ok && missing.GetSpecifiedShortnames() == "" {
		name, have := missing.GetSpecifiedName(), flags.Names(cmd, sets)
		if i := slices.IndexFunc(flagSynonyms[name], func(f string) bool { return slices.Contains(have, f) }); i >= 0 {
			advice = " (did you mean --" + flagSynonyms[name][i] + "?)"
		} else if advice = commandsWith(cmd, name); advice == "" {
			advice = nearest.Question(name, "--", have)
		}
	}
	return app.Fail(app.ExitUsage, "%w%s; see %s --help", err, advice, cmd.CommandPath())
}

// commandsWith names the commands that have a flag which cmd has not.
func commandsWith(cmd *cobra.Command, flag string) string {
	if cmd.Name() == "archive" && (flag == "scope" || flag == "depth" || flag == "limit") {
		return "; archive visits only the URLs given: to follow links, use plat crawl"
	}
	var have []string
	for _, c := range cmd.Root().Commands() {
		for _, c := range append([]*cobra.Command{c}, c.Commands()...) {
			if c.IsAvailableCommand() && c.LocalNonPersistentFlags().Lookup(flag) != nil {
				have = append(have, c.CommandPath())
			}
		}
	}
	const most = 4 // more are no help
	if len(have) == 0 || len(have) > most {
		return ""
	}
	return "; it is a flag of " + strings.Join(have, ", ")
}
