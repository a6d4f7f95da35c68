// Package searxng queries a SearXNG instance, a metasearch engine that users host, for the top
// results of search engines.
package searxng

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"

	"plat/plat/decodeerror"
	"plat/plat/weburl"
)

// Result is a page that was found.
type Result struct {
	URL   string `json:"url"`
	Title string `json:"title"`
}

// Limits of the response.
const (
	maxAnswer = 8 << 20 // bytes of one page of results
	maxPages  = 10      // of results
)

// Search returns the first results of a query, at most limit, each URL once. client restricts the
// reachable addresses and follows no redirects: an instance is not to lead plat elsewhere.
// endpoint is the address of the instance, such as https://searx.example.org/; it must allow the
// format json (search.formats in its settings.yml), which is off at first. See
// https://docs.searxng.org/dev/search_api.html.
func Search(ctx context.Context, client *http.Client, endpoint, query string, limit int) ([]Result, error) {
	at, err := url.Parse(endpoint)
	if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" {
		return nil, fmt.Errorf("SearXNG at %q: write a URL, as https://searx.example.org/", endpoint)
	}
	at = at.JoinPath("search")
	var all []Result
	seen := map[string]bool{}
	for page := 1; page <= maxPages && len(all) < limit; page++ {
		at.RawQuery = url.Values{"q": {query}, "format": {"json"}, "pageno": {strconv.Itoa(page)}}.Encode()
		found, err := ask(ctx, client, at.String())
		if err != nil {
			return nil, fmt.Errorf("SearXNG at %s: %w", at.Host, err)
		}
		fresh := false
		for _, r := range found {
			if !seen[r.URL] && len(all) < limit && weburl.IsWeb(r.URL) {
				seen[r.URL], fresh = true, true
				all = append(all, r)
			}
		}
		if !fresh {
			break // instances repeat their last page
		}
	}
	return all, nil
}

func ask(ctx context.Context, client *http.Client, at string) ([]Result, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	res, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	switch {
	case res.StatusCode >= 300 && res.StatusCode <= 399:
		return nil, fmt.Errorf("it answers %s; redirects are not followed; give the URL of the target", res.Status)
	case res.StatusCode == http.StatusForbidden:
		return nil, fmt.Errorf("it answers %s: allow the format json in its settings.yml", res.Status)
	case res.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("it answers %s", res.Status)
	}
	var answer struct {
		Results []Result `json:"results"`
	}
	if err := json.NewDecoder(io.LimitReader(res.Body, maxAnswer)).Decode(&answer); err != nil {
		return nil, fmt.Errorf("its response does not follow its API: %w", decodeerror.JSON(err))
	}
	return answer.Results, nil
}
