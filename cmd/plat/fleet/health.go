package fleet

import (
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"plat/cmd/plat/app"
	"plat/cmd/plat/settings/flags"
)

func healthCommand(a *app.App) *cobra.Command {
	ready := false
	cmd := &cobra.Command{
		Use:   "health",
		Short: "Ask the worker at --listen how it is",
		Long: `health asks the worker that serves at --listen whether it is alive, or with
--ready whether it can work. It is what a container's health check calls. The
exit code is 0 if it is well, else 1; --json prints an object with ok and status.`,
		Example: `  plat health --listen 127.0.0.1:9090
  plat health --ready --json`,
		Args:        cobra.NoArgs,
		Annotations: flags.Heeds(flags.Serving),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if a.Listen == "" {
				return app.Fail(app.ExitConfig, "say where the worker serves, with --listen")
			}
			at := a.Listen
			// Query a server that listens on all addresses at the loopback address.
			for _, all := range []string{"0.0.0.0:", "[::]:", ":"} {
				if port, ok := strings.CutPrefix(at, all); ok {
					at = "127.0.0.1:" + port
					break
				}
			}
			path := "/healthz"
			if ready {
				path = "/readyz"
			}
			client := http.Client{Timeout: 5 * time.Second}
			r, err := client.Get("http://" + at + path)
			if err != nil {
				return app.Fail(app.ExitError, "%w", err)
			}
			defer r.Body.Close()
			text, _ := io.ReadAll(io.LimitReader(r.Body, 1000))
			said := strings.TrimSpace(string(text))
			if a.JSON {
				a.Out.JSON(map[string]any{"ok": r.StatusCode == 200, "status": said})
			} else {
				a.Out.Print(said)
			}
			if r.StatusCode != 200 {
				return app.Fail(app.ExitError, "it is not %s: %s", map[bool]string{true: "ready", false: "well"}[ready], said)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&ready, "ready", false, "whether it can work")
	return cmd
}
