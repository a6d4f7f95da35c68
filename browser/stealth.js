// What a page sees of a browser that nobody sits in front of, made to look like
// one that somebody does. Getters are put where the real ones are, on the
// prototypes, and keep their names; what is right already is left alone.
(() => {
  'use strict';
  const get = (proto, name, value) => {
    const old = Object.getOwnPropertyDescriptor(proto, name);
    if (!old || !old.get) return;
    // A method of an object literal is no constructor, like a native getter.
    const getter = Object.getOwnPropertyDescriptor({ get [name]() { old.get.call(this); return value; } }, name).get;
    Object.defineProperty(proto, name, { ...old, get: getter });
    hidden.set(getter, `function get ${name}() { [native code] }`);
  };
  const hidden = new WeakMap();
  const toString = Function.prototype.toString;
  const shown = { toString() { return hidden.get(this) ?? toString.call(this); } }.toString;
  hidden.set(shown, 'function toString() { [native code] }');
  Object.defineProperty(Function.prototype, 'toString', { value: shown, writable: true, enumerable: false, configurable: true });

  if (navigator.webdriver) get(Navigator.prototype, 'webdriver', false);

  if (!('chrome' in window)) {
    const begun = performance.timeOrigin / 1000;
    Object.defineProperty(window, 'chrome', {
      value: {
        app: { isInstalled: false },
        csi: () => ({ startE: performance.timeOrigin, onloadT: Date.now(), pageT: performance.now(), tran: 15 }),
        loadTimes: () => ({ requestTime: begun, startLoadTime: begun, navigationType: 'Other' }),
      },
      writable: true, enumerable: true, configurable: false,
    });
  }

  if (navigator.plugins && navigator.plugins.length === 0) {
    const names = ['PDF Viewer', 'Chrome PDF Viewer', 'Chromium PDF Viewer'];
    const plugins = names.map((name) => Object.create(Plugin.prototype, {
      name: { value: name, enumerable: true },
      filename: { value: 'internal-pdf-viewer', enumerable: true },
      description: { value: 'Portable Document Format', enumerable: true },
      length: { value: 1 },
    }));
    const list = Object.create(PluginArray.prototype, {
      length: { value: plugins.length },
      item: { value: (i) => plugins[i] ?? null },
      namedItem: { value: (n) => plugins.find((p) => p.name === n) ?? null },
      [Symbol.iterator]: { value: () => plugins[Symbol.iterator]() },
    });
    plugins.forEach((p, i) => Object.defineProperty(list, i, { value: p, enumerable: true }));
    get(Navigator.prototype, 'plugins', list);
    get(Navigator.prototype, 'pdfViewerEnabled', true);
  }

  if (window.Notification && Notification.permission === 'denied' && window.Permissions) {
    // Headless says "denied" in one place and "prompt" in the other.
    const query = Permissions.prototype.query;
    const asked = { query(d) {
      return query.call(this, d).then((s) => {
        if (d && d.name === 'notifications') Object.defineProperty(s, 'state', { value: 'denied' });
        return s;
      });
    } }.query;
    hidden.set(asked, 'function query() { [native code] }');
    Object.defineProperty(Permissions.prototype, 'query', { value: asked, writable: true, enumerable: true, configurable: true });
  }

  for (const gl of [window.WebGLRenderingContext, window.WebGL2RenderingContext]) {
    if (!gl) continue;
    const parameter = gl.prototype.getParameter;
    const asked = { getParameter(p) {
      const v = parameter.call(this, p);
      if (p === 0x9245 && typeof v === 'string') return 'Google Inc. (Intel)';
      if (p === 0x9246 && typeof v === 'string') return 'ANGLE (Intel, Mesa Intel(R) UHD Graphics 620 (KBL GT2), OpenGL 4.6)';
      return v;
    } }.getParameter;
    hidden.set(asked, 'function getParameter() { [native code] }');
    Object.defineProperty(gl.prototype, 'getParameter', { value: asked, writable: true, enumerable: true, configurable: true });
  }

  for (const name of ['print', 'close']) hidden.set(window[name], `function ${name}() { [native code] }`);
})();
