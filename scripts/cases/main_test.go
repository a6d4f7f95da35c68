package main

import "testing"

func TestWhatTheCheckerPrintsIsRead(t *testing.T) {
	const live = "ARCHIVE 0 new\n--- LIVE {\"red\":2400,\"lime\":100}\n    text: one two | \n    msg: x\n"
	for printed, want := range map[string]string{
		live: "both: nothing",
		live + "--- PLAT SERVE {\"red\":2390,\"lime\":140}\n    text: one  two\n--- WABAC {\"red\":2400,\"lime\":100}\n    text: one two | | \n": "as live",
		live + "--- PLAT SERVE {\"red\":2400}\n    text: one two\n--- WABAC no picture\n    text: one\n":                                         "serve: lime; wabac: lime, red, text",
		live + "--- PLAT SERVE {\"red\":2400,\"lime\":100}\n    text: one two\n--- WABAC {\"red\":0,\"lime\":100}\n    text: one two\n":          "serve: as live; wabac: red",
		"ARCHIVE 1\n": "not tried",
	} {
		if o := read(printed); o.String() != want || o.right() != (want == "as live") {
			t.Errorf("%q: %s, want %s", printed, o, want)
		}
	}
}
