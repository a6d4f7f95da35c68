package main

import (
	"fmt"
	"math"
	"os"
	"strings"

	"plat/queue/simulate/chart"
)

// draw draws the harvest of whole orders by pages, a panel for each kind of seeds.
func (b *bench) draw(file string) error {
	c := &chart.Chart{
		Title:    "Harvest of focused crawls: " + b.corpus.Name,
		Subtitle: fmt.Sprintf("Share of the visited pages that belong to the topic; mean of %d topics and up to %d sets of seeds", len(b.topics), b.o.sets),
		XName:    "visited pages",
	}
	for _, order := range b.o.orders {
		if !strings.Contains(order, "-") {
			c.Names = append(c.Names, order)
		}
	}
	const places = 24
	for i := range places {
		first, last := 50.0, float64(b.o.pages)
		c.X = append(c.X, math.Round(first*math.Pow(last/first, float64(i)/(places-1))))
	}
	for _, at := range b.conditions() {
		p := chart.Panel{Name: at.kind + " seeds", Unit: "harvest, no limit per host", Format: "%.3f"}
		if at.cap > 0 {
			p.Unit = fmt.Sprintf("harvest, at most %d pages of a host", at.cap)
		}
		for _, order := range c.Names {
			var line []float64
			for _, x := range c.X {
				line = append(line, b.mean(order, at, every, func(c *curve) float64 { return c.harvest(int(x), relevant) }).Value)
			}
			p.Values = append(p.Values, line)
		}
		c.Panels = append(c.Panels, p)
	}
	d, err := c.Draw()
	if err != nil {
		return err
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	if strings.HasSuffix(file, ".png") {
		err = d.PNG(f)
	} else {
		err = d.SVG(f)
	}
	if err != nil {
		return err
	}
	return f.Close()
}
