package main

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

// story is the text of a page.
const story = "<title>Market</title><h1>Market of the week</h1><p>Potatoes are cheap this week, and onions are not; whoever wants pears has to wait until autumn."

// picture is a square of one colour.
func picture(shade uint8) []byte {
	m := image.NewRGBA(image.Rect(0, 0, 200, 200))
	draw.Draw(m, m.Bounds(), image.NewUniform(color.RGBA{shade, 80, 120, 255}), image.Point{}, draw.Src)
	var b bytes.Buffer
	png.Encode(&b, m)
	return b.Bytes()
}

// versions answers with the first of two pages until the other is wanted.
func (m *machine) versions(first, second string) (s *site, change func()) {
	var changed atomic.Bool
	s = m.site(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/plan.png":
			w.Header().Set("Content-Type", "image/png")
			w.Write(picture(200))
		case changed.Load():
			page(second)(w, r)
		default:
			page(first)(w, r)
		}
	})
	return s, func() { changed.Store(true) }
}

// replaced visits a page whose file changes behind its address.
func replaced(name, kind, html string, first, second []byte) func(*machine) (string, bool, error) {
	return func(m *machine) (string, bool, error) {
		var changed atomic.Bool
		s := m.site(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != name {
				page(html)(w, r)
				return
			}
			file := first
			if changed.Load() {
				file = second
			}
			w.Header().Set("Content-Type", kind)
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(file))
		})
		v, err := m.twice(s.at("shop.test", "/"), func() { changed.Store(true) }, "--resources", "all", "--screenshot")
		return v.String(), v.Outcome != "changed", err
	}
}

var replacedImage = replaced("/plan.png", "image/png", story+"<p><img src=/plan.png width=200 height=200>", picture(200), picture(20))

var replacedSheet = replaced("/look.css", "text/css", "<link rel=stylesheet href=/look.css>"+story,
	[]byte("h1 { border-radius: 2px; background: #eee }"), []byte("h1 { border-radius: 9px; background: #eee }"))

// shown visits a page that changes, and sees whether the difference names both, the old and the new.
func shown(first, second, old, now string) func(*machine) (string, bool, error) {
	return func(m *machine) (string, bool, error) {
		s, change := m.versions(first, second)
		url := s.at("shop.test", "/")
		v, err := m.twice(url, change)
		if err != nil {
			return "", false, err
		}
		d, err := m.run("diff", m.store(), url)
		return v.String() + ": " + d.last(), !strings.Contains(d.out, old) || !strings.Contains(d.out, now), err
	}
}

var changedLink = shown(
	story+"<p>All of it stands in <a href=/price-2025.pdf>the list of prices</a>.",
	story+"<p>All of it stands in <a href=/price-2026.pdf>the list of prices</a>.",
	"price-2025.pdf", "price-2026.pdf")

var changedAlt = shown(
	story+"<p><img src=/plan.png width=200 height=200 alt='plan of the halls'>",
	story+"<p><img src=/plan.png width=200 height=200 alt='plan of the yard'>",
	"plan of the halls", "plan of the yard")

var changedDate = shown(
	story+"<p>Closed from <time datetime=2026-05-01>the first of the month</time> on.",
	story+"<p>Closed from <time datetime=2026-06-01>the first of the month</time> on.",
	"2026-05-01", "2026-06-01")

// feedOfFormat checks the feed of a page of which only the markup has changed.
func feedOfFormat(m *machine) (string, bool, error) {
	s, change := m.versions(story+"<p>Come <b>early</b>, for the best is soon sold.", story+"<p>Come <i>early</i>, for the best is soon sold.")
	url := s.at("shop.test", "/")
	v, err := m.twice(url, change)
	if err != nil {
		return "", false, err
	}
	feed, err := m.served("/feed/atom?url=" + url)
	if err != nil {
		return "", false, err
	}
	if !strings.Contains(feed, "<feed") {
		return "", false, fmt.Errorf("no feed: %.200s", feed)
	}
	n := strings.Count(feed, "<entry>")
	return fmt.Sprintf("%s: %d entries in the feed", v, n), strings.Contains(feed, "Looks different"), nil
}

// text requests the text of a page, from the archive or from the page.
func (m *machine) text(url string, args ...string) (result, error) {
	args = append([]string{"text", m.store(), url}, args...)
	r, err := m.run(append(args, here...)...)
	if err == nil && r.exit == 2 { // reading from the archive does not accept flags of pages
		r, err = m.run(args...)
	}
	return r, err
}

// textOfTheArchive requests the text of a page as it was before it changed.
func textOfTheArchive(m *machine) (string, bool, error) {
	s, change := m.versions(story, strings.ReplaceAll(story, "Potatoes", "Cabbages"))
	url := s.at("shop.test", "/")
	if _, err := m.twice(url, change); err != nil {
		return "", false, err
	}
	r, err := m.text(url + "@1")
	return r.last(), !strings.Contains(r.out, "Potatoes"), err
}

// codeOfAnArticle requests the text of an article with code.
func codeOfAnArticle(m *machine) (string, bool, error) {
	const code = "func buy() {\n    pears()\n\n    onions()\n}"
	const prose = "<p>Whoever wants pears has to wait until autumn, and whoever has waited knows that this is how they are bought at the market, once a week.</p>"
	s := m.site(page("<title>Pears</title><article><h1>Pears by the week</h1><p>By Ann Rivers, <time datetime=2026-01-31>31 January 2026</time></p>" + prose + prose + "<pre>" + code + "</pre>" + prose + "</article>"))
	url := s.at("shop.test", "/")
	if _, err := m.archive(url); err != nil {
		return "", false, err
	}
	r, err := m.text(url)
	return r.last(), !strings.Contains(r.out, code), err
}

// linkedHeadings requests the text of a list of releases whose headings are links.
func linkedHeadings(m *machine) (string, bool, error) {
	var b strings.Builder
	b.WriteString("<title>Releases</title><main><h1>Releases</h1>")
	for i, name := range []string{"Amsel", "Buchfink", "Dohle", "Elster", "Fasan"} {
		fmt.Fprintf(&b, "<article><h2><a href=/release/%d>The release called %s</a></h2><p>It came after many weeks of work by many people, who have found and mended what was wrong, and have made the whole program faster than it was before. Nobody needs to do anything but to install it.</p></article>", i, name)
	}
	s := m.site(page(b.String()))
	url := s.at("shop.test", "/")
	if _, err := m.archive(url); err != nil {
		return "", false, err
	}
	r, err := m.text(url)
	if err == nil && !strings.Contains(r.out, "many weeks of work") {
		err = fmt.Errorf("no text: %s", r.last())
	}
	n := strings.Count(r.out, "The release called")
	return fmt.Sprintf("%d of 5 headings", n), n < 5, err
}

// dateOfAVersion requests the date of a text without a date, but with a version number.
func dateOfAVersion(m *machine) (string, bool, error) {
	s := m.site(page("<title>Server 2.4.54 released</title><article><h1>Server 2.4.54 released</h1><p>Version 2.4.54 of the server is there. It mends what was wrong with the one before, and everybody who runs that should install it. The people who have worked on it thank all who have told them of faults, and all who have tried it before it was released.</p></article>"))
	url := s.at("shop.test", "/")
	if _, err := m.archive(url); err != nil {
		return "", false, err
	}
	r, err := m.text(url, "--json")
	date := between(r.out, `"date":"`, `"`)
	return fmt.Sprintf("date %q", date), date != "", err
}

// between returns the text between the first occurrences of two texts.
func between(s, left, right string) string {
	_, s, _ = strings.Cut(s, left)
	s, _, _ = strings.Cut(s, right)
	return s
}
