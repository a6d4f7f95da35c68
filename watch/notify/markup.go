package notify

import (
	"net/url"
	"regexp"
	"strings"
)

// markup is what a service makes of a text. Texts of pages are shown as they are: they begin no link, picture,
// mention, heading or quotation.
type markup int

const (
	// plain: none. Addresses may become links, and @names mentions.
	plain markup = iota

	// entities: Slack's. Its three characters with a meaning are written as entities, see
	// https://docs.slack.dev/messaging/formatting-message-text.
	entities

	// backslashes: Markdown in which a backslash takes the meaning of any punctuation, as in CommonMark and Discord's.
	backslashes

	// lookalikes: any other. Where there is no way to escape, or several parsers read a text one after the other,
	// the characters with a meaning are replaced by others that look like them.
	lookalikes
)

var (
	asEntities    = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
	asBackslashes = backslashed("\\`*_~[]()<>#|!:@&{}$")
	asLookalikes  = strings.NewReplacer("<", "‹", ">", "›", "[", "［", "]", "］", "`", "ˋ", "*", "∗", "~", "∼", "\\", "＼", "|", "ǀ", "$", "＄", "_", "＿")
)

// backslashed puts a backslash before each of some characters.
func backslashed(characters string) *strings.Replacer {
	var pairs []string
	for _, c := range characters {
		pairs = append(pairs, string(c), `\`+string(c))
	}
	return strings.NewReplacer(pairs...)
}

// text is a line of a page in a markup.
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

// begin matches what makes a line a heading, an entry of a list, a rule or a code block of Markdown.
var begin = regexp.MustCompile(`^(\d*)([-+#=.:])`)

// link is an address in a markup: as a reader would copy it, but for characters with a meaning there,
// which are percent-encoded.
func (m markup) link(raw string) string {
	if m == plain || raw == "" {
		return raw
	}
	u, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	host := strings.Index(raw, u.Host) + len(u.Host)
	raw = raw[:host] + asEscapes.Replace(raw[host:])
	raw = call.ReplaceAllString(raw, "%40$2")
	if m == entities {
		raw = asEntities.Replace(raw)
	}
	return raw
}

var asEscapes = strings.NewReplacer("`", "%60", "*", "%2A", "[", "%5B", "]", "%5D", "(", "%28", ")", "%29", "|", "%7C", "\\", "%5C", "{", "%7B", "}", "%7D", "$", "%24", "'", "%27")

var (
	// call is what services take for a call to many.
	call = regexp.MustCompile(`(?i)(@)(everyone|here|channel|all|room|team|group)`)

	// mention is a name that is called: "@alice", but not that of a mail address. special is Slack's <!channel>
	// and Discord's <@1>.
	mention = regexp.MustCompile(`(^|[^\p{L}\p{N}_.+-])@([\p{L}\p{N}_*&])`)
	special = regexp.MustCompile(`<([!@#])`)
)

// withoutMentions puts a zero-width space into what would be a mention.
func withoutMentions(s string) string {
	s = call.ReplaceAllString(s, "$1\u200b$2")
	s = mention.ReplaceAllString(s, "$1@\u200b$2")
	return special.ReplaceAllString(s, "<\u200b$1")
}
