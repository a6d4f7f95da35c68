package calendar

import "strings"

// iranian are the languages whose pages have dates of the Solar Hijri calendar.
var iranian = map[string]bool{"fa": true, "ps": true, "ckb": true, "mzn": true, "lrc": true}

// iranianMonths are its months, in Iran, and in Afghanistan in Dari and Pashto.
var iranianMonths = func() map[string]int {
	all := map[string]int{}
	for _, names := range []string{
		"فروردین اردیبهشت خرداد تیر مرداد شهریور مهر آبان آذر دی بهمن اسفند",
		"حمل ثور جوزا سرطان اسد سنبله میزان عقرب قوس جدی دلو حوت",
		"وری غویی غبرګولی چنګاښ زمری وږی تله لړم لیندۍ مرغومی سلواغه کب",
	} {
		for i, name := range strings.Fields(names) {
			all[name] = i + 1
		}
	}
	all["امرداد"], all["چنگاښ"] = 5, 4
	return all
}()

// iranianDate parses three parts in a row as a date of that calendar: 14 دی 1403, 1403 دی 14, 1403/10/14 or 14/10/1403.
func iranianDate(a, b, c part) (Day, bool) {
	year, day := a, c
	if c.digits == 4 {
		year, day = c, a
	}
	month := b.number
	if month < 0 {
		month = iranianMonths[b.word]
	} else if !sameMark(a, b) {
		return Day{}, false
	}
	if year.digits != 4 || day.digits > 2 {
		return Day{}, false
	}
	return gregorian(year.number, month, day.number)
}

// leaps are the years of leap days in a cycle of 33 years, which fits the observed years 1343 to 1472.
var leaps = [33]bool{1: true, 5: true, 9: true, 13: true, 17: true, 22: true, 26: true, 30: true}

// gregorian converts a date of the Solar Hijri calendar, of the years 1369 to 1472.
func gregorian(year, month, day int) (Day, bool) {
	if year < 1369 || year > 1472 || month < 1 || month > 12 || day < 1 || day > 31 || month > 6 && day > 30 || month == 12 && day == 30 && !leaps[year%33] {
		return Day{}, false
	}
	days := (year-1369)*365 + min(month-1, 6)*31 + max(0, month-7)*30 + day - 1
	for y := 1369; y < year; y++ {
		if leaps[y%33] {
			days++
		}
	}
	return Day{1990, 3, 21 + days}.normal(), true
}
