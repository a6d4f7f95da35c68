package web

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"plat/browser"
	"plat/export/replay"
	"plat/fixtures"
	"plat/plat"
)

// A look is a page whose replay must look as the page did. Its files are by path; "/" is the page. A
// file that begins with "->" is a redirect, and "type|" before a file is its media type. Lines in front of that,
// "Name: value\n", are fields of the header of its answer, and "Status: 407\n" is that.
type look struct {
	name  string
	files map[string]string
}

// square is a drawing of one colour.
func square(colour string) string {
	return `<svg xmlns="http://www.w3.org/2000/svg" width="60" height="40"><rect width="60" height="40" fill="` + colour + `"/></svg>`
}

const (
	green   = `.a{background:#1ec81e;width:200px;height:30px}`
	aBox    = `<div class=a></div>`
	pageTop = `<!doctype html><meta charset=utf-8><title>t</title><style>body{margin:0;font:20px sans-serif}</style>`
)

var looks = []look{
	// Which base counts.
	{"the first base", map[string]string{"/": pageTop + `<base href=one/><base href=two/><img src=a.svg><iframe srcdoc="<img src=b.svg>" style="border:0"></iframe>`, "/one/a.svg": square("red"), "/one/b.svg": square("blue"), "/two/a.svg": square("black")}},
	{"a base in a template", map[string]string{"/": pageTop + `<template><base href=two/></template><img src=a.svg>`, "/a.svg": square("red"), "/two/a.svg": square("black")}},
	{"a base in a shadow root", map[string]string{"/": pageTop + `<div id=h></div><script>h.attachShadow({mode:'open'}).innerHTML='<base href=two/><img src=a.svg>'</script>`, "/a.svg": square("red"), "/two/a.svg": square("black")}},
	{"pushState after loading", map[string]string{"/": pageTop + `<img src=a.svg><div id=h></div><script>onload=()=>{history.pushState(0,'','/deep/er/');const i=new Image();i.src='b.svg';h.append(i)}</script>`, "/a.svg": square("red"), "/deep/er/b.svg": square("blue")}},
	{"routes before the last", map[string]string{"/": pageTop + `<script>history.replaceState(1,"","/one/")</script><img src=a.svg><div style="background:url(b.svg);width:60px;height:40px"></div><iframe src=/f/f.html style="border:0"></iframe><script>onload=()=>history.replaceState(2,"","/two/")</script>`, "/one/a.svg": square("red"), "/one/b.svg": square("lime"), "/two/a.svg": square("black"), "/f/f.html": pageTop + `<base href=x/><img src=c.svg><script>onload=()=>document.querySelector('base').href='../y/'</script>`, "/f/x/c.svg": square("blue")}},
	{"a base that a script changes", map[string]string{"/": pageTop + `<base href=b1/><img src=a.svg><style>.c{background:url(c.svg);width:60px;height:40px}</style><div class=c></div><img id=late><script>setTimeout(()=>{document.querySelector("base").href="/b3/";late.src="i.svg"},100)</script>`, "/b1/a.svg": square("red"), "/b1/c.svg": square("lime"), "/b3/i.svg": square("blue")}},
	{"a base that a script removes", map[string]string{"/": pageTop + `<base href=b1/><base href=no2/><img src=a.svg><style>.c{background:url(c.svg);width:60px;height:40px}</style><div class=c></div><img id=late><script>const b=document.querySelector("base");setTimeout(()=>{b.remove();late.src="i.svg"},100)</script>`, "/b1/a.svg": square("red"), "/b1/c.svg": square("lime"), "/no2/i.svg": square("blue")}},
	{"a frame that was redirected", map[string]string{"/": pageTop + `<iframe src=/moved style="border:0"></iframe>`, "/moved": "->/there/page", "/there/page": pageTop + `<link rel=stylesheet href=s.css><div class=a>x</div>`, "/there/s.css": green}},
	{"a sheet that was redirected", map[string]string{"/": pageTop + `<link rel=stylesheet href=/latest.css>` + aBox, "/latest.css": "->/v2/x/s.css", "/v2/x/s.css": `@import "more.css";.a{background:url(a.svg);width:60px;height:40px}`, "/v2/x/a.svg": square("red"), "/v2/x/more.css": `body{background:#ddd}`}},
	{"a sheet that was redirected twice", map[string]string{"/": pageTop + `<link rel=stylesheet href=/a/1.css>` + aBox, "/a/1.css": "->/b/2.css", "/b/2.css": "->/c/3.css", "/c/3.css": `.a{background:url(../d/a.svg);width:60px;height:40px}`, "/d/a.svg": square("blue")}},

	{"queries in the encoding of the page", map[string]string{"/": "text/html; charset=windows-1251|<!doctype html><body style='margin:0'><img src='a.svg?\xf7\xe0\xe9'><img src='b.svg?|x'>", "/a.svg": square("red"), "/b.svg": square("blue")}},

	// Frames and objects.
	{"a frameset", map[string]string{"/": `<html><head><title>t</title></head><frameset cols="120,*" border=0><frame src=a.html><frame src=b.html></frameset></html>`, "/a.html": `<body bgcolor=red style="margin:0">left`, "/b.html": `<body bgcolor=lime style="margin:0">right`}},
	{"framesets in framesets", map[string]string{"/": `<html><head><title>t</title></head><frameset rows="30%,70%" border=0 frameborder=0><frame src=a.html><frameset cols="1*,2*" border=0><frame src=b.html><frame src=a.html></frameset></frameset></html>`, "/a.html": `<body bgcolor=red>a`, "/b.html": `<body bgcolor=lime>b`}},
	{"a frameset in a frame", map[string]string{"/": pageTop + `<iframe src=set.html width=300 height=200 style="border:0"></iframe>`, "/set.html": `<frameset cols="50%,50%" border=0><frame src=a.html><frame src=b.html></frameset>`, "/a.html": `<body bgcolor=red>a`, "/b.html": `<body bgcolor=blue>b`}},
	{"framesets that inherit no border", map[string]string{"/": `<html><head><title>t</title></head><frameset rows="100,*" frameborder=no><frame src=a.html><frameset cols="30%,*"><frame src=b.html><frameset rows="*,80" border=9><frame src=a.html><frame src=b.html></frameset></frameset></frameset></html>`, "/a.html": `<body bgcolor=red>a`, "/b.html": `<body bgcolor=lime>b`}},
	{"framesets that inherit a width", map[string]string{"/": `<html><head><title>t</title></head><frameset cols="200,*" border=0><frame src=a.html><frameset rows="50%,*"><frame src=b.html><frameset cols="*,80" frameborder=0><frame src=a.html><frame src=b.html></frameset></frameset></frameset></html>`, "/a.html": `<body bgcolor=red>a`, "/b.html": `<body bgcolor=lime>b`}},
	{"borders of framesets", map[string]string{"/": `<html><head><title>t</title></head><frameset cols="200,*" bordercolor=blue><frame src=a.html><frameset rows="300,*" border=12 frameborder=yes><frame src=b.html><frameset cols="*,80" bordercolor=yellow><frame src=a.html><frame src=b.html></frameset></frameset></frameset></html>`, "/a.html": `<body bgcolor=red>a`, "/b.html": `<body bgcolor=lime>b`}},
	{"a plain border of a frameset", map[string]string{"/": `<html><head><title>t</title></head><frameset cols="200,*"><frame src=a.html><frame src=b.html></frameset></html>`, "/a.html": `<body bgcolor=red>a`, "/b.html": `<body bgcolor=lime>b`}},
	{"a frame in quirks mode in a frameset in a frame", map[string]string{"/": pageTop + `<iframe src=set.html width=300 height=200 style="border:0"></iframe>`, "/set.html": `<frameset cols="50%,50%" border=0><frame src=a.html><frame src=b.html></frameset>`, "/a.html": `<body style="font-size:40px;margin:0"><table cellpadding=0 cellspacing=0><tr><td bgcolor=red>Forty</td></tr></table><div style="height:50%;background:lime">half`, "/b.html": `<!doctype html><body style="margin:0"><div style="width:80;height:20;background:red"></div>x<div style="width:80px;height:20px;background:blue"></div>`}},
	{"two frames of one document in quirks mode", map[string]string{"/": pageTop + `<iframe src=set.html width=380 height=300 style="border:0"></iframe>`, "/set.html": `<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Frameset//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-frameset.dtd"><html><frameset rows="*,60" frameborder=no><frameset cols="50%,*"><frame src=a.html name=a><frame src=a.html name=b></frameset><frame src=b.html></frameset></html>`, "/a.html": `<body style="font-size:40px;margin:0"><table cellpadding=0 cellspacing=0><tr><td bgcolor=red>Forty</td></tr></table><div style="height:50%;background:lime">half`, "/b.html": `<body bgcolor=blue>b`}},
	{"objects", map[string]string{"/": pageTop + `<object data=a.svg type=image/svg+xml width=60 height=40></object><embed src=b.svg width=60 height=40><object data=c.html width=100 height=50></object><object data=none.png>What is lost</object><object data=none.png type="image/png">and its type</object>`, "/a.svg": square("red"), "/b.svg": square("blue"), "/c.html": `<!doctype html><body style="margin:0;background:lime">c`}},
	// Chrome writes into the boxes that it cannot load them.
	{"plug-ins that are no more", map[string]string{"/": pageTop + `<style>object,embed{visibility:hidden}</style><p>a<embed src=a.swf>b<p><embed src="b.swf?x=1" width=200>c<embed src=c.swf style="width:70px;height:50%">d<object data=d.swf type=application/x-shockwave-flash width=88 height=31><param name=movie value=d.swf> </object>e<p><object classid="clsid:D27CDB6E-AE6D-11cf-96B8-444553540000" width=90 height=60><param name=movie value=e.swf><embed src=e.swf width=90 height=60 type="application/x-shockwave-flash"></object>f<p><object data=g.swf type="application/x-shockwave-flash"><img src=a.svg></object>g<object data=none.png width=200></object>h<embed src=h.pdf width=50 height=20>i`, "/a.svg": square("red")}},
	{"a frame in quirks mode", map[string]string{"/": pageTop + `<iframe src=old.html width=300 height=200 style="border:0"></iframe>`, "/old.html": `<body style="font-size:40px;margin:0"><img src=a.svg><table cellpadding=0 cellspacing=0><tr><td bgcolor=red>Forty</td></tr></table><div style="height:50%;background:lime">half`, "/a.svg": square("blue")}},
	{"quirks in quirks", map[string]string{"/": pageTop + `<iframe src=old.html width=300 height=200 style="border:0"></iframe>`, "/old.html": `<body style="margin:0"><div style="width:80;height:20;background:red"></div><iframe src=in.html style="border:0"></iframe>`, "/in.html": `<body style="margin:0"><div style="width:90;height:30;background:blue"></div><img src=a.svg>`, "/a.svg": square("lime")}},

	{"images that are not there", map[string]string{"/": pageTop + `<style>img{width:80px;border:1px solid red}</style><img src=none.png><p><img src=none2.png alt="A bridge" width=60><p><img alt=x>`}},
	{"images without an address", map[string]string{"/": pageTop + `a<img src="">b<img src=" ">c<img src="" alt="alternative">d<img>e<img srcset="">f`}},
	{"candidates that are not there", map[string]string{"/": pageTop + `<style>img{width:80px;border:1px solid red}</style><img src=a.svg srcset="none.png 1x"><p><img src=a.svg srcset="none2.png 80w, b.svg 4000w" sizes=80px alt="A bridge"><p><picture><source srcset=none3.png><img src=a.svg></picture><img src=b.svg>`, "/a.svg": square("red"), "/b.svg": square("blue")}},

	{"a candidate that is not there", map[string]string{"/": pageTop + `<img src=a.svg srcset="none.png 1x" alt="" width=60 height=40><img src=b.svg srcset="b.svg 1x, none2.png 9x"><picture><source srcset=none3.png><img src=a.svg width=60 height=40></picture>`, "/a.svg": square("red"), "/b.svg": square("blue")}},

	{"elements that scripts put into the head", map[string]string{"/": `<!doctype html><html><head><meta charset=utf-8><title>t</title><script>for(const n of ['iframe','img','div','p'])document.head.append(Object.assign(document.createElement(n),{src:'a.svg'}));document.head.append('text');document.querySelector('head div').append('also ',document.createElement('b'))</script><style>body{margin:0;background:#eee}body.x{font:20px sans-serif}</style></head><body class=x><p>p<img src=a.svg></body></html>`, "/a.svg": square("red")}},

	// What only scripts make.
	{"custom elements", map[string]string{"/": pageTop + `<style>:not(:defined){visibility:hidden} x-a:defined,x-b:defined{display:block;height:30px;background:red}</style><x-a>one</x-a><x-b>two</x-b><script>customElements.define('x-a',class extends HTMLElement{})</script>`}},
	{"custom elements by a sheet", map[string]string{"/": pageTop + `<link rel=stylesheet href=s.css><x-a>one</x-a><x-b>two</x-b><script>customElements.define('x-b',class extends HTMLElement{})</script>`, "/s.css": `x-a:not(:defined)~x-b{background:lime} x-b:defined{display:block;height:40px}`}},
	{"an animation that has ended", map[string]string{"/": pageTop + `<div id=r class=a style="opacity:0;background:red;height:40px">in</div><div id=s class=a style="background:blue;height:40px;transform:translateX(-999px)">in</div><script>r.animate([{opacity:0},{opacity:1}],{duration:90,fill:'forwards'});s.animate({transform:['translateX(-999px)','none']},{duration:90,fill:'both'})</script>`}},
	{"an animation in a shadow root", map[string]string{"/": pageTop + `<div id=h></div><script>const r=h.attachShadow({mode:'open'});r.innerHTML='<p style="opacity:0;background:red;margin:0">in';r.firstChild.animate([{opacity:0},{opacity:1}],{duration:50,fill:'forwards'})</script>`}},
	{"media that tell of scripts", map[string]string{"/": pageTop + `<style>@media (scripting:none){div{background:red}}@media (scripting: enabled) and (min-width:10px){p{background:lime}}</style><link rel=stylesheet href=s.css media="( scripting )"><p>p<div>d</div>`, "/s.css": `body{background:#eee}`}},
	{"sheets that scripts turn off", map[string]string{"/": pageTop + `<link rel=stylesheet href=on.css><link rel=stylesheet href=off.css id=l><style id=s>p{background:red}</style><p>p<div class=a>d</div><script>onload=()=>{l.sheet.disabled=true;s.sheet.disabled=true}</script>`, "/on.css": green, "/off.css": `.a{background:black!important}`}},
	{"media that scripts change", map[string]string{"/": pageTop + `<link rel=stylesheet href=on.css media=print id=l><style id=s media=screen>p{background:red}</style><p>p<div class=a>d</div><script>onload=()=>{l.sheet.media.mediaText='all';s.sheet.media.mediaText='print'}</script>`, "/on.css": green}},
	{"fonts that scripts make", map[string]string{"/": pageTop + `<p style="font:40px One">ABCD<p style="font:40px Two">ABCD<script>new FontFace('One','url(box.ttf)').load().then(f=>document.fonts.add(f));fetch('box.ttf?2').then(r=>r.arrayBuffer()).then(b=>{const f=new FontFace('Two',new Uint8Array(b));document.fonts.add(f)})</script>`}},

	// Pictures inside pictures.
	{"sprites", map[string]string{"/": pageTop + `<svg width=60 height=60><use href="s.svg#up"/></svg><svg width=60 height=60 style="color:lime"><use xlink:href="/s.svg#down"/></svg>`, "/s.svg": `<svg xmlns="http://www.w3.org/2000/svg"><symbol id="up" viewBox="0 0 10 10"><rect width="10" height="10" fill="red"/></symbol><symbol id="down" viewBox="0 0 10 10"><defs><linearGradient id="g"><stop stop-color="blue"/></linearGradient></defs><rect width="10" height="5" fill="url(#g)"/><rect y="5" width="10" height="5" fill="currentColor"/></symbol></svg>`}},
	{"images of data that scripts make", map[string]string{"/": pageTop + `<img id=i><div id=d style="width:60px;height:40px"></div><script>const u=c=>URL.createObjectURL(new Blob([` + "`" + `<svg xmlns="http://www.w3.org/2000/svg" width="60" height="40"><rect width="60" height="40" fill="${c}"/></svg>` + "`" + `],{type:'image/svg+xml'}));i.src=u('red');d.style.background='url('+u('blue')+')'</script>`}},
	{"selectors by address", map[string]string{"/": pageTop + `<style>a{display:block;width:200px;height:20px}a[href^="/"]{background:red}a[href^=http]{background:lime}a[href="x.html"]{background:blue}img[src^=a]{outline:4px solid}a:not([href]){background:black}a[target]{border:2px solid}</style><a href=/in>1</a><a href="http://other.test/">2</a><a href=x.html target=_blank>3</a><a href="mailto:a@b.test">4</a><a href="javascript:void 0">5</a><img src=a.svg>`, "/a.svg": square("red")}},
	{"selectors by address in a sheet", map[string]string{"/": pageTop + `<link rel=stylesheet href=s.css><a href=/in>1</a><a href=doc.pdf>2</a><img src=a.svg loading=lazy>`, "/s.css": `a{display:block;width:200px;height:20px} a[href$=".pdf"]{background:red} a[href^="/"]{background:lime} img[loading="lazy"]{outline:4px solid}`, "/a.svg": square("red")}},
	{"namespaces of sheets", map[string]string{"/": pageTop + `<link rel=stylesheet href=s.css><h1>h</h1><svg width=60 height=40><rect width=60 height=40 /></svg>`, "/s.css": `@namespace url(http://www.w3.org/1999/xhtml);@namespace s "http://www.w3.org/2000/svg";h1{background:red} s|rect{fill:lime}`}},
	{"sheets without a type", map[string]string{"/": `<html><head><link rel=stylesheet href=p.css><link rel=stylesheet href=o.css></head><body>` + aBox + `<p>p</p></body></html>`, "/p.css": "text/plain|" + green, "/o.css": "application/octet-stream|p{background:red}"}},
	{"drawings of odd programs", map[string]string{"/": pageTop + `<img src=a.svg><img src=b.svg>`, "/a.svg": `<?xml version="1.1" encoding="iso-8859-1"?>` + square("red"), "/b.svg": "\xef\xbb\xbf<?xml version='1.0'?>" + square("blue")}},
	{"data in upper case", map[string]string{"/": pageTop + `<img src=" DATA:image/svg+xml,` + url.PathEscape(square("red")) + `">`}},
	{"XHTML", map[string]string{"/": `application/xhtml+xml|<?xml version="1.0"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"><head><title>t</title><style>p > em { background: red }</style></head><body><p>a <em>b</em></p><svg xmlns="http://www.w3.org/2000/svg" width="60" height="40"><rect width="60" height="40" fill="lime"/></svg></body></html>`}},
}

// serveLook serves the files of a look.
func serveLook(t *testing.T, l *look) string {
	t.Helper()
	font, err := os.ReadFile(filepath.Join("..", "browser", "testdata", "box.ttf"))
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		file, ok := l.files[r.URL.Path]
		status, file := headed(w.Header(), file)
		kind := map[string]string{".css": "text/css", ".svg": "image/svg+xml"}[filepath.Ext(r.URL.Path)]
		if k, rest, own := strings.Cut(file, "|"); own && !strings.ContainsAny(k, "<> {") {
			kind, file = k, rest
		}
		switch to, moved := strings.CutPrefix(file, "->"); {
		case r.URL.Path == "/box.ttf":
			w.Header().Set("Content-Type", "font/ttf")
			w.Write(font)
		case !ok:
			http.NotFound(w, r)
		case moved:
			http.Redirect(w, r, to, http.StatusFound)
		default:
			if kind == "" {
				kind = "text/html; charset=utf-8"
			}
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(status)
			fmt.Fprint(w, file)
		}
	}))
	t.Cleanup(srv.Close)
	return srv.URL + "/"
}

// field matches a field in front of a file.
var field = regexp.MustCompile(`^([A-Z][A-Za-z-]+): (.*)\n`)

// headed sets the fields of the header that are in front of a file, and returns the status and the file.
func headed(h http.Header, file string) (status int, rest string) {
	status = http.StatusOK
	for m := field.FindStringSubmatch(file); m != nil; m = field.FindStringSubmatch(file) {
		if m[1] == "Status" {
			status, _ = strconv.Atoi(m[2])
		} else {
			h.Set(m[1], m[2])
		}
		file = file[len(m[0]):]
	}
	return status, file
}

// Replays of plat, and exports in a player, look as the page did, to the dot in plat's own browser, and in Chrome without
// plat by the colours of the live page.
func TestReplaysLookAsThePageDid(t *testing.T) {
	a := newArchiver(t, 400)
	srv := shown(t, a, Options{})
	bare := newEye(t, "")
	bare.window(400, 1024, 1)
	all := slices.Concat(looks, xmlLooks, moreLooks, refLooks, policyLooks, spriteLooks, objectLooks, frameLooks, stateLooks, textLooks)
	for _, name := range slices.Concat(alone, unsteady) {
		if !slices.ContainsFunc(all, func(l look) bool { return l.name == name }) {
			t.Errorf("there is no look %q", name)
		}
	}
	for i := range all {
		if !fixtures.Today(i, 3) {
			continue
		}
		l := &all[i]
		t.Run(l.name, func(t *testing.T) {
			u := serveLook(t, l)
			if _, err := a.worker.Visit(t.Context(), plat.Job{URL: u}); err != nil {
				t.Fatal(err)
			}
			canonical, v := a.latest(t, u)
			kept, err := a.store.Picture(t.Context(), v.Picture)
			if err != nil {
				t.Fatal(err)
			}
			was := picture(t, kept.Data)
			alone := slices.Contains(alone, l.name) || os.Getenv("PLAT_LONG") == "1" && !slices.Contains(unsteady, l.name)
			var live palette
			if alone {
				var unlike string
				if live, unlike = bare.looksLike(t, l.name+"-live", u, paletteOf(was)); unlike != "" {
					t.Errorf("the live page in Chrome alone differs from the picture that is kept: %s", unlike)
				}
			}
			compare := func(name, at string) {
				t.Helper()
				s, err := a.pool.Render(t.Context(), browser.Request{URL: at, Decide: func(*plat.Snapshot) plat.Attachments { return plat.Attachments{Picture: true} }})
				if err != nil {
					t.Fatal(err)
				}
				if dir := os.Getenv("PLAT_SCREENS"); dir != "" {
					os.WriteFile(filepath.Join(dir, l.name+"-was.png"), kept.Data, 0o644)
					os.WriteFile(filepath.Join(dir, l.name+"-"+name+".png"), s.Picture.Data, 0o644)
				}
				if n := different(was, picture(t, s.Picture.Data)); n > 0 {
					t.Errorf("%d dots of the %s differ from the page's", n, name)
				}
				if !alone {
					return
				}
				if _, unlike := bare.looksLike(t, l.name+"-"+name+"-alone", at, live); unlike != "" {
					t.Errorf("in Chrome alone the %s differs from the live page: %s", name, unlike)
				}
			}
			compare("replay", srv.URL+"/frame?url="+url.QueryEscape(canonical))
			compare("player", player(t, a, v))
		})
	}
}

// player serves an exported page as a player does, with its resources and frames at their own paths.
func player(t *testing.T, a *archiver, v *plat.Version) string {
	t.Helper()
	page, frames, err := playable(t, a, v)
	if err != nil {
		t.Fatal(err)
	}
	m := manifestOf(t, a, v)
	site, err := url.Parse(v.URL)
	if err != nil {
		t.Fatal(err)
	}
	origin := site.Scheme + "://" + site.Host
	state := pageStateOf(t, a, m)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		at := origin + r.URL.RequestURI()
		here := func(text string) []byte { return []byte(strings.ReplaceAll(text, origin, "http://"+r.Host)) }
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if at == v.URL {
			w.Header().Set("Content-Type", page.Type)
			w.Write(here(string(page.Body)))
			return
		}
		for _, f := range frames {
			if at == f.URL {
				w.Write(here(string(f.Body)))
				return
			}
		}
		if f, ok := m.Find(at); ok && f.Left == "" {
			kind, data := exported(t, a, m, state, page.Replaces, f)
			w.Header().Set("Content-Type", kind)
			w.Write(here(string(data)))
			return
		}
		http.NotFound(w, r)
	}))
	t.Cleanup(srv.Close)
	return srv.URL + site.RequestURI()
}

func pageStateOf(t *testing.T, a *archiver, m plat.Manifest) *plat.PageState {
	t.Helper()
	state, err := replay.State(t.Context(), a.store, m)
	if err != nil {
		t.Fatal(err)
	}
	return state
}

// exported returns a resource as an export has it.
func exported(t *testing.T, a *archiver, m plat.Manifest, state *plat.PageState, replaces bool, r *plat.Resource) (kind string, data []byte) {
	data, err := a.store.Resource(t.Context(), r.Hash)
	if err != nil {
		t.Error(err)
	}
	kind, data = replay.Beside(m, r, data)
	if strings.HasPrefix(kind, "text/css") {
		if sheet, changed := replay.SheetAlone(m, state, replaces, r.URL, string(data)); changed {
			data = []byte(sheet)
		}
	}
	return kind, data
}
