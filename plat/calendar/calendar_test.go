package calendar

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestDatesAreReadInTheLanguagesOfTheirPages(t *testing.T) {
	for in, want := range map[string]string{
		"2026-01-31":                             "2026-01-31",
		"2026/1/31":                              "2026-01-31",
		"31.01.2026":                             "2026-01-31",
		"31.1.26":                                "2026-01-31",
		"31/01/2026":                             "2026-01-31",
		"03/02/2026":                             "2026-02-03",
		"Updated January 31, 2026 9:41am":        "2026-01-31",
		"Jan. 31, 2026":                          "2026-01-31",
		"31st January 2026":                      "2026-01-31",
		"31stop January 2026":                    "",
		"am 31. Jänner 2026 um 10:15":            "2026-01-31",
		"1. März 2026":                           "2026-03-01",
		"31 janvier 2026":                        "2026-01-31",
		"31 de enero de 2026":                    "2026-01-31",
		"31 gennaio 2026":                        "2026-01-31",
		"31 января 2026":                         "2026-01-31",
		"2026年1月31日":                             "2026-01-31",
		"12 Marktplatz 2026":                     "",
		"30 February 2026":                       "",
		"version 1.2.3":                          "",
		"Apache 2.4.54 is out":                   "",
		"Apache 2.4.26 is out":                   "",
		"Release 10.4.54":                        "",
		"vom 03.04.26":                           "2026-04-03",
		"10:30-45":                               "",
		"1 May 1742":                             "",
		"":                                       "",
		strings.Repeat("x ", 400) + "31.01.2026": "",
	} {
		got := ""
		if d, ok := Find(in, false); ok {
			got = d.String()
		}
		if got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
	if d, ok := Find("03/02/2026", true); !ok || d.String() != "2026-03-02" {
		t.Errorf("an American 03/02/2026 is %v", d)
	}
	if got := Machine("Sat, 31 Jan 2026 10:00:00 +0100", false); got != "2026-01-31" {
		t.Errorf("RFC 1123: %q", got)
	}
	if got := Machine("20260131", false); got != "2026-01-31" {
		t.Errorf("ISO basic: %q", got)
	}
}

func TestAllDatesOfATextAreFound(t *testing.T) {
	const text = "From 31 January 2026, 10:15, to 2. März 2026 or 2026年3月4日."
	var got []string
	for _, d := range All(text, false) {
		got = append(got, d.String()+" "+text[d.From:d.To])
	}
	if want := []string{"2026-01-31 31 January 2026", "2026-03-02 2. März 2026", "2026-03-04 2026年3月4日"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A text that is not scanned contains no date.
func TestTextsWithoutTheNumbersOfADateAreNotRead(t *testing.T) {
	for in, want := range map[string]bool{
		"": false, "May": false, "2026": false, "20260131": false, "x12 k5": false, "1.234.567": false, "2 May 123": false,
		"May 1, 2026": true, "2026年1": true, "2026-12345": true, "a1b1c22": true, "123 4 x 12 7": true,
	} {
		if got := hasNumbers(in); got != want {
			t.Errorf("%q: %t", in, got)
		}
	}
	r := rand.New(rand.NewPCG(1, 1))
	for range 200_000 {
		var b strings.Builder
		for range 1 + r.IntN(6) {
			b.WriteString([]string{"1", "20", "31", "2026", "123", "May ", ".", "/", "-", " ", "年", "月", "日", "x"}[r.IntN(14)])
		}
		if hasNumbers(b.String()) {
			continue
		}
		ps := parts(b.String())
		for i := 0; i+2 < len(ps); i++ {
			if d, ok := dateOf(ps[i], ps[i+1], ps[i+2], i%2 == 0); ok {
				t.Fatalf("%q is not read, and has the date %v", b.String(), d)
			}
		}
	}
}
