package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"plat/fixtures/history"
	"plat/plat"
	"plat/queue/traps"
	"plat/scripts/frontier/sources"
)

// ruleResult counts the losses by the rules of URLs on one site.
type ruleResult struct {
	Site     string         `json:"site"`
	URLs     int            `json:"urls"`
	Queries  int            `json:"urls_with_query"`
	Refused  map[string]int `json:"refused"` // by rule
	All      int            `json:"refused_all"`
	Own      int            `json:"refused_with_text_of_their_own"`
	Same     int            `json:"refused_with_text_of_an_accepted_page"` // or without text
	Unknown  int            `json:"refused_without_a_file"`
	OwnRules map[string]int `json:"refused_with_text_of_their_own_by_rule"`
	Examples []string       `json:"examples,omitempty"` // of Own
}

// rulesCommand applies the rules to all URLs of all sites.
func rulesCommand(ctx context.Context, args []string) error {
	flags := newFlags("rules", "", "-list 10", "-packages git-doc,cmake-doc -json", "-packages '' -crawls=false")
	dir := flags.String("dir", filepath.Join(os.TempDir(), "plat-packages"), "folder for unpacked Debian packages; those that are there are not fetched again")
	names := flags.String("packages", strings.Join(sources.Packages, ","), "Debian packages with documentation")
	fetch := flags.Bool("fetch", true, "fetch packages that are missing, with apt-get download (200 MB for all)")
	crawls := flags.Bool("crawls", true, "also the recorded crawls of the shared data's folder focus")
	list := flags.Int("list", 0, "print so many URLs of each site that are refused although they have text of their own")
	asJSON := flags.Bool("json", false, "print one JSON object for each site instead of a table")
	flags.Parse(args)

	var all []sources.Source
	if data, is := history.Dir(); is {
		found, err := sources.Recorded(data)
		if err != nil {
			return err
		}
		all = append(all, found...)
		if *crawls {
			all = append(all, sources.Crawled(data)...)
		}
	} else {
		fmt.Fprintln(os.Stderr, "no recorded sites: there is no "+data+"; set PLAT_DATA")
	}
	for name := range strings.SplitSeq(*names, ",") {
		if name == "" {
			continue
		}
		if err := sources.Unpack(ctx, *dir, name, *fetch); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v; skipped\n", name, err)
			continue
		}
		all = append(all, sources.Packaged(*dir, name))
	}
	var results []*ruleResult
	for _, s := range all {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		fmt.Fprintln(os.Stderr, "reading", s.Name)
		r, err := applyRules(s, *list)
		if err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
		results = append(results, r)
		if *asJSON {
			if err := json.NewEncoder(os.Stdout).Encode(r); err != nil {
				return err
			}
		}
	}
	if !*asJSON {
		printRules(results)
	}
	return nil
}

// applyRules reads a site and applies the rules to each of its URLs.
func applyRules(s sources.Source, list int) (*ruleResult, error) {
	texts := map[string]uint64{} // of URLs that have a file; 0: no text
	queries := map[string]bool{}
	err := s.Each(func(address string, body []byte) {
		u, err := plat.Canonical(address, plat.TrackingParams)
		if err != nil {
			return
		}
		text, links := sources.ReadPage(u, body)
		texts[u] = text
		for _, l := range links {
			queries[l] = true
		}
	})
	if err != nil {
		return nil, err
	}
	r := &ruleResult{Site: s.Name, Refused: map[string]int{}, OwnRules: map[string]int{}}
	all := slices.Collect(maps.Keys(texts))
	for q := range queries {
		if _, is := texts[q]; !is {
			all = append(all, q)
		}
	}
	slices.Sort(all)
	r.URLs = len(all)
	var rules traps.Rules
	accepted := map[uint64]bool{0: true}
	refused := map[string]string{} // by rule
	for _, u := range all {
		if strings.Contains(u, "?") {
			r.Queries++
		}
		if err := rules.Refuse(u); err != nil {
			refused[u] = ruleOf(err)
		} else if text, is := textOf(&s, texts, u); is {
			accepted[text] = true
		}
	}
	for _, u := range slices.Sorted(maps.Keys(refused)) {
		rule := refused[u]
		r.All++
		r.Refused[rule]++
		text, is := textOf(&s, texts, u)
		switch {
		case !is:
			r.Unknown++
		case accepted[text]:
			r.Same++
		default:
			accepted[text] = true // one of several equal ones would do
			r.Own++
			r.OwnRules[rule]++
			if len(r.Examples) < list {
				r.Examples = append(r.Examples, rule+"  "+u)
			}
		}
	}
	return r, nil
}

func ruleOf(err error) string {
	if r, is := errors.AsType[*traps.RefusedError](err); is {
		return r.Rule
	}
	return err.Error()
}

// textOf returns the hash of a URL's text. A server of files ignores queries.
func textOf(s *sources.Source, texts map[string]uint64, u string) (uint64, bool) {
	text, is := texts[u]
	if !is && s.Files {
		path, _, _ := strings.Cut(u, "?")
		if text, is = texts[path]; !is {
			text, is = texts[path+"index.html"]
		}
	}
	return text, is
}

func printRules(results []*ruleResult) {
	total := &ruleResult{Site: "all", Refused: map[string]int{}, OwnRules: map[string]int{}}
	for _, r := range results {
		total.URLs += r.URLs
		total.Queries += r.Queries
		total.All += r.All
		total.Own += r.Own
		total.Same += r.Same
		total.Unknown += r.Unknown
		for rule, n := range r.Refused {
			total.Refused[rule] += n
		}
		for rule, n := range r.OwnRules {
			total.OwnRules[rule] += n
		}
	}
	fmt.Println("What the rules of URLs refuse on real sites. own text: there is a file, and no accepted page has its visible text;")
	fmt.Println("same text: an accepted page has it, or there is none; no file: known from links only.")
	fmt.Printf("%-28s %8s %8s %8s %9s %9s %9s  %s\n", "site", "URLs", "?query", "refused", "own text", "same text", "no file", "refused by rule (of them with own text)")
	for _, r := range append(results, total) {
		var rules []string
		for _, rule := range slices.SortedFunc(maps.Keys(r.Refused), func(a, b string) int { return cmp.Or(r.Refused[b]-r.Refused[a], strings.Compare(a, b)) }) {
			rules = append(rules, fmt.Sprintf("%s %d (%d)", rule, r.Refused[rule], r.OwnRules[rule]))
		}
		fmt.Printf("%-28s %8d %8d %8d %9d %9d %9d  %s\n", r.Site, r.URLs, r.Queries, r.All, r.Own, r.Same, r.Unknown, strings.Join(rules, ", "))
		for _, e := range r.Examples {
			fmt.Println("    " + e)
		}
	}
}
