// Escapes counts the ways in which packets of Chrome leave a machine without plat's proxy. It makes
// a network of its own (namespaces, as root or not) in which every address is ours, serves pages
// that attack, opens them in a bare browser and in plat, and captures every packet:
//
//	scripts/bench escapes                  four to five minutes
//	scripts/bench escapes -only WebRTC     vectors by a part of their group or name
//	scripts/bench escapes -json
//
// Each vector has targets of its own. A vector without hits in a bare browser proves nothing, and
// the table marks it. Packets to targets of no vector are listed. The exit code is 1 if plat
// has a hit, or a packet without explanation.
//
// PLAT_CHROME is the browser of both, by default the first that plat finds: full Chromium has
// more ways out than a headless shell, and takes two minutes longer.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"plat/browser"
)

var (
	only    = flag.String("only", "", "only vectors whose group or name has this in it")
	asJSON  = flag.Bool("json", false, "print JSON")
	details = flag.Bool("v", false, "list the packets of each hit")
	hold    = flag.Duration("hold", 1200*time.Millisecond, "how long each page is kept loading")
	linger  = flag.Duration("linger", 6*time.Second, "how long is waited for packets after the last page")
)

func main() {
	flag.Parse()
	if os.Getenv(insideEnv) == "" {
		err := again(os.Args[1:]...).Run()
		if failed, ok := errors.AsType[*exec.ExitError](err); ok {
			os.Exit(failed.ExitCode())
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "escapes: no network of our own: %v; run as root, or let users make namespaces\n", err)
			os.Exit(noNetwork)
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := bench(ctx, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "escapes:", err)
		if errors.Is(err, errNoNetwork) {
			os.Exit(noNetwork)
		}
		os.Exit(1)
	}
}

// bench measures all contenders, each vector in a page of its own.
func bench(ctx context.Context, out io.Writer) error {
	if err := makeNetwork(); err != nil {
		return err
	}
	w, err := openWorld(vectors(), *hold)
	if err != nil {
		return err
	}
	defer w.stop()
	var chosen []*vector
	for i := range w.vectors {
		if v := &w.vectors[i]; strings.Contains(strings.ToLower(v.group+": "+v.name), strings.ToLower(*only)) {
			chosen = append(chosen, v)
		}
	}
	if len(chosen) == 0 {
		return fmt.Errorf("no vector has %q in its group or name; leave -only out to see all", *only)
	}
	var all []*outcome
	for _, c := range contenders() {
		do := &order{linger: *linger}
		for _, v := range chosen {
			do.add(v, w.url(v, c.from))
		}
		o, err := measure(ctx, w, c, do)
		if err != nil {
			return err
		}
		maps.DeleteFunc(o.Hits, func(id int, _ []sighting) bool { return !slices.Contains(chosen, w.vector(id)) })
		o.Unserved = slices.DeleteFunc(o.Unserved, func(name string) bool {
			return !slices.ContainsFunc(chosen, func(v *vector) bool { return v.name == name })
		})
		all = append(all, o)
	}
	if err := report(out, chosen, all); err != nil {
		return err
	}
	return verdict(all)
}

// verdict is an error if something got out of plat, or if it was not tried.
func verdict(all []*outcome) error {
	var wrong []string
	for i, o := range all {
		if len(o.Unserved) > 0 {
			wrong = append(wrong, fmt.Sprintf("%s did not ask for the pages of %s", o.Name, strings.Join(o.Unserved, ", ")))
		}
		if i > 0 && len(o.Hits) > 0 {
			wrong = append(wrong, fmt.Sprintf("%d vectors get out of %s", len(o.Hits), o.Name))
		}
		if i > 0 && len(o.Strays) > 0 {
			wrong = append(wrong, fmt.Sprintf("%s sends %v", o.Name, o.Strays))
		}
	}
	if wrong != nil {
		return errors.New(strings.Join(wrong, "; "))
	}
	return nil
}

// line is one vector's in a report.
type line struct {
	Group string                `json:"group"`
	Name  string                `json:"name"`
	Hits  map[string][]sighting `json:"hits"`
	Note  string                `json:"note,omitempty"`
}

const notHit = "not hit in a bare browser either"

func report(out io.Writer, chosen []*vector, all []*outcome) error {
	lines := make([]line, 0, len(chosen))
	for _, v := range chosen {
		l := line{Group: v.group, Name: v.name, Hits: map[string][]sighting{}}
		for i, o := range all {
			if hits := o.Hits[v.id]; hits != nil {
				l.Hits[o.Name] = hits
			} else if i == 0 {
				l.Note = notHit
			}
		}
		lines = append(lines, l)
	}
	if *asJSON {
		e := json.NewEncoder(out)
		e.SetIndent("", "  ")
		return e.Encode(struct {
			Vectors    []line     `json:"vectors"`
			Contenders []*outcome `json:"contenders"`
		}{lines, all})
	}
	return table(out, lines, all)
}

func table(out io.Writer, lines []line, all []*outcome) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	names := []string{"group", "vector"}
	for _, o := range all {
		names = append(names, o.Name)
	}
	fmt.Fprintln(t, strings.Join(append(names, ""), "\t"))
	for _, l := range lines {
		row := []string{l.Group, l.Name}
		for _, o := range all {
			row = append(row, cell(l.Hits[o.Name]))
		}
		fmt.Fprintln(t, strings.Join(append(row, l.Note), "\t"))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if path, err := browser.Find(os.Getenv("PLAT_CHROME")); err == nil {
		fmt.Fprintf(out, "\nbrowser: %s\n", path)
	}
	for _, o := range all {
		fmt.Fprintf(out, "\n%s: %d of %d vectors hit, in %.0f s", o.Name, len(o.Hits), len(lines), o.Seconds)
		if o.Nowhere > 0 {
			fmt.Fprintf(out, "; %d connections of no page led to the port where nobody listens", o.Nowhere)
		}
		fmt.Fprintf(out, "; %d kinds of packets to what is no vector's target\n", len(o.Strays))
		for _, s := range o.Strays {
			fmt.Fprintf(out, "  %d × %s\n", s.Count, s.What)
		}
	}
	return nil
}

// cell formats hits for the table.
func cell(hits []sighting) string {
	if hits == nil {
		return "-"
	}
	var kinds []string
	n := 0
	for _, h := range hits {
		n += h.Count
		kind, _, _ := strings.Cut(h.What, " ")
		if *details {
			kind = h.What
		}
		if !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	slices.Sort(kinds)
	return fmt.Sprintf("hit, %d %s", n, strings.Join(kinds, " "))
}
