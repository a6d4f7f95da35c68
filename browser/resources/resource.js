// See keeper.go. The page's scripts are in a different world, but names of its forms and images
// shadow properties here too (document.styleSheets may be an image): so properties are read from
// their prototypes.

const reader = (type, name) => {
  const { get } = Object.getOwnPropertyDescriptor(type.prototype, name);
  return (object) => get.call(object);
};
const typeOf = reader(Node, 'nodeType');
const parentOf = reader(Node, 'parentNode');
const before = reader(Element, 'previousElementSibling');
const tagOf = reader(Element, 'localName');
const shadowOf = reader(Element, 'shadowRoot'), hostOf = reader(ShadowRoot, 'host');
const textOf = reader(Node, 'textContent');
const styleOf = { 'http://www.w3.org/1999/xhtml': reader(HTMLElement, 'style'), 'http://www.w3.org/2000/svg': reader(SVGElement, 'style') };
const sheetOf = { style: reader(HTMLStyleElement, 'sheet'), link: reader(HTMLLinkElement, 'sheet'), drawn: reader(SVGStyleElement, 'sheet') };
const spaceOf = reader(Element, 'namespaceURI');
const caller = (type, name) => Function.prototype.call.bind(type.prototype[name]);
const attributeOf = caller(Element, 'getAttribute');
const sourceOf = reader(HTMLImageElement, 'src'), loadedFrom = reader(HTMLImageElement, 'currentSrc');
const widthOf = reader(HTMLImageElement, 'naturalWidth'), imagesOf = reader(Document, 'images');
const isMatch = caller(Element, 'matches');
const rootOf = caller(Node, 'getRootNode');
const inners = { iframe: HTMLIFrameElement, frame: HTMLFrameElement, object: HTMLObjectElement };
for (const tag in inners) inners[tag] = reader(inners[tag], 'contentDocument');
const [ofDocument, ofShadow] = [Document, ShadowRoot].map((type) => ({
  sheets: reader(type, 'styleSheets'), adopted: reader(type, 'adoptedStyleSheets'), animations: caller(type, 'getAnimations'),
}));
const [contentOf, addressOf, doctypeOf, compatOf] = ['contentType', 'URL', 'doctype', 'compatMode'].map((name) => reader(Document, name));
const elementOf = reader(Document, 'documentElement');
const documentOf = reader(Node, 'ownerDocument');
const viewOf = reader(Document, 'defaultView');

// innerOf returns the document in a frame, if accessible.
const innerOf = (element) => {
  try {
    return inners[tagOf(element)]?.(element);
  } catch {
    return null; // an element of a different namespace
  }
};

// pathOf returns the path from a root to an element; see plat.Block.Path.
const pathOf = (element, root, above) => {
  const path = [];
  for (let e = element; e !== root; e = parentOf(e)) {
    let rank = 0;
    for (let b = before(e); b; b = before(b)) rank++;
    path.push(rank);
  }
  return above.concat(path.reverse());
};

// rulesOf serialises a sheet; null if it has more than limit characters.
const rulesOf = (sheet, limit) => {
  let text = '';
  for (const rule of sheet.cssRules) {
    text += rule.cssText + '\n';
    if (text.length > limit) return null;
  }
  return text;
};

// isAsWritten reports whether the rules of a <style> element are those of its text.
const isAsWritten = (sheet, text, limit) => {
  if (sheet.disabled) return false;
  if (!text.trim()) return sheet.cssRules.length === 0;
  const written = new CSSStyleSheet();
  written.replaceSync(text); // leaves @import out
  const rules = [...sheet.cssRules].filter((rule) => rule.type !== CSSRule.IMPORT_RULE);
  if (rules.length !== written.cssRules.length) return false;
  for (let i = 0, length = 0; i < rules.length; i++) {
    const is = rules[i].cssText;
    if (is !== written.cssRules[i].cssText) return false;
    if ((length += is.length) > limit) return true; // the rest is not compared
  }
  return true;
};

// modeOf returns the mode in which a document is laid out, if its document type does not tell: "quirks" or "standards". A script may
// have removed or added the type since, and XML without one is in standards mode. Documents in srcdoc always are.
const modeOf = (root) => {
  if (contentOf(root) === 'image/svg+xml' || addressOf(root) === 'about:srcdoc') return undefined;
  const type = doctypeOf(root), quirks = compatOf(root) === 'BackCompat';
  if (!type) return quirks ? undefined : 'standards';
  return quirks && type.publicId === '' && type.systemId === '' ? 'quirks' : undefined;
};

// mediaNow returns the media query for which a sheet holds now, if the markup of its owner says a different
// one: see plat.PageState. Chrome does not tell whether a script has chosen an alternative sheet.
const mediaNow = (sheet, owner) => {
  if (sheet.disabled) return 'not all';
  const is = sheet.media.mediaText;
  const written = new CSSStyleSheet({ media: attributeOf(owner, 'media') ?? '' }).media.mediaText;
  return is !== written ? is || 'all' : undefined;
};

// kebab returns the name of a property in style sheets.
const kebab = (name) => name === 'cssFloat' ? 'float' : name.startsWith('--') ? name : name.replace(/[A-Z]/g, (c) => '-' + c.toLowerCase());

// animated returns the declarations that hold for an element below root, in the same tree, because of an animation that a script
// began, undefined if there are none. Animations of style sheets run in a replay, too.
const animated = (animation, root) => {
  const { effect } = animation;
  if (animation instanceof CSSAnimation || animation instanceof CSSTransition || !(effect instanceof KeyframeEffect)) return undefined;
  if (!effect.target || effect.pseudoElement || rootOf(effect.target) !== root) return undefined;
  const names = new Set(effect.getKeyframes().flatMap(Object.keys));
  const style = getComputedStyle(effect.target);
  let text = '';
  for (const name of names) {
    if (['offset', 'computedOffset', 'easing', 'composite'].includes(name)) continue;
    const value = style.getPropertyValue(kebab(name));
    if (value && value.length < 1000) text += kebab(name) + ':' + value + ';';
  }
  return text || undefined;
};

// appliedOf calls note with the URL of a sheet, and of those that it imports, if they have rules.
const appliedOf = (sheet, note, depth = 0) => {
  let rules = [];
  try {
    rules = sheet.cssRules;
  } catch { /* of a different origin */ }
  if (sheet.href && rules.length > 0) note(sheet.href.split('#')[0]);
  for (let i = 0; i < rules.length && rules[i].type === CSSRule.IMPORT_RULE && depth < 8; i++) {
    if (rules[i].styleSheet) appliedOf(rules[i].styleSheet, note, depth + 1);
  }
};

// isUnanswered reports whether the document of an element has asked its own host for a URL, and got no answer. A document of
// no origin, as in a sandbox, is not told of any.
const isUnanswered = (e, url) => {
  const view = viewOf(documentOf(e));
  const same = (entry) => entry.name.split('#')[0] === url.split('#')[0];
  const entry = view?.performance.getEntriesByType('resource').find(same);
  return entry !== undefined && entry.responseStatus === 0 && new URL(url).origin === view.origin;
};

// isRefused reports whether a <style> or <link> has no style sheet: the page's security policy or a wrong checksum has refused
// it, or it did not load. A refused <link> may have a sheet that tells nothing, like those of other origins.
const isRefused = (e, tag) => {
  if (tag !== 'style' && tag !== 'link') return false;
  const space = spaceOf(e);
  if (space !== 'http://www.w3.org/1999/xhtml' && (space !== 'http://www.w3.org/2000/svg' || tag === 'link')) return false;
  const sheet = sheetOf[space.endsWith('svg') ? 'drawn' : tag](e);
  if (sheet) {
    try {
      return !sheet.cssRules;
    } catch {
      return sheet.href !== null && isUnanswered(e, sheet.href);
    }
  }
  return tag === 'style' ? textOf(e).trim() !== '' : /(^|\s)stylesheet(\s|$)/i.test(attributeOf(e, 'rel') ?? '');
};

// trial is an element whose declarations no security policy refuses.
const trial = document.createElementNS('http://www.w3.org/1999/xhtml', 'p');

// isUnstyled reports whether an element has no declarations although its attribute style has some.
const isUnstyled = (e) => {
  const text = attributeOf(e, 'style');
  const own = text && styleOf[spaceOf(e)];
  if (!own || own(e).length > 0) return false;
  trial.style.cssText = text;
  return trial.style.length > 0;
};

// isLoaded reports whether a sheet, or one that it imports, has a URL: Chrome would reload those.
const isLoaded = (sheet) => {
  if (sheet.href) return true;
  for (const rule of sheet.cssRules) {
    if (rule.type === CSSRule.IMPORT_RULE) return true;
    if (rule.type === CSSRule.STYLE_RULE) return false; // imports come before
  }
  return false;
};

// fromCache returns a file in the browser's cache, of any age: its media type, and its content in Base64; null if it
// is absent, has more than most bytes, or is not accessible (CORS, the page's CSP).
const fromCache = async (url, most) => {
  try {
    const answer = await fetch(url, { cache: 'force-cache' });
    const blob = await answer.blob();
    if (!answer.ok || blob.size > most) return null;
    const data = blob.size === 0 ? '' : await new Promise((done) => {
      const reading = new FileReader();
      reading.onloadend = () => done(reading.result?.split(',')[1] ?? null);
      reading.readAsDataURL(blob);
    });
    return data === null ? null : { type: answer.headers.get('content-type') ?? '', data };
  } catch {
    return null;
  }
};

// formerBase returns the base of a document when an image was loaded, if it is a different one since; else empty.
const formerBase = (img) => {
  if (spaceOf(img) !== 'http://www.w3.org/1999/xhtml' || attributeOf(img, 'srcset') !== null) return '';
  const source = (attributeOf(img, 'src') ?? '').trim(), from = loadedFrom(img);
  return source && from !== sourceOf(img) && from.endsWith('/' + source) ? from.slice(0, -source.length) : '';
};

// mostEntries is the number of files on the performance timeline of a document, after which Chrome adds no more.
const mostEntries = 250;

// unloaded returns those of some URLs that a document has not loaded, as its timeline and its images tell. Of files of other
// origins the timeline does not tell whether they were loaded.
const unloaded = (entries, images, urls) => {
  if (entries.length >= mostEntries) return [];
  const loaded = new Set(entries.filter((entry) => entry.responseStatus > 0).map((entry) => entry.name.split('#')[0]));
  for (const img of images) if (widthOf(img) > 0) loaded.add(loadedFrom(img).split('#')[0]);
  return urls.filter((url) => !loaded.has(url));
};

// What elements and style sheets load, as the performance timeline calls it, and what scripts do.
const byPage = new Set(['img', 'image', 'input', 'css', 'link', 'video']), byScript = new Set(['fetch', 'xmlhttprequest']);

// shown is the rule by which plat makes skipped content visible; see arrange.go.
const shown = ':not([hidden="until-found" i]) { content-visibility: visible !important; }';

// takeStyles returns the rules inserted by scripts, at most most characters each, within time ms, also those of loaded sheets of
// the document with some indices,
// the state of plat.PageState, the status of loaded files, the URLs of sheets with rules, of files that the page and a script
// have loaded, the bases that documents had before, and for each document those of the refused URLs that it has not loaded; and it disables the loaded style sheets. It leaves inaccessible
// ones unchanged.
const takeStyles = (most, time, changed, refused, names) => {
  const end = performance.now() + time;
  const looks = takeLooks(performance.now() + time / 4, names); // before the sheets are disabled
  const styles = [];
  const status = {};
  const media = [], animations = looks.styles, unstyled = [], documents = [], modes = [];
  const bases = new Map(), applied = new Set(), defined = new Set(), pages = new Set(), scripts = new Set();
  let custom = false;
  const add = (path, adopted, take) => {
    const late = performance.now() > end;
    const text = late ? '' : take(); // undefined: nothing to keep
    if (text !== undefined) styles.push({ path, adopted, left: late ? 'late' : text === null ? 'large' : '', text: text ?? '' });
  };
  const walk = (root, above) => {
    const isDocument = typeOf(root) === Node.DOCUMENT_NODE;
    const kind = isDocument ? ofDocument : ofShadow;
    const mode = isDocument && modeOf(root);
    if (mode) modes.push({ path: above, text: mode });
    let off = false;
    for (const animation of kind.animations(root).slice(0, 500)) {
      const text = performance.now() < end ? animated(animation, root) : undefined;
      if (text) animations.push({ path: pathOf(animation.effect.target, root, above), text });
    }
    let index = -1;
    for (const sheet of kind.sheets(root)) {
      index++;
      const owner = sheet.ownerNode;
      const tag = owner && typeOf(owner) === Node.ELEMENT_NODE ? tagOf(owner) : '';
      appliedOf(sheet, (href) => applied.add(href));
      const text = tag && mediaNow(sheet, owner);
      if (text) media.push({ path: pathOf(owner, root, above), text });
      if (tag === 'style') {
        add(pathOf(owner, root, above), 0, () => {
          if (root === document && changed.includes(index) && !sheet.disabled && importsOf(sheet).length > 0) return wholeText(sheet, most);
          if (isAsWritten(sheet, textOf(owner), most)) return undefined;
          return sheet.disabled ? '' : rulesOf(sheet, most);
        });
      }
      if (tag === 'link' && root === document && changed.includes(index)) add(pathOf(owner, root, above), 0, () => changedText(sheet, most));
      if (isLoaded(sheet)) {
        sheet.disabled = true;
        off = true;
      }
    }
    let rank = 0;
    for (const sheet of kind.adopted(root)) {
      if (sheet.cssRules.length === 1 && sheet.cssRules[0].cssText === shown) continue; // plat's own
      add(above, ++rank, () => {
        if (sheet.disabled || sheet.cssRules.length === 0) return undefined;
        const text = adoptedText(sheet, isDocument ? elementOf(root) : hostOf(root), most);
        return text && sheet.media.mediaText ? '@media ' + sheet.media.mediaText + ' {\n' + text + '}\n' : text;
      });
    }
    const elements = Document.prototype.createTreeWalker.call(document, root, NodeFilter.SHOW_ELEMENT);
    for (let e = elements.nextNode(); e; e = elements.nextNode()) {
      const tag = tagOf(e);
      if (tag.includes('-') && spaceOf(e) === 'http://www.w3.org/1999/xhtml') {
        custom = true;
        if (defined.size < 2000 && isMatch(e, ':defined')) defined.add(tag);
      } else if (attributeOf(e, 'is') !== null) {
        custom = true;
        if (defined.size < 2000 && isMatch(e, ':defined')) defined.add(attributeOf(e, 'is'));
      }
      if (tag === 'img' && isDocument && bases.size < 20) {
        const base = formerBase(e);
        if (base) bases.set(above + ' ' + base, { path: above, text: base });
      }
      if (media.length < 2000 && isRefused(e, tag)) media.push({ path: pathOf(e, root, above), text: 'not all', url: e.sheet?.href ?? '' });
      if (unstyled.length < 2000 && isUnstyled(e)) unstyled.push(pathOf(e, root, above));
      const inner = shadowOf(e) ?? innerOf(e);
      if (inner) walk(inner, pathOf(e, root, above).concat(~0));
    }
    const view = isDocument ? viewOf(root) : null;
    const entries = view?.performance.getEntriesByType('resource') ?? [];
    if (view && refused.length > 0) documents.push({ path: above, urls: unloaded(entries, imagesOf(root), refused) });
    for (const entry of entries) {
      const url = entry.name.split('#')[0];
      if (url.length >= 4096) continue;
      if (entry.responseStatus > 0) status[url] = entry.responseStatus;
      if (byPage.has(entry.initiatorType)) pages.add(url);
      if (byScript.has(entry.initiatorType)) scripts.add(url);
    }
    if (off && view && elementOf(root)) view.getComputedStyle(elementOf(root)).color; // applies the change
  };
  walk(document, []);
  return { styles, status, media, animations, documents, modes, controls: looks.controls, opened: looks.opened, begun: looks.begun, states: looks.states, unstyled, applied: [...applied], both: [...pages.intersection(scripts)], bases: [...bases.values()], defined: custom ? [...defined].sort() : undefined };
};
