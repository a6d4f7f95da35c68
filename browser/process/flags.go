package process

import (
	"fmt"
	"os"
	"strings"
	"syscall"
)

// fixedFlags are the same for every browser. Omitted from the usual flags of automation
// tools: --disable-popup-blocking (pop-ups stay blocked).
var fixedFlags = [...]string{
	// All traffic goes through the guard; see package egress. The proxy is set for each browser
	// context. The default context's proxy does not work (port 9 is "discard"), and no page is ever
	// opened in it.
	"--proxy-server=http://127.0.0.1:9",
	"--proxy-bypass-list=<-loopback>",
	"--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
	"--disable-quic",
	"--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
	"--webrtc-ip-handling-policy=disable_non_proxied_udp",

	// Only the page runs.
	"--disable-background-networking",
	"--disable-breakpad",
	"--disable-client-side-phishing-detection",
	"--disable-component-update",
	"--disable-component-extensions-with-background-pages",
	"--disable-default-apps",
	"--disable-domain-reliability",
	"--disable-extensions",
	"--disable-gpu-shader-disk-cache", // emptied and recreated for each browser context
	// (WebRtcHideLocalIpsWithMdns queries names of peers by multicast DNS, bypassing the rules of the resolver. The
	// policy above leaves no addresses to hide. GenerateXSLTWarningBanner is the notice that Chrome puts into
	// pages made by XSLT, which would be archived as the site's.)
	"--disable-features=Translate,OptimizationHints,MediaRouter,DialMediaRouteProvider,AutofillServerCommunication,CertificateTransparencyComponentUpdater,InterestFeedContentSuggestions,WebBluetooth,WebUSB,WebRtcHideLocalIpsWithMdns,GenerateXSLTWarningBanner",
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
	// one snapshot holds them all, and one clock. Each page has a separate browser context, so that
	// there is little data of different sites to protect from it; see docs/capture.md.
	"--disable-site-isolation-trials",

	// There is no user to prompt or to wait for. (Input before a page's first frame would be lost.)
	"--allow-pre-commit-input",
	"--block-new-web-contents",
	"--deny-permission-prompts",
	"--disable-hang-monitor",
	"--disable-print-preview",
	"--disable-prompt-on-repost",
	"--noerrdialogs",

	// A tab in the background must run at full speed.
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

// args returns the command line. --disable-dev-shm-usage is included only if shared memory is
// scarce.
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

// userDataDir is the flag that names the profile. It identifies processes; see killUsers.
const userDataDir = "--user-data-dir="

// framedFlags finish all work of a frame within it: without them transitions never end, images are
// decoded some frames later, and a page without a first drawing stays white for a while.
var framedFlags = [...]string{
	"--enable-begin-frame-control",
	"--run-all-compositor-stages-before-draw",
	"--disable-new-content-rendering-timeout",
	"--disable-threaded-animation",
	"--disable-threaded-scrolling",
	"--disable-checker-imaging",
	"--disable-image-animation-resync",
	// A window larger than the layout viewport shows the rest of the page; pictures of whole pages
	// rely on it. Pages do not notice: the content of their viewport, and near it, does not change.
	blinkSettings + "mainFrameClipsContent=false",
}

// blinkSettings is the flag for settings of Blink, Chrome's engine, without separate flags.
const blinkSettings = "--blink-settings="

// oneOfEach merges all flags with settings of Blink: Chrome uses only the last.
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
// go through it. Docker's default is 64 MB.
const minShm = 512 << 20

// smallShm reports whether /dev/shm is missing or small.
func smallShm() bool {
	var fs syscall.Statfs_t
	return syscall.Statfs("/dev/shm", &fs) != nil || fs.Blocks*uint64(fs.Bsize) < minShm
}
