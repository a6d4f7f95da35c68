package article

import (
	"slices"
	"strings"

	"plat/plat"
)

// threadMarks are the attributes by which forum software marks its pages of a thread, by name: the elements and the words in it.
var threadMarks = map[string][]struct{ element, word string }{
	"class": {
		{"article", "message--post"},   // XenForo 2, in documents without their root
		{"ol", "messageList"},          // XenForo 1
		{"body", "thread_view"},        // XenForo 1
		{"body", "section-viewtopic"},  // phpBB 3
		{"body", "single-topic"},       // bbPress
		{"body", "archetype-regular"},  // Discourse
		{"body", "Section-Discussion"}, // Vanilla
		{"div", "PostStream"},          // Flarum
	},
	"component":     {{"div", "topic"}, {"ul", "topic"}}, // NodeBB
	"data-template": {{"html", "thread_view"}},           // XenForo 2
	"id": {
		{"div", "postlist"},                               // vBulletin 4, Discuz
		{"div", "forumposts"},                             // SMF
		{"div", "punviewtopic"}, {"div", "brd-viewtopic"}, // FluxBB, PunBB
	},
}

// isThread reports whether an element is one by which a page of forum software says that it is a thread.
func isThread(n *plat.Node) bool {
	for i := range n.Attrs {
		a := &n.Attrs[i]
		for _, m := range threadMarks[a.Name] {
			if n.Name == m.element && strings.Contains(a.Value, m.word) && slices.Contains(strings.Fields(a.Value), m.word) {
				return true
			}
		}
	}
	return invision(n)
}

// invision reports whether an element is the body of a topic in Invision Community.
func invision(n *plat.Node) bool {
	if n.Name != "body" {
		return false
	}
	module, _ := n.Attr("data-pagemodule")
	controller, _ := n.Attr("data-pagecontroller")
	return module == "forums" && controller == "topic"
}
