// Writes the names of months and the suffixes of ordinal numbers by which date libraries write dates and the Unicode CLDR does not,
// from the folder with node_modules, the names of the CLDR, and the date as the libraries write it for the tests:
//
//	npm install moment dayjs date-fns flatpickr bootstrap-datepicker jquery-ui
//	node scripts/months/libraries.mjs . plat/calendar/months.txt > plat/calendar/libraries.txt
//	node scripts/months/libraries.mjs . dates > plat/calendar/testdata/libraries.tsv
import { createRequire } from 'module';
import fs from 'fs';
import path from 'path';

const [dir, what] = process.argv.slice(2);
const require = createRequire(path.resolve(dir, 'x'));
const at = name => path.resolve(dir, 'node_modules', name);
const invented = /^(x-pseudo|tlh|tzl|default|ta|zh.*|ja.*|ko|kr)$/; // ta has months of another calendar; the others have numbers
const tags = { kz: 'kk', gr: 'el', me: 'sr', mar: 'mr', tj: 'tg', tl: 'fil', 'zh-tw': 'zh-TW', vn: 'vi', kh: 'km', kr: 'ko', rs: 'sr', ua: 'uk', at: 'de-AT', ar_dz: 'ar-DZ', cat: 'ca', cz: 'cs', 'ug-cn': 'ug', 'am-et': 'am', 'sr-cyrl': 'sr', 'sr-latin': 'sr', 'uz-latn': 'uz', 'uz_latn': 'uz', 'sr_cyr': 'sr', 'gom-latn': 'kok', 'gom-deva': 'kok', 'zh_tw': 'zh-TW', no: 'nb' };
const tagOf = tag => tags[tag] ?? tag.replace('_', '-');

const found = new Map(); // by language: names of each month, suffixes, and dates
const of = tag => {
	const language = tagOf(tag).toLowerCase().split('-')[0].replace(/^n[bn]$/, 'no');
	if (!found.has(language)) found.set(language, { months: Array.from({ length: 12 }, () => new Set()), suffixes: new Set() });
	return found.get(language);
};
const dates = new Set();
const day = month => 1 + (month * 7) % 28;
function name(tag, month, text) {
	if (invented.test(tag) || typeof text !== 'string' || /\p{Nd}/u.test(text)) return;
	const words = text.normalize('NFC').toLowerCase().trim().replace(/^tháng\s/, '').replace(/\.$/, '').split(/[\s\u00a0]+/);
	if (words.length > 4 || /^d(e$|['’])/.test(words[0]) || [...words.join('')].length < 2 || /[|_.ـ/()]/.test(words.join(''))) return;
	of(tag).months[month].add(words.join('_'));
	dates.add([tagOf(tag), month + 1, day(month), `${day(month)} ${text.trim()} 2026`].join('\t'));
}
function suffix(tag, n, text) {
	if (invented.test(tag) || typeof text !== 'string') return;
	const rest = text.normalize('NFC').toLowerCase().replace(/[\p{Nd}\s.'’°º()-]/gu, '');
	if (/^\p{L}[\p{L}\p{M}]{0,5}$/u.test(rest) && /^\p{Nd}/u.test(text)) of(tag).suffixes.add(rest);
}
function date(tag, month, text) {
	if (!invented.test(tag) && typeof text === 'string' && /\p{Nd}/u.test(text)) dates.add([tagOf(tag), month + 1, day(month), text.trim().replace(/\s+/g, ' ')].join('\t'));
}
const all = (tag, list, f = name) => { for (let m = 0; m < 12; m++) f(tag, m, Array.isArray(list) ? list[m] : undefined); };

const moment = require('moment');
for (const f of fs.readdirSync(at('moment/locale')).filter(f => f.endsWith('.js'))) {
	const tag = f.slice(0, -3);
	require('moment/locale/' + tag);
	for (let m = 0; m < 12; m++) {
		const d = moment([2026, m, day(m)]).locale(tag), l = moment.localeData(tag);
		for (const form of ['MMMM', 'MMM']) {
			name(tag, m, d.format(form));
			name(tag, m, d.format('D ' + form).replace(/^\p{Nd}+\s/u, ''));
		}
		for (const form of ['LL', 'll', 'LLLL']) date(tag, m, d.format(form));
		if (m === 0) for (let n = 1; n <= 31; n++) suffix(tag, n, String(l.ordinal(n, 'D')));
	}
}
const dayjs = require('dayjs');
dayjs.extend(require('dayjs/plugin/localizedFormat'));
for (const f of fs.readdirSync(at('dayjs/locale')).filter(f => f.endsWith('.js'))) {
	const tag = f.slice(0, -3), l = require('dayjs/locale/' + tag);
	all(tag, l.months);
	all(tag, l.monthsShort);
	for (let n = 1; n <= 31; n++) suffix(tag, n, String(l.ordinal?.(n) ?? ''));
	for (let m = 0; m < 12; m++) for (const form of ['LL', 'll']) date(tag, m, dayjs(new Date(2026, m, day(m))).locale(tag).format(form));
}
const { format } = require('date-fns');
for (const l of Object.values(require('date-fns/locale')).filter(l => l.code)) {
	for (let m = 0; m < 12; m++) {
		for (const width of ['wide', 'abbreviated']) for (const context of ['formatting', 'standalone']) name(l.code, m, l.localize.month(m, { width, context }));
		for (const form of ['PPPP', 'PPP', 'PP']) date(l.code, m, format(new Date(2026, m, day(m)), form, { locale: l }));
	}
	for (let n = 1; n <= 31; n++) suffix(l.code, n, String(l.localize.ordinalNumber(n, { unit: 'date' })));
}
for (const [tag, l] of Object.entries(require('flatpickr/dist/l10n').default)) {
	all(tag, l.months?.longhand);
	all(tag, l.months?.shorthand);
}
globalThis.jQuery = { fn: { datepicker: { dates: {}, deprecated() {} } } };
for (const f of fs.readdirSync(at('bootstrap-datepicker/dist/locales'))) (0, eval)(fs.readFileSync(at('bootstrap-datepicker/dist/locales/' + f), 'utf8'));
for (const [tag, l] of Object.entries(jQuery.fn.datepicker.dates)) {
	all(tag, l.months);
	all(tag, l.monthsShort);
}
const regional = {};
globalThis.define = Object.assign((_, f) => f({ regional, setDefaults() {} }), { amd: true });
for (const f of fs.readdirSync(at('jquery-ui/ui/i18n'))) (0, eval)(fs.readFileSync(at('jquery-ui/ui/i18n/' + f), 'utf8'));
for (const [tag, l] of Object.entries(regional)) {
	all(tag, l.monthNames);
	all(tag, l.monthNamesShort);
}

if (what === 'dates') {
	console.log([...dates].filter(d => [2, 6, 9].includes(+d.split('\t')[1])).sort().join('\n'));
	process.exit();
}
const known = new Map();
for (const line of fs.readFileSync(what, 'utf8').split('\n')) {
	const [tag, names] = line.split(' ', 2);
	if (names && tag !== '#') known.set(tag.replace(/^=/, '').split('-')[0].replace(/^n[bn]$/, 'no'), line.slice(tag.length + 1).split('|').map(m => new Set(m.split(' '))));
}
const version = p => `${p} ${require(p + '/package.json').version}`;
console.log(`# Names of months and suffixes of ordinal numbers that the CLDR lacks, by the locales of ${['moment', 'dayjs', 'flatpickr', 'bootstrap-datepicker', 'jquery-ui'].map(version).join(', ')}`);
console.log(`# and date-fns ${JSON.parse(fs.readFileSync(at('date-fns/package.json'))).version}. Written by scripts/months/libraries.mjs; lines as in months.txt, with the suffixes after a second |`);
for (const [tag, l] of [...found].sort(([a], [b]) => a < b ? -1 : 1)) {
	const one = n => l.months.filter(set => set.has(n)).length === 1; // one library has a name for two months
	const names = l.months.map((set, m) => [...set].filter(n => one(n) && !known.get(tag)?.[m].has(n)).sort().join(' ')).join('|');
	const line = `=${tag} ${names}|${[...l.suffixes].sort().join(' ')}`;
	if (/[^|]/.test(names) || l.suffixes.size) console.log(line);
}
