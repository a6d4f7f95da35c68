package article

import (
	"testing"

	"plat/plat"
)

// TestThreadsOfForums: as the templates of forum software mark them; a list of threads is none.
func TestThreadsOfForums(t *testing.T) {
	post := "<p>" + first + "</p><p>" + second + "</p>"
	for page, want := range map[string]bool{
		`<html data-template="thread_view"><body>` + post:                                    true,
		`<html data-template="forum_view"><body>` + post:                                     false,
		`<body><article class="message message--post js-post">` + post + `</article>`:        true,
		`<body><div class="message message--post">` + post + `</div>`:                        false,
		`<body><ol class="messageList" id="messageList"><li>` + post + `</li></ol>`:          true,
		`<body id="phpbb" class="nojs notouch section-viewtopic ltr">` + post:                true,
		`<body id="phpbb" class="nojs notouch section-viewforum ltr">` + post:                false,
		`<body class="bbpress single single-topic postid-7">` + post:                         true,
		`<body><div id="postlist">` + post + `</div>`:                                        true,
		`<body><ul component="topic" class="posts">` + post + `</ul>`:                        true,
		`<body data-pagemodule="forums" data-pagecontroller="topic">` + post:                 true,
		`<body data-pagemodule="forums" data-pagecontroller="index">` + post:                 false,
		`<body><div data-pagemodule="forums" data-pagecontroller="topic">` + post + `</div>`: false,
	} {
		if got := read(rendered(t, page), false).declare().forum; got != want {
			t.Errorf("%.90s: %t", page, got)
		}
	}
	text := leaves(part("<div>"+post+"</div>", plat.RoleContent, plat.LabelMain))
	if got := Read(rendered(t, `<html data-template="thread_view"><body><h1>Pier</h1><time datetime="2026-05-03T10:00:00+0100">May 3, 2026</time>`+post), text); got.Kind != plat.KindForum || got.Date != "2026-05-03" {
		t.Errorf("a thread is a %s of %q", got.Kind, got.Date)
	}
}
