// See keeper.go; resource.js defines the helpers. What a reader sees of a page that its markup does not tell: values of form
// controls, open dialogs and popovers, boxes that are scrolled.

const kindOf = reader(HTMLInputElement, 'type');
const valueOf = { input: reader(HTMLInputElement, 'value'), textarea: reader(HTMLTextAreaElement, 'value') };
const writtenIn = reader(HTMLTextAreaElement, 'defaultValue');
const checkedOf = reader(HTMLInputElement, 'checked');
const chosenOf = reader(HTMLOptionElement, 'selected');
const optionsOf = reader(HTMLSelectElement, 'options');
const manyOf = reader(HTMLSelectElement, 'multiple');
const disabledOf = reader(HTMLOptionElement, 'disabled');
const leftOf = reader(Element, 'scrollLeft');
const topOf = reader(Element, 'scrollTop');
const hasAttribute = caller(Element, 'hasAttribute');
const boxOf = caller(Element, 'getBoundingClientRect');
const allOf = { document: caller(Document, 'querySelectorAll'), shadow: caller(DocumentFragment, 'querySelectorAll') };
const below = caller(Element, 'querySelectorAll');

// unread are the types of <input> whose value is never shown, or cannot differ from their attribute.
const unread = new Set(['hidden', 'password', 'file', 'image', 'submit', 'reset', 'button']);

// writtenValue returns the value that an <input> has by its markup.
const writtenValue = (input) => {
  const fresh = document.createElementNS('http://www.w3.org/1999/xhtml', 'input');
  for (const name of ['type', 'min', 'max', 'step', 'multiple', 'value']) {
    if (hasAttribute(input, name)) fresh.setAttribute(name, attributeOf(input, name));
  }
  return valueOf.input(fresh);
};

// controlsOf calls note with the controls of a tree that show something else than their markup says.
const controlsOf = (find, note) => {
  for (const e of find('input, textarea')) {
    const tag = tagOf(e);
    if (tag === 'textarea') {
      const value = valueOf.textarea(e);
      if (value !== writtenIn(e).replace(/\r\n?/g, '\n')) note(e, { value });
      continue;
    }
    const kind = kindOf(e);
    if (kind === 'checkbox' || kind === 'radio') {
      if (checkedOf(e) !== hasAttribute(e, 'checked')) note(e, { on: checkedOf(e) });
    } else if (!unread.has(kind)) {
      const value = valueOf.input(e);
      if (value !== writtenValue(e)) note(e, { value });
    }
  }
  for (const select of find('select')) {
    const options = [...optionsOf(select)].slice(0, 1000);
    const written = options.map((o) => hasAttribute(o, 'selected'));
    if (!manyOf(select)) {
      let only = written.lastIndexOf(true);
      if (only < 0) only = options.findIndex((o) => !disabledOf(o));
      written.forEach((_, i) => { written[i] = i === only; });
    }
    if (options.every((o, i) => chosenOf(o) === written[i])) continue;
    for (const o of options) {
      if (chosenOf(o) !== hasAttribute(o, 'selected')) note(o, { on: chosenOf(o) });
    }
  }
};

// scrollTarget returns an element by which a replay can scroll a box as it is, and the declarations for the two; undefined if there
// is none. An initial target comes to the start of its box, less the padding of that, which cannot be negative (CSS Scroll
// Snap Module Level 2, section 3).
const scrollTarget = (box) => {
  const style = getComputedStyle(box);
  const outer = boxOf(box);
  const rtl = style.direction === 'rtl';
  const px = (name) => parseFloat(style.getPropertyValue(name)) || 0;
  const top = outer.top + px('border-top-width');
  const left = outer.left + px('border-left-width');
  const right = outer.right - px('border-right-width');
  const inside = below(box, '*');
  for (let i = 0; i < inside.length && i < 2000; i++) {
    const e = inside[i];
    const at = boxOf(e);
    if (at.width === 0 || at.height === 0) continue;
    const down = at.top - top, across = rtl ? right - at.right : at.left - left;
    if (down < 0 || across < 0) continue;
    const { position } = getComputedStyle(e);
    if (position === 'fixed' || position === 'sticky' || position === 'absolute') continue;
    const round = (n) => Math.round(n * 100) / 100 + 'px';
    return { e, own: 'scroll-initial-target:nearest;', box: 'scroll-padding:' + round(down) + ' ' + (rtl ? round(across) + ' 0 0;' : '0 0 ' + round(across) + ';') };
  }
  return undefined;
};

// backdrop returns the declarations that stand for the backdrop of a modal dialog: a replay has no top layer.
const backdrop = (dialog) => {
  const { backgroundColor, display } = getComputedStyle(dialog, '::backdrop');
  if (display === 'none' || /^rgba\(.*, 0\)$/.test(backgroundColor)) return '';
  const { boxShadow } = getComputedStyle(dialog);
  return 'box-shadow:' + (boxShadow === 'none' ? '' : boxShadow + ',') + '0 0 0 200vmax ' + backgroundColor + ';';
};

// startOf and others are of animations of drawings (SMIL).
const startOf = caller(SVGAnimationElement, 'getStartTime'), drawingOf = reader(SVGElement, 'ownerSVGElement'), clockOf = caller(SVGSVGElement, 'getCurrentTime');
const durationOf = caller(SVGAnimationElement, 'getSimpleDuration');

// begunMark is the attribute of animations that scripts have begun; see hooks.js.
const begunMark = 'data-plat-begun';

// begunAt returns the begin of an animation of a drawing that a script or an event has begun, as if the drawing appeared now; undefined if
// none has.
const begunAt = (e) => {
  if (spaceOf(e) !== 'http://www.w3.org/2000/svg' || !/[a-z]{3}/i.test(attributeOf(e, 'begin'))) return undefined;
  try {
    return Math.round((startOf(e) - clockOf(drawingOf(e))) * 1000) / 1000 + 's';
  } catch { // it is not under way
    if (!hasAttribute(e, begunMark)) return undefined;
  }
  try { // what ends before the drawing appears has no effect
    return 0.001 - durationOf(e) * (parseFloat(attributeOf(e, 'repeatCount')) || 1) + 's';
  } catch {
    return '0s'; // without a duration
  }
};

// stateOf returns the states of an element that replays do not have, for which rules may select: those of a form control that its user
// has seen, and of a custom element, of which names are known.
const stateOf = (e, names) => {
  const all = ['user-invalid', 'user-valid'].filter((name) => isMatch(e, ':' + name));
  if (tagOf(e).includes('-')) for (const name of names) if (/^[a-z_-][\w-]*$/i.test(name) && isMatch(e, ':state(' + name + ')')) all.push('state-' + name);
  return all.join(' ');
};

// fitOf returns the declarations that tell an export how the picture of a canvas fits its box; empty: it fills it. There it is a
// background.
const fitOf = (canvas) => {
  const { objectFit, objectPosition } = getComputedStyle(canvas);
  const size = { contain: 'contain', cover: 'cover', none: 'auto' }[objectFit];
  return size ? '--plat-fit:' + size + ';--plat-at:' + objectPosition + ';' : '';
};

// groundOf returns the declarations by which the outermost element of XML in a frame colours all of it, as it did as the root of its
// document; empty: it does not.
const groundOf = (root) => {
  const top = elementOf(root);
  if (root === document || !top || !/xml$/.test(contentOf(root)) || tagOf(top) === 'html' || tagOf(top) === 'svg') return '';
  const { backgroundColor } = viewOf(root).getComputedStyle(top);
  return /^rgba\(.*, 0\)$/.test(backgroundColor) ? '' : 'box-shadow:0 0 0 200vmax ' + backgroundColor + ';';
};

// takeLooks returns controls, opened, begun, states and styles of plat.PageState, at most 2,000 of each, in the time until end.
const takeLooks = (end, names) => {
  const controls = [], opened = [], styles = [], begun = [], states = [];
  const walk = (root, above) => {
    const isDocument = typeOf(root) === Node.DOCUMENT_NODE;
    const find = (selector) => (isDocument ? allOf.document : allOf.shadow)(root, selector);
    const to = (e) => pathOf(e, root, above);
    const free = (list) => list.length < 2000 && performance.now() < end;
    controlsOf(find, (e, state) => {
      if (free(controls) && (state.value ?? '').length < 20000) controls.push({ path: to(e), ...state });
    });
    for (const e of find('dialog[open], [popover]')) {
      if (!free(opened)) break;
      if (isMatch(e, ':modal')) {
        opened.push({ path: to(e), text: 'modal' });
        styles.push({ path: to(e), text: backdrop(e) });
      } else if (isMatch(e, ':popover-open')) {
        opened.push({ path: to(e), text: 'popover' });
      }
    }
    for (const e of find('animate[begin], animateMotion[begin], animateTransform[begin], set[begin]')) {
      const text = free(begun) ? begunAt(e) : undefined;
      if (text) begun.push({ path: to(e), text });
    }
    const among = names.length > 0 ? '*' : 'input, select, textarea';
    for (const e of find(among)) {
      const text = free(states) ? stateOf(e, names) : '';
      if (text) states.push({ path: to(e), text });
    }
    for (const e of find(':target')) opened.push({ path: to(e), text: 'target' });
    const ground = isDocument ? groundOf(root) : '';
    if (ground) styles.push({ path: to(elementOf(root)), text: ground });
    for (const e of find('canvas')) if (free(styles)) styles.push({ path: to(e), text: fitOf(e) });
    for (const e of find('*')) {
      const inner = shadowOf(e) ?? innerOf(e);
      if (inner) walk(inner, to(e).concat(~0));
      if (leftOf(e) === 0 && topOf(e) === 0 || !free(styles)) continue;
      const tag = tagOf(e);
      if (tag === 'html' || tag === 'body' || tag === 'input' || tag === 'textarea' || tag === 'select') continue;
      const target = scrollTarget(e);
      if (target) styles.push({ path: to(target.e), text: target.own }, { path: to(e), text: target.box });
    }
  };
  walk(document, []);
  return { controls, opened, begun, states, styles: styles.filter((s) => s.text) };
};
