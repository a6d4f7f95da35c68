package browser

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"plat/plat"
)

// A page's state has what a reader sees in its controls, and never a password or a hidden value.
func TestTheStateOfControlsHasNoSecrets(t *testing.T) {
	t.Parallel()
	srv := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, `<!doctype html><title>t</title><form name=input><input id=a><input id=b type=password><input id=c type=hidden><input id=d type=submit value=go>
<input id=e type=range><input id=f type=color><input id=g type=number value=4><textarea id=h>
as written</textarea><select id=i><option>one<option>two</select><select id=j><option disabled>none<option>first</select><input id=k type=checkbox><input id=l name=csrf_token><input id=m autocomplete=one-time-code><textarea id=n name=token></textarea></form>
<script>a.value = 'shown'; b.value = 'secret1'; c.value = 'secret2'; k.checked = true; l.value = 'secret3'; m.value = 'secret4'; n.value = 'secret5'; i.value = 'two'</script>`)
	}))
	s, err := pool(t).Render(t.Context(), Request{URL: srv.URL, Resources: plat.StyleResources})
	if err != nil {
		t.Fatal(err)
	}
	state := &plat.PageState{}
	for _, r := range s.Resources {
		if strings.Contains(string(r.Data), "secret") {
			t.Errorf("%s has a secret: %s", r.URL, r.Data)
		}
		if r.URL == plat.PageStateURL {
			if state, err = plat.UnmarshalPageState(r.Data); err != nil {
				t.Fatal(err)
			}
		}
	}
	got := ""
	for _, c := range state.Controls {
		if got += fmt.Sprint(c.Path); c.Value != nil {
			got += *c.Value
		} else {
			got += fmt.Sprint(*c.On)
		}
		got += " "
	}
	// The others are as their markup says: a range is in the middle, a colour black, of a list the first is selected.
	if want := "[0 1 0 0]shown [0 1 0 10]true [0 1 0 8 1]true "; got != want {
		t.Errorf("the state of the controls is %q, want %q", got, want)
	}
}
