package queue

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestEachSeed(t *testing.T) {
	list := "\uFEFF# a list\n\n http://a.test/#top\r\n{\"url\": \"http://b.test/ # no comment\"}\nhttp://c.test/\t# why\n"
	var got []string
	err := EachSeed(strings.NewReader(list), func(n int, text string) error {
		got = append(got, fmt.Sprint(n, " ", text))
		return nil
	})
	if want := "3 http://a.test/#top|4 {\"url\": \"http://b.test/ # no comment\"}|5 http://c.test/"; err != nil || strings.Join(got, "|") != want {
		t.Errorf("the lines are %q, %v", got, err)
	}
	enough := errors.New("enough")
	if err := EachSeed(strings.NewReader("a\nb\n"), func(int, string) error { return enough }); err != enough {
		t.Errorf("an error of yield returns %v", err)
	}
	if err := EachSeed(strings.NewReader(strings.Repeat("x", maxSeedLine)), func(int, string) error { return nil }); err == nil {
		t.Error("a line without end is read")
	}
}
