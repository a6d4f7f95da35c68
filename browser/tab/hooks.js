// Detects how much of a page is still to come: whether it waits for a frame, loads content on
// scrolling, or keeps connections open. See plat/browser/settle. The page cannot detect it:
// replaced functions appear native, and the result is stored under a name that the page cannot
// guess.
const frameAsked = 1; // a callback waits for the next frame
const framesSeen = 2; // it observes every frame: observers, view transitions
const scrollSeen = 4; // it observes scrolling
const isLive = 8; // a worker, a socket or a stream may bring more at any time
const takesTime = 16; // the browser works for it in real time
let used = 0;
let scripted = false; // a script has run that is not in the page any more

const call = (owner, name, bit) => put(owner, name, (old) => ({ [name](...args) {
  used |= bit;
  return apply(old, this, args);
} })[name]);
call(window, 'requestAnimationFrame', frameAsked);
// A browser is idle between frames, but here most frames never come. So an idle callback runs at
// its timeout, and receives the deadline of an idle browser.
const timeLeft = Function.prototype.call.bind(IdleDeadline.prototype.timeRemaining);
put(window, 'requestIdleCallback', (old) => ({ requestIdleCallback(...args) {
  used |= frameAsked;
  const [callback, options] = args;
  if (typeof callback !== 'function' || options?.timeout > 0) return apply(old, this, args);
  return apply(old, this, [(deadline) => {
    if (!deadline.didTimeout) return apply(callback, window, [deadline]);
    const end = performance.now() + 40;
    const { timeRemaining } = { timeRemaining() { return this === idle ? Math.max(0, end - performance.now()) : timeLeft(this); } };
    native.set(timeRemaining, 'function timeRemaining() { [native code] }');
    const idle = new Proxy(deadline, { get(target, name) {
      if (name === 'didTimeout') return false;
      return name === 'timeRemaining' ? timeRemaining : Reflect.get(target, name, target);
    } });
    return apply(callback, window, [idle]);
  }, { timeout: 50 }]);
} }).requestIdleCallback);
if (window.ServiceWorkerContainer) call(ServiceWorkerContainer.prototype, 'register', isLive);
call(Document.prototype, 'startViewTransition', frameAsked | framesSeen);
const Sight = IntersectionObserver;
const inSight = Function.prototype.call.bind(Sight.prototype.observe);
const outOfSight = Function.prototype.call.bind(Sight.prototype.unobserve);
call(ResizeObserver.prototype, 'observe', framesSeen);
call(IntersectionObserver.prototype, 'observe', framesSeen | scrollSeen);
for (const [owner, names] of [
  [window.HTMLImageElement, ['decode']],
  [window.Blob, ['arrayBuffer', 'bytes', 'text', 'stream']],
  [window.FileReader, ['readAsArrayBuffer', 'readAsBinaryString', 'readAsDataURL', 'readAsText']],
  [window.FontFace, ['load']],
  [window.IDBFactory, ['open', 'deleteDatabase', 'databases']],
  [window.IDBObjectStore, ['add', 'put', 'get', 'getAll', 'getKey', 'getAllKeys', 'count', 'openCursor', 'delete', 'clear']],
  [window.IDBIndex, ['get', 'getAll', 'getKey', 'getAllKeys', 'count', 'openCursor', 'openKeyCursor']],
  [window.CacheStorage, ['open', 'match', 'has', 'keys']],
  [window.Cache, ['match', 'matchAll', 'keys', 'put', 'add', 'addAll']],
  [window.SubtleCrypto, ['digest', 'encrypt', 'decrypt', 'sign', 'verify', 'importKey', 'generateKey', 'deriveKey', 'deriveBits']],
  [window.BaseAudioContext, ['decodeAudioData']],
  [window.OfflineAudioContext, ['startRendering']],
  [window.StorageManager, ['estimate', 'persisted', 'getDirectory']],
  [window.CookieStore, ['get', 'getAll', 'set', 'delete']],
  [window.LockManager, ['request', 'query']],
  [window.Geolocation, ['getCurrentPosition', 'watchPosition']],
  [window.MediaDevices, ['enumerateDevices', 'getUserMedia']],
  [window.NavigatorUAData, ['getHighEntropyValues']],
]) {
  for (const name of names) if (owner) call(owner.prototype, name, takesTime);
}
call(window, 'createImageBitmap', takesTime);
if (window.Notification) call(Notification, 'requestPermission', takesTime);
for (const name of ['instantiate', 'instantiateStreaming', 'compile', 'compileStreaming']) call(WebAssembly, name, takesTime);
put(EventTarget.prototype, 'addEventListener', (old) => ({ addEventListener(...args) {
  if (args[0] === 'scroll') used |= scrollSeen;
  else if (args[0] === 'contentvisibilityautostatechange') used |= framesSeen | scrollSeen;
  scripted = true;
  return apply(old, this, args);
} }).addEventListener);
for (const owner of [window, Document.prototype]) {
  put(owner, 'onscroll', (old) => Object.getOwnPropertyDescriptor({ set onscroll(f) {
    if (f) used |= scrollSeen;
    apply(old, this, [f]);
  } }, 'onscroll').set, 'set');
}
// Messages between the page and its workers are signs of activity.
let messages = 0;
const listen = Function.prototype.call.bind(EventTarget.prototype.addEventListener);
const countMessage = () => { messages++; };
putClass(window, 'Worker', () => { used |= isLive; }, (worker) => { listen(worker, 'message', countMessage); });
put(Worker.prototype, 'postMessage', (old) => ({ postMessage(...args) {
  messages++;
  return apply(old, this, args);
} }).postMessage);
for (const name of ['SharedWorker', 'BroadcastChannel', 'WebSocket', 'EventSource', 'WebTransport', 'RTCPeerConnection']) {
  if (window[name]) putClass(window, name, () => { used |= isLive; });
}

// The animations of a document do not include those in its shadow roots. These lists are chains of objects: to an
// array, a page could add setters.
let roots = null; // { root, next }
let freeRoots = 100;
put(Element.prototype, 'attachShadow', (old) => ({ attachShadow(...args) {
  const root = apply(old, this, args);
  if (freeRoots-- > 0) roots = { root, next: roots };
  return root;
} }).attachShadow);

// The functions below are called from outside, after the page's scripts: so all the builtins that
// they use are captured now.
const bound = (owner, name) => Function.prototype.call.bind(owner.prototype[name]);
const got = (owner, name) => Function.prototype.call.bind(Object.getOwnPropertyDescriptor(owner.prototype, name).get);
const find = bound(Document, 'querySelector');
const animationsOf = bound(Document, 'getAnimations');
const rootAnimationsOf = bound(ShadowRoot, 'getAnimations');
const playStateOf = got(Animation, 'playState');
const isPending = got(Animation, 'pending');
const effectOf = got(Animation, 'effect');
const timingOf = bound(AnimationEffect, 'getComputedTiming');
const targetOf = got(KeyframeEffect, 'target');
const timelineOf = got(Animation, 'timeline');
const pause = bound(Animation, 'pause');
const goTo = Function.prototype.call.bind(Object.getOwnPropertyDescriptor(Animation.prototype, 'currentTime').set);
const percent = window.CSS.percent;
const InView = window.ViewTimeline;
const leastOpacity = 0.05; // of text that a reader sees
// driven returns animations of the document whose time is the way of an element through the view.
const driven = () => {
  const found = [];
  if (!InView) return found;
  const list = animationsOf(document);
  for (let i = 0; i < list.length && i < 2000; i++) {
    const timeline = timelineOf(list[i]);
    if (timeline && getPrototypeOf(timeline) === InView.prototype && effectOf(list[i])) {
      defineProperty(found, found.length, { value: list[i], enumerable: true });
    }
  }
  return found;
};
// ends reports whether an animation has an end, which may look different from now.
const ends = (a) => playStateOf(a) !== 'finished' && effectOf(a) && timingOf(effectOf(a)).endTime < 1e6;
const firstOf = got(Node, 'firstChild');
const nextOf = got(Node, 'nextSibling');
const kindOf = got(Node, 'nodeType');
const textOf = got(Node, 'textContent');
const heightOf = got(Element, 'scrollHeight');
const viewOf = got(Element, 'clientHeight');
const parentOf = got(Node, 'parentElement');
const rootOf = got(Document, 'scrollingElement');
const topOf = got(Document, 'documentElement');
const fontsOf = got(Document, 'fonts');
const fontState = got(FontFaceSet, 'status');
const fontStateOf = got(FontFace, 'status');
const inFonts = bound(FontFaceSet, 'has');
const descriptors = [['font-family', 'family'], ['font-style', 'style'], ['font-weight', 'weight'], ['font-stretch', 'stretch'],
  ['unicode-range', 'unicodeRange'], ['font-feature-settings', 'featureSettings'], ['font-variation-settings', 'variationSettings'],
  ['size-adjust', 'sizeAdjust'], ['ascent-override', 'ascentOverride'], ['descent-override', 'descentOverride'], ['line-gap-override', 'lineGapOverride']]
  .filter(([, name]) => getOwnPropertyDescriptor(FontFace.prototype, name)).map(([css, name]) => [css, got(FontFace, name)]);
const letter = String.fromCharCode;
const base64 = window.btoa.bind(window);
const at = bound(Document, 'elementsFromPoint');
const scroll = bound(Element, 'scrollTo');
const styleOf = window.getComputedStyle;
const imagesOf = got(Document, 'images');
const completeOf = got(HTMLImageElement, 'complete');
const naturalOf = got(HTMLImageElement, 'naturalWidth');
const altOf = got(HTMLImageElement, 'alt');
const [width, height] = ['innerWidth', 'innerHeight'].map((name) => Object.getOwnPropertyDescriptor(window, name).get.bind(window));
const Observer = MutationObserver;
const observe = bound(MutationObserver, 'observe');
const loaded = performance.getEntriesByType.bind(performance);
const initiatorOf = got(PerformanceResourceTiming, 'initiatorType');

// Fonts that scripts make do not tell their source. It is kept here: a text, or a copy of the bytes.
let faces = null; // { face, source, size, next }; size is that of bytes
let freeFaces = 100;
let fontBytes = 4 << 20; // that may still be kept
const Bytes = Uint8Array;
const TypedArray = getPrototypeOf(Bytes);
const [bufferOf, offsetOf, lengthOfView] = ['buffer', 'byteOffset', 'byteLength'].map((name) => got(TypedArray, name));
const sizeOf = got(ArrayBuffer, 'byteLength');
const setBytes = bound(TypedArray, 'set');
// keepFont keeps the source of a font. Whatever it throws is of no concern to the page.
const keepFont = (face, source) => {
  if (freeFaces-- <= 0) return;
  if (typeof source === 'string') {
    if ((fontBytes -= source.length) >= 0) faces = { face, source, size: 0, next: faces };
    return;
  }
  let buffer = source, offset = 0, size = 0;
  try {
    size = sizeOf(source);
  } catch {
    buffer = bufferOf(source);
    offset = offsetOf(source);
    size = lengthOfView(source);
  }
  if ((fontBytes -= size) < 0) return;
  const copy = construct(Bytes, [size]);
  setBytes(copy, construct(Bytes, [buffer, offset, size]));
  faces = { face, source: copy, size, next: faces };
};
putClass(window, 'FontFace', undefined, (face, args) => {
  try {
    keepFont(face, args[1]);
  } catch { /* a source of another kind */ }
});

// Rules that scripts insert into the style sheet of a file are not in its text.
const changedSheets = new WeakSet();
const addTo = bound(WeakSet, 'add'), isIn = bound(WeakSet, 'has');
const sheetOf = got(CSSRule, 'parentStyleSheet'), importerOf = got(StyleSheet, 'parentStyleSheet');
// outerOf returns the sheet of an element that imports a sheet, directly or not; else that itself.
const outerOf = (sheet) => {
  let outer = sheet;
  for (let next = importerOf(sheet); next; next = importerOf(next)) outer = next;
  return outer;
};
for (const [type, names] of [[CSSStyleSheet, ['insertRule', 'deleteRule', 'addRule', 'removeRule']], [CSSGroupingRule, ['insertRule', 'deleteRule']]]) {
  for (const name of names) put(type.prototype, name, (old) => ({ [name](...args) {
    const answer = apply(old, this, args); // a wrong call has thrown
    const sheet = type === CSSStyleSheet ? this : sheetOf(this);
    if (sheet) addTo(changedSheets, outerOf(sheet));
    return answer;
  } })[name]);
}
// Properties that scripts register are in no style sheet.
let properties = null; // { rule, next }
let freeProperties = 200;
const escapeName = CSS.escape;
put(CSS, 'registerProperty', (old) => ({ registerProperty(...args) {
  const answer = apply(old, this, args);
  const { name, syntax = '*', inherits, initialValue } = args[0];
  if (freeProperties-- > 0) {
    const initial = initialValue === undefined ? '' : ' initial-value: ' + initialValue + ';';
    const rule = '@property ' + escapeName(name) + ' { syntax: "' + syntax + '"; inherits: ' + !!inherits + ';' + initial + ' }';
    properties = { rule, next: properties };
  }
  return answer;
} }).registerProperty);
// The states that scripts give to custom elements, by name.
const stateNames = [];
if (window.CustomStateSet) put(CustomStateSet.prototype, 'add', (old) => ({ add(...args) {
  const answer = apply(old, this, args);
  const name = args[0];
  if (typeof name === 'string' && name.length < 100 && stateNames.length < 200 && !apply(includes, stateNames, [name])) {
    defineProperty(stateNames, stateNames.length, { value: name, enumerable: true });
  }
  return answer;
} }).add);
// Animations of drawings that scripts have begun do not tell so once they have ended.
let begunByScripts = null; // { element, next }
let freeBegun = 500;
const setAttributeOf = bound(Element, 'setAttribute');
for (const name of ['beginElement', 'beginElementAt']) put(SVGAnimationElement.prototype, name, (old) => ({ [name](...args) {
  const answer = apply(old, this, args);
  if (freeBegun-- > 0) begunByScripts = { element: this, next: begunByScripts };
  return answer;
} })[name]);
const { includes } = Array.prototype;
const sheetsOf = got(Document, 'styleSheets');
const sheetAt = bound(StyleSheetList, 'item');
const sheetCount = got(StyleSheetList, 'length');

const { max } = Math;
// scroller returns the scroll container of the page: the document, or the large box that contains
// all of a page whose document scrolls less than half a window.
const scroller = () => {
  const root = rootOf(document);
  const rest = root ? heightOf(root) - height() : 0;
  if (!root || rest > height() / 2) return root;
  const seen = new Set();
  for (let e of at(document, width() / 2, height() / 2).slice(0, 8)) {
    for (; e && !seen.has(e); e = parentOf(e)) {
      seen.add(e);
      if (viewOf(e) < height() / 3 || heightOf(e) <= viewOf(e) + max(1, rest)) continue;
      if (/auto|scroll|overlay/.test(styleOf(e).overflowY)) return e;
    }
  }
  return root;
};

// handlers select elements with scripts that run without any action of a user.
const handlers = 'load,error,pageshow,toggle,focus,resize,scroll,animationstart,animationend,transitionend,begin,end,canplay,loadeddata'
  .split(',').map((name) => '[on' + name + ']').join();

// hasRun reports whether a script has run that is not in the page any more, as far as detectable:
// one that was loaded, or that has called a function watched here.
const hasRun = () => scripted || used !== 0 || loaded('resource').some((e) => initiatorOf(e) === 'script');

let changes = 0;
let waits = false; // a frame reported by take has not been drawn so far
let lates = 0; // number of such cases
let sight; // an observer that restarts is called after the next drawn frame
let begun = false; // a frame began an animation
let observer;
let wasRunning = false;
const moves = (a) => isPending(a) || playStateOf(a) === 'running';
const anyMoves = (list) => {
  for (let i = 0; i < list.length && i < 200; i++) if (moves(list[i])) return true;
  return false;
};
// anyRuns reports whether an animation of the document, or of a shadow root, moves.
const anyRuns = () => {
  if (anyMoves(animationsOf(document))) return true;
  for (let r = roots; r; r = r.next) if (anyMoves(rootAnimationsOf(r.root))) return true;
  return false;
};
const all = Document.prototype.getElementsByTagName.call(document, '*');
const lengthOf = got(HTMLCollection, 'length');

return {
  // look returns the kind of the page. Without scripts, frames and refresh nothing can move. The
  // height is read before the fonts: it triggers the layout, which requests them.
  look() {
    const has = (selector) => !!find(document, selector);
    const box = scroller();
    const inert = !has('script,iframe,frame,object,embed,meta[http-equiv=refresh i],' + handlers) && !hasRun()
      && !animationsOf(document).slice(0, 200).some(ends);
    if (!inert && has('[autofocus]')) used |= frameAsked; // a frame gives the focus
    return {
      inert,
      frames: has('iframe,frame,object,embed'),
      lazy: (used & scrollSeen) !== 0 || has('img[loading=lazy],iframe[loading=lazy],[data-src],[data-srcset],[data-lazy-src],[data-original],[data-bg],.lazy,.lazyload'),
      height: box ? heightOf(box) : 0,
      view: box ? (box === rootOf(document) ? height() : viewOf(box)) : 0,
      fonts: fontState(fontsOf(document)) === 'loading',
      driven: driven().length > 0,
    };
  },
  // length returns the number of characters of the document and its shadow roots.
  length() {
    let n = textOf(topOf(document))?.length ?? 0;
    for (let r = roots; r; r = r.next) n += textOf(r.root).length;
    return n;
  },
  // shown returns the number of characters that are not transparent, of the first 20,000 nodes.
  shown() {
    let left = 20000;
    const count = (node, opacity) => {
      let n = 0;
      for (let c = firstOf(node); c && left-- > 0; c = nextOf(c)) {
        if (kindOf(c) === 3) n += textOf(c).length;
        else if (kindOf(c) === 1) {
          const o = opacity * styleOf(c).opacity;
          if (o >= leastOpacity) n += count(c, o);
        }
      }
      return n;
    };
    return count(document, 1);
  },
  // reveal ends the animations by which elements appear when they are scrolled into view, and returns their number.
  reveal() {
    let n = 0;
    const list = driven();
    for (let i = 0; i < list.length; i++) {
      const target = targetOf(effectOf(list[i]));
      if (!target || styleOf(target).opacity >= leastOpacity) continue;
      n++;
      pause(list[i]);
      for (let at = 100; at >= 0 && styleOf(target).opacity < leastOpacity; at -= 50) goTo(list[i], percent(at));
    }
    return n;
  },
  // take returns the requests since its last call. If the frame requested then has not been
  // drawn, it returns late, and requests the frame again.
  take() {
    if (!observer) {
      observer = new Observer((list) => { changes += list.length; });
      observe(observer, document, { subtree: true, childList: true, characterData: true });
    }
    const running = anyRuns();
    const late = waits && ++lates <= 60;
    // An animation that has ended fires its events in one more frame. A short one, begun in a frame, may have ended since.
    const moving = running || begun;
    const n = used | (moving || wasRunning || late ? frameAsked : 0);
    const top = topOf(document);
    if (n & frameAsked && top) {
      waits ||= (used & frameAsked) !== 0 && !late;
      sight ??= new Sight(() => {
        waits = false;
        begun = anyRuns();
      });
      outOfSight(sight, top);
      inSight(sight, top);
    }
    begun = false;
    wasRunning = moving;
    used &= ~(frameAsked | takesTime);
    return { used: n, late, changes, messages, elements: lengthOf(all) };
  },
  // broken returns the indices of the images that show their alternative text instead of a picture,
  // and the number of all images.
  broken() {
    const list = imagesOf(document);
    const broken = [];
    for (let i = 0; i < lengthOf(list); i++) if (completeOf(list[i]) && !naturalOf(list[i]) && altOf(list[i])) broken.push(i);
    return { count: lengthOf(list), broken };
  },
  // fonts returns the loaded fonts that scripts made: the descriptors of a rule @font-face, and its
  // source, or bytes in Base64.
  fonts() {
    const found = [];
    for (let f = faces; f; f = f.next) {
      if (fontStateOf(f.face) !== 'loaded' || !inFonts(fontsOf(document), f.face)) continue;
      const one = { descriptors: {} };
      for (let k = 0; k < descriptors.length; k++) one.descriptors[descriptors[k][0]] = descriptors[k][1](f.face);
      if (f.size === 0) one.source = f.source;
      else {
        let text = '';
        for (let k = 0; k < f.size; k++) text += letter(f.source[k]);
        one.data = base64(text);
      }
      defineProperty(found, found.length, { value: one, enumerable: true });
    }
    return found;
  },
  // changedSheets returns the indices of the document's style sheets into which scripts have inserted rules, or from which they
  // have deleted some, also in sheets that those import.
  changedSheets() {
    const list = sheetsOf(document);
    const found = [];
    for (let i = 0; i < sheetCount(list) && i < 1000; i++) {
      if (isIn(changedSheets, sheetAt(list, i))) defineProperty(found, found.length, { value: i, enumerable: true });
    }
    return found;
  },
  // properties returns the rules that stand for the properties that scripts have registered.
  properties() {
    const found = [];
    for (let p = properties; p; p = p.next) defineProperty(found, found.length, { value: p.rule, enumerable: true });
    return found;
  },
  // states returns the names of the states that scripts have given to custom elements.
  states() {
    return stateNames;
  },
  // markBegun gives the animations of drawings that scripts have begun an attribute, and returns their number.
  markBegun(attribute) {
    let n = 0;
    for (let b = begunByScripts; b; b = b.next, n++) setAttributeOf(b.element, attribute, '');
    return n;
  },
  scrollTo(y) {
    const box = scroller();
    if (!box) return 0;
    const whole = heightOf(box), root = rootOf(document);
    if (y >= whole) return whole;
    if (box !== root && root) scroll(root, { left: 0, top: y > 0 ? heightOf(root) : 0, behavior: 'instant' });
    scroll(box, { left: 0, top: y, behavior: 'instant' });
    return whole;
  },
};
