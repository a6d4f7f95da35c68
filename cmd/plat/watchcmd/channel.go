package watchcmd

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"plat/cmd/plat/app"
	"plat/cmd/plat/output"
	"plat/cmd/plat/settings/flags"
	"plat/cmd/plat/terminal"
	"plat/plat"
	"plat/storage"
	"plat/watch/follow"
	"plat/watch/notify"
)

func channelCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "channel",
		Short: "Webhooks, mail and other channels of notifications",
		Long: `channel keeps the ways in which people are told: webhooks, mail, services as Telegram,
Slack, Matrix and ntfy, and commands. Subscriptions name them by --tell. docs/telling.md
says how the URL of each is written.

Write secrets as $NAME or $file:PATH: they are read from the environment or the file by
the process that tells, each time. Lists never show secrets.`,
		Example: `  plat watch channel add team 'https://hooks.example.org/plat#$HOOK_SECRET'
  plat watch channel add post 'smtp://me:$MAIL_PASSWORD@mail.example.org/?from=plat@example.org&to=me@example.org'
  plat watch channel test team
  plat watch channel ls`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(channelAddCommand(a), channelListCommand(a), channelTestCommand(a), channelRemoveCommand(a))
	return cmd
}

func channelAddCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "add NAME URL",
		Short: "Add a channel, or replace it",
		Long: `add keeps a channel under a name. One that was disabled, as its receiver has said that it
is gone, is used again when it is added again.

JSON: name, url (without secrets).`,
		Example: `  plat watch channel add team 'https://hooks.example.org/plat#$HOOK_SECRET'
  plat watch channel add phone 'ntfy://ntfy.example.org/my-topic'
  plat watch channel add script command:/usr/local/bin/new-items`,
		Annotations: flags.Heeds(flags.Telling),
		Args:        cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := follow.CheckName(args[0]); err != nil {
				return app.Fail(app.ExitUsage, "%w", err)
			}
			sender, err := a.Checker(app.ReadBuild().Version)
			if err != nil {
				return err
			}
			defer sender.Close()
			if err := sender.Check(args[1]); err != nil {
				return app.Fail(app.ExitUsage, "channel %s: %w", args[0], err)
			}
			return a.Writing(cmd, func(ctx context.Context, store storage.Store) error {
				c := &plat.Channel{Name: args[0], URL: args[1]}
				if err := store.PutChannel(ctx, c); err != nil {
					return err
				}
				output.Channels(a.Out, []output.Channel{output.ChannelOf(c, storage.Backlog{})}, a.JSON)
				return nil
			})
		},
	}
}

func channelListCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "ls",
		Short: "Print channels, and the notifications that wait",
		Long: `ls prints channels, with how many messages wait on each, since when, and why the last
attempt failed. Secrets are not shown.

JSON, one object a channel: name, url (without secrets), disabled, waiting, oldest, error.`,
		Example: `  plat watch channel ls
  plat watch channel ls --json | jq 'select(.waiting > 0)'`,
		Annotations: flags.Heeds(),
		Args:        cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.Reading(cmd, func(ctx context.Context, store storage.Store) error {
				waiting, err := store.Backlogs(ctx)
				if err != nil {
					return err
				}
				var rows []output.Channel
				for c, err := range store.Channels(ctx) {
					if err != nil {
						return err
					}
					rows = append(rows, output.ChannelOf(c, waiting[c.Name]))
				}
				output.Channels(a.Out, rows, a.JSON)
				return nil
			})
		},
	}
}

func channelTestCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "test NAME",
		Short: "Send a test message on a channel now",
		Long: `test sends one message about an item that does not exist, and says what came of it. The
channel stays as it is.

JSON: channel, sent, error.`,
		Example: `  plat watch channel test team
  plat watch channel test phone --json`,
		Annotations: flags.Heeds(flags.Telling, flags.Reaching),
		Args:        cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			sender, err := a.Sender(app.ReadBuild().Version)
			if err != nil {
				return err
			}
			defer sender.Close()
			return a.Reading(cmd, func(ctx context.Context, store storage.Store) error {
				c, err := follow.Outbox{OutboxStore: store}.Channel(ctx, args[0])
				if err != nil {
					return app.Fail(app.ExitError, "no channel %q; plat watch channel ls lists all", args[0])
				}
				out := sender.Send(ctx, c, trial())
				if a.JSON {
					text := ""
					if out.Err != nil {
						text = out.Err.Error()
					}
					a.Out.JSON(struct {
						Channel string `json:"channel"`
						Sent    bool   `json:"sent"`
						Error   string `json:"error,omitempty"`
					}{c.Name, out.Err == nil, text})
				}
				if out.Err != nil {
					return app.Fail(app.ExitError, "channel %s: %w", c.Name, out.Err)
				}
				if !a.JSON {
					a.Out.Print(fmt.Sprintf("sent to %s", notify.Redacted(c.URL)))
				}
				return nil
			})
		},
	}
}

// trial is a message to try a channel with.
func trial() *notify.Delivery {
	now := time.Now().UTC()
	s := plat.Subscription{ID: "test", URL: "https://example.com/", Title: "plat watch channel test"}
	it := plat.Item{ID: "test", Subscription: s.ID, Kind: plat.ItemNew, Title: "This is a test", URL: s.URL, Page: s.URL, Excerpt: "The channel works.", Seen: now}
	return &notify.Delivery{
		Message: plat.Message{ID: "msg_test_" + plat.NewID(), Subscription: s.ID, Items: []string{it.ID}, Made: now, Due: now},
		Items:   []plat.Item{it}, Subscriptions: []plat.Subscription{s},
	}
}

func channelRemoveCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "rm NAME…",
		Short: "Remove channels, and the notifications that wait",
		Long: `rm removes channels and the messages that wait for them. Subscriptions may go on naming
them: nothing is sent until a channel of that name is added.

JSON: removed (names).`,
		Example: `  plat watch channel rm team
  plat watch channel rm phone script`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.Writing(cmd, func(ctx context.Context, store storage.Store) error {
				for _, name := range args {
					if err := store.RemoveChannel(ctx, name); err != nil {
						return app.Fail(app.ExitError, "no channel %q; plat watch channel ls lists all", name)
					}
				}
				if a.JSON {
					a.Out.JSON(map[string][]string{"removed": args})
				} else {
					a.Out.Print(fmt.Sprintf("removed: %s", terminal.Counted(len(args), "channel")))
				}
				return nil
			})
		},
	}
}
