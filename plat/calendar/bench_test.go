package calendar

import "testing"

// Most lines of a page have no date.
func BenchmarkAll(b *testing.B) {
	for name, line := range map[string]struct{ language, text string }{
		"prose":   {"en", "The committee will meet again in spring, and 120 members are expected to vote on the 3 proposals that remain."},
		"date":    {"en", "Published by the editors on Saturday, January 31, 2026 at 9:41 am"},
		"chinese": {"zh", "记者从市气象台获悉，受冷空气影响，今天夜间到明天全市将出现降雨天气，气温明显下降，请注意防寒保暖，出行注意安全。"},
		"arabic":  {"ar", "أعلنت الوزارة أن الاجتماع المقبل سيعقد يوم السبت ٣١ يناير ٢٠٢٦ في العاصمة"},
		"irish":   {"ga", "Foilsithe Dé Domhnaigh 28 Meán Fómhair 2025 ag 12:34"},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				All(line.text, Style{Language: line.language})
			}
		})
	}
}
