package watchcmd

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"plat/cmd/plat/app"
	"plat/cmd/plat/settings/flags"
	"plat/cmd/plat/terminal"
	"plat/export/atomicfile"
	"plat/plat"
	"plat/plat/excerpt"
	"plat/queue"
	"plat/storage"
	"plat/watch/follow"
	"plat/watch/opml"
	"plat/watch/subscribe"
)

func importCommand(a *app.App) *cobra.Command {
	var seed queue.Seed
	var tags, to []string
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Subscribe to the pages of a different program's list",
		Long: `import reads OPML (pages, each with its feed; or feeds alone), a list of URLs (one a line, or JSON Lines), or what changedetection.io
exports (its backup, its url-watches.json, the answer of its API), and subscribes to each
page that has no subscription with the same conditions (match, except) yet. What cannot be
taken over is printed, with the reason; selectors are not needed: lists are found by
themselves. - is standard input.

JSON: format, added (subscriptions), known, and omissions (where, what, reason).`,
		Example: `  plat watch import feeds.opml
  plat watch import changedetection-backup.zip --every 3h --tag imported
  cat urls.txt | plat watch import -`,
		Annotations: flags.Heeds(flags.Naming),
		Args:        cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			list, err := readList(cmd.Context(), a, args[0])
			if err != nil {
				return err
			}
			return a.Writing(cmd, func(ctx context.Context, store storage.Store) error {
				done, err := newImported(ctx, store)
				if err != nil {
					return err
				}
				for i := range list.Subscriptions {
					s := list.Subscriptions[i]
					s.Tags, s.Tell = follow.Names(append(s.Tags, tags...)), follow.Names(to)
					if err := done.take(ctx, a, store, s, seed); err != nil {
						return err
					}
					if i%100 == 99 {
						a.Out.Progress(fmt.Sprintf("%s of %s", terminal.Count(int64(i+1)), terminal.Counted(len(list.Subscriptions), "subscription")))
					}
				}
				a.Out.Progress("")
				done.print(a, list)
				return warnOfChannels(ctx, a, store, follow.Names(to))
			})
		},
	}
	cmd.Flags().StringSliceVar(&tags, "tag", nil, "`NAMES` of tags that all get")
	cmd.Flags().StringSliceVar(&to, "tell", nil, "`NAMES` of channels for notifications")
	flags.Schedule(cmd.Flags(), &seed)
	return cmd
}

// readList reads a file of subscriptions.
func readList(ctx context.Context, a *app.App, name string) (*subscribe.Result, error) {
	in, err := a.OpenList(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	r, err := subscribe.Read(ctx, in)
	if err != nil {
		return nil, app.Fail(app.ExitError, "%s: %w", name, err)
	}
	return r, nil
}

// imported counts the results for the entries of a list.
type imported struct {
	added, known int
	refused      []subscribe.Omission
	subscribed   map[[sha256.Size]byte]bool // identities of the subscriptions of the archive
}

func newImported(ctx context.Context, store storage.Store) (*imported, error) {
	m := &imported{subscribed: map[[sha256.Size]byte]bool{}}
	for s, err := range store.Subscriptions(ctx, storage.Which{}) {
		if err != nil {
			return nil, err
		}
		m.subscribed[subscribe.Identity(&s.Subscription)] = true
	}
	return m, nil
}

// take subscribes to a page that has no subscription with the same conditions.
func (m *imported) take(ctx context.Context, a *app.App, store storage.Store, s plat.Subscription, seed queue.Seed) error {
	u, err := a.Canonical(s.URL)
	if err != nil {
		m.refused = append(m.refused, subscribe.Omission{Where: s.URL, Reason: app.Sentence(err)})
		return nil
	}
	s.URL = u
	id := subscribe.Identity(&s)
	if m.subscribed[id] {
		m.known++
		return nil
	}
	j, err := job(a, u, seed)
	if err != nil {
		return err
	}
	err = follow.Subscribe(ctx, store, j, time.Now(), &s)
	if errors.Is(err, follow.ErrCannot) {
		m.refused = append(m.refused, subscribe.Omission{Where: u, Reason: app.Sentence(err)})
		return nil
	}
	if err == nil {
		m.added++
		m.subscribed[id] = true
	}
	return err
}

func (m *imported) print(a *app.App, list *subscribe.Result) {
	all := append(m.refused, list.Omissions...)
	if a.JSON {
		type omission struct {
			Where  string `json:"where"`
			What   string `json:"what,omitempty"`
			Reason string `json:"reason"`
		}
		out := struct {
			Format    string     `json:"format"`
			Added     int        `json:"added"`
			Known     int        `json:"known"`
			Omissions []omission `json:"omissions"`
			More      int        `json:"more,omitempty"`
		}{list.Format, m.added, m.known, []omission{}, list.More}
		for _, o := range all {
			out.Omissions = append(out.Omissions, omission{o.Where, o.What, o.Reason})
		}
		a.Out.JSON(out)
		return
	}
	a.Out.Print(fmt.Sprintf("%s: %s added, %d known already", list.Format, terminal.Counted(m.added, "subscription"), m.known))
	for _, o := range all {
		a.Out.Print("  not imported: " + excerpt.Printable(o.String()))
	}
	if list.More > 0 {
		a.Out.Print(fmt.Sprintf("  and %d more", list.More))
	}
}

func exportCommand(a *app.App) *cobra.Command {
	var out string
	var which storage.Which
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Write subscriptions as OPML, which feed readers read",
		Long: `export writes an OPML list. Where plat can be reached at --public-url, a reader that
imports the list subscribes to plat's feeds; else its entries are links to the pages. For
all that a subscription says, as JSON, see plat watch ls --json. Channels are not in it.`,
		Example: `  plat watch export -o subscriptions.opml
  plat watch export --tag work --public-url https://plat.example.org`,
		Annotations: flags.Heeds(flags.Serving),
		Args:        cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.Reading(cmd, func(ctx context.Context, store storage.Store) error {
				var subs []plat.Subscription
				for s, err := range store.Subscriptions(ctx, which) {
					if err != nil {
						return err
					}
					subs = append(subs, s.Subscription)
				}
				slices.SortFunc(subs, func(a, b plat.Subscription) int {
					return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Title, b.Title), cmp.Compare(a.URL, b.URL))
				})
				feed := func(*plat.Subscription) string { return "" }
				if base := strings.TrimSuffix(a.PublicURL, "/"); base != "" {
					feed = func(s *plat.Subscription) string { return base + "/watch/feed.atom?id=" + s.ID }
				}
				b, err := opml.Of("plat", time.Now().UTC(), subs, feed).Marshal()
				if err != nil {
					return err
				}
				if out == "" || out == "-" {
					if err := a.Piped("titles of pages"); err != nil {
						return err
					}
					a.Out.Raw(b)
					return nil
				}
				if err := atomicfile.Write(out, func(w io.Writer) error { _, err := w.Write(b); return err }); err != nil {
					return app.Fail(app.ExitError, "%w", err)
				}
				return nil
			})
		},
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "`FILE` to write, - for standard output")
	whichFlags(cmd, &which)
	return cmd
}
