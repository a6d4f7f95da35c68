package process

import (
	"fmt"
	"os"
	"strings"
	"syscall"
)

// fixedFlags are the same for every browser. Left out of what automation tools usually
// give: --disable-popup-blocking (pop-ups are not wanted).
var fixedFlags = [...]string{
	// Nothing gets out but through the guard; see package egress. The proxy
	// is set for each browser context. The default context has none that
	// works (port 9 is "discard"), and nothing is ever opened in it.
	"--proxy-server=http://127.0.0.1:9",
	"--proxy-bypass-list=<-loopback>",
	"--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
	"--disable-quic",
	"--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
	"--webrtc-ip-handling-policy=disable_non_proxied_udp",

	// Nothing goes on but the page.
	"--disable-background-networking",
	"--disable-breakpad",
	"--disable-client-side-phishing-detection",
	"--disable-component-update",
	"--disable-component-extensions-with-background-pages",
	"--disable-default-apps",
	"--disable-domain-reliability",
	"--disable-extensions",
	"--disable-gpu-shader-disk-cache", // emptied and made anew for each browser context
	// (The last asks for names of peers by multicast DNS, whatever the rules of the resolver are. The policy
	// above leaves no addresses to hide.)
	"--disable-features=Translate,OptimizationHints,MediaRouter,DialMediaRouteProvider,AutofillServerCommunication,CertificateTransparencyComponentUpdater,InterestFeedContentSuggestions,WebBluetooth,WebUSB,WebRtcHideLocalIpsWithMdns",
	"--disable-search-engine-choice-screen",
	"--disable-sync",
	"--metrics-recording-only",
	"--mute-audio",
	"--no-default-browser-check",
	"--no-first-run",
	"--no-pings",
	"--no-service-autorun",
	"--password-store=basic",
	"--safebrowsing-disable-auto-update",
	"--use-mock-keychain",

	// Frames of other sites share the page's process, as they do in a headless shell:
	// one snapshot holds them all, and one clock. A page has a browser context of its
	// own, so that there is little of others to protect from it; see docs/capture.md.
	"--disable-site-isolation-trials",

	// There is no user to ask or to wait for. (What is typed before a page's first
	// frame would be lost.)
	"--allow-pre-commit-input",
	"--block-new-web-contents",
	"--deny-permission-prompts",
	"--disable-hang-monitor",
	"--disable-print-preview",
	"--disable-prompt-on-repost",
	"--noerrdialogs",

	// A tab that is not looked at must go on at full speed.
	"--disable-background-timer-throttling",
	"--disable-backgrounding-occluded-windows",
	"--disable-ipc-flooding-protection",
	"--disable-renderer-backgrounding",

	// The same page has the same boxes and colours everywhere.
	"--disable-font-subpixel-positioning",
	"--font-render-hinting=none",
	"--force-color-profile=srgb",
	"--force-device-scale-factor=1",
	"--hide-scrollbars",
}

// args is the command line. --disable-dev-shm-usage is given only where there is not enough
// shared memory to use.
func (o *Options) args(profile string) []string {
	a := []string{
		"--remote-debugging-pipe=cbor",
		userDataDir + profile,
		"--headless",
		fmt.Sprintf("--window-size=%d,%d", o.Width, o.Height),
		"--lang=" + strings.TrimSpace(strings.SplitN(o.Language, ",", 2)[0]),
		"--accept-lang=" + o.Language, // in workers too, where an override does not reach
	}
	a = append(a, fixedFlags[:]...)
	if IsFramed(o.Path) {
		a = append(a, framedFlags[:]...)
	}
	if os.Getuid() == 0 {
		a = append(a, "--no-sandbox")
	}
	if smallShm() {
		a = append(a, "--disable-dev-shm-usage")
	}
	return append(oneOfEach(append(a, o.Flags...)), "about:blank")
}

// userDataDir is the flag that names the profile. It tells whose a process is; see killUsers.
const userDataDir = "--user-data-dir="

// framedFlags make all that a frame does happen within it: without them transitions
// never end, images are decoded some frames later, and a page that has drawn nothing yet
// is painted white for a while.
var framedFlags = [...]string{
	"--enable-begin-frame-control",
	"--run-all-compositor-stages-before-draw",
	"--disable-new-content-rendering-timeout",
	"--disable-threaded-animation",
	"--disable-threaded-scrolling",
	"--disable-checker-imaging",
	"--disable-image-animation-resync",
	// A window that is made larger than what the page is laid out for shows the rest of it;
	// that is how a picture of a whole page is taken. Pages do not see this: what is in their viewport, and near
	// it, is as before.
	blinkSettings + "mainFrameClipsContent=false",
}

// blinkSettings is the flag that sets what Blink, Chrome's engine, has no flags for.
const blinkSettings = "--blink-settings="

// oneOfEach makes one flag of all that set Blink's settings: Chrome takes the last.
func oneOfEach(flags []string) (all []string) {
	var settings []string
	for _, f := range flags {
		if s, ok := strings.CutPrefix(f, blinkSettings); ok {
			settings = append(settings, s)
		} else {
			all = append(all, f)
		}
	}
	if settings != nil {
		all = append(all, blinkSettings+strings.Join(settings, ","))
	}
	return all
}

// minShm is the least shared memory that Chrome can do with: a page's bitmaps
// go through it. Docker gives 64 MB unless told otherwise.
const minShm = 512 << 20

// smallShm reports whether /dev/shm is missing or small.
func smallShm() bool {
	var fs syscall.Statfs_t
	return syscall.Statfs("/dev/shm", &fs) != nil || fs.Blocks*uint64(fs.Bsize) < minShm
}
