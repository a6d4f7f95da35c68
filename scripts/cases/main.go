// Cases archives the small inputs of ../shared/data/probes/replay, each made after a public report, and tells whether
// plat serve and a player (wabac) show them as the live page looks and reads.
//
//	scripts/bench cases                     plat as it is here (a quarter of an hour)
//	scripts/bench cases -before COMMIT      plat of that commit beside it
//
// It needs python3 and npm. What a case is right by is written in the file expect.txt beside it; here a page is right where
// each of the signal colours of its case has as many pixels as in the live page, within a few, and its text is the same.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"plat/scripts/earlier"
)

var (
	data   = flag.String("data", cmp.Or(os.Getenv("PLAT_DATA"), "../shared/data"), "`folder` of the data")
	bin    = flag.String("plat", "bin/plat", "`command` to try")
	before = flag.String("before", "", "try plat of this `COMMIT` too")
	only   = flag.String("only", "", "cases whose name contains this `text`")
	keep   = flag.String("keep", ".work/cases", "`folder` for what the cases leave: pictures, archives, what was printed")
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("cases: ")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	probes, err := filepath.Abs(filepath.Join(*data, "probes", "replay"))
	if err != nil {
		return err
	}
	pages, err := pagesOf(probes)
	if err != nil {
		return err
	}
	t := &tool{probes: probes}
	if t.folder, err = filepath.Abs(*keep); err != nil {
		return err
	}
	now, err := filepath.Abs(*bin)
	if err != nil {
		return err
	}
	plats := []string{now}
	if *before != "" {
		_, old, err := earlier.Plat(ctx, t.folder, *before)
		if err == nil {
			old, err = filepath.Abs(old)
		}
		if err != nil {
			return err
		}
		plats = []string{old, now}
	}
	if err := t.install(ctx); err != nil {
		return err
	}
	stop, err := t.serve(ctx)
	if err != nil {
		return err
	}
	defer stop()
	fmt.Printf("| %-28s |", "page")
	for _, p := range plats {
		fmt.Printf(" %-44s |", name(p))
	}
	fmt.Println("\n|--|" + strings.Repeat("--|", len(plats)))
	right := make([]int, len(plats))
	for _, p := range pages {
		fmt.Printf("| %-28s |", p.String())
		for i, plat := range plats {
			o, err := t.try(ctx, p, plat)
			if err != nil {
				return err
			}
			if o.right() {
				right[i]++
			}
			fmt.Printf(" %-44s |", o)
		}
		fmt.Println()
	}
	for i, p := range plats {
		fmt.Printf("%s: %d of %d pages as the live page, in plat serve and in wabac\n", name(p), right[i], len(pages))
	}
	return nil
}

// name names a command by its commit, if it is that of one.
func name(plat string) string {
	if folder := filepath.Base(filepath.Dir(plat)); folder != "bin" {
		return folder[:min(8, len(folder))]
	}
	return "now"
}

// page is a page of a case.
type page struct{ of, path string }

func (p page) String() string { return strings.TrimSuffix(p.of+" "+p.path, " ") }

// pagesOf lists the cases and their pages: the front page, and the pages that stand for themselves.
func pagesOf(probes string) (all []page, err error) {
	dirs, err := os.ReadDir(filepath.Join(probes, "cases"))
	if err != nil {
		return nil, err
	}
	for _, d := range dirs {
		if !strings.Contains(d.Name(), *only) {
			continue
		}
		if several, ok := pagesApart[d.Name()]; ok {
			for _, pattern := range several {
				paths, err := match(filepath.Join(probes, "cases", d.Name(), "site"), pattern)
				if err != nil {
					return nil, err
				}
				for _, path := range paths {
					all = append(all, page{d.Name(), path})
				}
			}
			continue
		}
		all = append(all, page{d.Name(), ""})
	}
	return all, nil
}

// pagesApart are the pages of the cases that have several: names, and patterns of those that a server sends byte for byte. Of
// "h-cldiff", with two different lengths, no browser takes the page.
var pagesApart = map[string][]string{
	"onebroken":     {"*.html"},
	"httpodd":       {"index.html", "one.html", "*.raw"},
	"refreshheader": {"old.html", "old5.html", "*.raw"},
	"charset":       {"", "*.html"},
	"csstype":       {"", "standards.html"},
	"disabledsheet": {"", "alternate.html"},
	"xmlpages":      {"feed.xml", "log.txt", "data.json", "plan.svg", "css.xml", "page.xhtml"},
}

// notPages are answers that are no pages by themselves.
var notPages = []string{"h-cldiff", "img", "sheet", "empty", "half"}

// match returns the paths that a pattern stands for.
func match(site, pattern string) (all []string, err error) {
	if !strings.Contains(pattern, "*") {
		return []string{pattern}, nil
	}
	files, err := filepath.Glob(filepath.Join(site, pattern))
	for _, f := range files {
		name, raw := strings.CutSuffix(filepath.Base(f), ".raw")
		if name != "index.html" && (!raw || !slices.Contains(notPages, name)) {
			all = append(all, name)
		}
	}
	return all, err
}

// tool is the checker of the data, which shows a page live, in plat serve and in a player.
type tool struct {
	probes, folder string
	port           string
}

// install makes a copy of the tool with the packages that it needs.
func (t *tool) install(ctx context.Context) error {
	c := exec.CommandContext(ctx, "sh", "-ec", `mkdir -p "$2"; cp -r "$1/tool" "$2"; cd "$2/tool"; test -d node_modules/puppeteer-core || npm ci --ignore-scripts --silent`, "sh", t.probes, t.folder)
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("install the checker: %w\n%s", err, out)
	}
	return nil
}

// serve serves the cases until stop is called.
func (t *tool) serve(ctx context.Context) (stop func(), err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	_, t.port, _ = net.SplitHostPort(l.Addr().String())
	l.Close()
	c := exec.CommandContext(ctx, "python3", filepath.Join(t.folder, "tool", "serve.py"), filepath.Join(t.probes, "cases"), t.port)
	if err := c.Start(); err != nil {
		return nil, err
	}
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		conn, err := net.Dial("tcp", "127.0.0.1:"+t.port)
		if err == nil {
			conn.Close()
			break
		}
		if time.Now().After(end) {
			return nil, fmt.Errorf("the cases are not served: %w", err)
		}
	}
	return func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	}, nil
}

// perPage is the time of a page in a browser, in plat serve and in a player.
const perPage = 2 * time.Minute

// try tries a page with a command.
func (t *tool) try(ctx context.Context, p page, plat string) (outcome, error) {
	sw, err := filepath.Abs(".work/npm/node_modules/@webrecorder/wabac/dist/sw.js")
	if err != nil {
		return outcome{}, err
	}
	limit, cancel := context.WithTimeout(ctx, perPage)
	defer cancel()
	c := exec.CommandContext(limit, "node", filepath.Join(t.folder, "tool", "check.mjs"), p.of, p.path)
	c.Env = append(os.Environ(), "PROBES="+t.probes, "PLAT="+plat, "SW="+sw, "SITE_PORT="+t.port, "WORK="+filepath.Join(t.folder, "work", name(plat)))
	out, err := c.CombinedOutput()
	if ctx.Err() != nil {
		return outcome{}, ctx.Err()
	}
	log := filepath.Join(t.folder, "printed", name(plat), regexp.MustCompile(`[^a-z0-9]+`).ReplaceAllString(p.String(), "-")+".txt")
	if err := os.MkdirAll(filepath.Dir(log), 0o755); err != nil {
		return outcome{}, err
	}
	if err := os.WriteFile(log, out, 0o644); err != nil {
		return outcome{}, err
	}
	o := read(string(out))
	if err != nil && o.live == nil {
		return outcome{}, fmt.Errorf("%s: %w\n%s", p, err, out)
	}
	return o, nil
}

// outcome is what a page has been in the three places.
type outcome struct {
	live, served, played *shown
}

// shown is what a page has shown: pixels by colour, and its text.
type shown struct {
	colours map[string]int
	text    string
}

var (
	place  = regexp.MustCompile(`(?m)^--- (LIVE|PLAT SERVE|WABAC) (\{.*\}|no picture)\n    text: (.*)$`)
	spaces = regexp.MustCompile(`[|\s]+`)
)

// read reads what the checker has printed.
func read(out string) (o outcome) {
	for _, m := range place.FindAllStringSubmatch(out, -1) {
		s := &shown{text: strings.TrimSpace(spaces.ReplaceAllString(m[3], " "))}
		_ = json.Unmarshal([]byte(m[2]), &s.colours) // "no picture" has none
		switch m[1] {
		case "LIVE":
			o.live = s
		case "PLAT SERVE":
			o.served = s
		default:
			o.played = s
		}
	}
	return o
}

// unlike says how a page differs from the live one; empty: it does not.
func (s *shown) unlike(live *shown) string {
	if s == nil {
		return "nothing"
	}
	var wrong []string
	for colour, n := range live.colours {
		if d := n - s.colours[colour]; max(d, -d) > max(60, n*3/100) {
			wrong = append(wrong, colour)
		}
	}
	slices.Sort(wrong)
	if s.text != live.text {
		wrong = append(wrong, "text")
	}
	return strings.Join(wrong, ", ")
}

func (o outcome) right() bool {
	return o.live != nil && o.served.unlike(o.live) == "" && o.played.unlike(o.live) == ""
}

func (o outcome) String() string {
	if o.live == nil {
		return "not tried"
	}
	served, played := o.served.unlike(o.live), o.played.unlike(o.live)
	switch {
	case served == "" && played == "":
		return "as live"
	case served == played:
		return "both: " + served
	}
	return "serve: " + cmp.Or(served, "as live") + "; wabac: " + cmp.Or(played, "as live")
}
