package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"
)

// mostMemory is the memory that plat's own process may use for one page or file, in bytes.
const mostMemory = 300 << 20

// garbage sends bytes to the Redis of plat up.
func garbage(text string) func(*machine) (string, bool, error) {
	return func(m *machine) (string, bool, error) {
		f, err := m.up()
		if err != nil {
			return "", false, err
		}
		c, err := net.Dial("tcp", f.redis)
		if err != nil {
			return "", false, err
		}
		defer c.Close()
		c.SetDeadline(time.Now().Add(5 * time.Second))
		io.WriteString(c, text)
		answer, _ := bufio.NewReader(c).ReadString('\n')
		select {
		case <-f.ended:
			return "plat up has ended", true, nil
		case <-time.After(time.Second):
		}
		// A second client gets an answer.
		d, err := net.Dial("tcp", f.redis)
		if err != nil {
			return err.Error(), true, nil
		}
		defer d.Close()
		d.SetDeadline(time.Now().Add(5 * time.Second))
		io.WriteString(d, "*1\r\n$4\r\nPING\r\n")
		pong, err := bufio.NewReader(d).ReadString('\n')
		return fmt.Sprintf("%.40q, then %.20q", answer, pong), err != nil, nil
	}
}

// eval is a command that has Redis run a script.
func eval(script string) string {
	return fmt.Sprintf("*3\r\n$4\r\nEVAL\r\n$%d\r\n%s\r\n$1\r\n0\r\n", len(script), script)
}

// tooMuchText visits a page whose script makes far too much text.
func tooMuchText(m *machine) (string, bool, error) {
	s := m.site(page("<p>before<p id=p hidden><script>p.append('many words '.repeat(5e6))</script>"))
	v, err := m.archive(s.at("shop.test", "/"), "--retries", "0")
	return fmt.Sprintf("%s, %d MB", v.Outcome, v.result.memory>>20), v.Outcome != "too-large" || v.result.memory > mostMemory, err
}

// muchOfAll visits a page of nearly as many words as a page may have, with a picture of nearly as many
// bytes, twice.
func muchOfAll(m *machine) (string, bool, error) {
	var words strings.Builder
	for i := range 1_900_000 {
		fmt.Fprintf(&words, "w%d ", i*7919%1_000_003)
	}
	const noise = `<canvas id=c width=1300 height=12000></canvas><p id=p></p><script>const x = c.getContext('2d'), im = x.createImageData(1300, 100)
for (let k = 0; k < im.data.length; k++) im.data[k] = Math.random() * 256
for (let y = 0; y < 12000; y += 100) x.putImageData(im, 0, y)
p.append(Math.random())</script>`
	s := m.site(page("<article>" + story + noise + "<pre>" + words.String() + "</pre></article>"))
	var said []string
	for range 2 {
		v, err := m.archive(s.at("shop.test", "/"), "--screenshot", "--retries", "0")
		said = append(said, fmt.Sprintf("%s, %d MB", v.Outcome, v.result.memory>>20))
		if err != nil || v.result.memory > mostMemory {
			return strings.Join(said, "; "), true, err
		}
	}
	return strings.Join(said, "; "), false, nil
}

// bomb reads a snapshot file that unpacks to far more than it is.
func bomb(m *machine) (string, bool, error) {
	const nodes, attributes = 8, 4_000_000 // attributes of each node
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	text := []byte("plat snapshot 1\n\x02{}\x01\x01a\x02[]\x08") // no header, one string, no styles, eight nodes
	for range nodes {
		text = append(text, 0) // kind
	}
	for range nodes {
		text = append(text, 1) // parent
	}
	for i := range nodes {
		text = append(text, byte(nodes-i)) // end
	}
	z.Write(append(text, make([]byte, 2*nodes)...)) // name and value
	zeros := make([]byte, 2*attributes)
	for range nodes {
		z.Write(binary.AppendUvarint(nil, attributes))
		z.Write(zeros)
	}
	if err := z.Close(); err != nil {
		return "", false, err
	}
	r, err := m.run("snapshot", "show", m.write("bomb.snapshot", b.String()))
	return fmt.Sprintf("%d kB, %d MB: %s", b.Len()>>10, r.memory>>20, r.last()), r.memory > mostMemory || r.exit == 0, err
}

// largeScope gives expressions that are short and compile to much.
func largeScope(m *machine) (string, bool, error) {
	scope := "host"
	for i := range 8 {
		scope += fmt.Sprintf(" include=(%c|b|c|[^/]){1000}", 'd'+i)
	}
	r, err := m.run("enqueue", m.store(), "--redis", "redis://127.0.0.1:1/0", "--scope", scope, "http://shop.test/")
	return fmt.Sprintf("%d MB, %.1f s: %s", r.memory>>20, r.took.Seconds(), r.last()), r.exit != 2, err
}

// deepRoots visits a page of shadow roots within shadow roots.
func deepRoots(m *machine) (string, bool, error) {
	s := m.site(page(story + "<div id=d></div><script>let e=d;for(let i=0;i<2000;i++){const r=e.attachShadow({mode:'open'});e=document.createElement('div');r.append(e)}e.append('deep')</script>"))
	v, err := m.archive(s.at("shop.test", "/"), "--retries", "0")
	return v.String() + " " + v.Error, v.Outcome != "new", err
}

// storage visits a page that stores as much as it may, up to 320 MB.
func storage(m *machine) (string, bool, error) {
	stored := make(chan struct{}, 9)
	html := page(story + `<p id=p>nothing<img src=/late><script>
async function fill() {
  const part = new Blob([new Uint8Array(8 << 20)]), cache = await caches.open('x');
  let n = 0;
  try {
    for (; n < 40; n++) await cache.put('/' + n, new Response(part));
  } catch (e) {}
  p.textContent = 'stored ' + n * 8 + ' MB';
  await fetch('/stored?' + n * 8);
}
setTimeout(fill, 100);
</script>`)
	s := m.site(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/stored":
			stored <- struct{}{}
		case "/late": // keeps the page loading until then
			select {
			case <-stored:
			case <-time.After(25 * time.Second):
			}
			http.NotFound(w, r)
		default:
			html(w, r)
		}
	})
	if _, err := m.archive(s.at("localhost", "/")); err != nil {
		return "", false, err
	}
	asks := s.asked("", "/stored")
	if len(asks) == 0 {
		return "", false, fmt.Errorf("the page does not say how much it has stored")
	}
	var mb int
	fmt.Sscan(asks[0].URL.RawQuery, &mb)
	return fmt.Sprintf("%d MB", mb), mb > 64, nil
}

// emptyFile requests the statistics of a file that is not an archive.
func emptyFile(m *machine) (string, bool, error) {
	m.write("a.db", "")
	r, err := m.run("stats", m.store())
	if err != nil {
		return "", false, err
	}
	i, err := os.Stat(m.file("a.db"))
	if err != nil {
		return "", false, err
	}
	return fmt.Sprintf("%d bytes: %s", i.Size(), r.last()), i.Size() > 0 || r.exit == 0, nil
}

// returns gives a list whose lines end as on old Macintoshes.
func returns(m *machine) (string, bool, error) {
	s := m.site(page(story))
	list := m.write("list.txt", s.at("shop.test", "/1")+"\r"+s.at("shop.test", "/2")+"\r")
	r, err := m.run(append([]string{"archive", m.store(), "--json", "-f", list}, here...)...)
	one, two := len(s.asked("", "/1")) > 0, len(s.asked("", "/2")) > 0
	if one && two {
		return "both visited", false, err
	}
	return r.last(), true, err
}

// letters gives a list that is not in UTF-8.
func letters(m *machine) (string, bool, error) {
	list := m.write("list.txt", "http://127.0.0.1:9/caf\xe9\n")
	r, err := m.run(append([]string{"archive", m.store(), "--retries", "0", "-f", list}, here...)...)
	return r.last(), !strings.Contains(r.all(), "UTF-8"), err
}

// strangeHost sends a request to the interface under an unknown host name.
func strangeHost(m *machine) (string, bool, error) {
	f, err := m.up()
	if err != nil {
		return "", false, err
	}
	c, err := net.Dial("tcp", strings.TrimPrefix(f.url, "http://"))
	if err != nil {
		return "", false, err
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(10 * time.Second))
	fmt.Fprint(c, "GET / HTTP/1.1\r\nHost: localhost:80:x\r\nConnection: close\r\n\r\n")
	a, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return "", false, err
	}
	a.Body.Close()
	return a.Status, a.StatusCode < 400, nil
}
