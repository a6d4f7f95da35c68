package calendar

import (
	_ "embed"
	"fmt"
	"strings"
	"testing"
)

// inLibraries has days of February, June and September 2026 as the locales of date libraries write them: see scripts/months/libraries.mjs.
//
//go:embed testdata/libraries.tsv
var inLibraries string

// rarely are the languages some of whose dates in libraries are not read: their short names mean several months or are those of other
// words, or the marks of their alphabet divide the names; in bs and sr the year has two digits.
var rarely = map[string]bool{"ar": true, "bm": true, "bo": true, "br": true, "bs": true, "cv": true, "ga": true, "hy": true, "kok": true, "ml": true, "se": true, "sr": true, "ug": true}

func TestDatesAsLibrariesWriteThem(t *testing.T) {
	dates, unread := 0, 0
	for line := range strings.Lines(inLibraries) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		want := Day{Year: 2026}
		fmt.Sscan(f[1], &want.Month)
		fmt.Sscan(f[2], &want.Day)
		dates++
		switch d, ok := Find(f[3], Style{Language: f[0], MonthFirst: MonthFirst(f[0])}); {
		case ok && d != want:
			t.Errorf("%s: %q is %v, want %v", f[0], f[3], d, want)
		case !ok && !rarely[languageOf(f[0])]:
			t.Errorf("%s: %q is not read", f[0], f[3])
		case !ok:
			unread++
		}
	}
	if dates < 2500 || unread > 90 {
		t.Errorf("%d of %d dates are not read", unread, dates)
	}
}

// TestDatesWithoutAYear: a time or another number after a day and its month is no year.
func TestDatesWithoutAYear(t *testing.T) {
	for _, c := range []struct{ language, in, want string }{
		{"de", "Fr 4.12. 20 Uhr", ""}, {"de", "am 24.12. 10:30 Uhr", ""}, {"de", "bis 24.12. 30 % Rabatt", ""}, {"de", "5.12. 19.30 Uhr", ""}, {"nb", "5.12. 18.00", ""},
		{"cs", "5. 12. 19:00", ""}, {"cs", "5. 12. 19 hod.", ""}, {"fi", "5.12. 18 alkaen", ""}, {"de", "Ruf 5.12.19:00", ""}, {"de", "3. 12. 40 Plätze frei", ""},
		{"de", "5.12.26", "2026-12-05"}, {"de", "5.12.26 um 10:30", "2026-12-05"}, {"cs", "5. 12. 26", "2026-12-05"}, {"cs", "5. 12. 26, Praha", "2026-12-05"}, {"de", "5. 12. 26)", "2026-12-05"}, {"de", "05. 12. 2026 10:30", "2026-12-05"}, {"ko", "26. 12. 5. 오후 3:00", "2026-12-05"},
		{"de", "1.12. – 5.12.26", "2026-12-05"}, {"de", "24.12.-31.12.2026", "2026-12-31"},
	} {
		testFind(t, c.language, c.in, c.want)
	}
}

// TestPartsOfLongerNumbers: versions, addresses and numbers of books are no dates.
func TestPartsOfLongerNumbers(t *testing.T) {
	for _, c := range []struct{ language, in, want string }{
		{"en", "192.12.1.26", ""}, {"en", "v2026.12.1", ""}, {"en", "10.12.20.26", ""}, {"de", "3.12.10.5", ""}, {"en", "978-3-12-01-2026", ""}, {"en", "2026.12.1.7", ""}, {"en", "1/2/12/2026", ""},
		{"en", "2026.12.1", "2026-12-01"}, {"en", "from 12-01-2026", "2026-12-01"}, {"de", "A 3.12.2026", "2026-12-03"}, {"hu", "2026.12.01. 10:30", "2026-12-01"}, {"de", "1.-3.12.2026", "2026-12-03"}, {"en", "2026-12-01-10-30", "2026-12-01"}, {"en", "2026.12.01.", "2026-12-01"},
	} {
		testFind(t, c.language, c.in, c.want)
	}
}

// TestYearsOfEras: Chinese numerals, the years of Japan and Taiwan, Roman months, and marks of other widths.
func TestYearsOfEras(t *testing.T) {
	for _, c := range []struct{ language, in, want string }{
		{"zh", "二〇二六年十二月一日", "2026-12-01"}, {"zh", "记者 二零二六年一月二十一日 报道", "2026-01-21"}, {"zh", "于二〇二六年十月三十日发布", "2026-10-30"}, {"ja", "令和八年十二月一日", "2026-12-01"}, {"ja", "令和元年5月1日", "2019-05-01"}, {"ja", "平成三十年二月三日", "2018-02-03"}, {"ja", "令和8年12月1日", "2026-12-01"},
		{"ja", "R8.12.1", "2026-12-01"}, {"ja", "H30.2.3", "2018-02-03"}, {"ja", "R 8.12.1", ""}, {"en", "R8.12.1", ""}, {"ja", "三年二組一番", ""}, {"zh", "十年一月", ""}, {"zh", "二十十年一月二日", ""}, {"zh", "二〇二六一年一月二日", ""},
		{"zh-TW", "115年12月1日", "2026-12-01"}, {"zh-TW", "民國115年12月1日", "2026-12-01"}, {"zh-TW", "中華民國一百年", ""}, {"zh-TW", "115-12-01", "2026-12-01"}, {"zh_Hant", "115/12/01", "2026-12-01"}, {"zh-TW", "115.12.1", "2026-12-01"}, {"zh-CN", "115-12-01", ""}, {"en", "115/12/01", ""}, {"zh-TW", "555-12-01", ""},
		{"pl", "01 XII 2026", "2026-12-01"}, {"hu", "2026. IV. 1.", "2026-04-01"}, {"sr", "3. IX 2026.", "2026-09-03"}, {"pl", "3 i 2026", ""}, {"en", "12 X 2026", ""}, {"pl", "1 XIII 2026", ""},
		{"da", "1/12 2026", "2026-12-01"}, {"sv", "31/1 2026", "2026-01-31"}, {"en", "1/12 2026", ""}, {"sv", "31/1 2026/27", "2026-01-31"},
		{"en", "2026\u201112\u201101", "2026-12-01"}, {"ja", "２０２６／１２／０１", "2026-12-01"}, {"ja", "2026．12．1", "2026-12-01"},
		{"ar", "08 ينايـــر 2026", "2026-01-08"}, {"vi", "1 Tháng Mười Hai, 2026", "2026-12-01"}, {"vi", "Th 2, 15/06/2026", "2026-06-15"},
		{"sq", "Janar 1-rë, 2026", "2026-01-01"}, {"kk", "8-ші ақпан 2026 ж.", "2026-02-08"}, {"bn", "ফেব্রুয়ারি ৮ই, 2026", "2026-02-08"}, {"uk", "1-е січня 2026 р.", "2026-01-01"}, {"kk", "8-шірек ақпан 2026", ""},
	} {
		testFind(t, c.language, c.in, c.want)
	}
}

func testFind(t *testing.T, language, in, want string) {
	t.Helper()
	got := ""
	if d, ok := Find(in, Style{Language: language, MonthFirst: MonthFirst(language)}); ok {
		got = d.String()
	}
	if got != want {
		t.Errorf("%s: %q is %q, want %q", language, in, got, want)
	}
}
