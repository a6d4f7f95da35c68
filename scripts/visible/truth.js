// Which words of the finished page can a reader see? Evaluated in Chrome, this gives
// a promise of
//
//	{words: "…", unseen: [["…", reason], …], extra: "…", counters: bool}
//
// words are those of the text nodes, in document order, separated by blanks. Reasons:
// display, visibility, opacity, transparent, clip, offpage, small. extra is what a
// reader may see although it is in no text node, and what can be argued about: nobody
// is blamed for showing or for leaving out such a word. counters: the page numbers
// things by CSS, and the numbers cannot be read.
//
// It knows nothing of plat: words are looked for with ranges and clipped here by what
// CSS says. What covers a word is not looked at, nor its colour against what is behind,
// nor masks, polygons and other shapes.
(async () => {
'use strict';
const MIN = 2;         // px; a word needs a piece at least as high and wide
const FAINT = 0.05;    // opacity and alpha below which nothing is seen
const LINES_MIN = 6;   // px of font below which words are looked at one by one
const FAR = 1e7;       // px
const SKIP = new Set(['script', 'style', 'noscript', 'template', 'title', 'head', 'datalist']);
const pause = ms => new Promise(r => setTimeout(r, ms));

const words = [], unseen = [], extra = [];
let counters = false;

// What a reader would load by scrolling is loaded; a page may turn this down.
async function scrollThrough() {
  const end = Math.min(document.documentElement.scrollHeight, 20 * innerHeight);
  for (let y = innerHeight; y < end; y += innerHeight) {
    scrollTo({top: y, behavior: 'instant'});
    await pause(40);
  }
  scrollTo({top: 0, left: 0, behavior: 'instant'});
  await pause(400);
}

// Elements with content-visibility: auto are laid out when they come into view. They
// all are now, because scrolling to each takes too long where there are thousands.
function layOutAll(root) {
  for (const e of root.querySelectorAll('*')) {
    if (e.shadowRoot) layOutAll(e.shadowRoot);
    if (getComputedStyle(e).contentVisibility === 'auto') e.style.setProperty('content-visibility', 'visible', 'important');
  }
}

const alpha = c => {
  if (c === 'transparent') return 0;
  const m = /^rgba\(.*,\s*([\d.]+)\)$/.exec(c) || /\/\s*([\d.]+)\)$/.exec(c);
  return m ? +m[1] : 1;
};
const scrolls = o => o === 'auto' || o === 'scroll';
const cuts = o => o === 'hidden' || o === 'clip';

// A box is [left, top, right, bottom] in px from the corner of the window.
const meet = (a, b) => [Math.max(a[0], b[0]), Math.max(a[1], b[1]), Math.min(a[2], b[2]), Math.min(a[3], b[3])];
const enough = b => b[2] - b[0] >= MIN && b[3] - b[1] >= MIN;
const boxOf = r => [r.left, r.top, r.right, r.bottom];

function onePage(doc) {
  const win = doc.defaultView, rootEl = doc.documentElement;
  const known = new Map();
  const viewport = [0, 0, win.innerWidth, win.innerHeight];

  // The window takes over the overflow of html, or else of body.
  const rootStyle = win.getComputedStyle(rootEl);
  let rules = rootEl;
  if (rootStyle.overflowX === 'visible' && rootStyle.overflowY === 'visible' && doc.body) rules = doc.body;
  const rulesStyle = win.getComputedStyle(rules);
  const noX = cuts(rulesStyle.overflowX), noY = cuts(rulesStyle.overflowY);
  const x0 = win.scrollX, y0 = win.scrollY;
  const page = rangeOf(doc.scrollingElement || rootEl, win.innerWidth, win.innerHeight);
  const reach = [page[0] - x0, page[1] - y0, page[2] - x0, noY ? FAR : page[3] - y0];
  if (noX) { reach[0] = 0; reach[2] = win.innerWidth; }

  // Where a scroller's content can be, from its corner: it grows to the left in
  // right-to-left text, and the sign of the scroll offset tells.
  function rangeOf(e, w, h) {
    const x = e.scrollLeft, y = e.scrollTop;
    const mx = Math.max(0, e.scrollWidth - e.clientWidth), my = Math.max(0, e.scrollHeight - e.clientHeight);
    let left = 0, top = 0;
    if (mx > 0) { e.scrollTo({left: -FAR, behavior: 'instant'}); left = e.scrollLeft < 0 ? -mx : 0; e.scrollTo({left: x, behavior: 'instant'}); }
    if (my > 0) { e.scrollTo({top: -FAR, behavior: 'instant'}); top = e.scrollTop < 0 ? -my : 0; e.scrollTo({top: y, behavior: 'instant'}); }
    return [left, top, left + mx + w, top + my + h];
  }

  // One clip of an element: what it does with a box, and the clip around it.
  const link = (f, next) => ({f, next});
  function clipped(b, c) {
    for (; c; c = c.next) {
      b = c.f(b);
      if (!enough(b)) return b;
    }
    return b;
  }

  function overflowClip(e, cs) {
    const r = e.getBoundingClientRect();
    // Borders are scaled like the box, where it is transformed.
    const sx = e.offsetWidth ? r.width / e.offsetWidth : 1, sy = e.offsetHeight ? r.height / e.offsetHeight : 1;
    const l = r.left + e.clientLeft * sx, t = r.top + e.clientTop * sy;
    const pad = [l, t, l + e.clientWidth * sx, t + e.clientHeight * sy];
    if (e.clientWidth === 0 && e.clientHeight === 0 && r.width > 0 && r.height > 0) pad.splice(0, 4, ...boxOf(r));
    const range = scrolls(cs.overflowX) || scrolls(cs.overflowY) ? rangeOf(e, e.clientWidth, e.clientHeight) : null;
    const axis = (lo, hi, how, from, to, off, min, max, s) => {
      if (scrolls(how)) {
        // In the content's own coordinates, then moved into the window.
        const a = Math.max((lo - from) / s + off, min), z = Math.min((hi - from) / s + off, max);
        const w = Math.min((z - a) * s, to - from);
        const at = Math.max(from, Math.min(lo, to - w));
        return [at, at + w];
      }
      return cuts(how) ? [Math.max(lo, from), Math.min(hi, to)] : [lo, hi];
    };
    const how = [cs.overflowX, cs.overflowY];
    if (/paint|content|strict/.test(cs.contain)) how.forEach((h, i) => { if (h === 'visible') how[i] = 'clip'; });
    return b => {
      const [x, x2] = axis(b[0], b[2], how[0], pad[0], pad[2], e.scrollLeft, range?.[0], range?.[2], sx || 1);
      const [y, y2] = axis(b[1], b[3], how[1], pad[1], pad[3], e.scrollTop, range?.[1], range?.[3], sy || 1);
      return [x, y, x2, y2];
    };
  }

  // clip and clip-path: insets and circles of size nothing are what hides text; other
  // shapes are taken for the whole box.
  function pathClip(e, cs) {
    const r = e.getBoundingClientRect();
    if (cs.clip !== 'auto' && (cs.position === 'absolute' || cs.position === 'fixed')) {
      const v = cs.clip.replace(/^rect\(|\)$/g, '').split(/[\s,]+/).map((s, i) => s === 'auto' ? [0, r.width, r.height, 0][i] : parseFloat(s));
      const b = [r.left + v[3], r.top + v[0], r.left + v[1], r.top + v[2]];
      return x => meet(x, b);
    }
    let m = /^inset\(([^)]*)\)/.exec(cs.clipPath);
    if (m) {
      const v = m[1].split(' round ')[0].trim().split(/\s+/);
      const px = (s, of) => s.endsWith('%') ? parseFloat(s) / 100 * of : parseFloat(s) || 0;
      const [t, rt = t, bt = t, lf = rt] = v;
      const b = [r.left + px(lf, r.width), r.top + px(t, r.height), r.right - px(rt, r.width), r.bottom - px(bt, r.height)];
      return x => meet(x, b);
    }
    if (/^(circle|ellipse)\(0(px|%)?[ )]/.test(cs.clipPath)) return () => [0, 0, 0, 0];
    return null;
  }

  const parentOf = e => e.assignedSlot || e.parentElement || (e.parentNode instanceof win.ShadowRoot || e.parentNode?.host ? e.parentNode.host : null);

  // An element that has no box has no opacity.
  function ownOpacity(cs) {
    if (cs.display === 'contents') return 1;
    const m = /opacity\(([\d.]+)\)/.exec(cs.filter);
    return parseFloat(cs.opacity) * (m ? +m[1] : 1);
  }

  // The back of a card that shows only its front.
  function turnedAway(i, up) {
    const cs = i.cs;
    i.space = up?.space || null;
    if (cs.transform.startsWith('matrix3d')) {
      const m = new DOMMatrix(cs.transform);
      i.space = i.space ? i.space.multiply(m) : m;
    }
    const away = cs.backfaceVisibility === 'hidden' && i.space && i.space.m33 < 0;
    if (cs.transformStyle !== 'preserve-3d') i.space = null;
    return away;
  }

  // What is known of an element: why all in it is hidden, or how it is clipped. The
  // clips differ for what stands in the flow, what is absolute and what is fixed.
  function info(e) {
    let i = known.get(e);
    if (i) return i;
    const p = parentOf(e), up = p ? info(p) : null;
    const cs = win.getComputedStyle(e);
    i = {cs, hidden: up?.hidden || '', opacity: (up ? up.opacity : 1) * ownOpacity(cs), fixed: !!up?.fixed, space: null, text: null};
    known.set(e, i);
    if (!i.hidden && cs.display === 'none') i.hidden = 'display';
    if (!i.hidden && i.opacity < FAINT) i.hidden = 'opacity';
    if (!i.hidden && turnedAway(i, up)) i.hidden = 'transparent';
    const pos = cs.position;
    let around = !up ? null : pos === 'absolute' ? up.abs : pos === 'fixed' ? up.fix : up.flow;
    i.fixed = pos === 'fixed' ? !up || up.inFix === false : pos === 'absolute' ? !!up?.absFixed : i.fixed;
    if (i.hidden) { i.flow = i.abs = i.fix = around; return i; }
    const path = cs.clipPath !== 'none' || cs.clip !== 'auto' ? pathClip(e, cs) : null;
    let flow = path ? link(path, around) : around;
    const inline = cs.display === 'inline' || cs.display === 'contents';
    const cutting = cs.overflowX !== 'visible' || cs.overflowY !== 'visible' || /paint|content|strict/.test(cs.contain);
    if (cutting && !inline && e !== rules && e !== rootEl && !(noY && e === doc.body) && !(e instanceof win.SVGElement)) flow = link(overflowClip(e, cs), flow);
    const moved = !inline && (cs.transform !== 'none' || cs.translate !== 'none' || cs.scale !== 'none' || cs.rotate !== 'none' || cs.filter !== 'none' ||
      cs.perspective !== 'none' || cs.backdropFilter && cs.backdropFilter !== 'none' || /paint|content|strict|layout/.test(cs.contain) ||
      /transform|filter|perspective/.test(cs.willChange));
    const holds = pos !== 'static' || moved;
    i.flow = flow;
    i.abs = holds ? flow : path ? link(path, up?.abs) : up ? up.abs : null;
    i.fix = moved ? flow : path ? link(path, up?.fix) : up ? up.fix : null;
    i.absFixed = holds ? i.fixed : !!up?.absFixed;
    i.inFix = moved || (up ? up.inFix : false);
    return i;
  }

  // A text without colour is seen if something paints it: its shadow, its outline or a
  // background that has its shape, which may be that of any ancestor.
  function transparent(e, cs) {
    if (alpha(cs.webkitTextFillColor) >= FAINT) return false;
    if (cs.textShadow !== 'none' || parseFloat(cs.webkitTextStrokeWidth) > 0) return false;
    for (let a = e; a; a = parentOf(a)) {
      const s = info(a).cs;
      if (s.webkitBackgroundClip === 'text' || s.backgroundClip === 'text') return s.backgroundImage === 'none' && alpha(s.backgroundColor) < FAINT;
    }
    return true;
  }

  function why(e) {
    const i = info(e);
    if (i.text !== null) return i.text;
    if (i.hidden) return i.text = i.hidden;
    if (i.cs.visibility !== 'visible') return i.text = 'visibility';
    if (i.cs.display !== 'contents' && !e.checkVisibility({contentVisibilityAuto: false, visibilityProperty: true})) return i.text = 'display';
    // These two have a box themselves; their texts have none.
    if (i.cs.contentVisibility === 'hidden' || e.localName === 'details' && !e.open) return i.text = 'display';
    if (e instanceof win.SVGElement && i.cs.fill === 'none' && i.cs.stroke === 'none') return i.text = 'transparent';
    if (transparent(e, i.cs)) return i.text = 'transparent';
    return i.text = '';
  }

  const range = doc.createRange();
  // place judges one rectangle: '' if a reader sees it, else a reason.
  function place(r, i) {
    let b = boxOf(r);
    if (!enough(b)) return 'small';
    b = clipped(b, i.flow);
    if (!enough(b)) return 'clip';
    if (!enough(meet(b, i.fixed ? viewport : reach))) return 'offpage';
    // A page that does not scroll down does mostly for as long as a dialog is open.
    if (noY && !i.fixed && b[1] + MIN > win.innerHeight) return 'locked';
    return '';
  }

  function textNode(t, e) {
    const s = t.data;
    if (!/\S/.test(s)) return;
    const whole = s.trim().replace(/\s+/g, ' ');
    const hide = why(e);
    if (hide) { unseen.push([whole, hide]); return; }
    const i = info(e);
    range.selectNodeContents(t);
    const rects = range.getClientRects();
    if (!rects.length) { unseen.push([whole, 'display']); return; }
    // Most texts are seen whole, and a range for every word would take minutes.
    if (parseFloat(i.cs.fontSize) >= LINES_MIN) {
      let all = true;
      for (const r of rects) {
        if (r.width === 0 && rects.length > 1) continue; // the end of a line
        const c = clipped(boxOf(r), i.flow), edge = i.fixed ? viewport : reach;
        all = r.width >= MIN && r.height >= MIN && c[2] - c[0] >= r.width - .01 && c[3] - c[1] >= r.height - .01 &&
          c[0] >= edge[0] && c[1] >= edge[1] && c[2] <= edge[2] + 1 && c[3] <= edge[3] + 1 && place(r, i) === '';
        if (!all) break;
      }
      if (all) { words.push(whole); return; }
    }
    for (const m of s.matchAll(/\S+/g)) {
      range.setStart(t, m.index);
      range.setEnd(t, m.index + m[0].length);
      let reason = 'display';
      for (const r of range.getClientRects()) {
        if ((reason = place(r, i)) === '') break;
      }
      if (reason === '') words.push(m[0]);
      else if (reason === 'locked') extra.push(m[0]);
      else unseen.push([m[0], reason]);
    }
  }

  function generated(e) {
    for (const which of ['::before', '::after', '::marker']) {
      if (which === '::marker' && info(e).cs.display !== 'list-item') continue;
      const c = win.getComputedStyle(e, which).content;
      if (!c || c === 'none' || c === 'normal') continue;
      if (/counters?\(/.test(c)) counters = true;
      for (const m of c.matchAll(/"((?:[^"\\]|\\.)*)"|attr\(([\w-]+)/g)) {
        const s = m[2] ? e.getAttribute(m[2]) || '' : m[1];
        if (/[\p{L}\p{N}]/u.test(s)) extra.push(s);
      }
    }
  }

  const CONTROLS = {submit: 'Submit', reset: 'Reset', file: 'Choose File Choose Files No file chosen', date: 'mm dd yyyy', month: 'month yyyy',
    time: 'hh mm AM PM', 'datetime-local': 'mm dd yyyy hh mm AM PM', week: 'Week yyyy'};
  function control(e, name) {
    for (const a of ['alt', 'placeholder', 'value', 'label']) if (e.hasAttribute(a)) extra.push(e.getAttribute(a));
    if (name === 'input') extra.push(e.value, CONTROLS[e.type] || '');
    if (name === 'textarea') extra.push(e.value, e.textContent);
    if (name === 'select') extra.push(e.textContent);
    if (name === 'details') extra.push('Details');
  }

  // Deep pages: a stack of our own, the next node on top.
  const stack = [rootEl];
  while (stack.length) {
    const n = stack.pop();
    if (n.nodeType === 3) {
      const e = n.assignedSlot || n.parentElement || n.parentNode?.host;
      if (e) textNode(n, e);
      continue;
    }
    if (n.nodeType !== 1) continue;
    const name = n.localName;
    if (SKIP.has(name)) continue;
    const i = info(n);
    if (n.attributes.length) control(n, name);
    else if (name === 'textarea' || name === 'input') control(n, name);
    if (name === 'textarea' || name === 'select') continue;
    if (!i.hidden) generated(n);
    if (name === 'iframe' || name === 'frame') {
      let inner = null;
      try { inner = n.contentDocument; } catch {}
      if (inner?.documentElement && !why(n) && place(n.getBoundingClientRect(), i) === '') onePage(inner);
      continue;
    }
    let kids = n.childNodes;
    if (n.shadowRoot) kids = n.shadowRoot.childNodes;
    else if (name === 'slot' && n.assignedNodes().length) kids = n.assignedNodes();
    for (let k = kids.length - 1; k >= 0; k--) stack.push(kids[k]);
  }
}

await scrollThrough();
layOutAll(document);
for (const f of document.querySelectorAll('iframe, frame')) {
  try { if (f.contentDocument?.documentElement) layOutAll(f.contentDocument); } catch {}
}
onePage(document);
return {words: words.join(' '), unseen, extra: extra.join(' '), counters};
})()
