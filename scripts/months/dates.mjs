// Writes dates as ICU formats them, and numbers, prices, times and ages that are no dates, for the tests of plat/calendar:
//
//	node scripts/months/dates.mjs > plat/calendar/testdata/intl.tsv
//
// Columns: language, calendar, style, the date in ISO 8601 (empty: it is none), the text.
const languages = `af am ar ar-EG ar-IQ ar-LB ar-MA ar-SA as ast az be bg bn br bs ca cs cy da de de-AT de-CH el en en-AU en-CA en-GB en-IN en-US en-ZA
	eo es es-419 es-AR es-MX es-US et eu fa fi fil fo fr fr-CA fr-CH fy ga gd gl gu ha haw he hi hr hsb hu hy ia id ig is it it-CH ja jv ka kk km kn ko
	kok ku ky lb ln lo lt lv mg mi mk ml mn mr ms mt my nb nds ne nl nl-BE nn om or pa pl ps pt-BR pt-PT qu rm ro ru rw sc sd se si sk sl so sq sr
	sr-Latn su sv sw ta te tg th ti tk to tr tt ug uk ur uz vi wo xh yo zh-CN zh-HK zh-TW zu`.split(/\s+/);
let seed = 73;
const random = n => (seed = (seed * 48271) % 2147483647) % n;
for (const language of languages) {
	const usual = new Intl.DateTimeFormat(language).resolvedOptions().calendar;
	for (const calendar of usual === 'gregory' ? ['gregory'] : [usual, 'gregory']) {
		for (const style of ['full', 'long', 'medium', 'short', 'long+time', 'medium+time']) {
			for (let i = 0; i < 2; i++) {
				const date = new Date(Date.UTC(2004 + random(28), random(12), 1 + random(28), 12, 34, 56));
				const [dateStyle, time] = style.split('+');
				const text = new Intl.DateTimeFormat(language, { calendar, dateStyle, timeZone: 'UTC', ...(time && { timeStyle: 'short' }) }).format(date);
				console.log([language, calendar, style, date.toISOString().slice(0, 10), text].join('\t'));
			}
		}
	}
	const none = (style, text) => console.log([language, '', style, '', text].join('\t'));
	none('number', new Intl.NumberFormat(language).format(random(1e9) / 100));
	none('price', new Intl.NumberFormat(language, { style: 'currency', currency: 'EUR' }).format(2000 + random(5000) / 100));
	none('prices', [3.1, 20.25].map(n => new Intl.NumberFormat(language, { style: 'currency', currency: 'USD' }).format(n)).join(' '));
	none('time', new Intl.DateTimeFormat(language, { timeStyle: 'medium', timeZone: 'UTC' }).format(new Date(random(1e12))));
	none('ages', ['day', 'month', 'year'].map(unit => new Intl.RelativeTimeFormat(language).format(-3, unit)).join(' '));
	none('list', new Intl.ListFormat(language).format(['3', '1', '2025'].map(String)));
}
