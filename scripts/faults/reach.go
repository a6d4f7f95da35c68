package main

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"plat/scripts/procs"
)

// secret must not reach unintended places.
const secret = "hunter2hunter2"

// twoSites starts a page of shop.test that shows an image and a frame of other.test, which requires a password.
func (m *machine) twoSites() *site {
	var s *site
	s = m.site(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/pixel.png" || r.URL.Path == "/frame":
			w.Header().Set("WWW-Authenticate", `Basic realm="other"`)
			if _, _, given := r.BasicAuth(); !given {
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			w.Header().Set("Content-Type", "image/png")
			w.Write(picture(9))
		default:
			page(story+"<img src="+s.at("other.test", "/pixel.png")+"><iframe src="+s.at("other.test", "/frame")+"></iframe>")(w, r)
		}
	})
	return s
}

// got says which of the requests for a path have the secret in their headers.
func got(asks []*http.Request) (n int) {
	for _, r := range asks {
		if strings.Contains(fmt.Sprint(r.Header), secret) {
			n++
		}
	}
	return n
}

// headerAstray sets a header for a page, and checks which servers receive it.
func headerAstray(m *machine) (string, bool, error) {
	s := m.twoSites()
	if _, err := m.archive(s.at("shop.test", "/"), "--header", "Cookie: session="+secret); err != nil {
		return "", false, err
	}
	return s.whoGot("/", "/pixel.png")
}

// cookiesOfAFile gives the cookies of a browser, as its file has them.
func cookiesOfAFile(m *machine) (string, bool, error) {
	s := m.twoSites()
	file := m.write("cookies.txt", "# Netscape HTTP Cookie File\nshop.test\tFALSE\t/\tFALSE\t0\tsession\t"+secret+"\n")
	v, err := m.archive(s.at("shop.test", "/"), "--cookies", file)
	if v.result.exit == 2 {
		return v.result.last(), true, nil
	}
	if err != nil {
		return "", false, err
	}
	return s.whoGot("/", "/pixel.png")
}

func (s *site) whoGot(own, foreign string) (string, bool, error) {
	asked, told := len(s.asked("other.test", foreign)), got(s.asked("other.test", foreign))
	if asked == 0 {
		return "", false, fmt.Errorf("nobody was asked for %s", foreign)
	}
	if n := got(s.asked("shop.test", own)); n == 0 {
		return "the page itself is not told", true, nil
	}
	return fmt.Sprintf("another site is told %d of %d times", told, asked), told > 0, nil
}

// passwordSpent loads a page that embeds an image and a frame of the password's site.
func passwordSpent(m *machine) (string, bool, error) {
	s := m.twoSites()
	if _, err := m.archive(s.at("shop.test", "/"), "--auth", "other.test=user:"+secret); err != nil {
		return "", false, err
	}
	asks := append(s.asked("other.test", "/pixel.png"), s.asked("other.test", "/frame")...)
	if len(asks) < 2 {
		return "", false, fmt.Errorf("image and frame were not asked for")
	}
	n := 0
	for _, r := range asks {
		if _, _, given := r.BasicAuth(); given {
			n++
		}
	}
	return fmt.Sprintf("given %d times", n), n > 0, nil
}

// robotsIgnored visits a page that robots.txt keeps.
func robotsIgnored(m *machine) (string, bool, error) {
	s := m.site(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			w.Header().Set("Content-Type", "text/plain")
			fmt.Fprint(w, "User-agent: *\nDisallow: /\n")
			return
		}
		page(story)(w, r)
	})
	v, err := m.archive(s.at("shop.test", "/"))
	n := len(s.asked("", "/"))
	return fmt.Sprintf("%s, asked %d times", v, n), n > 0, err
}

// nameless visits a page, and sees under which name.
func nameless(m *machine) (string, bool, error) {
	s := m.site(page(story))
	if _, err := m.archive(s.at("shop.test", "/")); err != nil {
		return "", false, err
	}
	asks := s.asked("", "/")
	if len(asks) == 0 {
		return "", false, fmt.Errorf("the page was not asked for")
	}
	name := asks[0].UserAgent()
	return name[max(0, len(name)-60):], !strings.Contains(name, "plat/"), nil
}

// ownPort has a page of a crawl lead to the interface that shows the crawl.
func ownPort(m *machine) (string, bool, error) {
	var own atomic.Pointer[string]
	s := m.site(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/go" {
			http.NotFound(w, r)
			return
		}
		http.Redirect(w, r, *own.Load()+"/", http.StatusFound)
	})
	f, err := m.up("--allow-private", "127.0.0.1/32", "--no-dns", "--log-level", "info")
	if err != nil {
		return "", false, err
	}
	own.Store(&f.url)
	outcome, _, err := f.visits(s.at("127.0.0.1", "/go"), 0)
	return outcome, outcome == "new", err
}

// environment checks the variables of the browsers while a page loads.
func environment(m *machine) (string, bool, error) {
	var mu sync.Mutex
	with, without := 0, 0
	s := m.site(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		for _, p := range procs.Family(os.Getpid()) {
			b, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.PID))
			if err != nil || !bytes.Contains(b, []byte("--user-data-dir")) {
				continue
			}
			if b, _ = os.ReadFile(fmt.Sprintf("/proc/%d/environ", p.PID)); bytes.Contains(b, []byte(secret)) {
				with++
			} else {
				without++
			}
		}
		page(story)(w, r)
	})
	r, err := m.runWith([]string{"PLAT_TOKEN=" + secret}, append([]string{"archive", m.store(), s.at("shop.test", "/")}, here...)...)
	if err == nil && with+without == 0 {
		err = fmt.Errorf("no browser was seen: %s", r.last())
	}
	return fmt.Sprintf("%d of %d processes of the browser have it", with, with+without), with > 0, err
}

// refusedOften has a fleet visit an address of a private network.
func refusedOften(m *machine) (string, bool, error) {
	f, err := m.up("--no-dns", "--host", "inner.test=10.0.0.1", "--retry-delay", "100ms", "--log-level", "info")
	if err != nil {
		return "", false, err
	}
	outcome, n, err := f.visits("http://inner.test/", 8*time.Second)
	return fmt.Sprintf("%s, %d visits", outcome, n), outcome != "refused" || n > 1, err
}
