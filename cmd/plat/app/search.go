package app

import (
	"context"
	"net/http"
	"time"

	"plat/browser/egress"
)

// searchLimit is how long an answer of a search engine may take.
const searchLimit = 30 * time.Second

// SearchClient returns a client for the search engine at a URL, whose requests go through a guard: that
// server may be reached wherever it is, for the user has named it, and else what pages may reach. It
// follows no redirects. Close its idle connections.
func (a *App) SearchClient(ctx context.Context, engine string) (*http.Client, error) {
	o, err := a.SearchEgress(ctx, engine)
	if err != nil {
		return nil, Fail(ExitUsage, "%w", err)
	}
	guard, err := egress.New(o)
	if err != nil {
		return nil, Fail(ExitUsage, "%w", err)
	}
	client := guard.Client()
	client.Timeout = searchLimit
	return client, nil
}
