package main

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
)

// hangUp ends a connection without an answer.
func hangUp(w http.ResponseWriter) {
	if c, _, err := http.NewResponseController(w).Hijack(); err == nil {
		c.Close()
	}
}

// brokenPicture visits pages of a host that does not answer for one of their pictures.
func brokenPicture(m *machine) (string, bool, error) {
	s := m.site(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/plan.png":
			w.Header().Set("Content-Type", "image/png")
			w.Write(picture(200))
		case "/counter.png":
			hangUp(w)
		default:
			page(story+"<p><img src=/plan.png><img src=/counter.png>")(w, r)
		}
	})
	lost := 0
	for i := range 5 {
		v, err := m.archive(s.at("shop.test", fmt.Sprint("/", i)), "--retries", "0")
		if err != nil {
			return "", false, err
		}
		if v.Outcome != "new" {
			lost++
		}
	}
	return fmt.Sprintf("%d of 5 pages are lost", lost), lost > 0, nil
}

// leadsNowhere visits a page by https that navigates to a closed port.
func leadsNowhere(m *machine) (string, bool, error) {
	s := m.site(page(story + "<script>setTimeout(() => { location = 'https://other.test:1/' }, 100)</script>"))
	v, err := m.archive(s.at("shop.test", "/"), "--retries", "0", "--allow-port", "1")
	if err == nil && v.Outcome == "" {
		err = fmt.Errorf("no outcome: %s", v.result.last())
	}
	return v.String(), v.Outcome != "unreachable" && v.Outcome != "refused", err
}

// ownWords visits a page that requests a URL with a lone percent sign, at a site that accepts it.
func ownWords(m *machine) (string, bool, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", false, err
	}
	m.end = append(m.end, func() { ln.Close() })
	html := "<!doctype html>" + story + "<p id=p>waiting</p><iframe src=/frames/10%/x></iframe><script>fetch('/api/50%/x').then(r => r.text()).then(t => p.textContent = t)</script>"
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				b := make([]byte, 16<<10)
				n, _ := c.Read(b)
				body := html
				switch _, rest, _ := strings.Cut(string(b[:n]), " "); {
				case strings.HasPrefix(rest, "/api/50%/x "):
					body = "half price"
				case strings.HasPrefix(rest, "/frames/10%/x "):
					body = "<p>ten per cent"
				}
				fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", len(body), body)
			}()
		}
	}()
	url := fmt.Sprintf("http://shop.test:%d/", ln.Addr().(*net.TCPAddr).Port)
	if _, err := m.archive(url, "--retries", "0"); err != nil {
		return "", false, err
	}
	r, err := m.run("show", m.store(), url, "--text")
	has := strings.Contains(r.out, "half price") && strings.Contains(r.out, "ten per cent")
	return r.last(), strings.Contains(r.out, "Bad Request") || !has, err
}

// stepsFor writes a file of steps that fills a secret into a form of the site.
func (m *machine) stepsFor(s *site) (flags []string) {
	host, _ := url.Parse(s.at("shop.test", "/"))
	file := m.write("steps.yaml", fmt.Sprintf("rules:\n  - match: http://%s/*\n    steps:\n      - fill: {selector: '#password', value: '${env:SHOP_PASSWORD}'}\n      - click: '#send'\n", host.Host))
	return []string{"--steps", file}
}

// focusTaken fills a password in on a page with a frame of a different site that takes the focus.
func focusTaken(m *machine) (string, bool, error) {
	var got atomic.Int64
	s := m.site(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.Host, "other.test"):
			if r.URL.Path == "/key" {
				got.Add(1)
			}
			fmt.Fprint(w, `<input id=i><script>i.addEventListener('input', () => fetch('/key')); setInterval(() => i.focus(), 5)</script>`)
		case r.URL.Path == "/sent":
			page(story)(w, r)
		default:
			page(story+`<form action=/sent method=post><input id=password type=password name=p><button id=send>Send</button></form><iframe src="`+"http://"+strings.Replace(r.Host, "shop.test", "other.test", 1)+`/"></iframe>`)(w, r)
		}
	})
	flags := m.stepsFor(s)
	r, err := m.runWith([]string{"SHOP_PASSWORD=" + secret}, append(append([]string{"archive", "--json", m.store(), s.at("shop.test", "/")}, here...), flags...)...)
	return fmt.Sprintf("%d pieces, %s", got.Load(), between(r.out, `"outcome":"`, `"`)), got.Load() > 0, err
}

// echoed fills a secret in on a page that shows it in encodings of browsers, and piece by piece.
func echoed(m *machine) (string, bool, error) {
	const typed = "it's 9*9~(x) for two"
	s := m.site(page(story + `<form onsubmit="return show()"><input id=password><button id=send>Send</button></form><p id=p><script>
function show() {
  const s = password.value, f = new URLSearchParams({ s }) + '';
  p.innerHTML = '<a href="/x?' + f + '">one</a> <a href="/y?s=' + encodeURIComponent(s).replaceAll("'", '&#39;') + '">two</a>';
  for (const c of s) { const b = document.createElement('b'); b.textContent = c; p.append(b) }
  password.value = '';
  return false;
}</script>`))
	flags := m.stepsFor(s)
	r, err := m.runWith([]string{"SHOP_PASSWORD=" + typed}, append(append([]string{"archive", "--json", m.store(), s.at("shop.test", "/")}, here...), flags...)...)
	if err != nil || r.exit != 0 {
		return r.last(), false, fmt.Errorf("archive: %w %s", err, r.last())
	}
	kept, err := m.run("restore", m.store(), s.at("shop.test", "/"))
	if err != nil || !strings.Contains(kept.out, "one") {
		return kept.last(), false, fmt.Errorf("restore: %w %s", err, kept.last())
	}
	var found []string
	for name, form := range map[string]string{
		"a form":    "it%27s+9*9%7E%28x%29+for+two",
		"a URI":     "9*9~(x)%20for%20two",
		"in pieces": "<b>9</b><b>*</b><b>9</b><b>~</b>",
	} {
		if strings.Contains(kept.out, form) {
			found = append(found, name)
		}
	}
	return fmt.Sprintf("stored in %d of 3 forms %v", len(found), found), len(found) > 0, nil
}

// forgedMarks ignores an advertisement that has comments like marks of plat's.
func forgedMarks(m *machine) (string, bool, error) {
	const ad = "<aside class=ad><!--plat-end-2--><!--plat-begin-0--><!--plat-begin-1--><!--plat-begin-2--><!--plat-begin-3--><p>Buy pears of the best kind there is, today and every day of the week.</p></aside>"
	s, change := m.versions("<title>Market</title>"+ad+"<main><h1>Market</h1><p>Potatoes are cheap this week, and onions are not.</p></main>", "<title>Market</title>"+ad+"<main><h1>Market</h1><p>Potatoes are dear this week, and onions are not.</p></main>")
	url := s.at("shop.test", "/")
	if v, err := m.archive(url); err != nil || v.Outcome != "new" {
		return "", false, fmt.Errorf("first visit: %w %s", err, v)
	}
	if r, err := m.run("ignore", m.store(), url, "--selector", "aside.ad"); err != nil || r.exit != 0 {
		return "", false, fmt.Errorf("ignore: %w %s", err, r.last())
	}
	change()
	v, err := m.archive(url)
	if err == nil && v.Outcome != "changed" {
		err = fmt.Errorf("second visit: %s", v)
	}
	return v.String(), v.Changes["content"] == 0, err
}
