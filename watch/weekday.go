package watch

import (
	"regexp"
	"strings"
	"unicode"

	"plat/diff/noise/times"
	"plat/plat/calendar"
)

// dates returns the dates in the first calendar.MaxText bytes of a text, each with the day of the week before it, or in brackets after it.
func (t *tree) dates(s string) []calendar.Dated {
	s = cut(s, calendar.MaxText)
	all := calendar.All(s, t.style)
	for i := range all {
		all[i].From = weekdayBefore(s, all[i].From)
		if m := inBrackets.FindStringSubmatch(s[all[i].To:]); m != nil && isWeekday(m[1]) {
			all[i].To += len(m[0])
		}
	}
	return all
}

// inBrackets matches a word in brackets at the start of a text.
var inBrackets = regexp.MustCompile(`^\s?[(（]\s?(\pL{1,15})\.?\s?[)）]`)

// weekdayBefore returns where the day of the week before a place in a text begins, or the place.
func weekdayBefore(s string, at int) int {
	before := strings.TrimRight(s[:at], " ,.:\u00a0")
	for _, article := range []string{" den", " dem", " the", " le", " el", " il", " d"} { // "Dienstag, den 8. Dezember"
		if rest, ok := strings.CutSuffix(before, article); ok {
			before = strings.TrimRight(rest, " ,.\u00a0")
			break
		}
	}
	from := strings.LastIndexFunc(before, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) && r != '-' && r != '\'' && r != '’'
	})
	if from++; from < len(before) && isWeekday(before[from:]) {
		return from
	}
	return at
}

// isWeekday reports whether a word names a day of the week, in full or short.
func isWeekday(word string) bool {
	return times.WeekdayOf(word) >= 0 || weekdays[strings.ToLower(word)]
}

// weekdays are names that package times does not have: short ones, and those of further languages.
var weekdays = func() map[string]bool {
	all := map[string]bool{}
	for w := range strings.FieldsSeq(`tues thur thurs weds mo di mi do fr sa so mon die mit don fre sam son lun mar mer jeu ven sam dim mié mie jue vie sáb sab dom gio seg ter qua qui sex ` +
		`ma wo vr za zo pn pon wt śr sr czw pt sob nd ndz nie пн вт ср чт пт сб вс нд ons tor tors fre lör lørd tir tirs man mån sön søn po út ut st čt ct pá pa ne söndags ` +
		`hétfő kedd szerda csütörtök péntek szombat vasárnap hétfőn kedden szerdán csütörtökön pénteken szombaton vasárnap maanantai tiistai keskiviikko torstai perjantai lauantai sunnuntai maanantaina tiistaina keskiviikkona torstaina perjantaina lauantaina sunnuntaina ke to pe la su ti ` +
		`luni marți marţi miercuri joi vineri sâmbătă duminică δευτέρα τρίτη τετάρτη πέμπτη παρασκευή σάββατο κυριακή ponedjeljak utorak srijeda četvrtak petak subota nedjelja ponedeljak sreda nedelja ` +
		`pondelok utorok streda štvrtok piatok nedeľa ponedeljek torek četrtek petek sobota nedelja esmaspäev teisipäev kolmapäev neljapäev reede laupäev pühapäev pirmdiena otrdiena trešdiena ceturtdiena piektdiena sestdiena svētdiena ` +
		`pirmadienis antradienis trečiadienis ketvirtadienis penktadienis šeštadienis sekmadienis понеделник вторник сряда четвъртък петък събота неделя понеділок вівторок середа четвер п'ятниця п’ятниця субота неділя ` +
		`dilluns dimarts dimecres dijous divendres dissabte diumenge astelehena asteartea asteazkena osteguna ostirala larunbata igandea llun mawrth mercher iau gwener sadwrn sul senin selasa rabu kamis jumat sabtu minggu ` +
		`segunda terça quarta quinta sexta mánudagur þriðjudagur miðvikudagur fimmtudagur föstudagur laugardagur sunnudagur ponedjeljka utorka srijede četvrtka petka subote nedjelje`) {
		all[w] = true
	}
	return all
}()
