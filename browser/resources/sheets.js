// See keeper.go; resource.js calls these. Style sheets whose rules are kept as text in a document, where their references would
// be relative to that.

// unescaped returns a text of CSS without escapes (CSS Syntax Module Level 3, section 4.3.7).
const unescaped = (text) => text.replace(/\\(?:([0-9a-f]{1,6})\s?|\n|([^]))/gi, (_, code, c) => code ? String.fromCodePoint(Math.min(parseInt(code, 16), 0x10ffff)) : c ?? '');

// reference matches what may contain an address, and what only looks like one: strings and comments.
const reference = /"(?:[^"\\]|\\[^])*"|'(?:[^'\\]|\\[^])*'|\/\*[^]*?\*\/|(?<![\w\\-])url\(\s*(?:"((?:[^"\\]|\\[^])*)"|'((?:[^'\\]|\\[^])*)'|((?:[^"'()\\\s]|\\[^])*))\s*\)/gi;

// resolved returns rules with the addresses in url() resolved against a base.
const resolved = (text, base) => text.replace(reference, (all, double, single, bare) => {
  const ref = unescaped(double ?? single ?? bare ?? '').trim();
  if (!ref || ref.startsWith('#') || /^data:/i.test(ref) || !URL.canParse(ref, base)) return all;
  return 'url("' + new URL(ref, base).href.replace(/["\\\n]/g, '\\$&') + '")';
});

// baseName is a property of a type that Chrome resolves; baseRule sets it.
const baseName = '--plat-base-' + Math.random().toString(36).slice(2);
const baseRule = ':root, :host { ' + baseName + ': url("?plat-base") !important; }';
const baseIn = reader(Node, 'baseURI');
const bases = new Map(); // of the sheets so far
const registered = new Set(); // windows that know the property

// baseOf returns the base of a sheet that an element's tree has adopted: that of the file of a module, or the one that a script
// has chosen. No property of a sheet tells it, but a rule in it does; undefined if none is found.
const baseOf = (sheet, element) => {
  const view = viewOf(documentOf(element));
  if (!registered.has(view)) {
    registered.add(view);
    view.CSS.registerProperty({ name: baseName, syntax: '<url> | none', inherits: false, initialValue: 'none' });
  }
  if (!bases.has(sheet) && bases.size < 50) {
    const at = sheet.cssRules.length, media = sheet.media.mediaText;
    sheet.insertRule(baseRule, at);
    sheet.media.mediaText = '';
    const value = view.getComputedStyle(element).getPropertyValue(baseName);
    sheet.media.mediaText = media;
    sheet.deleteRule(at);
    bases.set(sheet, /^url\("(.*)\?plat-base"\)$/.exec(value)?.[1]);
  }
  return bases.get(sheet);
};

// adoptedText returns the rules of a sheet that a tree has adopted, whose root is an element or its shadow root; null if they have
// more than limit characters.
const adoptedText = (sheet, element, limit) => {
  const text = rulesOf(sheet, limit);
  if (!text || !element || !/url\(/i.test(text)) return text;
  let base;
  try {
    base = baseOf(sheet, element);
  } catch { /* it belongs to a different document, whose window is gone */ }
  return base && base !== new URL('?', baseIn(element)).href.slice(0, -1) ? resolved(text, base) : text;
};

// importsOf returns the sheets that a sheet imports, with their rules.
const importsOf = (sheet) => [...sheet.cssRules].filter((rule) => rule.type === CSSRule.IMPORT_RULE);

// conditionsOf are the beginnings of the rules that apply another's conditions and layer.
const conditionsOf = (rule) => {
  const { media, supportsText, layerName } = rule;
  const all = [];
  if (media.mediaText) all.push('@media ' + media.mediaText);
  if (supportsText) all.push('@supports ' + (/^\s*(\(|not\b|[\w-]+\()/i.test(supportsText) ? supportsText : '(' + supportsText + ')'));
  if (layerName !== null && layerName !== undefined) all.push('@layer ' + layerName);
  return all;
};

// wholeText returns the rules of a sheet with those that it imports in their places, as a sheet of a document; null if they have
// more than limit characters.
const wholeText = (sheet, limit, depth = 0) => {
  let text = '';
  for (const rule of sheet.cssRules) {
    if (rule.type !== CSSRule.IMPORT_RULE) {
      text += rule.cssText + '\n';
    } else if (rule.styleSheet && depth < 8) {
      let inner;
      try {
        inner = wholeText(rule.styleSheet, limit, depth + 1);
      } catch {
        continue; // of a different origin, or not loaded
      }
      if (inner === null) return null;
      const conditions = conditionsOf(rule);
      text += conditions.map((c) => c + ' {\n').join('') + inner + '}\n'.repeat(conditions.length);
    }
    if (text.length > limit) return null;
  }
  return sheet.href ? resolved(text, sheet.href) : text;
};

// changedText returns the rules of a sheet that a script has changed.
const changedText = (sheet, limit) => importsOf(sheet).length > 0 ? wholeText(sheet, limit) : rulesOf(sheet, limit);
