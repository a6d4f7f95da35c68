package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"plat/focus"
	"plat/scripts/focus/corpus"
)

// A candidate is a setting of the constants of the order blocks. Its order is blocks with the
// setting after a colon, such as blocks:page=.5,kids=0.
const changed = "blocks:"

// candidates returns the orders of settings, and before them the order with the constants as they
// are.
func candidates(settings string) []string {
	out := []string{"blocks"}
	for text := range strings.SplitSeq(settings, ";") {
		if text = strings.TrimSpace(text); text != "" {
			out = append(out, changed+text)
		}
	}
	return out
}

// chooser chooses constants on the crawls of some corpora.
type chooser struct {
	benches    []*bench
	candidates []string
	rivals     []string // orders to compare with
}

// topicOf is a topic of a corpus.
type topicOf struct {
	bench *bench
	topic int
}

func (c *chooser) topics() []topicOf {
	var all []topicOf
	for _, b := range c.benches {
		for _, t := range b.topics {
			all = append(all, topicOf{b, t})
		}
	}
	return all
}

// area is the mean area of an order's crawls of a topic.
func (t topicOf) area(order, kind string) float64 {
	sum, n := 0.0, 0.0
	for _, c := range t.bench.results[key{order, kind, t.bench.o.caps[0], t.topic}] {
		sum += c.area(t.bench.o.pages, relevant)
		n++
	}
	return sum / n
}

// worth is the sum of a candidate's areas of a topic, in terms of the best other order of the
// corpus: the choice is by the figures that are reported.
func (c *chooser) worth(t topicOf, order string) float64 {
	sum := 0.0
	for _, kind := range t.bench.o.kinds {
		sum += t.area(order, kind) / c.best(t.bench, kind)
	}
	return sum
}

// mean is the mean over the topics of a corpus of the areas of an order, which may differ by topic.
func (c *chooser) mean(b *bench, kind string, of func(topicOf) string) (mean float64, each []float64) {
	for _, t := range b.topics {
		x := topicOf{b, t}
		each = append(each, x.area(of(x), kind))
		mean += each[len(each)-1] / float64(len(b.topics))
	}
	return mean, each
}

// best is the mean area of the best other order.
func (c *chooser) best(b *bench, kind string) (best float64) {
	for _, order := range c.rivals {
		v, _ := c.mean(b, kind, always(order))
		best = max(best, v)
	}
	return best
}

func always(order string) func(topicOf) string { return func(topicOf) string { return order } }

// choose returns the best candidate on some topics.
func (c *chooser) choose(on []topicOf) string {
	return slices.MaxFunc(c.candidates, func(a, b string) int {
		x, y := 0.0, 0.0
		for _, t := range on {
			x += c.worth(t, a)
			y += c.worth(t, b)
		}
		return cmp.Compare(x, y)
	})
}

// leaveTopicsOut makes the crawls of all candidates on some corpora, and reports the choice.
func leaveTopicsOut(ctx context.Context, dirs []string, topics, settings string, o options) error {
	c := &chooser{candidates: candidates(settings)}
	for _, order := range o.orders {
		if !strings.HasPrefix(order, "blocks") {
			c.rivals = append(c.rivals, order)
		}
	}
	if len(c.rivals) == 0 || len(o.caps) != 1 {
		return errors.New("-leave-topics-out: name in -orders at least one order other than blocks, and in -per-host one limit")
	}
	for _, order := range c.candidates[1:] {
		constants, err := constantsOf(strings.TrimPrefix(order, changed))
		if err != nil {
			return err
		}
		if _, err := focus.New(&focus.Topic{}, focus.Options{Constants: constants}); err != nil {
			return err
		}
	}
	o.orders, o.direct = slices.Concat(c.rivals, c.candidates), true
	for _, dir := range dirs {
		x, err := corpus.Load(dir)
		if err != nil {
			return err
		}
		b, err := newBench(x, topics, o)
		if err != nil {
			return err
		}
		c.benches = append(c.benches, b)
		if err := b.crawlAll(ctx); err != nil {
			return err
		}
	}
	c.report(os.Stdout)
	return nil
}

// choices returns for each topic the best candidate on all others.
func (c *chooser) choices(all []topicOf) map[topicOf]string {
	left := map[topicOf]string{}
	for _, t := range all {
		left[t] = c.choose(slices.DeleteFunc(slices.Clone(all), func(o topicOf) bool { return o == t }))
	}
	return left
}

// report prints each candidate, and how good the choice among them is on topics that it did not
// see.
func (c *chooser) report(w io.Writer) {
	all := c.topics()
	fitted, left := c.choose(all), c.choices(all)
	for _, b := range c.benches {
		for _, kind := range b.o.kinds {
			c.table(w, b, kind, fitted, left)
		}
	}
	fmt.Fprintf(w, "\nchosen on all topics: %s\n", fitted)
	for _, t := range all {
		fmt.Fprintf(w, "chosen without %s: %s\n", t.bench.corpus.Topics[t.topic].ID, left[t])
	}
}

// table prints the areas of all candidates, and of the choice, with the ratio to the best other
// order.
func (c *chooser) table(w io.Writer, b *bench, kind, fitted string, left map[topicOf]string) {
	best := c.best(b, kind)
	fmt.Fprintf(w, "\n%s, %s seeds\n%-32s %7s %7s", b.corpus.Name, kind, "", "area", "÷ best")
	for _, t := range b.topics {
		fmt.Fprintf(w, " %8.8s", b.corpus.Topics[t].ID)
	}
	fmt.Fprintln(w)
	line := func(name string, of func(topicOf) string) {
		v, each := c.mean(b, kind, of)
		fmt.Fprintf(w, "%-32s %7.4f %7.3f", name, v, v/best)
		for _, v := range each {
			fmt.Fprintf(w, " %8.3f", v)
		}
		fmt.Fprintln(w)
	}
	for _, order := range slices.Concat(c.rivals, c.candidates) {
		line(order, always(order))
	}
	line("chosen on all topics", always(fitted))
	line("chosen without the topic", func(t topicOf) string { return left[t] })
}

// constantsOf parses a setting of constants, such as page=.5,kids=0.
func constantsOf(text string) (map[string]float64, error) {
	out := map[string]float64{}
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		name, value, _ := strings.Cut(part, "=")
		v, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return nil, fmt.Errorf("constant %q: write NAME=NUMBER, several by comma", part)
		}
		out[name] = v
	}
	return out, nil
}
