// The properties by which a page detects an automated browser, made to match those of a user's
// browser, where the scripts of go-rod/stealth lack something or do it worse. docs/stealth.md lists
// the checks of battery_test.go that show it. Chrome's command line and the protocol set the rest,
// since no page can detect that: navigator.webdriver, permissions, the screen, the mouse.

// Full Chromium has a window's frame, its plugins and window.chrome. The headless shell
// lacks them.
const bare = getOwnPropertyDescriptor(window, 'chrome') === undefined;

// refuse returns an error that appears to come from the page's call.
const refuse = (message, ours) => {
  const e = new TypeError(message);
  captureStackTrace(e, ours);
  return e;
};

// Languages set by the protocol, the only way to give the header its weights, are a new list at
// each access.
{
  const { freeze } = Object;
  const { join } = Array.prototype;
  let list;
  getter(Navigator.prototype, 'languages', (real) => {
    if (!list || apply(join, list, []) !== apply(join, real, [])) list = freeze(real);
    return list;
  });
}

if (bare) {
  const chrome = {};
  defineProperty(window, 'chrome', { value: chrome, writable: true, enumerable: true, configurable: true });
  rod();

  // go-rod/stealth defines the members in a different order, with names, values and types that
  // differ from Chrome's.
  const { app, csi, loadTimes } = chrome;
  for (const key of ownKeys(chrome)) delete chrome[key];
  const made = (f, name) => {
    like(f, { length: 0, name }, `function ${name}() { [native code] }`);
    return f;
  };
  const kinds = { __proto__: null, reload: 'Reload', back_forward: 'BackForward' };
  chrome.loadTimes = made([function () {
    const t = loadTimes();
    const began = performance.getEntriesByType('paint').length > 0 ? +t.firstPaintTime : 0;
    return {
      requestTime: t.requestTime, startLoadTime: t.startLoadTime, commitLoadTime: t.commitLoadTime,
      finishDocumentLoadTime: t.finishDocumentLoadTime, finishLoadTime: t.finishLoadTime,
      firstPaintTime: began, firstPaintAfterLoadTime: t.firstPaintAfterLoadTime,
      navigationType: kinds[t.navigationType] ?? 'Other',
      wasFetchedViaSpdy: t.wasFetchedViaSpdy, wasNpnNegotiated: t.wasNpnNegotiated, npnNegotiatedProtocol: t.npnNegotiatedProtocol,
      wasAlternateProtocolAvailable: t.wasAlternateProtocolAvailable, connectionInfo: t.connectionInfo,
    };
  }][0], '');
  chrome.csi = made([function () {
    const { startE, onloadT, tran } = csi();
    return { startE, onloadT, pageT: Math.round(performance.now() * 1000) / 1000, tran };
  }][0], '');
  const refused = (name, more, ours) => refuse(`Error in invocation of app.${name}(${more && 'function callback'}): ${more}`, ours);
  const methods = {
    getDetails() {
      if (arguments.length > 0) throw refused('getDetails', '', methods.getDetails);
      return null;
    },
    getIsInstalled() {
      if (arguments.length > 0) throw refused('getIsInstalled', '', methods.getIsInstalled);
      return false;
    },
    installState(callback) {
      if (arguments.length !== 1 || typeof callback !== 'function') throw refused('installState', 'No matching signature.', methods.installState);
      setTimeout(callback, 0, 'not_installed');
    },
    runningState() {
      if (arguments.length > 0) throw refused('runningState', '', methods.runningState);
      return 'cannot_run';
    },
  };
  chrome.app = { isInstalled: false };
  for (const name of ['getDetails', 'getIsInstalled', 'installState', 'runningState']) chrome.app[name] = made(methods[name], name);
  chrome.app.InstallState = app.InstallState;
  chrome.app.RunningState = app.RunningState;

  // The five names of the PDF viewer in every Chrome. Their values are stored beside them, for the
  // getters of their prototypes, and created on first access: checking for real ones is a call to a
  // different process.
  const facts = Object.defineProperties(new WeakMap(), { get: { value: WeakMap.prototype.get }, set: { value: WeakMap.prototype.set } });
  const make = (proto, fact, list, names) => {
    const o = create(proto);
    for (let i = 0; i < list.length; i++) defineProperty(o, i, { value: list[i], enumerable: true, configurable: true });
    for (let i = 0; i < list.length; i++) defineProperty(o, names[i], { value: list[i], configurable: true });
    facts.set(o, { __proto__: null, ...fact, length: list.length, list, names });
    return o;
  };
  const types = ['application/pdf', 'text/pdf'];
  const viewers = ['PDF Viewer', 'Chrome PDF Viewer', 'Chromium PDF Viewer', 'Microsoft Edge PDF Viewer', 'WebKit built-in PDF'];
  const description = 'Portable Document Format';
  let viewer;
  const { create } = Object;
  const [plugins, mimeTypes, plugin, mimeType] = [PluginArray.prototype, MimeTypeArray.prototype, Plugin.prototype, MimeType.prototype];
  const mimes = (of) => {
    const list = [];
    for (let i = 0; i < types.length; i++) list[i] = make(mimeType, { type: types[i], suffixes: 'pdf', description, of }, [], []);
    return list;
  };
  const pdf = () => {
    if (viewer) return viewer;
    const list = [];
    for (let i = 0; i < viewers.length; i++) {
      const of = [];
      list[i] = of[0] = make(plugin, { name: viewers[i], filename: 'internal-pdf-viewer', description }, mimes(of), types);
    }
    return viewer = { plugins: make(plugins, {}, list, viewers), mimeTypes: make(mimeTypes, {}, mimes(list), types) };
  };
  let realPlugins, itemOf;
  put(Navigator.prototype, 'plugins', (get) => getOwnPropertyDescriptor({ get plugins() { realPlugins = apply(get, this, []); return pdf().plugins; } }, 'plugins').get, 'get');
  put(Navigator.prototype, 'mimeTypes', (get) => getOwnPropertyDescriptor({ get mimeTypes() { apply(get, this, []); return pdf().mimeTypes; } }, 'mimeTypes').get, 'get');
  getter(Navigator.prototype, 'pdfViewerEnabled', () => true);
  const reads = (owner, ...names) => {
    for (let i = 0; i < names.length; i++) {
      const name = names[i];
      put(owner.prototype, name, (get) => getOwnPropertyDescriptor({ get [name]() {
        const f = facts.get(this);
        return f ? (name === 'enabledPlugin' ? f.of[0] : f[name]) : apply(get, this, []);
      } }, name).get, 'get');
    }
  };
  reads(PluginArray, 'length');
  reads(MimeTypeArray, 'length');
  reads(Plugin, 'name', 'filename', 'description', 'length');
  reads(MimeType, 'type', 'suffixes', 'description', 'enabledPlugin');
  const owners = [PluginArray, MimeTypeArray, Plugin];
  for (let i = 0; i < owners.length; i++) {
    put(owners[i].prototype, 'item', (old) => {
      itemOf ??= old;
      return { item(index) {
        const f = facts.get(this);
        if (!f) return apply(old, this, arguments);
        if (arguments.length === 0) return apply(itemOf, realPlugins, []); // throws
        return f.list[index >>> 0] ?? null;
      } }.item;
    });
    put(owners[i].prototype, 'namedItem', (old) => ({ namedItem(name) {
      const f = facts.get(this);
      if (!f) return apply(old, this, arguments);
      if (arguments.length === 0) return apply(itemOf, realPlugins, []);
      name = `${name}`;
      for (let k = 0; k < f.names.length; k++) if (f.names[k] === name) return f.list[k];
      return null;
    } }).namedItem);
  }
  put(PluginArray.prototype, 'refresh', (old) => ({ refresh() {
    if (!facts.get(this)) return apply(old, this, arguments);
  } }).refresh);

  // The shell's window has no frame. The number is that of go-rod/stealth, whose own change only
  // helps where there is no size at all, and replaces the getter by a value.
  getter(window, 'outerHeight', (height) => height && height + 85);
}
