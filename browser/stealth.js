// What a page sees of a browser that nobody sits in front of, made to look like
// one that somebody does. Getters and methods are put where the real ones are,
// on the prototypes, and keep their names. Nothing is looked up before a page
// asks: some of it would be a call to another process for every frame.
getter(Navigator.prototype, 'webdriver', () => false);
getter(Navigator.prototype, 'pdfViewerEnabled', () => true);

let list;
getter(Navigator.prototype, 'plugins', (real) => {
  if (real.length > 0) return real;
  if (list) return list;
  const plugins = ['PDF Viewer', 'Chrome PDF Viewer', 'Chromium PDF Viewer'].map((name) => Object.create(Plugin.prototype, {
    name: { value: name, enumerable: true },
    filename: { value: 'internal-pdf-viewer', enumerable: true },
    description: { value: 'Portable Document Format', enumerable: true },
    length: { value: 1 },
  }));
  list = Object.create(PluginArray.prototype, {
    length: { value: plugins.length },
    item: { value: (i) => plugins[i] ?? null },
    namedItem: { value: (n) => plugins.find((p) => p.name === n) ?? null },
    [Symbol.iterator]: { value: () => plugins[Symbol.iterator]() },
  });
  plugins.forEach((p, i) => Object.defineProperty(list, i, { value: p, enumerable: true }));
  return list;
});

if (!('chrome' in window)) {
  Object.defineProperty(window, 'chrome', {
    value: {
      app: { isInstalled: false },
      csi: () => ({ startE: performance.timeOrigin, onloadT: Date.now(), pageT: performance.now(), tran: 15 }),
      loadTimes: () => ({ requestTime: performance.timeOrigin / 1000, startLoadTime: performance.timeOrigin / 1000, navigationType: 'Other' }),
    },
    writable: true, enumerable: true, configurable: false,
  });
}

// Headless says "denied" in one place and "prompt" in another. Only secure
// pages have permissions to ask for.
if (window.isSecureContext) {
  getter(Navigator.prototype, 'permissions', (permissions) => {
    const proto = Object.getPrototypeOf(permissions);
    if (!native.has(proto.query)) {
      put(proto, 'query', (query) => ({ query(d) {
        return query.call(this, d).then((s) => {
          if (d && d.name === 'notifications' && Notification.permission === 'denied') Object.defineProperty(s, 'state', { value: 'denied' });
          return s;
        });
      } }).query);
    }
    return permissions;
  });
}

// The renderer's name is that of a software renderer.
put(HTMLCanvasElement.prototype, 'getContext', (getContext) => ({ getContext(...args) {
  const context = getContext.apply(this, args);
  const proto = context && /webgl/.test(args[0]) && Object.getPrototypeOf(context);
  if (proto && !native.has(proto.getParameter)) {
    put(proto, 'getParameter', (getParameter) => ({ getParameter(p) {
      const v = getParameter.call(this, p);
      if (p === 0x9245 && typeof v === 'string') return 'Google Inc. (Intel)';
      if (p === 0x9246 && typeof v === 'string') return 'ANGLE (Intel, Mesa Intel(R) UHD Graphics 620 (KBL GT2), OpenGL 4.6)';
      return v;
    } }).getParameter);
  }
  return context;
} }).getContext);
