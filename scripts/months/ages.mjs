// Writes the relative times ("2 hours ago") by which date libraries say them and the Unicode CLDR does not, from the folder with
// node_modules and the table of the CLDR, or those that another library says, for the tests:
//
//	npm install moment dayjs date-fns timeago.js javascript-time-ago
//	node scripts/months/ages.mjs . diff/noise/times/ages.txt > diff/noise/times/libraries.txt
//	node scripts/months/ages.mjs . said > diff/noise/times/testdata/said.tsv
import { createRequire } from 'module';
import fs from 'fs';
import path from 'path';

const [dir, what] = process.argv.slice(2);
const require = createRequire(path.resolve(dir, 'x'));
const at = name => path.resolve(dir, 'node_modules', name);
const invented = /^(x-pseudo|tlh|tzl|default|bi|ss)$/;
const units = { minute: 60, hour: 3600, day: 86400, week: 604800, month: 2629800, year: 31557600 };
const languageOf = tag => ({ kz: 'kk', gr: 'el', me: 'sr', tj: 'tg', tl: 'fil', 'gom-latn': 'kok', 'gom-deva': 'kok' })[tag] ?? tag.toLowerCase().split(/[-_]/)[0].replace(/^n[bn]$/, 'no');

if (what === 'said') {
	const out = new Set();
	const say = (tag, unit, n, text) => /\p{Nd}/u.test(text) && !invented.test(tag) && out.add([languageOf(tag), unit, n, text.trim()].join('\t'));
	const forms = { minute: [4, 5], hour: [6, 7], day: [8, 9], week: [10, 11], month: [10, 11], year: [12, 13] }; // indexes of timeago.js
	for (const f of fs.readdirSync(at('timeago.js/lib/lang')).filter(f => f.endsWith('.js') && f !== 'index.js')) {
		const l = require('timeago.js/lib/lang/' + f).default;
		for (const [unit, indexes] of Object.entries(forms)) for (const n of [3, 12]) {
			try {
				for (const i of indexes) say(f.slice(0, -3), unit, n, l(n, i, n * units[unit])[0].replace('%s', n));
			} catch {}
		}
	}
	console.log([...out].sort().join('\n'));
	process.exit();
}

const found = new Map(); // by language and unit: forms of the past and of the future
function add(tag, unit, n, text, future) {
	if (invented.test(tag) || typeof text !== 'string') return;
	const key = languageOf(tag) + ' ' + unit;
	if (!found.has(key)) found.set(key, [new Set(), new Set()]);
	const plain = text.normalize('NFC').trim().replace(/\p{Nd}/gu, d => { let c = d.codePointAt(0); while (/\p{Nd}/u.test(String.fromCodePoint(c - 1)) && d.codePointAt(0) - c < 9) c--; return String(d.codePointAt(0) - c); });
	const digits = plain.match(/\d+/g) ?? [];
	if (/^\d+\s?\p{L}?$/u.test(plain)) return; // 3 d: by itself a size
	if (digits.length > 1 || digits.length === 1 && +digits[0] !== n || /[|<>=\n]/.test(plain)) return;
	if (digits.length === 1) found.get(key)[+future].add(plain.replace(digits[0], '0'));
	else if (n <= 2 && /[\s\u00a0]/.test(plain)) found.get(key)[+future].add(n + ' ' + plain);
}
const counts = [1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 14, 20, 21, 22, 25];
const most = { minute: 40, hour: 20, day: 25, month: 10, year: 25 };
const moment = require('moment');
for (const f of fs.readdirSync(at('moment/locale')).filter(f => f.endsWith('.js'))) {
	const tag = f.slice(0, -3);
	require('moment/locale/' + tag);
	for (const [unit, max] of Object.entries(most)) for (const n of counts.filter(n => n <= max)) for (const sign of [-1, 1]) add(tag, unit, n, moment.duration(sign * n, unit).locale(tag).humanize(true), sign > 0);
}
const dayjs = require('dayjs');
dayjs.extend(require('dayjs/plugin/relativeTime'));
for (const f of fs.readdirSync(at('dayjs/locale')).filter(f => f.endsWith('.js'))) {
	const tag = f.slice(0, -3), now = dayjs('2026-01-01T12:00:00Z');
	require('dayjs/locale/' + tag);
	for (const [unit, max] of Object.entries(most)) for (const n of counts.filter(n => n <= max)) for (const sign of [-1, 1]) add(tag, unit, n, now.add(sign * n, unit).locale(tag).from(now), sign > 0);
}
const { formatDistanceStrict } = require('date-fns');
for (const l of Object.values(require('date-fns/locale')).filter(l => l.code)) {
	const now = new Date('2026-01-01T12:00:00Z');
	for (const [unit, max] of Object.entries(most)) for (const n of counts.filter(n => n <= max)) for (const sign of [-1, 1]) add(l.code, unit, n, formatDistanceStrict(new Date(+now + sign * n * units[unit] * 1000), now, { addSuffix: true, unit, locale: l }), sign > 0);
}
for (const f of fs.readdirSync(at('javascript-time-ago/locale')).filter(f => f.endsWith('.json'))) {
	const l = JSON.parse(fs.readFileSync(at('javascript-time-ago/locale/' + f)));
	for (const style of ['long', 'short']) for (const unit of Object.keys(units)) for (const [of, future] of [['past', false], ['future', true]]) {
		const forms = l[style]?.[unit]?.[of] ?? (future ? undefined : l[style]?.[unit]);
		for (const form of typeof forms === 'string' ? [forms] : Object.values(forms ?? {})) if (typeof form === 'string' && /\{0\}/.test(form) && !/[-+−]\{0\}/.test(form)) add(l.locale, unit, 3, form.replace('{0}', '3'), future);
	}
}

const known = new Set();
for (const line of fs.readFileSync(what, 'utf8').split('\n').filter(l => !l.startsWith('#'))) {
	const head = line.match(/^(\S+) (\S+)/);
	if (head) for (const form of line.slice(head[0].length).split(/[<>|=]/)) known.add(`${languageOf(head[1])} ${head[2]} ${form.trim()}`);
}
const version = p => `${p} ${JSON.parse(fs.readFileSync(at(p + '/package.json'))).version}`;
console.log(`# Relative times that the CLDR lacks, by the locales of ${['moment', 'dayjs', 'date-fns', 'javascript-time-ago'].map(version).join(', ')} (MIT). Written by`);
console.log('# scripts/months/ages.mjs; lines as in ages.txt.');
for (const [key, sets] of [...found].sort(([a], [b]) => a < b ? -1 : 1)) {
	const [past, future] = sets.map(set => [...set].filter(form => !known.has(`${key} ${form}`)).sort().join('|'));
	if (past || future) console.log(`${key} <${past}>${future}=`);
}
