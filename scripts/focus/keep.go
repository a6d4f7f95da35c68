package main

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"plat/focus"
)

// keeper keeps in a folder what later runs would do again: pages as read, whatever program read
// them, and crawls, which only the program that made them uses. A nil keeper keeps nothing.
type keeper struct {
	dir     string
	program string // a hash of it

	mu    sync.Mutex
	files map[string]*keptPages // by corpus; guarded by mu
}

// keptPages is a file of pages as read: for each the number, the length and the encoded page.
type keptPages struct {
	file *os.File
	at   map[int32]extent
	end  int64
}

// extent is a range of bytes of a file.
type extent struct{ start, length int64 }

// openKeeper makes a keeper in a folder; nil without one.
func openKeeper(dir string) (*keeper, error) {
	if dir == "" {
		return nil, nil
	}
	own, err := os.Executable()
	if err != nil {
		return nil, err
	}
	f, err := os.Open(own)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return nil, err
	}
	k := &keeper{dir: dir, program: hex.EncodeToString(h.Sum(nil)[:8]), files: map[string]*keptPages{}}
	return k, os.MkdirAll(filepath.Join(dir, k.program), 0o755)
}

// close closes the files.
func (k *keeper) close() {
	if k == nil {
		return
	}
	for _, p := range k.files {
		p.file.Close()
	}
}

// pages returns the file of a corpus. The caller holds mu.
func (k *keeper) pages(corpus string) (*keptPages, error) {
	if p := k.files[corpus]; p != nil {
		return p, nil
	}
	f, err := os.OpenFile(filepath.Join(k.dir, corpus+".pages"), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		f.Close()
		return nil, err
	}
	p := &keptPages{file: f, at: map[int32]extent{}}
	var head [8]byte
	for {
		if _, err := f.ReadAt(head[:], p.end); err != nil {
			break
		}
		x := extent{p.end + 8, int64(binary.LittleEndian.Uint32(head[4:]))}
		if x.start+x.length > size {
			break // the end of a run that was killed
		}
		p.at[int32(binary.LittleEndian.Uint32(head[:]))] = x
		p.end = x.start + x.length
	}
	k.files[corpus] = p
	return p, nil
}

// page returns a page of a corpus as kept; as read by read, and then kept, if it is not or is damaged.
func (k *keeper) page(corpus string, id int32, read func() (*focus.Page, error)) (*focus.Page, error) {
	if k == nil {
		return read()
	}
	k.mu.Lock()
	p, err := k.pages(corpus)
	if err != nil {
		k.mu.Unlock()
		return nil, err
	}
	x, ok := p.at[id]
	k.mu.Unlock()
	if ok {
		b := make([]byte, x.length)
		if _, err := p.file.ReadAt(b, x.start); err != nil {
			return nil, err
		}
		if page, err := focus.DecodePage(b); err == nil {
			return page, nil
		}
	}
	page, err := read()
	if err != nil || page == nil {
		return page, err
	}
	b := page.Encode()
	b = append(binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, uint32(id)), uint32(len(b))), b...)
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, err := p.file.WriteAt(b, p.end); err != nil {
		return nil, err
	}
	p.at[id] = extent{p.end + 8, int64(len(b) - 8)}
	p.end += int64(len(b))
	return page, nil
}

// keptCrawl is a crawl as kept.
type keptCrawl struct {
	Steps   []byte `json:"steps"` // the three numbers of each step, 16 bits each
	Missing int    `json:"missing"`
	Repeats int    `json:"repeats"`
}

func (k *keeper) crawlFile(corpus string, j job, pages int) string {
	h := sha256.Sum256(fmt.Appendf(nil, "%s %v %d %v %d", corpus, j.key, j.set, j.seeds.urls, pages))
	return filepath.Join(k.dir, k.program, hex.EncodeToString(h[:12])+".json")
}

// crawl returns a kept crawl, nil if there is none.
func (k *keeper) crawl(corpus string, j job, pages int) *curve {
	if k == nil {
		return nil
	}
	b, err := os.ReadFile(k.crawlFile(corpus, j, pages))
	var x keptCrawl
	if err != nil || json.Unmarshal(b, &x) != nil {
		return nil
	}
	c := &curve{seeds: j.seeds, missing: x.Missing, repeats: x.Repeats}
	for s := x.Steps; len(s) >= 6; s = s[6:] {
		at := func(i int) int32 { return int32(binary.LittleEndian.Uint16(s[i:])) }
		c.steps = append(c.steps, step{at(0), at(2), at(4)})
	}
	return c
}

// keepCrawl keeps a crawl.
func (k *keeper) keepCrawl(corpus string, j job, pages int, c *curve) error {
	if k == nil {
		return nil
	}
	x := keptCrawl{Missing: c.missing, Repeats: c.repeats}
	for _, s := range c.steps {
		for _, n := range [...]int32{s.relevant, s.strong, s.judged} {
			x.Steps = binary.LittleEndian.AppendUint16(x.Steps, uint16(n))
		}
	}
	b, err := json.Marshal(x)
	if err != nil {
		return err
	}
	return os.WriteFile(k.crawlFile(corpus, j, pages), b, 0o644)
}
