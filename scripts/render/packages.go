package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// sources are the files that make the set packages: the list of npm packages in exact versions, and
// the program that makes pages of them.
//
//go:embed packages
var sources embed.FS

// halfOf returns the half of the set packages that a URL belongs to: rules are fitted to pages of half
// a, and those of half b are for counting.
func halfOf(url string) string {
	name, _, _ := strings.Cut(nameOf(url), "?")
	if sha256.Sum256([]byte(name))[0]%2 == 0 {
		return "a"
	}
	return "b"
}

// preparePackages builds the set packages in dir, and records the words that Chrome shows by
// waiting, unless dir has them already. client is the folder of the shared data that has the
// sources of server and client.
func preparePackages(ctx context.Context, client, dir string) error {
	files, err := fs.Sub(sources, "packages")
	if err != nil {
		return err
	}
	stamp := filepath.Join(dir, "built")
	same, err := hasFiles(files, dir)
	if err != nil {
		return err
	}
	if _, err := os.Stat(stamp); err == nil && same {
		return nil
	}
	if _, err := os.Stat(filepath.Join(client, "go", "vt")); err != nil {
		return fmt.Errorf("no client at %s; set PLAT_DATA or -data to the folder of shared data", client)
	}
	if client, err = filepath.Abs(client); err != nil {
		return err
	}
	bin, err := filepath.Abs(filepath.Join(dir, "bin"))
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "building pages of npm packages in %s, with exact versions, and reading them in Chrome\n", dir)
	if err := errors.Join(os.Remove(stamp), os.MkdirAll(filepath.Join(dir, "results"), 0o755), os.MkdirAll(bin, 0o755)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := writeFiles(files, dir); err != nil {
		return err
	}
	for _, c := range []struct {
		dir     string
		command []string
	}{
		{dir, []string{"npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--legacy-peer-deps"}},
		{dir, []string{"ln", "-sfn", "node_modules", "nm"}},
		{dir, []string{"node", "pages.mjs"}},
		{filepath.Join(client, "go"), []string{"go", "build", "-o", bin + "/", "./vt", "./vtserve"}},
	} {
		cmd := exec.CommandContext(ctx, c.command[0], c.command[1:]...)
		cmd.Dir = c.dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%v in %s: %w\n%s", c.command, c.dir, err, out)
		}
	}
	if err := recordTruth(ctx, dir); err != nil {
		return err
	}
	return os.WriteFile(stamp, nil, 0o644)
}

// plainWait is the sequence of steps that a page's words are read by, in an unchanged Chrome.
const plainWait = "nav load sleep:3000 scroll:250 sleep:2000 snap"

// recordTruth writes the words that Chrome shows of each page of dir.
func recordTruth(ctx context.Context, dir string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	origin, err := serve(ctx, dir)
	if err != nil {
		return err
	}
	list, err := os.ReadFile(filepath.Join(dir, "urls.txt"))
	if err != nil {
		return err
	}
	urls, raw := filepath.Join(dir, "results", "urls.txt"), filepath.Join(dir, "results", "raw.jsonl")
	if err := os.WriteFile(urls, bytes.ReplaceAll(list, []byte(recorded), []byte(origin)), 0o644); err != nil {
		return err
	}
	script, err := sources.ReadFile("packages/clipped.js")
	if err != nil {
		return err
	}
	steps := plainWait + ` eval:eval(decodeURIComponent(escape(atob("` + base64.RawStdEncoding.EncodeToString(script) + `"))))`
	cmd := exec.CommandContext(ctx, filepath.Join(dir, "bin", "vt"), "-urls", urls, "-c", "4", "-do", steps, "-out", raw)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", cmd.Path, err, out)
	}
	return convertTruth(raw, filepath.Join(dir, "results", "truth.jsonl"), origin)
}

// convertTruth writes the client's lines as lines of truth, as if recorded at the recorded origin.
func convertTruth(from, to, origin string) error {
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	lines := json.NewEncoder(&out)
	for d := json.NewDecoder(bytes.NewReader(b)); ; {
		var l struct{ URL, Words, Said, Err string }
		if err := d.Decode(&l); err == io.EOF {
			break
		} else if err != nil {
			return fmt.Errorf("%s: %w", from, err)
		}
		if l.Err != "" {
			return fmt.Errorf("the browser did not show %s: %s", l.URL, l.Err)
		}
		var clipped string // the client writes more behind it
		if err := json.NewDecoder(strings.NewReader(l.Said)).Decode(&clipped); err != nil {
			return fmt.Errorf("%s: the words that are clipped away: %w", l.URL, err)
		}
		back := strings.NewReplacer(strings.Join(wordsOf(origin), " "), strings.Join(wordsOf(recorded), " "))
		err := lines.Encode(truthLine{strings.Replace(l.URL, origin, recorded, 1), back.Replace(l.Words), back.Replace(strings.Join(wordsOf(clipped), " "))})
		if err != nil {
			return err
		}
	}
	return os.WriteFile(to, out.Bytes(), 0o644)
}

// hasFiles reports whether dir has every file of files, byte for byte.
func hasFiles(files fs.FS, dir string) (bool, error) {
	same := true
	err := fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		want, err := fs.ReadFile(files, path)
		if err != nil {
			return err
		}
		got, err := os.ReadFile(filepath.Join(dir, path))
		same = same && err == nil && bytes.Equal(got, want)
		return nil
	})
	return same, err
}

// writeFiles writes the files of files into dir, replacing others.
func writeFiles(files fs.FS, dir string) error {
	return fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := fs.ReadFile(files, path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, path), b, 0o644)
	})
}
