package notify

import (
	"regexp"
	"strings"

	"plat/plat/weburl"
)

// markup is the syntax that a service applies to texts. Texts of pages are escaped so that they
// appear literally: they cannot begin a link, picture, mention, heading or quotation.
type markup int

const (
	// plain: no markup. Addresses may become links, and @names mentions.
	plain markup = iota

	// entities: Slack's markup. Its three special characters are written as entities, see
	// https://docs.slack.dev/messaging/formatting-message-text.
	entities

	// backslashes: Markdown in which a backslash escapes any punctuation, as in CommonMark and
	// Discord.
	backslashes

	// lookalikes: any other markup. If characters cannot be escaped, or several parsers process
	// a text in turn, special characters are replaced by similar-looking ones.
	lookalikes
)

var (
	asEntities    = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
	asBackslashes = backslashed("\\`*_~[]()<>#|!:@&{}$")
	asLookalikes  = strings.NewReplacer("<", "‹", ">", "›", "[", "［", "]", "］", "`", "ˋ", "*", "∗", "~", "∼", "\\", "＼", "|", "ǀ", "$", "＄", "_", "＿")
)

// backslashed returns a replacer that puts a backslash before each of the characters.
func backslashed(characters string) *strings.Replacer {
	var pairs []string
	for _, c := range characters {
		pairs = append(pairs, string(c), `\`+string(c))
	}
	return strings.NewReplacer(pairs...)
}

// text escapes a line of a page for a markup.
func (m markup) text(s string) string {
	s = withoutMentions(s)
	switch m {
	case entities:
		return asEntities.Replace(s)
	case backslashes:
		return begin.ReplaceAllString(asBackslashes.Replace(s), `$1\$2`)
	case lookalikes:
		return begin.ReplaceAllString(asLookalikes.Replace(s), "$1\u200b$2")
	}
	return s
}

// begin matches the start of a heading, a list entry, a rule or a code block in Markdown.
var begin = regexp.MustCompile(`^(\d*)([-+#=.:])`)

// link returns an address for a markup: unchanged except for its special characters, which are
// percent-encoded.
func (m markup) link(raw string) string {
	if m == plain || raw == "" {
		return raw
	}
	if weburl.Resolve(raw) == "" {
		return ""
	}
	host := strings.Index(raw, weburl.Host(raw)) + len(weburl.Host(raw))
	raw = raw[:host] + asEscapes.Replace(raw[host:])
	raw = call.ReplaceAllString(raw, "%40$2")
	if m == entities {
		raw = asEntities.Replace(raw)
	}
	return raw
}

var asEscapes = strings.NewReplacer("`", "%60", "*", "%2A", "[", "%5B", "]", "%5D", "(", "%28", ")", "%29", "|", "%7C", "\\", "%5C", "{", "%7B", "}", "%7D", "$", "%24", "'", "%27")

var (
	// call matches mentions of a whole group.
	call = regexp.MustCompile(`(?i)(@)(everyone|here|channel|all|room|team|group)`)

	// mention matches a mention such as "@alice", but not a mail address. special matches
	// Slack's <!channel> and Discord's <@1>.
	mention = regexp.MustCompile(`(^|[^\p{L}\p{N}_.+-])@([\p{L}\p{N}_*&])`)
	special = regexp.MustCompile(`<([!@#])`)
)

// withoutMentions breaks mentions with a zero-width space.
func withoutMentions(s string) string {
	s = call.ReplaceAllString(s, "$1\u200b$2")
	s = mention.ReplaceAllString(s, "$1@\u200b$2")
	return special.ReplaceAllString(s, "<\u200b$1")
}
