package queue

import (
	"errors"
	"strings"
	"testing"
)

func TestNoErrorOfAnAddressRepeatsItsPassword(t *testing.T) {
	for _, raw := range []string{
		"me:hush@h:6379", ":hush@h:6379/0", "redis:me:hush@h", "redis://me:hu/hush@h:6379/0", "redis://me:hush@h:x/0",
		"redis+cluster://me:hush@a:1,b:x/0?hush=1", "redis://h:6379/0?password=hush", "http://me:hush@h/",
	} {
		_, _, err := parseURL(raw)
		if raw == "redis+cluster://me:hush@a:1,b:x/0?hush=1" && err == nil {
			err = explain(raw, errors.New("b:x: no such port"))
		}
		if err == nil || strings.Contains(err.Error(), "hush") {
			t.Errorf("%q: %v", raw, err)
		}
	}
}
