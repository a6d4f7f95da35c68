package visitor

import (
	"errors"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"plat/browser"
	"plat/browser/cookies"
	"plat/browser/egress"
	"plat/browser/origin"
	"plat/browser/steps"
	"plat/plat"
)

func TestAnErrorSaysWhichPartCouldNotStart(t *testing.T) {
	_, err := OpenRenderer(t.Context(), Options{Egress: egress.Options{Upstream: &url.URL{Scheme: "ftp", Host: "proxy.test"}}})
	if _, ok := errors.AsType[*EgressError](err); !ok {
		t.Errorf("a proxy that is none: %v", err)
	}
	_, err = Open(t.Context(), nil, Options{Browser: browser.Options{Chrome: t.TempDir() + "/none"}})
	if _, ok := errors.AsType[*BrowserError](err); !ok {
		t.Errorf("a browser that is not there: %v", err)
	}
}

func TestPagesOnWhichSomethingIsDoneAreAlwaysRendered(t *testing.T) {
	for name, o := range map[string]Options{
		"steps":  {Browser: browser.Options{Steps: &steps.Set{Consent: true}}},
		"clock":  {Clock: time.Unix(1, 0)},
		"wanted": {AlwaysRender: true},
	} {
		r := &Renderer{}
		if s := r.skipping(o, http.DefaultClient); s != nil || r.loads {
			t.Errorf("%s: renderings may be spared", name)
		}
	}
}

func TestTheLookOfPagesNamesNoSecret(t *testing.T) {
	o := browser.Options{Width: 800, Header: http.Header{"Cookie": {"sid=hush"}}, Auth: map[origin.Server]browser.Login{{Host: "a.test"}: {User: "anna", Password: "hush"}}}
	plain := look(o, false, false)
	if strings.Contains(plain, "hush") || strings.Contains(plain, "anna") || !strings.Contains(plain, "Cookie") || !strings.Contains(plain, "a.test") {
		t.Errorf("the look is %q", plain)
	}
	wider := o
	wider.Width = 801
	known, more := o, o
	known.Cookies = []cookies.Cookie{{Name: "sid", Value: "hush", Host: "a.test", Path: "/"}}
	more.Cookies = append(more.Cookies, known.Cookies[0], cookies.Cookie{Name: "b", Value: "hush", Host: "b.test", Path: "/"})
	other := known
	other.Cookies = []cookies.Cookie{known.Cookies[0]}
	other.Cookies[0].Value = "other"
	if look(known, false, false) != look(other, false, false) || strings.Contains(look(known, false, false), "hush") {
		t.Errorf("the value of a cookie is in the look: %q", look(known, false, false))
	}
	if look(known, false, false) == look(more, false, false) {
		t.Errorf("one cookie more is not in the look: %q", look(more, false, false))
	}
	everywhere := o
	everywhere.HeaderEverywhere = true
	for _, other := range []string{look(known, false, false), look(everywhere, false, false), look(wider, false, false), look(o, true, false), look(o, false, true)} {
		if other == plain {
			t.Errorf("%q is the look of two setups", other)
		}
	}
}

func TestThePictureOfAFailedStepIsKeptWhereOneIsWanted(t *testing.T) {
	failed := &plat.VisitError{Outcome: plat.OutcomeStepsFailed, Err: errors.New("no such button"), Picture: &plat.Picture{Data: []byte("png")}}
	if err := keepPicture("", "https://a.test/", failed); err != error(failed) {
		t.Errorf("without a folder: %v", err)
	}
	dir := t.TempDir()
	err := keepPicture(dir, "https://a.test/", failed)
	_, name, _ := strings.Cut(strings.TrimSuffix(err.Error(), ")"), "the page at that time: ")
	if b, bad := os.ReadFile(name); bad != nil || string(b) != "png" || !strings.Contains(name, "a.test") || !strings.HasPrefix(name, dir) {
		t.Errorf("%v: %v", err, bad)
	}
	if again, ok := errors.AsType[*plat.VisitError](err); !ok || again.Outcome != plat.OutcomeStepsFailed || again == failed {
		t.Errorf("the error became %#v", err)
	}
	if err := keepPicture(dir+"/none", "https://a.test/", failed); !strings.Contains(err.Error(), "could not be written") {
		t.Errorf("without a folder that is there: %v", err)
	}
}
