package app

import (
	"context"
	"net/http"
	"time"

	"plat/browser/egress"
)

// searchLimit is the time limit for an answer of a search engine.
const searchLimit = 30 * time.Second

// SearchClient returns a client for the search engine at a URL. Its guard permits the addresses
// of that server, because the user names it, and those that pages may reach. The client follows
// no redirects. Close its idle connections.
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
