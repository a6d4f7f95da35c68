package times

import (
	"strings"
	"time"
	"unicode"

	"plat/diff"
)

// The lengths of units.
const (
	day   = 24 * time.Hour
	week  = 7 * day
	month = 30 * day
	year  = 365 * day
)

// IsNumeral reports whether a character is a numeral, in any script.
func IsNumeral(r rune) bool {
	return unicode.IsNumber(r) || strings.ContainsRune("〇零一二两三四五六七八九十百千万萬亿億", r)
}

// units maps names to units of time.
var units = table(map[time.Duration]string{
	time.Second: `second seconds sec secs s sekunde sekunden seconde secondes segundo segundos secondo secondi seconden
		sekund sekunda sekundę sekundy sekunder секунд секунда секунду секунды saniye sekundou ثانية ثوان ثواني 秒 秒钟 秒鐘 秒間 초`,
	time.Minute: `minute minutes min mins m minuten minuto minutos minuti minuut minut minuta minutę minuty minuter minutter
		минут минута минуту минуты мин dakika dk minutou minutami دقيقة دقائق 分 分钟 分鐘 分間 분`,
	time.Hour: `hour hours hr hrs h stunde stunden std heure heures hora horas ora ore uur uren godzin godzina godzinę godziny
		час часа часов timme timmar time timer saat sa hodin hodina hodinu hodinou hodiny hodinami ساعة ساعات 小时 小時 時間 시간`,
	day: `day days d tag tage tagen jour jours día días dia dias giorno giorni dag dagen dzień dni день дня дней dagar dage dager
		gün den dny dnem dnů يوم أيام 天 日 일`,
	week: `week weeks wk wks w woche wochen semaine semaines semana semanas settimana settimane weken tydzień tygodnie tygodni
		неделя неделю недели недель vecka veckor uge uger uke uker hafta týden týdny týdnem أسبوع أسابيع 周 週 星期 週間 주`,
	month: `month months mo monat monate monaten mois mes meses mese mesi mês maand maanden miesiąc miesiące miesięcy месяц
		месяца месяцев månad månader måned måneder ay měsíc měsíce měsíců měsícem شهر أشهر 个月 個月 か月 ヶ月 カ月 개월 달`,
	year: `year years yr yrs y jahr jahre jahren an ans année années año años anno anni ano anos jaar jaren rok lata lat
		год года лет år yıl roky let rokem سنة سنوات 年 년`,
})

// counts maps words to numbers.
var counts = map[string]int{
	"a": 1, "an": 1, "one": 1, "ein": 1, "eine": 1, "einem": 1, "einer": 1, "einen": 1, "un": 1, "une": 1, "una": 1, "uno": 1,
	"um": 1, "uma": 1, "een": 1, "één": 1, "en": 1, "ett": 1, "et": 1, "bir": 1, "один": 1, "одну": 1, "jedną": 1, "jedna": 1,
	"两": 2, "一": 1,
}

// before maps the words before an age: 1 for the past, -1 for the future.
var before = table(map[time.Duration]string{
	1:  "vor|il y a|hace|há|för|for|przed|před|منذ|قبل",
	-1: "in|dans|en|em|tra|fra|over|om|za|через|noch|still",
}, "|")

// afters maps the words after an age likewise.
var afters = table(map[time.Duration]string{
	1:  "ago old fa geleden temu назад sedan siden önce atrás 前 전",
	-1: "left remaining later 后 後 내 sonra",
})

// ands are the words that join two units.
var ands = map[string]bool{"and": true, "und": true, "et": true, "y": true, "e": true, "en": true, "i": true, "и": true, "och": true, "og": true, "ve": true, "a": true}

// A phrase is an age without a number, and its unit.
type phrase struct{ Age, Unit time.Duration }

// phrases maps words to ages without a number.
var phrases = func() map[string]phrase {
	all := map[string]phrase{}
	add := func(n, unit time.Duration, list string) {
		for p := range strings.SplitSeq(list, "|") {
			var words []string
			for _, w := range diff.Split(p) {
				words = append(words, p[w[0]:w[1]])
			}
			all[strings.Join(words, " ")] = phrase{n, unit}
		}
	}
	add(0, time.Minute, "just now|moments ago|a moment ago|gerade eben|soeben|à l'instant|ahora mismo|proprio ora|agora mesmo|zojuist|"+
		"przed chwilą|только что|nyss|lige nu|akkurat nå|az önce|právě teď|الآن|刚刚|剛剛|たった今|방금")
	add(0, day, "today|heute|aujourd'hui|hoy|oggi|hoje|vandaag|dziś|dzisiaj|сегодня|idag|i dag|bugün|dnes|اليوم|今天|今日|오늘")
	add(day, day, "yesterday|gestern|hier|ayer|ieri|ontem|gisteren|wczoraj|вчера|igår|i går|dün|včera|أمس|昨天|昨日|어제")
	return all
}()

// firstWords are the first words of phrases and of the words before an age: most words of a text are none.
var firstWords = func() map[string]bool {
	all := map[string]bool{}
	for p := range phrases {
		w, _, _ := strings.Cut(p, " ")
		all[w] = true
	}
	for p := range before {
		w, _, _ := strings.Cut(p, " ")
		all[w] = true
	}
	return all
}()

// weekdays maps names to days of the week; Sunday is 0.
var weekdays = func() map[string]int {
	all := map[string]int{}
	for i, names := range [7]string{
		"sunday sun sonntag dimanche domingo domenica zondag niedziela воскресенье söndag søndag pazar neděle الأحد 星期日 星期天 日曜日 일요일",
		"monday mon montag lundi lunes lunedì segunda-feira maandag poniedziałek понедельник måndag mandag pazartesi pondělí الاثنين 星期一 月曜日 월요일",
		"tuesday tue dienstag mardi martes martedì terça-feira dinsdag wtorek вторник tisdag tirsdag salı úterý الثلاثاء 星期二 火曜日 화요일",
		"wednesday wed mittwoch mercredi miércoles mercoledì quarta-feira woensdag środa среда onsdag çarşamba středa الأربعاء 星期三 水曜日 수요일",
		"thursday thu donnerstag jeudi jueves giovedì quinta-feira donderdag czwartek четверг torsdag perşembe čtvrtek الخميس 星期四 木曜日 목요일",
		"friday fri freitag vendredi viernes venerdì sexta-feira vrijdag piątek пятница fredag cuma pátek الجمعة 星期五 金曜日 금요일",
		"saturday sat samstag samedi sábado sabato zaterdag sobota суббота lördag lørdag cumartesi السبت 星期六 土曜日 토요일",
	} {
		for n := range strings.FieldsSeq(names) {
			all[n] = i
		}
	}
	return all
}()

// table maps words to values. The words are separated by spaces, or by sep.
func table(lists map[time.Duration]string, sep ...string) map[string]time.Duration {
	all := map[string]time.Duration{}
	for d, list := range lists {
		words := strings.Fields(list)
		if len(sep) > 0 {
			words = strings.Split(list, sep[0])
		}
		for _, w := range words {
			all[w] = d
		}
	}
	return all
}

// WeekdayOf returns the day of the week that a word names, Sunday is 0; -1 if it names none.
func WeekdayOf(word string) int {
	if d, ok := weekdays[strings.ToLower(word)]; ok {
		return d
	}
	return -1
}

// SameUnit reports whether two words are names of one unit of time: "day" and "days".
func SameUnit(a, b string) bool {
	x, y := units[strings.ToLower(a)], units[strings.ToLower(b)]
	return x == y && x != 0
}
