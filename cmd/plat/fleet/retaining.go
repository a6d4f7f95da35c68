package fleet

import (
	"context"
	"log/slog"
	"sync"

	"plat/cmd/plat/app"
	"plat/cmd/plat/terminal"
	"plat/storage"
	"plat/storage/retention"
)

// retentionOf is which versions the settings keep.
func retentionOf(a *app.App) (p retention.Policy, err error) {
	if a.KeepLast < 0 {
		return p, app.Fail(app.ExitUsage, "keep-last %d: write 1 or more, or 0 to keep all", a.KeepLast)
	}
	p.KeepLast = a.KeepLast
	if a.KeepFor == "" || a.KeepFor == "0" {
		return p, nil
	}
	if p.KeepFor, err = terminal.Age(a.KeepFor); err != nil || p.KeepFor <= 0 {
		return p, app.Fail(app.ExitUsage, "keep-for %q: write an age, as 90d or 36h", a.KeepFor)
	}
	return p, nil
}

// retain forgets old versions once a day, if the settings say so, until the function returned is
// called.
func retain(ctx context.Context, store storage.Store, p retention.Policy, log *slog.Logger) (stop func()) {
	if !p.Given() {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { retention.Run(ctx, store, p, 0, log) })
	return func() {
		cancel()
		running.Wait()
	}
}
