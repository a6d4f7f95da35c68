package calendar

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestDaysThatExist(t *testing.T) {
	for d, want := range map[Day]bool{
		{1990, 1, 1}: true, {1989, 12, 31}: false, {2100, 12, 31}: true, {2101, 1, 1}: false, {2026, 0, 1}: false, {2026, 13, 1}: false, {2026, 12, 1}: true,
		{2026, 1, 0}: false, {2026, 1, 31}: true, {2026, 1, 32}: false, {2026, 4, 31}: false, {2024, 2, 29}: true, {2026, 2, 29}: false, {}: false,
	} {
		if d.OK() != want {
			t.Errorf("%v is a day: %v", d, !want)
		}
	}
}

// Dates with one number too long, too short, too small or too large are none, in each of their forms.
func TestDatesAtTheirEdges(t *testing.T) {
	for _, c := range []struct{ language, in, want string }{
		{"", "2026-01-01", "2026-01-01"}, {"", "2026-00-01", ""}, {"", "2026-01-00", ""}, {"", "2026-12-31", "2026-12-31"}, {"", "2026-1-031", ""}, {"", "2026-01-3", "2026-01-03"},
		{"", "20260-01-31", ""}, {"", "202-01-31", ""}, {"", "2026-01/31", ""}, {"", "2026/01-31", ""}, {"", "2026 01 31", ""}, {"", "2026–01–31", "2026-01-31"}, {"", "2026.01.31", "2026-01-31"}, {"", "2026, 01, 31", ""}, {"", "2026 - 01 - 31", "2026-01-31"},
		{"hu", "2026. január 31.", "2026-01-31"}, {"hu", "2026. január 031.", ""}, {"hu", "2026. január 0.", ""}, {"hu", "2026. xanuár 31.", ""}, {"hu", "20260 január 31.", ""}, {"hu", "2026. január 1", "2026-01-01"},
		{"lv", "2026. gada 31. janvāris", "2026-01-31"}, {"lv", "2026. gada 031. janvāris", ""}, {"lv", "2026. gada 0. janvāris", ""}, {"lt", "2026. 31. janvāris", ""}, {"lv", "202. gada 31. janvāris", ""},
		{"", "031 January 2026", ""}, {"", "0 January 2026", ""}, {"", "1 January 2026", "2026-01-01"}, {"", "31 January 02026", ""}, {"", "31 January 202", ""}, {"", "January January 2026", ""}, {"", "31 31 2026", ""},
		{"", "31-Jan-26", "2026-01-31"}, {"", "1-Jan-00", "2000-01-01"}, {"", "031-Jan-26", ""}, {"", "31-Jan.26", ""}, {"", "31.Jan-26", ""}, {"", "31-Jan-260", ""}, {"", "31-Jan-6", ""}, {"", "31-Jan-2026", "2026-01-31"},
		{"", "January 31, 2026", "2026-01-31"}, {"", "January 031, 2026", ""}, {"", "January 0, 2026", ""}, {"", "January 31, 026", ""}, {"", "January x, 2026", ""}, {"", "Room 31, 2026", ""},
		{"", "31.01.2026", "2026-01-31"}, {"", "031.01.2026", ""}, {"", "31.001.2026", ""}, {"", "0.1.2026", ""}, {"", "1.0.2026", ""}, {"", "31.01.202", ""}, {"", "31.01.02026", ""}, {"", "31.01/2026", ""}, {"", "31–01–2026", "2026-01-31"},
		{"", "31.01.49", "2049-01-31"}, {"", "31.01.50", ""}, {"", "1.1.26", ""}, {"", "11.1.26", "2026-01-11"}, {"", "1.11.26", "2026-11-01"}, {"", "1/1/26", "2026-01-01"}, {"", "1/1/99", "2099-01-01"}, {"", "31-01-26", ""}, {"", "31–01–26", ""}, {"", "1.1.00", ""}, {"", "01.01.00", "2000-01-01"},
		{"", "12/13/2026", "2026-12-13"}, {"", "12/12/2026", "2026-12-12"}, {"", "13/12/2026", "2026-12-13"}, {"", "12-13-2026", "2026-12-13"}, {"", "12.13.2026", ""}, {"", "12–13–2026", ""}, {"", "13/13/2026", ""},
		{"", "31 | 01 | 2026", "2026-01-31"}, {"", "1 | 01 | 2026", ""}, {"", "31 | 1 | 2026", ""},
		{"", "2026年1月31日", "2026-01-31"}, {"", "2026年1年31日", ""}, {"", "2026월1월31일", ""}, {"", "2026년1년31일", ""}, {"", "2026年 1月 31日", "2026-01-31"}, {"", "年2026年1月31日", "2026-01-31"}, {"", "2026年1月0日", ""},
		{"ja", "令和1年3月3日", "2019-03-03"}, {"ja", "令和99年3月3日", ""}, {"ja", "令和081年3月3日", ""}, {"ja", "令和81年3月3日", "2099-03-03"}, {"ja", "令和8-3-3", ""}, {"ja", "平成2年3月3日", "1990-03-03"}, {"ja", "平成1年3月3日", ""}, {"ja", "令和 x 8年3月3日", ""},
		{"vi", "3 tháng 1, 2026", "2026-01-03"}, {"vi", "3 thg 12, 2026", "2026-12-03"}, {"vi", "3 tháng 0, 2026", ""}, {"vi", "3 tháng 12 năm 2026", "2026-12-03"}, {"vi", "tháng 3 3, 2026", "2026-03-03"},
		{"", "31 of January 2026", "2026-01-31"}, {"", "31 di gennaio 2026", "2026-01-31"}, {"bg", "3 на март 2026", "2026-03-03"}, {"ca", "3 d abril del 2026", "2026-04-03"}, {"", "31 x January 2026", ""}, {"", "of 31 January 2026", "2026-01-31"}, {"lt", "2026 m. kovo 3 d.", "2026-03-03"},
		{"th", "3 มีนาคม 2533", "1990-03-03"}, {"th", "3/3/2569", "2026-03-03"}, {"", "3/3/2569", ""}, {"", "3 มีนาคม 2569", "2026-03-03"}, {"th", "3 มีนาคม 2643", "2100-03-03"}, {"th", "3 มีนาคม 2644", ""},
		{"", "1st May 2026", "2026-05-01"}, {"", "2nd May 2026", "2026-05-02"}, {"", "3rd May 2026", "2026-05-03"}, {"", "4th May 2026", "2026-05-04"}, {"fr", "1er mai 2026", "2026-05-01"}, {"pt", "1º de maio de 2026", "2026-05-01"}, {"pt", "1ª maio 2026", "2026-05-01"}, {"", "1sta May 2026", ""}, {"", "1stZ May 2026", ""}, {"", "1sté May 2026", ""}, {"", "1st. May 2026", "2026-05-01"}, {"", "1nth May 2026", ""}, {"", "May 1st 2026", "2026-05-01"},
		{"", "1stst May 2026", ""}, {"he", "3 במרץ 2026", "2026-03-03"}, {"iw", "3 מרץ 2026", "2026-03-03"}, {"in", "3 Agustus 2026", "2026-08-03"}, {"en_US", "May 3, 2026", "2026-05-03"}, {"HR", "3. listopada 2025.", "2025-10-03"}, {"hr_HR", "3. listopada 2025.", "2025-10-03"},
		{"", "5 000000031 January 2026", ""}, {"", "4294967298 May 2026", ""}, {"", "1234567890 3 May 2026", "2026-05-03"},
	} {
		got := ""
		if all := All(c.in, Style{Language: c.language}); len(all) > 0 {
			got = all[0].String()
		}
		if got != c.want {
			t.Errorf("%s: %q is %q, want %q", c.language, c.in, got, c.want)
		}
	}
	for tag, want := range map[string]string{"de-AT": "de", "DE": "de", "nb": "no", "nn-NO": "no", "no": "no", "iw": "he", "he": "he", "in": "id", "id_ID": "id", "": "", "-x": ""} {
		if got := languageOf(tag); got != want {
			t.Errorf("%q is the language %q, want %q", tag, got, want)
		}
	}
}

// Each date is cut out with its marks, and the next one is searched behind it.
func TestPlacesOfDates(t *testing.T) {
	for in, want := range map[string]string{
		"on 31 January 2026 and 1 May 2026": "31 January 2026|1 May 2026", "1 May 2026 2 May 2026": "1 May 2026|2 May 2026", "2026年1月31日に": "2026年1月31日", "2026년 1월 31일에": "2026년 1월 31일", "May 3rd, 2026": "May 3rd, 2026",
		"3 4 5 May 2026": "5 May 2026", "１ May ２０２６": "１ May ２０２６", "10 11 2026-05-03": "2026-05-03", "(31.01.2026)": "31.01.2026", "3 thg 5, 2026": "3 thg 5, 2026",
		"1–2 May 2026, 3–4 May 2026": "2 May 2026|4 May 2026",
	} {
		var got []string
		for _, d := range All(in, Style{}) {
			got = append(got, in[d.From:d.To])
		}
		if strings.Join(got, "|") != want {
			t.Errorf("%q has %q, want %q", in, got, want)
		}
	}
	for n, want := range map[int]bool{MaxText - len("31.01.2026"): true, MaxText - len("31.01.2026") + 1: false} {
		if _, ok := Find(strings.Repeat(".", n)+"31.01.2026", Style{}); ok != want {
			t.Errorf("a date behind %d bytes is found: %v", n, ok)
		}
	}
}

func TestDigitsOfOtherScripts(t *testing.T) {
	for _, digits := range []string{"٠١٢٣٤٥٦٧٨٩", "۰۱۲۳۴۵۶۷۸۹", "०१२३४५६७८९", "০১২৩৪৫৬৭৮৯", "๐๑๒๓๔๕๖๗๘๙", "０１２３４５６７８９"} {
		all := []rune(digits)
		for i, r := range all {
			if got := otherDigit(r); got != i {
				t.Errorf("%c is the digit %d, want %d", r, got, i)
			}
			if !hasNumbers("x" + string(r)) {
				t.Errorf("%c is not read", r)
			}
		}
		if otherDigit(all[0]-1) != -1 || otherDigit(all[9]+1) != -1 {
			t.Errorf("characters beside %s are digits", digits)
		}
	}
	for _, s := range []string{"0", "9", "a", "é", "年", "²"} {
		if otherDigit([]rune(s)[0]) != -1 {
			t.Errorf("%s is a digit of an other script", s)
		}
	}
	for in, want := range map[string]bool{"é 2026 5": true, "é 5 2026": true, "é5é2026": true, "é 5 é 6 é 7": true, "5-6": true, "5 6-": true, "-5 6": false, "5 6": false, "5 6 123": false, "5 6 7": true, "2026 x": false, "ä": false, "12345-6": true, "123 456 789": false} {
		if got := hasNumbers(in); got != want {
			t.Errorf("%q has the numbers of a date: %v", in, got)
		}
	}
}

func TestOrdersAtTheirEdges(t *testing.T) {
	for in, want := range map[string]int{
		"13/1/2026": -1, "12/1/2026": 0, "31/12/2026": -1, "32/12/2026": 0, "31/13/2026": 0, "31/0/2026": 0, "1/13/2026": 1, "1/31/2026": 1, "1/32/2026": 0, "12/31/2026": 1, "13/31/2026": 0, "0/31/2026": 0,
		"13/01/26": -1, "13-01-26": 0, "13-01-2026": -1, "13/01/026": 0, "13/001/2026": 0, "x13/01/2026": 0, "13.01.2026": 0, "13/1-2026": 0,
	} {
		if got := Orders(in); got != want {
			t.Errorf("%q: %d, want %d", in, got, want)
		}
	}
	for n, want := range map[int]int{maxOrders: -maxOrders, maxOrders + 9: -maxOrders} {
		if got := Orders(strings.Repeat("31/12/2026 ", n)); got != want {
			t.Errorf("%d dates: %d, want %d", n, got, want)
		}
	}
}

func TestDatesInPaths(t *testing.T) {
	for in, want := range map[string]string{
		"https://a.test/2020/01/31/title": "2020-01-31", "https://a.test/2020-01-31-title": "2020-01-31", "/2020/01/31": "2020-01-31", "2020/01/31/": "2020-01-31", "https://a.test/news/7/2020/01/31": "2020-01-31",
		"https://a.test/2020/1/31/": "", "https://a.test/2020/01/3/": "", "https://a.test/2020/1/31/the-pier": "2020-01-31", "https://a.test/2020/7/3/12": "", "https://a.test/v/2020/7/3.pdf": "", "https://a.test/2020/7/3?page=2": "", "https://a.test/2020/07/3/the-pier": "2020-07-03", "https://a.test/2020/17/3/the-pier": "", "https://a.test/20200/01/31/": "", "https://a.test/2020/01/32/": "", "https://a.test/2020/01-31": "", "https://a.test/2020/01": "", "https://a.test/": "", "": "",
		"https://2020/01/31": "2020-01-31", "https://a.test/2020.01.31.html": "2020-01-31", "https://a.test/2020/13/01/2021/12/01": "2021-12-01", "https://a.test/2020_01_31": "",
	} {
		if got := InPath(in); got != want {
			t.Errorf("%q has %q, want %q", in, got, want)
		}
	}
	for n, want := range map[int]string{2000 - len("/2020/01/31"): "2020-01-31", 2001 - len("/2020/01/31"): ""} {
		if got := InPath(strings.Repeat("x", n) + "/2020/01/31"); got != want {
			t.Errorf("behind %d bytes it is %q, want %q", n, got, want)
		}
	}
}

// Instants are read in each format, at its edges; the day is the one that is written.
func TestFormatsOfInstants(t *testing.T) {
	at := time.Date(2026, 5, 3, 23, 30, 0, 0, time.FixedZone("CEST", 2*3600))
	for _, layout := range []string{time.RFC1123, time.RFC1123Z, time.RFC822Z, time.RFC850, time.ANSIC, time.UnixDate, time.RFC3339, time.DateTime, "20060102", "20060102T150405Z", "20060102150405"} {
		if s := at.Format(layout); Machine(" "+s+"\n", Style{}) != "2026-05-03" {
			t.Errorf("%q is %q", s, Machine(s, Style{}))
		}
	}
	for in, want := range map[string]string{
		"19900101": "1990-01-01", "19891231": "", "21001231": "2100-12-31", "21010101": "", "2026013": "", "20261301": "", "0": "", "631152000": "", "0631152000": "1990-01-01", "0631151999": "", "1583020799": "2020-02-29", "1583020799999": "2020-02-29",
		"15830208000": "", "158302080000": "", "+583020800": "", "4102444800": "2100-01-01", "4133980799": "2100-12-31", "4133980800": "", "May 3, 2026": "2026-05-03", "x": "", "": "", "2026-05-03T23:59:59-11:00": "2026-05-03", "99999999999999": "",
	} {
		if got := Machine(in, Style{}); got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
	if got := Machine("3/5/2026", Style{MonthFirst: true}); got != "2026-03-05" {
		t.Errorf("with the month first it is %s", got)
	}
}

// Numbers keep their first eight digits, so that a long one is no date and no overflow.
func TestNumbersOfParts(t *testing.T) {
	for in, want := range map[string]string{
		"12345678": "12345678 8 8", "123456789": "12345678 9 9", "7th.": "7 1 3", "7thx": "7 1 1", "7the": "7 1 1", "7th2": "7 1 3", "7": "7 1 1", "٣x": "3 1 2", "7º": "7 1 3", "7st é": "7 1 3", "7sté": "7 1 1", "7st\x80": "7 1 3", "7stA": "7 1 1", "7stZ": "7 1 1", "7sta": "7 1 1", "7stz": "7 1 1", "7st[": "7 1 3", "7st@": "7 1 3", "7st{": "7 1 3", "7st`": "7 1 3",
	} {
		p := number(in, 0, plainForm)
		if got := fmt.Sprint(p.number, " ", p.digits, " ", p.to); got != want || p.from != 0 {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}
