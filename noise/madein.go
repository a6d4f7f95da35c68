package noise

import (
	"regexp"
	"slices"
	"strings"
	"time"
)

// What says how long a page took to be made, in English, German, French, Spanish, Italian,
// Portuguese, Dutch, Polish, Russian, Swedish, Czech, Chinese and Japanese.
var (
	madeVerbs = strings.Fields(`generated rendered created processed produced executed served built generation rendering
		generiert erzeugt erstellt gerendert généré générée généré·e créée generado generada creada generato generata creata gerado gerada criada
		gegenereerd aangemaakt wygenerowano wygenerowana сгенерирована создана сгенерировано genererad skapad vygenerováno vygenerována`)
	madeIns      = strings.Fields(`in within after time : = innerhalb nach en durant après após entro em dans w ciągu через за på po za`)
	madeSigns    = []string{"生成", "执行", "耗时", "用时", "生成時間"}
	milliseconds = strings.Fields(`ms msec msecs millisecond milliseconds millisekunden millisecondes milisegundos millisecondi мс 毫秒 ミリ秒 µs μs`)
)

// madeIn reports whether an edit is how long the page took to be made: "generated in 0.217
// seconds". Its words must say that, for "he won in 3.25 seconds" is news.
func madeIn(old, new *words, e *Edit) bool {
	return old.madeIn(e.Old) && new.madeIn(e.New)
}

// howLong is a time in seconds or thousandths of one; its unit may stand beside it, and what says
// that it is one before it.
var howLong = regexp.MustCompile(`^(?:\PL+|.*\s\d+\s+)(\pL*)$`)

// reach is how many bytes before the number are read.
const reach = 80

func (w *words) madeIn(in Span) bool {
	at := w.at(in.From)
	ws := w.in(in)
	if len(ws) != 1 || !w.alone(ws[0].Span) {
		return false
	}
	m := howLong.FindStringSubmatch(strings.ToLower(ws[0].text))
	if m == nil {
		return false
	}
	unit := m[1]
	if unit == "" && at+1 < len(w.all) {
		unit = strings.ToLower(w.all[at+1].text)
	}
	if units[unit] != time.Second && !slices.Contains(milliseconds, unit) {
		return false
	}
	said := w.text[:w.all[at].From]
	said = strings.ToLower(said[max(0, len(said)-reach):])
	said = said[strings.LastIndexAny(said, ".\n|·")+1:]
	if slices.ContainsFunc(madeSigns, func(s string) bool { return strings.Contains(said, s) }) {
		return true
	}
	words := strings.Fields(strings.NewReplacer(":", " : ", "=", " = ", "(", " ").Replace(said))
	n := len(words)
	for n > 0 && slices.Contains(madeIns, words[n-1]) {
		n--
	}
	return n > 0 && (n < len(words) || ws[0].kind == instant) && slices.Contains(madeVerbs, words[n-1])
}
