package watch

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// post is an entry of a test's page.
type post struct {
	title, path, date string // date as in 2026-03-09
	text              string
}

var long = strings.Split(`The river is higher than it has been for years, and the mill may close.|We asked five bakers what they put into their rye bread.|`+
	`A short report from the meeting on Tuesday, with all votes.|Why the old bridge will be closed for repair in summer.|`+
	`Notes on a visit to the observatory, which is open again.|The library has longer hours from next month on.|`+
	`How the new tram line will change the market square.|Three gardens worth a walk in the last week of spring.|`+
	`What the council has decided about the swimming pool.|Photographs of the flood, taken from the church tower.|`+
	`An interview with the keeper of the lighthouse.|The choir sings twice this week, and entry is free.`, "|")

// posts returns the entries of the first check, the newest first.
func posts() []post {
	titles := []string{"High water at the mill", "Rye bread compared by five bakers", "Votes of the council meeting", "Old bridge closed for repair",
		"Observatory opens its dome again", "Longer hours for the library", "Tram line across the market square", "Three gardens for a walk",
		"Swimming pool gets a new roof"}
	var out []post
	for i, title := range titles {
		out = append(out, post{title, "/news/" + strings.ReplaceAll(strings.ToLower(title), " ", "-"), fmt.Sprintf("2026-03-%02d", 28-3*i), long[i]})
	}
	return out
}

var (
	fresh = post{"Lighthouse keeper retires in autumn", "/news/lighthouse-keeper", "2026-03-29", long[10]}
	other = post{"Choir concert with free entry", "/news/choir-concert", "2026-03-30", long[11]}
)

var months = strings.Fields("January February March April May June July August September October November December")

// spelled returns a date as it appears in text.
func spelled(iso string) string {
	var y, m, d int
	fmt.Sscanf(iso, "%d-%d-%d", &y, &m, &d)
	return fmt.Sprintf("%d %s %d", d, months[m-1], y)
}

// shape is a way to show a list of posts.
type shape struct {
	name   string
	page   func(p []post, redesign bool) string
	noURL  bool // entries have no address
	noDate bool
	title  func(p post) string // if it differs from the post's
}

const menu = `<nav><ul><li><a href="/">Home</a></li><li><a href="/news/">News</a></li><li><a href="/about">About us</a></li><li><a href="/contact">Contact</a></li><li><a href="/shop">Our shop</a></li></ul></nav>`
const foot = `<footer><ul><li><a href="/imprint">Imprint</a></li><li><a href="/privacy">Privacy policy</a></li><li><a href="/terms">Terms of use</a></li><li><a href="/jobs">Work with us</a></li><li><a href="https://social.test/us">Follow us</a></li></ul></footer>`

// frame puts a list between a menu and a footer.
func frame(list string, redesign bool) string {
	top := menu
	if redesign {
		top = strings.Replace(menu, `<li><a href="/shop">`, `<li><a href="/events-calendar">Calendar of events</a></li><li><a href="/shop">`, 1)
		list = `<div class="outer-wrap"><div>` + list + `</div></div>`
	}
	return `<!DOCTYPE html><html><head><title>News</title></head><body><header><a href="/">The Mill Gazette</a></header>` + top + `<main><h1>News</h1>` + list + `</main>` + foot + `</body></html>`
}

func either(redesign bool, a, b string) string {
	if redesign {
		return b
	}
	return a
}

// each writes a piece of HTML for each post.
func each(ps []post, write func(p post) string) string {
	var b strings.Builder
	for _, p := range ps {
		b.WriteString(write(p))
	}
	return b.String()
}

var shapes = []shape{
	{name: "blog with headings, dates and excerpts", page: func(ps []post, re bool) string {
		return frame(each(ps, func(p post) string {
			return `<article class="` + either(re, "post", "entry card") + `"><h2><a href="` + p.path + `">` + p.title + `</a></h2><p class="meta">` +
				either(re, `Posted on `+spelled(p.date), `<time datetime="`+p.date+`">`+p.date+`</time>`) + ` by Ada</p><p>` + p.text + `</p><a class="more" href="` + p.path + `">Read more</a></article>`
		}), re)
	}},
	{name: "cards in rows of three", page: func(ps []post, re bool) string {
		out := ""
		for row := range slices.Chunk(ps, 3) {
			out += `<div class="` + either(re, "row", "grid") + `">` + each(row, func(p post) string {
				return `<div class="` + either(re, "card", "tile") + `"><a href="` + p.path + `"><img src="/i.png" alt=""><h3>` + p.title + `</h3></a><p>` + p.text + `</p><span class="date">` + either(re, spelled(p.date), p.date) + `</span></div>`
			}) + `</div>`
		}
		return frame(out, re)
	}},
	{name: "date and link in list items", page: func(ps []post, re bool) string {
		return frame(`<ul class="`+either(re, "archive", "posts")+`">`+each(ps, func(p post) string {
			return `<li><span>` + either(re, spelled(p.date), p.date) + `</span> » <a href="` + p.path + `">` + p.title + `</a></li>`
		})+`</ul>`, re)
	}},
	{name: "plain links in list items", noDate: true, page: func(ps []post, re bool) string {
		return frame(`<ul class="`+either(re, "a", "b")+`">`+each(ps, func(p post) string {
			return `<li><a href="` + p.path + `">` + p.title + `</a></li>`
		})+`</ul>`, re)
	}},
	{name: "links around heading and text", page: func(ps []post, re bool) string {
		return frame(each(ps, func(p post) string {
			return `<a class="` + either(re, "story", "teaser") + `" href="` + p.path + `"><h3>` + p.title + `</h3><p>` + p.text + `</p><time datetime="` + p.date + `T08:00:00Z">` + either(re, "recently", spelled(p.date)) + `</time></a>`
		}), re)
	}},
	{name: "headings and what follows them", page: func(ps []post, re bool) string {
		return frame(each(ps, func(p post) string {
			return `<h2` + either(re, "", ` class="t"`) + `><a href="` + p.path + `">` + p.title + `</a></h2><p>` + either(re, spelled(p.date), p.date) + `</p><p>` + p.text + `</p>`
		}), re)
	}},
	{name: "terms and descriptions", page: func(ps []post, re bool) string {
		return frame(`<dl>`+each(ps, func(p post) string {
			return `<dt><a href="` + p.path + `">` + p.title + `</a></dt><dd>` + either(re, spelled(p.date), p.date) + ` ` + p.text + `</dd>`
		})+`</dl>`, re)
	}},
	{name: "table with a header", page: func(ps []post, re bool) string {
		return frame(`<table class="`+either(re, "x", "y")+`"><thead><tr><th>Subject</th><th>Date</th><th>Note</th></tr></thead><tbody>`+each(ps, func(p post) string {
			return `<tr><td><a href="` + p.path + `">` + p.title + `</a></td><td>` + either(re, spelled(p.date), p.date) + `</td><td>` + p.text + `</td></tr>`
		})+`</tbody></table>`, re)
	}},
	{name: "table without a header or links", noURL: true, page: func(ps []post, re bool) string {
		return frame(`<table>`+each(ps, func(p post) string {
			return `<tr><td>` + p.title + `</td><td>` + either(re, spelled(p.date), p.date) + `</td><td>room 4</td></tr>`
		})+`</table>`, re)
	}},
	{name: "elements of the site's own", page: func(ps []post, re bool) string {
		return frame(each(ps, func(p post) string {
			return `<news-item><h3><a href="` + p.path + `">` + p.title + `</a></h3><div>` + either(re, spelled(p.date), p.date) + `</div></news-item>`
		}), re)
	}},
	{name: "figures whose images say the title", noDate: true, page: func(ps []post, re bool) string {
		return frame(`<div class="`+either(re, "grid", "films")+`">`+each(ps, func(p post) string {
			return `<figure><a href="` + p.path + `"><img src="/p.jpg" alt="` + p.title + `"></a><figcaption><a href="` + p.path + `">` + p.title + `</a></figcaption></figure>`
		})+`</div>`, re)
	}},
	{name: "pictures only", noDate: true, page: func(ps []post, re bool) string {
		return frame(`<ul class="`+either(re, "grid", "films")+`">`+each(ps, func(p post) string {
			return `<li><a href="` + p.path + `"><img src="/p.jpg" alt="` + p.title + `"></a></li>`
		})+`</ul>`, re)
	}},
	{name: "history of updates", noURL: true, title: func(p post) string { return spelled(p.date) + " " + p.text }, page: func(ps []post, re bool) string {
		return frame(`<h2>Updates</h2><ol class="`+either(re, "u", "v")+`">`+each(ps, func(p post) string {
			return `<li><time datetime="` + p.date + `T10:00:00+00:00">` + spelled(p.date) + `</time><p>` + p.text + `</p></li>`
		})+`</ol>`, re)
	}},
	{name: "threads of a forum", noDate: true, page: func(ps []post, re bool) string {
		return frame(`<div class="`+either(re, "threads", "topics")+`">`+each(ps, func(p post) string {
			return `<div class="thread"><a class="title" href="` + p.path + `">` + p.title + `</a> <span>` + fmt.Sprint(len(ps)*7+len(p.title)) + ` replies</span> <span>last by ada 5 minutes ago</span></div>`
		})+`</div>`, re)
	}},
	{name: "paragraphs with a strong date", page: func(ps []post, re bool) string {
		return frame(each(ps, func(p post) string {
			return `<p class="` + either(re, "n", "m") + `"><strong>` + either(re, spelled(p.date), p.date) + `</strong> <a href="` + p.path + `">` + p.title + `</a></p>`
		}), re)
	}},
	{name: "right to left", page: func(ps []post, re bool) string {
		return strings.Replace(frame(`<ul class="`+either(re, "r", "s")+`">`+each(ps, func(p post) string {
			return `<li><a href="` + p.path + `">خبر ` + p.title + `</a> <time datetime="` + p.date + `">` + spelled(p.date) + `</time></li>`
		})+`</ul>`, re), "<html", `<html dir="rtl" lang="ar"`, 1)
	}, title: func(p post) string { return "خبر " + p.title }},
	{name: "Chinese with dates in brackets", page: func(ps []post, re bool) string {
		return frame(`<ul class="`+either(re, "r", "s")+`">`+each(ps, func(p post) string {
			return `<li><a href="` + p.path + `">关于` + p.title + `的通知</a><span>[` + p.date + `]</span></li>`
		})+`</ul>`, re)
	}, title: func(p post) string { return "关于" + p.title + "的通知" }},
}

// called returns the title of a post.
func (s *shape) called(p post) string {
	if s.title != nil {
		return s.title(p)
	}
	return p.title
}

// told returns the expected report on a post.
func (s *shape) told(kind string, p post) string {
	out := kind + " " + s.called(p)
	if !s.noURL {
		out += " <" + p.path + ">"
	}
	if !s.noDate && kind != "removed" {
		out += " " + p.date
	}
	return out
}

func reversed(ps []post) []post {
	ps = slices.Clone(ps)
	slices.Reverse(ps)
	return ps
}

func with(ps []post, at int, p post) []post { return slices.Insert(slices.Clone(ps), at, p) }

func TestWhatIsToldOfAPage(t *testing.T) {
	edited := func(ps []post, at int) []post {
		ps = slices.Clone(ps)
		ps[at].title += " (corrected)"
		ps[at].text = "Corrected: " + ps[at].text
		return ps
	}
	all := posts()
	for _, s := range shapes {
		for _, tc := range []struct {
			name     string
			looks    [][]post // checks after the first
			redesign bool     // at the last check
			want     []string // report of the last check
		}{
			{"the same page tells nothing", [][]post{all, all}, false, nil},
			{"another order tells nothing", [][]post{reversed(all)}, false, nil},
			{"an entry that moved to the top tells nothing", [][]post{with(slices.Delete(slices.Clone(all), 5, 6), 0, all[5])}, false, nil},
			{"an entry at the top is new", [][]post{with(all, 0, fresh)}, false, []string{s.told("new", fresh)}},
			{"an entry in the middle is new", [][]post{with(all, 4, fresh)}, false, []string{s.told("new", fresh)}},
			{"an entry at the end is new", [][]post{with(all, len(all), fresh)}, false, []string{s.told("new", fresh)}},
			{"two entries are new", [][]post{with(with(all, 0, fresh), 0, other)}, false, []string{s.told("new", other), s.told("new", fresh)}},
			{"a new entry is told once", [][]post{with(all, 0, fresh), with(all, 0, fresh)}, false, nil},
			{"an entry that comes back is not new", [][]post{all[1:], with(all[2:], 0, fresh), with(all[1:], 0, fresh), with(all, 0, fresh)}, false, nil},
			{"what is pushed off the end is no news", [][]post{with(all[:len(all)-1], 0, fresh)}, false, []string{s.told("new", fresh)}},
			{"an entry that is gone from the middle is removed", [][]post{slices.Delete(slices.Clone(all), 4, 5)}, false, []string{s.told("removed", all[4])}},
			{"an edited title is no new entry", [][]post{edited(all, 3)}, false, []string{s.told("changed", edited(all, 3)[3]) + " was " + s.called(all[3])}},
			{"a redesign tells nothing", [][]post{all}, true, nil},
			{"an entry that comes with a redesign is new", [][]post{with(all, 0, fresh)}, true, []string{s.told("new", fresh)}},
		} {
			t.Run(s.name+"/"+tc.name, func(t *testing.T) {
				m := New()
				if told, broken := look(t, m, pageOf(t, pageURL, s.page(all, false))); len(told) > 0 || broken != "" {
					t.Fatalf("the first look tells %q, broken %q", told, broken)
				}
				for i, ps := range tc.looks {
					last := i == len(tc.looks)-1
					told, broken := look(t, m, pageOf(t, pageURL, s.page(ps, last && tc.redesign)))
					if broken != "" {
						t.Fatal(broken)
					}
					if last && !slices.Equal(told, tc.want) {
						t.Errorf("told\n%s\nwant\n%s", strings.Join(told, "\n"), strings.Join(tc.want, "\n"))
					}
				}
			})
		}
	}
}
