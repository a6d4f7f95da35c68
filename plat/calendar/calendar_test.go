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
		if d, ok := Find(in, Style{}); ok {
			got = d.String()
		}
		if got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
	if d, ok := Find("03/02/2026", Style{MonthFirst: true}); !ok || d.String() != "2026-03-02" {
		t.Errorf("an American 03/02/2026 is %v", d)
	}
	if got := Machine("Sat, 31 Jan 2026 10:00:00 +0100", Style{}); got != "2026-01-31" {
		t.Errorf("RFC 1123: %q", got)
	}
	if got := Machine("20260131", Style{}); got != "2026-01-31" {
		t.Errorf("ISO basic: %q", got)
	}
}

func TestTheOrderOfDayAndMonth(t *testing.T) {
	for _, tc := range []struct {
		in          string
		want, other string // with the day first, and with the month first
		months      int
	}{
		{"03/02/2026", "2026-02-03", "2026-03-02", 0},
		{"03-02-2026", "2026-02-03", "2026-03-02", 0},
		{"11-29-2024, 09:03 AM", "2024-11-29", "2024-11-29", 1},
		{"29/11/2024 and 30/11/2024", "2024-11-29", "2024-11-29", -2},
		{"29-11-2024 and 11/29/24", "2024-11-29", "2024-11-29", 0},
		{"03.02.2026", "2026-02-03", "2026-02-03", 0},
		{"11-29-24", "", "", 0},
		{"11-29/2024", "", "", 0},
		{"32/11/2024 and 13/14/2024", "", "", 0},
	} {
		for first, want := range map[bool]string{false: tc.want, true: tc.other} {
			got := ""
			if d, ok := Find(tc.in, Style{MonthFirst: first}); ok {
				got = d.String()
			}
			if got != want {
				t.Errorf("%q with the month first %v is %q, want %q", tc.in, first, got, want)
			}
		}
		if got := Orders(tc.in); got != tc.months {
			t.Errorf("%q: %d, want %d", tc.in, got, tc.months)
		}
	}
}

func TestInstantsForMachines(t *testing.T) {
	for in, want := range map[string]string{
		"1583020800": "2020-03-01", "1583020800000": "2020-03-01", "158302080": "", "9999999999": "", "-583020800": "", "15830208x0": "",
		"2020030112": "2020-03-01", "31 | 01 | 2026": "2026-01-31", "3 | 1 | 2026": "", "31 | 01 - 2026": "",
	} {
		if got := Machine(in, Style{}); got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
}

// Forms of dates in 40 languages, most of them with the month in the form that the language has in a date.
func TestDatesOfTheWorld(t *testing.T) {
	for _, c := range []struct{ language, in, want string }{
		{"de-AT", "5. Jänner 2026", "2026-01-05"}, {"fr", "1er août 2025", "2025-08-01"}, {"fr", "14 juil. 2025", "2025-07-14"}, {"es", "mié., 14 jul. 2025", "2025-07-14"},
		{"pt", "14 de fevereiro de 2026", "2026-02-14"}, {"uk", "3 березня 2026 р.", "2026-03-03"}, {"cs", "3. března 2026", "2026-03-03"}, {"sk", "3. marca 2026", "2026-03-03"},
		{"sv", "den 14 augusti 2025", "2025-08-14"}, {"da", "3. marts 2026", "2026-03-03"}, {"no", "3. desember 2025", "2025-12-03"}, {"nn", "3. mars 2026", "2026-03-03"},
		{"fi", "3. maaliskuuta 2026", "2026-03-03"}, {"et", "3. märts 2026", "2026-03-03"}, {"lv", "2026. gada 3. marts", "2026-03-03"}, {"lt", "2026 m. kovo 3 d.", "2026-03-03"},
		{"hu", "2026. március 3.", "2026-03-03"}, {"ro", "3 martie 2026", "2026-03-03"}, {"tr", "3 Mart 2026", "2026-03-03"}, {"az", "3 mart 2026", "2026-03-03"}, {"el", "3 Μαρτίου 2026", "2026-03-03"},
		{"hr", "3. listopada 2025.", "2025-10-03"}, {"pl", "3 listopada 2025", "2025-11-03"}, {"", "3 listopada 2025", "2025-11-03"}, {"sl", "3. oktober 2025", "2025-10-03"}, {"sr", "3. октобар 2025.", "2025-10-03"},
		{"bg", "3 март 2026 г.", "2026-03-03"}, {"mk", "3 март 2026", "2026-03-03"}, {"ca", "3 de març de 2026", "2026-03-03"}, {"ca", "3 d’abril del 2026", "2026-04-03"}, {"gl", "3 de xaneiro de 2026", "2026-01-03"},
		{"is", "3. mars 2026", "2026-03-03"}, {"ga", "3 Márta 2026", "2026-03-03"}, {"cy", "3 Mawrth 2026", "2026-03-03"}, {"id", "3 Maret 2026", "2026-03-03"}, {"ms", "3 Ogos 2026", "2026-08-03"},
		{"vi", "3 tháng 3, 2026", "2026-03-03"}, {"vi", "Thứ Ba, ngày 3 tháng 12 năm 2025", "2025-12-03"}, {"ja", "令和8年3月3日", "2026-03-03"}, {"ja", "公開日：平成31年4月30日", "2019-04-30"}, {"ja", "２０２６年３月３日", "2026-03-03"},
		{"zh", "2026年3月3日 08:30", "2026-03-03"}, {"zh", "发布于2026年3月3日", "2026-03-03"}, {"ko", "2026년 3월 3일", "2026-03-03"}, {"ko", "등록 2026년3월3일(화)", "2026-03-03"},
		{"th", "3 มีนาคม 2569", "2026-03-03"}, {"th", "วันที่ 3 มกราคม 2026", "2026-01-03"}, {"th", "๓ มีนาคม ๒๕๖๙", "2026-03-03"}, {"ar", "3 مارس 2026", "2026-03-03"}, {"ar", "٣ مارس ٢٠٢٦", "2026-03-03"}, {"ar-LB", "3 آذار 2026", "2026-03-03"},
		{"he", "3 במרץ 2026", "2026-03-03"}, {"he", "3 מרץ 2026", "2026-03-03"}, {"hi", "3 मार्च 2026", "2026-03-03"}, {"hi", "३ मार्च २०२६", "2026-03-03"}, {"bn", "৩ মার্চ ২০২৬", "2026-03-03"},
		{"hy", "3 մարտի 2026", "2026-03-03"}, {"ka", "3 მარტი 2026", "2026-03-03"}, {"sw", "3 Machi 2026", "2026-03-03"}, {"eu", "2026 martxoak 3", ""},
		{"en", "3-Mar-26", "2026-03-03"}, {"en", "March 3rd, 2026", "2026-03-03"}, {"en", "Sept. 9th 2025", "2025-09-09"}, {"en", "3 Mar 26", ""}, {"fa", "۱۲ اسفند ۱۴۰۴", "2026-03-03"},
		{"fa", "۱۴۰۴/۱۲/۱۲", "2026-03-03"}, {"fa", "12/12/1404", "2026-03-03"}, {"fa", "۳۰ اسفند ۱۴۰۴", ""}, {"fa", "۳۰ اسفند ۱۴۰۳", "2025-03-20"}, {"fa", "۳۱ مهر ۱۴۰۴", ""},
		{"fa-AF", "۱۲ حوت ۱۴۰۴", "2026-03-03"}, {"en", "12/12/1404", ""}, {"fa", "۱۲ مهر ۲۰۰۴", ""}, {"fa", "3 آوریل 2026", "2026-04-03"},
		{"th", "3/3/69", "2026-03-03"}, {"th", "3/3/26", "2026-03-03"}, {"th", "3 มี.ค. 2569", "2026-03-03"}, {"th", "วันที่ 3 มีนาคม พ.ศ. 2569", "2026-03-03"},
		{"uz", "2026-yil 3-mart", "2026-03-03"}, {"kk", "2026 жылғы 3 наурыз", "2026-03-03"}, {"mn", "2026 оны 3 сарын 3", "2026-03-03"}, {"mn", "2026 оны 3-р сарын 3", "2026-03-03"},
		{"ga", "28 Meán Fómhair 2025", "2025-09-28"}, {"en", "28 Meán Fómhair 2025", ""}, {"he", "3 במרץ 2026", "2026-03-03"}, {"ar", "03\u200f/03\u200f/2026", "2026-03-03"},
		{"eu", "2026(e)ko martxoaren 3(a)", "2026-03-03"}, {"rw", "2026 Werurwe 3", "2026-03-03"}, {"en", "2026 Werurwe 3", ""}, {"ko", "26. 3. 3.", "2026-03-03"}, {"nl", "26. 3. 3.", ""},
		{"en", "3 Mar\u00adch 2026", "2026-03-03"}, {"tl", "Marso 3, 2026", "2026-03-03"},
		{"sl", "3. marca 2026", "2026-03-03"}, {"sr", "3. avgusta 2026.", "2026-08-03"}, {"sr", "3. марта 2026.", "2026-03-03"}, {"en", "Marta 3, 2026", ""}, {"et", "3. mail 2026", "2026-05-03"},
		{"en", "3 mail 2026", ""}, {"lv", "2026. gada 3. martā", "2026-03-03"}, {"ka", "3 მარტს, 2026", "2026-03-03"},
		{"vi", "3 tháng 13, 2026", ""}, {"th", "3 มีนาคม 1969", ""}, {"ja", "令和8年", ""}, {"", "2026 teams 3", ""}, {"", "3 d 2026", ""},
	} {
		got := ""
		if d, ok := Find(c.in, Style{Language: c.language}); ok {
			got = d.String()
		}
		if got != c.want {
			t.Errorf("%s: %q is %q, want %q", c.language, c.in, got, c.want)
		}
	}
	for word, want := range map[string]int{"MÄRZ": 3, "listopada": 11, "ма́рта": 0, "mars": 3, "במאי": 5, "x": 0, "": 0} {
		if got := MonthOf(word); got != want {
			t.Errorf("%q is month %d, want %d", word, got, want)
		}
	}
}

func TestAllDatesOfATextAreFound(t *testing.T) {
	const text = "From 31 January 2026, 10:15, to 2. März 2026 or 2026年3月4日."
	var got []string
	for _, d := range All(text, Style{}) {
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
			b.WriteString([]string{"1", "20", "31", "2026", "123", "May ", ".", "/", "-", " ", "年", "月", "日", "x", "년", "월", "令和", "tháng ", "٣", "３"}[r.IntN(20)])
		}
		if hasNumbers(b.String()) {
			continue
		}
		ps := parts(b.String(), plainForm)
		for i := 0; i+2 < len(ps); i++ {
			if d, ok := (Style{MonthFirst: i%2 == 0}).dateOf(plainForm, ps[i], ps[i+1], ps[i+2]); ok {
				t.Fatalf("%q is not read, and has the date %v", b.String(), d)
			}
		}
	}
}
