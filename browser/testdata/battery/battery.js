addEventListener('error', (e) => fetch('/results', { method: 'POST', body: JSON.stringify({ results: [{ group: 'battery', name: 'it runs', ok: false, got: e.message + ' at line ' + e.lineno }], names: [] }) }));
// The checks of battery_test.go, as a page would make them. Each returns true where
// ordinary Chrome, with a window and a person in front of it, is what the page sees;
// anything else is what gave the browser away.
const battery = [];
const check = (group, name, run) => battery.push({ group, name, run });

const descriptor = Object.getOwnPropertyDescriptor;
const text = Function.prototype.toString;
const is = (got, want) => JSON.stringify(got) === JSON.stringify(want) || JSON.stringify(got) + ', not ' + JSON.stringify(want);
const all = (list, test) => { const bad = list.filter((x) => !test(x)); return bad.length === 0 || bad.join(' '); };
const thrown = (f) => { try { f(); } catch (e) { return e; } return null; };
// lines are the places of an error's stack, without positions.
const lines = (e) => e.stack.split('\n').slice(1).map((l) => l.trim());
const frame = (prepare) => { const f = document.createElement('iframe'); prepare?.(f); document.body.append(f); return f; };
const told = (f) => new Promise((done) => addEventListener('message', function hear(e) { if (e.source === f.contentWindow) { removeEventListener('message', hear); done(e.data); } }));
const worker = (source) => new Promise((done, fail) => {
  const w = new Worker(URL.createObjectURL(new Blob([`(async () => (${source})())().then(postMessage, (e) => postMessage('' + e))`])));
  w.onmessage = (e) => { w.terminate(); done(e.data); };
  w.onerror = (e) => fail(new Error(e.message));
});
const shared = (expression) => new Promise((done, fail) => {
  const w = new SharedWorker(URL.createObjectURL(new Blob([`onconnect = (e) => e.ports[0].postMessage(${expression})`])));
  w.port.onmessage = (e) => done(e.data);
  w.onerror = () => fail(new Error('no shared worker'));
});
const service = async () => {
  const r = await navigator.serviceWorker.register('/service.js');
  try {
    const w = r.installing ?? r.waiting ?? r.active;
    return await new Promise((done) => { const c = new MessageChannel(); c.port1.onmessage = (e) => done(e.data); w.postMessage('', [c.port2]); });
  } finally {
    r.unregister();
  }
};
const get = (owner, name) => descriptor(owner, name)?.get;

// What is replaced, by plat, by go-rod/stealth or by the hooks of the settling, and
// what often is by others. [where, how to reach it, how the browser writes it]
const method = (owner, ...names) => names.map((n) => [n, () => descriptor(owner, n)?.value, `function ${n}() { [native code] }`]);
const getters = (owner, ...names) => names.map((n) => ['get ' + n, () => get(owner, n), `function get ${n}() { [native code] }`]);
const natives = [
  ...method(Function.prototype, 'toString', 'call', 'apply', 'bind'),
  ...method(window, 'print', 'close', 'requestAnimationFrame', 'requestIdleCallback', 'setTimeout', 'fetch', 'getComputedStyle', 'matchMedia'),
  ...method(Document.prototype, 'createElement', 'startViewTransition', 'hasFocus'),
  ...method(EventTarget.prototype, 'addEventListener', 'removeEventListener', 'dispatchEvent'),
  ...method(IntersectionObserver.prototype, 'observe', 'unobserve', 'disconnect'),
  ...method(ResizeObserver.prototype, 'observe'),
  ...method(Permissions.prototype, 'query'),
  ...method(HTMLMediaElement.prototype, 'canPlayType'),
  ...method(HTMLCanvasElement.prototype, 'getContext', 'toDataURL'),
  ...method(WebGLRenderingContext.prototype, 'getParameter', 'getExtension'),
  ...method(WebGL2RenderingContext.prototype, 'getParameter'),
  ...method(PluginArray.prototype, 'item', 'namedItem', 'refresh'),
  ...method(Plugin.prototype, 'item', 'namedItem'),
  ...method(MimeTypeArray.prototype, 'item', 'namedItem'),
  ...method(MediaDevices.prototype, 'enumerateDevices'),
  ...getters(Navigator.prototype, 'webdriver', 'plugins', 'mimeTypes', 'languages', 'hardwareConcurrency', 'deviceMemory', 'permissions', 'pdfViewerEnabled', 'userAgent', 'platform', 'vendor', 'connection', 'userAgentData'),
  ...getters(Plugin.prototype, 'name', 'filename', 'description', 'length'),
  ...getters(PluginArray.prototype, 'length'),
  ...getters(MimeType.prototype, 'type', 'enabledPlugin'),
  ...getters(Notification, 'permission'),
  ...getters(HTMLIFrameElement.prototype, 'contentWindow', 'srcdoc'),
  ...getters(window, 'outerWidth', 'outerHeight', 'innerWidth', 'innerHeight', 'onscroll'),
  ...getters(NetworkInformation.prototype, 'rtt'),
  ...getters(Screen.prototype, 'width', 'height', 'availHeight'),
  ...['Worker', 'SharedWorker', 'WebSocket', 'EventSource', 'BroadcastChannel', 'RTCPeerConnection', 'IntersectionObserver', 'ResizeObserver', 'MutationObserver', 'Notification', 'Error'].map((n) => [n, () => window[n], `function ${n}() { [native code] }`]),
];
const ofChrome = () => [chrome.loadTimes, chrome.csi, chrome.app.getDetails, chrome.app.getIsInstalled, chrome.app.installState, chrome.app.runningState];
// Those that are neither a constructor nor one of the language's own.
const calls = natives.filter(([n]) => !/^[A-Z]/.test(n) && !['toString', 'call', 'apply', 'bind'].includes(n));

check('webdriver', 'navigator.webdriver is false', () => is(navigator.webdriver, false));
check('webdriver', 'the property is there', () => 'webdriver' in navigator);
check('webdriver', 'it is an accessor of the prototype', () => {
  const d = descriptor(Navigator.prototype, 'webdriver');
  return is(d && [typeof d.get, typeof d.set, d.enumerable, d.configurable], ['function', 'undefined', true, true]);
});
check('webdriver', 'it cannot be written', () => { try { navigator.webdriver = 1; } catch { /* strict */ } return navigator.webdriver === false && !Object.hasOwn(navigator, 'webdriver'); });
check('webdriver', 'its place among the properties', () => { const k = Object.getOwnPropertyNames(Navigator.prototype), i = k.indexOf('webdriver'); return i > 0 && i < k.length - 5 || `${i} of ${k.length}`; });
check('webdriver', 'no names of drivers', () => {
  const known = /^(\$?cdc_|\$chrome_asyncScriptInfo|__(webdriver|selenium|driver|fxdriver|playwright|puppeteer|pw|nightmare|phantomas|lastWatir)|_?(selenium|phantom|Selenium_IDE)|callPhantom|domAutomation|calledSelenium|_WEBDRIVER|awesomium|emit$|spawn$|Buffer$)/;
  return all([...Object.getOwnPropertyNames(window), ...Object.getOwnPropertyNames(document), ...document.documentElement.getAttributeNames()], (k) => !known.test(k) && k !== 'webdriver');
});
check('webdriver', 'navigator has no property of its own', () => is(Reflect.ownKeys(navigator), []));
check('webdriver', 'document has only location', () => is(Reflect.ownKeys(document).filter((k) => k !== 'location'), []));

check('chrome object', 'it is there', () => is(typeof window.chrome, 'object'));
check('chrome object', 'its descriptor', () => { const d = descriptor(window, 'chrome'); return is(d && [d.writable, d.enumerable, d.configurable], [true, true, true]); });
check('chrome object', 'its members', () => is(Reflect.ownKeys(chrome), ['loadTimes', 'csi', 'app']));
check('chrome object', 'chrome.app is written in full', () => is(Object.entries(Object.getOwnPropertyDescriptors(chrome.app)).map(([k, d]) => k + ':' + typeof d.value),
  ['isInstalled:boolean', 'getDetails:function', 'getIsInstalled:function', 'installState:function', 'runningState:function', 'InstallState:object', 'RunningState:object']));
check('chrome object', 'its functions are native', () => all(ofChrome(), (f) => /^function \w*\(\) \{ \[native code\] \}$/.test(text.call(f))));
check('chrome object', 'their names', () => is(ofChrome().map((f) => f.name), ['', '', 'getDetails', 'getIsInstalled', 'installState', 'runningState']));
check('chrome object', 'their own properties', () => is(ofChrome().map((f) => Reflect.ownKeys(f).join()), ['length,name,prototype', 'length,name,prototype', 'length,name', 'length,name', 'length,name', 'length,name']));
check('chrome object', 'what they answer', () => is([chrome.app.getDetails(), chrome.app.getIsInstalled(), chrome.app.runningState()], [null, false, 'cannot_run']));
check('chrome object', 'what they refuse', () => { const e = thrown(() => chrome.app.getDetails(1)); return is([e?.message, e && /^at (thrown|http|\w+ \(http)/.test(lines(e)[0])], ['Error in invocation of app.getDetails(): ', true]); });
check('chrome object', 'loadTimes has all in order', () => is(Object.keys(chrome.loadTimes()), ['requestTime', 'startLoadTime', 'commitLoadTime', 'finishDocumentLoadTime', 'finishLoadTime', 'firstPaintTime', 'firstPaintAfterLoadTime', 'navigationType', 'wasFetchedViaSpdy', 'wasNpnNegotiated', 'npnNegotiatedProtocol', 'wasAlternateProtocolAvailable', 'connectionInfo']));
check('chrome object', 'loadTimes fits the page', () => {
  const t = chrome.loadTimes(), began = performance.timeOrigin / 1000;
  return is([typeof t.firstPaintTime, t.navigationType, t.connectionInfo, t.npnNegotiatedProtocol, Math.abs(t.requestTime - began) < 2, t.commitLoadTime >= t.requestTime], ['number', 'Other', 'http/1.1', 'unknown', true, true]);
});
check('chrome object', 'csi fits the page', () => {
  const c = chrome.csi();
  return is([Object.keys(c).join(), Math.abs(c.startE - performance.timeOrigin) < 2000, !Number.isInteger(c.pageT) || !Number.isInteger(chrome.csi().pageT) || Number.isInteger(performance.now()), c.tran], ['startE,onloadT,pageT,tran', true, true, 15]);
});
check('chrome object', 'its place among the window\'s keys', () => { const k = Object.keys(window); return k.indexOf('chrome') < k.indexOf('webkitRequestFileSystem') || 'after all others'; });

check('plugins', 'five, as in every Chrome', () => is([...navigator.plugins].map((p) => p.name), ['PDF Viewer', 'Chrome PDF Viewer', 'Chromium PDF Viewer', 'Microsoft Edge PDF Viewer', 'WebKit built-in PDF']));
check('plugins', 'two types', () => is([...navigator.mimeTypes].map((m) => [m.type, m.suffixes, m.description]), [['application/pdf', 'pdf', 'Portable Document Format'], ['text/pdf', 'pdf', 'Portable Document Format']]));
check('plugins', 'the viewer is enabled', () => is(navigator.pdfViewerEnabled, true));
check('plugins', 'what they are instances of', () => {
  const p = navigator.plugins, m = navigator.mimeTypes;
  return is([p instanceof PluginArray, p[0] instanceof Plugin, m instanceof MimeTypeArray, m[0] instanceof MimeType, String(p), String(p[0]), String(m), String(m[0]), Object.getPrototypeOf(p[0]) === Plugin.prototype],
    [true, true, true, true, '[object PluginArray]', '[object Plugin]', '[object MimeTypeArray]', '[object MimeType]', true]);
});
check('plugins', 'the prototype\'s getters read them', () => is([get(Plugin.prototype, 'name').call(navigator.plugins[0]), get(PluginArray.prototype, 'length').call(navigator.plugins), get(MimeType.prototype, 'type').call(navigator.mimeTypes[1]), get(MimeTypeArray.prototype, 'length').call(navigator.mimeTypes)], ['PDF Viewer', 5, 'text/pdf', 2]));
check('plugins', 'they refer to each other', () => {
  const p = navigator.plugins, m = navigator.mimeTypes;
  return is([p[0] && m[0].enabledPlugin === p[0], p[0]?.[0] === m[0], p[0]?.['text/pdf'] === m[1], p.namedItem('PDF Viewer') === p[0], p['PDF Viewer'] === p[0], m.namedItem('text/pdf') === m[1]], [true, false, false, true, true, true]);
});
check('plugins', 'the same object each time', () => navigator.plugins === navigator.plugins && navigator.plugins.length > 0 && navigator.plugins[0] === navigator.plugins[0]);
check('plugins', 'an index is taken modulo 2³²', () => navigator.plugins.item(4294967296) === navigator.plugins[0] && navigator.plugins.length > 0);
check('plugins', 'what is not there', () => is([navigator.plugins.item(9), navigator.plugins.namedItem('x'), typeof navigator.plugins[9], navigator.mimeTypes.item(9), navigator.plugins.length], [null, null, 'undefined', null, 5]));
check('plugins', 'their own properties', () => is([Reflect.ownKeys(navigator.plugins).slice(0, 6), Reflect.ownKeys(navigator.plugins[0]), Reflect.ownKeys(navigator.mimeTypes), Reflect.ownKeys(navigator.mimeTypes[0])],
  [['0', '1', '2', '3', '4', 'PDF Viewer'], ['0', '1', 'application/pdf', 'text/pdf'], ['0', '1', 'application/pdf', 'text/pdf'], []]));
check('plugins', 'their descriptors', () => {
  const short = (d) => d && [typeof d.value, d.writable, d.enumerable, d.configurable];
  return is([short(descriptor(navigator.plugins, '0')), short(descriptor(navigator.plugins, 'PDF Viewer')), short(descriptor(navigator.plugins, 'length'))], [['object', false, true, true], ['object', false, false, true], undefined]);
});
check('plugins', 'JSON of them', () => is(JSON.stringify([navigator.plugins, navigator.mimeTypes]), '[{"0":{"0":{},"1":{}},"1":{"0":{},"1":{}},"2":{"0":{},"1":{}},"3":{"0":{},"1":{}},"4":{"0":{},"1":{}}},{"0":{},"1":{}}]'));
check('plugins', 'what item refuses', () => { const e = thrown(() => navigator.plugins.item()); return is([e?.name, /1 argument required, but only 0 present/.test(e?.message), e && /http/.test(lines(e)[0])], ['TypeError', true, true]); });

check('permissions', 'notifications: one answer in both places', async () => is((await navigator.permissions.query({ name: 'notifications' })).state.replace('prompt', 'default'), Notification.permission));
check('permissions', 'the answer is a PermissionStatus', async () => { const s = await navigator.permissions.query({ name: 'notifications' }); return is([s instanceof PermissionStatus, String(s), s.name, s.onchange, Reflect.ownKeys(s).length, s instanceof EventTarget], [true, '[object PermissionStatus]', 'notifications', null, 0, true]); });
check('permissions', 'an unknown name is refused', async () => navigator.permissions.query({ name: 'no' }).then(() => 'accepted', (e) => e instanceof TypeError));
check('permissions', 'the descriptor is read as the browser reads it', async () => {
  let places = '';
  await navigator.permissions.query({ get name() { places = new Error().stack; return 'notifications'; } });
  return !/<anonymous>:\d/.test(places) || places;
});
check('permissions', 'others wait to be asked', async () => is((await Promise.all(['geolocation', 'camera', 'microphone'].map((name) => navigator.permissions.query({ name })))).map((s) => s.state), ['prompt', 'prompt', 'prompt']));
check('permissions', 'sensors and background sync are granted', async () => is((await Promise.all(['accelerometer', 'background-sync'].map((name) => navigator.permissions.query({ name })))).map((s) => s.state), ['granted', 'granted']));

check('languages', 'the first is navigator.language', () => is([navigator.languages.length > 0, navigator.languages[0]], [true, navigator.language]));
check('languages', 'a frozen list, the same each time', () => Object.isFrozen(navigator.languages) && navigator.languages === navigator.languages);
check('languages', 'as in the header', async () => is((await (await fetch('/headers')).json())['Accept-Language']?.replace(/;q=[\d.]+/g, ''), navigator.languages.join()));
check('languages', 'as in workers', async () => is(await worker('() => navigator.languages.join()'), navigator.languages.join()));
check('languages', 'as in Intl', () => is(Intl.DateTimeFormat().resolvedOptions().locale.slice(0, 2), navigator.language.slice(0, 2)));

check('user agent', 'nothing of headless', () => !/headless|bot/i.test(navigator.userAgent + navigator.appVersion) || navigator.userAgent);
check('user agent', 'the version is reduced', () => /Chrome\/\d+\.0\.0\.0 Safari\/537\.36$/.test(navigator.userAgent) || navigator.userAgent);
check('user agent', 'appVersion is its end', () => is('Mozilla/' + navigator.appVersion, navigator.userAgent));
check('user agent', 'as in the header', async () => is((await (await fetch('/headers')).json())['User-Agent'], navigator.userAgent));
check('user agent', 'as in a worker', async () => is(await worker('() => navigator.userAgent'), navigator.userAgent));
check('user agent', 'platform fits', () => navigator.userAgent.includes(navigator.platform.split(' ')[0]) || navigator.platform);
check('client hints', 'brands', () => is(navigator.userAgentData.brands.some((b) => /headless/i.test(b.brand)), false));
check('client hints', 'the version fits the user agent', () => is(navigator.userAgentData.brands.find((b) => b.brand === 'Chromium')?.version, /Chrome\/(\d+)/.exec(navigator.userAgent)[1]));
check('client hints', 'the made-up brand is that of the version', () => {
  const n = +/Chrome\/(\d+)/.exec(navigator.userAgent)[1], odd = [' ', '(', ':', '-', '.', '/', ')', ';', '=', '?', '_'];
  const b = navigator.userAgentData.brands.find((b) => /^Not/.test(b.brand));
  return is([b?.brand, b?.version], [`Not${odd[n % 11]}A${odd[(n + 1) % 11]}Brand`, ['8', '99', '24'][n % 3]]);
});
check('client hints', 'as in the header', async () => is((await (await fetch('/headers')).json())['Sec-Ch-Ua'], navigator.userAgentData.brands.map((b) => `"${b.brand}";v="${b.version}"`).join(', ')));
check('client hints', 'the full version is a full one', async () => { const h = await navigator.userAgentData.getHighEntropyValues(['uaFullVersion', 'fullVersionList']); return /^\d+\.0\.[1-9]\d+\.\d+$/.test(h.uaFullVersion) && h.fullVersionList.some((b) => b.version === h.uaFullVersion) || JSON.stringify(h); });
check('client hints', 'the machine', async () => { const h = await navigator.userAgentData.getHighEntropyValues(['architecture', 'bitness', 'model', 'wow64', 'formFactors']); return is([h.platform, h.bitness, h.mobile, h.model, h.wow64, h.formFactors], ['Linux', '64', false, '', false, ['Desktop']]); });
check('user agent', 'as in a shared worker', async () => is(await shared('navigator.userAgent'), navigator.userAgent));
check('client hints', 'nothing of headless in a shared worker', async () => { const b = await shared('JSON.stringify(navigator.userAgentData)'); return !/headless/i.test(b) && b === JSON.stringify(navigator.userAgentData) || b; });
check('user agent', 'as in a service worker', async () => is(await service(), navigator.userAgent));
check('user agent', 'as in the request of a worker', async () => is(await worker(`async () => (await (await fetch('${location.origin}/headers')).json())['User-Agent']`), navigator.userAgent));
check('client hints', 'as in a worker', async () => is(await worker(`async () => JSON.stringify([navigator.userAgentData, (await navigator.userAgentData.getHighEntropyValues(['uaFullVersion'])).uaFullVersion])`), JSON.stringify([navigator.userAgentData, (await navigator.userAgentData.getHighEntropyValues(['uaFullVersion'])).uaFullVersion])));

check('window', 'it has a frame', () => outerHeight > innerHeight && outerWidth >= innerWidth || `${outerWidth}×${outerHeight} for ${innerWidth}×${innerHeight}`);
check('window', 'it fits on the screen', () => outerWidth + screenX <= screen.width && outerHeight + screenY <= screen.height || `${outerWidth}×${outerHeight} at ${screenX},${screenY} of ${screen.width}×${screen.height}`);
check('window', 'its size is read by an accessor', () => is(['outerWidth', 'outerHeight'].map((k) => { const d = descriptor(window, k); return [typeof d.get, typeof d.set, d.enumerable, d.configurable]; }), [['function', 'function', true, true], ['function', 'function', true, true]]));
check('window', 'the screen is that of a desktop', () => screen.width >= 1280 && screen.height >= 720 && screen.colorDepth === 24 && !(screen.width === innerWidth && screen.height === innerHeight) || `${screen.width}×${screen.height}`);
check('window', 'media queries say the same', () => matchMedia(`(device-width: ${screen.width}px) and (device-height: ${screen.height}px) and (resolution: ${devicePixelRatio}dppx)`).matches);
check('window', 'a mouse', () => is(['(hover: hover)', '(any-hover: hover)', '(pointer: fine)', '(any-pointer: fine)', '(pointer: none)'].map((q) => matchMedia(q).matches), [true, true, true, true, false]));
check('window', 'no finger', () => is([navigator.maxTouchPoints, 'ontouchstart' in window], [0, false]));
check('window', 'it is in front', () => is([document.hasFocus(), document.visibilityState, document.hidden], [true, 'visible', false]));
check('window', 'scrollbars take room', () => { const d = document.createElement('div'); d.style.cssText = 'overflow:scroll;width:99px;height:99px'; document.body.append(d); const w = 99 - d.clientWidth; d.remove(); return w > 0 || 'none'; });

const gl = (kind, canvas = document.createElement('canvas')) => { const c = canvas.getContext(kind), d = c?.getExtension('WEBGL_debug_renderer_info'); return c && [c.getParameter(d.UNMASKED_VENDOR_WEBGL), c.getParameter(d.UNMASKED_RENDERER_WEBGL)].join(); };
check('WebGL', 'no software renderer', () => !/SwiftShader|llvmpipe|Mesa OffScreen/i.test(gl('webgl')) || gl('webgl'));
check('WebGL', 'none in WebGL 2 either', () => !/SwiftShader|llvmpipe/i.test(gl('webgl2')) || gl('webgl2'));
check('WebGL', 'nor off screen', () => !/SwiftShader|llvmpipe/i.test(gl('webgl', new OffscreenCanvas(1, 1))) || gl('webgl', new OffscreenCanvas(1, 1)));
check('WebGL', 'vendor and platform fit', () => !gl('webgl') || !/Apple|Iris OpenGL Engine|Direct3D/.test(gl('webgl')) || gl('webgl'));
check('WebGL', 'a worker says the same', async () => is(await worker(`() => { const c = new OffscreenCanvas(1, 1).getContext('webgl'), d = c?.getExtension('WEBGL_debug_renderer_info'); return c && [c.getParameter(d.UNMASKED_VENDOR_WEBGL), c.getParameter(d.UNMASKED_RENDERER_WEBGL)].join(); }`), gl('webgl')));
check('WebGL', 'nothing without asking for the extension by kind', () => { const c = document.createElement('canvas').getContext('webgl'); return !c || is([typeof c.getParameter(c.VENDOR), c.getParameter(c.VENDOR), c.getParameter(c.RENDERER)], ['string', 'WebKit', 'WebKit WebGL']); });
check('WebGL', 'wrong receiver', () => { const e = thrown(() => WebGLRenderingContext.prototype.getParameter.call({}, 0x9246)); return is([e?.message, e && /http/.test(lines(e)[0])], ['Illegal invocation', true]); });

check('natives', 'written as native', () => all(natives.map(([n, f, want]) => (f() && text.call(f()) === want ? '' : n)), (n) => !n));
check('natives', 'by their own toString', () => all(natives.map(([n, f, want]) => (f() && f().toString() === want ? '' : n)), (n) => !n));
check('natives', 'by the toString of another frame', () => { const f = frame(), other = f.contentWindow.Function.prototype.toString; const bad = natives.filter(([, get, want]) => !get() || other.call(get()) !== want).map(([n]) => n); f.remove(); return bad.length === 0 || bad.join(); });
check('natives', 'and those of another frame by ours', () => {
  const f = frame(), w = f.contentWindow;
  const bad = [get(w.Navigator.prototype, 'webdriver'), w.Function.prototype.toString, w.print, get(w.Navigator.prototype, 'plugins'), w.WebGLRenderingContext.prototype.getParameter, w.addEventListener].filter((g) => !g || !/^function [\w ]+\(\) \{ \[native code\] \}$/.test(text.call(g)));
  f.remove();
  return bad.length === 0 || bad.join();
});
check('natives', 'toString of toString', () => is([text.call(text), text.toString(), text.toString.toString(), text.call(text.toString), text.name, text.length, Reflect.ownKeys(text).join()], [...Array(4).fill('function toString() { [native code] }'), 'toString', 0, 'length,name']));
check('natives', 'toString of a bound one and of a proxy', () => is([text.call(print.bind()), text.call(new Proxy(print, {})), text.call(class A {}), text.call(() => 1)], ['function () { [native code] }', 'function () { [native code] }', 'class A {}', '() => 1']));
check('natives', 'their own properties', () => all(calls.map(([n, f]) => (f() && Reflect.ownKeys(f()).join() === 'length,name' ? '' : n)), (n) => !n));
check('natives', 'their names', () => all(natives.map(([n, f]) => (f()?.name === n ? '' : n)), (n) => !n));
check('natives', 'their lengths', () => is([print.length, close.length, requestAnimationFrame.length, requestIdleCallback.length, EventTarget.prototype.addEventListener.length, IntersectionObserver.prototype.observe.length, WebGLRenderingContext.prototype.getParameter.length, PluginArray.prototype.item.length, Plugin.prototype.namedItem.length, HTMLMediaElement.prototype.canPlayType.length, Permissions.prototype.query.length, document.createElement.length, WebSocket.length, Worker.length, EventSource.length], [0, 0, 1, 1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]));
check('natives', 'no constructors', () => all(calls.map(([n, f]) => (/is not a constructor/.test(thrown(() => new (f())())?.message) && !Object.hasOwn(f(), 'prototype') ? '' : n)), (n) => !n));
check('natives', 'their prototypes', () => all(natives.map(([n, f]) => { const p = f() && Object.getPrototypeOf(f()); return p === Function.prototype || p === EventTarget || (p && Object.hasOwn(p, 'prototype')) ? '' : n; }), (n) => !n));
check('natives', 'constructors are those of their instances', () => is([new BroadcastChannel('x') instanceof BroadcastChannel, BroadcastChannel.prototype.constructor === BroadcastChannel, WebSocket.prototype.constructor === WebSocket, Worker.prototype.constructor === Worker, WebSocket.CLOSED, Object.getPrototypeOf(WebSocket) === EventTarget, new (class A extends BroadcastChannel {})('x').constructor.name], [true, true, true, true, 3, true, 'A']));
check('natives', 'constructors need new', () => all(['WebSocket', 'Worker', 'EventSource', 'BroadcastChannel', 'SharedWorker'].map((n) => (thrown(() => window[n]('x'))?.message === `Failed to construct '${n}': Please use the 'new' operator, this DOM object constructor cannot be called as a function.` ? '' : n)), (n) => !n));
check('natives', 'constructors refuse in their own words', () => { const e = thrown(() => new WebSocket()); return is([e?.message, e && /http/.test(lines(e)[0])], ["Failed to construct 'WebSocket': 1 argument required, but only 0 present.", true]); });
check('natives', 'none can be told to be a proxy by its prototype', () => all(natives.map(([n, f]) => {
  const g = f();
  if (!g) return n;
  const before = Object.getPrototypeOf(g);
  const e = thrown(() => Object.setPrototypeOf(g, Object.create(g)));
  if (Object.getPrototypeOf(g) !== before) Object.setPrototypeOf(g, before);
  return /^Cyclic __proto__ value/.test(e?.message) ? '' : n;
}), (n) => !n));
check('natives', 'nor by what inherits from it', () => all(natives.map(([n, f]) => {
  const e = f() && thrown(() => Object.create(f()).toString());
  return e && lines(e)[0] === 'at Function.toString (<anonymous>)' || lines(e ?? new Error())[0] === 'at Object.toString (<anonymous>)' ? '' : n;
}), (n) => !n));
check('natives', 'nor by instanceof', () => all(calls.map(([n, f]) => { const e = f() && thrown(() => ({}) instanceof f()); return e?.message === 'Function has non-object prototype \'undefined\' in instanceof check' ? '' : n; }), (n) => !n));
check('natives', 'nor by its caller and arguments', () => all(calls.map(([n, f]) => (f() && thrown(() => f().caller) instanceof TypeError && thrown(() => f().arguments) instanceof TypeError ? '' : n)), (n) => !n));

check('errors', 'toString of no function', () => is(lines(thrown(() => text.call({}))).slice(0, 2).map((l) => l.replace(/\(?http.*/, 'here')), ['at Object.toString (<anonymous>)', 'at here']));
check('errors', 'toString of nothing', () => is(['at toString (<anonymous>)', thrown(() => text.call(undefined)).message], [lines(thrown(() => text.call(null)))[0], "Function.prototype.toString requires that 'this' be a Function"]));
check('errors', 'a getter with a wrong receiver', () => all(natives.filter(([n]) => n.startsWith('get ') && !/outer|inner|permission$|onscroll/.test(n)).map(([n, f]) => { const e = f() && thrown(() => f().call({})); return e instanceof TypeError && e.message === 'Illegal invocation' && /http/.test(lines(e)[0]) ? '' : n; }), (n) => !n));
check('errors', 'a method with a wrong receiver', () => all(natives.filter(([n]) => ['createElement', 'observe', 'getParameter', 'canPlayType', 'getContext', 'item', 'namedItem', 'refresh'].includes(n)).map(([n, f]) => { const e = f() && thrown(() => f().call({}, 'x')); return e instanceof TypeError && e.message === 'Illegal invocation' && /http/.test(lines(e)[0]) ? '' : n; }), (n) => !n));
check('errors', 'a method with nothing to go by', () => all([() => requestAnimationFrame(), () => addEventListener(), () => document.createElement(), () => new IntersectionObserver(() => 0).observe(), () => document.createElement('video').canPlayType(), () => requestIdleCallback(1)].map((f) => { const e = thrown(f); return e instanceof TypeError && /http/.test(lines(e)[0]) ? '' : String(f); }), (n) => !n));
check('errors', 'the stack is as long as ever', () => {
  const deep = (n, f) => (n ? deep(n - 1, f) : f());
  return is([thrown(() => deep(20, () => requestAnimationFrame())), thrown(() => deep(20, () => text.call({}))), thrown(() => deep(20, () => get(Navigator.prototype, 'plugins').call({})))].map((e) => lines(e).length), [10, 10, 10]);
});
check('errors', 'what a page throws is left alone', () => { const mine = new RangeError('mine'); const e = thrown(() => addEventListener({ toString() { throw mine; } }, () => 0)); return e === mine && !/<anonymous>:\d/.test(e.stack) || String(e?.stack); });
check('errors', 'nor are calls seen by a page that replaces its own tools', () => {
  let seen = 0;
  const kept = [[Function.prototype, 'call'], [Function.prototype, 'apply'], [Reflect, 'apply'], [WeakMap.prototype, 'get'], [WeakMap.prototype, 'has'], [Array.prototype, Symbol.iterator]].map(([o, k]) => [o, k, descriptor(o, k)]);
  const reads = [text, get(Navigator.prototype, 'webdriver'), get(Navigator.prototype, 'plugins'), get(window, 'outerHeight')];
  const direct = Reflect.apply;
  for (const [o, k, d] of kept) Object.defineProperty(o, k, { ...d, value(...a) { seen++; return direct(d.value, this, a); } });
  seen = 0;
  let during;
  try { String(navigator.plugins.length + ' ' + outerHeight + navigator.webdriver); print.toString(); requestAnimationFrame.toString(); during = seen; } finally { for (const [o, k, d] of kept) Object.defineProperty(o, k, d); }
  return reads.length === 4 && is(during, 0);
});

check('frames', 'about:blank', () => { const f = frame(), w = f.contentWindow; const got = [w.navigator.webdriver, typeof w.chrome, w.navigator.plugins.length, w.outerHeight === outerHeight, w.navigator.userAgent === navigator.userAgent]; f.remove(); return is(got, [false, 'object', 5, true, true]); });
check('frames', 'srcdoc, at once', () => { const f = frame((f) => { f.srcdoc = 'x'; }), w = f.contentWindow; const got = [w?.navigator.webdriver, typeof w?.chrome, w?.navigator.plugins.length, w !== window, w?.self === w, w?.frameElement === f, w?.[0] === undefined]; f.remove(); return is(got, [false, 'object', 5, true, true, true, true]); });
check('frames', 'srcdoc, loaded', async () => { const f = frame((f) => { f.srcdoc = '<script>parent.postMessage([navigator.webdriver, typeof chrome, navigator.plugins.length, navigator.plugins.toString.toString()], "*")</script>'; }); const got = await told(f); f.remove(); return is(got, [false, 'object', 5, 'function toString() { [native code] }']); });
check('frames', 'sandboxed', async () => { const f = frame((f) => { f.sandbox = 'allow-scripts'; f.srcdoc = '<script>parent.postMessage([navigator.webdriver, typeof chrome, navigator.plugins.length, "" + print], "*")</script>'; }); const got = await told(f); f.remove(); return is(got, [false, 'object', 5, 'function print() { [native code] }']); });
check('frames', 'nested', () => { const a = frame(), b = a.contentDocument.createElement('iframe'); a.contentDocument.body.append(b); const w = b.contentWindow; const got = [w.navigator.webdriver, typeof w.chrome, text.call(get(w.Navigator.prototype, 'plugins'))]; a.remove(); return is(got, [false, 'object', 'function get plugins() { [native code] }']); });
check('frames', 'made by a script tag', async () => { const f = frame((f) => { f.src = '/frame'; }); const got = await told(f); f.remove(); return is(got, [false, 'object', 5]); });
check('frames', 'what makes them is untouched', () => is([Object.hasOwn(document, 'createElement'), Reflect.ownKeys(document.createElement('iframe'))], [false, []]));

check('hardware', 'cores as in a worker', async () => is(await worker('() => [navigator.hardwareConcurrency, navigator.deviceMemory, navigator.platform].join()'), [navigator.hardwareConcurrency, navigator.deviceMemory, navigator.platform].join()));
check('hardware', 'numbers that there are', () => navigator.hardwareConcurrency >= 1 && navigator.hardwareConcurrency <= 128 && [0.25, 0.5, 1, 2, 4, 8, 16, 32].includes(navigator.deviceMemory) || `${navigator.hardwareConcurrency}, ${navigator.deviceMemory}`);
check('hardware', 'the network takes time', () => navigator.connection.rtt > 0 && navigator.connection.downlink > 0 || `rtt ${navigator.connection.rtt}`);
check('hardware', 'in a worker too', async () => (await worker('() => navigator.connection.rtt')) > 0);
check('hardware', 'codecs', () => { const v = document.createElement('video'); return is(['video/mp4; codecs="avc1.42E01E"', 'audio/aac', 'audio/x-m4a;', 'video/webm; codecs="vp8, vorbis"', 'audio/mpeg;'].map((t) => v.canPlayType(t)), ['probably', 'probably', 'maybe', 'probably', 'probably']); });
check('hardware', 'codecs of two kinds agree', () => ['video/mp4; codecs="avc1.42E01E"', 'video/webm; codecs="vp9"', 'video/mp4; codecs="hvc1.1.6.L93.B0"'].every((t) => (document.createElement('video').canPlayType(t) !== '') === MediaSource.isTypeSupported(t)));
check('hardware', 'devices can be listed', async () => Array.isArray(await navigator.mediaDevices.enumerateDevices()));
check('hardware', 'a battery', async () => is((await navigator.getBattery()).level <= 1, true));

check('automation', 'no one reads the console (a getter)', () => { let n = 0; const e = new Error(); Object.defineProperty(e, 'stack', { get() { n++; return ''; } }); console.debug(e); return is(n, 0); });
check('automation', 'no one reads the console (prepareStackTrace)', () => { let n = 0; const old = descriptor(Error, 'prepareStackTrace'); Error.prepareStackTrace = () => { n++; }; console.log(new Error('')); if (old) Object.defineProperty(Error, 'prepareStackTrace', old); else delete Error.prepareStackTrace; return is(n, 0); });
check('automation', 'nor in a worker', async () => is(await worker(`() => { let n = 0; const e = new Error(); Object.defineProperty(e, 'stack', { get() { n++; return ''; } }); console.debug(e); return n; }`), 0));
check('automation', 'eval is its own', () => is([eval.toString().length, text.call(eval)], [33, 'function eval() { [native code] }']));
check('automation', 'no name more than ordinary', async () => {
  const f = frame(), names = Object.getOwnPropertyNames(f.contentWindow), known = await (await fetch('/names')).json();
  f.remove();
  return known.length === 0 || is(names.filter((k) => !known.includes(k) && k !== 'chrome'), []);
});
check('automation', 'a policy without eval', async () => { const f = frame((f) => { f.src = '/policy'; }); const got = await told(f); f.remove(); return is(got, [false, 'object', 5, 'function toString() { [native code] }']); });
check('automation', 'nor with trusted types', async () => { const f = frame((f) => { f.src = '/trusted'; }); const got = await told(f); f.remove(); return is(got, [false, 'object', 5, 'function toString() { [native code] }']); });

// The clock of a page that settles runs ahead of the start of a worker, so it is the
// server that counts the seconds which a check may take.
const patience = async (ended) => {
  await new Promise((done) => setTimeout(done, 1000));
  for (let i = Number(location.hash.slice(1)) || 60; i > 0 && !ended.aborted; i--) await fetch('/second', { signal: ended }).catch(() => {});
  return 'no answer';
};

(async () => {
  const results = [];
  for (const c of battery) {
    let got;
    const ended = new AbortController();
    try { got = await Promise.race([c.run(), patience(ended.signal)]); } catch (e) { got = 'error: ' + e; }
    ended.abort();
    results.push({ group: c.group, name: c.name, ok: got === true, got: got === true ? '' : String(got).slice(0, 600) });
  }
  let others = [];
  try { others = await window.publicChecks?.() ?? []; } catch (e) { others = [{ group: 'public', name: 'they run', ok: false, got: String(e.stack) }]; }
  const fresh = frame(), names = Object.getOwnPropertyNames(fresh.contentWindow);
  await fetch('/results' + location.search, { method: 'POST', body: JSON.stringify({ results: [...results, ...others], names }) });
})();
