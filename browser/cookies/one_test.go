package cookies

import (
	"net/url"
	"testing"
)

// TestJarsOfFewCookies: without cookies there is no jar, with one it is sent where it belongs.
func TestJarsOfFewCookies(t *testing.T) {
	if j := NewJar(nil); j != nil {
		t.Error("a jar without cookies")
	}
	at := func(s string) *url.URL {
		u, err := url.Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	for n := 1; n <= 2; n++ {
		j := NewJar([]Cookie{{Name: "a", Value: "1", Host: "x.test", Path: "/"}, {Name: "b", Value: "2", Host: "y.test", Path: "/"}}[:n])
		for host, want := range map[string]string{"x.test": "a=1", "y.test": map[int]string{2: "b=2"}[n], "www.x.test": ""} {
			if got := j.For(at("https://"+host+"/"), at("https://"+host+"/")); got != want {
				t.Errorf("of %d cookies %s gets %q, want %q", n, host, got, want)
			}
		}
	}
}
