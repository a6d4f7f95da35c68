// The hardware as seen by windows and workers, for stealth.js; in workers it runs alone.

// The headless shell has a round-trip time of 0, Chrome with a window never.
getter(NetworkInformation.prototype, 'rtt', (time) => time || 50);

// The renderer's name is that of a software renderer. go-rod/stealth uses one of a Mac, even where
// Chrome has no name. The prototypes of WebGL are large, and reading them takes longer than the
// rest of this script: so it waits for the first context.
const parameter = (get) => ({ getParameter(name) {
  const v = apply(get, this, arguments);
  if (name === 0x9245 && typeof v === 'string') return 'Google Inc. (NVIDIA Corporation)';
  if (name === 0x9246 && typeof v === 'string') return 'ANGLE (NVIDIA Corporation, NVIDIA GeForce GTX 1650/PCIe/SSE2, OpenGL 4.5.0)';
  return v;
} }).getParameter;
const canvases = [typeof HTMLCanvasElement === 'undefined' ? undefined : HTMLCanvasElement, OffscreenCanvas];
for (let i = 0; i < canvases.length; i++) {
  if (canvases[i]) put(canvases[i].prototype, 'getContext', (get) => ({ getContext() {
    const context = apply(get, this, arguments);
    const proto = context && getPrototypeOf(context);
    const old = proto && getOwnPropertyDescriptor(proto, 'getParameter');
    if (old && typeof old.value === 'function' && !native.has(old.value)) put(proto, 'getParameter', parameter);
    return context;
  } }).getContext);
}
