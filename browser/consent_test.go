package browser

import (
	"bytes"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"plat/browser/steps"
	"plat/fixtures"
	"plat/plat"
)

// packages is a server of the packages in scripts/npm/package.json, with a page for some of them.
func packages(t *testing.T, pages map[string]string) (url string) {
	t.Helper()
	root := filepath.Join("..", ".work", "npm", "node_modules")
	if _, err := os.Stat(filepath.Join(root, "vanilla-cookieconsent")); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("skipped, it needs packages of npm, which scripts/setup installs: ", err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /npm/", http.StripPrefix("/npm/", http.FileServer(http.Dir(root))))
	for path, body := range pages {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprintf(w, `<!doctype html><html lang=en><title>Page</title><body><h1>The news of today</h1><p>What the page is about.</p>%s<div style="height:2000px"></div>`, body)
		})
	}
	return serve(t, mux).URL
}

// banners are pages, each with the banner of a real package: text that only the
// banner shows, and the page's text after the refusal.
var banners = map[string]struct{ page, banner, refused string }{
	"vanilla-cookieconsent": {`<link rel=stylesheet href=/npm/vanilla-cookieconsent/dist/cookieconsent.css><script src=/npm/vanilla-cookieconsent/dist/cookieconsent.umd.js></script><p id=said></p><script>
CookieConsent.run({ categories: { necessary: { enabled: true, readOnly: true }, analytics: {} },
  onConsent: () => said.textContent = 'accepted ' + CookieConsent.getUserPreferences().acceptedCategories,
  language: { default: 'en', translations: { en: { consentModal: { title: 'We use cookies', description: 'For a better life.', acceptAllBtn: 'Accept all', acceptNecessaryBtn: 'Reject all', showPreferencesBtn: 'Manage' },
    preferencesModal: { title: 'Preferences', acceptAllBtn: 'Accept all', acceptNecessaryBtn: 'Reject all', savePreferencesBtn: 'Save', sections: [] } } } } })</script>`, "We use cookies", "accepted necessary"},
	"vanilla-cookieconsent without reject": {`<link rel=stylesheet href=/npm/vanilla-cookieconsent/dist/cookieconsent.css><script src=/npm/vanilla-cookieconsent/dist/cookieconsent.umd.js></script><p id=said></p><script>
CookieConsent.run({ categories: { necessary: { enabled: true, readOnly: true }, analytics: {} },
  onConsent: () => said.textContent = 'accepted ' + CookieConsent.getUserPreferences().acceptedCategories,
  language: { default: 'en', translations: { en: { consentModal: { title: 'We use cookies', description: 'For a better life.', acceptAllBtn: 'Accept all', showPreferencesBtn: 'Manage' },
    preferencesModal: { title: 'Preferences', acceptAllBtn: 'Accept all', savePreferencesBtn: 'Save', sections: [{ title: 'Analytics', description: 'x', linkedCategory: 'analytics' }] } } } } })</script>`, "We use cookies", "accepted necessary"},
	"vanilla-cookieconsent 2": {`<link rel=stylesheet href=/npm/vanilla-cookieconsent-2/dist/cookieconsent.css><script src=/npm/vanilla-cookieconsent-2/dist/cookieconsent.js></script><p id=said></p><script>
initCookieConsent().run({ current_lang: 'en', onAccept: (c) => said.textContent = 'accepted ' + c.categories,
  languages: { en: { consent_modal: { title: 'We use cookies', description: 'For a better life.', primary_btn: { text: 'Accept all', role: 'accept_all' }, secondary_btn: { text: 'Reject all', role: 'accept_necessary' } },
    settings_modal: { title: 'Settings', save_settings_btn: 'Save', accept_all_btn: 'All', reject_all_btn: 'None', blocks: [{ title: 'a', description: 'b', toggle: { value: 'necessary', enabled: true, readonly: true } }, { title: 'a', description: 'b', toggle: { value: 'analytics', enabled: false, readonly: false } }] } } } })</script>`, "We use cookies", "accepted necessary"},
	"vanilla-cookieconsent 2 with settings": {`<link rel=stylesheet href=/npm/vanilla-cookieconsent-2/dist/cookieconsent.css><script src=/npm/vanilla-cookieconsent-2/dist/cookieconsent.js></script><p id=said></p><script>
initCookieConsent().run({ current_lang: 'en', onAccept: (c) => said.textContent = 'accepted ' + c.categories,
  languages: { en: { consent_modal: { title: 'We use cookies', description: 'For a better life.', primary_btn: { text: 'Accept all', role: 'accept_all' }, secondary_btn: { text: 'Settings', role: 'settings' } },
    settings_modal: { title: 'Settings', save_settings_btn: 'Save', accept_all_btn: 'All', reject_all_btn: 'None', blocks: [{ title: 'a', description: 'b', toggle: { value: 'necessary', enabled: true, readonly: true } }, { title: 'a', description: 'b', toggle: { value: 'analytics', enabled: false, readonly: false } }] } } } })</script>`, "We use cookies", "accepted necessary"},
	"cookieconsent, opt-in": {`<link rel=stylesheet href=/npm/cookieconsent/build/cookieconsent.min.css><script src=/npm/cookieconsent/build/cookieconsent.min.js></script><p id=said></p><script>
cookieconsent.initialise({ type: 'opt-in', palette: { popup: { background: '#000' }, button: { background: '#f1d600' } }, onStatusChange: (s) => said.textContent = 'status ' + s })</script>`, "ensure you get the best experience", "status deny"},
	"cookieconsent, a notice": {`<link rel=stylesheet href=/npm/cookieconsent/build/cookieconsent.min.css><script src=/npm/cookieconsent/build/cookieconsent.min.js></script><p id=said></p><script>
cookieconsent.initialise({ position: 'bottom-left', palette: { popup: { background: '#000' } }, onStatusChange: (s) => said.textContent = 'status ' + s })</script>`, "ensure you get the best experience", "status dismiss"},
	"klaro": {`<link rel=stylesheet href=/npm/klaro/dist/klaro.min.css><p id=said></p><script>
var klaroConfig = { lang: 'en', elementID: 'klaro', services: [{ name: 'matomo', title: 'Matomo', purposes: ['analytics'], callback: (c) => setTimeout(() => document.getElementById('said').textContent = 'matomo ' + klaro.getManager().confirmed + ' ' + c) }] }</script>
<script src=/npm/klaro/dist/klaro-no-css.js></script>`, "Could we please enable some additional services", "matomo true false"},
	"klaro, a modal that must be answered": {`<link rel=stylesheet href=/npm/klaro/dist/klaro.min.css><p id=said></p><script>
var klaroConfig = { lang: 'en', mustConsent: true, services: [{ name: 'matomo', title: 'Matomo', purposes: ['analytics'], callback: (c) => setTimeout(() => document.getElementById('said').textContent = 'matomo ' + klaro.getManager().confirmed + ' ' + c) }] }</script>
<script src=/npm/klaro/dist/klaro-no-css.js></script>`, "Here you can assess and customize the services", "matomo true false"},
	"klaro without decline": {`<link rel=stylesheet href=/npm/klaro/dist/klaro.min.css><p id=said></p><script>
var klaroConfig = { lang: 'en', hideDeclineAll: true, services: [{ name: 'matomo', title: 'Matomo', purposes: ['analytics'], callback: (c) => setTimeout(() => document.getElementById('said').textContent = 'matomo ' + klaro.getManager().confirmed + ' ' + c) }] }</script>
<script src=/npm/klaro/dist/klaro-no-css.js></script>`, "Could we please enable some additional services", "matomo true false"},
	"tarteaucitron": {`<script src=/npm/tarteaucitronjs/tarteaucitron.min.js></script><p id=said></p><script>
addEventListener('tac.root_available', () => {}); document.addEventListener('youtube_disallowed', () => said.textContent = 'refused');
tarteaucitron.init({ privacyUrl: '', hashtag: '#tarteaucitron', cookieName: 'tac', orientation: 'bottom', showAlertSmall: false, DenyAllCta: true, AcceptAllCta: true, highPrivacy: true, handleBrowserDNTRequest: false, removeCredit: true, showIcon: false, useExternalCss: false, useExternalJs: false });
(tarteaucitron.job = tarteaucitron.job || []).push('youtube');</script>`, "uses cookies and gives you control", "refused"},
	"orejime": {`<link rel=stylesheet href=/npm/orejime/dist/orejime-standard.css><p id=said></p><script>
window.orejimeConfig = { privacyPolicyUrl: '/p', purposes: [{ id: 'analytics', title: 'Analytics', description: 'x', cookies: ['a'] }] }</script>
<script src=/npm/orejime/dist/orejime-standard-en.js></script><script>setInterval(() => said.textContent = 'analytics ' + orejime.manager.getConsent('analytics'), 20)</script>`, "We collect and process your personal information", "analytics false"},
	"cookies-eu-banner": {`<template id=cookies-eu-banner-template><div id=cookies-eu-banner>By continuing to visit this site, you accept. <button id=cookies-eu-reject>Reject</button><button id=cookies-eu-accept>Accept</button></div></template>
<script src=/npm/cookies-eu-banner/dist/cookies-eu-banner.global.js></script><p id=said></p><script>
CookiesEuBanner.createCookiesBanner({ onAccept: () => said.textContent = 'accepted', onReject: () => said.textContent = 'refused', waitForAcceptation: true })</script>`, "By continuing to visit", "refused"},
}

// visibleText returns the page's text that has a box.
func visibleText(s *plat.Snapshot) string {
	var b strings.Builder
	for _, l := range s.Lines {
		if n := &s.Nodes[l.Node]; l.Box.Area() > 0 && n.HasBox && !s.Styles[n.Style].Hidden {
			b.WriteString(n.Value + "\n")
		}
	}
	return b.String()
}

func TestTheBannersOfRealPackagesAreRefused(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	p := poolWith(t, func(o *Options) {
		o.Tabs = 1
		o.Steps = &steps.Set{}
		o.Log = slog.New(slog.NewTextHandler(&log, nil))
	})
	for i, name := range slices.Sorted(maps.Keys(banners)) {
		if !fixtures.Today(i, 3) {
			continue
		}
		b := banners[name]
		t.Run(name, func(t *testing.T) {
			url := packages(t, map[string]string{"/": b.page})
			p.o.Steps.Consent = false
			if text := visibleText(render(t, p, url+"/")); !strings.Contains(text, b.banner) {
				t.Fatalf("there is no banner, so nothing is tested:\n%s", text)
			}
			p.o.Steps.Consent = true
			s := render(t, p, url+"/")
			text := visibleText(s)
			if strings.Contains(text, b.banner) {
				t.Errorf("the banner is still there:\n%s\n%s", text, log.String())
			}
			if !strings.Contains(text, b.refused) {
				t.Errorf("it was not refused; the page says\n%s\n%s", text, log.String())
			}
			if !strings.Contains(text, "The news of today") || s.Steps != steps.ConsentHash() {
				t.Errorf("steps %v, page\n%s", s.Steps, text)
			}
		})
	}
}
