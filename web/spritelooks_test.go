package web

// iconPage is a page of icons; iconFile is a file of drawings.
func iconPage(rest string) string {
	return pageTop + `<style>svg{width:60px;height:40px}</style>` + rest
}

func iconFile(rest string) string {
	return `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">` + rest + `</svg>`
}

// illustrated is a file as programs for drawing write it.
const illustrated = `<?xml version="1.0" encoding="utf-8"?><!-- Generator: a program --><svg version="1.1" xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 120 40" style="enable-background:new 0 0 120 40;" xml:space="preserve">
<style type="text/css">
	.st0{fill:#C81E1E;}
	.st1{fill:none;stroke:#1E1EC8;stroke-width:20;stroke-miterlimit:10;}
	.st2{clip-path:url(#SVGID_2_);fill:url(#SVGID_1_);}
	@media (min-width:1px){.st3{opacity:0.5} #three>.st3{fill:lime!important}}
	} .st4{fill:blue}
	symbol,.st5{fill:#1EC81E}
</style>
<linearGradient id="SVGID_1_" gradientUnits="userSpaceOnUse" x1="0" y1="0" x2="60" y2="0"><stop offset="0" style="stop-color:#1EC81E"/><stop offset="1" style="stop-color:#C8C81E"/></linearGradient>
<clipPath id="SVGID_2_"><circle cx="30" cy="20" r="18"/></clipPath>
<symbol id="one" viewBox="0 0 60 40"><path class="st0" d="M0 0h60v40H0z"/></symbol>
<symbol id="two" viewBox="0 0 60 40"><path class="st1" d="M0 20h60"/></symbol>
<g id="three"><rect class="st3" width="30" height="40" style="fill:black"/><rect class="st4" x="30" width="30" height="40" style="opacity:.9"/></g>
<g id="four"><rect class="st2" width="60" height="40"/></g>
<rect id="five" class="st5" width="60" height="40"/></svg>`

// spriteLooks are elements of other drawings. Those have the styles of their own file, and inherit from the page.
var spriteLooks = []look{
	{"a file of drawings of a program", map[string]string{"/": iconPage(`<svg><use href="i.svg#one"/></svg><svg><use xlink:href="i.svg#two"/></svg><svg><use href="i.svg#three"/></svg><svg><use href="i.svg#four"/></svg><svg><use href="i.svg#five"/></svg><img src=i.svg width=60 height=40><rect class=st0>text</rect>`), "/i.svg": illustrated}},
	{"rules of the page do not apply in other drawings", map[string]string{"/": iconPage(`<style>path,svg *{fill:red!important}.k{fill:black;opacity:.2}svg use{color:lime}use{fill:gold}#x .k,html body .k{stroke:aqua;stroke-width:20}*{transform-origin:50% 50%}rect{transform:scale(.5)}@layer low{g{opacity:.1}}</style><div id=x><svg><use href="i.svg#a"/></svg><svg><use href="i.svg#b"/></svg><svg><use href="i.svg#c" style="fill:blue"/></svg><svg><use href="i.svg#d"/></svg></div>`),
		"/i.svg": iconFile(`<g id="a"><rect class="k" width="60" height="40" fill="#646464"/></g><g id="b"><path d="M0 0h60v40H0z" style="fill:var(--none,#1e1ec8)"/></g><g id="c"><path class="k" d="M0 0h30v40H0z"/><rect x="30" width="30" height="40" fill="currentColor"/></g><symbol id="d" viewBox="0 0 6 4"><style>.k{fill:blue!important}</style><path class="k" d="M0 0h6v4H0z"/></symbol>`)}},
	{"icons in two tones", map[string]string{"/": pageTop + `<style>.icon{width:2em;height:2em;fill:currentColor;vertical-align:-.25em}.nav{color:blue;--fa-secondary-opacity:.6}.big .icon{width:100px;height:100px}</style><p class=nav>Home <svg class=icon aria-hidden=true><use xlink:href="sprites/duotone.svg#house"></use></svg> at <svg class=icon role=img style="color:red"><title>t</title><use href="/sprites/duotone.svg#bell"/></svg><p class=big style="color:lime"><svg class=icon><use href="sprites/duotone.svg#house"/></svg>`,
		"/sprites/duotone.svg": `<?xml version="1.0" encoding="UTF-8"?><!-- Licence (Icons: CC BY 4.0) --><svg xmlns="http://www.w3.org/2000/svg"><defs><style>.fa-secondary{opacity:var(--fa-secondary-opacity,.4)}.fa-primary{fill:inherit}</style></defs><symbol id="house" viewBox="0 0 576 512"><path class="fa-secondary" d="M64 200h448v300H64z"/><path class="fa-primary" d="M0 240L288 0l288 240z"/></symbol><symbol id="bell" viewBox="0 0 448 512"><path class="fa-primary" d="M0 400h448v64H0z"/><circle class="fa-secondary" cx="224" cy="200" r="190"/></symbol></svg>`}},
	{"elements of components", map[string]string{"/": pageTop + `<x-icon name=up></x-icon><x-icon name=down></x-icon><x-icon name=up></x-icon><svg width=60 height=40><use href="i.svg#down"/></svg><script>customElements.define('x-icon',class extends HTMLElement{constructor(){super();this.attachShadow({mode:'open'}).innerHTML='<style>svg{width:60px;height:40px;fill:blue}path{fill:black}.k{opacity:.1}rect{fill:red}</style><svg><use href="i.svg#'+this.getAttribute('name')+'"/></svg><svg><rect width=60 height=40 fill="url(i.svg#g)" style="fill:url(i.svg#g)"/></svg>'}})</script>`,
		"/i.svg": iconFile(`<style>.k{stroke:lime;stroke-width:9}</style><linearGradient id="g"><stop stop-color="aqua"/></linearGradient><symbol id="up" viewBox="0 0 60 40"><path class="k" d="M0 0h60v40z"/></symbol><symbol id="down" viewBox="0 0 60 40"><path class="k" d="M0 0h60v40z"/><use href="#up" width="30" height="20"/></symbol>`)}},
	{"components in components", map[string]string{"/": pageTop + `<div id=h></div><script>const r=h.attachShadow({mode:'closed'});r.innerHTML='<svg width=60 height=40><use href="i.svg#a"/></svg><p>in</p>';r.lastChild.attachShadow({mode:'open'}).innerHTML='<svg width=60 height=40><use href="i.svg#b"/></svg><slot></slot>'</script><iframe srcdoc="<style>rect{fill:black}</style><svg width=60 height=40><use href='i.svg#b'/></svg>" width=90 height=60></iframe>`,
		"/i.svg": iconFile(`<rect id="a" width="60" height="40" fill="red"/><g id="b"><rect width="60" height="40" fill="lime"/><use href="#a" x="30"/></g>`)}},
	{"whole files of drawings", map[string]string{"/": iconPage(`<style>rect{fill:black}.r{opacity:.3}</style><svg><use href="i.svg"/></svg><svg><use href="i.svg" width=30 height=20 x=10 /></svg><svg><use xlink:href="j.svg#"/></svg><svg viewBox="0 0 100 100"><use href="j.svg"/></svg><svg><use href="i.svg#a"/></svg>`),
		"/i.svg": `<svg xmlns="http://www.w3.org/2000/svg" class="r" width="60" height="40" viewBox="0 0 6 4" fill="red"><style>.r{stroke:lime}#a{fill:blue}</style><rect width="3" height="4"/><rect id="a" x="3" width="3" height="4"/></svg>`, "/j.svg": `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 6 4"><rect width="6" height="4" fill="gold"/></svg>`}},
	{"names in a drawing and in the page", map[string]string{"/": iconPage(`<svg style="display:none"><linearGradient id=g><stop stop-color=black /></linearGradient><rect id=a width=60 height=40 fill=black /></svg><div id=b style="background:red">b</div><svg><use href="i.svg#a"/></svg><svg><use href="j.svg#a"/></svg><svg><use href="i.svg#b"/></svg><svg><use href="i.svg#none"/></svg><svg><use href="none.svg#a"/></svg><svg><use href="?#a"/></svg>`),
		"/i.svg": iconFile(`<linearGradient id="g"><stop stop-color="red"/></linearGradient><rect id="a" width="60" height="40" fill="url(#g)"/><use id="b" href="#a" width="60"/>`), "/j.svg": iconFile(`<linearGradient id="g"><stop stop-color="lime"/></linearGradient><g id="a"><rect width="60" height="40" style="fill:url('#g')"/></g>`)}},
	{"what drawings refer to", map[string]string{"/": iconPage(`<svg><use href="d/i.svg#a"/></svg><svg><use href="d/i.svg#b"/></svg><svg><use href="d/i.svg#c2"/></svg><svg><use href="d/i.svg#d"/></svg><svg><use href="d/i.svg#e"/></svg><svg><use href="d/i.svg#g"/></svg><svg><use href="d/i.svg#h"/></svg>`),
		"/d/i.svg": iconFile(`<style>.m{mask:url(#m)}.t{font:30px sans-serif}</style><g fill="blue"><clipPath id="c"><circle cx="20" cy="20" r="20"/></clipPath><mask id="m"><rect width="999" height="20" fill="white"/></mask><pattern id="p" width="10" height="10" patternUnits="userSpaceOnUse"><rect width="5" height="10"/></pattern></g><filter id="f"><feFlood flood-color="lime"/></filter><marker id="k" viewBox="0 0 10 10" refX="5" refY="5"><rect width="10" height="10" fill="red"/></marker>` +
			`<g id="a"><rect width="60" height="40" fill="red" clip-path="url(#c)"/></g><g id="b"><rect class="m" width="60" height="40"/></g><rect id="d" width="60" height="40" filter="url(#f)"/><g id="e"><path d="M10 20h40" stroke="black" style="marker-end:url(#k)" stroke-width="4"/></g><g id="g"><rect width="60" height="40" fill="url(#p)"/></g><g id="c2"><image href="s.svg" width="30" height="40"/><use href="../j.svg#j" x="30"/><use xlink:href="i.svg#g" y="20"/></g><symbol id="h"><text class="t" y="30" fill="red">ab</text></symbol>`), "/d/s.svg": square("gold"), "/j.svg": iconFile(`<g id="j"><rect width="30" height="40" fill="lime"/></g>`)}},
	{"sizes of elements of drawings", map[string]string{"/": iconPage(`<svg><use href="i.svg#s" width=30 height=20 /></svg><svg><use href="i.svg#s" x=30 y=10 /></svg><svg><use href="i.svg#v" width=20 /></svg><svg><use href="i.svg#v"/></svg><svg viewBox="0 0 24 24" preserveAspectRatio=none><use href="i.svg#w"/></svg><svg><use href="i.svg#n" transform="scale(.5)"/></svg><svg style="fill:blue"><use href="i.svg#o" width=40 height=40 /></svg>`),
		"/i.svg": iconFile(`<symbol id="s" viewBox="0 0 10 10" preserveAspectRatio="none"><rect width="10" height="10" fill="red"/></symbol><svg id="v" width="40" height="40" viewBox="0 0 10 10"><rect width="10" height="10" fill="lime"/></svg><symbol id="w"><rect width="24" height="24" fill="blue"/></symbol><defs><g id="n"><rect x="10" width="60" height="40" fill="gold"/></g></defs><symbol id="o" viewBox="0 0 10 10" overflow="visible"><rect x="-2" width="9" height="9"/></symbol>`)}},
	{"drawings with parts of drawings in objects", map[string]string{"/": pageTop + `<object data=u.svg type=image/svg+xml width=60 height=40></object><iframe src=u.svg width=60 height=40 style="border:0"></iframe><svg width=60 height=40><use href="i.svg#b"/></svg>`, "/u.svg": `<svg xmlns="http://www.w3.org/2000/svg" width="60" height="40"><style>rect{fill:black}</style><use href="i.svg?v=1#a" fill="red"/></svg>`,
		"/i.svg": iconFile(`<rect id="a" width="60" height="40"/><g id="b"><use href="i.svg#a" fill="lime"/></g>`)}},
}
