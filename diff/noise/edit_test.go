package noise

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

var then = time.Date(2026, 11, 24, 13, 5, 40, 0, time.UTC) // a Tuesday

// shown returns the edits of two texts, the second seen later.
func shown(old, new string, later time.Duration) string {
	var all []string
	for _, e := range Edits(Text{old, then}, Text{new, then.Add(later)}) {
		why := string(e.Why)
		if why == "" {
			why = "news"
		}
		all = append(all, fmt.Sprintf("%s: %s → %s", why, old[e.Old.From:e.Old.To], new[e.New.From:e.New.To]))
	}
	return strings.Join(all, "; ")
}

func TestWhatGoesOnByItselfIsNoNews(t *testing.T) {
	for _, c := range []struct {
		old, new string
		later    time.Duration
		want     string
	}{
		{"It is 14:05:40 now", "It is 14:06:41 now", 61 * time.Second, "clock: 14:05:40 → 14:06:41"},
		{"Now: 1:05 pm", "Now: 2:05 pm", time.Hour, "clock: 1:05 pm → 2:05 pm"},
		{"Il est 14h05", "Il est 14h15", 10 * time.Minute, "clock: 14h05 → 14h15"},
		{"現在 22時05分", "現在 22時06分", time.Minute, "clock: 22時05分 → 22時06分"},
		{"Ends in 02:13:09", "Ends in 02:12:59", 10 * time.Second, "clock: 02:13:09 → 02:12:59"},
		{"Up for 100:00:01", "Up for 101:00:01", time.Hour, "clock: 100:00:01 → 101:00:01"},
		{"Posted 5 minutes ago by Ann", "Posted 1 hour ago by Ann", time.Hour, "age: 5 minutes ago → 1 hour ago"},
		{"Posted just now", "Posted an hour ago", time.Hour, "age: just now → an hour ago"},
		{"vor 5 Minuten", "vor einer Stunde", time.Hour, "age: vor 5 Minuten → vor einer Stunde"},
		{"il y a 2 heures et 10 minutes", "il y a 3 heures", time.Hour, "age: il y a 2 heures et 10 minutes → il y a 3 heures"},
		{"hace 2 días", "hace 3 días", 24 * time.Hour, "age: hace 2 días → hace 3 días"},
		{"há 10 minutos", "há 12 minutos", 2 * time.Minute, "age: há 10 minutos → há 12 minutos"},
		{"10 minuti fa", "12 minuti fa", 2 * time.Minute, "age: 10 minuti fa → 12 minuti fa"},
		{"10 minuten geleden", "12 minuten geleden", 2 * time.Minute, "age: 10 minuten geleden → 12 minuten geleden"},
		{"10 minut temu", "12 minut temu", 2 * time.Minute, "age: 10 minut temu → 12 minut temu"},
		{"5 минут назад", "7 минут назад", 2 * time.Minute, "age: 5 минут назад → 7 минут назад"},
		{"för 10 minuter sedan", "för 12 minuter sedan", 2 * time.Minute, "age: för 10 minuter sedan → för 12 minuter sedan"},
		{"10 dakika önce", "12 dakika önce", 2 * time.Minute, "age: 10 dakika önce → 12 dakika önce"},
		{"před 10 minutami", "před 12 minutami", 2 * time.Minute, "age: před 10 minutami → před 12 minutami"},
		{"5分钟前", "7分钟前", 2 * time.Minute, "age: 5分钟前 → 7分钟前"},
		{"5 時間前", "6 時間前", time.Hour, "age: 5 時間前 → 6 時間前"},
		{"5분 전", "7분 전", 2 * time.Minute, "age: 5분 전 → 7분 전"},
		{"منذ 10 دقائق", "منذ 12 دقائق", 2 * time.Minute, "age: منذ 10 دقائق → منذ 12 دقائق"},
		{"5m ago", "7m ago", 2 * time.Minute, "age: 5m ago → 7m ago"},
		{"in 10 days", "in 9 days", 24 * time.Hour, "age: in 10 days → in 9 days"},
		{"Posted 6 days ago", "Posted 18 November 2026", 24 * time.Hour, "age: 6 days ago → 18 November 2026"},
		{"Today is Tuesday, 24 November 2026.", "Today is Wednesday, 25 November 2026.", 24 * time.Hour,
			"date: Tuesday → Wednesday; date: 24 November 2026 → 25 November 2026"},
		{"2026-11-24", "2026-11-25", 24 * time.Hour, "date: 2026-11-24 → 2026-11-25"},
		{"今天是2026年11月24日 星期二", "今天是2026年11月25日 星期三", 24 * time.Hour, "date: 2026年11月24日 → 2026年11月25日; date: 星期二 → 星期三"},
		{"© 2025 Harbour", "© 2026 Harbour", time.Hour, "year: 2025 → 2026"},
		{"Copyright 1997-2025, all rights", "Copyright 1997-2026, all rights", time.Hour, "year: 2025 → 2026"},
		{"© The Harbour 2019", "© The Harbour 2019–2026", time.Hour, "year:  → –2026"},
		{"2024 © Harbour", "2026 © Harbour", time.Hour, "year: 2024 → 2026"},
		{"2024 ©", "2026 ©", time.Hour, "year: 2024 → 2026"},
		{"Copyright (c) 2025 Harbour", "Copyright (c) 2026 Harbour", time.Hour, "year: 2025 → 2026"},
		{"Page generated in 0.217 seconds", "Page generated in 0.3 seconds", time.Hour, "made-in: 0.217 → 0.3"},
		{"Page rendered in 12ms.", "Page rendered in 15ms.", time.Hour, "made-in: 12ms → 15ms"},
		{"Page generated in 2 seconds", "Page generated in 3 seconds", time.Hour, "made-in: in 2 seconds → in 3 seconds"},
		{"Generation time: 0.012s", "Generation time: 0.02s", time.Hour, "made-in: 0.012s → 0.02s"},
		{"Seite erzeugt in 0,217 Sekunden", "Seite erzeugt in 0,3 Sekunden", time.Hour, "made-in: 0,217 → 0,3"},
		{"Page générée en 0.21 secondes", "Page générée en 0.3 secondes", time.Hour, "made-in: 0.21 → 0.3"},
		{"页面生成耗时 0.02 秒", "页面生成耗时 0.03 秒", time.Hour, "made-in: 0.02 → 0.03"},
	} {
		if got := shown(c.old, c.new, c.later); got != c.want {
			t.Errorf("%q → %q after %v:\n got %s\nwant %s", c.old, c.new, c.later, got, c.want)
		}
	}
}

func TestWhatSomebodyChangesIsNews(t *testing.T) {
	for _, c := range []struct {
		old, new string
		later    time.Duration
	}{
		{"Price: 12.50 €", "Price: 12.60 €", time.Minute},
		{"Stock 1", "Stock 0", time.Minute},
		{"Result 2:1", "Result 2:2", time.Minute},
		{"Result 14:05", "Result 15:07", 2 * time.Hour},
		{"Doors open at 19:00", "Doors open at 20:00", 24 * time.Hour},
		{"The meeting is on 24 November 2026", "The meeting is on 26 November 2026", 24 * time.Hour},
		{"Version 1.2.3", "Version 1.2.4", time.Hour},
		{"Deadline: 1 December 2026", "Deadline: 2 December 2026", 24 * time.Hour},
		{"Call 030 1234567", "Call 030 1234568", time.Hour},
		{"Last comment 2 hours ago", "Last comment 1 minute ago", time.Hour},
		{"Last comment 5 minutes ago", "Last comment 3 minutes ago", 10 * time.Minute},
		{"Delivery in 2 days", "Delivery in 3 days", time.Minute},
		{"Last comment 3 minutes ago", "Last comment 2 minutes ago", time.Second},
		{"Open on Sunday", "Open on Monday", time.Hour},
		{"The race took 3.21 seconds", "He won in 3.25 seconds", time.Hour},
		{"Our servers answer within 200 ms", "Our servers answer within 800 ms", time.Hour},
		{"© 2026 Harbour", "© 2025 Harbour", time.Hour}, // a past year
		{"© 2024 Harbour", "© 2025 Harbour", time.Hour},
		{"© 2025 Harbour", "© 2027 Harbour", time.Hour},
		{"Harbour festival 2025", "Harbour festival 2026", time.Hour},
		{"© Harbour. The festival of 2025", "© Harbour. The festival of 2026", time.Hour},
		{"Tickets 2019", "Tickets 2019-2026", time.Hour},
		{"The kettle boils in 90 seconds", "The kettle boils in 80 seconds", time.Hour},
		{"The report was created in 2 days", "The report was created in 3 days", time.Minute},
		{"Imprint\nCopyright\nPrices 2025", "Imprint\nCopyright\nPrices 2026", time.Hour},
		{"Imprint | Copyright | Prices 2025", "Imprint | Copyright | Prices 2026", time.Hour},
		{"Season 2025 © City Orchestra", "Season 2026 © City Orchestra", time.Hour},
		{"The Copyright Act 2025 applies", "The Copyright Act 2026 applies", time.Hour},
		{"(c) 2025 budget approval", "(c) 2026 budget approval", time.Hour},
		{"男子百米决赛 冠军用时 9.83 秒", "男子百米决赛 冠军用时 9.79 秒", time.Hour},
		{"Espresso is served in 30 seconds", "Espresso is served in 45 seconds", time.Hour},
		{"Served in 30 seconds", "Served in 45 seconds", time.Hour},
		{"1 million rows processed in 217 ms", "1 million rows processed in 190 ms", time.Hour},
		{"Lap record created: 83.2 s", "Lap record created: 82.9 s", time.Hour},
		{"Ships in 3 days", "Ships in 2 days", time.Minute},
		{"Open from 9:00", "Open from 10:00", time.Hour},
		{"Open until 6:00 pm", "Open until 6:00 am", 24 * time.Hour},
		{"Starts at 14:00", "Starts at 15:00", time.Hour},
		{"You may not enter", "You may enter", time.Hour},
		{"for 5 minutes", "for 6 minutes", time.Hour},
		{"5 minutes", "6 minutes", time.Minute},
		{"Ends in 02:13:09", "Ends in 03:13:09", 10 * time.Second},
		{"a", "", time.Second},
		{"", "a", time.Second},
	} {
		got := shown(c.old, c.new, c.later)
		if !strings.Contains(got, "news: ") {
			t.Errorf("%q → %q after %v: %s", c.old, c.new, c.later, got)
		}
	}
}

// Noise and an author's edit in one text: only the edit is news.
func TestAChangeBesideNoise(t *testing.T) {
	old := "Posted 5 minutes ago. Price 12 €, in stock. Made at 13:05:40."
	new := "Posted 7 minutes ago. Price 13 €, in stock. Made at 13:07:40."
	want := "age: 5 minutes ago → 7 minutes ago; news: 12 → 13; clock: 13:05:40 → 13:07:40"
	if got := shown(old, new, 2*time.Minute); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := shown("a b c d", "a  x y\nd", time.Second); got != "news: b c → x y" {
		t.Errorf("several words: %s", got)
	}
	if got := shown("same  words", "same words", time.Second); got != "" {
		t.Errorf("white space: %s", got)
	}
}

// A date that was still shown at a later visit is not the date of the visit.
func TestADateThatStayed(t *testing.T) {
	day := func(n int) time.Time { return then.AddDate(0, 0, n) }
	old, new := parse("Updated 24 November 2026"), parse("Updated 30 November 2026")
	for stayed, want := range map[int]Reason{0: Date, 3: ""} {
		if all := edits(old, seen{then, day(stayed)}, new, day(6)); len(all) != 1 || all[0].Why != want {
			t.Errorf("seen for %d days: %+v, want %q", stayed, all, want)
		}
	}
}

// A date beside edited words is news, too: the date of a release.
func TestADateBesideOtherWords(t *testing.T) {
	all := datesOf(edits(parse("Release 5.19.7 of 24 November 2026"), seen{then, then}, parse("Release 5.19.8 of 25 November 2026"), then.AddDate(0, 0, 1)))
	if len(all) != 2 || all[0].Why != "" || all[1].Why != "" {
		t.Errorf("%+v", all)
	}
}
