package subscribe

import (
	"archive/zip"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"plat/expression"
	"plat/wording"
)

// export is what changedetection.io has exported: all of it in url-watches.json, or, since
// 2026, settings in changedetection.json and a folder for each watch and each group.
type export struct {
	watches map[string]watch // by UUID
	tags    map[string]watch // groups by UUID
	app     watch            // settings.application
}

func newExport() *export { return &export{watches: map[string]watch{}, tags: map[string]watch{}} }

// index takes up url-watches.json or changedetection.json. Files of single watches and groups
// are newer than what stands in it.
func (x *export) index(w watch) {
	put := func(into map[string]watch, from map[string]watch) {
		for uuid, w := range from {
			if _, ok := into[uuid]; !ok {
				into[uuid] = w
			}
		}
	}
	put(x.watches, w.objects("watching"))
	x.app = w.object("settings").object("application")
	put(x.tags, x.app.objects("tags"))
}

// readBackup reads a backup of changedetection.io.
func (r *Result) readBackup(file io.ReaderAt, size int64) error {
	r.Format = "backup of changedetection.io"
	directory := &limited{ReaderAt: file, left: maxDirectory}
	z, err := zip.NewReader(directory, size)
	if err != nil {
		return fmt.Errorf("%w: the backup cannot be opened: %w", ErrUnknown, err)
	}
	directory.left = -1
	x, list, unpacked := newExport(), "", int64(0)
	indexes := []watch{}
	for _, f := range z.File {
		folder, name := path.Base(path.Dir(f.Name)), path.Base(f.Name)
		if !slices.Contains([]string{"url-watches.json", "changedetection.json", "watch.json", "tag.json", "url-list.txt"}, name) {
			continue
		}
		raw, err := unpack(f)
		if err != nil {
			r.omit(f.Name, "", "%s", err)
			continue
		}
		if unpacked += int64(len(raw)); unpacked > maxUnpacked {
			return fmt.Errorf("%w: the backup has more than %d MB of settings", ErrUnknown, maxUnpacked>>20)
		}
		if name == "url-list.txt" {
			list = string(raw)
			continue
		}
		w, err := watchOf(raw)
		switch {
		case err != nil:
			r.omit(f.Name, "", "it is no JSON object: %s", err)
		case name == "watch.json":
			x.watches[folder] = w
		case name == "tag.json":
			x.tags[folder] = w
		default:
			indexes = append(indexes, w)
		}
	}
	for _, w := range indexes {
		x.index(w)
	}
	if len(x.watches) == 0 && list != "" {
		return r.readList(list)
	}
	return r.take(x)
}

// limited reads at most left bytes; any number if that is less than 0.
type limited struct {
	io.ReaderAt
	left int64
}

func (l *limited) ReadAt(b []byte, at int64) (int, error) {
	if l.left >= 0 {
		if l.left -= int64(len(b)); l.left < 0 {
			l.left = 0
			return 0, errors.New("it lists too many files")
		}
	}
	return l.ReaderAt.ReadAt(b, at)
}

// unpack reads a file of a backup.
func unpack(f *zip.File) ([]byte, error) {
	in, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer in.Close() // only read
	raw, err := io.ReadAll(io.LimitReader(in, MaxBytes+1))
	if err == nil && len(raw) > MaxBytes {
		err = fmt.Errorf("it is longer than %d MB", MaxBytes>>20)
	}
	return raw, err
}

// readExport reads a JSON object: a single watch, url-watches.json, or the watches by UUID
// that the API lists.
func (r *Result) readExport(w watch) error {
	x := newExport()
	switch {
	case w.text("url") != "":
		r.Format = "JSON"
		if r.watch("entry 1", w, nil) == 0 {
			return r.nothing()
		}
		return nil
	case w["watching"] != nil || w["settings"] != nil:
		r.Format = "url-watches.json of changedetection.io"
		x.index(w)
		if len(x.watches) == 0 {
			return fmt.Errorf("%w: there are only settings in it; give the backup, changedetection-backup-….zip", ErrUnknown)
		}
	default:
		r.Format = "list of the API of changedetection.io"
		for uuid, raw := range w {
			if one, err := watchOf(raw); err == nil && one.text("url") != "" {
				x.watches[uuid] = one
			}
		}
	}
	return r.take(x)
}

// take takes over what was exported.
func (r *Result) take(x *export) error {
	if len(x.watches) == 0 {
		return r.nothing()
	}
	const all = "all subscriptions"
	r.services(all, x.app)
	r.selectors(all, "global_subtractive_selectors", x.app)
	for _, uuid := range sortedKeys(x.tags) {
		t := x.tags[uuid]
		where := fmt.Sprintf("group %q", cmp.Or(t.text("title"), uuid))
		r.services(where, t)
		for _, name := range []string{"include_filters", "subtractive_selectors", "trigger_text", "ignore_text", "extract_text"} {
			if !t.empty(name) {
				r.omit(where, name, "subscriptions have settings of their own only")
			}
		}
	}
	uuids := sortedKeys(x.watches)
	slices.SortStableFunc(uuids, func(a, b string) int { return cmp.Compare(x.watches[a].text("url"), x.watches[b].text("url")) })
	for _, uuid := range uuids {
		w := x.watches[uuid]
		r.watch(cmp.Or(shown(w.text("url")), uuid), w, x)
	}
	return nil
}

// watch takes over one watch, or one line of JSON; it returns the number of its URLs that can be
// subscribed to.
func (r *Result) watch(where string, w watch, x *export) int {
	address := w.text("url")
	if strings.Contains(address, "{{") || strings.Contains(address, "{%") {
		r.omit(where, "", "its URL is a template; subscribe to what it becomes")
		return 0
	}
	if rest, ok := strings.CutPrefix(address, "source:"); ok {
		r.omit(where, "source:", "plat renders pages; changes of the source alone are no items")
		address = rest
	}
	s := r.subscription(where, address)
	if s == nil {
		return 0
	}
	s.Title, s.Group, s.Paused = line(w.text("title"), 500), line(w.text("group"), 500), w.flag("paused")
	s.Tags = r.tags(where, w, x)
	s.Match = r.patterns(where, "trigger_text", w, written)
	s.Except = r.patterns(where, "ignore_text", w, written)
	s.Match = append(s.Match, r.patterns(where, "match", w, compiled)...)
	s.Except = append(s.Except, r.patterns(where, "except", w, compiled)...)
	if x != nil {
		s.Paused = s.Paused || x.app.flag("all_paused")
		s.Except = append(s.Except, r.patterns(where, "global_ignore_text", x.app, written)...)
	}
	if n := w.number("depth"); n >= 1 && n <= 3 {
		s.Depth = int(n)
	} else if !w.empty("depth") {
		r.omit(where, "depth", "it is 1 to 3")
	}
	r.leftOut(where, w)
	r.add(where, s)
	return 1
}

// tags are the names of a watch's tags: those of groups that the export has, and those that
// are names themselves.
func (r *Result) tags(where string, w watch, x *export) []string {
	var names []string
	unknown := 0
	for _, t := range append(w.texts("tags"), strings.Split(w.text("tag"), ",")...) {
		t = strings.TrimSpace(t)
		switch {
		case x != nil && x.tags[t] != nil:
			names = append(names, x.tags[t].text("title"))
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

// Limits of texts that are looked for.
const (
	maxPatterns = 100
	maxPattern  = 1000 // bytes
)

// patterns are regular expressions of the texts that a field lists.
func (r *Result) patterns(where, name string, w watch, read func(string) (string, error)) []string {
	var all []string
	for _, text := range w.texts(name) {
		if strings.TrimSpace(text) == "" {
			continue
		}
		p, err := read(text)
		switch {
		case err != nil:
			r.omit(where, name, "%q: %s", line(text, 100), err)
		case len(p) > maxPattern:
			r.omit(where, name, "%q: it is longer than %d bytes", line(text, 100), maxPattern)
		case len(all) == maxPatterns:
			r.omit(where, name, "there are more than %d", maxPatterns)
			return all
		case !slices.Contains(all, p):
			all = append(all, p)
		}
	}
	return all
}

// enclosed is how changedetection.io writes regular expressions.
var enclosed = regexp.MustCompile(`(?s)^/(.*)/([a-z]*)$`)

// written is the regular expression of a text to look for in a line: itself, or what stands
// between slashes, with flags behind.
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
	return compiled(p)
}

func compiled(p string) (string, error) {
	_, err := expression.Compile("(?i)" + p)
	if err != nil {
		return "", fmt.Errorf("no regular expression of plat's (RE2, without lookaround and back references): %w", err)
	}
	return p, nil
}

// reasons says why fields are not taken over. What they hold is not shown: it may be secret.
var reasons = map[string]string{
	"extract_text":               "plat tells of items; a text pattern (match) chooses among them",
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
	"ignore_status_codes":        "plat tells of items on pages that were answered with success only",
}

// state are fields that are results, or switches for what plat does by itself.
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

// leftOut reports fields of a watch that say something plat does otherwise, or does not know.
func (r *Result) leftOut(where string, w watch) {
	for _, name := range []string{"include_filters", "css_filter", "xpath_filter", "subtractive_selectors"} {
		r.selectors(where, name, w)
	}
	r.services(where, w)
	if d := interval(w.object("time_between_check")); d > 0 && !w.flag("time_between_check_use_default") {
		r.omit(where, "time_between_check", "it was every %s; set it with plat schedule set URL --every %[1]s", short(d))
	}
	if w.object("time_schedule_limit").flag("enabled") {
		r.omit(where, "time_schedule_limit", "plat's schedules have no hours of the day; see digests for when you are told")
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

// selectors reports CSS selectors and the like.
func (r *Result) selectors(where, name string, w watch) {
	for _, s := range w.texts(name) {
		if s = strings.TrimSpace(s); s != "" {
			r.omit(where, name, "%q: plat finds lists by itself; to follow a part of the page choose its blocks", line(s, 200))
		}
	}
}

var scheme = regexp.MustCompile(`^([a-z][a-z0-9+-]{0,20})://`)

// services reports the services that were notified. Their URLs hold secrets.
func (r *Result) services(where string, w watch) {
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

// interval is how often a page was checked; 0 if that is not said.
func interval(w watch) time.Duration {
	var d time.Duration
	for name, unit := range map[string]time.Duration{"weeks": 7 * 24 * time.Hour, "days": 24 * time.Hour, "hours": time.Hour, "minutes": time.Minute, "seconds": time.Second} {
		if n := w.number(name); n > 0 && n < 1e5 {
			d += time.Duration(n * float64(unit))
		}
	}
	return d
}

// short is a duration as people write it: 26h, not 26h0m0s.
func short(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// watch is a JSON object whose fields may be of any type: formats have changed over the years.
type watch map[string]json.RawMessage

func watchOf(raw []byte) (w watch, err error) {
	if err := json.Unmarshal(raw, &w); err != nil {
		return nil, wording.JSON(err)
	}
	if w == nil {
		return nil, errors.New("it is null")
	}
	return w, nil
}

// text is a string, or "".
func (w watch) text(name string) (s string) {
	if json.Unmarshal(w[name], &s) != nil {
		return ""
	}
	return s
}

func (w watch) flag(name string) bool { return string(w[name]) == "true" }

// number is a number, also as a string of digits, or 0.
func (w watch) number(name string) (n float64) {
	raw := w[name]
	if s := w.text(name); s != "" {
		raw = json.RawMessage(s)
	}
	if json.Unmarshal(raw, &n) != nil {
		return 0
	}
	return n
}

// texts are the strings of a list, the keys of an object, or a string alone.
func (w watch) texts(name string) (all []string) {
	raw := w[name]
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil {
		for _, one := range list {
			var s string
			if json.Unmarshal(one, &s) == nil {
				all = append(all, s)
			}
		}
		return all
	}
	if s := w.text(name); s != "" {
		return []string{s}
	}
	return sortedKeys(w.object(name))
}

// object is the object under a name, or none.
func (w watch) object(name string) (o watch) {
	if json.Unmarshal(w[name], &o) != nil {
		return nil
	}
	return o
}

// objects are the objects in the object under a name.
func (w watch) objects(name string) map[string]watch {
	all := map[string]watch{}
	for key, raw := range w.object(name) {
		if o, err := watchOf(raw); err == nil {
			all[key] = o
		}
	}
	return all
}

// empty reports whether a field is missing or says nothing.
func (w watch) empty(name string) bool {
	switch strings.Join(strings.Fields(string(w[name])), "") {
	case "", "null", "false", `""`, "[]", "{}", "0", "0.0", `[""]`:
		return true
	}
	return false
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
