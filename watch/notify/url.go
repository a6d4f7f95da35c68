package notify

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/mail"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// maxURL is the longest channel URL, in bytes, before and after expansion of its secrets.
const maxURL = 16 << 10

// A reference to a secret: $NAME, $file:PATH, or either in braces. A path without braces
// ends where a character could belong to the URL.
var reference = regexp.MustCompile(`^\$(?:(file):([A-Za-z0-9._/-]+)|\{file:([^{}$]+)\}|([A-Za-z_][A-Za-z0-9_]*)|\{([A-Za-z_][A-Za-z0-9_]*)\})`)

// ref names a secret; it may be shown.
type ref struct{ from, name string }

func (r ref) String() string {
	if r.from == "file" {
		return "$file:" + r.name
	}
	return "$" + r.name
}

// secretOf looks up the value of a reference.
type secretOf func(from, name string) (string, error)

// expand replaces the references in s by encode(value) and returns the values.
func expand(s string, lookup secretOf, encode func(string) string) (string, []string, error) {
	var b strings.Builder
	var values []string
	for {
		i := strings.IndexByte(s, '$')
		if i < 0 {
			b.WriteString(s)
			return b.String(), values, nil
		}
		b.WriteString(s[:i])
		m := reference.FindStringSubmatch(s[i:])
		if m == nil {
			return "", values, &badURL{"a $ names no secret; write $NAME or $file:PATH, and %24 for the character itself"}
		}
		r := ref{"env", m[4] + m[5]}
		if r.name == "" {
			r = ref{"file", m[2] + m[3]}
		}
		if lookup == nil {
			return "", values, &badURL{"secrets by reference are not available here"}
		}
		v, err := lookup(r.from, r.name)
		if err == nil && v == "" {
			err = errors.New("it is empty")
		}
		if err != nil {
			return "", values, fmt.Errorf("read the secret %v: %w", r, err)
		}
		values = append(values, v)
		b.WriteString(encode(v))
		s = s[i+len(m[0]):]
	}
}

// badURL is an error that requires a change of the channel URL or of a setting.
type badURL struct{ what string }

func (e *badURL) Error() string { return e.what }

// target is a parsed channel URL with expanded secrets.
type target struct {
	way      way
	scheme   string
	url      *url.URL // nil for a command
	unsigned bool     // webhook
	keys     [][]byte // webhook: signing keys, the current one first
	from     *mail.Address
	to       []*mail.Address
	noTLS    bool     // mail: tls=none
	command  []string // program and arguments
	hidden   *hidden
}

// way is the kind of a channel.
type way int

const (
	byWebhook way = iota + 1
	byMail
	byService
	byCommand
)

// schemeOf returns the scheme of a channel URL in lower case, or the empty string.
func schemeOf(raw string) string {
	scheme, _, ok := strings.Cut(raw, ":")
	if !ok || scheme == "" {
		return ""
	}
	for i, r := range scheme {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || i > 0 && (r >= '0' && r <= '9' || r == '+' || r == '-' || r == '.')) {
			return ""
		}
	}
	return strings.ToLower(scheme)
}

// parse parses a channel URL. The error contains no part of it. The hidden field of the result
// is set even if there is an error.
func parse(raw string, lookup secretOf) (*target, error) {
	t := &target{scheme: schemeOf(raw), hidden: &hidden{}}
	if len(raw) > len(t.scheme)+len("://")+minHidden {
		t.hidden.add(raw)
	}
	switch {
	case len(raw) > maxURL:
		return t, &badURL{fmt.Sprintf("the channel URL has more than %d bytes", maxURL)}
	case t.scheme == "":
		return t, &badURL{"the channel URL has no scheme; write https://…, smtp://…, command:/… or the URL of a service"}
	case strings.IndexFunc(raw, unicode.IsControl) >= 0:
		return t, &badURL{"the channel URL contains a control character"}
	}
	if t.scheme == "command" {
		return t, t.readCommand(raw[len("command:"):], lookup)
	}
	encode := escape
	if t.scheme == "telegram" {
		// Telegram's tokens are "number:letters", which the library reads as user and password.
		encode = func(s string) string { return strings.ReplaceAll(escape(s), "%3A", ":") }
	}
	full, values, err := expand(raw, lookup, encode)
	t.hidden.add(values...)
	if err != nil {
		return t, err
	}
	t.hidden.add(full)
	if len(full) > maxURL {
		return t, &badURL{fmt.Sprintf("the channel URL has more than %d bytes with its secrets", maxURL)}
	}
	if t.url, err = url.Parse(full); err != nil {
		t.url = nil
		return t, &badURL{"the channel URL cannot be parsed; percent-encode special characters in its parts"}
	}
	t.hideParts()
	switch t.scheme {
	case "http", "https":
		return t, t.readWebhook()
	case "smtp", "smtps":
		return t, t.readMail()
	}
	return t, t.readService()
}

// escape percent-encodes all but RFC 3986's unreserved characters, so that a value keeps
// its meaning in any part of a URL.
func escape(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }

// hideParts hides all parts of the URL that may be secret.
func (t *target) hideParts() {
	u := t.url
	if p, ok := u.User.Password(); ok {
		t.hidden.add(p, base64.StdEncoding.EncodeToString([]byte(u.User.Username()+":"+p)))
	}
	// The following parts may be secret.
	may := []string{u.RawQuery, u.Fragment}
	if !strings.HasPrefix(t.scheme, "smtp") {
		may = append(may, u.User.Username())
	}
	if !knownHost[t.scheme] {
		may = append(may, u.Hostname()) // some services have their token there
	}
	for key, values := range u.Query() {
		if !openQuery[key] {
			may = append(may, values...)
		}
	}
	for _, s := range append(may, strings.Split(u.EscapedPath(), "/")...) {
		if len(s) >= minHidden && !openWords[strings.ToLower(s)] {
			t.hidden.add(s)
		}
	}
}

// knownHost lists the schemes whose host is a server, so that it may be shown.
var knownHost = map[string]bool{
	"http": true, "https": true, "smtp": true, "smtps": true,
	"bark": true, "gotify": true, "matrix": true, "mattermost": true, "ntfy": true, "rocketchat": true, "signal": true, "zulip": true,
	"googlechat": true, "lark": true, "opsgenie": true, "pagerduty": true, "telegram": true,
}

// openQuery lists parameters that are not secret under any scheme.
var openQuery = map[string]bool{"from": true, "to": true, "tls": true, "disableTLS": true, "disabletls": true, "scheme": true}

// readWebhook reads the signing secrets from the fragment, which is never sent.
func (t *target) readWebhook() error {
	t.way = byWebhook
	fragment := t.url.Fragment
	t.url.Fragment, t.url.RawFragment = "", ""
	switch {
	case t.url.Hostname() == "" || t.url.Opaque != "":
		return &badURL{"the webhook's URL has no host"}
	case fragment == "":
		return &badURL{"the webhook has no signing secret; add #$NAME to its URL, or #unsigned"}
	case fragment == "unsigned":
		t.unsigned = true
		return nil
	}
	for secret := range strings.SplitSeq(fragment, ",") {
		secret = strings.TrimSpace(secret)
		t.hidden.add(secret, strings.TrimPrefix(secret, secretPrefix))
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, secretPrefix))
		if err != nil || !strings.HasPrefix(secret, secretPrefix) || len(key) < minKey || len(key) > maxKey {
			return &badURL{fmt.Sprintf("a signing secret is not %s and %d to %d bytes in base64; make one with: echo %s$(head -c 32 /dev/urandom | base64)", secretPrefix, minKey, maxKey, secretPrefix)}
		}
		t.keys = append(t.keys, key)
	}
	return nil
}

// Lengths of signing keys, in bytes: Standard Webhooks, "Signature scheme".
const (
	secretPrefix = "whsec_"
	minKey       = 24
	maxKey       = 64
)

func (t *target) readMail() error {
	t.way = byMail
	q, err := url.ParseQuery(t.url.RawQuery)
	if err != nil {
		return &badURL{"the mail server's URL has a query that cannot be parsed"}
	}
	for key := range q {
		if !slices.Contains([]string{"from", "to", "tls"}, key) {
			return &badURL{"the mail server's URL has an unknown parameter; it knows from, to and tls"}
		}
	}
	if t.url.Hostname() == "" || t.url.Opaque != "" || strings.Trim(t.url.Path, "/") != "" {
		return &badURL{"the mail server's URL is not smtp://user:password@host:port/?from=…&to=…"}
	}
	if t.from, err = mail.ParseAddress(q.Get("from")); err != nil {
		return &badURL{"the mail server's URL has no valid address in from="}
	}
	for _, list := range q["to"] {
		to, err := mail.ParseAddressList(list)
		if err != nil {
			return &badURL{"the mail server's URL has no valid addresses in to="}
		}
		t.to = append(t.to, to...)
	}
	if len(t.to) == 0 || len(t.to) > maxRecipients {
		return &badURL{fmt.Sprintf("the mail server's URL needs 1 to %d addresses in to=", maxRecipients)}
	}
	switch q.Get("tls") {
	case "":
	case "none":
		t.noTLS = t.scheme == "smtp"
	default:
		return &badURL{"tls= can only be none"}
	}
	return nil
}

// maxRecipients is the number that every server has to accept, RFC 5321 section 4.5.3.1.8.
const maxRecipients = 100

func (t *target) readCommand(rest string, lookup secretOf) error {
	t.way = byCommand
	for _, field := range strings.Fields(rest) {
		full, values, err := expand(field, lookup, escape)
		t.hidden.add(values...)
		if err != nil {
			return err
		}
		arg, err := url.PathUnescape(full)
		if err != nil {
			return &badURL{"the command has an invalid percent escape; write %25 for %"}
		}
		if strings.ContainsRune(arg, 0) {
			return &badURL{"the command contains a zero byte"}
		}
		if len(t.command) > 0 && len(arg) >= minHidden {
			t.hidden.add(arg)
		}
		t.command = append(t.command, arg)
	}
	if len(t.command) == 0 || !filepath.IsAbs(t.command[0]) {
		return &badURL{"the command is not command:/path/to/program argument …"}
	}
	return nil
}

// Redacted returns a channel URL for display, without passwords, tokens, paths and values of
// queries. References such as $NAME are shown, because they are not secret.
func Redacted(raw string) string {
	scheme := schemeOf(raw)
	rest := strings.TrimPrefix(raw[min(len(raw), len(scheme)+1):], "//")
	if scheme == "" {
		return mask
	}
	if scheme == "command" {
		fields := strings.Fields(rest)
		for i, f := range fields {
			if fields[i] = shown(f); i > 0 || !strings.HasPrefix(f, "/") {
				fields[i] = redactedPart(f)
			}
		}
		return "command:" + strings.Join(fields, " ")
	}
	rest, fragment, hasFragment := strings.Cut(rest, "#")
	rest, query, _ := strings.Cut(rest, "?")
	// References to files contain slashes, so the userinfo is cut off first.
	user, host, hasUser := "", rest, false
	if i := strings.LastIndexByte(rest, '@'); i >= 0 {
		user, host, hasUser = rest[:i], rest[i+1:], true
	}
	host, path, hasPath := strings.Cut(host, "/")
	if strings.Contains(withoutReferences(user), "/") || strings.Contains(fragment, "@") || strayAt(query) {
		return scheme + "://" + mask // the parts cannot be separated safely
	}
	var b strings.Builder
	b.WriteString(scheme + "://")
	if hasUser {
		name, password, both := cutUser(user)
		if strings.HasPrefix(scheme, "smtp") && both {
			b.WriteString(shown(name))
		} else {
			b.WriteString(redactedPart(name))
		}
		if both {
			b.WriteString(":" + redactedPart(password))
		}
		b.WriteString("@")
	}
	if knownHost[scheme] && plainHost.MatchString(host) {
		b.WriteString(host)
	} else {
		b.WriteString(redactedPart(host))
	}
	if hasPath {
		b.WriteString("/" + redactedPart(path))
	}
	for i, pair := range strings.FieldsFunc(query, func(r rune) bool { return r == '&' || r == ';' }) {
		key, value, has := strings.Cut(pair, "=")
		b.WriteString(map[bool]string{true: "?", false: "&"}[i == 0])
		switch {
		case !has || !plainKey.MatchString(key):
			b.WriteString(redactedPart(pair))
		case openQuery[key] && strings.HasPrefix(scheme, "smtp"):
			if !strings.ContainsAny(value, "@$") {
				value = redactedPart(value) // not a mail address
			}
			b.WriteString(key + "=" + shown(value))
		default:
			b.WriteString(key + "=" + redactedPart(value))
		}
	}
	if hasFragment {
		parts := strings.Split(fragment, ",")
		for i, p := range parts {
			if parts[i] = redactedPart(p); p == "unsigned" {
				parts[i] = p
			}
		}
		b.WriteString("#" + strings.Join(parts, ","))
	}
	return b.String()
}

var (
	plainHost = regexp.MustCompile(`^(?:[\pL\pN._-]+|\[[0-9a-fA-F:.]+\])(?::[0-9]{1,5})?$`)
	plainKey  = regexp.MustCompile(`^[A-Za-z_-]{1,20}$`)
)

// cutUser divides userinfo at the colon before the password; "$file:PATH" contains one itself.
func cutUser(s string) (name, password string, both bool) {
	at := 0
	if m := reference.FindString(s); m != "" {
		at = len(m)
	}
	i := strings.IndexByte(s[at:], ':')
	if i < 0 {
		return s, "", false
	}
	return s[:at+i], s[at+i+1:], true
}

var anyReference = regexp.MustCompile(strings.TrimPrefix(reference.String(), "^"))

func withoutReferences(s string) string { return anyReference.ReplaceAllString(s, "") }

// strayAt reports whether a query has an @ outside of addresses of mail.
func strayAt(query string) bool {
	for pair := range strings.SplitSeq(query, "&") {
		if strings.Contains(pair, "@") && !strings.HasPrefix(pair, "from=") && !strings.HasPrefix(pair, "to=") {
			return true
		}
	}
	return false
}

// redactedPart returns a part of a URL if it is a reference, or else the mask.
func redactedPart(s string) string {
	if s == "" || reference.FindString(s) == s {
		return shown(s)
	}
	return mask
}

// shown returns s without characters that could harm a terminal, and of limited length.
func shown(s string) string {
	return line(s, 200)
}
