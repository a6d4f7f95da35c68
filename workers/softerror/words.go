package softerror

import (
	"strings"

	"plat/plat"
)

// phrases are words of answers that are not the page, in small letters: in English, German,
// French, Spanish, Italian, Portuguese, Dutch, Polish, Russian, Chinese and Japanese.
var phrases = []struct {
	outcome plat.Outcome
	all     []string
}{
	{plat.OutcomeBlocked, []string{
		"checking your browser", "just a moment...", "verify you are human", "verifying you are human", "are you a robot", "not a robot", "captcha",
		"attention required", "unusual traffic", "access denied", "access to this page has been denied", "request blocked", "you have been blocked",
		"enable javascript and cookies to continue", "security check", "zugriff verweigert", "sicherheitsüberprüfung", "accès refusé",
		"vérification de sécurité", "acceso denegado", "comprobación de seguridad", "accesso negato", "acesso negado", "toegang geweigerd",
		"odmowa dostępu", "доступ запрещен", "доступ ограничен", "访问被拒绝", "安全验证", "人机验证", "アクセスが拒否",
	}},
	{plat.OutcomeMaintenance, []string{
		"maintenance", "be right back", "we'll be back", "we will be back", "temporarily unavailable", "temporarily down", "service unavailable",
		"try again later", "wartung", "in kürze wieder", "vorübergehend nicht", "entretien", "temporairement", "mantenimiento", "temporalmente",
		"manutenzione", "temporaneamente", "manutenção", "temporariamente", "onderhoud", "tijdelijk niet", "prace konserwacyjne", "przerwa techniczna",
		"технические работы", "временно недоступ", "维护", "系统升级", "メンテナンス",
	}},
	{plat.OutcomeMissing, []string{
		"not found", "404", "does not exist", "doesn't exist", "no longer available", "no longer exists", "can't be found", "cannot be found",
		"couldn't find", "nicht gefunden", "existiert nicht", "nicht mehr verfügbar", "introuvable", "n'existe pas", "no encontrada", "no existe",
		"non trovata", "non esiste", "não encontrada", "não existe", "niet gevonden", "bestaat niet", "nie znaleziono", "nie istnieje",
		"не найдена", "не существует", "页面不存在", "找不到", "見つかりません",
	}},
	{plat.OutcomeLogin, []string{
		"sign in to continue", "log in to continue", "please log in", "please sign in", "you must be logged in", "session has expired", "session expired",
		"bitte melden sie sich an", "bitte einloggen", "veuillez vous connecter", "inicie sesión", "accedi per continuare", "faça login",
		"zaloguj się", "войдите", "请登录", "ログインしてください",
	}},
}

// says reports whether a phrase is in a text, and not within a word or a number.
func says(text, phrase string) bool {
	letter := func(i int) bool {
		return i >= 0 && i < len(text) && (text[i] >= 'a' && text[i] <= 'z' || text[i] >= '0' && text[i] <= '9')
	}
	for from := 0; ; {
		i := strings.Index(text[from:], phrase)
		if i < 0 {
			return false
		}
		i += from
		end := i + len(phrase)
		if !(letter(i) && letter(i-1)) && !(letter(end-1) && letter(end)) {
			return true
		}
		from = i + 1
	}
}

// told returns the outcome that the title or text of an answer names, and the phrase.
func told(title string, blocks []plat.Block) (plat.Outcome, string) {
	var text strings.Builder
	text.WriteString(title)
	for i := range blocks {
		if blocks[i].Leaf() {
			text.WriteString("\n" + blocks[i].Text)
		}
	}
	low := strings.ToLower(strings.ReplaceAll(text.String(), "’", "'"))
	for _, p := range phrases {
		for _, said := range p.all {
			if says(low, said) {
				return p.outcome, said
			}
		}
	}
	return "", ""
}
