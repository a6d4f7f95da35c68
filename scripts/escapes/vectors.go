package main

import (
	"fmt"
	"net/netip"
	"strings"
)

// A vector is one way in which a page, or its server, may make Chrome send packets to a forbidden
// address. Each has targets of its own, so that a packet identifies its vector:
//
//	{ip} {ip6}  private addresses; {u} is https://{ip}
//	{port}      a port of this machine
//	{name}      a name of {ip}; so are all that begin with v{id}
//	{pub}       a name of a public address, which may serve pages of the vector: connections to it
//	            are not hits, datagrams are
//	{both}      a name of a public address and {ip}
//	{rebind}    a name of a public address for the first query, then of {ip}
//	{site}      the origin of the page
type vector struct {
	group, name string

	html, js string // of the page, at /v/{id}
	head     header // of its answer; with a Location it is a redirect
	sub      string // the answer of /x/{id}
	subHead  header

	top    bool // it works for a page only, not for a frame
	plain  bool // the page comes by http
	own    bool // the page comes from {pub}
	record bool // {pub} has a record of type HTTPS that says HTTP/3
	alone  bool // a browser does it only where no automation is attached to the page
	twice  bool // the page is opened again after the browsers' cache of names has expired
	early  bool // its header is also sent before it, as 103 Early Hints

	names   []string         // further targets: names, with all below them
	sockets []netip.AddrPort // ... and addresses; port 0 is any

	id int // from 1
}

type header map[string]string

// number gives each vector its targets.
func number(all []vector) []vector {
	for i := range all {
		all[i].id = i + 1
	}
	if len(all) > 250 {
		panic("more vectors than a byte of an address can tell apart")
	}
	return all
}

func (v *vector) ip() netip.Addr { return netip.AddrFrom4([4]byte{10, 66, byte(v.id), 1}) }

func (v *vector) ip6() netip.Addr {
	return netip.AddrFrom16([16]byte{0: 0xfd, 1: 0x66, 15: byte(v.id)})
}

// public returns the address of {pub}, and the public one of {both} and {rebind}.
func (v *vector) public() netip.Addr { return netip.AddrFrom4([4]byte{11, 22, 34, byte(v.id)}) }

// port returns the first of the ports of this machine that are targets.
func (v *vector) port() uint16 { return uint16(20000 + v.id) }

// fill puts the targets into a text, for a page that comes from site.
func (v *vector) fill(text, site string) string {
	ip := v.ip().As4()
	return strings.NewReplacer(
		"{id}", fmt.Sprint(v.id), "{site}", site, "{ip}", v.ip().String(), "{ip6}", v.ip6().String(), "{u}", "https://"+v.ip().String(), "{port}", fmt.Sprint(v.port()),
		"{name}", fmt.Sprintf("v%d.esc.test", v.id), "{pub}", fmt.Sprintf("v%d.pub.test", v.id),
		"{both}", fmt.Sprintf("v%d.both.test", v.id), "{rebind}", fmt.Sprintf("v%d.rebind.test", v.id),
		"{decimal}", fmt.Sprint(uint32(ip[0])<<24|uint32(ip[1])<<16|uint32(ip[2])<<8|uint32(ip[3])),
		"{octal}", fmt.Sprintf("0%o.0%o.0%o.0%o", ip[0], ip[1], ip[2], ip[3]), "{hex}", fmt.Sprintf("0x%02x%02x%02x%02x", ip[0], ip[1], ip[2], ip[3]),
		"{embedded}", fmt.Sprintf("%02x%02x:%02x%02x", ip[0], ip[1], ip[2], ip[3]),
	).Replace(text)
}

// embedded are IPv6 addresses that lead to {ip} where a translator is.
func (v *vector) embedded() []netip.Addr {
	ip := v.ip().As4()
	var all []netip.Addr
	for _, of := range []string{"64:ff9b::%02x%02x:%02x%02x", "2002:%02x%02x:%02x%02x::"} {
		all = append(all, netip.MustParseAddr(fmt.Sprintf(of, ip[0], ip[1], ip[2], ip[3])))
	}
	return all
}

// vectors are all that are tried.
func vectors() []vector {
	var all []vector
	for _, g := range [][]vector{datagrams(), namesAndHints(), certificatesAndIdentity(), reports(), redirects(), loads(), scripts(), spellings(), background()} {
		all = append(all, g...)
	}
	return number(all)
}

const (
	script = "text/javascript"

	// ice makes WebRTC gather its own addresses with a server's help.
	ice = `const p=new RTCPeerConnection({iceServers:[%s]});p.createDataChannel('d');p.createOffer().then(o=>p.setLocalDescription(o))`

	// candidate makes WebRTC connect to the given address of a second browser.
	candidate = `(async()=>{const a=new RTCPeerConnection(),b=new RTCPeerConnection();a.createDataChannel('d');
await a.setLocalDescription(await a.createOffer());await b.setRemoteDescription(a.localDescription);
await b.setLocalDescription(await b.createAnswer());await a.setRemoteDescription(b.localDescription);
await a.addIceCandidate({candidate:'candidate:1 1 %s',sdpMid:'0',sdpMLineIndex:0})})()`
)

func datagrams() []vector {
	server := func(url string) string {
		return fmt.Sprintf(ice, "{urls:'"+url+"',username:'u',credential:'c'}")
	}
	all := []vector{
		{name: "WebTransport to an address", js: `new WebTransport('https://{pub}:4433/').ready.catch(()=>{})`},
		{name: "WebTransport to a name", js: `new WebTransport('https://{name}/').ready.catch(()=>{})`},
		{name: "WebTransport with its own certificate", js: `new WebTransport('https://{pub}:4433/',{serverCertificateHashes:[{algorithm:'sha-256',value:new Uint8Array(32)}]}).ready.catch(()=>{})`},
		{name: "QUIC of the page's own server, by Alt-Svc", own: true, head: header{"Alt-Svc": `h3=":443"; ma=3600`}, js: `for(let i=1;i<5;i++)setTimeout(()=>fetch('/again?'+i),i*300)`},
		{name: "QUIC of another address, by Alt-Svc", own: true, head: header{"Alt-Svc": `h3="{ip}:443"; ma=3600`}, js: `for(let i=1;i<5;i++)setTimeout(()=>fetch('/again?'+i),i*300)`},
		{name: "QUIC by a record of type HTTPS", own: true, record: true, js: `for(let i=1;i<5;i++)setTimeout(()=>fetch('/again?'+i),i*300)`},
		{name: "WebRTC: STUN at an address", js: server("stun:{ip}:3478")},
		{name: "WebRTC: STUN at a name", js: server("stun:{name}:3478")},
		{name: "WebRTC: TURN over UDP", js: server("turn:{ip}:3478?transport=udp")},
		{name: "WebRTC: TURN over TCP", js: server("turn:{ip}:3478?transport=tcp")},
		{name: "WebRTC: TURN over TCP, port 443", js: server("turn:{ip}:443?transport=tcp")},
		{name: "WebRTC: TURN over TLS", js: server("turns:{ip}:5349?transport=tcp")},
		{name: "WebRTC: TURN over TLS at a name", js: server("turns:{name}:443?transport=tcp")},
		{name: "WebRTC: a peer, UDP", js: fmt.Sprintf(candidate, "udp 2122260223 {ip} 5000 typ host")},
		{name: "WebRTC: a peer, TCP", js: fmt.Sprintf(candidate, "tcp 1518280447 {ip} 5000 typ host tcptype passive")},
		{name: "WebRTC: a peer at a name of multicast DNS", js: fmt.Sprintf(candidate, "udp 2122260223 v{id}-a.local 5000 typ host")},
		{name: "WebRTC: its own names by multicast DNS", js: server("stun:{site}:9"), sockets: []netip.AddrPort{
			netip.AddrPortFrom(mdns4, 0), netip.AddrPortFrom(mdns6, 0)}},
	}
	return inGroup("datagrams", all)
}

var (
	mdns4 = netip.MustParseAddr("224.0.0.251")
	mdns6 = netip.MustParseAddr("ff02::fb")
)

func namesAndHints() []vector {
	rules := func(kind, url string) string {
		return `<script type=speculationrules>{"` + kind + `":[{"source":"list","urls":["` + url + `"],"eagerness":"immediate"}]}</script>`
	}
	all := []vector{
		{name: "a name of multicast DNS", html: `<img src=https://v{id}-printer.local/>`},
		{name: "a name without a dot", html: `<img src=https://v{id}-intranet/>`, sockets: []netip.AddrPort{netip.AddrPortFrom(netip.MustParseAddr("224.0.0.252"), 0)}},
		{name: "a name of the search list", html: `<img src=https://v{id}-wiki.corp/>`},
		{name: "link rel=dns-prefetch", html: `<link rel=dns-prefetch href=//{name}>`},
		{name: "DNS prefetch of links", html: `<meta http-equiv=x-dns-prefetch-control content=on><a href=https://{name}/>a</a>`},
		{name: "DNS prefetch of links, by http", plain: true, html: `<a href=http://{name}/>a</a>`},
		{name: "link rel=preconnect", html: `<link rel=preconnect href={u}>`},
		{name: "link rel=preconnect to a name", html: `<link rel=preconnect href=https://{name}>`},
		{name: "link rel=prefetch", html: `<link rel=prefetch href={u}/>`},
		{name: "link rel=preload", html: `<link rel=preload as=image href={u}/><link rel=preload as=fetch crossorigin href={u}/f>`},
		{name: "link rel=modulepreload", html: `<link rel=modulepreload href={u}/m.js>`},
		{name: "link rel=prerender", top: true, html: `<link rel=prerender href={u}/>`},
		{name: "link rel=compression-dictionary", html: `<link rel=compression-dictionary href={u}/d crossorigin>`},
		{name: "header Link, preconnect", head: header{"Link": `<{u}>; rel=preconnect`}},
		{name: "header Link, preload", head: header{"Link": `<{u}/p.css>; rel=preload; as=style`}},
		{name: "header Link in Early Hints", top: true, early: true, head: header{"Link": `<{u}>; rel=preconnect, <{u}/p.css>; rel=preload; as=style`}},
		{name: "speculation rules, prefetch", top: true, html: rules("prefetch", "{u}/")},
		{name: "speculation rules, prefetch of a name", top: true, html: rules("prefetch", "https://{name}/")},
		{name: "speculation rules, prefetch that is redirected", top: true, html: rules("prefetch", "/x/{id}"), subHead: header{"Location": "{u}/"}},
		{name: "speculation rules, prerender", top: true, alone: true, html: rules("prerender", "/x/{id}"), sub: `<img src={u}/>`},
		{name: "speculation rules in a header", top: true, head: header{"Speculation-Rules": `"{u}/rules.json"`}},
		{name: "favicon", top: true, html: `<link rel=icon href={u}/f.png><link rel=apple-touch-icon href={u}/f.png>`},
		{name: "manifest", top: true, html: `<link rel=manifest href={u}/m.json>`},
	}
	return inGroup("names and hints", all)
}

func certificatesAndIdentity() []vector {
	return inGroup("certificates, identity", []vector{
		{name: "certificate of an issuer at an address (AIA)", html: `<iframe src=https://v{id}.aia.test/></iframe>`},
		{name: "certificate with OCSP", html: `<iframe src=https://v{id}.ocsp.test/></iframe>`},
		{name: "certificate with a list of revocations", html: `<iframe src=https://v{id}.crl.test/></iframe>`},
		{name: "FedCM", top: true, js: `navigator.credentials.get({identity:{providers:[{configURL:'https://v{id}-fed.test/c.json',clientId:'1'}]}}).catch(()=>{})`},
		{name: "WebAuthn, related origins", top: true, js: `navigator.credentials.get({publicKey:{rpId:'v{id}-rp.test',challenge:new Uint8Array(16)}}).catch(()=>{})`},
		{name: "payment methods", top: true, js: `new PaymentRequest([{supportedMethods:'{u}/pay'}],{total:{label:'a',amount:{currency:'USD',value:'1'}}}).canMakePayment().catch(()=>{})`},
	})
}

func reports() []vector {
	const leave = `;setTimeout(()=>location='/blank',200)`
	return inGroup("reports", []vector{
		{name: "ping", html: `<a id=a href=#x ping={u}/>a</a>`, js: `a.click()`},
		{name: "sendBeacon", js: `navigator.sendBeacon('{u}/','b')`},
		{name: "sendBeacon when the page is left", js: `addEventListener('pagehide',()=>navigator.sendBeacon('{u}/','b'))` + leave},
		{name: "fetch with keepalive when the page is left", js: `addEventListener('pagehide',()=>fetch('{u}/',{method:'POST',keepalive:true,mode:'no-cors'}))` + leave},
		{name: "fetchLater", js: `fetchLater('{u}/',{activateAfter:0})`},
		{name: "fetchLater when the page is left", js: `fetchLater('{u}/')` + leave},
		{name: "CSP report-uri", head: header{"Content-Security-Policy": `object-src 'none'; report-uri {u}/csp`}, html: `<object data=/again></object>`},
		{name: "CSP report-to", head: header{"Content-Security-Policy": `object-src 'none'; report-to d`, "Reporting-Endpoints": `d="{u}/r"`}, html: `<object data=/again></object>`},
		{name: "Reporting API, deprecations", head: header{"Reporting-Endpoints": `default="{u}/r"`}, js: `new XMLHttpRequest;const x=new XMLHttpRequest;x.open('GET','/again',false);x.send();document.write('<p>')`},
		{name: "network error logging", own: true, head: header{
			"Report-To": `{"group":"n","max_age":100,"endpoints":[{"url":"{u}/nel"}]}`, "NEL": `{"report_to":"n","max_age":100,"success_fraction":1,"failure_fraction":1}`}, js: `fetch('/again')`},
	})
}

func redirects() []vector {
	return inGroup("redirects", []vector{
		{name: "302 of an image", html: `<img src=/x/{id}>`, subHead: header{"Location": "{u}/"}},
		{name: "302 of a frame", html: `<iframe src=/x/{id}></iframe>`, subHead: header{"Location": "{u}/"}},
		{name: "302 of the page", top: true, head: header{"Location": "{u}/"}},
		{name: "302 of the page to a name", top: true, head: header{"Location": "https://{name}/"}},
		{name: "307 of a request with a body", js: `fetch('/x/{id}',{method:'POST',body:'b',mode:'no-cors'})`, subHead: header{"Location": "{u}/"}},
		{name: "header Refresh", html: `<iframe src=/x/{id}></iframe>`, subHead: header{"Refresh": "0;url={u}/"}},
		{name: "meta refresh of a frame", html: `<iframe src=/x/{id}></iframe>`, sub: `<meta http-equiv=refresh content="0;url={u}/">`},
		{name: "meta refresh of the page", top: true, html: `<meta http-equiv=refresh content="0;url={u}/">`},
		{name: "location of a frame", html: `<iframe src=/x/{id}></iframe>`, sub: `<script>location='{u}/'</script>`},
		{name: "location of the page", top: true, js: `location='{u}/'`},
		{name: "form that is sent", html: `<iframe src=/x/{id}></iframe>`, sub: `<form id=f method=post action={u}/><input name=a></form><script>f.submit()</script>`},
		{name: "pop-up", js: `open('{u}/')`},
		{name: "download", html: `<a id=a href={u}/ download>a</a>`, js: `a.click()`},
		{name: "DNS rebinding, two addresses", js: `fetch('https://{both}:8443/',{mode:'no-cors'})`},
		{name: "DNS rebinding, another answer", twice: true, js: `fetch('https://{rebind}/close',{mode:'no-cors',cache:'no-store'})`},
	})
}

func loads() []vector {
	return inGroup("loads", []vector{
		{name: "image", html: `<img src={u}/>`},
		{name: "image of a page by http", plain: true, html: `<img src=http://{ip}/>`},
		{name: "image at a port", html: `<img src={u}:8443/>`},
		{name: "image at a name", html: `<img src=https://{name}/>`},
		{name: "image in SVG", html: `<svg><image href={u}/ width=9 height=9 /></svg>`},
		{name: "frame", html: `<iframe src={u}/></iframe>`},
		{name: "frame of a page by http", plain: true, html: `<iframe src=http://{ip}/></iframe>`},
		{name: "frame in srcdoc", html: `<iframe srcdoc="<img src={u}/>"></iframe>`},
		{name: "frame in a sandbox", html: `<iframe sandbox=allow-scripts srcdoc="<script>fetch('{u}/',{mode:'no-cors'})</script>"></iframe>`},
		{name: "fenced frame, object, embed", html: `<object data={u}/></object><embed src={u}/>`},
		{name: "style sheet", html: `<link rel=stylesheet href={u}/>`},
		{name: "style sheet that another imports", html: `<style>@import '{u}/'</style>`},
		{name: "background", html: `<p style="background:url({u}/)">a`},
		{name: "font", html: `<style>@font-face{font-family:f;src:url({u}/)}</style><p style="font-family:f">a`},
		{name: "video", html: `<video src={u}/ autoplay muted></video>`},
		{name: "poster and track", html: `<video poster={u}/p><track default src={u}/t></video>`},
		{name: "audio", html: `<audio src={u}/ preload=auto></audio>`},
		{name: "playlist", html: `<video src=/x/{id} autoplay muted></video>`, subHead: header{"Content-Type": "application/vnd.apple.mpegurl"},
			sub: "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\n{u}/s.ts\n#EXT-X-ENDLIST\n"},
		{name: "script", html: `<script src={u}/></script>`},
	})
}

func scripts() []vector {
	const worker = `new Worker('/x/{id}')`
	const service = `navigator.serviceWorker.register('/x/{id}',{scope:'/x/{id}/'})`
	const active = `async function active(){const r=await ` + service + `;const w=r.installing||r.waiting||r.active;
while(w.state!='activated')await new Promise(f=>setTimeout(f,20));return r}`
	typed := header{"Content-Type": script}
	return inGroup("scripts", []vector{
		{name: "fetch", js: `fetch('{u}/',{mode:'no-cors'})`},
		{name: "fetch with a preflight", js: `fetch('{u}/',{method:'PUT',headers:{'X-A':'b'}})`},
		{name: "fetch that names the address space", js: `for(const s of['local','private','loopback'])try{fetch('http://{ip}/',{targetAddressSpace:s}).catch(()=>{})}catch(e){}`},
		{name: "XMLHttpRequest", js: `const x=new XMLHttpRequest;x.open('GET','{u}/');x.send()`},
		{name: "EventSource", js: `new EventSource('{u}/')`},
		{name: "import()", js: `import('{u}/m.js').catch(()=>{})`},
		{name: "FontFace", js: `new FontFace('f','url({u}/)').load().catch(()=>{})`},
		{name: "worklet", js: `CSS.paintWorklet.addModule('{u}/w.js').catch(()=>{})`},
		{name: "WebSocket", js: `new WebSocket('wss://{ip}/')`},
		{name: "WebSocket, not encrypted", plain: true, js: `new WebSocket('ws://{ip}/')`},
		{name: "WebSocket at the port of a service", plain: true, js: `new WebSocket('ws://{ip}:6379/')`},
		{name: "WebSocketStream", js: `new WebSocketStream('wss://{ip}/').opened.catch(()=>{})`},
		{name: "worker", js: worker, subHead: typed, sub: `fetch('{u}/',{mode:'no-cors'})`},
		{name: "worker that imports", js: worker, subHead: typed, sub: `importScripts('{u}/')`},
		{name: "WebSocket of a worker", js: worker, subHead: typed, sub: `new WebSocket('wss://{ip}/')`},
		{name: "shared worker", js: `new SharedWorker('/x/{id}')`, subHead: typed, sub: `fetch('{u}/',{mode:'no-cors'})`},
		{name: "service worker", js: service, subHead: typed, sub: `oninstall=e=>e.waitUntil(fetch('{u}/',{mode:'no-cors'}))`},
		{name: "service worker that imports", js: service, subHead: typed, sub: `importScripts('{u}/')`},
		{name: "service worker, after the page", js: service, subHead: typed, sub: `onactivate=e=>e.waitUntil((async()=>{for(;;){await new Promise(f=>setTimeout(f,700));await fetch('{u}/',{mode:'no-cors'}).catch(()=>{})}})())`},
		{name: "background sync", js: active + `;active().then(r=>r.sync.register('a'))`, subHead: typed, sub: `onsync=e=>e.waitUntil(fetch('{u}/',{mode:'no-cors'}))`},
		{name: "background fetch", js: active + `;active().then(r=>r.backgroundFetch.fetch('a',['{u}/']))`, subHead: typed, sub: `0`},
		{name: "push messages", js: active + `;active().then(r=>r.pushManager.subscribe({userVisibleOnly:true,applicationServerKey:
'BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM'}))`, subHead: typed, sub: `0`,
			names: []string{"mtalk.google.com", "android.clients.google.com", "android.apis.google.com"}},
	})
}

func spellings() []vector {
	return inGroup("addresses", []vector{
		{name: "decimal", html: `<img src=https://{decimal}/>`},
		{name: "octal", html: `<img src=https://{octal}/>`},
		{name: "hexadecimal", html: `<img src=https://{hex}/>`},
		{name: "IPv6", html: `<img src=https://[{ip6}]/>`},
		{name: "IPv4 mapped to IPv6", html: `<img src=https://[::ffff:{ip}]/>`},
		{name: "IPv4 in NAT64", html: `<img src=https://[64:ff9b::{embedded}]/>`},
		{name: "IPv4 in 6to4", html: `<img src=https://[2002:{embedded}::]/>`},
		{name: "loopback", plain: true, html: `<img src=http://127.0.0.1:{port}/>`},
		{name: "loopback, another address", plain: true, html: `<img src=http://127.99.0.1:{port}/>`},
		{name: "loopback by IPv6", plain: true, html: `<img src=http://[::1]:{port}/>`},
		{name: "localhost", html: `<img src=http://localhost:{port}/>`},
		{name: "a name below localhost", html: `<img src=http://a.localhost:{port}/>`},
		{name: "WebSocket to loopback", js: `new WebSocket('ws://127.0.0.1:{port}/')`},
		{name: "the unspecified address", plain: true, html: `<img src=http://0.0.0.0:{port}/>`},
		{name: "this machine's own address", plain: true, html: `<img src=http://` + self4.String() + `:{port}/>`},
		{name: "metadata of a cloud", plain: true, html: `<img src=http://169.254.169.254/latest/meta-data/>`, sockets: []netip.AddrPort{netip.MustParseAddrPort("169.254.169.254:0")}},
		{name: "link-local", plain: true, html: `<img src=http://169.254.7.7/>`, sockets: []netip.AddrPort{netip.MustParseAddrPort("169.254.7.7:0")}},
		{name: "ftp:", html: `<iframe src=ftp://{ip}/></iframe><img src=ftp://{ip}/a>`, js: `open('ftp://{ip}/')`},
		{name: "file: of another machine", html: `<iframe src=file://{ip}/share/a></iframe><img src=file://{ip}/share/a>`, js: `open('file://{ip}/share/a')`},
		{name: "view-source:", html: `<iframe src=view-source:{u}/></iframe>`, js: `open('view-source:{u}/')`},
	})
}

func background() []vector {
	return inGroup("Chrome itself", []vector{
		{name: "search for a proxy (WPAD)", names: []string{"wpad"}, html: `<p>a`},
		{name: "DNS over HTTPS or TLS", names: []string{"dns.google"}, html: `<p>a`, sockets: []netip.AddrPort{
			netip.AddrPortFrom(nameServer, 443), netip.AddrPortFrom(nameServer, 853), netip.MustParseAddrPort("8.8.4.4:0")}},
		{name: "search for screens (SSDP, cast)", top: true, js: `new PresentationRequest(['cast:CC1AD845','https://{site}/']).getAvailability().catch(()=>{});
const v=document.createElement('video');v.remote.watchAvailability(()=>{}).catch(()=>{})`, sockets: []netip.AddrPort{netip.MustParseAddrPort("239.255.255.250:0")}},
		{name: "is there a network (captive portals)", html: `<p>a`, names: []string{"connectivitycheck.gstatic.com", "clients3.google.com", "detectportal.firefox.com"}},
		{name: "geolocation", top: true, js: `navigator.geolocation.getCurrentPosition(()=>{},()=>{})`, names: []string{"www.googleapis.com"}},
		{name: "speech, models, updates, safe browsing", top: true, js: `try{const s=new webkitSpeechRecognition;s.start()}catch(e){}
try{LanguageModel.create().catch(()=>{})}catch(e){}try{Translator.create({sourceLanguage:'en',targetLanguage:'fr'}).catch(()=>{})}catch(e){}
try{navigator.requestMediaKeySystemAccess('com.widevine.alpha',[{videoCapabilities:[{contentType:'video/mp4;codecs="avc1.42E01E"'}]}]).catch(()=>{})}catch(e){}`,
			names: []string{"google.com", "googleapis.com", "gstatic.com", "gvt1.com", "gvt2.com", "chromium.org", "google-analytics.com", "googleusercontent.com"}},
	})
}

func inGroup(group string, all []vector) []vector {
	for i := range all {
		all[i].group = group
	}
	return all
}
