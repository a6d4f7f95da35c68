package subscribe

import (
	"archive/zip"
	"cmp"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"plat/plat"
	"plat/plat/excerpt"
	"plat/plat/metered"
	"plat/plat/saferegexp"
)

// export holds the parts of a changedetection.io export other than its watches. They are all in
// url-watches.json, or, since 2026, settings in changedetection.json and a folder for each
// watch and each group.
type export struct {
	tags   map[string]string // titles of groups, by UUID
	app    watch             // settings.application
	ignore []string          // global_ignore_text, as regular expressions
	taken  map[string]bool   // UUIDs of watches that are already read
}

func newExport() *export { return &export{tags: map[string]string{}, taken: map[string]bool{}} }

const all = "all subscriptions"

// settings takes over the settings of all watches. It keeps groups that are already read from
// files of their own, which are newer.
func (r *reader) settings(x *export) error {
	r.services(all, x.app)
	r.selectors(all, "global_subtractive_selectors", x.app)
	groups := x.app.objects("tags")
	for _, uuid := range sortedKeys(groups) {
		if _, known := x.tags[uuid]; !known {
			r.group(x, uuid, groups[uuid])
		}
	}
	var err error
	x.ignore, err = r.patterns(all, "global_ignore_text", x.app, written, new(saferegexp.Total))
	return err
}

// group takes over a group of watches.
func (r *reader) group(x *export, uuid string, t watch) {
	x.tags[uuid] = line(t.text("title"), 100)
	where := fmt.Sprintf("group %q", line(cmp.Or(t.text("title"), uuid), 200))
	r.services(where, t)
	for _, name := range []string{"include_filters", "subtractive_selectors", "trigger_text", "ignore_text", "extract_text"} {
		if !t.empty(name) {
			r.omit(where, name, "subscriptions have settings of their own only")
		}
	}
}

// take takes over a watch of an export.
func (r *reader) take(uuid string, raw []byte, x *export) error {
	if err := r.record("watch " + line(uuid, 100)); err != nil {
		return err
	}
	if x.taken[uuid] || len(raw) == 0 || raw[0] != '{' {
		return nil
	}
	w, err := r.watchOf(raw)
	if err != nil {
		return err
	}
	x.taken[uuid] = true
	_, err = r.watch(cmp.Or(shown(w.text("url")), uuid), w, x)
	return err
}

// sort sorts subscriptions by URL, because an export has no order.
func (r *reader) sort() {
	slices.SortStableFunc(r.Subscriptions, func(a, b plat.Subscription) int { return cmp.Compare(a.URL, b.URL) })
}

// backup reads a backup of changedetection.io.
func (r *reader) backup(file io.ReaderAt, size int64) error {
	r.Format = "backup of changedetection.io"
	packed := &limited{ReaderAt: file, left: maxDirectory, err: errors.New("it lists too many files")}
	z, err := zip.NewReader(packed, size)
	if err != nil {
		return fmt.Errorf("%w: the backup cannot be opened: %w", ErrUnknown, err)
	}
	// Entries may share their bytes, and an index is read twice.
	packed.left, packed.err = 4*size+maxRecord, limitError("the entries of the backup overlap: unpack it, and give its url-watches.json")
	files := map[string][]*zip.File{}
	for _, f := range z.File {
		name := path.Base(f.Name)
		files[name] = append(files[name], f)
	}
	x := newExport()
	for _, f := range files["tag.json"] {
		if err := r.unpacked(f, func(uuid string, w watch) error { r.group(x, uuid, w); return nil }); err != nil {
			return err
		}
	}
	indexes := slices.Concat(files["url-watches.json"], files["changedetection.json"])
	indexes = slices.DeleteFunc(indexes, func(f *zip.File) bool {
		_, broken := r.survey(f.Open, x)
		if r.ends(broken) {
			err = broken
		} else if broken != nil {
			r.omit(f.Name, "", "it is not a JSON object: %s", broken)
		}
		return broken != nil
	})
	if err != nil {
		return err
	}
	if err := r.settings(x); err != nil {
		return err
	}
	for _, f := range files["watch.json"] {
		err := r.unpacked(f, func(uuid string, w watch) error {
			x.taken[uuid] = true
			_, err := r.watch(cmp.Or(shown(w.text("url")), uuid), w, x)
			return err
		})
		if err != nil {
			return err
		}
	}
	for _, f := range indexes {
		if err := r.index(f.Open, x); err != nil {
			return err
		}
	}
	r.sort()
	if len(x.taken) > 0 {
		return nil
	}
	for _, f := range files["url-list.txt"] {
		return r.lines(f.Open)
	}
	return r.nothing()
}

// unpacked calls take with the folder and the JSON object of a file of a backup, if it is one.
func (r *reader) unpacked(f *zip.File, take func(folder string, w watch) error) error {
	if err := r.record(line(f.Name, 200)); err != nil {
		return err
	}
	in, err := f.Open()
	var raw []byte
	if err == nil {
		raw, err = io.ReadAll(&metered.Reader{In: in, Stop: r.stop, Left: r.bytes, Record: maxRecord})
		in.Close() // only read
	}
	switch {
	case errors.Is(err, metered.ErrRecord):
		r.omit(f.Name, "", "it is longer than %d MB", maxRecord>>20)
		return nil
	case r.ends(err):
		return err
	case err != nil:
		r.omit(f.Name, "", "%s", err)
		return nil
	}
	w, err := r.watchOf(raw)
	if r.ends(err) {
		return err
	} else if err != nil {
		r.omit(f.Name, "", "it is not a JSON object: %s", err)
		return nil
	}
	return take(path.Base(path.Dir(f.Name)), w)
}

// limited is a reader of at most left bytes. After that, it fails with err.
type limited struct {
	io.ReaderAt
	left int64
	err  error
}

func (l *limited) ReadAt(b []byte, at int64) (int, error) {
	if l.left -= int64(len(b)); l.left < 0 {
		l.left = 0
		return 0, l.err
	}
	return l.ReaderAt.ReadAt(b, at)
}

// watch takes over one watch, or one line of JSON, and returns the number of subscriptions: 0
// or 1.
func (r *reader) watch(where string, w watch, x *export) (int, error) {
	address := w.text("url")
	if strings.Contains(address, "{{") || strings.Contains(address, "{%") {
		r.omit(where, "", "its URL is a template; subscribe to the expanded URL")
		r.lacks()
		return 0, nil
	}
	if rest, ok := strings.CutPrefix(address, "source:"); ok {
		r.omit(where, "source:", "plat renders pages; changes only in the source are not reported")
		address = rest
	}
	s := r.subscription(where, address)
	if s == nil {
		return 0, nil
	}
	s.Title, s.Group, s.Paused = line(w.text("title"), 500), line(w.text("group"), 500), w.flag("paused")
	s.Tags = r.tags(where, w, x)
	if err := r.conditionsOf(where, s, w, x); err != nil {
		return 0, err
	}
	if n := w.number("depth"); n >= 1 && n <= 3 {
		s.Depth = int(n)
	} else if !w.empty("depth") {
		r.omit(where, "depth", "it is 1 to 3")
	}
	r.leftOut(where, w)
	r.add(where, s)
	return 1, nil
}

// conditionsOf takes over the texts that a watch requires or ignores.
func (r *reader) conditionsOf(where string, s *plat.Subscription, w watch, x *export) error {
	var total saferegexp.Total
	for _, field := range []struct {
		name string
		to   *[]string
		read func(string) (string, error)
	}{{"trigger_text", &s.Match, written}, {"ignore_text", &s.Except, written}, {"match", &s.Match, given}, {"except", &s.Except, given}} {
		more, err := r.patterns(where, field.name, w, field.read, &total)
		if err != nil {
			return err
		}
		*field.to = append(*field.to, more...)
	}
	if x == nil {
		return nil
	}
	s.Paused = s.Paused || x.app.flag("all_paused")
	for _, p := range x.ignore {
		if slices.Contains(s.Except, p) {
			continue
		}
		if err := r.condition(p); err != nil {
			return err
		}
		if err := total.Add("(?i)" + p); err != nil {
			r.omit(where, "global_ignore_text", "%s", err)
			break
		}
		s.Except = append(s.Except, p)
	}
	return nil
}

// condition counts the steps of checking a condition, here and in storage.
func (r *reader) condition(p string) error {
	if r.conditions -= saferegexp.Effort("(?i)" + p); r.conditions < 0 {
		return limitError(fmt.Sprintf("its conditions are too long together, or have too many ranges beyond ASCII, as [а-я]: there are %d characters for all of them, and a range counts as 8,000; divide the file", maxConditions))
	}
	return r.stop()
}

// tags returns the names of a watch's tags, which are UUIDs of groups in the export or plain
// names.
func (r *reader) tags(where string, w watch, x *export) []string {
	var names []string
	unknown := 0
	for _, t := range append(w.texts("tags"), parts(w.text("tag"))...) {
		t = strings.TrimSpace(t)
		switch {
		case x != nil && known(x.tags, t):
			names = append(names, x.tags[t])
		case isUUID.MatchString(t):
			unknown++
		default:
			names = append(names, t)
		}
	}
	if unknown > 0 {
		r.omit(where, "tags", "%d of them have no name in this file", unknown)
	}
	return merged(nil, names)
}

var isUUID = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

// Limits of the texts of conditions.
const (
	maxPatterns = 100
	maxPattern  = 1000 // bytes
)

// patterns returns the texts of a field as regular expressions, converted by read. They compile
// together with those of total.
func (r *reader) patterns(where, name string, w watch, read func(string) (string, error), total *saferegexp.Total) ([]string, error) {
	var all []string
	for _, text := range w.texts(name) {
		if strings.TrimSpace(text) == "" {
			continue
		}
		p, err := read(text)
		switch {
		case err != nil:
			r.omit(where, name, "%q: %s", line(text, 100), err)
			continue
		case len(p) > maxPattern:
			r.omit(where, name, "%q: it is longer than %d bytes", line(text, 100), maxPattern)
			continue
		case len(all) == maxPatterns:
			r.omit(where, name, "there are more than %d", maxPatterns)
			return all, nil
		case slices.Contains(all, p):
			continue
		}
		if err := r.condition(p); err != nil {
			return nil, err
		}
		err = total.Add("(?i)" + p)
		switch {
		case errors.Is(err, saferegexp.ErrTotal):
			r.omit(where, name, "%q and all after it: %s", line(text, 100), err)
			return all, nil
		case err != nil:
			r.omit(where, name, "%q: not a regular expression of plat (RE2, without lookaround and back references): %s", line(text, 100), err)
		default:
			all = append(all, p)
		}
	}
	return all, nil
}

// enclosed matches a regular expression as changedetection.io writes it.
var enclosed = regexp.MustCompile(`(?s)^/(.*)/([a-z]*)$`)

// written returns the regular expression for a text to find in a line: the quoted text, or the
// expression between slashes, with its flags.
func written(text string) (string, error) {
	text = strings.TrimSpace(text)
	m := enclosed.FindStringSubmatch(text)
	if m == nil {
		return regexp.QuoteMeta(strings.ToValidUTF8(text, "\ufffd")), nil
	}
	flags := ""
	for _, f := range m[2] {
		switch f {
		case 'i', 'u': // plat ignores case, and texts are Unicode
		case 'm', 's':
			if !strings.ContainsRune(flags, f) {
				flags += string(f)
			}
		default:
			return "", fmt.Errorf("plat's regular expressions have no flag %q", f)
		}
	}
	p := m[1]
	if flags != "" {
		p = "(?" + flags + ":" + p + ")"
	}
	return p, nil
}

func given(text string) (string, error) { return text, nil }

// reasons maps fields that are not taken over to the reason. Values are not shown, because they
// may be secret.
var reasons = map[string]string{
	"extract_text":               "plat reports items; a text pattern (match) selects them",
	"text_should_not_be_present": "plat has no condition on a page as a whole",
	"conditions":                 "plat has no conditions but text patterns",
	"notification_title":         "plat's messages have their own form",
	"notification_body":          "plat's messages have their own form",
	"notification_muted":         "no channels are set yet, so nothing is sent",
	"muted":                      "no channels are set yet, so nothing is sent",
	"headers":                    "set headers for the host by hand; they may hold secrets",
	"body":                       "plat visits pages with GET only",
	"proxy":                      "set the proxy of plat by hand",
	"webdriver_js_execute_code":  "write it as a step, see docs/steps.md",
	"webdriver_delay":            "plat waits until a page has settled",
	"browser_steps":              "write them as steps, see docs/steps.md",
	"ignore_status_codes":        "plat reports items only of pages with a successful response",
}

// state lists fields that hold results, or options that plat does not need.
var state = strings.Fields(`uuid url title tag tags paused trigger_text ignore_text group depth match except
	include_filters css_filter xpath_filter subtractive_selectors notification_urls time_between_check time_schedule_limit method processor
	last_checked last_changed last_error last_viewed last_notification_error viewed history history_n newest_history_key link
	previous_md5 previous_md5_before_filters check_count fetch_time consecutive_filter_failures content-type date_created
	has_ldjson_price_data remote_server_reply page_title notification_alert_count browser_steps_last_error_step
	notification_screenshot notification_format filter_failure_notification_send filter_failure_notification_threshold_attempts
	filter_text_added filter_text_removed filter_text_replaced fetch_backend in_stock_only follow_price_changes
	price_change_threshold_percent price_change_custom_include_filters track_ldjson_price_data restock restock_settings
	use_page_title_in_list time_between_check_use_default conditions_match_logic check_unique_lines sort_text_alphabetically
	strip_ignored_lines trim_text_whitespace remove_duplicate_lines last_filter_config_hash`)

// leftOut reports the fields of a watch that plat does not support or does not know.
func (r *reader) leftOut(where string, w watch) {
	for _, name := range []string{"include_filters", "css_filter", "xpath_filter", "subtractive_selectors"} {
		r.selectors(where, name, w)
	}
	r.services(where, w)
	if d := interval(w.object("time_between_check")); d > 0 && !w.flag("time_between_check_use_default") {
		r.omit(where, "time_between_check", "it was every %s; set it with plat schedule set URL --every %[1]s", excerpt.Interval(d.String()))
	}
	if w.object("time_schedule_limit").flag("enabled") {
		r.omit(where, "time_schedule_limit", "plat's schedules have no hours of the day; a digest can limit when messages are sent")
	}
	if m := w.text("method"); m != "" && m != "GET" {
		r.omit(where, "method", "plat visits pages with GET only")
	}
	if p := w.text("processor"); p != "" && p != "text_json_diff" {
		r.omit(where, "processor", "%q: plat follows lists and texts", p)
	}
	for _, kind := range []string{"added", "removed", "replaced"} {
		if name := "filter_text_" + kind; string(w[name]) == "false" {
			r.omit(where, name, "choose kinds of items for the subscription")
		}
	}
	var unknown []string
	for _, name := range sortedKeys(w) {
		switch reason := reasons[name]; {
		case w.empty(name) || slices.Contains(state, name):
		case reason != "":
			r.omit(where, name, "%s", reason)
		default:
			unknown = append(unknown, line(name, 40))
		}
	}
	if len(unknown) > 0 {
		r.omit(where, strings.Join(unknown, ", "), "plat does not know it")
	}
}

// selectors reports that selectors, such as CSS selectors, are not taken over.
func (r *reader) selectors(where, name string, w watch) {
	for _, s := range w.texts(name) {
		if s = strings.TrimSpace(s); s != "" {
			r.omit(where, name, "%q: plat finds lists automatically; to follow a part of the page choose its blocks", line(s, 200))
		}
	}
}

var scheme = regexp.MustCompile(`^([a-z][a-z0-9+-]{0,20})://`)

// services reports the notification services by name. Their URLs contain secrets.
func (r *reader) services(where string, w watch) {
	urls := w.texts("notification_urls")
	var names []string
	for _, u := range urls {
		name := "another"
		if m := scheme.FindStringSubmatch(strings.ToLower(strings.TrimSpace(u))); m != nil {
			name = m[1]
		}
		names = append(names, name)
	}
	slices.Sort(names)
	if names = slices.Compact(names); len(names) > 0 {
		r.omit(where, "notification_urls", "%d (%s): set channels by hand; their secrets are not read", len(urls), strings.Join(names, ", "))
	}
}

// interval returns the time between checks of a page, or 0 if it is not given.
func interval(w watch) time.Duration {
	var d time.Duration
	for name, unit := range map[string]time.Duration{"weeks": 7 * 24 * time.Hour, "days": 24 * time.Hour, "hours": time.Hour, "minutes": time.Minute, "seconds": time.Second} {
		if n := w.number(name); n > 0 && n < 1e5 {
			d += time.Duration(n * float64(unit))
		}
	}
	return d
}
