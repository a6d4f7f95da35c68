package output

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"plat/cmd/plat/terminal"
	"plat/queue/forecast"
)

// visitsOf are visits at even times: . nothing, ! news, x failed, 1 the first.
func visitsOf(signs string, every time.Duration) (visits []forecast.Visit) {
	for i, c := range signs {
		result := map[rune]forecast.Result{'.': forecast.Nothing, '!': forecast.News, 'x': forecast.Failed, '1': forecast.First}[c]
		visits = append(visits, forecast.Visit{Time: time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(i) * every), Result: result})
	}
	return visits
}

func drawn(visits []forecast.Visit, colours bool) []string {
	var out bytes.Buffer
	s := terminal.NewScreen(&out)
	s.Colors = colours
	return picture(s, visits)
}

func TestThePictureOfVisitsIsInTheScaleOfTime(t *testing.T) {
	for _, tc := range []struct {
		name   string
		visits []forecast.Visit
		want   [3]string // the chart, its times, its legend
	}{
		{"one", visitsOf("1", time.Hour), [3]string{"○", "2026-05-01 00:00", "of 1 visit 0 found something; 0 nothing; one was the first"}},
		{"a visit a column", visitsOf("1."+strings.Repeat("!.x.", 18), time.Hour),
			[3]string{"○▁" + strings.Repeat("█▁×▁", 18), "2026-05-01 00:00" + strings.Repeat(" ", 42) + "2026-05-04 01:00", "of 74 visits 18 found something; 37 nothing; 18 failed; one was the first"}},
		{"a gap", append(visitsOf("1!", time.Hour), visitsOf("................................................!", 73*time.Hour/48)[48:]...),
			[3]string{"○█" + strings.Repeat(" ", 71) + "█", "2026-05-01 00:00" + strings.Repeat(" ", 42) + "2026-05-04 01:00", "of 3 visits 2 found something; 0 nothing; one was the first"}},
	} {
		got := drawn(tc.visits, false)
		if got[0] != tc.want[0] || got[1] != tc.want[1] || got[2] != tc.want[2] {
			t.Errorf("%s is drawn as\n%s\nwant\n%s", tc.name, strings.Join(got, "\n"), strings.Join(tc.want[:], "\n"))
		}
	}
	// Several visits in a column: as high as the share of them that found something.
	many := drawn(visitsOf(strings.Repeat("....", 37)+strings.Repeat("!...", 37)+strings.Repeat("!!!!", 37), time.Hour), false)
	if !strings.HasPrefix(many[0], "▁▁▁▁") || !strings.HasSuffix(many[0], "████") || !strings.ContainsAny(many[0], "▂▃▄") || !strings.Contains(many[3], "share") || len([]rune(many[0])) != pictureWidth {
		t.Errorf("444 visits are drawn as\n%s", strings.Join(many, "\n"))
	}
	if coloured := drawn(visitsOf("!x.", time.Hour), true); !strings.Contains(coloured[0], "\x1b[32m█\x1b[0m") || !strings.Contains(coloured[0], "\x1b[31m×\x1b[0m") || !strings.HasSuffix(coloured[0], "▁") {
		t.Errorf("in colours: %q", coloured[0])
	}
}
