package main

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"

	"plat/plat"
	"plat/storage/sqlite"
	"plat/watch"
)

// listsTable names the lists: a source (npm or deb), its package, a file of it, and a selector of the entries; the
// first element that it selects, with its siblings that it selects, is the list.
//
//go:embed lists.tsv
var listsTable string

// editedList is a list of a page, to which entries are added, and of which they are removed, renamed and reordered.
type editedList struct {
	source, pkg, file string
	selector          cascadia.SelectorGroup

	dir     string // of the unpacked package
	url     string // of the page, on a host of its own
	doc     *html.Node
	entries []*html.Node
	used    int // how many entries were added

	memory watcher
	was    string // text of the version examined before
	judged
}

// judged compares what package watch finds with a list and the edits of it.
type judged struct {
	first   []string // titles of the entries, as the page has them
	added   []string // titles of the added entries that have not been told, in small letters
	renamed string   // the title of the renamed entry, in small letters
	score   listScore
}

// listScore is the result of one list.
type listScore struct {
	Page     string   `json:"page"`
	Entries  int      `json:"entries"`  // at first
	Found    bool     `json:"found"`    // the lists that were found have four fifths of them
	Inserted int      `json:"inserted"` // entries
	Told     int      `json:"told"`     // of these
	Parts    int      `json:"parts"`    // new items that are parts of inserted entries
	False    int      `json:"false"`    // other new items
	Which    []string `json:"which,omitempty"`
}

// edits are the versions of each page after the first: each is made of the one before.
var edits = []struct {
	name string
	edit func(l *editedList)
}{
	{"insert first", func(l *editedList) { l.insert(0) }},
	{"the same again", func(l *editedList) {}},
	{"insert in the middle", func(l *editedList) { l.insert(len(l.entries) / 2) }},
	{"remove two", func(l *editedList) { l.remove(len(l.entries) - 2); l.remove(2) }},
	{"reorder", func(l *editedList) { l.swap(0, len(l.entries)-1); l.swap(1, 2) }},
	{"rename one", func(l *editedList) { l.rename(3) }},
	{"insert two", func(l *editedList) { l.insert(0); l.insert(len(l.entries)) }},
}

// news are the titles of added entries: none of their words but small ones is in the pages.
var news = []string{
	"Lighthouse keeper wanted for the winter", "Herring quota agreed by both harbours", "Quarterly dredging of the eastern fairway",
	"Second mooring opened beside the boathouse", "Whale carcass towed beyond the breakwater", "Ferry timetable until Whitsun",
}

// editLists measures package watch on lists of other programs' pages. It counts the lists that are found without a choice. Then
// a script adds entries to the lists, and editLists counts the entries that are told.
func editLists(ctx context.Context, o *options) error {
	lists, err := unpackLists(ctx, filepath.Join(filepath.Dir(o.archives), "lists"))
	if err != nil {
		return err
	}
	site := &editedSite{}
	for _, l := range lists {
		closer, err := site.serve(l)
		if err != nil {
			return err
		}
		defer closer.Close()
	}
	dir, err := os.MkdirTemp("", "plat-lists")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	db := filepath.Join(dir, "lists.db")
	for round := range len(edits) + 1 {
		if round > 0 {
			site.edit(lists, edits[round-1].edit)
		}
		urls := ""
		for _, l := range lists {
			urls += l.url + "\n"
		}
		if err := archiveList(ctx, urls, db, "--second-look=never"); err != nil {
			return err
		}
		store, err := sqlite.Open(db, sqlite.Options{})
		if err != nil {
			return err
		}
		for _, l := range lists {
			if err := l.look(ctx, store, round); err != nil {
				return errors.Join(fmt.Errorf("%s: %w", l.pkg, err), store.Close())
			}
		}
		if err := store.Close(); err != nil {
			return err
		}
	}
	return printLists(o, lists)
}

func printLists(o *options, lists []*editedList) error {
	var sum listScore
	found := 0
	scores := make([]listScore, len(lists))
	for i, l := range lists {
		s := l.score
		if scores[i] = s; s.Found {
			found++
		}
		sum.Inserted, sum.Told, sum.False = sum.Inserted+s.Inserted, sum.Told+s.Told, sum.False+s.False
	}
	if o.json {
		return printJSON(scores)
	}
	fmt.Printf("%-28s %7s %5s %8s %4s %5s\n", "page of", "entries", "found", "inserted", "told", "false")
	for _, s := range scores {
		is := "no"
		if s.Found {
			is = "yes"
		}
		fmt.Printf("%-28s %7d %5s %8d %4d %5d\n", s.Page, s.Entries, is, s.Inserted, s.Told, s.False)
		for _, w := range s.Which {
			fmt.Println("   ", w)
		}
	}
	fmt.Printf("%d lists, %d found; of %d inserted entries %d told, %.3f; %d false\n", len(lists), found, sum.Inserted, sum.Told, float64(sum.Told)/float64(max(1, sum.Inserted)), sum.False)
	return nil
}

// look examines the last version of the page.
func (l *editedList) look(ctx context.Context, store *sqlite.Store, round int) error {
	p, err := head(ctx, store, l.url)
	if err != nil {
		return err
	}
	if round > 0 {
		was := l.was
		p.Before = func() (string, error) { return was, nil }
	}
	l.was = watch.Text(p.Blocks)
	r, err := l.memory.look(p)
	if err != nil {
		return err
	}
	if round == 0 {
		l.finds(r)
		return nil
	}
	l.tells(r, edits[round-1].name)
	return nil
}

// finds notes whether the list was found.
func (j *judged) finds(r *watch.Result) {
	var all []watch.Entry
	for _, x := range slices.Concat(r.Lists, r.Further) {
		all = append(all, x.Entries...)
	}
	j.score.Found = j.covers(all)
}

// tells compares the items of a result with the entries that an edit has added.
func (j *judged) tells(r *watch.Result, edit string) {
	for i := range r.Items {
		it := &r.Items[i]
		if it.Kind != plat.ItemNew {
			continue
		}
		title := strings.ToLower(it.Title + " " + it.Excerpt)
		switch k := j.inserted(title); {
		case k >= 0:
			j.score.Told++
			j.added = append(j.added[:k:k], j.added[k+1:]...)
		case j.renamed != "" && strings.Contains(title, j.renamed):
			// a new title is news of an entry that has no URL of its own
		case strings.Contains(it.URL, addedMark) || strings.Contains(title, addedText):
			j.score.Parts++
		default:
			j.score.False++
			j.score.Which = append(j.score.Which, fmt.Sprintf("%s: false %.60q", edit, it.Title))
		}
	}
	for _, t := range j.added {
		j.score.Which = append(j.score.Which, fmt.Sprintf("%s: missed %q", edit, t))
	}
	j.added = nil
}

// inserted returns the added entry that a title names; -1 for none.
func (j *judged) inserted(title string) int {
	for k, t := range j.added {
		if strings.Contains(title, t) {
			return k
		}
	}
	return -1
}

// covers reports whether entries are four fifths of the list.
func (j *judged) covers(entries []watch.Entry) bool {
	n := 0
	for _, t := range j.first {
		for i := range entries {
			e := &entries[i]
			if got := strings.ToLower(e.Title); strings.Contains(got, t) || strings.Contains(strings.ToLower(e.Excerpt), t) || len(got) > 3 && strings.Contains(t, got) {
				n++
				break
			}
		}
	}
	return 5*n >= 4*len(j.first)
}

// insert adds an entry before the i-th: a copy of a neighbour with a title and words of its own.
func (l *editedList) insert(i int) {
	model := l.entries[min(i, len(l.entries)-1)]
	e := cloned(model)
	title := news[l.used%len(news)]
	l.used++
	retitle(e, title, l.used)
	var before *html.Node
	if i < len(l.entries) {
		before = l.entries[i]
	} else if last := l.entries[len(l.entries)-1]; last.NextSibling != nil {
		before = last.NextSibling
	}
	model.Parent.InsertBefore(e, before)
	l.entries = append(l.entries[:i:i], append([]*html.Node{e}, l.entries[i:]...)...)
	l.added = append(l.added, strings.ToLower(title))
	l.score.Inserted++
}

func (l *editedList) remove(i int) {
	e := l.entries[i]
	e.Parent.RemoveChild(e)
	l.entries = append(l.entries[:i:i], l.entries[i+1:]...)
}

// swap exchanges two entries.
func (l *editedList) swap(i, k int) {
	a, b := l.entries[i], l.entries[k]
	at := &html.Node{Type: html.CommentNode}
	p := a.Parent
	p.InsertBefore(at, a)
	p.RemoveChild(a)
	p.InsertBefore(a, b)
	p.RemoveChild(b)
	p.InsertBefore(b, at)
	p.RemoveChild(at)
	l.entries[i], l.entries[k] = b, a
}

// rename adds words to the title of an entry.
func (l *editedList) rename(i int) {
	t := titleOf(l.entries[i])
	t.Data = strings.TrimSpace(t.Data) + " (revised)"
	l.renamed = "(revised)"
}

// titleOf returns the text of an entry's title: that of its heading, else of its first link, else the longest.
func titleOf(e *html.Node) *html.Node {
	for _, where := range []string{"h1, h2, h3, h4, h5, h6, .card-title, .h5, .h6, strong, b", "a", "*"} {
		for _, n := range cascadia.QueryAll(e, cascadia.MustCompile(where)) {
			if t := longestText(n); t != nil && len(strings.TrimSpace(t.Data)) > 3 {
				return t
			}
			if where == "*" {
				break
			}
		}
	}
	return longestText(e)
}

// longestText returns the longest text in an element.
func longestText(e *html.Node) (longest *html.Node) {
	for n := range e.Descendants() {
		if n.Type == html.TextNode && (longest == nil || len(strings.TrimSpace(n.Data)) > len(strings.TrimSpace(longest.Data))) {
			longest = n
		}
	}
	return longest
}

// What added entries have beside their titles: a mark in their addresses, and texts.
const (
	addedMark = "-added-"
	addedText = "harbour master reports on matter"
)

// retitle gives a copied entry a title, other words in its long texts, and other addresses and numbers.
func retitle(e *html.Node, title string, nr int) {
	at := titleOf(e)
	for n := range e.Descendants() {
		switch {
		case n == at && strings.ContainsAny(n.Data, "0123456789"):
			n.Data = firstNumber.ReplaceAllString(n.Data, "${1}"+strconv.Itoa(40+nr)) + ": " + title // as its like, with a date or a version
		case n == at:
			n.Data = title
		case n.Type == html.TextNode && n.Parent == at.Parent && strings.TrimSpace(n.Data) != "":
			n.Data = " "
		case n.Type == html.TextNode && len(strings.Fields(n.Data)) > 4:
			n.Data = fmt.Sprintf(" The "+addedText+" %d of the season, and adds a chart. ", 40+nr)
		case n.Type == html.ElementNode:
			readdress(n, nr)
		}
	}
	readdress(e, nr)
}

// firstNumber matches a text up to its first number.
var firstNumber = regexp.MustCompile(`^([^0-9]*)[0-9]+`)

// readdress changes what identifies an element: its link and its id.
func readdress(n *html.Node, nr int) {
	for i := range n.Attr {
		switch a := &n.Attr[i]; {
		case a.Key == "id" || a.Key == "name":
			a.Val += fmt.Sprintf(addedMark+"%d", nr)
		case a.Key == "href" && n.Data == "a" && len(a.Val) > 1:
			a.Val = readdressed(a.Val, nr)
		}
	}
}

// readdressed returns a different address of the same form.
func readdressed(address string, nr int) string {
	before, fragment, has := strings.Cut(address, "#")
	if has {
		return before + "#" + fragment + fmt.Sprintf(addedMark+"%d", nr)
	}
	ext := path.Ext(before)
	return strings.TrimSuffix(before, ext) + fmt.Sprintf(addedMark+"%d", nr) + ext
}

// cloned returns a deep copy of an element, without lists inside of it.
func cloned(n *html.Node) *html.Node {
	c := &html.Node{Type: n.Type, Data: n.Data, DataAtom: n.DataAtom, Namespace: n.Namespace, Attr: append([]html.Attribute(nil), n.Attr...)}
	for k := range n.ChildNodes() {
		if k.Data != "ul" && k.Data != "ol" && k.Data != "dl" {
			c.AppendChild(cloned(k))
		}
	}
	return c
}

// editedSite serves the packages, and the pages with lists as they are now.
type editedSite struct{ mu sync.Mutex }

func (s *editedSite) edit(lists []*editedList, f func(l *editedList)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range lists {
		f(l)
	}
}

// serve serves a package on a port of its own.
func (s *editedSite) serve(l *editedList) (io.Closer, error) {
	at, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	l.url = "http://" + at.Addr().String() + "/" + l.file
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/"+l.file {
			http.ServeFileFS(w, r, os.DirFS(l.dir), strings.TrimPrefix(r.URL.Path, "/"))
			return
		}
		var b bytes.Buffer
		s.mu.Lock()
		err := html.Render(&b, l.doc)
		s.mu.Unlock()
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write(b.Bytes())
	})}
	go srv.Serve(at)
	return srv, nil
}

// unpackLists reads the table, fetches the packages that dir lacks, and reads the pages.
func unpackLists(ctx context.Context, dir string) (lists []*editedList, err error) {
	for line := range strings.Lines(listsTable) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		l := &editedList{source: f[0], pkg: f[1], file: f[2]}
		name, _, _ := strings.Cut(l.pkg, "@")
		l.score.Page = name
		if l.dir, err = filepath.Abs(filepath.Join(dir, strings.ReplaceAll(l.pkg, "/", "-"))); err != nil {
			return nil, err
		}
		if l.selector, err = cascadia.ParseGroup(f[3]); err != nil {
			return nil, fmt.Errorf("%s: %w", l.pkg, err)
		}
		if err := l.fetch(ctx); err != nil {
			return nil, err
		}
		if err := l.read(); err != nil {
			return nil, fmt.Errorf("%s: %w", l.pkg, err)
		}
		lists = append(lists, l)
	}
	return lists, nil
}

// fetch unpacks the package, if that was not done before.
func (l *editedList) fetch(ctx context.Context) error {
	if _, err := os.Stat(filepath.Join(l.dir, l.file)); err == nil {
		return nil
	}
	if err := os.MkdirAll(l.dir, 0o755); err != nil {
		return err
	}
	script := `apt-get download -q "$1" >/dev/null && dpkg-deb -x ./*.deb . && rm ./*.deb`
	if l.source == "npm" {
		script = `f=$(npm pack --silent "$1") && tar xzf "$f" && rm "$f"`
	}
	cmd := exec.CommandContext(ctx, "sh", "-c", script, "sh", l.pkg)
	cmd.Dir = l.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", l.pkg, err, out)
	}
	return nil
}

// read reads the page and finds its list.
func (l *editedList) read() error {
	b, err := os.ReadFile(filepath.Join(l.dir, l.file))
	if err != nil {
		return err
	}
	if l.doc, err = html.Parse(bytes.NewReader(b)); err != nil {
		return err
	}
	all := cascadia.QueryAll(l.doc, l.selector)
	for _, n := range all {
		if n.Parent == all[0].Parent {
			l.entries = append(l.entries, n)
		}
	}
	if l.score.Entries = len(l.entries); len(l.entries) < 4 {
		return fmt.Errorf("%s has a list of %d entries, want 4", l.file, len(l.entries))
	}
	for _, e := range l.entries {
		l.first = append(l.first, strings.ToLower(strings.Join(strings.Fields(titleOf(e).Data), " ")))
	}
	return nil
}
